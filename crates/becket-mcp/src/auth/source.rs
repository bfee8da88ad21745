//! Sources of request headers: the configuration, a helper's output, the host.
//!
//! A source is asked before the first request and once more when the server has refused one with a 401; it is never
//! asked at each request. It does not send anything.

use std::fmt;
use std::sync::Arc;

use reqwest::header::{HeaderName, HeaderValue};

use crate::auth::HeadersError;
use crate::fault::{Challenge, Fault};
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
    /// Returns the headers of the next request. After a 401 these are other ones than before, or a fault: a source
    /// without others returns [`Fault::AuthNeeded`].
    ///
    /// # Errors
    /// [`Fault::AuthNeeded`] if only the user can help, [`Fault::Headers`] if something is broken.
    fn headers(&self, why: Why) -> BoxFuture<'_, Result<Headers, Fault>>;
}

/// The same headers each time. A 401 is a fault, as there are no others.
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
    fn headers(&self, why: Why) -> BoxFuture<'_, Result<Headers, Fault>> {
        let answer = match why {
            Why::First => Ok(self.0.clone()),
            Why::After401(challenge) => Err(Fault::AuthNeeded(challenge)),
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

    async fn ask(&self, why: Why) -> Result<Headers, Fault> {
        let (mut all, mut fresh) = (Headers::new(), matches!(why, Why::First));
        for source in &self.0 {
            let given = match source.headers(why.clone()).await {
                Ok(given) => {
                    fresh = true;
                    given
                }
                Err(Fault::AuthNeeded(_)) if matches!(why, Why::After401(_)) => {
                    source.headers(Why::First).await?
                }
                Err(fault) => return Err(fault),
            };
            all.retain(|(name, _)| given.iter().all(|(stronger, _)| stronger != name));
            all.extend(given);
        }
        match why {
            Why::After401(challenge) if !fresh => Err(Fault::AuthNeeded(challenge)),
            Why::First | Why::After401(_) => Ok(all),
        }
    }
}

impl HeaderSource for LayeredHeaders {
    fn headers(&self, why: Why) -> BoxFuture<'_, Result<Headers, Fault>> {
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
