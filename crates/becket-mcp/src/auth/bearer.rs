//! Bearer tokens from the host, for servers behind a proxy of the host.

use std::fmt;
use std::sync::Arc;

use reqwest::header::AUTHORIZATION;

use crate::auth::source::{HeaderAttempt, HeaderSource, Headers, checked};
use crate::auth::{HeadersError, NoHeaders};
use crate::host::BoxFuture;
use becket_base::secret::Secret;

/// A host that supplies bearer tokens. It stores and renews them as it likes.
pub trait BearerProvider: Send + Sync + 'static {
    /// Returns a token for a server at an address; `refused` is the one that the server has rejected, which must not
    /// be returned again. `None` means that the user has to log in.
    ///
    /// # Errors
    /// Returns the reason why no token is available now, as a message for the user, without the token.
    fn token<'a>(&'a self, refused: Option<Secret>) -> BoxFuture<'a, Result<Option<Secret>, String>>;
}

/// The header `Authorization: Bearer …` with the host's token.
#[derive(Clone)]
pub struct Bearer {
    provider: Arc<dyn BearerProvider>,
    current: Arc<tokio::sync::Mutex<Option<Secret>>>,
}

impl Bearer {
    /// Creates the source. No token is requested yet.
    #[must_use]
    pub fn new(provider: Arc<dyn BearerProvider>) -> Self {
        Self { provider, current: Arc::default() }
    }

    async fn ask(&self, attempt: HeaderAttempt) -> Result<Headers, NoHeaders> {
        // Locked while the host works: it is called once for many requests that fail at the same time.
        let mut current = self.current.lock().await;
        let (refused, challenge) = match attempt {
            HeaderAttempt::First => (None, None),
            HeaderAttempt::After401(challenge) => (current.clone(), Some(challenge)),
        };
        let token = self.provider.token(refused.clone()).await.map_err(HeadersError::Bearer)?;
        *current = token.clone().filter(|token| refused.as_ref() != Some(token));
        let Some(token) = &*current else { return Err(NoHeaders::AuthNeeded(challenge.unwrap_or_default())) };
        let value = Secret::new(format!("Bearer {}", token.expose()));
        Ok(vec![checked(AUTHORIZATION.as_str(), &value)?])
    }
}

impl HeaderSource for Bearer {
    fn headers(&self, attempt: HeaderAttempt) -> BoxFuture<'_, Result<Headers, NoHeaders>> {
        Box::pin(self.ask(attempt))
    }
}

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bearer(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::challenge::Challenge;
    use std::sync::Mutex;

    /// A provider that returns each of these in turn, and records the refused tokens.
    type Answer = Result<Option<&'static str>, &'static str>;
    struct Lends(Mutex<(Vec<Answer>, Vec<Option<Secret>>)>);

    impl BearerProvider for Lends {
        fn token<'a>(&'a self, refused: Option<Secret>) -> BoxFuture<'a, Result<Option<Secret>, String>> {
            let mut state = self.0.lock().unwrap();
            state.1.push(refused);
            let answer = state.0.remove(0).map(|token| token.map(Secret::new)).map_err(str::to_owned);
            Box::pin(std::future::ready(answer))
        }
    }

    // rule: X1
    #[tokio::test]
    async fn what_the_host_lends_is_sent_and_a_refused_token_is_not_sent_again() {
        let lends =
            vec![Ok(Some("t1")), Ok(Some("t2")), Ok(Some("t2")), Ok(None), Err("offline"), Ok(Some("a\nb"))];
        let host = Arc::new(Lends(Mutex::new((lends, Vec::new()))));
        let bearer = Bearer::new(host.clone());
        let refused = HeaderAttempt::After401(Challenge { header: Some("Bearer".into()) });
        let mut results = Vec::new();
        for attempt in [
            HeaderAttempt::First,
            refused.clone(),
            refused,
            HeaderAttempt::First,
            HeaderAttempt::First,
            HeaderAttempt::First,
        ] {
            results.push(match bearer.headers(attempt).await {
                Ok(headers) => headers[0].1.expose().to_owned(),
                Err(fault) => fault.to_string(),
            });
        }
        let needed = "it needs authentication";
        let bad = "the value of the header `authorization` can't be sent: it has a line end or another control character";
        assert_eq!(
            results,
            ["Bearer t1", "Bearer t2", needed, needed, "the host provides no token: offline", bad]
        );
        let refused: Vec<_> = host.0.lock().unwrap().1.clone();
        assert_eq!(refused, [None, Some("t1".into()), Some("t2".into()), None, None, None]);
        assert!(!format!("{bearer:?}").contains("t2"));
    }
}
