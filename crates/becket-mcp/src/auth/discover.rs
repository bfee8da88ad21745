//! Where a server has its users log in: its metadata (RFC 9728) and that of its authorisation server (RFC 8414, OpenID).
//!
//! rmcp looks for it, with the challenge of a 401 or without, and checks whose it is. What it lacks is done here: every
//! address is judged before anything is sent to it, nothing is made up where nothing is published, and a user may name
//! the metadata himself.

use reqwest::Method;
use rmcp::transport::auth::{
    AuthError as Rmcp, AuthorizationManager, AuthorizationMetadata, AuthorizationMetadataSource,
};
use serde_json::Value;
use std::sync::Arc;
use url::Url;

use crate::auth::AuthError;
use crate::auth::key::shown;
use crate::auth::scrub::line;
use crate::auth::web::Web;
use crate::fault::Challenge;

/// What is done where a server or an authorisation server says less than it has to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unsaid {
    /// The login fails, and says what is missing.
    #[default]
    Refuse,
    /// As the revision of 2025-03-26 has it: without any metadata the server's own `/authorize`, `/token` and `/register`
    /// are used. S256 is sent even where nobody announces it.
    Assume,
}

/// An authorisation server, as its metadata has it; every address is judged.
#[derive(Debug, Clone)]
pub(crate) struct Authority {
    pub(crate) issuer: Option<String>,
    pub(crate) token: Url,
    pub(crate) revocation: Option<Url>,
    pub(crate) can_register: bool,
    /// It takes the address of a document as the id of a client.
    pub(crate) takes_documents: bool,
    /// It names itself in every answer (RFC 9207).
    pub(crate) says_who: bool,
    /// How clients may prove who they are; none where it does not say.
    pub(crate) proofs: Option<Vec<String>>,
    pub(crate) scopes: Vec<String>,
}

/// Looks for the authorisation server of a server.
pub(crate) async fn discover(
    web: &Web,
    server: &Url,
    challenge: &Challenge,
    unsaid: Unsaid,
) -> Result<(AuthorizationManager, Authority), AuthError> {
    let mut manager = manager(web, server).await?;
    let found = manager.resolve_metadata_from_challenge(challenge.header.as_deref()).await.map_err(mapped)?;
    let is_made_up = matches!(found.source, AuthorizationMetadataSource::LegacyEndpointFallback);
    if is_made_up && unsaid == Unsaid::Refuse {
        return Err(AuthError::NoMetadata);
    }
    let authority = Authority::read(web, &found.metadata, unsaid)?;
    manager.set_metadata(found.metadata);
    Ok((manager, authority))
}

/// Reads the metadata that a user has named.
pub(crate) async fn named(
    web: &Web,
    server: &Url,
    metadata: &Url,
    unsaid: Unsaid,
) -> Result<(AuthorizationManager, Authority), AuthError> {
    let what = "metadata of the authorisation server";
    let request = web.request(Method::GET, metadata).build();
    let request = request.map_err(|error| AuthError::Client(error.without_url().to_string().into()))?;
    let answer = web.send(what, request).await?;
    let wrong = |why: String| AuthError::Metadata(format!("`{}` {why}", shown(metadata)));
    if !answer.status.is_success() {
        return Err(wrong(format!("answers with HTTP {}", answer.status.as_u16())));
    }
    let read: AuthorizationMetadata = serde_json::from_slice(&answer.body).map_err(|error| {
        wrong(format!("has no metadata (line {}, column {})", error.line(), error.column()))
    })?;
    if let Some(expected) = issuer_at(metadata)
        && read.issuer.as_deref().map(without_slash) != Some(without_slash(&expected))
    {
        return Err(AuthError::Issuer { expected, received: read.issuer });
    }
    let authority = Authority::read(web, &read, unsaid)?;
    let mut manager = manager(web, server).await?;
    manager.set_metadata(read);
    Ok((manager, authority))
}

async fn manager(web: &Web, server: &Url) -> Result<AuthorizationManager, AuthError> {
    let mut bare = server.clone();
    bare.set_fragment(None);
    web.reach().check("address of the server", &bare)?;
    AuthorizationManager::new_with_oauth_http_client(bare, Arc::new(web.clone())).await.map_err(mapped)
}

