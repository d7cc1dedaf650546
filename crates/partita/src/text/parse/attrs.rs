//! Attributes.

use super::{PResult, Parser};
use crate::diagnostic::Diagnostic;
use crate::ir::attr::{
    ChannelHandle, ConvDims, DotAlgorithm, DotDims, GatherDims, IntType, PrecisionType, RaggedDotDims,
    ScatterDims,
};
use crate::ir::*;
use crate::text::lexer::Tok;
use crate::value::Scalar;

impl<'t> Parser<'t> {
    /// `{a = 1, b}`, where it follows.
    pub(super) fn optional_attr_dict(&mut self) -> PResult<Attrs> {
        if self.at(b'{') { self.attr_dict() } else { Ok(Attrs::default()) }
    }

    pub(super) fn attr_dict(&mut self) -> PResult<Attrs> {
        let mut list = Vec::new();
        self.attr_dict_into(&mut list)?;
        Ok(list.into())
    }

    pub(super) fn attr_dict_into(&mut self, list: &mut Vec<(Sym, Attr)>) -> PResult<()> {
        self.expect(b'{')?;
        self.list_until(b'}', |p| {
            let span = p.tok.span();
            let name = match p.tok.kind {
                Tok::Str => p.string()?,
                _ => {
                    let word = p.word("the name of an attribute")?;
                    p.module.strings.intern(word)
                }
            };
            if list.iter().any(|(n, _)| *n == name) {
                let message = format!("the attribute `{}` is given twice", &p.module.strings[name]);
                return Err(p.error_at(span, message));
            }
            let attr = if p.eat(b'=') { p.attribute()? } else { Attr::Unit };
            list.push((name, attr));
            Ok(())
        })
    }

    /// Any attribute.
    pub(super) fn attribute(&mut self) -> PResult<Attr> {
        self.nested(|p| p.attribute_body())
    }

    fn attribute_body(&mut self) -> PResult<Attr> {
        match self.tok.kind {
            Tok::Int | Tok::Float | Tok::Punct(b'-') => self.number_attr(),
            Tok::Str => {
                let bytes = self.string_bytes()?;
                if self.at(b':') {
                    // A typed string: only other dialects have them.
                    return Err(self.error("typed strings are not supported").into());
                }
                Ok(match std::str::from_utf8(&bytes) {
                    Ok(text) => Attr::Str(self.module.strings.intern(text)),
                    Err(_) => Attr::Bytes(bytes.into()),
                })
            }
            Tok::Symbol => {
                let mut path = vec![self.symbol()?];
                while self.tok.kind == Tok::ColonColon {
                    self.next();
                    path.push(self.symbol()?);
                }
                Ok(Attr::Symbol(path.into()))
            }
            Tok::Punct(b'[') => {
                self.next();
                let mut list = Vec::new();
                self.list_until(b']', |p| {
                    list.push(p.attribute()?);
                    Ok(())
                })?;
                Ok(Attr::Array(list.into()))
            }
            Tok::Punct(b'{') => Ok(Attr::Dict(Box::new(self.attr_dict()?))),
            Tok::Hash => self.hash_attr(),
            Tok::Ident => match self.text_of(self.tok) {
                "unit" => {
                    self.next();
                    Ok(Attr::Unit)
                }
                "true" | "false" => Ok(Attr::Bool(self.boolean()?)),
                "dense" => self.dense(),
                "array" => self.dense_array(),
                "loc" => Ok(Attr::Loc(self.loc()?)),
                "dense_resource" => Err(Box::new(
                    Diagnostic::new("resource", self.tok.span(), "constants in resources are not read")
                        .fix("print the constants in the text: JAX does unless asked otherwise"),
                )),
                "affine_map" | "affine_set" | "sparse" | "strided" | "distinct" => {
                    let start = self.tok.start;
                    self.next();
                    self.skip_angles()?;
                    Ok(Attr::Opaque(self.text[start as usize..self.last_end as usize].into()))
                }
                _ => Ok(Attr::Type(Box::new(self.ty()?))),
            },
            Tok::Punct(b'(') | Tok::Bang => Ok(Attr::Type(Box::new(self.ty()?))),
            _ => Err(self.expected("an attribute")),
        }
    }

    pub(super) fn boolean(&mut self) -> PResult<bool> {
        if self.eat_word("true") {
            Ok(true)
        } else if self.eat_word("false") {
            Ok(false)
        } else {
            Err(self.expected("`true` or `false`"))
        }
    }

