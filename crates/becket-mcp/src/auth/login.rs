//! One login, from discovery to the tokens in the store.
//!
//! It does not open a browser, use a code that does not belong to it, or ask twice for scopes that were not granted the
//! first time.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use becket_process::CancellationToken;
use rmcp::transport::auth::{AuthorizationManager, InMemoryStateStore, StateStore};
use tokio::time::timeout;
use url::Url;

use crate::auth::callback::{self, AuthorizationResponse, Callback};
use crate::auth::client::{RegistrationRequest, client};
use crate::auth::discover::{Authority, Look, mapped};
use crate::auth::endpoint::{Grant, ask};
use crate::auth::logins::CallbackHost;
use crate::auth::remote_text::line;
use crate::auth::session::{Session, TokenOrigin};
use crate::auth::store::TokenLocation;
use crate::auth::tokens::{Client, TokenIssuer, Tokens};
use crate::auth::{AuthError, scopes};
use crate::challenge::Challenge;
use becket_base::secret::Secret;

/// The time limit on discovery and client registration.
const START: Duration = Duration::from_secs(60);

/// A login that waits for its user. Dropping it cancels the login and closes the listener.
pub struct Login {
    session: Arc<Session>,
    url: Url,
    callback: Callback,
    pending: PendingAuthorization,
}

/// The result of a login.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoggedIn {
    /// The scopes that were granted.
    pub scopes: Vec<String>,
    /// The expiry of the token; it is renewed if possible.
    pub expires_at: Option<SystemTime>,
    /// True if it can be renewed without the user.
    pub is_renewable: bool,
    /// The location of the stored tokens.
    pub kept: TokenLocation,
}

/// An authorization request, with the data that identifies its response.
struct PendingAuthorization {
    state: Secret,
    verifier: Secret,
    redirect: String,
    scopes: Vec<String>,
    client: Client,
    issued: TokenIssuer,
    says_who: bool,
}

impl Login {
    pub(crate) async fn start(session: Arc<Session>, challenge: &Challenge) -> Result<Self, AuthError> {
        let grant = &session.target().oauth.grant;
        if !grant.wants_person() {
            return Err(AuthError::NoPerson { grant: grant.name() });
        }
        let begun = timeout(START, Self::begin(&session, challenge)).await;
        let (url, callback, pending) = begun.map_err(|_| AuthError::Unreachable {
            url: session.key().url().to_owned(),
            why: format!("discovery and registration did not finish within {} s", START.as_secs()),
        })??;
        Ok(Self { session, url, callback, pending })
    }

    async fn begin(
        session: &Session,
        challenge: &Challenge,
    ) -> Result<(Url, Callback, PendingAuthorization), AuthError> {
        let (target, options) = (session.target(), session.options());
        // Checked first: a store that can't be read would lose the tokens.
        let kept = options.store.load(session.key()).await?;
        options.store.ready(session.key()).await?;
        let callback = Callback::open(target.oauth.callback_port).await?;
        let redirect = callback.address(match options.callback_host {
            CallbackHost::Address => "127.0.0.1",
            CallbackHost::Localhost => "localhost",
        });
        let web = session.web().await?;
        let named = target.oauth.auth_server_metadata_url.as_ref();
        let look = Look {
            web,
            server: &target.url,
            named,
            missing_metadata: options.missing_metadata,
            wants_person: true,
        };
        let (mut manager, authority) = look.find(challenge).await?;
        let found = manager.select_initial_scopes(&[]).await;
        let scopes =
            scopes::requested(&target.oauth.scopes, challenge, kept.as_ref(), &authority.scopes, found)?;
        let request =
            RegistrationRequest { name: &options.client_name, redirect: &redirect, scopes: &scopes };
        let client = client(&mut manager, &authority, &target.oauth, &request).await?;
        let (url, pending) = PendingAuthorization::new(manager, authority, client, redirect, scopes).await?;
        Ok((url, callback, pending))
    }