impl Authority {
    fn read(web: &Web, metadata: &AuthorizationMetadata, unsaid: Unsaid) -> Result<Self, AuthError> {
        let judged = |what: &'static str, text: &str| {
            let url: Url = text.parse().map_err(|_| AuthError::Address {
                what,
                url: line(text),
                why: "it is no address".to_owned(),
            })?;
            web.reach().check(what, &url).map(|()| url)
        };
        judged("login page", &metadata.authorization_endpoint)?;
        let token = judged("token endpoint", &metadata.token_endpoint)?;
        let registration = metadata.registration_endpoint.as_deref();
        registration.map(|url| judged("registration endpoint", url)).transpose()?;
        let more = |name: &str| metadata.additional_fields.get(name);
        let says = |name: &str| more(name).and_then(Value::as_bool).unwrap_or_default();
        // One that can't be used is no reason not to log in: it is used for logouts alone.
        let revocation = more("revocation_endpoint").and_then(Value::as_str);
        let announced = metadata.code_challenge_methods_supported.as_ref();
        match announced {
            Some(methods) if !methods.iter().any(|method| method == "S256") => return Err(AuthError::NoPkce),
            None if unsaid == Unsaid::Refuse => return Err(AuthError::NoPkce),
            Some(_) | None => {}
        }
        Ok(Self {
            issuer: metadata.issuer.clone(),
            token,
            revocation: revocation.and_then(|url| judged("revocation endpoint", url).ok()),
            can_register: registration.is_some(),
            takes_documents: says("client_id_metadata_document_supported"),
            says_who: says("authorization_response_iss_parameter_supported"),
            proofs: more("token_endpoint_auth_methods_supported")
                .and_then(Value::as_array)
                .map(|methods| methods.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
            scopes: metadata.scopes_supported.clone().unwrap_or_default(),
        })
    }
}

/// The issuer whose metadata is at an address, where the address is one of the well-known ones.
fn issuer_at(metadata: &Url) -> Option<String> {
    const NAMES: [&str; 2] = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];
    let path = metadata.path();
    let of = |name: &str| path.strip_prefix(name).or_else(|| path.strip_suffix(name));
    let path = NAMES.iter().find_map(|name| of(name))?;
    let mut issuer = metadata.clone();
    issuer.set_query(None);
    issuer.set_path(path);
    Some(issuer.into())
}

/// An issuer at the root of a host is written with and without a slash.
fn without_slash(issuer: &str) -> &str {
    issuer.strip_suffix('/').unwrap_or(issuer)
}

/// What rmcp says, in words of ours. Pieces of documents of strangers are short and on one line.
#[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
pub(crate) fn mapped(error: Rmcp) -> AuthError {
    match error {
        Rmcp::DiscoveryRequestFailed { url, source } => match source.downcast::<AuthError>() {
            Ok(own) => *own,
            Err(other) => AuthError::Unreachable { url: shown(&url), why: line(&other.to_string()) },
        },
        Rmcp::AuthorizationServerMismatch { expected_issuer, received_issuer } => {
            AuthError::Issuer { expected: line(&expected_issuer), received: Some(line(&received_issuer)) }
        }
        Rmcp::AuthorizationServerMissingIssuer { expected_issuer } => {
            AuthError::Issuer { expected: line(&expected_issuer), received: None }
        }
        Rmcp::PkceUnsupported => AuthError::NoPkce,
        Rmcp::NoAuthorizationSupport => AuthError::NoMetadata,
        Rmcp::RegistrationFailed(why) => AuthError::Registration(line(&why)),
        other => AuthError::Metadata(line(&other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_metadata_says_whose_it_is() {
        for (metadata, issuer) in [
            ("https://as.example/.well-known/oauth-authorization-server", Some("https://as.example/")),
            ("https://as.example/.well-known/openid-configuration/t/1?x", Some("https://as.example/t/1")),
            ("https://as.example/t/1/.well-known/openid-configuration", Some("https://as.example/t/1")),
            ("https://as.example/metadata.json", None),
        ] {
            assert_eq!(issuer_at(&metadata.parse().unwrap()).as_deref(), issuer, "{metadata}");
        }
    }
}
