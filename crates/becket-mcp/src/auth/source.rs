//! Sources of request headers: the configuration, a helper's output, the host.
//!
//! A source is asked before the first request and once more when the server has refused one with a 401; it is never
//! asked at each request. It does not send anything.

use std::fmt;
use std::sync::Arc;

use reqwest::header::{HeaderName, HeaderValue};

use crate::auth::{HeadersError, NoHeaders};
use crate::challenge::Challenge;
use crate::host::BoxFuture;
use becket_base::secret::Secret;

/// The reason for which headers are requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// Nothing was sent yet, or the last request was accepted.
    First,
    /// The server refused a request with these headers, and sent this challenge.
    After401(Challenge),
}

/// The headers of a source.
pub type Headers = Vec<(HeaderName, Secret)>;

/// A source of headers. The first request is cheap; many run at once.
pub trait HeaderSource: fmt::Debug + Send + Sync + 'static {
    /// Returns the headers of the next request. After a 401 these are other ones than before, or an error: a source
    /// without others returns [`NoHeaders::AuthNeeded`].
    ///
    /// # Errors
    /// [`NoHeaders::AuthNeeded`] if only the user can help, [`NoHeaders::Failed`] if something is broken.
    fn headers(&self, why: Why) -> BoxFuture<'_, Result<Headers, NoHeaders>>;
}

/// The same headers each time. A 401 is an error, as there are no others.
#[derive(Debug, Clone)]
pub struct StaticHeaders(Headers);

impl StaticHeaders {
    /// Checks configured headers.
    ///
    /// # Errors
    /// A name or a value that HTTP does not allow; the value is not shown.
    pub fn new(configured: &[(String, Secret)]) -> Result<Self, HeadersError> {
        configured.iter().map(|(name, value)| checked(name, value)).collect::<Result<_, _>>().map(Self)
    }
}

impl HeaderSource for StaticHeaders {
    fn headers(&self, why: Why) -> BoxFuture<'_, Result<Headers, NoHeaders>> {
        let answer = match why {
            Why::First => Ok(self.0.clone()),
            Why::After401(challenge) => Err(NoHeaders::AuthNeeded(challenge)),
        };
        Box::pin(std::future::ready(answer))
    }
}

/// Several sources as one. Of two headers with one name that of the later source counts.
///
/// After a 401 each is asked for others. A source without others keeps its headers, as long as another one has new
/// ones.
#[derive(Debug, Clone, Default)]
pub struct LayeredHeaders(Vec<Arc<dyn HeaderSource>>);

impl LayeredHeaders {
    /// Combines sources, from the weakest to the strongest.
    #[must_use]
    pub fn new(sources: Vec<Arc<dyn HeaderSource>>) -> Self {
        Self(sources)
    }

    async fn ask(&self, why: Why) -> Result<Headers, NoHeaders> {
        let (mut all, mut fresh) = (Headers::new(), matches!(why, Why::First));
        for source in &self.0 {
            let given = match source.headers(why.clone()).await {
                Ok(given) => {
                    fresh = true;
                    given
                }
                Err(NoHeaders::AuthNeeded(_)) if matches!(why, Why::After401(_)) => {
                    source.headers(Why::First).await?
                }
                Err(reason) => return Err(reason),
            };
            all.retain(|(name, _)| given.iter().all(|(stronger, _)| stronger != name));
            all.extend(given);
        }
        match why {
            Why::After401(challenge) if !fresh => Err(NoHeaders::AuthNeeded(challenge)),
            Why::First | Why::After401(_) => Ok(all),
        }
    }
}

impl HeaderSource for LayeredHeaders {
    fn headers(&self, why: Why) -> BoxFuture<'_, Result<Headers, NoHeaders>> {
        Box::pin(self.ask(why))
    }
}

/// Converts to a valid HTTP header.
pub(crate) fn checked(name: &str, value: &Secret) -> Result<(HeaderName, Secret), HeadersError> {
    let header = HeaderName::from_bytes(name.as_bytes());
    let header = header.map_err(|_| HeadersError::Name { name: name.to_owned() })?;
    match HeaderValue::from_str(value.expose()) {
        Ok(_) => Ok((header, value.clone())),
        Err(_) => Err(HeadersError::Value { name: name.to_owned() }),
    }
}

#[cfg(test)]
mod tests;
