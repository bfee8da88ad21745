//! Why a server is not connected, in words that say what to do.

use std::sync::Arc;
use std::time::Duration;

use becket_process::SpawnError;

use crate::config::{Disabled, ServerConfigError};
use crate::fault::{Fault, Said};

/// A server could not be connected (`protocol.md` X2). `asked` is the MCP method that was not answered well.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Its configuration is wrong.
    #[error(transparent)]
    Config(#[from] ServerConfigError),
    /// It must not be connected.
    #[error(transparent)]
    Disabled(#[from] Disabled),
    /// A server that is not started but reached.
    #[error("a server of type `{kind}`: this version connects stdio servers only")]
    NotStdio {
        /// The type.
        kind: &'static str,
    },
    /// The connection broke before it was ready.
    #[error("{fault}, before it answered `{asked}`{said}")]
    Broken {
        /// What was asked.
        asked: &'static str,
        /// Why.
        fault: Fault,
        /// What it had printed.
        said: Said,
    },
    /// The process could not be started.
    #[error("{0}")]
    Spawn(Arc<SpawnError>),
    /// It was not ready in time.
    #[error("it did not answer `{asked}` within {} s: check that it speaks MCP over stdio{said}", limit.as_secs_f64())]
    TimedOut {
        /// What was asked.
        asked: &'static str,
        /// The time that connecting may take.
        limit: Duration,
        /// What it had printed.
        said: Said,
    },
    /// It answered with an error.
    #[error("it refuses `{asked}`: {message} ({code}){said}")]
    Refused {
        /// What was asked.
        asked: &'static str,
        /// The code of JSON-RPC.
        code: i32,
        /// Its words.
        message: String,
        /// What it had printed.
        said: Said,
    },
    /// It answered something that the protocol does not allow there.
    #[error("its answer to `{asked}` breaks the protocol: {what}{said}")]
    Unexpected {
        /// What was asked.
        asked: &'static str,
        /// What is wrong.
        what: String,
        /// What it had printed.
        said: Said,
    },
    /// It was connected and broke since; nobody has needed it again.
    #[error("{fault}{said}")]
    Lost {
        /// Why.
        fault: Fault,
        /// What it had printed.
        said: Said,
    },
    /// It is not connected, and whoever asked must not connect it.
    #[error("it was not connected when it was called")]
    NotYet,
    /// The host gave up before it was connected.
    #[error("connecting was cancelled")]
    Cancelled,
}

impl ConnectError {
    /// Whether somebody has to log in first (`protocol.md` X3).
    pub(crate) fn needs_auth(&self) -> bool {
        match self {
            Self::Broken { fault, .. } | Self::Lost { fault, .. } => matches!(fault, Fault::AuthNeeded(_)),
            Self::Config(_)
            | Self::Disabled(_)
            | Self::NotStdio { .. }
            | Self::Spawn(_)
            | Self::TimedOut { .. }
            | Self::Refused { .. }
            | Self::Unexpected { .. }
            | Self::NotYet
            | Self::Cancelled => false,
        }
    }
}
