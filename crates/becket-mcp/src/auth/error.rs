//! Errors of logins, with messages that say what to do. None of them contains a token, code or secret.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::auth::store::StoreError;

/// A failed login, renewal or logout.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AuthError {
    /// An address that would receive a secret is not encrypted.
    #[error(
        "the {what} `{url}` is not encrypted: only `https` is used for logins, and `http` on this machine for a server on this machine"
    )]
    Insecure {
        /// The part of the metadata.
        what: &'static str,
        /// The address.
        url: String,
    },
    /// An address must not be opened by a browser or by this program.
    #[error("the {what} `{url}` can't be used: {why}")]
    Address {
        /// The part of the metadata.
        what: &'static str,
        /// The address.
        url: String,
        /// The cause.
        why: String,
    },
    /// A request could not be sent or answered.
    #[error("`{url}` can't be reached: {why}")]
    Unreachable {
        /// The address.
        url: String,
        /// The cause.
        why: String,
    },
    /// The server publishes no metadata for logins.
    #[error("the server requires a login and does not say where: it publishes no metadata for OAuth")]
    NoMetadata,
    /// The metadata is invalid.
    #[error("the login metadata of the server can't be used: {0}")]
    Metadata(String),
    /// The issuer is not the expected one.
    #[error("the authorisation server is not `{expected}`: {}", received.as_ref().map_or("it does not say who it is".to_owned(), |name| format!("it says that it is `{name}`")))]
    Issuer {
        /// The expected issuer.
        expected: String,
        /// The actual issuer.
        received: Option<String>,
    },
    /// The authorisation server does not support PKCE.
    #[error("the authorisation server does not announce PKCE with S256: a login there could be taken over")]
    NoPkce,
    /// The client is not registered and can't be.
    #[error(
        "this program is not known to the authorisation server: {0}; register it there, and set `oauth.clientId`"
    )]
    Registration(String),
    /// The server wants more scopes than were granted, and these were already requested once.
    #[error("the server wants {}, which was asked for and not granted: log out and in again, or ask its operator", scopes(.wanted))]
    NotGranted {
        /// The scopes that it wants.
        wanted: Vec<String>,
    },
    /// The listener for the callback can't be opened.
    #[error("the port {port} on this machine can't be listened on: {why}; set another `oauth.callbackPort`")]
    Port {
        /// The port; 0 means any.
        port: u16,
        /// The cause.
        why: String,
    },
    /// The entered address is not the one of the redirect.
    #[error("this is not the address that the login ends at: {0}")]
    Callback(&'static str),
    /// The user or the authorisation server refused.
    #[error("the login was refused: {error}{}", tail(.description))]
    Denied {
        /// The OAuth error code.
        error: String,
        /// A description.
        description: String,
    },
    /// The token endpoint refused.
    #[error("the authorisation server gives no token: {error}{}", tail(.description))]
    Refused {
        /// The OAuth error code.
        error: String,
        /// A description.
        description: String,
    },
    /// The identity provider refused the token exchange.
    #[error("the identity provider at `{url}` gives no grant: {error}{}", tail(.description))]
    NotVouched {
        /// The address of the request.
        url: String,
        /// The OAuth error code.
        error: String,
        /// A description.
        description: String,
    },
    /// The grant needs no login.
    #[error(
        "no login is needed: this program authenticates itself, by the grant `{grant}` that the server's `oauth` names"
    )]
    NoPerson {
        /// The grant.
        grant: &'static str,
    },
    /// The configuration is incomplete.
    #[error("the server's `oauth` lacks {0}")]
    Incomplete(&'static str),
    /// The authorisation server does not support the configured method.
    #[error("the authorisation server does not take {wanted}: it takes {}", names(.taken))]
    NotTaken {
        /// The configured value.
        wanted: String,
        /// The supported values.
        taken: Vec<String>,
    },
    /// A file with client credentials can't be used.
    #[error("the {what} `{}` can't be used: {why}", file.display())]
    File {
        /// The expected content.
        what: &'static str,
        /// The file.
        file: PathBuf,
        /// The cause, without any of the file's text.
        why: String,
    },
    /// The token endpoint's response is malformed.
    #[error("the answer of the token endpoint `{url}` can't be used: {what}")]
    Answer {
        /// The address.
        url: String,
        /// The cause, without any of the answer's text.
        what: String,
    },
    /// No redirect arrived in time.
    #[error("no login was completed within {} s", limit.as_secs_f64())]
    TimedOut {
        /// The time limit.
        limit: Duration,
    },
    /// The host cancelled.
    #[error("the login was cancelled")]
    Cancelled,
    /// The token store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The HTTP client could not be built.
    #[error("no requests can be made: {0}")]
    Client(Arc<str>),
}

impl AuthError {
    /// Returns whether the authorisation server has invalidated the stored tokens for good.
    pub(crate) fn is_final(&self) -> bool {
        let Self::Refused { error, .. } = self else { return false };
        matches!(error.as_str(), "invalid_grant" | "invalid_client" | "unauthorized_client")
    }
}

fn tail(description: &str) -> String {
    if description.is_empty() { String::new() } else { format!(" ({description})") }
}

fn scopes(scopes: &[String]) -> String {
    if scopes.is_empty() {
        return "more scopes".to_owned();
    }
    names(scopes)
}

fn names(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}
