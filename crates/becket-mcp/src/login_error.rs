//! Errors of logging in to a server, or out of it.

use crate::auth::AuthError;
use crate::call_error::CallError;

/// A failed login or logout (`protocol.md` X3).
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// The server does not exist, or must not be used.
    #[error(transparent)]
    Server(#[from] CallError),
    /// Servers of this kind have no login.
    #[error("no login is possible to the MCP server `{server}`: {why}")]
    NotForIt {
        /// The server.
        server: String,
        /// The cause.
        why: &'static str,
    },
    /// The login itself failed.
    #[error("the MCP server `{server}`: {why}")]
    Auth {
        /// The server.
        server: String,
        /// The error.
        why: AuthError,
    },
}
