//! Shared libraries that are no plug-ins, or plug-ins of another kind: each is refused in words, and nothing of it is called.

use partita_pjrt::{Error, Plugin};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The head of a table of functions, as a plug-in in C has it.
const HEAD: &str = "
    #include <stddef.h>
    struct { size_t size; void *extensions; struct { size_t size; void *extensions; int major, minor; } version; void *functions[8]; } table";

/// Builds a shared library from C, by the compiler that Rust links with too.
fn library(name: &str, source: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (code, library) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.so")));
    std::fs::write(&code, source).expect("a file");
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&code).status();
    assert!(built.is_ok_and(|status| status.success()), "the C compiler builds {name}");
    library
}

fn refused(name: &str, source: &str) -> Error {
    match Plugin::load(&library(name, source)) {
        Ok(_) => panic!("{name} was taken for a plug-in"),
        Err(error) => error,
    }
}

#[test]
fn a_library_without_the_entry() {
    let error = refused("other", "int answer(void) { return 42; }");
    assert_eq!(error.code(), "plugin");
    assert!(error.message.ends_with("is no PJRT plug-in: it does not export `GetPjrtApi`"), "{error}");
}

#[test]
fn an_entry_without_a_table() {
    let error = refused("empty", "void *GetPjrtApi(void) { return 0; }");
    assert_eq!(error.code(), "plugin");
    assert!(error.message.ends_with("gave no table of functions"), "{error}");
}

#[test]
fn another_major_version() {
    let error = refused(
        "newer",
        &format!(
            "{HEAD} = {{ sizeof(table), 0, {{ 24, 0, 7, 3 }} }}; void *GetPjrtApi(void) {{ return &table; }}"
        ),
    );
    assert_eq!(error.code(), "plugin-version");
    assert!(error.message.contains("speaks version 7.3 of the PJRT API"), "{error}");
    assert!(error.message.ends_with("version 0.x is needed"), "{error}");
}

#[test]
fn a_table_that_ends_before_a_function() {
    let error = refused(
        "older",
        &format!(
            "{HEAD} = {{ 40 + 3 * sizeof(void *), 0, {{ 24, 0, 0, 1 }} }}; void *GetPjrtApi(void) {{ return &table; }}"
        ),
    );
    assert_eq!(error.code(), "plugin-version");
    assert!(
        error
            .message
            .contains("has no `PJRT_Plugin_Initialize`: its version of the PJRT API, 0.1, is too old"),
        "{error}"
    );
}

#[test]
fn a_table_smaller_than_its_head() {
    let error = refused(
        "short",
        &format!("{HEAD} = {{ 8, 0, {{ 24, 0, 0, 81 }} }}; void *GetPjrtApi(void) {{ return &table; }}"),
    );
    assert_eq!(error.code(), "plugin-version");
    assert!(error.message.contains("a table of 8 bytes"), "{error}");
}
