//! The facts about a process: variables, home, working directory.
//!
//! This is the only place in the programs that reads them. All other code receives its inputs.

use becket_engine::Environment;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The facts about the process and the machine around it.
#[derive(Debug, Clone)]
pub struct ProcessContext {
    /// The arguments, the name of the program first.
    pub arguments: Vec<OsString>,
    /// The variables.
    pub vars: Vec<(OsString, OsString)>,
    /// The home directory of the user.
    pub home: Option<PathBuf>,
    /// The working directory; `None` if it was removed.
    pub cwd: Option<PathBuf>,
    /// The directory for temporary files.
    pub temp: PathBuf,
}

/// Returns the user's home directory. `HOME=""` means that there is none; the system's list of users is not consulted
/// then.
#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment and the home")]
fn home() -> Option<PathBuf> {
    if cfg!(unix) && std::env::var_os("HOME").is_some_and(|home| home.is_empty()) {
        return None;
    }
    std::env::home_dir().filter(|home| !home.as_os_str().is_empty())
}

impl ProcessContext {
    /// Reads the facts about this process.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment and the home")]
    pub fn of_process() -> Self {
        ProcessContext {
            arguments: std::env::args_os().collect(),
            vars: std::env::vars_os().collect(),
            home: home(),
            cwd: std::env::current_dir().ok(),
            temp: std::env::temp_dir(),
        }
    }

    /// Returns a variable that is set and not empty.
    pub fn var(&self, name: &str) -> Option<&OsStr> {
        let found = self.vars.iter().find(|(key, _)| key == name)?;
        Some(found.1.as_os_str()).filter(|value| !value.is_empty())
    }

    /// Returns the environment of sessions.
    pub fn environment(&self) -> Environment {
        let environment = Environment::from_vars(self.vars.iter().cloned()).with_temp(&self.temp);
        match &self.home {
            Some(home) => environment.with_home(home),
            None => environment,
        }
    }
}
