//! Errors of calls, with messages that say what to do.

use std::sync::Arc;
use std::time::Duration;

use crate::challenge::Challenge;
use crate::config::DisabledReason;
use crate::connect_error::ConnectError;
use crate::fault::{Fault, ServerOutput};
use crate::operation::Operation;

/// A failed call (`protocol.md` H6). A tool that reports a failure is not an error of this kind: see
/// [`crate::CallResult::is_error`].
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// No server of this name is configured.
    #[error("there is no MCP server `{server}`{}: {}", near(.meant.as_deref()), listed("configured", .known))]
    NoSuchServer {
        /// The requested name.
        server: String,
        /// The configured names.
        known: Vec<String>,
        /// The name that was probably meant.
        meant: Option<String>,
    },
    /// The server is configured and could not be connected.
    #[error("the MCP server `{server}` is not connected: {why}")]
    NotConnected {
        /// The server.
        server: String,
        /// The error of the attempt to connect.
        why: Arc<ConnectError>,
    },
    /// The server has no tool of this name.
    #[error("the MCP server `{server}` has no tool `{tool}`{}: {}", near(.meant.as_deref()), listed("its tools are", .known))]
    NoSuchTool {
        /// The server.
        server: String,
        /// The requested name.
        tool: String,
        /// The names of its tools.
        known: Vec<String>,
        /// The name that was probably meant.
        meant: Option<String>,
    },
    /// The server is configured, but must not be used.
    #[error("the MCP server `{server}` is disabled: {why}")]
    Disabled {
        /// The server.
        server: String,
        /// The cause.
        why: DisabledReason,
    },
    /// The server demands authentication, and there is no login or the credentials are not sufficient, for this call
    /// or for any (`protocol.md` X3).
    #[error("the MCP server `{server}` needs authentication: log in to it")]
    NeedsAuth {
        /// The server.
        server: String,
        /// The challenge of the server.
        challenge: Challenge,
    },
    /// The time limit expired. The request was cancelled at the server; it may have done the work by then.
    #[error("{operation} of the MCP server `{server}` did not answer within {} s", limit.as_secs_f64())]
    TimedOut {
        /// The server.
        server: String,
        /// The operation.
        operation: Operation,
        /// The time limit.
        limit: Duration,
    },
    /// The caller cancelled. The request was cancelled at the server; it may have done the work by then.
    #[error("waiting for {operation} of the MCP server `{server}` was cancelled")]
    Cancelled {
        /// The server.
        server: String,
        /// The operation.
        operation: Operation,
    },
    /// The connection broke, before or during the call. The next operation reconnects the server, if that is allowed.
    #[error("the MCP server `{server}` is gone: {fault}{output}")]
    Died {
        /// The server.
        server: String,
        /// The cause.
        fault: Fault,
        /// The server's output.
        output: ServerOutput,
    },
    /// The server answered with an error instead of a result.
    #[error("the MCP server `{server}` refuses {operation}: {message} ({code})")]
    Refused {
        /// The server.
        server: String,
        /// The operation.
        operation: Operation,
        /// The code of JSON-RPC.
        code: i32,
        /// The message.
        message: String,
    },
    /// The server's answer violates the protocol.
    #[error("the answer of the MCP server `{server}` to {operation} breaks the protocol: {what}")]
    Protocol {
        /// The server.
        server: String,
        /// The operation.
        operation: Operation,
        /// The problem.
        what: String,
    },
    /// The server kept asking for input (`protocol.md` X6).
    #[error(
        "the MCP server `{server}` has asked {rounds} times for more before it gives {operation}: it was given up"
    )]
    TooManyRounds {
        /// The server.
        server: String,
        /// The operation.
        operation: Operation,
        /// The number of rounds with the host.
        rounds: u32,
    },
}

/// Limit on the names in an error: a server may have thousands of tools.
const SHOWN: usize = 50;

fn near(meant: Option<&str>) -> String {
    meant.map_or(String::new(), |meant| format!(" (did you mean `{meant}`?)"))
}

fn listed(what: &str, known: &[String]) -> String {
    if known.is_empty() {
        return format!("{what}: none");
    }
    let names: Vec<String> = known.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = match known.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{what}: {}{more}", names.join(", "))
}
