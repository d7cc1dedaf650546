//! Element types as the API numbers them.

use partita::ir::{Elem, Mini};
use std::ffi::c_int;

/// The number of an element type; nothing where the API has none.
pub(crate) fn number(elem: Elem) -> Option<c_int> {
    Some(match elem {
        Elem::Bool => 1,
        Elem::Int(8) => 2,
        Elem::Int(16) => 3,
        Elem::Int(32) => 4,
        Elem::Int(64) => 5,
        Elem::Uint(8) => 6,
        Elem::Uint(16) => 7,
        Elem::Uint(32) => 8,
        Elem::Uint(64) => 9,
        Elem::F16 => 10,
        Elem::F32 => 11,
        Elem::F64 => 12,
        Elem::BF16 => 13,
        Elem::C64 => 14,
        Elem::C128 => 15,
        Elem::Mini(Mini::F8E5M2) => 16,
        Elem::Mini(Mini::F8E4M3FN) => 17,
        Elem::Mini(Mini::F8E4M3B11FNUZ) => 18,
        Elem::Mini(Mini::F8E5M2FNUZ) => 19,
        Elem::Mini(Mini::F8E4M3FNUZ) => 20,
        Elem::Int(4) => 21,
        Elem::Uint(4) => 22,
        Elem::Int(2) => 24,
        Elem::Uint(2) => 25,
        Elem::Mini(Mini::F8E4M3) => 26,
        Elem::Mini(Mini::F8E3M4) => 27,
        Elem::Mini(Mini::F8E8M0FNU) => 28,
        Elem::Mini(Mini::F4E2M1FN) => 29,
        _ => return None,
    })
}
