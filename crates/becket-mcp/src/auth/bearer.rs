//! Bearer tokens from the host, for servers behind a proxy of the host.

use std::fmt;
use std::sync::Arc;

use reqwest::header::AUTHORIZATION;

use crate::auth::source::{HeaderSource, Headers, Why, checked};
use crate::auth::{HeadersError, NoHeaders};
use crate::host::BoxFuture;
use becket_base::secret::Secret;

/// A host that supplies bearer tokens. It stores and renews them as it likes.
pub trait BearerProvider: Send + Sync + 'static {
    /// A token for a server at an address; `refused` is the one that the server has rejected, which must not be
    /// returned again. `None`: the user has to log in.
    ///
    /// # Errors
    /// The reason for which none is available now, in words for the user, without the token.
    fn token<'a>(&'a self, refused: Option<Secret>) -> BoxFuture<'a, Result<Option<Secret>, String>>;
}

/// The header `Authorization: Bearer …` with the host's token.
#[derive(Clone)]
pub struct Bearer {
    provider: Arc<dyn BearerProvider>,
    given: Arc<tokio::sync::Mutex<Option<Secret>>>,
}

impl Bearer {
    /// Creates the source. No token is requested yet.
    #[must_use]
    pub fn new(provider: Arc<dyn BearerProvider>) -> Self {
        Self { provider, given: Arc::default() }
    }

    async fn ask(&self, why: Why) -> Result<Headers, NoHeaders> {
        // Held while the host works: it is asked once for many requests that fail at the same time.
        let mut given = self.given.lock().await;
        let (refused, challenge) = match why {
            Why::First => (None, None),
            Why::After401(challenge) => (given.clone(), Some(challenge)),
        };
        let token = self.provider.token(refused.clone()).await.map_err(HeadersError::Bearer)?;
        *given = token.clone().filter(|token| refused.as_ref() != Some(token));
        let Some(token) = &*given else { return Err(NoHeaders::AuthNeeded(challenge.unwrap_or_default())) };
        let value = Secret::new(format!("Bearer {}", token.expose()));
        Ok(vec![checked(AUTHORIZATION.as_str(), &value)?])
    }
}

impl HeaderSource for Bearer {
    fn headers(&self, why: Why) -> BoxFuture<'_, Result<Headers, NoHeaders>> {
        Box::pin(self.ask(why))
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

    /// Supplies each of these in turn, and records what was refused.
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
        let refused = Why::After401(Challenge { header: Some("Bearer".into()) });
        let mut said = Vec::new();
        for why in [Why::First, refused.clone(), refused, Why::First, Why::First, Why::First] {
            said.push(match bearer.headers(why).await {
                Ok(headers) => headers[0].1.expose().to_owned(),
                Err(fault) => fault.to_string(),
            });
        }
        let needed = "it needs authentication";
        let bad = "the value of the header `authorization` can't be sent: it has a line end or another control character";
        assert_eq!(
            said,
            ["Bearer t1", "Bearer t2", needed, needed, "the host provides no token: offline", bad]
        );
        let refused: Vec<_> = host.0.lock().unwrap().1.clone();
        assert_eq!(refused, [None, Some("t1".into()), Some("t2".into()), None, None, None]);
        assert!(!format!("{bearer:?}").contains("t2"));
    }
}
