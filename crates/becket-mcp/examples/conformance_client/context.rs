//! The input of the client from the suite: its argument and two variables.

use serde::Deserialize;
use serde_json::{Map, Value};
use url::Url;

/// The parameters of one run.
pub(crate) struct Context {
    /// The address of the scenario's server.
    pub(crate) url: Url,
    /// True if its authorisation server is so old that it has no metadata, which a user has to allow.
    pub(crate) is_of_old: bool,
    /// True if its client has a secret and no person: the user has to choose the grant.
    pub(crate) is_a_machine: bool,
    /// The other values of the scenario.
    pub(crate) given: Scenario,
}

/// The content of `MCP_CONFORMANCE_CONTEXT`; scenarios that need no values leave it out.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Scenario {
    /// The id of a client that the authorisation server already knows.
    pub(crate) client_id: Option<String>,
    pub(crate) client_secret: Option<String>,
    /// The key with which this client signs, and the algorithm.
    pub(crate) private_key_pem: Option<String>,
    pub(crate) signing_algorithm: Option<String>,
    /// The platform's assertion about the client.
    pub(crate) valid_jwt: Option<String>,
    /// An identity provider, the id of this client there, and its identity token of the person.
    pub(crate) idp_token_endpoint: Option<Url>,
    pub(crate) idp_client_id: Option<String>,
    pub(crate) idp_id_token: Option<String>,
    /// The calls to make, instead of one of each tool.
    #[serde(default, rename = "toolCalls")]
    pub(crate) calls: Vec<Call>,
}

/// A call that the scenario requires.
#[derive(Debug, Deserialize)]
pub(crate) struct Call {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) arguments: Map<String, Value>,
}

impl Context {
    /// Reads the context of this process.
    #[expect(clippy::disallowed_methods, reason = "this is how a suite tells a client what to do")]
    pub(crate) fn of_process() -> Result<Self, String> {
        let url = std::env::args().nth(1).ok_or("usage: conformance_client <server url>")?;
        let url = url.parse().map_err(|error| format!("`{url}`: {error}"))?;
        let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
        let is_of_old = scenario.starts_with("auth/2025-03-26-");
        let is_a_machine = scenario.starts_with("auth/client-credentials-");
        let given = match std::env::var("MCP_CONFORMANCE_CONTEXT") {
            Ok(text) => serde_json::from_str(&text).map_err(|error| format!("`{text}`: {error}"))?,
            Err(_) => Scenario::default(),
        };
        Ok(Self { url, is_of_old, is_a_machine, given })
    }
}
