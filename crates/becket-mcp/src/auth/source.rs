//! Sources of request headers: the configuration, a helper's output, the host.
//!
//! A source is called before the first request and once more when the server has refused one with a 401; it is never
//! called for each request. It does not send anything.

use std::fmt;
use std::sync::Arc;

use reqwest::header::{HeaderName, HeaderValue};

use crate::auth::{HeadersError, NoHeaders};
use crate::challenge::Challenge;
use crate::host::BoxFuture;
use becket_base::secret::Secret;

/// The attempt that headers are requested for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderAttempt {
    /// Nothing was sent yet, or the last request was accepted.
    First,
    /// The server refused a request with these headers, and sent this challenge.
    After401(Challenge),
}

/// The headers of a source.
pub type Headers = Vec<(HeaderName, Secret)>;

/// A source of headers. A call with [`HeaderAttempt::First`] is cheap; calls may be concurrent.
pub trait HeaderSource: fmt::Debug + Send + Sync + 'static {
    /// Returns the headers of the next request. After a 401 they have to differ from the previous ones: a source
    /// without others returns [`NoHeaders::AuthNeeded`].
    ///
    /// # Errors
    /// Returns [`NoHeaders::AuthNeeded`] if only the user can help, [`NoHeaders::Failed`] if something is broken.
    fn headers(&self, attempt: HeaderAttempt) -> BoxFuture<'_, Result<Headers, NoHeaders>>;
}

/// A source with the same headers each time. A 401 is an error, as there are no others.
#[derive(Debug, Clone)]
pub struct StaticHeaders(Headers);

impl StaticHeaders {
    /// Checks configured headers.
    ///
    /// # Errors
    /// Errors if HTTP does not allow a name or a value; the value is not shown.
    pub fn new(configured: &[(String, Secret)]) -> Result<Self, HeadersError> {
        configured.iter().map(|(name, value)| checked(name, value)).collect::<Result<_, _>>().map(Self)
    }
}

impl HeaderSource for StaticHeaders {
    fn headers(&self, attempt: HeaderAttempt) -> BoxFuture<'_, Result<Headers, NoHeaders>> {
        let answer = match attempt {
            HeaderAttempt::First => Ok(self.0.clone()),
            HeaderAttempt::After401(challenge) => Err(NoHeaders::AuthNeeded(challenge)),
        };
        Box::pin(std::future::ready(answer))
    }
}

/// Several sources as one. If two headers have the same name, that of the later source counts.
///
/// After a 401 each source is asked for other headers. A source without others keeps its headers, as long as another
/// one has new ones.
#[derive(Debug, Clone, Default)]
pub struct LayeredHeaders(Vec<Arc<dyn HeaderSource>>);

impl LayeredHeaders {
    /// Combines sources, in ascending order of precedence.
    #[must_use]
    pub fn new(sources: Vec<Arc<dyn HeaderSource>>) -> Self {
        Self(sources)
    }

    async fn ask(&self, attempt: HeaderAttempt) -> Result<Headers, NoHeaders> {
        let (mut all, mut fresh) = (Headers::new(), matches!(attempt, HeaderAttempt::First));
        for source in &self.0 {
            let supplied = match source.headers(attempt.clone()).await {
                Ok(supplied) => {
                    fresh = true;
                    supplied
                }
                Err(NoHeaders::AuthNeeded(_)) if matches!(attempt, HeaderAttempt::After401(_)) => {
                    source.headers(HeaderAttempt::First).await?
                }
                Err(reason) => return Err(reason),
            };
            all.retain(|(name, _)| supplied.iter().all(|(stronger, _)| stronger != name));
            all.extend(supplied);
        }
        match attempt {
            HeaderAttempt::After401(challenge) if !fresh => Err(NoHeaders::AuthNeeded(challenge)),
            HeaderAttempt::First | HeaderAttempt::After401(_) => Ok(all),
        }
    }
}

impl HeaderSource for LayeredHeaders {
    fn headers(&self, attempt: HeaderAttempt) -> BoxFuture<'_, Result<Headers, NoHeaders>> {
        Box::pin(self.ask(attempt))
    }
}

/// Converts a name and a value to a valid HTTP header.
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
