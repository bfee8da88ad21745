//! The endpoint of a provider.

use crate::anthropic::{Credential, StructuredOutput, base_url};
use std::fmt;

/// The address of a provider and the credentials for it.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Endpoint {
    /// The base URL; `None` is the provider's own.
    pub base_url: Option<String>,
    /// The credential. A local server needs none.
    pub credential: Credential,
    /// The way to request JSON of a given schema (Anthropic only).
    pub structured_output: StructuredOutput,
}

impl Endpoint {
    /// Creates an endpoint at the provider's own address.
    #[must_use]
    pub fn with_key(credential: Credential) -> Self {
        Self { base_url: None, credential, structured_output: StructuredOutput::Auto }
    }

    /// Sets the credentials.
    #[must_use]
    pub fn credential(self, credential: Credential) -> Self {
        Self { credential, ..self }
    }

    /// Creates an endpoint for a server without a key.
    #[must_use]
    pub fn at(base_url: impl Into<String>) -> Self {
        Self {
            base_url: Some(base_url.into()),
            credential: Credential::None,
            structured_output: StructuredOutput::Auto,
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A URL may contain a password or a key: only its host is shown.
        let host = self
            .base_url
            .as_deref()
            .map(|url| base_url(url).map_or_else(|_| "?".to_owned(), |(_, host)| host));
        f.debug_struct("Endpoint")
            .field("host", &host)
            .field("credential", &self.credential)
            .field("structured_output", &self.structured_output)
            .finish()
    }
}
