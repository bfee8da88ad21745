//! The metadata and tokens of the servers.

use serde_json::{Value, json};

use super::server::AuthServer;
use crate::mcp_http::{ReceivedRequest, Reply};

type Rule = Box<dyn Fn(&ReceivedRequest) -> Option<Reply> + Send + Sync>;
type Belief = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// The metadata and tokens of the servers. The methods below change the behaviour of a correct pair.
pub struct AuthPlan {
    pub(super) path: String,
    pub(super) well_known: &'static str,
    pub(super) metadata: Value,
    pub(super) resource: Value,
    pub(super) is_announced: bool,
    pub(super) challenge_scopes: Option<String>,
    pub(super) has_secrets: bool,
    pub(super) life: Option<u64>,
    pub(super) refreshes: bool,
    pub(super) at_most: Option<Vec<String>>,
    pub(super) says: Option<String>,
    pub(super) belief: Option<Belief>,
    pub(super) rules: Vec<Rule>,
}

impl AuthPlan {
    /// Creates a correct pair: it announces its metadata in the challenge, registers public clients, supports PKCE,
    /// issues tokens for an hour and refresh tokens that can be used once.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "what it does is worth a name")]
    pub fn new() -> Self {
        Self {
            path: String::new(),
            well_known: "oauth-authorization-server",
            metadata: json!({}),
            resource: json!({}),
            is_announced: true,
            challenge_scopes: None,
            has_secrets: false,
            life: Some(3600),
            refreshes: true,
            at_most: None,
            says: None,
            belief: None,
            rules: Vec::new(),
        }
    }

    /// Sets the path of the issuer.
    #[must_use]
    pub fn at(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// Publishes the metadata of the authorisation server at the address of OpenID.
    #[must_use]
    pub fn openid(mut self) -> Self {
        self.well_known = "openid-configuration";
        self
    }

    /// Changes the metadata of the authorisation server: a null removes a member, `[ORIGIN]` is replaced by its origin.
    #[must_use]
    pub fn metadata(mut self, changes: Value) -> Self {
        self.metadata = changes;
        self
    }

    /// Changes the metadata of the resource in the same way.
    #[must_use]
    pub fn resource(mut self, changes: Value) -> Self {
        self.resource = changes;
        self
    }

    /// Leaves the address of the resource metadata out of challenges.
    #[must_use]
    pub fn unannounced(mut self) -> Self {
        self.is_announced = false;
        self
    }

    /// Adds scopes to challenges.
    #[must_use]
    pub fn challenges(mut self, scopes: &str) -> Self {
        self.challenge_scopes = Some(scopes.to_owned());
        self
    }

    /// Gives clients that register a secret, with which they must authenticate.
    #[must_use]
    pub fn with_secrets(mut self) -> Self {
        self.has_secrets = true;
        self
    }

    /// Sets the lifetime of tokens, in seconds; with `None`, the server does not state it.
    #[must_use]
    pub fn life(mut self, seconds: Option<u64>) -> Self {
        self.life = seconds;
        self
    }

    /// Issues no refresh tokens.
    #[must_use]
    pub fn without_refresh(mut self) -> Self {
        self.refreshes = false;
        self
    }

    /// Grants no other scopes than these.
    #[must_use]
    pub fn at_most(mut self, scopes: &[&str]) -> Self {
        self.at_most = Some(scopes.iter().map(|scope| (*scope).to_owned()).collect());
        self
    }

    /// Sets the issuer that is sent with redirects (RFC 9207); `[ORIGIN]` is replaced by the server's origin.
    #[must_use]
    pub fn says(mut self, issuer: &str) -> Self {
        self.says = Some(issuer.to_owned());
        self
    }

    /// Accepts assertions, of clients about themselves and of others about them, if `belief` does (RFC 7523).
    #[must_use]
    pub fn believes(mut self, belief: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.belief = Some(Box::new(belief));
        self
    }

    /// Overrides the answer to a request if `rule` has one.
    #[must_use]
    pub fn rule(mut self, rule: impl Fn(&ReceivedRequest) -> Option<Reply> + Send + Sync + 'static) -> Self {
        self.rules.push(Box::new(rule));
        self
    }

    /// Overrides the answer to every request of a path.
    #[must_use]
    pub fn always(self, path: &'static str, reply: impl Fn() -> Reply + Send + Sync + 'static) -> Self {
        self.rule(move |seen| (bare(&seen.path) == path).then(&reply))
    }

    /// Starts both on a free loopback port. They end when the result is dropped.
    #[must_use]
    pub fn start(self) -> AuthServer {
        AuthServer::start(self)
    }
}

impl AuthPlan {
    pub(super) fn believes_in(&self, assertion: &str) -> bool {
        self.belief.as_ref().is_some_and(|belief| belief(assertion))
    }
}

impl std::fmt::Debug for AuthPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuthPlan").field("metadata", &self.metadata).finish_non_exhaustive()
    }
}

/// Returns a path without its query.
pub(super) fn bare(path: &str) -> &str {
    path.split('?').next().unwrap_or_default()
}
