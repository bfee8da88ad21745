//! Authentication: request headers, OAuth tokens and how they are obtained (`protocol.md` X3).
//!
//! - [`HeaderSource`] supplies the headers of a connection: [`StaticHeaders`], a [`Helper`], a host's [`Bearer`], the
//!   tokens of a login ([`OAuthHeaders`]), or several of them ([`Layered`]: the login first, then the configuration,
//!   then the helper, each overriding the one before).
//! - [`Logins`] logs users in and out, by the OAuth 2.1 profile of MCP, and renews their tokens. If the configuration
//!   names a grant that needs no person ([`crate::config::Grant`]), it requests tokens without one.
//! - [`TokenStore`] stores tokens, [`FileStore`] in a file, `KeyringStore` (feature `keyring`) in the keyring of the
//!   system; [`AuthNeeded`] remembers the servers that want a login.

mod bearer;
mod callback;
mod challenge;
mod client;
mod discover;
mod endpoint;
mod error;
mod exchange;
mod headers_error;
mod helper;
mod key;
mod login;
mod logins;
mod logout;
mod needed;
mod oauth_headers;
mod of_old;
mod pageless;
mod private;
mod proven;
mod reach;
mod scopes;
mod scrub;
mod session;
mod signing;
mod source;
mod store;
mod tokens;
mod unattended;
mod web;

pub use bearer::{Bearer, BearerProvider};
pub use discover::Unsaid;
pub use error::AuthError;
pub use headers_error::HeadersError;
pub use helper::{HELPER_LIMIT, Helper, HelperCommand};
pub use key::Key;
pub use login::{LoggedIn, Login};
pub use logins::{CallbackHost, Clock, LoginOptions, Logins, Target};
pub use logout::LoggedOut;
pub use needed::{AUTH_NEEDED_TTL, AuthNeeded, Forgotten};
pub use oauth_headers::OAuthHeaders;
pub use private::FileError;
pub use reach::Network;
pub(crate) use scrub::Scrub;
pub use source::{HeaderSource, Headers, Layered, StaticHeaders, Why};
#[cfg(feature = "keyring")]
pub use store::KeyringStore;
pub use store::{FileStore, Guard, Kept, KeyringError, StoreError, TokenStore};
pub use tokens::{Client, Issued, Proof, Tokens};
