//! StableHLO text in and out.

pub mod form;
mod lexer;
pub mod parse;
pub mod print;

pub use parse::parse;
pub use print::{PrintOptions, print, print_with};
