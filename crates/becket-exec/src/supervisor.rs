//! The supervisor: its program and its rules.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use becket_rules::RuleSet;

use crate::error::StartError;
use crate::exit_status::ExitStatus;
use crate::host::Host;
use crate::network_host::NetworkHost;
use crate::rule_gate::RuleGate;
use crate::sys;
use becket_model::Rights;

/// A program to run. It inherits the standard streams.
#[derive(Debug, Clone)]
pub struct Program {
    /// The name, looked up in the search path, or a path.
    pub name: OsString,
    /// The arguments after the name.
    pub arguments: Vec<OsString>,
    /// All environment variables of the program.
    pub variables: Vec<(OsString, OsString)>,
    /// The working directory, absolute.
    pub directory: PathBuf,
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
    pub(crate) gate: RuleGate,
    pub(crate) search_path: Vec<PathBuf>,
    pub(crate) own: Vec<Vec<String>>,
    pub(crate) on_deny: OnDeny,
    pub(crate) rights: Rights,
    pub(crate) kept: Vec<String>,
    pub(crate) network_host: SharedNetworkHost,
}

/// The program that embeds the proxy.
pub(crate) struct SharedNetworkHost(pub(crate) Arc<dyn NetworkHost>);

impl fmt::Debug for SharedNetworkHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetworkHost").finish_non_exhaustive()
    }
}

/// The consequence of a denial for the rest of the programs (E3).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OnDeny {
    /// The denied program exits with 126, and the others continue.
    #[default]
    GoOn,
    /// Everything ends, with 126.
    EndLine,
}

impl Supervisor {
    /// Creates a supervisor for these rules. `search_path` is searched for the programs that they name, to recognise
    /// their files under other names, and for the program that it runs.
    #[must_use]
    pub fn new(rules: RuleSet, search_path: Vec<PathBuf>) -> Self {
        Self {
            gate: RuleGate::new(rules),
            search_path,
            own: Vec::new(),
            on_deny: OnDeny::default(),
            rights: Rights::default(),
            kept: Vec::new(),
            network_host: SharedNetworkHost(Arc::new(())),
        }
    }

    /// Pauses programs that the ask rules of `conditions` match: hooks have to be asked about them (E4).
    #[must_use]
    pub(crate) fn with_conditions(mut self, conditions: RuleSet) -> Self {
        self.gate.conditions = conditions;
        self
    }

    /// Names commands, each a name and arguments joined by blanks, that were already decided as text: ask rules and
    /// conditions don't pause them a second time. Deny rules still apply to them.
    #[must_use]
    pub fn with_decided(mut self, commands: impl IntoIterator<Item = String>) -> Self {
        self.gate.decided = commands.into_iter().collect();
        self
    }

    /// Names the host's own programs: the argument lists that the first process executes first, in this order. Rules
    /// don't apply to them, just as they don't to the host.
    #[must_use]
    pub fn with_own(mut self, programs: Vec<Vec<String>>) -> Self {
        self.own = programs;
        self
    }

    /// Exempts programs with these names, and their children, from ending with the first process (E7).
    #[must_use]
    pub fn with_kept(mut self, names: Vec<String>) -> Self {
        self.kept = names;
        self
    }

    /// Restricts the rights (E5) to the intersection of the current ones and these.
    #[must_use]
    pub fn with_rights(mut self, rights: &Rights) -> Self {
        self.rights = self.rights.intersection(rights);
        self
    }

    /// Sets the program that embeds the proxy of programs that reach single hosts. By default names are resolved by
    /// the system, and refusals are reported only to the programs.
    #[must_use]
    pub fn with_network_host(mut self, host: Arc<dyn NetworkHost>) -> Self {
        self.network_host = SharedNetworkHost(host);
        self
    }

    /// Sets the consequence of a denial.
    #[must_use]
    pub fn on_deny(mut self, on_deny: OnDeny) -> Self {
        self.on_deny = on_deny;
        self
    }

    /// Runs a program to its end, and ends everything that it left running.
    ///
    /// INVARIANT: the calling thread traces, so its process must start and wait for nothing else meanwhile.
    ///
    /// # Errors
    /// Returns a [`StartError`] if the program can't be run under the rules; nothing was run then.
    pub fn run(&self, program: &Program, host: &mut dyn Host) -> Result<ExitStatus, StartError> {
        sys::run(self, program, host)
    }
}
