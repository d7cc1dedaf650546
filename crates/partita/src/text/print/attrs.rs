//! Attributes and constants.

use super::{Printer, escape};
use crate::ir::attr::{ConvDims, DotAlgorithm, DotDims, GatherDims, IntType, RaggedDotDims, ScatterDims};
use crate::ir::sdy::{AxisRef, DimSharding, MeshAttr, MeshRef, SdyAttr, TensorSharding};
use crate::ir::*;
use crate::value::{Scalar, Tensor};
use std::fmt::Write;

/// Constants with more elements are printed as bytes.
const MAX_LISTED: usize = 100;

impl<'m> Printer<'m> {
    /// `{a = 1, b}`.
    pub(super) fn attr_dict<'a>(&mut self, attrs: impl IntoIterator<Item = &'a (Sym, Attr)>) {
        self.text("{");
        self.commas(attrs, |p, (name, attr)| {
            let text = &p.module.strings[*name];
            let plain = text.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.'));
            if plain {
                p.out.push_str(text)
            } else {
                escape(text.as_bytes(), &mut p.out)
            }
            if !matches!(attr, Attr::Unit) {
                p.text(" = ");
                p.attr(attr);
            }
        });
        self.text("}");
    }

    pub(super) fn attr(&mut self, attr: &Attr) {
        match attr {
            Attr::Unit => self.text("unit"),
            Attr::Bool(b) => write!(self.out, "{b}").unwrap_or_default(),
            Attr::Int(v, ty) => {
                match ty {
                    IntType::Elem(Elem::Uint(64)) => write!(self.out, "{} : ui64", *v as u64),
                    IntType::Elem(elem) => write!(self.out, "{v} : {elem}"),
                    IntType::Index => write!(self.out, "{v} : index"),
                }
                .unwrap_or_default();
            }
            Attr::Float(bits, elem) => {
                self.float_attr(*bits, *elem);
                write!(self.out, " : {elem}").unwrap_or_default();
            }
            Attr::Str(sym) => self.string(*sym),
            Attr::Bytes(bytes) => escape(bytes, &mut self.out),
            Attr::Type(ty) => write!(self.out, "{ty}").unwrap_or_default(),
            Attr::Symbol(path) => {
                for (i, part) in path.iter().enumerate() {
                    if i > 0 {
                        self.text("::");
                    }
                    self.symbol(*part);
                }
            }
            Attr::Array(list) => {
                self.text("[");
                self.commas(list.iter(), |p, a| p.list_item(a));
                self.text("]");
            }
            Attr::Dict(attrs) => self.attr_dict(attrs.iter()),
            Attr::I64s(list) => {
                self.text("array<i64");
                for (i, v) in list.iter().enumerate() {
                    write!(self.out, "{}{v}", if i == 0 { ": " } else { ", " }).unwrap_or_default();
                }
                self.text(">");
            }
            Attr::Bools(list) => {
                self.text("array<i1");
                for (i, v) in list.iter().enumerate() {
                    write!(self.out, "{}{v}", if i == 0 { ": " } else { ", " }).unwrap_or_default();
                }
                self.text(">");
            }
            Attr::DenseArray(tensor) => {
                write!(self.out, "array<{}", tensor.elem()).unwrap_or_default();
                for i in 0..tensor.len() {
                    self.text(if i == 0 { ": " } else { ", " });
                    self.element(tensor, i);
                }
                self.text(">");
            }
            Attr::Elements(tensor) => self.elements(tensor),
            Attr::Enum(e) => {
                write!(self.out, "#{}<{} {}>", e.dialect(), e.kind(), e.value()).unwrap_or_default()
            }
            Attr::Dot(dims) => self.dot_dims(dims),
            Attr::DotAlgorithm(algorithm) => {
                self.text("#stablehlo.dot_algorithm");
                self.dot_algorithm(algorithm);
            }
            Attr::Conv(dims) => {
                self.text("#stablehlo.conv<");
                self.conv_dims(dims);
                self.text(">");
            }
            Attr::Gather(dims) => self.gather_dims(dims),
            Attr::Scatter(dims) => self.scatter_dims(dims),
            Attr::Channel(c) => {
                write!(self.out, "#stablehlo.channel_handle<handle = {}, type = {}>", c.handle, c.kind)
                    .unwrap_or_default();
            }
            Attr::MeshAxes(axes) => self.mesh_axes(axes),
            Attr::RaggedDot(dims) => self.ragged_dot_dims(dims),
            Attr::Sdy(attr) => self.sdy_attr(attr),
            Attr::Loc(loc) => {
                self.text("loc(");
                self.loc_alias(*loc);
                self.text(")");
            }
            Attr::Opaque(text) => self.text(text),
        }
    }

    /// `name = [1, 2]` for each list that is not empty, and the numbers.
    fn fields(&mut self, name: &str, lists: &[(&str, &[i64])], number: Option<(&str, i64)>) {
        write!(self.out, "#{name}<").unwrap_or_default();
        let mut separator = "";
        for (field, list) in lists {
            if !list.is_empty() {
                write!(self.out, "{separator}{field} = ").unwrap_or_default();
                self.integers(list);
                separator = ", ";
            }
        }
        if let Some((field, value)) = number
            && value != 0
        {
            write!(self.out, "{separator}{field} = {value}").unwrap_or_default();
        }
        self.text(">");
    }

    fn dot_dims(&mut self, d: &DotDims) {
        let lists: &[(&str, &[i64])] = &[
            ("lhs_batching_dimensions", &d.lhs_batch),
            ("rhs_batching_dimensions", &d.rhs_batch),
            ("lhs_contracting_dimensions", &d.lhs_contracting),
            ("rhs_contracting_dimensions", &d.rhs_contracting),
        ];
        self.fields("stablehlo.dot", lists, None);
    }

    fn ragged_dot_dims(&mut self, d: &RaggedDotDims) {
        let lists: &[(&str, &[i64])] = &[
            ("lhs_batching_dimensions", &d.dot.lhs_batch),
            ("rhs_batching_dimensions", &d.dot.rhs_batch),
            ("lhs_contracting_dimensions", &d.dot.lhs_contracting),
            ("rhs_contracting_dimensions", &d.dot.rhs_contracting),
            ("lhs_ragged_dimensions", &d.lhs_ragged),
            ("rhs_group_dimensions", &d.rhs_group),
        ];
        self.fields("chlo.ragged_dot", lists, None);
    }

    /// `<lhs_precision_type = tf32, …>`.
    pub(super) fn dot_algorithm(&mut self, a: &DotAlgorithm) {
        let types = [
            ("lhs_precision_type", a.lhs_precision_type),
            ("rhs_precision_type", a.rhs_precision_type),
            ("accumulation_type", a.accumulation_type),
        ];
        let counts = [
            ("lhs_component_count", a.lhs_component_count),
            ("rhs_component_count", a.rhs_component_count),
            ("num_primitive_operations", a.num_primitive_operations),
        ];
        self.text("<");
        for (field, ty) in types {
            write!(self.out, "{field} = {}, ", ty.name()).unwrap_or_default();
        }
        for (field, count) in counts {
            write!(self.out, "{field} = {count}, ").unwrap_or_default();
        }
        write!(self.out, "allow_imprecise_accumulation = {}>", a.allow_imprecise_accumulation)
            .unwrap_or_default();
    }

    fn gather_dims(&mut self, d: &GatherDims) {
        let lists: &[(&str, &[i64])] = &[
            ("offset_dims", &d.offset_dims),
            ("collapsed_slice_dims", &d.collapsed_slice_dims),
            ("operand_batching_dims", &d.operand_batching_dims),
            ("start_indices_batching_dims", &d.start_indices_batching_dims),
            ("start_index_map", &d.start_index_map),
        ];
        self.fields("stablehlo.gather", lists, Some(("index_vector_dim", d.index_vector_dim)));
    }

    fn scatter_dims(&mut self, d: &ScatterDims) {
        let lists: &[(&str, &[i64])] = &[
            ("update_window_dims", &d.update_window_dims),
            ("inserted_window_dims", &d.inserted_window_dims),
            ("input_batching_dims", &d.input_batching_dims),
            ("scatter_indices_batching_dims", &d.scatter_indices_batching_dims),
            ("scatter_dims_to_operand_dims", &d.scatter_dims_to_operand_dims),
        ];
        self.fields("stablehlo.scatter", lists, Some(("index_vector_dim", d.index_vector_dim)));
    }

    /// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
    pub(super) fn conv_dims(&mut self, d: &ConvDims) {
        self.conv_list(("b", d.input_batch), ("f", d.input_feature), &d.input_spatial);
        self.text("x");
        self.conv_list(("i", d.kernel_input_feature), ("o", d.kernel_output_feature), &d.kernel_spatial);
        self.text("->");
        self.conv_list(("b", d.output_batch), ("f", d.output_feature), &d.output_spatial);
    }

    fn conv_list(&mut self, first: (&str, i64), second: (&str, i64), spatial: &[i64]) {
        self.text("[");
        self.commas(0..spatial.len() as i64 + 2, |p, position| match position {
            _ if position == first.1 => p.text(first.0),
            _ if position == second.1 => p.text(second.0),
            _ => match spatial.iter().position(|&s| s == position) {
                Some(n) => write!(p.out, "{n}").unwrap_or_default(),
                None => p.text("?"),
            },
        });
        self.text("]");
    }

    // --- constants ---

    /// `dense<…> : tensor<…>`.
    pub(super) fn elements(&mut self, tensor: &Tensor) {
        self.text("dense<");
        let ty = tensor.ty();
        if tensor.is_splat() {
            self.element(tensor, 0);
        } else if tensor.len() > MAX_LISTED {
            self.hex_elements(tensor);
        } else if !tensor.is_empty() {
            let mut position = 0;
            self.element_list(tensor, 0, &mut position);
        }
        write!(self.out, "> : {ty}").unwrap_or_default();
    }

    fn hex_elements(&mut self, tensor: &Tensor) {
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        let bits = tensor.elem().bits();
        let mask = if bits < 8 { (1u8 << bits) - 1 } else { 0xFF };
        self.text("\"0x");
        let bytes = tensor.dense_bytes().unwrap_or_default();
        self.out.reserve(bytes.len() * 2 + 1);
        for b in bytes {
            let b = b & mask;
            self.out.push(char::from(DIGITS[usize::from(b >> 4)]));
            self.out.push(char::from(DIGITS[usize::from(b & 15)]));
        }
        self.text("\"");
    }

    fn element_list(&mut self, tensor: &Tensor, dim: usize, position: &mut usize) {
        let shape = tensor.shape();
        let Some(&size) = shape.get(dim) else {
            self.element(tensor, *position);
            *position += 1;
            return;
        };
        self.text("[");
        self.commas(0..size, |p, _| p.element_list(tensor, dim + 1, position));
        self.text("]");
    }

    fn element(&mut self, tensor: &Tensor, index: usize) {
        let elem = tensor.elem();
        match tensor.get(index) {
            Scalar::Bool(b) => write!(self.out, "{b}").unwrap_or_default(),
            Scalar::Int(v) => write!(self.out, "{v}").unwrap_or_default(),
            Scalar::Uint(v) => write!(self.out, "{v}").unwrap_or_default(),
            Scalar::Float(v) => float(elem, v, tensor.element_bytes(index), &mut self.out),
            Scalar::Field(v) => write!(self.out, "{}", v.signed()).unwrap_or_default(),
            Scalar::Complex(v) => {
                let bytes = tensor.element_bytes(index);
                let (re, im) = bytes.split_at(bytes.len() / 2);
                self.text("(");
                float(elem.real(), v.re, re, &mut self.out);
                self.text(",");
                float(elem.real(), v.im, im, &mut self.out);
                self.text(")");
            }
        }
    }

    // --- Shardy ---

    fn sdy_attr(&mut self, attr: &SdyAttr) {
        match attr {
            SdyAttr::Mesh(mesh) => {
                self.text("#sdy.mesh");
                self.sdy_mesh(mesh);
            }
            SdyAttr::Sharding(sharding) => {
                self.text("#sdy.sharding");
                self.sdy_sharding(sharding);
            }
            SdyAttr::PerValue(list) => {
                self.text("#sdy.sharding_per_value<");
                self.sdy_sharding_list(list);
                self.text(">");
            }
            SdyAttr::ManualAxes(_) => self.sdy_wrapped("manual_axes", attr),
            SdyAttr::Axes(_) => self.sdy_wrapped("axis_ref_list", attr),
            SdyAttr::AxesPerDim(_) => self.sdy_wrapped("list_of_axis_ref_lists", attr),
            SdyAttr::Moves(_) => self.sdy_wrapped("all_to_all_param_list", attr),
            SdyAttr::Rule(text) => {
                self.text("#sdy.op_sharding_rule<");
                self.text(text);
                self.text(">");
            }
        }
    }

    /// `#sdy<name…>`.
    fn sdy_wrapped(&mut self, name: &str, attr: &SdyAttr) {
        self.text("#sdy<");
        self.text(name);
        self.sdy_bare(attr);
        self.text(">");
    }

    /// An attribute of Shardy without its name, as the pretty forms of its ops write it.
    pub(super) fn sdy_bare(&mut self, attr: &SdyAttr) {
        match attr {
            SdyAttr::Mesh(mesh) => self.sdy_mesh(mesh),
            SdyAttr::Sharding(sharding) => self.sdy_sharding(sharding),
            SdyAttr::PerValue(list) => self.sdy_sharding_list(list),
            SdyAttr::ManualAxes(axes) => {
                self.text("{");
                self.commas(axes, |p, axis| p.string(*axis));
                self.text("}");
            }
            SdyAttr::Axes(axes) => self.sdy_axes(axes),
            SdyAttr::AxesPerDim(dims) => {
                self.text("[");
                self.commas(dims, |p, axes| p.sdy_axes(axes));
                self.text("]");
            }
            SdyAttr::Moves(moves) => {
                self.text("[");
                self.commas(moves, |p, m| {
                    p.sdy_axes(&m.axes);
                    write!(p.out, ": {}->{}", m.from, m.to).unwrap_or_default();
                });
                self.text("]");
            }
            SdyAttr::Rule(_) => self.sdy_attr(attr),
        }
    }

    /// `<["x"=2, "y"=4], device_ids=[…]>`.
    pub(super) fn sdy_mesh(&mut self, mesh: &MeshAttr) {
        self.text("<[");
        self.commas(&mesh.axes, |p, (name, size)| {
            p.string(*name);
            write!(p.out, "={size}").unwrap_or_default();
        });
        self.text("]");
        if let Some(ids) = &mesh.device_ids {
            self.text(", device_ids=");
            self.integers(ids);
        }
        self.text(">");
    }

    /// `<@mesh, [{"x"}, {?}]>`.
    fn sdy_sharding(&mut self, sharding: &TensorSharding) {
        self.text("<");
        match &sharding.mesh {
            MeshRef::Symbol(name) => self.symbol(*name),
            MeshRef::Inline(mesh) => {
                self.text("mesh");
                self.sdy_mesh(mesh);
            }
        }
        self.text(", [");
        self.commas(&sharding.dims, |p, dim| p.sdy_dim(dim));
        self.text("]");
        for (name, axes) in [("replicated", &sharding.replicated), ("unreduced", &sharding.unreduced)] {
            if !axes.is_empty() {
                write!(self.out, ", {name}=").unwrap_or_default();
                self.sdy_axes(axes);
            }
        }
        self.text(">");
    }

    /// An attribute in a list, where numbers of 64 bits need no type; but bits in hex do.
    fn list_item(&mut self, attr: &Attr) {
        match attr {
            Attr::Int(value, IntType::I64) => write!(self.out, "{value}").unwrap_or_default(),
            Attr::Float(bits, Elem::F64) if f64::from_bits(*bits).is_finite() => {
                self.float_attr(*bits, Elem::F64);
            }
            other => self.attr(other),
        }
    }

    /// A float attribute without its type.
    pub(super) fn float_attr(&mut self, bits: u64, elem: Elem) {
        let tensor = Tensor::from_bytes(TensorType::scalar(elem), &bits.to_le_bytes()[..elem.bytes()]);
        if let Some(tensor) = tensor {
            self.element(&tensor, 0);
        }
    }

    /// `[<@mesh, …>, <@mesh, …>]`.
    fn sdy_sharding_list(&mut self, list: &[TensorSharding]) {
        self.text("[");
        self.commas(list, |p, sharding| p.sdy_sharding(sharding));
        self.text("]");
    }

    fn sdy_dim(&mut self, dim: &DimSharding) {
        self.text("{");
        self.commas(&dim.axes, |p, axis| p.sdy_axis(axis));
        if dim.open {
            self.text(if dim.axes.is_empty() { "?" } else { ", ?" });
        }
        self.text("}");
        if let Some(priority) = dim.priority {
            write!(self.out, "p{priority}").unwrap_or_default();
        }
    }

    fn sdy_axis(&mut self, axis: &AxisRef) {
        self.string(axis.name);
        if let Some((pre, size)) = axis.part {
            write!(self.out, ":({pre}){size}").unwrap_or_default();
        }
    }

    /// `{"x", "y":(1)2}`.
    fn sdy_axes(&mut self, axes: &[AxisRef]) {
        self.text("{");
        self.commas(axes, |p, axis| p.sdy_axis(axis));
        self.text("}");
    }
}

/// A float as MLIR prints it: six digits where they are enough, more where they are not, and the bits in hex
/// where it is not a number or not finite.
fn float(elem: Elem, value: f64, bytes: &[u8], out: &mut String) {
    if !value.is_finite() {
        out.push_str("0x");
        bytes.iter().rev().for_each(|b| write!(out, "{b:02X}").unwrap_or_default());
        return;
    }
    let start = out.len();
    write_scientific(value, 6, out);
    let reads_back = |text: &str| {
        let parsed = match elem {
            Elem::F32 => text.parse::<f32>().map(f64::from),
            _ => text.parse::<f64>().map(|v| crate::value::scalar::round(elem, v)),
        };
        parsed.is_ok_and(|v| v.to_bits() == value.to_bits())
    };
    if !reads_back(&out[start..]) {
        out.truncate(start);
        let digits = if elem == Elem::F64 { 16 } else { 8 };
        write_scientific(value, digits, out);
    }
}

/// `1.500000e+00`.
fn write_scientific(value: f64, digits: usize, out: &mut String) {
    let text = format!("{value:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    write!(out, "{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
        .unwrap_or_default();
}
