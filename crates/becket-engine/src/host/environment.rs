//! The environment of the process and facts about the machine, passed in by the caller.
//!
//! The library reads no environment variable and looks up no home directory: a host decides what its hooks see.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The environment of a session.
///
/// ```
/// use becket_engine::Environment;
///
/// let environment = Environment::empty().with_var("PATH", "/usr/bin:/bin").with_home("/home/ada");
/// assert_eq!(environment.home().unwrap().to_str(), Some("/home/ada"));
/// ```
///
/// `Debug` shows the names of the variables without their values (S3).
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment {
    vars: BTreeMap<OsString, OsString>,
    home: Option<PathBuf>,
    temp: Option<PathBuf>,
    pid: Option<u32>,
    enclosing: Vec<String>,
    finder: Option<MarkFinder>,
    clock: Option<Clock>,
}

/// A function that looks for the marks of the events for which this process runs.
#[derive(Debug, Clone, Copy)]
struct MarkFinder(fn() -> Vec<String>);

impl PartialEq for MarkFinder {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for MarkFinder {}

/// A clock for the time of day.
#[derive(Debug, Clone, Copy)]
struct Clock(fn() -> SystemTime);

impl PartialEq for Clock {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for Clock {}

impl Environment {
    /// Returns an empty environment: no variables, no home.
    pub fn empty() -> Self {
        Environment::default()
    }

    /// Returns an environment with the host's variables; each hook process gets them (H3).
    pub fn from_vars(vars: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Environment { vars: vars.into_iter().collect(), ..Environment::default() }
    }

    /// Adds or replaces one variable.
    pub fn with_var(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.vars.insert(name.into(), value.into());
        self
    }

    /// Removes one variable.
    pub fn without_var(mut self, name: impl AsRef<OsStr>) -> Self {
        self.vars.remove(name.as_ref());
        self
    }

    /// Sets the user's home directory, which contains the user's settings (C4).
    pub fn with_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Sets the directory for private files: environment files (H12) and long texts (O8). Without it the
    /// operating system's own is used.
    pub fn with_temp(mut self, temp: impl Into<PathBuf>) -> Self {
        self.temp = Some(temp.into());
        self
    }

    /// Sets the host's process id, which hooks see as `…_PID`; without it, that of this process.
    pub fn with_pid(mut self, pid: u32) -> Self {
        self.pid = Some(pid);
        self
    }

    /// Adds marks of events for which this process runs and that no variable contains (H14), or their first 8 digits or
    /// more.
    pub fn with_enclosing(mut self, marks: impl IntoIterator<Item = String>) -> Self {
        self.enclosing.extend(marks);
        self
    }

    /// Works like [`Environment::with_enclosing`], for marks that are looked up only when handlers are about to run.
    pub fn with_enclosing_found_by(mut self, find: fn() -> Vec<String>) -> Self {
        self.finder = Some(MarkFinder(find));
        self
    }

    /// Sets the clock that ends observations (G5); without it, that of the operating system counts.
    pub fn with_clock(mut self, clock: fn() -> SystemTime) -> Self {
        self.clock = Some(Clock(clock));
        self
    }

    /// Returns the time of day.
    pub fn now(&self) -> SystemTime {
        self.clock.map_or_else(SystemTime::now, |clock| clock.0())
    }

    /// Returns one variable.
    pub fn var(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.vars.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// Returns all variables, in the order of their names.
    pub fn vars(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.vars.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// Returns the user's home directory.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Returns the directory for private files.
    pub fn temp(&self) -> PathBuf {
        self.temp.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// Returns the marks that [`Environment::with_enclosing`] added, and those that are found.
    pub(crate) fn enclosing(&self) -> Vec<String> {
        let found = self.finder.map(|finder| finder.0()).unwrap_or_default();
        self.enclosing.iter().cloned().chain(found).collect()
    }

    /// Returns the host's process id.
    pub fn pid(&self) -> u32 {
        self.pid.unwrap_or_else(std::process::id)
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.vars.keys().collect();
        f.debug_struct("Environment")
            .field("vars", &names)
            .field("home", &self.home)
            .field("temp", &self.temp)
            .field("pid", &self.pid)
            .field("enclosing", &self.enclosing)
            .finish()
    }
}
