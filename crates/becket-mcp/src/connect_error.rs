//! Errors of connections, with messages that say what to do.

use std::sync::Arc;
use std::time::Duration;

use becket_process::SpawnError;

use crate::challenge::Challenge;
use crate::config::{DisabledReason, ServerConfigError};
use crate::fault::{Fault, ServerOutput};

/// An error of connecting a server (`protocol.md` X2). `request` is the MCP method without a valid answer.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The configuration of the server is invalid.
    #[error(transparent)]
    Config(#[from] ServerConfigError),
    /// The server must not be connected.
    #[error(transparent)]
    Disabled(#[from] DisabledReason),
    /// The server is in-process, and the host provides none of this name.
    #[error("the host has no server of this name in its process")]
    NotProvided,
    /// The server is behind a proxy that requires the host's credentials, and the host provides none.
    #[error(
        "it is reached through the proxy `{proxy}` alone, and this host has no credentials for it: name the server's own address with `\"type\": \"http\"`"
    )]
    NoProxy {
        /// The proxy.
        proxy: String,
    },
    /// The server can't be reached, or refuses the connection.
    #[error("{0}")]
    NoWay(Fault),
    /// The connection broke before it was ready.
    #[error("{fault}, before it answered `{request}`{output}")]
    Broken {
        /// The request.
        request: &'static str,
        /// The cause.
        fault: Fault,
        /// The server's output.
        output: ServerOutput,
    },
    /// The process could not be started.
    #[error("{0}")]
    Spawn(Arc<SpawnError>),
    /// The server was not ready in time.
    #[error("it did not answer `{request}` within {} s: check that it speaks MCP over this transport{output}", limit.as_secs_f64())]
    TimedOut {
        /// The request.
        request: &'static str,
        /// The time limit.
        limit: Duration,
        /// The server's output.
        output: ServerOutput,
    },
    /// The server answered with an error.
    #[error("it refuses `{request}`: {message} ({code}){output}")]
    Refused {
        /// The request.
        request: &'static str,
        /// The code of JSON-RPC.
        code: i32,
        /// The message.
        message: String,
        /// The server's output.
        output: ServerOutput,
    },
    /// The answer of the server violates the protocol.
    #[error("its answer to `{request}` breaks the protocol: {what}{output}")]
    Unexpected {
        /// The request.
        request: &'static str,
        /// The problem.
        what: String,
        /// The server's output.
        output: ServerOutput,
    },
    /// The server was connected and the connection broke since; no operation has needed it again.
    #[error("{fault}{output}")]
    Lost {
        /// The cause.
        fault: Fault,
        /// The server's output.
        output: ServerOutput,
    },
    /// The server is not connected, and the caller must not connect it.
    #[error("it was not connected when it was called")]
    NotYet,
    /// The host cancelled before the server was connected.
    #[error("connecting was cancelled")]
    Cancelled,
}

impl ConnectError {
    /// Converts a fault before the server's answer. Some faults need no context.
    pub(crate) fn broken(request: &'static str, fault: Fault, output: ServerOutput) -> Self {
        match fault {
            Fault::Spawn(error) => Self::Spawn(error),
            Fault::Unreachable(_)
            | Fault::Status { .. }
            | Fault::AuthNeeded(_)
            | Fault::NotMcp(_)
            | Fault::Headers(_)
            | Fault::OtherOrigin(..)
            | Fault::NotLocal(_) => Self::NoWay(fault),
            Fault::Ended(_)
            | Fault::LineTooLong(_)
            | Fault::Flood(_)
            | Fault::NotReading(_)
            | Fault::StdinClosed
            | Fault::Closed
            | Fault::SessionExpired
            | Fault::TooLarge(_)
            | Fault::BrokenOff(_) => Self::Broken { request, fault, output },
        }
    }

    /// Returns the fault that broke the connection, if one did.
    pub(crate) fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Broken { fault, .. } | Self::Lost { fault, .. } | Self::NoWay(fault) => Some(fault),
            Self::Config(_)
            | Self::Disabled(_)
            | Self::NotProvided
            | Self::NoProxy { .. }
            | Self::Spawn(_)
            | Self::TimedOut { .. }
            | Self::Refused { .. }
            | Self::Unexpected { .. }
            | Self::NotYet
            | Self::Cancelled => None,
        }
    }

    /// Returns the server's challenge, if a login is needed first (`protocol.md` X3).
    pub(crate) fn challenge(&self) -> Option<&Challenge> {
        if let Fault::AuthNeeded(challenge) = self.fault()? { Some(challenge) } else { None }
    }
}

impl From<Fault> for ConnectError {
    fn from(fault: Fault) -> Self {
        Self::NoWay(fault)
    }
}
