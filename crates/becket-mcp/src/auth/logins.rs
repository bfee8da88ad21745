//! The face: the logins of a host.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use url::Url;

use crate::auth::AuthError;
use crate::auth::discover::Unsaid;
use crate::auth::key::{Key, shown};
use crate::auth::login::Login;
use crate::auth::logout::{LoggedOut, logout};
use crate::auth::needed::AuthNeeded;
use crate::auth::oauth_headers::OAuthHeaders;
use crate::auth::reach::Network;
use crate::auth::session::Session;
use crate::auth::store::TokenStore;
use crate::config::{OAuth, Tls};
use crate::fault::Challenge;
use crate::tls::Trust;

/// What time it is.
pub type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// How a host has its users log in.
#[derive(Clone)]
pub struct LoginOptions {
    /// Where tokens are kept.
    pub store: Arc<dyn TokenStore>,
    /// The servers that want a login; new tokens take a server out of it.
    pub needed: Option<AuthNeeded>,
    /// What time it is.
    pub clock: Clock,
    /// What authorisation servers are told that this program is called.
    pub client_name: String,
    /// Which addresses logins may lead to, beside public ones.
    pub network: Network,
    /// What is done where a server says less than it has to.
    pub unsaid: Unsaid,
    /// The host in the address that browsers are sent back to.
    pub callback_host: CallbackHost,
    /// How long a user may take to log in.
    pub limit: Duration,
    /// A PEM file with authorities that count beside the platform's.
    pub extra_ca: Option<PathBuf>,
}

/// The host in the address that browsers are sent back to. Both mean this machine, and it listens on 127.0.0.1 either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CallbackHost {
    /// `127.0.0.1`, as RFC 8252 wants it.
    #[default]
    Address,
    /// `localhost`, for clients that are registered with that name.
    Localhost,
}

/// A server that may want a login.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// Its name.
    pub server: String,
    /// Its address.
    pub url: Url,
    /// What the user wrote about it.
    pub oauth: OAuth,
    /// Certificates of its own.
    pub tls: Option<Tls>,
}

/// The logins of a host: one for all its servers, cheap to clone.
#[derive(Clone)]
pub struct Logins {
    common: Arc<Common>,
    sessions: Arc<Mutex<HashMap<Key, Arc<Session>>>>,
}

/// What the logins of all servers have in common.
pub(crate) struct Common {
    pub(crate) options: LoginOptions,
    pub(crate) trust: Trust,
}

impl LoginOptions {
    /// Tokens in this store, the clock of the system, five minutes for a login; strict wherever there is a choice.
    #[must_use]
    pub fn new(store: Arc<dyn TokenStore>) -> Self {
        Self {
            store,
            needed: None,
            clock: Arc::new(SystemTime::now),
            client_name: "Becket".to_owned(),
            network: Network::default(),
            unsaid: Unsaid::default(),
            callback_host: CallbackHost::default(),
            limit: Duration::from_secs(5 * 60),
            extra_ca: None,
        }
    }
}

impl Logins {
    /// Nobody is asked for anything yet.
    #[must_use]
    pub fn new(options: LoginOptions) -> Self {
        let trust = Trust::new(options.extra_ca.clone());
        Self { common: Arc::new(Common { options, trust }), sessions: Arc::default() }
    }

    /// The source of the headers of a server: `Authorization` with the token that is kept, renewed where that is due;
    /// nothing as long as there is none.
    #[must_use]
    pub fn headers(&self, target: &Target) -> OAuthHeaders {
        OAuthHeaders::new(self.session(target))
    }

    /// Begins a login: finds the authorisation server, makes this program known there, and listens for the browser. Nothing
    /// is opened: [`Login::url`] is where the user has to go.
    ///
    /// `challenge` is what the server said when it wanted a login; an empty one where it was not asked. One that wants more
    /// scopes is followed once for each set of scopes.
    ///
    /// # Errors
    /// There is nowhere to log in, or not safely.
    pub async fn login(&self, target: &Target, challenge: &Challenge) -> Result<Login, AuthError> {
        Login::start(self.session(target), challenge).await
    }

    /// Forgets the tokens of a server, and has the authorisation server forget them too, where it can: best effort, for a
    /// few seconds.
    ///
    /// # Errors
    /// The tokens are still there.
    pub async fn logout(&self, target: &Target) -> Result<LoggedOut, AuthError> {
        logout(&self.session(target)).await
    }

    /// Whether tokens are kept for a server. They may have expired, or be refused.
    ///
    /// # Errors
    /// What is kept can't be read.
    pub async fn is_logged_in(&self, target: &Target) -> Result<bool, AuthError> {
        let key = Key::new(&target.server, &target.url);
        Ok(self.common.options.store.load(&key).await?.is_some())
    }

    /// Waits for renewals that are under way, so that no token is lost with the process.
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
            .field("unsaid", &self.unsaid)
            .field("callback_host", &self.callback_host)
            .field("limit", &self.limit)
            .field("extra_ca", &self.extra_ca)
            .finish_non_exhaustive()
    }
}

/// A query may hold a key.
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
