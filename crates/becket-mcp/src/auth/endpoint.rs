//! The token endpoint: a code or a refresh token for an access token.
//!
//! rmcp could do this too, but it writes codes and other parts of a response to its debug trace, and stores no client
//! secret.

use crate::auth::remote_text::line;
use std::time::{Duration, SystemTime};

use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use serde::Deserialize;
use serde_json::Value;
use url::form_urlencoded::{Serializer, byte_serialize};

use crate::auth::AuthError;
use crate::auth::http_client::{Answer, HttpClient};
use crate::auth::key::shown;
use crate::auth::source::checked;
use crate::auth::tokens::{Client, Proof, TokenIssuer, Tokens};
use becket_base::secret::{Redactor, Secret};

/// The grant of a token request.
pub(crate) enum Grant<'a> {
    Code {
        code: &'a Secret,
        verifier: &'a Secret,
        redirect: &'a str,
    },
    Refresh {
        token: &'a Secret,
        scopes: &'a [String],
    },
    /// Client credentials; `signed` is the client assertion if there is no secret.
    Client {
        signed: Option<&'a Secret>,
        scopes: &'a [String],
    },
    /// An assertion of a third party about the client.
    Assertion {
        token: &'a Secret,
        scopes: &'a [String],
    },
}

/// The name of a grant by an assertion, and of a client's proof by one (RFC 7523).
pub(crate) const BY_ASSERTION: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const SIGNED: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// The response of the token endpoint.
pub(crate) struct TokenResponse {
    access: Secret,
    refresh: Option<Secret>,
    life: Option<Duration>,
    /// None if the response omits it: the requested scopes apply.
    scopes: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Good {
    access_token: String,
    token_type: String,
    #[serde(default)]
    expires_in: Option<Value>,
    #[serde(default)]
    refresh_token: Option<String>,
    #[serde(default)]
    scope: Option<String>,
}

/// An error response of the token endpoint.
#[derive(Deserialize)]
pub(crate) struct Bad {
    error: String,
    #[serde(default)]
    error_description: Option<String>,
}

impl Bad {
    /// Returns the code and its description, for display.
    pub(crate) fn describe(&self, redactor: &Redactor) -> (String, String) {
        let line = |text: &str| line(&redactor.redact(text));
        (line(&self.error), line(self.error_description.as_deref().unwrap_or_default()))
    }

    fn refused(&self, redactor: &Redactor) -> AuthError {
        let (error, description) = self.describe(redactor);
        AuthError::Refused { error, description }
    }
}

impl Grant<'_> {
    fn form(&self, form: &mut Serializer<'_, String>) {
        match self {
            Self::Code { code, verifier, redirect } => {
                form.append_pair("grant_type", "authorization_code");
                form.append_pair("code", code.expose());
                form.append_pair("code_verifier", verifier.expose());
                form.append_pair("redirect_uri", redirect);
            }
            Self::Refresh { token, scopes } => {
                form.append_pair("grant_type", "refresh_token");
                form.append_pair("refresh_token", token.expose());
                scope(form, scopes);
            }
            Self::Client { signed, scopes } => {
                form.append_pair("grant_type", "client_credentials");
                if let Some(signed) = signed {
                    form.append_pair("client_assertion_type", SIGNED);
                    form.append_pair("client_assertion", signed.expose());
                }
                scope(form, scopes);
            }
            Self::Assertion { token, scopes } => {
                form.append_pair("grant_type", BY_ASSERTION);
                form.append_pair("assertion", token.expose());
                scope(form, scopes);
            }
        }
    }

    fn secrets(&self) -> Vec<&str> {
        match self {
            Self::Code { code, verifier, .. } => vec![code.expose(), verifier.expose()],
            Self::Refresh { token, .. } | Self::Assertion { token, .. } => vec![token.expose()],
            Self::Client { signed, .. } => signed.iter().map(|signed| signed.expose()).collect(),
        }
    }
}

fn scope(form: &mut Serializer<'_, String>, scopes: &[String]) {
    if !scopes.is_empty() {
        form.append_pair("scope", &scopes.join(" "));
    }
}

