//! Pretty forms that many ops share.

use crate::text::form::Piece::{AttrDict, Lit, Operand, Operands};
use crate::text::form::{Form, Piece, Types};

/// `%x : t`.
pub(crate) const UNARY: Form = Form::Pieces(&[Operand, AttrDict, Lit(" : "), Piece::Types(Types::Same)]);

/// `%x, %y : t`.
pub(crate) const BINARY: Form =
    Form::Pieces(&[Operand, Lit(", "), Operand, AttrDict, Lit(" : "), Piece::Types(Types::Same)]);

/// `%x, %y, … : (t, t, …) -> t`.
pub(crate) const FUNCTION: Form =
    Form::Pieces(&[Operands, AttrDict, Lit(" : "), Piece::Types(Types::Function)]);
