//! What all servers of a host have in common: their environment, and how long things may take.

use std::ffi::OsString;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use becket_process::ByteCap;

/// How servers are started and ended (`protocol.md` X2, X7).
#[derive(Clone)]
pub struct Options {
    /// The whole environment of every server, below what its configuration adds; nothing is inherited. One
    /// variable is added to both, `BECKET_MCP_SERVER`: whoever a server leaves behind is found by it.
    pub environment: Vec<(OsString, OsString)>,
    /// The directory in which servers start, and from which their own `cwd` counts.
    pub cwd: PathBuf,
    /// The longest that connecting one server may take, from its start to its list of tools.
    pub connect_timeout: Duration,
    /// How many servers connect at once.
    pub lanes: NonZeroUsize,
    /// Time for a server to exit once its stdin is closed.
    pub exit_grace: Duration,
    /// Time between SIGTERM and SIGKILL.
    pub term_grace: Duration,
    /// The longest line, so the largest message, that a server may write.
    pub line_cap: ByteCap,
}

impl Options {
    /// The values of `protocol.md` X2: 30 s to connect, 2 at once; 2 s to exit, 1.5 s after SIGTERM, lines of 16 MiB.
    #[must_use]
    pub fn new(environment: Vec<(OsString, OsString)>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            environment,
            cwd: cwd.into(),
            connect_timeout: Duration::from_secs(30),
            lanes: NonZeroUsize::MIN.saturating_add(1),
            exit_grace: Duration::from_secs(2),
            term_grace: Duration::from_millis(1500),
            line_cap: ByteCap::bytes(16 << 20),
        }
    }
}

/// Names of variables only: values may be secret.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.environment.iter().map(|(name, _)| name).collect();
        f.debug_struct("Options")
            .field("environment", &names)
            .field("cwd", &self.cwd)
            .field("connect_timeout", &self.connect_timeout)
            .field("lanes", &self.lanes)
            .field("exit_grace", &self.exit_grace)
            .field("term_grace", &self.term_grace)
            .field("line_cap", &self.line_cap)
            .finish()
    }
}
