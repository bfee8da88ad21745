//! The features of a server, and the exceptions from them.

use serde_json::{Value, json};

use super::received_request::ReceivedRequest;
use super::reply::Reply;
use super::server::Server;

/// The protocol versions that a server supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eras {
    /// The versions that begin with `initialize`.
    Initialize,
    /// The version that has `server/discover` instead.
    Discover,
    /// All versions.
    All,
}

pub(super) type Rule = Box<dyn Fn(&ReceivedRequest) -> Option<Reply> + Send + Sync>;

/// The plan of a server.
pub struct Plan {
    pub(super) eras: Eras,
    pub(super) has_sessions: bool,
    pub(super) has_stream: bool,
    pub(super) tools: Vec<Value>,
    pub(super) page: usize,
    pub(super) rules: Vec<Rule>,
    #[cfg(feature = "tls")]
    pub(super) tls: Option<std::sync::Arc<rustls::ServerConfig>>,
}

impl Plan {
    /// Creates a server that begins with `initialize`, has sessions, a stream for server messages, and four tools:
    /// `echo` (returns its `text`), `destroy` (destructive), `count` (reports progress three times), `ask` (asks the
    /// user, and returns the result).
    #[must_use]
    #[expect(clippy::new_without_default, reason = "what it does is worth a name")]
    pub fn new() -> Self {
        Self {
            eras: Eras::Initialize,
            has_sessions: true,
            has_stream: true,
            tools: tools(),
            page: 10,
            rules: Vec::new(),
            #[cfg(feature = "tls")]
            tls: None,
        }
    }

    /// Sets the supported versions.
    #[must_use]
    pub fn eras(mut self, eras: Eras) -> Self {
        self.eras = eras;
        self
    }

    /// Disables sessions.
    #[must_use]
    pub fn without_sessions(mut self) -> Self {
        self.has_sessions = false;
        self
    }

    /// Disables the stream: a GET is answered with 405.
    #[must_use]
    pub fn without_stream(mut self) -> Self {
        self.has_stream = false;
        self
    }

    /// Replaces the tools, and sets how many are on a page of their list.
    #[must_use]
    pub fn tools(mut self, tools: Vec<Value>, page: usize) -> Self {
        (self.tools, self.page) = (tools, page.max(1));
        self
    }

    /// Overrides the answer to a request if `rule` has one. Rules are tried in the order in which they were added.
    #[must_use]
    pub fn rule(mut self, rule: impl Fn(&ReceivedRequest) -> Option<Reply> + Send + Sync + 'static) -> Self {
        self.rules.push(Box::new(rule));
        self
    }

    /// Answers every call of an RPC method with the same reply.
    #[must_use]
    pub fn always(
        self,
        method: &'static str,
        reply: impl Fn(&ReceivedRequest) -> Reply + Send + Sync + 'static,
    ) -> Self {
        self.rule(move |seen| (seen.rpc() == method).then(|| reply(seen)))
    }

    /// Starts it on a free loopback port. It ends when it is dropped.
    #[must_use]
    pub fn start(self) -> Server {
        Server::start(self)
    }
}

/// Returns a tool without parameters, for [`Plan::tools`].
pub(super) fn tool(name: &str, annotations: &Value) -> Value {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    json!({"name": name, "description": name, "inputSchema": schema, "annotations": annotations})
}

fn tools() -> Vec<Value> {
    vec![
        tool("echo", &json!({"readOnlyHint": true})),
        tool("destroy", &json!({"destructiveHint": true})),
        tool("count", &json!({})),
        tool("ask", &json!({})),
    ]
}
