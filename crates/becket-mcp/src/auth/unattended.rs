//! Tokens without a person at a browser: the grants by which a client, or the platform that it runs on, authenticates,
//! and the one by which an identity provider vouches for a person.
//! They are requested when the server demands authentication, and again before they expire. They are kept in memory
//! only: the credentials are available in the next run too, so there is nothing to store.
//! only: the credentials are available in the next run too, so there is nothing to store.
//!
//! No other grant is tried after a failure, and a refused request is not repeated at once.
//!
//! INVARIANT: one request runs at a time; concurrent callers get its result.

use std::time::{Duration, Instant, SystemTime};

use tokio::time::timeout;

use crate::auth::client_auth::{AuthenticatedClient, Authenticator, prove};
use crate::auth::discover::Look;
use crate::auth::endpoint::{Grant, ask};
use crate::auth::exchange::TokenExchangeRequest;
use crate::auth::headless::resource;
use crate::auth::logins::Target;
use crate::auth::session::{Session, is_young};
use crate::auth::source::HeaderAttempt;
use crate::auth::tokens::Tokens;
use crate::auth::{AuthError, exchange, scopes};
use crate::challenge::Challenge;

/// The time limit on discovery and the token request.
const LIMIT: Duration = Duration::from_secs(60);
/// The pause after a refusal; without it the client might be locked out.
const REST: Duration = Duration::from_secs(30);

/// The tokens of one server.
#[derive(Debug, Default)]
pub(crate) struct UnattendedTokens {
    tokens: Option<Tokens>,
    got: Option<SystemTime>,
    refused: Option<(Instant, AuthError)>,
    /// The last challenge of the server.
    challenge: Challenge,
}

/// Returns the tokens for a request; `None` until the server has demanded authentication.
pub(crate) async fn tokens(session: &Session, attempt: HeaderAttempt) -> Result<Option<Tokens>, AuthError> {
    let mut state = session.unattended().lock().await;
    let now = session.now();
    match attempt {
        HeaderAttempt::First => match state.tokens.clone() {
            Some(old) if !old.is_fresh(now) => match state.ask(session).await {
                Err(_) if old.is_valid(now) => Ok(Some(old)),
                result => result.map(Some),
            },
            known => Ok(known),
        },
        HeaderAttempt::After401(challenge) => {
            let is_young = state.got.is_some_and(|got| is_young(got, now));
            if let Some(tokens) = state.tokens.as_ref().filter(|_| is_young) {
                return Ok(Some(tokens.clone()));
            }
            state.challenge = challenge;
            state.tokens = None;
            state.ask(session).await.map(Some)
        }
    }
}

impl UnattendedTokens {
    /// Drops the tokens; returns whether there were any.
    pub(crate) fn forget(&mut self) -> bool {
        std::mem::take(self).tokens.is_some()
    }

    async fn ask(&mut self, session: &Session) -> Result<Tokens, AuthError> {
        if let Some((_, error)) = self.refused.as_ref().filter(|(at, _)| at.elapsed() < REST) {
            return Err(error.clone());
        }
        let outcome = timeout(LIMIT, get(session, &self.challenge)).await;
        let outcome = outcome.unwrap_or_else(|_| {
            let why = format!("it gave no token within {} s", LIMIT.as_secs());
            Err(AuthError::Unreachable { url: session.key().url().to_owned(), why })
        });
        match &outcome {
            Ok(tokens) => {
                (self.tokens, self.got, self.refused) = (Some(tokens.clone()), Some(session.now()), None);
            }
            Err(error @ (AuthError::Refused { .. } | AuthError::NotVouched { .. })) => {
                self.refused = Some((Instant::now(), error.clone()))
            }
            Err(_) => {}
        }
        outcome
    }
}

/// Discovers the authorisation server and requests a token from it.
async fn get(session: &Session, challenge: &Challenge) -> Result<Tokens, AuthError> {
    let (web, target, options) = (session.web().await?, session.target(), session.options());
    let Target { oauth, url: server, .. } = target;
    let named = oauth.auth_server_metadata_url.as_ref();
    let look = Look { web, server, named, missing_metadata: options.missing_metadata, wants_person: false };
    let (mut manager, authority) = look.find(challenge).await?;
    let found = manager.select_initial_scopes(&[]).await;
    let scopes = scopes::requested(&oauth.scopes, challenge, None, &[], found)?;
    let resource = resource(&mut manager).await?;
    let AuthenticatedClient { client, by } = prove(oauth, &authority, session.now()).await?;
    let issued = authority.issued(resource);
    let vouched;
    let grant = match &by {
        Authenticator::Itself { signed } => Grant::Client { signed: signed.as_ref(), scopes: &scopes },
        Authenticator::Assertion(token) => Grant::Assertion { token, scopes: &scopes },
        Authenticator::Provider(provider, id_token) => {
            let request = TokenExchangeRequest::new(&authority, &issued.resource, &scopes)?;
            let web = session.web_of(&provider.token_endpoint).await?;
            vouched = exchange::vouched(&web, provider, id_token, &request).await?;
            Grant::Assertion { token: &vouched, scopes: &scopes }
        }
    };
    let response = ask(web, &issued, &client, grant).await?;
    Ok(response.first(scopes, client, issued, session.now()))
}
