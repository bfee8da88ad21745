//! Authentication: request headers, OAuth tokens and how they are obtained (`protocol.md` X3).
//!
//! - [`HeaderSource`] supplies the headers of a connection: [`StaticHeaders`], a [`Helper`], a host's [`Bearer`], the
//!   tokens of a login ([`OAuthHeaders`]), or several of them ([`LayeredHeaders`]: the login first, then the configuration,
//!   then the helper, each overriding the one before).
//! - [`Logins`] logs users in and out, by the OAuth 2.1 profile of MCP, and renews their tokens. If the configuration
//!   names a grant that needs no person ([`crate::config::Grant`]), it requests tokens without one.
//! - [`TokenStore`] stores tokens, [`FileStore`] in a file, `KeyringStore` (feature `keyring`) in the keyring of the
//!   system; [`AuthNeeded`] remembers the servers that want a login.

mod bearer;
mod callback;
mod challenge;
mod client;
mod client_auth;
mod discover;
mod endpoint;
mod error;
mod exchange;
mod headers_error;
mod headless;
mod helper;
mod http_client;
mod key;
mod legacy_metadata;
mod login;
mod logins;
mod logout;
mod needed;
mod oauth_headers;
mod private;
mod remote_text;
mod scopes;
mod session;
mod signing;
mod source;
mod store;
mod tokens;
mod unattended;
mod url_policy;

pub use bearer::{Bearer, BearerProvider};
pub use discover::MissingMetadata;
pub use error::AuthError;
pub use headers_error::{HeadersError, NoHeaders};
pub use helper::{HELPER_LIMIT, Helper, HelperCommand};
pub use key::Key;
pub use login::{LoggedIn, Login};
pub use logins::{CallbackHost, Clock, LoginOptions, Logins, Target};
pub use logout::LoggedOut;
pub use needed::{AUTH_NEEDED_TTL, AuthNeeded, DiscardedFile};
pub use oauth_headers::OAuthHeaders;
pub use private::FileError;
pub use source::{HeaderAttempt, HeaderSource, Headers, LayeredHeaders, StaticHeaders};
#[cfg(feature = "keyring")]
pub use store::KeyringStore;
pub use store::{FileStore, Guard, KeyringError, StoreError, TokenLocation, TokenStore, default_store};
pub use tokens::{Client, Proof, TokenIssuer, Tokens};
pub use url_policy::Network;
