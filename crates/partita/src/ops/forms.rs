//! Pretty forms that many ops share.

use crate::diagnostic::Diagnostic;
use crate::ir::{Attr, Type, names};
use crate::text::form::Piece::{AttrDict, Lit, Operand, Operands};
use crate::text::form::{Form, Piece, Types};
use crate::text::parse::OpParser;
use crate::text::print::OpPrinter;

/// `%x : t`.
pub(crate) const UNARY: Form = Form::Pieces(&[Operand, AttrDict, Lit(" : "), Piece::Types(Types::Same)]);

/// `%x, %y : t`.
pub(crate) const BINARY: Form =
    Form::Pieces(&[Operand, Lit(", "), Operand, AttrDict, Lit(" : "), Piece::Types(Types::Same)]);

/// `%x, %y, … : (t, t, …) -> t`.
pub(crate) const FUNCTION: Form =
    Form::Pieces(&[Operands, AttrDict, Lit(" : "), Piece::Types(Types::Function)]);

/// `dense<…> : t`: the attribute `value`, whose type is the result's.
pub(crate) const CONSTANT: Form = Form::Custom(parse_constant, print_constant);

fn parse_constant(op: &mut OpParser<'_, '_>) -> Result<(), Box<Diagnostic>> {
    op.attr_dict()?;
    let expected = op.expected("a constant `dense<…>`");
    let value = op.attribute()?;
    let Attr::Elements(tensor) = &value else { return Err(expected) };
    let ty = Type::Tensor(tensor.ty().clone());
    let ty = op.module().types.intern(ty);
    op.set_results([ty]);
    op.set(names::VALUE, value);
    Ok(())
}

fn print_constant(p: &mut OpPrinter<'_, '_>) {
    p.attr_dict_except(&[names::VALUE]);
    p.text(" ");
    p.bare_attr(names::VALUE);
}
