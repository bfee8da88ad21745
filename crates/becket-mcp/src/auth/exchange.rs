//! Exchange of a person's identity token for a grant that the authorisation server of an MCP server accepts: cross-app
//! access, in which the identity provider of an enterprise decides who may use what (SEP-990; RFC 8693).
//!
//! The identity token goes to the provider that the user has named, and nowhere else; the grant that it returns goes
//! to the authorisation server that it was requested for, once.
//!
//! INVARIANT: neither of the two is in an error, in whatever form the provider echoes them.

use reqwest::Method;
use serde::Deserialize;
use serde_json::Value;
use url::form_urlencoded::Serializer;

use crate::auth::AuthError;
use crate::auth::client_auth::claims;
use crate::auth::discover::Authority;
use crate::auth::endpoint::{Bad, authenticated};
use crate::auth::http_client::{Answer, HttpClient};
use crate::auth::key::shown;
use crate::auth::tokens::{Client, Proof};
use crate::config::IdentityProvider;
use becket_base::secret::{Redactor, Secret};

const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
/// A grant for one client at one authorisation server (`ID-JAG`).
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";

/// The parameters of a token exchange request.
pub(crate) struct TokenExchangeRequest<'a> {
    /// The authorisation server's issuer.
    pub(crate) audience: &'a str,
    pub(crate) resource: &'a str,
    pub(crate) scopes: &'a [String],
}

/// A success response of the provider; `token_type` has no meaning here.
#[derive(Deserialize)]
struct Good {
    access_token: String,
    issued_token_type: String,
}

impl<'a> TokenExchangeRequest<'a> {
    pub(crate) fn new(
        authority: &'a Authority,
        resource: &'a str,
        scopes: &'a [String],
    ) -> Result<Self, AuthError> {
        let nameless = || AuthError::Metadata("the authorisation server names no `issuer`".to_owned());
        let audience = authority.issuer.as_deref().ok_or_else(nameless)?;
        Ok(Self { audience, resource, scopes })
    }
}

/// Exchanges the identity token of a person at the provider.
pub(crate) async fn vouched(
    web: &HttpClient,
    provider: &IdentityProvider,
    id_token: &Secret,
    request: &TokenExchangeRequest<'_>,
) -> Result<Secret, AuthError> {
    // Every provider that supports secrets accepts them this way (RFC 6749, 2.3.1).
    let proof = provider.client_secret.clone().map_or(Proof::None, Proof::Basic);
    let client = Client { id: provider.client_id.clone(), proof };
    let post = web.request(Method::POST, &provider.token_endpoint);
    let post = authenticated(post, form(id_token, request), &client)?;
    let answer = web.send("token endpoint of the identity provider", post).await?;
    let redactor =
        Redactor::new([id_token.expose()].into_iter().chain(client.proof.secret().map(Secret::expose)));
    read(&answer, request, &shown(&provider.token_endpoint), &redactor)
}

fn form<'a>(id_token: &Secret, request: &TokenExchangeRequest<'_>) -> Serializer<'a, String> {
    let mut form = Serializer::new(String::new());
    form.append_pair("grant_type", EXCHANGE);
    form.append_pair("requested_token_type", ID_JAG);
    form.append_pair("audience", request.audience);
    form.append_pair("resource", request.resource);
    form.append_pair("subject_token", id_token.expose());
    form.append_pair("subject_token_type", ID_TOKEN);
    if !request.scopes.is_empty() {
        form.append_pair("scope", &request.scopes.join(" "));
    }
    form
}

fn read(
    answer: &Answer,
    request: &TokenExchangeRequest<'_>,
    url: &str,
    redactor: &Redactor,
) -> Result<Secret, AuthError> {
    let wrong = |what: String| AuthError::Answer { url: url.to_owned(), what };
    let good: Result<Good, _> = serde_json::from_slice(&answer.body);
    let good = match good {
        Ok(good) if answer.status.is_success() => good,
        good => {
            return Err(match (serde_json::from_slice::<Bad>(&answer.body), good) {
                // Some servers refuse with a 200.
                (Ok(bad), _) => {
                    let (error, description) = bad.describe(redactor);
                    AuthError::NotVouched { url: url.to_owned(), error, description }
                }
                (Err(_), Err(error)) if answer.status.is_success() => {
                    wrong(format!("it is not a grant (line {}, column {})", error.line(), error.column()))
                }
                (Err(_), _) => {
                    wrong(format!("it is HTTP {} without an error of OAuth", answer.status.as_u16()))
                }
            });
        }
    };
    if good.issued_token_type != ID_JAG {
        return Err(wrong("what it gives is not a grant for an authorisation server".to_owned()));
    }
    let jwt = claims(&good.access_token).ok_or_else(|| wrong("what it gives is not a JWT".to_owned()))?;
    if !is_for(&jwt, request.audience) {
        return Err(wrong("what it gives is for another authorisation server".to_owned()));
    }
    Ok(Secret::new(good.access_token))
}

/// Returns whether a JWT has this audience and no other: any other audience could use it too.
fn is_for(claims: &Value, audience: &str) -> bool {
    let is_same = |name: &Value| {
        let bare = |name: &str| name.trim_end_matches('/').to_owned();
        name.as_str().is_some_and(|name| bare(name) == bare(audience))
    };
    match claims.get("aud") {
        Some(Value::Array(all)) => !all.is_empty() && all.iter().all(is_same),
        Some(one) => is_same(one),
        None => false,
    }
}
