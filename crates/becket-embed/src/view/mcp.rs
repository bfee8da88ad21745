//! MCP servers, their tools and their answers, as `becket mcp` shows them.

mod called;
mod offered;

pub use called::{McpCalled, McpEnded};
pub use offered::{
    McpAccount, McpAccountState, McpContents, McpKept, McpPrompt, McpPrompts, McpResource, McpResources,
};

use becket_mcp::config::{ConfiguredServer, DisabledReason, Status};
use becket_mcp::{Names, ServerState, ServerView, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// The servers of a configuration.
#[derive(Debug, Serialize, JsonSchema)]
pub struct McpServers {
    /// The effective servers, those of the strongest scope first.
    pub servers: Vec<McpServer>,
    /// The problems with the names of their tools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

/// A server.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct McpServer {
    /// Its name.
    pub name: String,
    /// Its origin.
    pub scope: String,
    /// Its transport; `None` if its entry does not name one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// The position of its entry: file:line:column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The state of the server.
    pub state: McpState,
    /// The reason why it is not connected, and how to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The number of its tools, once it is connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<usize>,
    /// The name and version that it reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The version of the protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Its warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The steps of `doctor`, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<McpStep>,
}

/// The state of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum McpState {
    /// The server answers.
    Connected,
    /// No connection was tried.
    NotConnected,
    /// The server can't be connected.
    Failed,
    /// The server requires a login.
    NeedsAuth,
    /// The server must not be used.
    Disabled,
    /// Another entry of the same name takes precedence.
    Shadowed,
}

impl McpState {
    /// Returns true if something has to be fixed.
    pub fn is_failure(self) -> bool {
        match self {
            McpState::Failed | McpState::NeedsAuth => true,
            McpState::Connected | McpState::NotConnected | McpState::Disabled | McpState::Shadowed => false,
        }
    }
}

/// A step of connecting to a server.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct McpStep {
    /// The step.
    pub what: String,
    /// True if it succeeded.
    pub ok: bool,
    /// Its result, or the problem and how to fix it.
    pub said: String,
    /// Its duration in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<f64>,
}

impl McpServers {
    /// Converts servers with their state, and entries without effect.
    pub fn new(views: &[ServerView], others: &[ConfiguredServer]) -> Self {
        let tools = views.iter().map(|view| {
            let tools = view.tools.as_ref().map(|tools| tools.as_slice()).unwrap_or_default();
            (view.name.as_str(), tools)
        });
        let names = Names::of_tools(tools);
        let mut servers: Vec<McpServer> = views.iter().map(McpServer::of_view).collect();
        servers.extend(others.iter().map(McpServer::of_entry));
        Self { servers, names: names.warnings().iter().map(ToString::to_string).collect() }
    }
}

impl McpServer {
    /// Converts a server with its state.
    pub fn of_view(view: &ServerView) -> Self {
        let mut server = Self::of_entry(&view.configured);
        let (state, why) = match &view.state {
            ServerState::Disabled { .. } => (server.state, None),
            ServerState::Waiting | ServerState::Connecting | ServerState::Closed => {
                (McpState::NotConnected, None)
            }
            ServerState::Connected { info, tools, .. } => {
                let named =
                    [&info.name, &info.version].map(|part| part.clone().unwrap_or_default()).join(" ");
                server.program = Some(named.trim().to_owned()).filter(|named| !named.is_empty());
                server.protocol = Some(info.protocol.clone());
                server.tools = Some(*tools);
                (McpState::Connected, None)
            }
            ServerState::NeedsAuth { .. } => {
                let why = format!("it requires a login: `becket mcp login {}`", view.name);
                (McpState::NeedsAuth, Some(why))
            }
            ServerState::Failed { why } => (McpState::Failed, Some(why.to_string())),
        };
        (server.state, server.why) = (state, why.or(server.why));
        let problems = view.tools.iter().flat_map(|tools| tools.iter()).filter_map(|tool| {
            tool.problem.as_ref().map(|problem| format!("the tool `{}`: {problem}", tool.name))
        });
        server.warnings.extend(problems);
        server
    }

    /// Returns a server that was not connected.
    pub fn of_entry(configured: &ConfiguredServer) -> Self {
        let (state, why) = match (&configured.status, &configured.config) {
            (Status::Disabled(why @ DisabledReason::Shadowed { .. }), _) => {
                (McpState::Shadowed, Some(why.to_string()))
            }
            // The entry must be fixed before it can be approved.
            (Status::Disabled(DisabledReason::NotApproved { .. }) | Status::Allowed, Err(error)) => {
                (McpState::Failed, Some(error.to_string()))
            }
            (Status::Disabled(why), _) => {
                (McpState::Disabled, Some(why_disabled(why, &configured.name.to_string())))
            }
            (Status::Allowed, Ok(_)) => (McpState::NotConnected, None),
        };
        Self {
            name: configured.name.to_string(),
            scope: configured.scope.to_string(),
            transport: configured.config.as_ref().ok().map(|config| config.transport.kind().to_owned()),
            at: configured.place.as_ref().map(ToString::to_string),
            state,
            why,
            tools: None,
            program: None,
            protocol: None,
            warnings: configured.warnings.iter().map(ToString::to_string).collect(),
            steps: Vec::new(),
        }
    }
}

/// Returns the reason why a server must not be used, and the command that helps, if there is one.
pub fn why_disabled(why: &DisabledReason, server: &str) -> String {
    match why {
        DisabledReason::NotApproved { .. } => format!("{why}: `becket mcp approve {server}`"),
        DisabledReason::ByEntry
        | DisabledReason::ByUser
        | DisabledReason::ByHost
        | DisabledReason::NotTrusted
        | DisabledReason::ByPolicy { .. }
        | DisabledReason::Shadowed { .. } => why.to_string(),
    }
}

/// The tools of a server.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct McpTools {
    /// The server.
    pub server: String,
    /// Its tools, in its order.
    pub tools: Vec<McpTool>,
    /// The problems with their names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

/// A tool.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct McpTool {
    /// The name on the server, as `call` takes it.
    pub name: String,
    /// The name that models, hooks and rules know.
    pub full: String,
    /// Its description by the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The server's claims about its effects, which are not verified.
    pub hints: Vec<String>,
    /// The problem in its schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The schema of its input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Map<String, Value>>,
}

impl McpTools {
    /// Returns the list of a server, with schemas if requested.
    pub fn new(server: &str, tools: &[Tool], names: &Names, schemas: bool) -> Self {
        let tool = |tool: &Tool| McpTool {
            full: names.find(server, &tool.name).map(|name| name.full.to_string()).unwrap_or_default(),
            name: tool.name.clone(),
            description: tool.summary(),
            hints: hints(tool),
            problem: tool.problem.clone(),
            input_schema: schemas.then(|| (*tool.input_schema).clone()),
        };
        Self {
            server: server.to_owned(),
            tools: tools.iter().map(tool).collect(),
            names: names.warnings().iter().map(ToString::to_string).collect(),
        }
    }
}

fn hints(tool: &Tool) -> Vec<String> {
    let hints = tool.hints;
    let destructive = hints.destructive && !hints.read_only;
    [("reads only", hints.read_only), ("destructive", destructive), ("open world", hints.open_world)]
        .into_iter()
        .filter(|(_, holds)| *holds)
        .map(|(word, _)| word.to_owned())
        .collect()
}
