//! An allocator that counts what each thread holds.

#![allow(unsafe_code, reason = "an allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// No program of a test needs so much: the process ends rather than taking the machine with it.
const HARD_LIMIT: isize = 2 << 30;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// Starts counting on this thread.
pub fn start() {
    LIVE.set(0);
    PEAK.set(0);
}

/// The most this thread has held at once since it started counting.
pub fn peak() -> usize {
    PEAK.get().max(0) as usize
}

/// Notes a change; false where the limit is passed.
fn note(change: isize) -> bool {
    // A thread that is ending has no counters left.
    let counted = LIVE.try_with(|live| {
        live.set(live.get() + change);
        live.get()
    });
    let Ok(live) = counted else { return true };
    let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live)));
    live <= HARD_LIMIT
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is passed on to the system's allocator as it came; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !note(layout.size() as isize) {
            return std::ptr::null_mut();
        }
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !note(layout.size() as isize) {
            return std::ptr::null_mut();
        }
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !note(size as isize - layout.size() as isize) {
            return std::ptr::null_mut();
        }
        unsafe { System.realloc(pointer, layout, size) }
    }
}
