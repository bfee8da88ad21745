//! The surroundings of the process. This is the only part of the binding that reads them.

use becket_engine::Environment;
use std::path::PathBuf;

/// Returns the variables and the home of the process, as they are now. `HOME=""` means that there is no home.
#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment and the home")]
pub(crate) fn surroundings() -> Environment {
    let environment = Environment::from_vars(std::env::vars_os());
    let is_empty = cfg!(unix) && environment.var("HOME").is_some_and(|home| home.is_empty());
    let home = std::env::home_dir().filter(|home| !is_empty && !home.as_os_str().is_empty());
    match home {
        Some(home) => environment.with_home(home),
        None => environment,
    }
}

/// Returns the directory for temporary files of a process.
pub(crate) fn temp() -> PathBuf {
    std::env::temp_dir()
}
