//! Loading a plug-in, and calling its functions.

use crate::error::{Error, ErrorKind};
use crate::raw::{self, Function, Opaque, Table};
use libloading::Library;
use std::ffi::{c_char, c_void};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The function that a plug-in exports.
const ENTRY: &str = "GetPjrtApi";

/// A plug-in that is loaded. Plug-ins stay loaded until the process ends: they start threads that outlive their clients.
pub struct Plugin {
    table: *const Table,
    path: PathBuf,
}

// SAFETY: the table is constant, and the API's functions may be called from any thread.
unsafe impl Send for Plugin {}
// SAFETY: as above.
unsafe impl Sync for Plugin {}

impl Plugin {
    /// Loads a plug-in and checks that it is of a version that can be used.
    pub fn load(path: &Path) -> Result<Arc<Plugin>, Error> {
        let shown = path.display();
        if !path.is_file() {
            return Err(Error::new(ErrorKind::Plugin, format!("there is no plug-in `{shown}`")));
        }
        // SAFETY: loading runs the initialisers of the library, which the user named as a plug-in.
        let library = unsafe { Library::new(path) }.map_err(|error| {
            Error::new(ErrorKind::Plugin, format!("`{shown}` cannot be loaded as a shared library: {error}"))
        })?;
        // SAFETY: the type is that of the function of this name in the API.
        let entry = unsafe { library.get::<unsafe extern "C" fn() -> *const Table>(ENTRY.as_bytes()) };
        let table = match entry {
            // SAFETY: the function takes nothing and gives a pointer to a constant.
            Ok(entry) => unsafe { entry() },
            Err(_) => {
                let message = format!("`{shown}` is no PJRT plug-in: it does not export `{ENTRY}`");
                return Err(Error::new(ErrorKind::Plugin, message));
            }
        };
        std::mem::forget(library);
        if table.is_null() {
            return Err(Error::new(ErrorKind::Plugin, format!("`{shown}` gave no table of functions")));
        }
        let plugin = Plugin { table, path: path.to_owned() };
        let (major, minor) = plugin.version();
        let size = plugin.table_size();
        if major != raw::MAJOR || size < size_of::<Table>() {
            let message = format!(
                "`{shown}` speaks version {major}.{minor} of the PJRT API with a table of {size} bytes; version {}.x is needed",
                raw::MAJOR
            );
            return Err(Error::new(ErrorKind::Version, message));
        }
        plugin.call(raw::PluginInitialize::new())?;
        Ok(Arc::new(plugin))
    }

    /// Major and minor version of the API that the plug-in was built with.
    pub fn version(&self) -> (i32, i32) {
        // SAFETY: the table lives as long as the library, which is never unloaded.
        let version = unsafe { &(*self.table).version };
        (version.major, version.minor)
    }

    /// Where it was loaded from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn table_size(&self) -> usize {
        // SAFETY: as in `version`.
        unsafe { (*self.table).struct_size }
    }

    /// The function that takes this struct, where the table has it.
    fn function<F: Function>(&self) -> Result<*const c_void, Error> {
        let offset = size_of::<Table>() + F::PLACE * size_of::<*const c_void>();
        if offset + size_of::<*const c_void>() <= self.table_size() {
            // SAFETY: the table is as large as it says, and holds pointers from its head on.
            let function = unsafe { self.table.cast::<u8>().add(offset).cast::<*const c_void>().read() };
            if !function.is_null() {
                return Ok(function);
            }
        }
        let (major, minor) = self.version();
        let message = format!(
            "`{}` has no `{}`: its version of the PJRT API, {major}.{minor}, is too old",
            self.path.display(),
            F::NAME
        );
        Err(Error::new(ErrorKind::Version, message).fix("use a newer plug-in"))
    }

    /// Calls a function; gives back its struct, in which it left its results.
    pub(crate) fn call<F: Function>(&self, mut arguments: F) -> Result<F, Error> {
        let function = self.function::<F>()?;
        // SAFETY: all functions of the table but the two for errors have this type, and the struct is the one this one takes.
        let function: unsafe extern "C" fn(*mut F) -> Opaque = unsafe { std::mem::transmute(function) };
        // SAFETY: who made the struct put valid pointers into it.
        let error = unsafe { function(&mut arguments) };
        if error.is_null() { Ok(arguments) } else { Err(self.take_error(error, F::NAME)) }
    }

    /// Calls a function that frees something: what goes wrong there is nobody's business any more.
    pub(crate) fn release<F: Function>(&self, arguments: F) {
        let _ = self.call(arguments);
    }

    /// Waits for an event and frees it.
    pub(crate) fn wait(&self, event: Opaque) -> Result<(), Error> {
        if event.is_null() {
            return Ok(());
        }
        let mut await_event = raw::EventAwait::new();
        await_event.event = event;
        let outcome = self.call(await_event);
        let mut destroy = raw::EventDestroy::new();
        destroy.event = event;
        self.release(destroy);
        outcome.map(|_| ())
    }

    /// Turns an error of the plug-in into one of ours, and frees it.
    fn take_error(&self, error: Opaque, name: &str) -> Error {
        let kind =
            if name == <raw::ClientCompile as Function>::NAME { ErrorKind::Compile } else { ErrorKind::Run };
        let mut ask = raw::ErrorMessage::new();
        ask.error = error;
        if let Ok(function) = self.function::<raw::ErrorMessage>() {
            // SAFETY: this function of the table gives nothing back.
            let function: unsafe extern "C" fn(*mut raw::ErrorMessage) =
                unsafe { std::mem::transmute(function) };
            // SAFETY: the error was just given to us.
            unsafe { function(&mut ask) };
        }
        // SAFETY: the text belongs to the error, which is still there.
        let text = unsafe { text(ask.message, ask.message_size) };
        let mut destroy = raw::ErrorDestroy::new();
        destroy.error = error;
        if let Ok(function) = self.function::<raw::ErrorDestroy>() {
            // SAFETY: this function of the table gives nothing back.
            let function: unsafe extern "C" fn(*mut raw::ErrorDestroy) =
                unsafe { std::mem::transmute(function) };
            // SAFETY: the error is freed once, here.
            unsafe { function(&mut destroy) };
        }
        Error::new(kind, format!("the plug-in reports ({name}): {}", text.trim_end()))
    }
}

/// A copy of text of the plug-in.
///
/// # Safety
/// `start` is null or points to that many bytes.
pub(crate) unsafe fn text(start: *const c_char, len: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: the caller promises it.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}
