//! The logins of a host.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use url::Url;

use crate::auth::AuthError;
use crate::auth::discover::MissingMetadata;
use crate::auth::key::{Key, shown};
use crate::auth::login::Login;
use crate::auth::logout::{LoggedOut, logout};
use crate::auth::needed::AuthNeeded;
use crate::auth::oauth_headers::OAuthHeaders;
use crate::auth::session::Session;
use crate::auth::store::TokenStore;
use crate::auth::url_policy::Network;
use crate::challenge::Challenge;
use crate::config::{OAuth, Tls};
use crate::tls::Trust;

/// A function that returns the current time.
pub type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// Options for the logins of a host's users.
#[derive(Clone)]
pub struct LoginOptions {
    /// The store of tokens.
    pub store: Arc<dyn TokenStore>,
    /// The servers that need a login; new tokens remove a server from it.
    pub needed: Option<AuthNeeded>,
    /// The clock.
    pub clock: Clock,
    /// The name under which this program registers at authorisation servers.
    pub client_name: String,
    /// The addresses that logins may lead to, in addition to public ones.
    pub network: Network,
    /// The behaviour if a server publishes less metadata than it has to.
    pub missing_metadata: MissingMetadata,
    /// The host in the redirect URI.
    pub callback_host: CallbackHost,
    /// The time limit on the user's part of a login.
    pub limit: Duration,
    /// A PEM file with authorities to trust in addition to the platform's.
    pub extra_ca: Option<PathBuf>,
}

/// The host in the redirect URI. Both mean this machine, and it listens on 127.0.0.1 either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CallbackHost {
    /// `127.0.0.1`, as RFC 8252 recommends.
    #[default]
    Address,
    /// `localhost`, for clients that are registered with that name.
    Localhost,
}

/// A server that may want a login.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// The name of the server.
    pub server: String,
    /// The address of the server.
    pub url: Url,
    /// The user's configuration of OAuth for it.
    pub oauth: OAuth,
    /// TLS roots and a client certificate.
    pub tls: Option<Tls>,
}

/// The logins of a host: one for all its servers, cheap to clone.
#[derive(Clone)]
pub struct Logins {
    common: Arc<Common>,
    sessions: Arc<Mutex<HashMap<Key, Arc<Session>>>>,
}

/// The state that the logins of all servers share.
pub(crate) struct Common {
    pub(crate) options: LoginOptions,
    pub(crate) trust: Trust,
}

impl LoginOptions {
    /// Creates options with this store, the clock of the system, five minutes for a login, and the strict choice
    /// everywhere.
    #[must_use]
    pub fn new(store: Arc<dyn TokenStore>) -> Self {
        Self {
            store,
            needed: None,
            clock: Arc::new(SystemTime::now),
            client_name: "Becket".to_owned(),
            network: Network::default(),
            missing_metadata: MissingMetadata::default(),
            callback_host: CallbackHost::default(),
            limit: Duration::from_secs(5 * 60),
            extra_ca: None,
        }
    }
}

impl Logins {
    /// Creates the logins of a host. No request is made yet.
    #[must_use]
    pub fn new(options: LoginOptions) -> Self {
        let trust = Trust::new(options.extra_ca.clone());
        Self { common: Arc::new(Common { options, trust }), sessions: Arc::default() }
    }

    /// Returns the source of a server's headers: `Authorization` with the stored token, renewed when due; no header
    /// without a token.
    #[must_use]
    pub fn headers(&self, target: &Target) -> OAuthHeaders {
        OAuthHeaders::new(self.session(target))
    }

    /// Begins a login: finds the authorisation server, makes this program known there, and listens for the browser. No
    /// browser is opened: the user has to open [`Login::url`].
    ///
    /// `challenge` comes from the server's 401 or 403; it is empty if no request was made. A challenge for more scopes
    /// is followed once for each set of scopes.
    ///
    /// # Errors
    /// Errors if no authorisation server was found, or none that is safe to use.
    pub async fn login(&self, target: &Target, challenge: &Challenge) -> Result<Login, AuthError> {
        Login::start(self.session(target), challenge).await
    }

    /// Deletes the tokens of a server, and revokes them at the authorisation server if it supports that: best effort,
    /// for a few seconds.
    ///
    /// # Errors
    /// Errors if the tokens could not be deleted.
    pub async fn logout(&self, target: &Target) -> Result<LoggedOut, AuthError> {
        logout(&self.session(target)).await
    }

    /// Returns whether tokens are stored for a server. They may have expired, or be refused.
    ///
    /// # Errors
    /// Errors if the store can't be read.
    pub async fn is_logged_in(&self, target: &Target) -> Result<bool, AuthError> {
        let key = Key::new(&target.server, &target.url);
        Ok(self.common.options.store.load(&key).await?.is_some())
    }

    /// Waits for renewals in progress, so that no token is lost with the process.
    pub async fn settled(&self) {
        let sessions: Vec<Arc<Session>> = self.sessions().values().cloned().collect();
        for session in sessions {
            session.settled().await;
        }
    }

    fn session(&self, target: &Target) -> Arc<Session> {
        let key = Key::new(&target.server, &target.url);
        let mut sessions = self.sessions();
        if let Some(session) = sessions.get(&key).filter(|session| *session.target() == *target) {
            return Arc::clone(session);
        }
        let session = Arc::new(Session::new(key.clone(), target.clone(), &self.common));
        sessions.insert(key, Arc::clone(&session));
        session
    }

    fn sessions(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for LoginOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginOptions")
            .field("store", &self.store)
            .field("needed", &self.needed)
            .field("client_name", &self.client_name)
            .field("network", &self.network)
            .field("missing_metadata", &self.missing_metadata)
            .field("callback_host", &self.callback_host)
            .field("limit", &self.limit)
            .field("extra_ca", &self.extra_ca)
            .finish_non_exhaustive()
    }
}

/// Omits the query of the address, which may contain a key.
impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("server", &self.server)
            .field("url", &shown(&self.url))
            .field("oauth", &self.oauth)
            .field("tls", &self.tls)
            .finish()
    }
}

impl fmt::Debug for Logins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logins").field("options", &self.common.options).finish_non_exhaustive()
    }
}
