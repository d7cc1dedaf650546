//! The options of a call: entries of a dictionary, most of them characters as LAPACK has them.

use crate::ir::{Attr, OpRef, Sym, names};

/// An entry of the dictionary that XLA's typed calls carry.
fn entry<'m>(op: OpRef<'m>, name: &str) -> Option<&'m Attr> {
    let name: Sym = op.module.strings.find(name)?;
    [names::MHLO_BACKEND_CONFIG, names::BACKEND_CONFIG].into_iter().find_map(|config| {
        match op.attr(config)? {
            Attr::Dict(dict) => dict.get(name),
            _ => None,
        }
    })
}

/// A number.
pub(super) fn number(op: OpRef<'_>, name: &str) -> Option<i64> {
    entry(op, name)?.as_int()
}

/// A character, given as its code.
pub(super) fn character(op: OpRef<'_>, name: &str) -> Option<char> {
    number(op, name).and_then(|code| u8::try_from(code).ok()).map(char::from)
}

/// A flag.
pub(super) fn flag(op: OpRef<'_>, name: &str) -> Option<bool> {
    entry(op, name)?.as_bool()
}
