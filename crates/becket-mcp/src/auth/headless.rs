//! Authorisation servers without a login page, for grants that need no person.
//!
//! The library requires one anyway. It gets a placeholder, to which no request is ever sent.

use rmcp::transport::auth::{
    AuthorizationManager, AuthorizationMetadata, OAuthClientConfig, OAuthHttpClient, OAuthHttpClientFuture,
    OAuthHttpRequest,
};
use serde_json::Value;
use url::Url;

use crate::auth::AuthError;
use crate::auth::discover::mapped;
use crate::auth::http_client::HttpClient;

/// The placeholder for a missing login page.
const PAGE: &str = "http://127.0.0.1/";

/// Returns the resource of a token request, as the server's metadata names it. The library exposes it only within the
/// address of a login page, which is not opened here.
pub(crate) async fn resource(manager: &mut AuthorizationManager) -> Result<String, AuthError> {
    manager.configure_client(OAuthClientConfig::new("nobody", PAGE)).map_err(mapped)?;
    let url = manager.get_authorization_url(&[]).await.map_err(mapped)?;
    let url: Option<Url> = url.parse().ok();
    let found = url.and_then(|url| {
        url.query_pairs().find(|(name, _)| name == "resource").map(|(_, value)| value.into_owned())
    });
    found.ok_or_else(|| AuthError::Metadata("it does not name the resource".to_owned()))
}

/// Returns the metadata with the members that the library requires before it exposes the resource.
pub(crate) fn metadata(mut metadata: AuthorizationMetadata) -> AuthorizationMetadata {
    PAGE.clone_into(&mut metadata.authorization_endpoint);
    metadata.response_types_supported = Some(vec!["code".to_owned()]);
    metadata.code_challenge_methods_supported = Some(vec!["S256".to_owned()]);
    // Otherwise the library would add `offline_access`, by which a person's tokens are renewed.
    metadata.scopes_supported = None;
    metadata
}

/// Adds the placeholder to metadata without a login page, which the library can't parse. Metadata may omit it if no
/// grant needs one (RFC 8414, 2).
pub(crate) fn body(published: Vec<u8>) -> Vec<u8> {
    let Ok(Value::Object(mut metadata)) = serde_json::from_slice(&published) else { return published };
    if !metadata.contains_key("token_endpoint") || metadata.contains_key("authorization_endpoint") {
        return published;
    }
    metadata.insert("authorization_endpoint".to_owned(), PAGE.into());
    Value::Object(metadata).to_string().into_bytes()
}

/// An HTTP client for metadata that may omit a login page.
pub(crate) struct Headless(pub(crate) HttpClient);

impl OAuthHttpClient for Headless {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move { Ok(self.0.execute(request).await?.map(body)) })
    }
}
