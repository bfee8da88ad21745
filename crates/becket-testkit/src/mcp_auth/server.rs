//! The running pair.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::form::pairs;
use super::issue::Issue;
use super::plan::{AuthPlan, bare};
use crate::mcp_http::{Plan, ReceivedRequest, Reply, Server};

/// An MCP server that requires a login, and its authorisation server. Both stop on drop.
#[derive(Debug)]
pub struct AuthServer {
    server: Server,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    issue: Issue,
    /// The scopes that the MCP server requires.
    needed: Vec<String>,
}

impl AuthServer {
    pub(super) fn start(plan: AuthPlan) -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        let server = Plan::new().rule(move |seen| answer(&plan, &mut lock(&shared), seen)).start();
        Self { server, state }
    }

    /// Returns the address of the MCP server.
    #[must_use]
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Returns the address of the authorisation server, without a path.
    #[must_use]
    pub fn origin(&self) -> String {
        self.server.url().trim_end_matches("/mcp").to_owned()
    }

    /// Returns the server that answers for both.
    #[must_use]
    pub fn http(&self) -> &Server {
        &self.server
    }

    /// Returns the number of requests with a path, with any query; those to the token endpoint also by their
    /// `grant_type`.
    #[must_use]
    pub fn count(&self, what: &str) -> usize {
        let is_meant = |seen: &ReceivedRequest| {
            let form = seen.body.as_str().unwrap_or_default();
            bare(&seen.path) == what || form.contains(&format!("grant_type={what}"))
        };
        self.server.seen().iter().filter(|seen| is_meant(seen)).count()
    }

    /// Adds a client that did not register, with its secret.
    pub fn know(&self, id: &str, secret: Option<&str>) {
        let mut state = lock(&self.state);
        state.issue.secrets.extend(secret.map(str::to_owned));
        state.issue.clients.insert(id.to_owned(), secret.map(str::to_owned));
    }

    /// Invalidates all access tokens.
    pub fn expire(&self) {
        lock(&self.state).issue.good.clear();
    }

    /// Invalidates all refresh tokens.
    pub fn forget_refresh(&self) {
        lock(&self.state).issue.refresh.clear();
    }

    /// Changes the scopes that the MCP server requires.
    pub fn need(&self, scopes: &[&str]) {
        lock(&self.state).needed = scopes.iter().map(|scope| (*scope).to_owned()).collect();
    }

    /// Returns whether an access token is valid.
    #[must_use]
    pub fn takes(&self, token: &str) -> bool {
        lock(&self.state).issue.good.contains_key(token)
    }

    /// Returns whether any token is valid.
    #[must_use]
    pub fn has_good_tokens(&self) -> bool {
        let state = lock(&self.state);
        !state.issue.good.is_empty() || !state.issue.refresh.is_empty()
    }

    /// Returns all texts so far that must never be shown.
    #[must_use]
    pub fn secrets(&self) -> Vec<String> {
        lock(&self.state).issue.secrets.clone()
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(plan: &AuthPlan, state: &mut State, seen: &ReceivedRequest) -> Option<Reply> {
    if let Some(reply) = plan.rules.iter().find_map(|rule| rule(seen)) {
        return Some(reply);
    }
    let origin = format!("http://{}", seen.header("host").unwrap_or_default());
    let (path, query) = seen.path.split_once('?').unwrap_or((&seen.path, ""));
    let form = || pairs(seen.body.as_str().unwrap_or_default());
    let published = format!("/.well-known/{}{}", plan.well_known, plan.path);
    let issue = &mut state.issue;
    Some(match path.strip_prefix(&plan.path).unwrap_or(path) {
        "/mcp" => return guarded(plan, state, seen, &origin),
        "/.well-known/oauth-protected-resource/mcp" => Reply::json(200, &resource(plan, &origin)),
        "/authorize" => issue.authorize(plan, pairs(query), &origin),
        "/token" => issue.token(plan, seen, &form()),
        "/register" => issue.register(plan, &seen.body),
        "/revoke" => {
            let token = form().into_iter().find(|(name, _)| name == "token");
            issue.revoke(&token.map(|(_, token)| token).unwrap_or_default())
        }
        _ if path == published => Reply::json(200, &metadata(plan, &origin)),
        _ => Reply::status(404),
    })
}

/// Returns the MCP server's response to a request without a valid token; `None` with one.
fn guarded(plan: &AuthPlan, state: &State, seen: &ReceivedRequest, origin: &str) -> Option<Reply> {
    let token = seen.header("authorization").and_then(|header| header.strip_prefix("Bearer "));
    let scopes = token.and_then(|token| state.issue.good.get(token));
    let pointer = if plan.is_announced {
        format!(r#"resource_metadata="{origin}/.well-known/oauth-protected-resource/mcp""#)
    } else {
        "realm=\"mcp\"".to_owned()
    };
    match scopes {
        Some(scopes) if state.needed.iter().all(|needed| scopes.contains(needed)) => None,
        Some(_) => {
            let needed = state.needed.join(" ");
            let challenge = format!(r#"Bearer error="insufficient_scope", scope="{needed}", {pointer}"#);
            Some(Reply::status(403).with("WWW-Authenticate", &challenge))
        }
        None => {
            let scope = plan.challenge_scopes.as_ref().map(|scope| format!(r#", scope="{scope}""#));
            let challenge = format!("Bearer {pointer}{}", scope.unwrap_or_default());
            Some(Reply::unauthorized(Some(&challenge)))
        }
    }
}

fn resource(plan: &AuthPlan, origin: &str) -> Value {
    let good = json!({
        "resource": "[ORIGIN]/mcp",
        "authorization_servers": [format!("[ORIGIN]{}", plan.path)],
        "scopes_supported": ["read", "write"],
    });
    changed(good, &plan.resource, origin)
}

fn metadata(plan: &AuthPlan, origin: &str) -> Value {
    let at = |path: &str| format!("[ORIGIN]{}{path}", plan.path);
    let good = json!({
        "issuer": at(""),
        "authorization_endpoint": at("/authorize"),
        "token_endpoint": at("/token"),
        "registration_endpoint": at("/register"),
        "revocation_endpoint": at("/revoke"),
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
    });
    changed(good, &plan.metadata, origin)
}

/// Returns the correct metadata with changes; a null removes a member.
fn changed(mut good: Value, changes: &Value, origin: &str) -> Value {
    if let (Some(good), Some(changes)) = (good.as_object_mut(), changes.as_object()) {
        for (name, value) in changes {
            good.insert(name.clone(), value.clone());
        }
        good.retain(|_, value| !value.is_null());
    }
    let text = good.to_string().replace("[ORIGIN]", origin);
    serde_json::from_str(&text).expect("an origin needs no escapes")
}
