//! The codes and tokens that the authorisation server has issued, by client.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::form::{base64, decoded, encoded, from_base64, value};
use super::plan::AuthPlan;
use crate::mcp_http::{ReceivedRequest, Reply};

/// Pairs of a form or a query.
pub(super) type Pairs = Vec<(String, String)>;

#[derive(Debug, Default)]
pub(super) struct Issue {
    /// The ids of registered clients, with the secret of each that has one.
    pub(super) clients: HashMap<String, Option<String>>,
    codes: HashMap<String, Pairs>,
    /// Valid access tokens, with their scopes.
    pub(super) good: HashMap<String, Vec<String>>,
    /// Valid refresh tokens, with their scopes.
    pub(super) refresh: HashMap<String, Vec<String>>,
    /// All texts that must never be shown.
    pub(super) secrets: Vec<String>,
}

/// The prefix of each secret, so that no other text is mistaken for one.
const MARK: &str = "s3cr3t";

impl Issue {
    fn secret(&mut self, kind: &str) -> String {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let secret = format!("{MARK}-{kind}-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        self.secrets.push(secret.clone());
        secret
    }

    /// Registers a client.
    pub(super) fn register(&mut self, plan: &AuthPlan, request: &Value) -> Reply {
        let id = format!("client-{}", self.clients.len() + 1);
        let secret = plan.has_secrets.then(|| self.secret("client"));
        self.clients.insert(id.clone(), secret.clone());
        let mut made = request.clone();
        made["client_id"] = json!(id);
        if let Some(secret) = secret {
            made["client_secret"] = json!(secret);
        }
        Reply::json(201, &made)
    }

    /// Handles the login page: redirects every user back with a code.
    pub(super) fn authorize(&mut self, plan: &AuthPlan, query: Pairs, origin: &str) -> Reply {
        let has = |name: &str, expected: &str| value(&query, name).as_deref() == Some(expected);
        let Some(redirect) = value(&query, "redirect_uri") else {
            return no("invalid_request", "redirect_uri");
        };
        let is_known = value(&query, "client_id")
            .is_some_and(|id| self.clients.contains_key(&id) || id.starts_with("https://"));
        if !is_known || !has("response_type", "code") || !has("code_challenge_method", "S256") {
            return no("invalid_request", "client_id, response_type or code_challenge_method");
        }
        let state = value(&query, "state").unwrap_or_default();
        let code = self.secret("code");
        self.codes.insert(code.clone(), query);
        let mut back = format!("{redirect}?code={code}&state={}", encoded(&state));
        if let Some(says) = &plan.says {
            back.push_str(&format!("&iss={}", encoded(&says.replace("[ORIGIN]", origin))));
        }
        Reply::redirect(302, &back)
    }

    /// Handles the token endpoint.
    pub(super) fn token(&mut self, plan: &AuthPlan, seen: &ReceivedRequest, form: &Pairs) -> Reply {
        let assertions = ["client_assertion", "assertion"].map(|name| value(form, name));
        self.secrets.extend(assertions.iter().flatten().cloned());
        let [own, others] = assertions.map(|text| text.map(|text| plan.believes_in(&text)));
        if !own.unwrap_or_else(|| self.is_proven(seen, form)) {
            return no("invalid_client", "who is it?");
        }
        let requested_scopes = || {
            let scope = value(form, "scope").unwrap_or_default();
            scope.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        let scopes = match value(form, "grant_type").as_deref() {
            Some("authorization_code") => self.scopes_of_code(form),
            Some("refresh_token") => {
                let token = value(form, "refresh_token").unwrap_or_default();
                self.refresh.remove(&token).ok_or("the refresh token is not good")
            }
            Some("client_credentials") => Ok(requested_scopes()),
            Some("urn:ietf:params:oauth:grant-type:jwt-bearer") if others == Some(true) => {
                Ok(requested_scopes())
            }
            Some("urn:ietf:params:oauth:grant-type:jwt-bearer") => Err("the assertion is not good"),
            _ => return no("unsupported_grant_type", ""),
        };
        match scopes {
            Ok(scopes) => self.give(plan, scopes),
            Err(why) => no("invalid_grant", why),
        }
    }

    fn give(&mut self, plan: &AuthPlan, mut scopes: Vec<String>) -> Reply {
        if let Some(at_most) = &plan.at_most {
            scopes.retain(|scope| at_most.contains(scope));
        }
        let access = self.secret("access");
        let mut given = json!({"access_token": access, "token_type": "Bearer", "scope": scopes.join(" ")});
        if let Some(life) = plan.life {
            given["expires_in"] = json!(life);
        }
        if plan.refreshes {
            let refresh = self.secret("refresh");
            given["refresh_token"] = json!(refresh);
            self.refresh.insert(refresh, scopes.clone());
        }
        // The other tokens of a response are secrets, too.
        given["id_token"] = json!(self.secret("id"));
        self.good.insert(access, scopes);
        Reply::json(200, &given)
    }

    fn scopes_of_code(&mut self, form: &Pairs) -> Result<Vec<String>, &'static str> {
        let code = value(form, "code").unwrap_or_default();
        let authorization = self.codes.remove(&code).ok_or("the code is not good")?;
        let verifier = value(form, "code_verifier").unwrap_or_default();
        self.secrets.push(verifier.clone());
        let challenge = base64(&Sha256::digest(&verifier));
        if verifier.len() < 43 || value(&authorization, "code_challenge") != Some(challenge) {
            return Err("the verifier is not the one of the challenge");
        }
        for same in ["redirect_uri", "resource"] {
            if value(form, same).is_none() || value(form, same) != value(&authorization, same) {
                return Err("redirect_uri or resource is another one");
            }
        }
        let scope = value(&authorization, "scope").unwrap_or_default();
        Ok(scope.split_ascii_whitespace().map(str::to_owned).collect())
    }

    /// Returns whether a client is authenticated: by its secret, if it has one.
    fn is_proven(&self, seen: &ReceivedRequest, form: &Pairs) -> bool {
        let basic = seen.header("authorization").and_then(|header| header.strip_prefix("Basic "));
        let (id, secret) = match basic {
            Some(basic) => {
                let text = String::from_utf8_lossy(&from_base64(basic)).into_owned();
                let (id, secret) = text.split_once(':').unwrap_or_default();
                (Some(decoded(id)), Some(decoded(secret)))
            }
            None => (value(form, "client_id"), value(form, "client_secret")),
        };
        match id.map(|id| (self.clients.get(&id).cloned(), id)) {
            Some((Some(known), _)) => known == secret,
            Some((None, id)) => id.starts_with("https://"),
            None => false,
        }
    }

    /// Forgets a token.
    pub(super) fn revoke(&mut self, token: &str) -> Reply {
        self.good.remove(token);
        self.refresh.remove(token);
        Reply::status(200)
    }
}

fn no(error: &str, why: &str) -> Reply {
    let status = if error == "invalid_client" { 401 } else { 400 };
    Reply::json(status, &json!({"error": error, "error_description": why}))
}
