//! Servers of the revision of 2025-03-26, which are their own authorisation servers: their metadata is at the root of
//! their host, and the issuer it names may have a path there.
//!
//! RFC 8414 rejects such an issuer, and so does this crate, unless its host accepts legacy servers
//! ([`crate::auth::MissingMetadata::LegacyFallback`]). It is rejected anyway if the server publishes anything in the
//! newer way, or if the issuer is on another host than the server.

use reqwest::Method;
use rmcp::transport::auth::AuthorizationMetadata;
use url::Url;

use crate::auth::AuthError;
use crate::auth::http_client::{Answer, HttpClient};

/// Returns the metadata at the root of a server's host, if it is a legacy server.
pub(crate) async fn metadata(
    web: &HttpClient,
    server: &Url,
) -> Result<Option<AuthorizationMetadata>, AuthError> {
    let path = server.path().trim_end_matches('/');
    for newer in [format!("/.well-known/oauth-protected-resource{path}"), NEWER.to_owned()] {
        if at(web, server, &newer).await?.status.is_success() {
            return Ok(None);
        }
    }
    let answer = at(web, server, "/.well-known/oauth-authorization-server").await?;
    let read: Option<AuthorizationMetadata> = serde_json::from_slice(&answer.body).ok();
    Ok(read.filter(|metadata| answer.status.is_success() && is_at(metadata, server)))
}

const NEWER: &str = "/.well-known/oauth-protected-resource";

async fn at(web: &HttpClient, server: &Url, path: &str) -> Result<Answer, AuthError> {
    let mut url = server.clone();
    url.set_path(path);
    url.set_query(None);
    url.set_fragment(None);
    let request = web.request(Method::GET, &url).build();
    let request = request.map_err(|error| AuthError::Client(error.without_url().to_string().into()))?;
    web.send("metadata of the authorisation server", request).await
}

/// Returns whether the issuer, and every endpoint of a login, is on the server's host.
fn is_at(metadata: &AuthorizationMetadata, server: &Url) -> bool {
    let issuer = metadata.issuer.as_deref().unwrap_or_default();
    let all = [issuer, &metadata.authorization_endpoint, &metadata.token_endpoint];
    let all = all.into_iter().chain(metadata.registration_endpoint.as_deref());
    all.map(Url::parse).all(|url| url.is_ok_and(|url| url.origin() == server.origin()))
}
