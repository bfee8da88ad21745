//! Discovery of a server's authorisation server: its metadata (RFC 9728) and that of its authorisation server (RFC
//! 8414, OpenID).
//!
//! rmcp does the discovery, with or without the challenge of a 401, and checks the issuer. The missing parts are here:
//! every address is checked before anything is sent to it, no metadata is assumed if none is published, and a user may
//! name the metadata.

use reqwest::Method;
use rmcp::transport::auth::{
    AuthError as Rmcp, AuthorizationManager, AuthorizationMetadata, AuthorizationMetadataSource,
    OAuthHttpClient,
};
use serde_json::Value;
use std::sync::Arc;
use url::Url;

use crate::auth::AuthError;
use crate::auth::headless::{self, Headless};
use crate::auth::http_client::HttpClient;
use crate::auth::key::shown;
use crate::auth::legacy_metadata;
use crate::auth::remote_text::line;
use crate::auth::tokens::TokenIssuer;
use crate::challenge::Challenge;

/// The behaviour if a server or an authorisation server publishes less metadata than it has to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingMetadata {
    /// The login fails, and the error names the missing metadata.
    #[default]
    Reject,
    /// Follows the revision of 2025-03-26: without any metadata the server's own `/authorize`, `/token` and `/register`
    /// are used. S256 is sent even if it is not announced. A server that is its own authorisation server, and publishes
    /// nothing in the newer way, may name an issuer that has a path on its own host.
    LegacyFallback,
}

/// An authorisation server, by its metadata; every address has been checked.
#[derive(Debug, Clone)]
pub(crate) struct Authority {
    pub(crate) issuer: Option<String>,
    pub(crate) token: Url,
    pub(crate) revocation: Option<Url>,
    pub(crate) can_register: bool,
    /// True if it supports the address of a document as the id of a client.
    pub(crate) takes_documents: bool,
    /// True if it names itself in every response (RFC 9207).
    pub(crate) says_who: bool,
    /// Supported methods of client authentication, if published.
    pub(crate) proofs: Option<Vec<String>>,
    /// Supported grants, if published.
    pub(crate) grants: Option<Vec<String>>,
    /// Supported signature algorithms for client assertions, if published.
    pub(crate) signatures: Option<Vec<String>>,
    pub(crate) scopes: Vec<String>,
}

/// The discovery of a server's authorisation server.
pub(crate) struct Look<'a> {
    pub(crate) web: &'a HttpClient,
    pub(crate) server: &'a Url,
    /// The address of the metadata, if the user has named it.
    pub(crate) named: Option<&'a Url>,
    pub(crate) missing_metadata: MissingMetadata,
    /// True if a person will open its login page; otherwise it need not have one.
    pub(crate) wants_person: bool,
}

impl Look<'_> {
    /// Discovers the authorisation server, from the challenge of the server.
    pub(crate) async fn find(
        &self,
        challenge: &Challenge,
    ) -> Result<(AuthorizationManager, Authority), AuthError> {
        let mut manager = self.manager().await?;
        let metadata = match self.named {
            Some(named) => self.read(named).await?,
            None => self.discover(&manager, challenge).await?,
        };
        let authority = Authority::read(self, &metadata)?;
        manager.set_metadata(if self.wants_person { metadata } else { headless::metadata(metadata) });
        Ok((manager, authority))
    }

    async fn manager(&self) -> Result<AuthorizationManager, AuthError> {
        let mut bare = self.server.clone();
        bare.set_fragment(None);
        self.web.policy().check("address of the server", &bare)?;
        let web = self.web.clone();
        let client: Arc<dyn OAuthHttpClient> =
            if self.wants_person { Arc::new(web) } else { Arc::new(Headless(web)) };
        AuthorizationManager::new_with_oauth_http_client(bare, client).await.map_err(mapped)
    }

    async fn discover(
        &self,
        manager: &AuthorizationManager,
        challenge: &Challenge,
    ) -> Result<AuthorizationMetadata, AuthError> {
        let found = match manager.resolve_metadata_from_challenge(challenge.header.as_deref()).await {
            Err(error @ Rmcp::AuthorizationServerMismatch { .. })
                if self.missing_metadata == MissingMetadata::LegacyFallback
                    && !challenge.names_metadata() =>
            {
                let metadata = legacy_metadata::metadata(self.web, self.server).await?;
                return metadata.ok_or_else(|| mapped(error));
            }
            found => found.map_err(mapped)?,
        };
        let is_made_up = matches!(found.source, AuthorizationMetadataSource::LegacyEndpointFallback);
        if is_made_up && self.missing_metadata == MissingMetadata::Reject {
            return Err(AuthError::NoMetadata);
        }
        Ok(found.metadata)
    }

    /// Reads the metadata that a user has named.
    async fn read(&self, metadata: &Url) -> Result<AuthorizationMetadata, AuthError> {
        let what = "metadata of the authorisation server";
        let request = self.web.request(Method::GET, metadata).build();
        let request = request.map_err(|error| AuthError::Client(error.without_url().to_string().into()))?;
        let answer = self.web.send(what, request).await?;
        let wrong = |why: String| AuthError::Metadata(format!("`{}` {why}", shown(metadata)));
        if !answer.status.is_success() {
            return Err(wrong(format!("answers with HTTP {}", answer.status.as_u16())));
        }
        let body = if self.wants_person { answer.body } else { headless::body(answer.body) };
        let read: AuthorizationMetadata = serde_json::from_slice(&body).map_err(|error| {
            wrong(format!("has no metadata (line {}, column {})", error.line(), error.column()))
        })?;
        if let Some(expected) = issuer_at(metadata)
            && read.issuer.as_deref().map(without_slash) != Some(without_slash(&expected))
        {
            return Err(AuthError::Issuer { expected, received: read.issuer });
        }
        Ok(read)
    }
}