    /// Returns the address that the user has to open in a browser, `http` or `https`. It is valid for this login only.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Waits for the redirect, requests the tokens and stores them.
    ///
    /// Errors if no redirect arrived within [`crate::auth::LoginOptions::limit`], the login was refused or is not the
    /// one that was begun, no token was issued, or it can't be stored.
    /// was begun, no token was issued, or it can't be stored.
    pub async fn finish(self, cancel: &CancellationToken) -> Result<LoggedIn, AuthError> {
        let Self { session, callback, pending, .. } = self;
        let limit = session.options().limit;
        let returned = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(AuthError::Cancelled),
            returned = timeout(limit, callback.wait(&pending.state)) => returned,
        };
        let returned = returned.map_err(|_| AuthError::TimedOut { limit })?;
        complete(&session, pending, returned).await
    }

    /// Finishes the login with the redirect address of a browser on another machine.
    ///
    /// # Errors
    /// Errors as [`Login::finish`] does, or if the address belongs to another login, or to none.
    pub async fn finish_with(self, address: &str) -> Result<LoggedIn, AuthError> {
        let returned = callback::read(address, &self.pending.state)?;
        drop(self.callback);
        complete(&self.session, self.pending, returned).await
    }
}

async fn complete(
    session: &Session,
    pending: PendingAuthorization,
    returned: AuthorizationResponse,
) -> Result<LoggedIn, AuthError> {
    pending.check(returned.issuer.as_deref())?;
    let code = returned
        .outcome
        .map_err(|(error, why)| AuthError::Denied { error: line(&error), description: line(&why) })?;
    let PendingAuthorization { verifier, redirect, scopes, client, issued, .. } = pending;
    let grant = Grant::Code { code: &code, verifier: &verifier, redirect: &redirect };
    let response = ask(session.web().await?, &issued, &client, grant).await?;
    let tokens: Tokens = response.first(scopes, client, issued, session.now());
    let (scopes, expires_at) = (tokens.scopes.clone(), tokens.expires_at);
    let is_renewable = tokens.refresh.is_some();
    let guard = session.guard().await?;
    let kept = session.keep(&guard, tokens, TokenOrigin::ByLogin).await?;
    Ok(LoggedIn { scopes, expires_at, is_renewable, kept })
}

impl PendingAuthorization {
    /// Builds the address of the login page, with PKCE, `state` and the resource, and the data for checking the
    /// response.
    async fn new(
        mut manager: AuthorizationManager,
        authority: Authority,
        client: Client,
        redirect: String,
        scopes: Vec<String>,
    ) -> Result<(Url, Self), AuthError> {
        let states = InMemoryStateStore::new();
        manager.set_state_store(states.clone());
        let names: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let url = manager.get_authorization_url(&names).await.map_err(mapped)?;
        let bad = |what: &str| AuthError::Metadata(what.to_owned());
        let url: Url = url.parse().map_err(|_| bad("the address of the login page is invalid"))?;
        let value = |wanted: &str| {
            let mut found = url.query_pairs().filter(|(name, _)| name == wanted);
            // A parameter that already exists would occur twice, and either value could count.
            found.next().filter(|_| found.next().is_none()).map(|(_, value)| value.into_owned())
        };
        let doubled = || bad("the address of the login page has parameters of its own that stand for ours");
        let state = value("state").ok_or_else(doubled)?;
        let resource = value("resource").ok_or_else(doubled)?;
        let kept = states.load(&state).await.map_err(mapped)?.ok_or_else(doubled)?;
        for ours in ["client_id", "code_challenge", "code_challenge_method", "redirect_uri", "response_type"]
        {
            value(ours).ok_or_else(doubled)?;
        }
        let issued = authority.issued(resource);
        let (state, verifier) = (Secret::new(state), Secret::new(kept.pkce_verifier));
        let says_who = authority.says_who;
        Ok((url, Self { state, verifier, redirect, scopes, client, issued, says_who }))
    }

    /// Checks that a response comes from the authorisation server that was asked (RFC 9207).
    fn check(&self, received: Option<&str>) -> Result<(), AuthError> {
        let is_same = match (self.issued.issuer.as_deref(), received) {
            (expected, Some(_)) => expected == received,
            (Some(_), None) => !self.says_who,
            (None, None) => true,
        };
        if is_same {
            return Ok(());
        }
        let expected = self.issued.issuer.clone().unwrap_or_else(|| "one without a name".to_owned());
        Err(AuthError::Issuer { expected: line(&expected), received: received.map(line) })
    }
}

/// Omits the address: anyone who has it can finish the login in the user's place.
impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login")
            .field("session", &self.session)
            .field("redirect", &self.pending.redirect)
            .field("scopes", &self.pending.scopes)
            .finish_non_exhaustive()
    }
}
