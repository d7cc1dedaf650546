//! The pretty forms of operations as data: one description serves the parser and the printer.

use super::parse::OpParser;
use super::print::OpPrinter;
use crate::diagnostic::Diagnostic;
use crate::ir::Sym;

/// How an operation is written.
#[derive(Clone, Copy)]
pub enum Form {
    /// Only as `"name"(…) <{…}> ({…}) : …`.
    Generic,
    /// A sequence of pieces.
    Pieces(&'static [Piece]),
    /// Code, for the few forms that pieces cannot say.
    Custom(fn(&mut OpParser<'_, '_>) -> Result<(), Box<Diagnostic>>, fn(&mut OpPrinter<'_, '_>)),
}

/// A part of a pretty form.
#[derive(Clone, Copy)]
pub enum Piece {
    /// Words and punctuation; spaces are printed and skipped when read.
    Lit(&'static str),
    /// The next operand.
    Operand,
    /// All operands that are left, with commas between them.
    Operands,
    /// All operands that are left, each with a comma behind it.
    OperandsComma,
    /// An attribute without its name, as its kind writes it: `0`, `[0, 1]`, `LT`.
    Attr(Sym),
    /// A group that stands only where the attribute is given; it starts with a literal.
    Optional(Sym, &'static [Piece]),
    /// `{…}` with all attributes that no other piece shows.
    AttrDict,
    /// Types of operands and results.
    Types(Types),
}

/// How the types of operands and results are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Types {
    /// `(t, t) -> t`.
    Function,
    /// One type where all are the same, else as a function.
    Same,
    /// The results only, there being no operands.
    Results,
    /// `t, t -> t`.
    Arrow,
    /// `tensor<i1>, tensor<f32>`: the predicate and the others; else as a function.
    Select,
    /// The complex result type, where the operands follow from it; else as a function.
    Complex,
    /// One tuple type: the operands are its parts.
    Tuple,
    /// One type per operand; the results have the same.
    Pairwise,
    /// Types of the operands only; there are no results.
    Operands,
}
