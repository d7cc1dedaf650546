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

/// `%x, word = attr : (t) -> t`: operands, then one attribute by a word.
macro_rules! with_attr {
    ($($operand:ident),+; $word:literal = $attr:expr) => {
        $crate::text::form::Form::Pieces(&[
            $($crate::text::form::Piece::$operand, $crate::text::form::Piece::Lit(", "),)+
            $crate::text::form::Piece::Lit(concat!($word, " = ")),
            $crate::text::form::Piece::Attr($attr),
            $crate::text::form::Piece::AttrDict,
            $crate::text::form::Piece::Lit(" : "),
            $crate::text::form::Piece::Types($crate::text::form::Types::Function),
        ])
    };
}
pub(crate) use with_attr;

/// `{…} %x, %y : t, t`, or nothing at all: the returns of functions and of Shardy's regions.
pub(crate) const RETURN_ATTRS_FIRST: Form = Form::Custom(
    |op| {
        op.attr_dict()?;
        parse_returned(op)?;
        parse_returned_types(op)
    },
    |p| {
        p.attr_dict_except(&[]);
        if !p.op.operands().is_empty() {
            p.text(" ");
        }
        p.operands();
        print_returned_types(p);
    },
);

/// `%x, %y {…} : t, t`, or nothing at all: the return of StableHLO's regions.
pub(crate) const RETURN: Form = Form::Custom(
    |op| {
        parse_returned(op)?;
        op.attr_dict()?;
        parse_returned_types(op)
    },
    |p| {
        p.text(" ");
        p.operands();
        p.attr_dict_except(&[]);
        print_returned_types(p);
    },
);

fn parse_returned(op: &mut OpParser<'_, '_>) -> Result<(), Box<Diagnostic>> {
    if op.at_value() {
        op.operand()?;
        while op.eat(b',') {
            op.operand()?;
        }
    }
    Ok(())
}

fn parse_returned_types(op: &mut OpParser<'_, '_>) -> Result<(), Box<Diagnostic>> {
    if op.operand_count() > 0 {
        op.lit(":")?;
        let types = op.type_list()?;
        op.set_operand_types(types);
    }
    Ok(())
}

fn print_returned_types(p: &mut OpPrinter<'_, '_>) {
    let operands = p.op.operands();
    if !operands.is_empty() {
        p.text(" : ");
        p.commas(operands, |p, value| p.type_of(*value));
    }
}

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
