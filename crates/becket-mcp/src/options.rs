//! Options for all servers of a host: their environment and time limits.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use becket_process::ByteCap;
use url::Url;

use crate::auth::{AuthNeeded, BearerProvider, Logins};
use crate::config::shown_url;
use crate::in_process_server::InProcessServer;

/// The variable with the time limit for connecting a server, in milliseconds (X2).
const TIMEOUT: &str = "MCP_TIMEOUT";
/// The variable with a PEM file of additional certificate authorities.
const AUTHORITIES: &str = "NODE_EXTRA_CA_CERTS";

/// An error: the time limit for connecting is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{TIMEOUT}={given}` is not a valid time: write milliseconds, as in `{TIMEOUT}=30000`")]
#[non_exhaustive]
pub struct InvalidTimeout {
    /// The value of the variable.
    pub given: String,
}

/// Options for starting and ending servers (`protocol.md` X2, X7).
#[derive(Clone)]
pub struct Options {
    /// The whole environment of every server, to which its configuration may add; nothing else is inherited. One more
    /// variable is set, `BECKET_MCP_SERVER`, by which leftover processes of a server are found.
    pub environment: Vec<(OsString, OsString)>,
    /// The directory in which servers start, and to which their own `cwd` is relative.
    pub cwd: PathBuf,
    /// The time limit on connecting one server, from its start to its list of tools.
    pub connect_timeout: Duration,
    /// The limit on servers on this machine that connect at once.
    pub local_lanes: NonZeroUsize,
    /// The limit on servers elsewhere that connect at once.
    pub remote_lanes: NonZeroUsize,
    /// The time for active calls when their connection is replaced or its server removed.
    pub drain_grace: Duration,
    /// The limit on the pauses of one call's clock while its server waits for an answer of the user.
    pub longest_pause: Duration,
    /// The time limit on the host's answer to a question of a server.
    pub question_limit: Duration,
    /// If set, each sign of progress restarts the limit of a call, and this is its maximum total time. Otherwise
    /// progress changes nothing.
    pub longest_call: Option<Duration>,
    /// The time for a server to exit once its stdin is closed.
    pub exit_grace: Duration,
    /// The time between SIGTERM and SIGKILL.
    pub term_grace: Duration,
    /// The limit on a message of a server; over stdio that is a line.
    pub line_cap: ByteCap,
    /// A PEM file with authorities to trust in addition to the platform's.
    pub extra_ca: Option<PathBuf>,
    /// A proxy for HTTP servers. Without one they are reached directly.
    pub proxy: Option<Url>,
    /// The logins to servers, with their tokens. With `None` there are no logins, and a server whose configuration
    /// names a grant without a person can't be connected.
    pub logins: Option<Logins>,
    /// The persistent cache of servers that need a login (`protocol.md` X3). It has to be the same as that of
    /// `logins`, if they have one.
    pub auth_needed: Option<AuthNeeded>,
    /// The provider of tokens for servers behind a proxy of the host.
    pub bearer: Option<Arc<dyn BearerProvider>>,
    /// The servers in the host's own process, by name.
    pub in_process: Vec<(String, Arc<dyn InProcessServer>)>,
}

impl Options {
    /// Creates options with the values of `protocol.md` X2: 30 s to connect, 2 local and 10 remote servers at once; 5
    /// s for calls of a connection that is replaced, 10 minutes for an answer of the user; 2 s to exit, 1.5 s after
    /// SIGTERM, lines of 16 MiB. No proxy, no logins.
    #[must_use]
    pub fn new(environment: Vec<(OsString, OsString)>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            environment,
            cwd: cwd.into(),
            connect_timeout: Duration::from_secs(30),
            local_lanes: NonZeroUsize::MIN.saturating_add(1),
            remote_lanes: NonZeroUsize::MIN.saturating_add(9),
            drain_grace: Duration::from_secs(5),
            longest_pause: Duration::from_secs(600),
            question_limit: Duration::from_secs(600),
            longest_call: None,
            exit_grace: Duration::from_secs(2),
            term_grace: Duration::from_millis(1500),
            line_cap: ByteCap::bytes(16 << 20),
            extra_ca: None,
            proxy: None,
            logins: None,
            auth_needed: None,
            bearer: None,
            in_process: Vec::new(),
        }
    }

    /// Creates options with these variables, and the settings among them: `MCP_TIMEOUT`, the time limit for connecting
    /// a server in milliseconds, and `NODE_EXTRA_CA_CERTS`, a file of authorities, relative to `cwd`.
    ///
    /// # Errors
    /// Errors if `MCP_TIMEOUT` is not a number of milliseconds above 0.
    pub fn from_variables<'v>(
        variables: impl Iterator<Item = (&'v OsStr, &'v OsStr)>,
        cwd: impl Into<PathBuf>,
    ) -> Result<Self, InvalidTimeout> {
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut options = Self::new(variables.collect(), cwd);
        options.extra_ca = options.variable(AUTHORITIES).map(|file| options.cwd.join(file));
        if let Some(text) = options.variable(TIMEOUT).map(OsStr::to_string_lossy) {
            options.connect_timeout = match text.trim().parse() {
                Ok(milliseconds @ 1..) => Duration::from_millis(milliseconds),
                Ok(0) | Err(_) => return Err(InvalidTimeout { given: text.into_owned() }),
            };
        }
        Ok(options)
    }

    fn variable(&self, name: &str) -> Option<&OsStr> {
        let found = self.environment.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_os_str())
    }
}

/// Prints only the names of variables: values may be secret.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.environment.iter().map(|(name, _)| name).collect();
        f.debug_struct("Options")
            .field("environment", &names)
            .field("cwd", &self.cwd)
            .field("connect_timeout", &self.connect_timeout)
            .field("local_lanes", &self.local_lanes)
            .field("remote_lanes", &self.remote_lanes)
            .field("drain_grace", &self.drain_grace)
            .field("longest_pause", &self.longest_pause)
            .field("question_limit", &self.question_limit)
            .field("longest_call", &self.longest_call)
            .field("exit_grace", &self.exit_grace)
            .field("term_grace", &self.term_grace)
            .field("line_cap", &self.line_cap)
            .field("extra_ca", &self.extra_ca)
            .field("proxy", &self.proxy.as_ref().map(shown_url))
            .field("logins", &self.logins)
            .field("auth_needed", &self.auth_needed)
            .finish_non_exhaustive()
    }
}