impl Authority {
    fn read(look: &Look<'_>, metadata: &AuthorizationMetadata) -> Result<Self, AuthError> {
        let judged = |what: &'static str, text: &str| {
            let url: Url = text.parse().map_err(|_| AuthError::Address {
                what,
                url: line(text),
                why: "it is not an address".to_owned(),
            })?;
            look.web.policy().check(what, &url).map(|()| url)
        };
        let token = judged("token endpoint", &metadata.token_endpoint)?;
        let registration = metadata.registration_endpoint.as_deref();
        if look.wants_person {
            judged("login page", &metadata.authorization_endpoint)?;
            registration.map(|url| judged("registration endpoint", url)).transpose()?;
            is_protected(metadata, look.missing_metadata)?;
        }
        let more = |name: &str| metadata.additional_fields.get(name);
        let says = |name: &str| more(name).and_then(Value::as_bool).unwrap_or_default();
        // An invalid one does not prevent the login: it is only needed for logouts.
        let revocation = more("revocation_endpoint").and_then(Value::as_str);
        let names = |name: &str| {
            let all = more(name).and_then(Value::as_array)?.iter().filter_map(Value::as_str);
            Some(all.map(str::to_owned).collect::<Vec<_>>())
        };
        Ok(Self {
            issuer: metadata.issuer.clone(),
            token,
            revocation: revocation.and_then(|url| judged("revocation endpoint", url).ok()),
            can_register: registration.is_some(),
            takes_documents: says("client_id_metadata_document_supported"),
            says_who: says("authorization_response_iss_parameter_supported"),
            proofs: names("token_endpoint_auth_methods_supported"),
            grants: names("grant_types_supported"),
            signatures: names("token_endpoint_auth_signing_alg_values_supported"),
            scopes: metadata.scopes_supported.clone().unwrap_or_default(),
        })
    }

    /// Returns the issuer data to store with tokens for this resource.
    pub(crate) fn issued(&self, resource: String) -> TokenIssuer {
        TokenIssuer {
            issuer: self.issuer.clone(),
            token_endpoint: self.token.clone(),
            revocation_endpoint: self.revocation.clone(),
            resource,
        }
    }

    /// Checks that it supports a grant, according to its metadata.
    pub(crate) fn offers(&self, grant: &str) -> Result<(), AuthError> {
        takes(self.grants.as_deref(), &[grant], || format!("the grant `{grant}`"))
    }

    /// Checks that it supports one of these methods of client authentication, according to its metadata.
    pub(crate) fn takes_one_of(&self, proofs: &[&str]) -> Result<(), AuthError> {
        let wanted = || proofs.iter().map(|proof| format!("`{proof}`")).collect::<Vec<_>>().join(" or ");
        takes(self.proofs.as_deref(), proofs, || format!("a client's proof by {}", wanted()))
    }
}

fn takes(taken: Option<&[String]>, wanted: &[&str], what: impl Fn() -> String) -> Result<(), AuthError> {
    match taken {
        Some(taken) if !taken.iter().any(|known| wanted.contains(&known.as_str())) => {
            let taken = taken.iter().map(|known| line(known)).collect();
            Err(AuthError::NotTaken { wanted: what(), taken })
        }
        Some(_) | None => Ok(()),
    }
}

/// Returns whether codes are protected by PKCE.
fn is_protected(
    metadata: &AuthorizationMetadata,
    missing_metadata: MissingMetadata,
) -> Result<(), AuthError> {
    match &metadata.code_challenge_methods_supported {
        Some(methods) if !methods.iter().any(|method| method == "S256") => Err(AuthError::NoPkce),
        None if missing_metadata == MissingMetadata::Reject => Err(AuthError::NoPkce),
        Some(_) | None => Ok(()),
    }
}

/// Returns the issuer whose metadata is at this address, if the address is a well-known one.
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

/// Converts an error of rmcp. Quoted pieces of remote documents are short and on one line.
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
