//! `Authorization: Bearer …` with the token of a login.

use std::sync::Arc;

use reqwest::header::AUTHORIZATION;

use crate::auth::session::{Session, Stale};
use crate::auth::source::{HeaderSource, Headers, Why};
use crate::auth::tokens::Tokens;
use crate::auth::{AuthError, HeadersError};
use crate::fault::Fault;
use crate::host::Lent;
use crate::secret::Secret;

/// The headers of a server with a login. A token that is about to expire, or that the server refuses, is renewed once, by
/// whoever of all processes comes first.
#[derive(Debug, Clone)]
pub struct OAuthHeaders(Arc<Session>);

impl OAuthHeaders {
    pub(crate) fn new(session: Arc<Session>) -> Self {
        Self(session)
    }

    async fn ask(&self, why: Why) -> Result<Headers, Fault> {
        let broken = |error: AuthError| Fault::Headers(Arc::new(HeadersError::Login(Arc::new(error))));
        let (stale, challenge) = match why {
            Why::First => match self.0.tokens().await.map_err(broken)? {
                None => return Ok(Headers::new()),
                Some(tokens) if tokens.is_fresh(self.0.now()) => return Ok(self.header(&tokens)),
                Some(tokens) => (Stale::Old(tokens.access), None),
            },
            // The token is good: another one of its kind would not do more.
            Why::After401(challenge) if challenge.is_insufficient_scope() => {
                return Err(Fault::AuthNeeded(challenge));
            }
            Why::After401(challenge) => (Stale::Refused(self.0.handed()), Some(challenge)),
        };
        match self.0.renewed(stale).await.map_err(broken)? {
            Some(tokens) => Ok(self.header(&tokens)),
            None => Err(Fault::AuthNeeded(challenge.unwrap_or_default())),
        }
    }

    fn header(&self, tokens: &Tokens) -> Headers {
        self.0.hand(&tokens.access);
        vec![(AUTHORIZATION, Secret::new(format!("Bearer {}", tokens.access.expose())))]
    }
}

impl HeaderSource for OAuthHeaders {
    fn headers(&self, why: Why) -> Lent<'_, Result<Headers, Fault>> {
        Box::pin(self.ask(why))
    }
}
