//! Operations: the generic form, and pretty forms from their description in the op table.

use super::Printer;
use crate::ir::*;
use crate::text::form::{Form, Piece, Types};
use smallvec::SmallVec;
use std::fmt::Write;

impl<'m> Printer<'m> {
    pub(super) fn operation(&mut self, id: OpId) {
        let op = self.module.op(id);
        self.result_names(op);
        let mut printer = OpPrinter { printer: self, op, next_operand: 0, shown: SmallVec::new() };
        match op.def().form {
            _ if printer.printer.options.generic => printer.generic(),
            Form::Generic => printer.generic(),
            Form::Pieces(pieces) => {
                printer.name();
                // A parenthesis follows the name at once.
                if !matches!(pieces.first(), Some(Piece::Lit(text)) if text.starts_with('(')) {
                    printer.printer.text(" ");
                }
                printer.note_shown(pieces);
                printer.pieces(pieces);
            }
            Form::Custom(_, print) => {
                printer.name();
                print(&mut printer);
            }
        }
        self.loc(op.op().loc);
    }

    fn result_names(&mut self, op: OpRef<'m>) {
        let results: SmallVec<[ValueId; 4]> = op.results().collect();
        let mut i = 0;
        while i < results.len() {
            if i > 0 {
                self.text(", ");
            }
            let name = self.module.values[results[i]].name;
            let count =
                results[i..].iter().take_while(|v| self.module.values[**v].name == name).count().max(1);
            self.names.write_definition(results[i], &mut self.out);
            if count > 1 {
                write!(self.out, ":{count}").unwrap_or_default();
            }
            i += count;
        }
        if !results.is_empty() {
            self.text(" = ");
        }
    }
}

/// The indentation of operations directly in a function: inside the module, and inside the function.
const FUNCTION_BODY: usize = 2;

/// One operation while it is printed: what custom forms are made of.
pub struct OpPrinter<'p, 'm> {
    pub(crate) printer: &'p mut Printer<'m>,
    /// The operation.
    pub op: OpRef<'m>,
    next_operand: usize,
    /// Attributes that the form shows outside the dictionary.
    shown: SmallVec<[Sym; 4]>,
}

