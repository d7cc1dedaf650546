//! Where the plug-in is.

use crate::error::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// The environment variable that names the plug-in.
pub const PLUGIN_VARIABLE: &str = "PARTITA_PJRT_PLUGIN";

/// The plug-in to use: the one that is named, else the one that the environment names, else the one for CPUs where
/// `scripts/plugin` puts it.
pub fn find_plugin(named: Option<&Path>) -> Result<PathBuf, Error> {
    if let Some(path) = named {
        return Ok(path.to_owned());
    }
    if let Some(path) = std::env::var_os(PLUGIN_VARIABLE).filter(|path| !path.is_empty()) {
        return Ok(path.into());
    }
    let installed = data_home().map(|home| home.join("partita/xla_cpu_pjrt.so"));
    match installed {
        Some(path) if path.is_file() => Ok(path),
        _ => Err(Error::new(ErrorKind::Plugin, "no PJRT plug-in was named, and none is installed").fix(format!(
            "run `scripts/plugin` to get the one for CPUs, or name one with `--plugin` or `{PLUGIN_VARIABLE}`"
        ))),
    }
}

/// Where programs keep the data of a user.
fn data_home() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("XDG_DATA_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/share")))
}
