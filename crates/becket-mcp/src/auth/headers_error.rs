//! Errors of header sources, with messages that say what to do. A header value is never part of them.

use std::sync::Arc;
use std::time::Duration;

use becket_process::{End, SpawnError};

use crate::auth::AuthError;
use crate::challenge::Challenge;

/// The reason why a source has no headers.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NoHeaders {
    /// Only the user can help. The challenge is empty if the server sent none.
    #[error("it needs authentication")]
    AuthNeeded(Challenge),
    /// Something is broken.
    #[error("{0}")]
    Failed(Arc<HeadersError>),
}

impl From<HeadersError> for NoHeaders {
    fn from(error: HeadersError) -> Self {
        Self::Failed(Arc::new(error))
    }
}

/// A failed source of headers. `stderr` is the end of a helper's stderr.
#[derive(Debug, Clone, thiserror::Error)]
pub enum HeadersError {
    /// The configured name is not a valid header name.
    #[error("`{name}` is not a name of a header: use letters, digits and `-`")]
    Name {
        /// The configured name.
        name: String,
    },
    /// The value can't be sent.
    #[error("the value of the header `{name}` can't be sent: it has a line end or another control character")]
    Value {
        /// The header.
        name: String,
    },
    /// The helper could not be started.
    #[error("the headers helper can't be started: {0}")]
    Spawn(Arc<SpawnError>),
    /// The helper took too long.
    #[error("the headers helper did not end within {} s{}", limit.as_secs_f64(), stderr_suffix(.stderr))]
    TimedOut {
        /// The time limit.
        limit: Duration,
        /// The end of the helper's stderr.
        stderr: String,
    },
    /// The helper failed.
    #[error("the headers helper {}{}", ended(*.end), stderr_suffix(.stderr))]
    Failed {
        /// The exit status.
        end: End,
        /// The end of the helper's stderr.
        stderr: String,
    },
    /// The helper's output is not a JSON object of strings.
    #[error(
        "the headers helper must print one JSON object of strings, such as `{{\"Authorization\": \"Bearer …\"}}`: {what}{}",
        stderr_suffix(.stderr)
    )]
    NotHeaders {
        /// The problem, without any of the output's text.
        what: String,
        /// The end of the helper's stderr.
        stderr: String,
    },
    /// The login can't be used any more, or temporarily.
    #[error("the login of the server can't be used: {0}")]
    Login(Arc<AuthError>),
    /// The configuration names a grant, and this host has no logins.
    #[error("this host logs in to no server, and the `oauth` of this one says that it should")]
    NoLogins,
    /// The host's bearer provider has no token.
    #[error("the host provides no token: {0}")]
    Bearer(String),
}

fn stderr_suffix(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!("; its stderr ends with: {stderr}") }
}

fn ended(end: End) -> String {
    match end {
        End::Exited(code) => format!("exited with {code}"),
        End::Signaled(signal) => format!("was ended by signal {signal}"),
        End::TimedOut | End::Cancelled => "was ended".to_owned(),
        End::Lost => "ended, and its exit status was taken by other code in the host".to_owned(),
    }
}