/// Requests a token.
pub(crate) async fn ask(
    web: &HttpClient,
    issued: &TokenIssuer,
    client: &Client,
    grant: Grant<'_>,
) -> Result<TokenResponse, AuthError> {
    let request = request(web, issued, client, &grant)?;
    let answer = web.send("token endpoint", request).await?;
    let redactor =
        Redactor::new(grant.secrets().into_iter().chain(client.proof.secret().map(Secret::expose)));
    read(&answer, &shown(&issued.token_endpoint), &redactor)
}

fn request(
    web: &HttpClient,
    issued: &TokenIssuer,
    client: &Client,
    grant: &Grant<'_>,
) -> Result<reqwest::Request, AuthError> {
    let mut form = Serializer::new(String::new());
    grant.form(&mut form);
    form.append_pair("resource", &issued.resource);
    authenticated(web.request(Method::POST, &issued.token_endpoint), form, client)
}

/// Returns a form request with the client's authentication.
pub(crate) fn authenticated(
    request: reqwest::RequestBuilder,
    mut form: Serializer<'_, String>,
    client: &Client,
) -> Result<reqwest::Request, AuthError> {
    let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    let request = match &client.proof {
        Proof::Basic(secret) => request.basic_auth(encoded(&client.id), Some(encoded(secret.expose()))),
        Proof::Post(secret) => {
            form.append_pair("client_id", &client.id).append_pair("client_secret", secret.expose());
            request
        }
        Proof::None => {
            form.append_pair("client_id", &client.id);
            request
        }
    };
    let request = request
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(ACCEPT, "application/json")
        .body(form.finish())
        .build();
    request.map_err(|error| AuthError::Client(error.without_url().to_string().into()))
}

fn read(answer: &Answer, url: &str, redactor: &Redactor) -> Result<TokenResponse, AuthError> {
    let wrong = |what: String| AuthError::Answer { url: url.to_owned(), what };
    if !answer.status.is_success() {
        let status = format!("HTTP {}", answer.status.as_u16());
        return Err(match serde_json::from_slice::<Bad>(&answer.body) {
            Ok(bad) => bad.refused(redactor),
            Err(_) => wrong(format!("it is {status} without an error of OAuth")),
        });
    }
    let good: Good = serde_json::from_slice(&answer.body).map_err(|error| {
        // Some servers refuse with a 200.
        match serde_json::from_slice::<Bad>(&answer.body) {
            Ok(bad) => bad.refused(redactor),
            Err(_) => wrong(format!("it is not a token (line {}, column {})", error.line(), error.column())),
        }
    })?;
    good.into_response().map_err(|what| wrong(what.to_owned()))
}

impl Good {
    fn into_response(self) -> Result<TokenResponse, &'static str> {
        if !self.token_type.eq_ignore_ascii_case("bearer") {
            return Err("its token is of another type than `Bearer`");
        }
        let access = Secret::new(self.access_token);
        let header = Secret::new(format!("Bearer {}", access.expose()));
        if access.is_empty() || checked("authorization", &header).is_err() {
            return Err("its token can't be sent in a header");
        }
        // The standard requires a number; some servers send text.
        let seconds = self.expires_in.as_ref().and_then(|life| match life {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        });
        let split = |scope: String| scope.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>();
        Ok(TokenResponse {
            access,
            refresh: self.refresh_token.filter(|token| !token.is_empty()).map(Secret::new),
            life: seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok()),
            scopes: self.scope.map(split).filter(|scopes| !scopes.is_empty()),
        })
    }
}

impl TokenResponse {
    /// Returns the tokens of a login.
    pub(crate) fn first(
        self,
        requested_scopes: Vec<String>,
        client: Client,
        issued: TokenIssuer,
        now: SystemTime,
    ) -> Tokens {
        Tokens {
            expires_at: self.expires_at(now),
            access: self.access,
            refresh: self.refresh,
            obtained_at: now,
            scopes: self.scopes.unwrap_or_else(|| requested_scopes.clone()),
            requested_scopes,
            client,
            issued,
        }
    }

    /// Returns the tokens that replace old ones. Members that the response omits are kept.
    pub(crate) fn next(self, old: Tokens, now: SystemTime) -> Tokens {
        Tokens {
            expires_at: self.expires_at(now),
            access: self.access,
            refresh: self.refresh.or(old.refresh),
            obtained_at: now,
            scopes: self.scopes.unwrap_or(old.scopes),
            ..old
        }
    }

    fn expires_at(&self, now: SystemTime) -> Option<SystemTime> {
        self.life.and_then(|life| now.checked_add(life))
    }
}