impl<'m> OpPrinter<'_, 'm> {
    /// The name of the op. Directly in a function, and only there, the dialect of functions goes without saying.
    fn name(&mut self) {
        let name = self.op.def().name;
        let short = name.strip_prefix("func.").filter(|_| self.printer.indent == FUNCTION_BODY);
        self.printer.text(short.unwrap_or(name));
    }

    /// Text as it is.
    pub fn text(&mut self, text: &str) {
        self.printer.text(text);
    }

    /// A new line with the indentation of the operation.
    pub fn line(&mut self) {
        self.printer.line();
    }

    /// A number.
    pub fn integer(&mut self, value: i64) {
        self.printer.integer(value);
    }

    /// `[1, 2]`.
    pub fn integers(&mut self, list: &[i64]) {
        self.printer.integers(list);
    }

    /// `@name`.
    pub fn symbol(&mut self, sym: Sym) {
        self.printer.symbol(sym);
    }

    /// A value by name.
    pub fn value(&mut self, value: ValueId) {
        self.printer.value(value);
    }

    /// An attribute in full.
    pub fn attr(&mut self, attr: &Attr) {
        self.printer.attr(attr);
    }

    /// The type of a value.
    pub fn type_of(&mut self, value: ValueId) {
        self.printer.type_id(self.op.module.values[value].ty);
    }

    /// The items with commas between them.
    pub fn commas<T>(&mut self, items: impl IntoIterator<Item = T>, mut print: impl FnMut(&mut Self, T)) {
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            print(self, item);
        }
    }

    /// All operands with commas between them.
    pub fn operands(&mut self) {
        let operands = self.op.operands();
        self.commas(operands, |p, v| p.value(*v));
    }

    /// ` {…}` with all attributes but those named; nothing where there are none.
    pub fn attr_dict_except(&mut self, shown: &[Sym]) {
        let rest: Vec<_> = self.op.op().attrs.iter().filter(|(n, _)| !shown.contains(n)).collect();
        if !rest.is_empty() {
            self.text(" ");
            self.printer.attr_dict(rest);
        }
    }

    /// As [`OpPrinter::attr_dict_except`] with the word `attributes` before it.
    pub fn attributes_except(&mut self, shown: &[Sym]) {
        if self.op.op().attrs.iter().any(|(n, _)| !shown.contains(n)) {
            self.text(" attributes");
            self.attr_dict_except(shown);
        }
    }

    /// `(t, t) -> t`.
    pub fn function_type(&mut self) {
        self.text("(");
        let (op, module) = (self.op, self.op.module);
        self.commas(op.operands(), |p, v| p.printer.type_id(module.values[*v].ty));
        self.text(") -> ");
        let results = op.op().results;
        let parenthesise = results.len() != 1;
        if parenthesise {
            self.text("(");
        }
        self.commas(results.iter(), |p, v| p.printer.type_id(module.values[v].ty));
        if parenthesise {
            self.text(")");
        }
    }

    /// `{ … }`, the arguments of the block left out.
    pub fn region_without_args(&mut self, region: RegionId) {
        self.text("{");
        self.printer.region_ops(region);
        self.text("}");
    }

    /// `%x: tensor<f32> loc(…)`.
    pub fn region_arg(&mut self, value: ValueId) {
        self.value(value);
        self.text(": ");
        self.type_of(value);
        self.printer.loc(self.op.module.values[value].loc);
    }

    /// `{ ^bb0(%x: t): … }`.
    pub fn region(&mut self, region: RegionId) {
        self.text("{");
        let args = self.op.module.regions[region].args;
        if !args.is_empty() {
            self.printer.line();
            self.text("^bb0(");
            self.commas(args.iter(), |p, arg| p.region_arg(arg));
            self.text("):");
        }
        self.printer.region_ops(region);
        self.text("}");
    }

    pub(crate) fn dot_algorithm(&mut self, algorithm: &attr::DotAlgorithm) {
        self.printer.dot_algorithm(algorithm);
    }

    pub(crate) fn conv_dims(&mut self, dims: &attr::ConvDims) {
        self.printer.conv_dims(dims);
    }

    // --- the generic form ---

    fn generic(&mut self) {
        let op = self.op;
        write!(self.printer.out, "\"{}\"(", op.def().name).unwrap_or_default();
        self.operands();
        self.text(")");
        let own = |name: Sym| op.def().attr(name).is_some();
        let (inherent, other): (Vec<_>, Vec<_>) = op.op().attrs.iter().partition(|(n, _)| own(*n));
        if !inherent.is_empty() {
            self.text(" <");
            self.printer.attr_dict(inherent);
            self.text(">");
        }
        if !op.regions().is_empty() {
            self.text(" (");
            self.commas(op.regions(), |p, r| p.region(*r));
            self.text(")");
        }
        if !other.is_empty() {
            self.text(" ");
            self.printer.attr_dict(other);
        }
        self.text(" : ");
        self.function_type();
    }

    // --- forms made of pieces ---

    fn note_shown(&mut self, pieces: &'static [Piece]) {
        for piece in pieces {
            match piece {
                Piece::Attr(name) => self.shown.push(*name),
                Piece::Optional(_, group) => self.note_shown(group),
                _ => {}
            }
        }
    }

    fn pieces(&mut self, pieces: &'static [Piece]) {
        let operands = self.op.operands();
        for piece in pieces {
            match piece {
                Piece::Lit(text) => self.text(text),
                Piece::Operand => {
                    self.value(operands[self.next_operand]);
                    self.next_operand += 1;
                }
                Piece::Operands => {
                    self.commas(&operands[self.next_operand..], |p, v| p.value(*v));
                    self.next_operand = operands.len();
                }
                Piece::OperandsComma => {
                    for v in &operands[self.next_operand..] {
                        self.value(*v);
                        self.text(", ");
                    }
                    self.next_operand = operands.len();
                }
                Piece::Attr(name) => self.bare_attr(*name),
                Piece::Optional(name, group) => {
                    if self.op.attr(*name).is_some() {
                        self.pieces(group);
                    }
                }
                Piece::AttrDict => {
                    let shown = std::mem::take(&mut self.shown);
                    self.attr_dict_except(&shown);
                }
                Piece::Types(types) => self.types(*types),
            }
        }
    }

    /// An attribute as its kind is written in pretty forms.
    pub fn bare_attr(&mut self, name: Sym) {
        match self.op.attr(name) {
            Some(Attr::Int(v, _)) => self.integer(*v),
            Some(Attr::I64s(list)) => self.integers(list),
            Some(Attr::Enum(e)) => self.text(e.value()),
            Some(Attr::Sdy(attr)) => self.printer.sdy_bare(attr),
            Some(attr) => self.attr(attr),
            None => {}
        }
    }

    /// A number whose type the form implies.
    pub fn untyped_number(&mut self, name: Sym) {
        match self.op.attr(name) {
            Some(Attr::Int(v, attr::IntType::Elem(Elem::Uint(_)))) => {
                write!(self.printer.out, "{}", *v as u64).unwrap_or_default();
            }
            Some(Attr::Float(bits, elem)) => self.printer.float_attr(*bits, *elem),
            _ => self.bare_attr(name),
        }
    }

    /// The types of operands and results.
    pub fn types(&mut self, types: Types) {
        let (op, module) = (self.op, self.op.module);
        let type_of = |v: ValueId| module.values[v].ty;
        let operands: SmallVec<[TypeId; 4]> = op.operands().iter().map(|v| type_of(*v)).collect();
        let results: SmallVec<[TypeId; 4]> = op.results().map(type_of).collect();
        match (types, &results[..]) {
            (Types::Same | Types::Results, [result]) if operands.iter().all(|t| t == result) => {
                self.printer.type_id(*result);
            }
            (Types::Select, [result]) if operands[1..].iter().all(|t| t == result) => {
                self.printer.type_id(operands[0]);
                self.text(", ");
                self.printer.type_id(*result);
            }
            (Types::Complex, [result]) if is_real_part(module, &operands, *result) => {
                self.printer.type_id(*result);
            }
            (Types::Tuple, [result]) => self.printer.type_id(*result),
            (Types::Pairwise, _) if operands == results => {
                self.commas(operands, |p, t| p.printer.type_id(t));
            }
            (Types::Operands, _) => self.commas(operands, |p, t| p.printer.type_id(t)),
            (Types::Arrow, _) => {
                self.commas(operands, |p, t| p.printer.type_id(t));
                self.text(" -> ");
                let parenthesise = results.len() != 1;
                self.text(if parenthesise { "(" } else { "" });
                self.commas(results, |p, t| p.printer.type_id(t));
                self.text(if parenthesise { ")" } else { "" });
            }
            _ => self.function_type(),
        }
    }
}

fn is_real_part(module: &Module, operands: &[TypeId], result: TypeId) -> bool {
    let Some(result) = module.types[result].as_tensor() else { return false };
    let part = Type::Tensor(result.with_elem(result.elem.real()));
    operands.iter().all(|t| module.types[*t] == part)
}
