//! `Authorization: Bearer …` with the token of a login.

use std::sync::Arc;

use reqwest::header::AUTHORIZATION;

use crate::auth::session::{Session, Stale};
use crate::auth::source::{HeaderAttempt, HeaderSource, Headers};
use crate::auth::tokens::Tokens;
use crate::auth::{AuthError, HeadersError, NoHeaders, unattended};
use crate::host::BoxFuture;
use becket_base::secret::Secret;

/// The headers of a server with a login. A token that is about to expire, or that the server refuses, is renewed once,
/// by the first of all processes; with a grant that needs no person, each process gets its own.
#[derive(Debug, Clone)]
pub struct OAuthHeaders(Arc<Session>);

impl OAuthHeaders {
    pub(crate) fn new(session: Arc<Session>) -> Self {
        Self(session)
    }

    /// Returns the headers for a grant that needs no person.
    async fn ask_unattended(&self, attempt: HeaderAttempt) -> Result<Headers, NoHeaders> {
        if let HeaderAttempt::After401(challenge) = &attempt
            && challenge.is_insufficient_scope()
        {
            // More scopes can only be requested by configuring them.
            return Err(NoHeaders::AuthNeeded(challenge.clone()));
        }
        let tokens = unattended::tokens(&self.0, attempt).await.map_err(broken)?;
        Ok(tokens.map(|tokens| self.header(&tokens)).unwrap_or_default())
    }

    async fn ask(&self, attempt: HeaderAttempt) -> Result<Headers, NoHeaders> {
        let (stale, challenge) = match attempt {
            HeaderAttempt::First => match self.0.tokens().await.map_err(broken)? {
                None => return Ok(Headers::new()),
                Some(tokens) if tokens.is_fresh(self.0.now()) => return Ok(self.header(&tokens)),
                Some(tokens) => (Stale::Expiring(tokens.access), None),
            },
            // The token is valid: another one with the same scopes would not help.
            HeaderAttempt::After401(challenge) if challenge.is_insufficient_scope() => {
                return Err(NoHeaders::AuthNeeded(challenge));
            }
            HeaderAttempt::After401(challenge) => (Stale::Refused(self.0.handed()), Some(challenge)),
        };
        match self.0.renewed(stale).await.map_err(broken)? {
            Some(tokens) => Ok(self.header(&tokens)),
            None => Err(NoHeaders::AuthNeeded(challenge.unwrap_or_default())),
        }
    }

    fn header(&self, tokens: &Tokens) -> Headers {
        self.0.hand(&tokens.access);
        vec![(AUTHORIZATION, Secret::new(format!("Bearer {}", tokens.access.expose())))]
    }
}

impl HeaderSource for OAuthHeaders {
    fn headers(&self, attempt: HeaderAttempt) -> BoxFuture<'_, Result<Headers, NoHeaders>> {
        if self.0.target().oauth.grant.wants_person() {
            Box::pin(self.ask(attempt))
        } else {
            Box::pin(self.ask_unattended(attempt))
        }
    }
}

fn broken(error: AuthError) -> NoHeaders {
    HeadersError::Login(Arc::new(error)).into()
}