    /// `1`, `-1 : i32`, `1.5 : f32`, `0x7FC00000 : f32`.
    fn number_attr(&mut self) -> PResult<Attr> {
        let start = self.tok.start;
        let negative = self.eat(b'-');
        let token = match self.tok.kind {
            Tok::Int | Tok::Float => self.next(),
            _ => return Err(self.expected("a number")),
        };
        let text = self.text_of(token);
        let ty = if self.eat(b':') { Some(self.ty()?) } else { None };
        let span = self.span_from(start);
        let elem = match ty {
            None if token.kind == Tok::Int => Elem::Int(64),
            None => Elem::F64,
            Some(Type::Index) => {
                let value = self.parse_element(Elem::Int(64), negative, text, span)?;
                return Ok(Attr::Int(value.as_i64(), IntType::Index));
            }
            Some(Type::Scalar(elem)) => elem,
            Some(other) => {
                return Err(self.error_at(span, format!("a number cannot have the type `{other}`")));
            }
        };
        if elem == Elem::Bool {
            let value = self.parse_element(Elem::Int(64), negative, text, span)?;
            return Ok(Attr::Bool(value.as_i64() != 0));
        }
        let value = self.parse_element(elem, negative, text, span)?;
        match value {
            Scalar::Int(v) => Ok(Attr::Int(v, IntType::Elem(elem))),
            Scalar::Uint(v) => Ok(Attr::Int(v as i64, IntType::Elem(elem))),
            _ => {
                let tensor = crate::value::Tensor::scalar(elem, value);
                // A NaN keeps its bits where it was written in hex.
                let bits = match text.strip_prefix("0x") {
                    Some(hex) if !negative => u64::from_str_radix(hex, 16).unwrap_or(0),
                    _ => {
                        let mut bytes = [0; 8];
                        let source = tensor.element_bytes(0);
                        bytes[..source.len()].copy_from_slice(source);
                        u64::from_le_bytes(bytes)
                    }
                };
                Ok(Attr::Float(bits, elem))
            }
        }
    }

    /// `array<i64: 1, 2>`.
    fn dense_array(&mut self) -> PResult<Attr> {
        self.next();
        self.expect(b'<')?;
        let start = self.tok.start;
        let Type::Scalar(elem) = self.ty()? else {
            return Err(self.error_at(self.span_from(start), "expected an element type such as `i64`"));
        };
        let mut values = Vec::new();
        if self.eat(b':') {
            self.list_until(b'>', |p| {
                values.push(p.element_value(elem)?);
                Ok(())
            })?;
        } else {
            self.expect(b'>')?;
        }
        Ok(match elem {
            Elem::Int(64) => Attr::I64s(values.iter().map(|v| v.as_i64()).collect()),
            Elem::Bool => Attr::Bools(values.iter().map(|v| v.is_true()).collect()),
            _ => {
                let ty = TensorType::new(elem, [values.len() as i64]);
                Attr::DenseArray(Box::new(crate::value::Tensor::from_fn(ty, |i| values[i])))
            }
        })
    }

    /// `#alias`, `#stablehlo<kind VALUE>`, `#stablehlo.dot<…>`, `#sdy.sharding<…>`, or anything else.
    fn hash_attr(&mut self) -> PResult<Attr> {
        let token = self.tok;
        let name = &self.text_of(token)[1..];
        match name {
            "stablehlo" | "chlo" => return self.enum_attr(name),
            "stablehlo.dot" => {
                self.next();
                return Ok(Attr::Dot(Box::new(self.dot_dims()?)));
            }
            "stablehlo.dot_algorithm" => {
                self.next();
                return Ok(Attr::DotAlgorithm(Box::new(self.dot_algorithm()?)));
            }
            "stablehlo.conv" => {
                self.next();
                self.expect(b'<')?;
                let dims = self.conv_dims()?;
                self.expect(b'>')?;
                return Ok(Attr::Conv(Box::new(dims)));
            }
            "stablehlo.gather" => {
                self.next();
                return Ok(Attr::Gather(Box::new(self.gather_dims()?)));
            }
            "stablehlo.scatter" => {
                self.next();
                return Ok(Attr::Scatter(Box::new(self.scatter_dims()?)));
            }
            "stablehlo.channel_handle" => {
                self.next();
                let mut channel = ChannelHandle { handle: 0, kind: 0 };
                self.fields(|p, field| {
                    let slot = match field {
                        "handle" => &mut channel.handle,
                        "type" => &mut channel.kind,
                        _ => return Ok(false),
                    };
                    *slot = p.integer()?;
                    Ok(true)
                })?;
                return Ok(Attr::Channel(Box::new(channel)));
            }
            "stablehlo.replica_group_mesh_axes" => {
                self.next();
                return Ok(Attr::MeshAxes(Box::new(self.mesh_axes()?)));
            }
            "chlo.ragged_dot" => {
                self.next();
                return Ok(Attr::RaggedDot(Box::new(self.ragged_dot_dims()?)));
            }
            "sdy" => return self.sdy_attr(""),
            _ => {}
        }
        if let Some(mnemonic) = name.strip_prefix("sdy.") {
            return self.sdy_attr(mnemonic);
        }
        if let Some((attr, size)) = self.attr_aliases.get(self.text_of(token)) {
            let (attr, size) = (attr.clone(), *size);
            self.expand(size, token.span())?;
            self.next();
            return Ok(attr);
        }
        if !name.contains('.') && !self.text[token.end as usize..].starts_with('<') {
            return Err(self.error_at(token.span(), format!("the alias `#{name}` is not defined")));
        }
        // An attribute of a dialect we know nothing of is kept as it is.
        self.next();
        self.skip_angles()?;
        Ok(Attr::Opaque(self.text[token.start as usize..self.last_end as usize].into()))
    }

