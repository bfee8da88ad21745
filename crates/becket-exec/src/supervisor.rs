//! The supervisor: what it runs and under which rules.

use std::ffi::OsString;
use std::path::PathBuf;

use becket_rules::RuleSet;

use crate::error::StartError;
use crate::host::Host;
use crate::sys;

/// A program to run. It inherits the standard streams.
#[derive(Debug, Clone)]
pub struct Program {
    /// The name, looked up in the search path, or a path.
    pub name: OsString,
    /// The arguments after the name.
    pub arguments: Vec<OsString>,
    /// All its variables.
    pub variables: Vec<(OsString, OsString)>,
    /// Its directory, absolute.
    pub directory: PathBuf,
}

/// The end of the first program. Everything that it left running has ended as well (E7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// It ended with this code.
    Exited(u8),
    /// A signal of this number ended it.
    Killed(i32),
}

impl ExitStatus {
    /// Returns the exit code as a shell reports it: 128 and the number of a signal.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Exited(code) => code,
            Self::Killed(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
        }
    }
}

/// Runs programs under rules.
///
/// ```no_run
/// use becket_exec::{Program, Supervisor};
/// use becket_rules::{RuleList, RuleOrigin, RuleSet};
///
/// let mut rules = RuleSet::default();
/// let origin = RuleOrigin { label: "the command line".to_owned(), anchor: "/".into() };
/// rules.add(RuleList::Deny, "Bash(git push *)", origin)?;
/// let supervisor = Supervisor::new(rules, vec!["/usr/bin".into()]);
/// let program = Program {
///     name: "make".into(),
///     arguments: vec!["release".into()],
///     variables: vec![("PATH".into(), "/usr/bin".into())],
///     directory: "/work".into(),
/// };
/// let status = supervisor.run(&program, &mut ())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Supervisor {
    pub(crate) rules: RuleSet,
    pub(crate) search_path: Vec<PathBuf>,
}

impl Supervisor {
    /// Creates a supervisor for these rules. In `search_path` it looks for the programs that they name, to recognise
    /// their files under other names, and for the program that it runs.
    #[must_use]
    pub fn new(rules: RuleSet, search_path: Vec<PathBuf>) -> Self {
        Self { rules, search_path }
    }

    /// Runs a program to its end, and ends what it has left running.
    ///
    /// INVARIANT: the calling thread traces, so its process must start and wait for nothing else meanwhile.
    ///
    /// # Errors
    /// [`StartError`] if the program can't be run under the rules; then nothing was run.
    pub fn run(&self, program: &Program, host: &mut dyn Host) -> Result<ExitStatus, StartError> {
        sys::run(self, program, host)
    }
}
