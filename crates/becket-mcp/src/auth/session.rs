//! The tokens of one server while a host runs: kept in memory, renewed by one task at a time.
//!
//! A renewal is a task of its own. It continues after its waiters are dropped, because a refresh token that was used up
//! must not be lost; it ends without outside help, and [`Session::settled`] waits for it.
//!
//! INVARIANT: tokens change in the store only under the store's guard, and are read again under it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use tokio::sync::OnceCell;
use url::Url;

use crate::auth::AuthError;
use crate::auth::endpoint::{Grant, ask};
use crate::auth::http_client::HttpClient;
use crate::auth::key::Key;
use crate::auth::logins::{Common, LoginOptions, Target};
use crate::auth::store::{Guard, StoreError, TokenLocation};
use crate::auth::tokens::Tokens;
use crate::auth::unattended::UnattendedTokens;
use crate::auth::url_policy::{UrlPolicy, is_loopback};
use crate::config::Tls;
use crate::tls::Files;
use becket_base::secret::Secret;

/// The minimum age of a token for another renewal: the request that was refused had been sent before.
const YOUNG: Duration = Duration::from_secs(2);

/// Returns whether tokens obtained at this time are too new to be replaced.
pub(crate) fn is_young(got: SystemTime, now: SystemTime) -> bool {
    now.duration_since(got).is_ok_and(|age| age < YOUNG)
}

/// The reason for a renewal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stale {
    /// The tokens are about to expire, and usable until then.
    Expiring(Secret),
    /// The server refused this token, or a request without one.
    Refused(Option<Secret>),
}

/// The origin of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenOrigin {
    /// A person has just logged in.
    ByLogin,
    /// The tokens replace earlier ones.
    ByRenewal,
}

type Renewal = Shared<BoxFuture<'static, Result<Option<Tokens>, AuthError>>>;

pub(crate) struct Session {
    key: Key,
    target: Target,
    common: Arc<Common>,
    web: OnceCell<HttpClient>,
    state: Mutex<State>,
    /// The tokens of a server whose grant needs no person.
    unattended: tokio::sync::Mutex<UnattendedTokens>,
}

#[derive(Default)]
struct State {
    tokens: Option<Tokens>,
    /// The token of the last request.
    handed: Option<Secret>,
    renewed: Option<SystemTime>,
    renewal: Option<Renewal>,
}

impl Session {
    pub(crate) fn new(key: Key, target: Target, common: &Arc<Common>) -> Self {
        let (state, unattended) = (Mutex::default(), tokio::sync::Mutex::default());
        Self { key, target, common: Arc::clone(common), web: OnceCell::new(), state, unattended }
    }

    /// Returns the tokens of a grant that needs no person.
    pub(crate) fn unattended(&self) -> &tokio::sync::Mutex<UnattendedTokens> {
        &self.unattended
    }

    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    pub(crate) fn key(&self) -> &Key {
        &self.key
    }

    pub(crate) fn options(&self) -> &LoginOptions {
        &self.common.options
    }

    pub(crate) fn now(&self) -> SystemTime {
        (self.common.options.clock)()
    }

    /// Returns the HTTP client for this server.
    pub(crate) async fn web(&self) -> Result<&HttpClient, AuthError> {
        let Target { url, tls, .. } = &self.target;
        self.web.get_or_try_init(|| new_web(&self.common, url, tls.clone())).await
    }

    /// Returns an HTTP client for another host that the user has named: the server's certificates are not used for it.
    pub(crate) async fn web_of(&self, url: &Url) -> Result<HttpClient, AuthError> {
        new_web(&self.common, url, None).await
    }

    /// Returns the tokens in memory, or those in the store.
    pub(crate) async fn tokens(&self) -> Result<Option<Tokens>, AuthError> {
        let known = self.state().tokens.clone();
        if known.is_some() {
            return Ok(known);
        }
        let found = self.options().store.load(&self.key).await?;
        self.state().tokens.clone_from(&found);
        Ok(found)
    }

    /// Records the token of a request.
    pub(crate) fn hand(&self, token: &Secret) {
        self.state().handed = Some(token.clone());
    }

    /// Returns the token of the last request.
    pub(crate) fn handed(&self) -> Option<Secret> {
        self.state().handed.clone()
    }