    /// `#stablehlo<comparison_direction LT>`.
    fn enum_attr(&mut self, dialect: &str) -> PResult<Attr> {
        let start = self.next().start;
        self.expect(b'<')?;
        let kind = self.word("the name of an enumeration")?;
        let value = self.word("a value of the enumeration")?;
        self.expect(b'>')?;
        if let Some(attr) = EnumAttr::from_names(dialect, kind, value) {
            return Ok(Attr::Enum(attr));
        }
        let span = self.span_from(start);
        // Enumerations that no op needs are kept as they are.
        if matches!(kind, "result_accuracy_mode" | "custom_call_api_version") {
            return Ok(Attr::Opaque(self.text[start as usize..self.last_end as usize].into()));
        }
        Err(self.error_at(span, format!("`{value}` is not a value of `{dialect}.{kind}`")))
    }

    /// `<name = …, name = …>`; the callback reads the value of each field, or says that it knows no such.
    pub(super) fn fields(
        &mut self,
        mut field: impl FnMut(&mut Self, &'t str) -> PResult<bool>,
    ) -> PResult<()> {
        self.expect(b'<')?;
        self.list_until(b'>', |p| {
            let span = p.tok.span();
            let name = p.word("the name of a field")?;
            p.expect(b'=')?;
            if field(p, name)? {
                return Ok(());
            }
            Err(p.error_at(span, format!("there is no field `{name}` here")))
        })
    }

    fn dot_dims(&mut self) -> PResult<DotDims> {
        let mut dims = DotDims::default();
        self.fields(|p, field| {
            let slot = match field {
                "lhs_batching_dimensions" => &mut dims.lhs_batch,
                "rhs_batching_dimensions" => &mut dims.rhs_batch,
                "lhs_contracting_dimensions" => &mut dims.lhs_contracting,
                "rhs_contracting_dimensions" => &mut dims.rhs_contracting,
                _ => return Ok(false),
            };
            *slot = p.integer_list()?;
            Ok(true)
        })?;
        Ok(dims)
    }

    /// `<lhs_precision_type = tf32, …>`: every field must be there.
    pub(super) fn dot_algorithm(&mut self) -> PResult<DotAlgorithm> {
        let start = self.tok.start;
        let mut types = [None; 3];
        let mut counts = [None; 3];
        let mut imprecise = None;
        self.fields(|p, field| {
            match field {
                "lhs_precision_type" => types[0] = Some(p.precision_type()?),
                "rhs_precision_type" => types[1] = Some(p.precision_type()?),
                "accumulation_type" => types[2] = Some(p.precision_type()?),
                "lhs_component_count" => counts[0] = Some(p.integer()?),
                "rhs_component_count" => counts[1] = Some(p.integer()?),
                "num_primitive_operations" => counts[2] = Some(p.integer()?),
                "allow_imprecise_accumulation" => imprecise = Some(p.boolean()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        match (types, counts, imprecise) {
            (
                [Some(lhs), Some(rhs), Some(sum)],
                [Some(lhs_parts), Some(rhs_parts), Some(steps)],
                Some(imprecise),
            ) => Ok(DotAlgorithm {
                lhs_precision_type: lhs,
                rhs_precision_type: rhs,
                accumulation_type: sum,
                lhs_component_count: lhs_parts,
                rhs_component_count: rhs_parts,
                num_primitive_operations: steps,
                allow_imprecise_accumulation: imprecise,
            }),
            _ => Err(self.error_at(self.span_from(start), "a dot algorithm needs all of its seven fields")),
        }
    }

    fn precision_type(&mut self) -> PResult<PrecisionType> {
        let span = self.tok.span();
        let word = self.word("a float type such as `tf32`")?;
        PrecisionType::from_name(word)
            .ok_or_else(|| self.error_at(span, format!("`{word}` is not a float type; `f32` and `tf32` are")))
    }

    fn ragged_dot_dims(&mut self) -> PResult<RaggedDotDims> {
        let mut dims = RaggedDotDims::default();
        self.fields(|p, field| {
            let slot = match field {
                "lhs_batching_dimensions" => &mut dims.dot.lhs_batch,
                "rhs_batching_dimensions" => &mut dims.dot.rhs_batch,
                "lhs_contracting_dimensions" => &mut dims.dot.lhs_contracting,
                "rhs_contracting_dimensions" => &mut dims.dot.rhs_contracting,
                "lhs_ragged_dimensions" => &mut dims.lhs_ragged,
                "rhs_group_dimensions" => &mut dims.rhs_group,
                _ => return Ok(false),
            };
            *slot = p.integer_list()?;
            Ok(true)
        })?;
        Ok(dims)
    }

    fn gather_dims(&mut self) -> PResult<GatherDims> {
        let mut dims = GatherDims::default();
        self.fields(|p, field| {
            let slot = match field {
                "offset_dims" => &mut dims.offset_dims,
                "collapsed_slice_dims" => &mut dims.collapsed_slice_dims,
                "operand_batching_dims" => &mut dims.operand_batching_dims,
                "start_indices_batching_dims" => &mut dims.start_indices_batching_dims,
                "start_index_map" => &mut dims.start_index_map,
                "index_vector_dim" => {
                    dims.index_vector_dim = p.integer()?;
                    return Ok(true);
                }
                _ => return Ok(false),
            };
            *slot = p.integer_list()?;
            Ok(true)
        })?;
        Ok(dims)
    }

    fn scatter_dims(&mut self) -> PResult<ScatterDims> {
        let mut dims = ScatterDims::default();
        self.fields(|p, field| {
            let slot = match field {
                "update_window_dims" => &mut dims.update_window_dims,
                "inserted_window_dims" => &mut dims.inserted_window_dims,
                "input_batching_dims" => &mut dims.input_batching_dims,
                "scatter_indices_batching_dims" => &mut dims.scatter_indices_batching_dims,
                "scatter_dims_to_operand_dims" => &mut dims.scatter_dims_to_operand_dims,
                "index_vector_dim" => {
                    dims.index_vector_dim = p.integer()?;
                    return Ok(true);
                }
                _ => return Ok(false),
            };
            *slot = p.integer_list()?;
            Ok(true)
        })?;
        Ok(dims)
    }

    /// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
    pub(super) fn conv_dims(&mut self) -> PResult<ConvDims> {
        let (input_batch, input_feature, input_spatial) = self.conv_list("b", "f")?;
        self.expect_word("x")?;
        let (kernel_input_feature, kernel_output_feature, kernel_spatial) = self.conv_list("i", "o")?;
        self.expect_arrow()?;
        let (output_batch, output_feature, output_spatial) = self.conv_list("b", "f")?;
        Ok(ConvDims {
            input_batch,
            input_feature,
            input_spatial,
            kernel_input_feature,
            kernel_output_feature,
            kernel_spatial,
            output_batch,
            output_feature,
            output_spatial,
        })
    }

    /// `[b, 0, 1, f]`: where `first` and `second` stand, and where each spatial dimension does.
    fn conv_list(&mut self, first: &str, second: &str) -> PResult<(i64, i64, Vec<i64>)> {
        let start = self.tok.start;
        self.expect(b'[')?;
        let mut places = [None; 2];
        let mut spatial: Vec<(i64, i64)> = Vec::new();
        let mut position = 0;
        self.list_until(b']', |p| {
            if p.eat_word(first) {
                places[0] = Some(position);
            } else if p.eat_word(second) {
                places[1] = Some(position);
            } else if !p.eat(b'?') {
                spatial.push((p.integer()?, position));
            }
            position += 1;
            Ok(())
        })?;
        spatial.sort_unstable();
        let span = self.span_from(start);
        let dense = spatial.iter().enumerate().all(|(i, (n, _))| *n == i as i64);
        match places {
            [Some(a), Some(b)] if dense => Ok((a, b, spatial.into_iter().map(|(_, p)| p).collect())),
            _ => {
                let message =
                    format!("expected `{first}`, `{second}` and the spatial dimensions 0, 1, … once each");
                Err(self.error_at(span, message))
            }
        }
    }
}