    /// Returns tokens other than the refused ones; `None` if only a login helps. Concurrent callers share one renewal.
    pub(crate) async fn renewed(self: &Arc<Self>, stale: Stale) -> Result<Option<Tokens>, AuthError> {
        let renewal = {
            let mut state = self.state();
            let is_young = state.renewed.is_some_and(|renewed| is_young(renewed, self.now()));
            if let Some(tokens) = state.tokens.as_ref().filter(|_| is_young) {
                return Ok(Some(tokens.clone()));
            }
            match state.renewal.take().filter(|renewal| renewal.peek().is_none()) {
                Some(under_way) => state.renewal.insert(under_way).clone(),
                None => state.renewal.insert(Arc::clone(self).renewal(stale)).clone(),
            }
        };
        renewal.await
    }

    /// Waits for a renewal in progress.
    pub(crate) async fn settled(&self) {
        let renewal = self.state().renewal.clone();
        if let Some(renewal) = renewal {
            // The result goes to all waiters.
            let _ = renewal.await;
        }
    }

    /// Locks the store for this session until the guard is dropped.
    pub(crate) async fn guard(&self) -> Result<Guard, StoreError> {
        self.options().store.guard(&self.key).await
    }

    /// Stores new tokens, under the guard, and clears the record that a login is needed. Returns their location.
    pub(crate) async fn keep(
        &self,
        _guard: &Guard,
        tokens: Tokens,
        got: TokenOrigin,
    ) -> Result<TokenLocation, AuthError> {
        let store = &self.options().store;
        let kept = match got {
            TokenOrigin::ByLogin => store.save(&self.key, tokens.clone()).await?,
            TokenOrigin::ByRenewal => store.renew(&self.key, tokens.clone()).await?,
        };
        self.state().tokens = Some(tokens);
        if let Some(needed) = &self.options().needed {
            // A failure here costs a wait of minutes at most, and no token.
            let _ = needed.clear(&self.key, self.now()).await;
        }
        Ok(kept)
    }

    /// Deletes the tokens, under the guard.
    pub(crate) async fn forget(&self, _guard: &Guard) -> Result<(), AuthError> {
        self.options().store.remove(&self.key).await?;
        let mut state = self.state();
        *state = State { renewal: state.renewal.take(), ..State::default() };
        Ok(())
    }

    fn renewal(self: Arc<Self>, stale: Stale) -> Renewal {
        let task = tokio::spawn(async move { self.renew(stale).await });
        task.map(|ended| ended.unwrap_or(Err(AuthError::Cancelled))).boxed().shared()
    }

    async fn renew(&self, stale: Stale) -> Result<Option<Tokens>, AuthError> {
        let guard = self.guard().await?;
        let Some(old) = self.options().store.load(&self.key).await? else {
            self.state().tokens = None;
            return Ok(None);
        };
        let (refused, is_refused) = match &stale {
            Stale::Expiring(token) => (Some(token), false),
            Stale::Refused(token) => (token.as_ref(), true),
        };
        // Another process has renewed them, or the user has logged in.
        if refused != Some(&old.access) && old.is_fresh(self.now()) {
            self.state().tokens = Some(old.clone());
            return Ok(Some(old));
        }
        let does = (!is_refused && old.is_valid(self.now())).then(|| old.clone());
        let Some(refresh) = &old.refresh else { return Ok(does) };
        let grant = Grant::Refresh { token: refresh, scopes: &old.scopes };
        match ask(self.web().await?, &old.issued, &old.client, grant).await {
            Ok(response) => {
                let tokens = response.next(old, self.now());
                self.keep(&guard, tokens.clone(), TokenOrigin::ByRenewal).await?;
                self.state().renewed = Some(self.now());
                Ok(Some(tokens))
            }
            Err(_) if does.is_some() => Ok(does),
            Err(error) if error.is_final() => {
                self.forget(&guard).await?;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Creates the client. The platform's roots and the files of a server are read outside of the threads that drive
/// connections.
async fn new_web(common: &Arc<Common>, url: &Url, tls: Option<Tls>) -> Result<HttpClient, AuthError> {
    let (common, url) = (Arc::clone(common), url.clone());
    let made = tokio::task::spawn_blocking(move || {
        let files = tls.as_ref().map_or_else(Files::default, |tls| Files {
            ca: tls.ca.as_deref(),
            cert: tls.cert.as_deref(),
            key: tls.key.as_deref(),
        });
        // A server on this machine may work without roots, and the machine may have none.
        let config = common.trust.config(files);
        let config =
            config.or_else(|error| if is_loopback(&url) { common.trust.without_roots() } else { Err(error) });
        let config = config.map_err(|error| AuthError::Client(error.to_string().into()))?;
        HttpClient::new(config, UrlPolicy::new(&url, common.options.network))
    });
    made.await.unwrap_or(Err(AuthError::Cancelled))
}

/// Omits the state that all servers share.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("target", &self.target).finish_non_exhaustive()
    }
}
