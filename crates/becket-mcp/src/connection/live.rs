//! A connected server: its tools, its calls, its end.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, ServerResult};
use rmcp::service::Peer;
use serde_json::{Map, Value};

use super::ask::ask;
use super::client::Client;
use super::handshake::{self, Service, Trouble};
use super::link::{AnyLink, Link};
use super::state::State;
use crate::content::{CallResult, Content};
use crate::fault::{Fault, Said};
use crate::tool::Tool;

/// A server that can be called. Dropped, its link is gone by then.
pub(crate) struct Connection {
    link: Box<dyn AnyLink>,
    service: Mutex<Option<Service>>,
    peer: Peer<RoleClient>,
    client: Client,
    state: Arc<State>,
    tools: RwLock<Arc<[Tool]>>,
    /// How many changes the server had announced when its tools were asked for.
    listed_at: AtomicU64,
    timeout: Option<Duration>,
}

/// Why a call has no result, for somebody who knows the names.
pub(crate) enum Failed {
    NoSuchTool(Arc<[Tool]>),
    Gone(Fault, Said),
    Refused { code: i32, message: String },
    Unexpected(String),
}

impl Connection {
    pub(super) fn new<L: Link>(link: L, service: Service, client: Client, timeout: Option<Duration>) -> Self {
        let peer = service.peer().clone();
        let (state, link) = (Arc::clone(link.state()), Box::new(link));
        let (service, tools) = (Mutex::new(Some(service)), RwLock::new(Arc::from([])));
        Self { link, service, peer, client, state, tools, listed_at: AtomicU64::new(0), timeout }
    }

    /// Takes over a list of tools that was asked for after that many changes.
    pub(super) fn list(&self, at: u64, tools: Vec<Tool>) {
        *self.tools.write().unwrap_or_else(PoisonError::into_inner) = tools.into();
        self.listed_at.store(at, Ordering::Release);
    }

    pub(crate) fn tools(&self) -> Arc<[Tool]> {
        Arc::clone(&self.tools.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The longest a call may take, if its configuration says so.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Calls a tool, without a limit; dropped, it tells the server.
    pub(crate) async fn call(&self, tool: &str, input: Map<String, Value>) -> Result<CallResult, Failed> {
        self.look_for(tool).await?;
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(input);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        match ask(&self.peer, request).await {
            Ok(answer) => result(answer).map_err(Failed::Unexpected),
            Err(error) => Err(self.failed(Trouble::from_service(error)).await),
        }
    }

    /// Ends the connection: closes the way, gives the server time to go, then ends it.
    pub(crate) async fn close(&self, exit_grace: Duration) {
        self.state.broke(Fault::Closed);
        let service = self.service.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut service) = service {
            // However its task ends, the pipe goes with it.
            let _ = service.close().await;
        }
        self.link.end(exit_grace).await;
    }

    /// Asks for the tools again if this one is not known and the server has said that they changed.
    async fn look_for(&self, tool: &str) -> Result<(), Failed> {
        if self.has(tool) {
            return Ok(());
        }
        let changes = self.client.changes();
        if changes != self.listed_at.load(Ordering::Acquire) {
            match handshake::tools(&self.peer).await {
                Ok(tools) => self.list(changes, tools),
                Err(trouble) => return Err(self.failed(trouble).await),
            }
        }
        if self.has(tool) { Ok(()) } else { Err(Failed::NoSuchTool(self.tools())) }
    }

    fn has(&self, tool: &str) -> bool {
        self.tools().iter().any(|known| known.name == tool)
    }

    async fn failed(&self, trouble: Trouble) -> Failed {
        match trouble {
            Trouble::Gone => Failed::Gone(self.state.settled_fault().await, self.state.said()),
            Trouble::Failed(fault) => Failed::Gone(fault, self.state.said()),
            Trouble::Refused { code, message } => Failed::Refused { code, message },
            Trouble::Unexpected(what) => Failed::Unexpected(what),
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
fn result(answer: ServerResult) -> Result<CallResult, String> {
    match answer {
        ServerResult::CallToolResult(answer) => {
            let blocks = answer.content.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>();
            Ok(CallResult {
                content: blocks.map_err(|error| error.to_string())?.into_iter().map(Content::new).collect(),
                structured: answer.structured_content,
                is_error: answer.is_error.unwrap_or(false),
            })
        }
        // A block of a kind that the library does not know: read by hand, so that the rest is not lost.
        ServerResult::CustomResult(answer) => by_hand(answer.0),
        ServerResult::InputRequiredResult(_) => {
            Err("it asks for input, which this client did not offer".into())
        }
        ServerResult::CreateTaskResult(_) => Err("it is a task, which this client did not ask for".into()),
        _ => Err("it is no result of a tool".into()),
    }
}

fn by_hand(answer: Value) -> Result<CallResult, String> {
    let none = || "it is no result of a tool".to_owned();
    let Value::Object(mut answer) = answer else { return Err(none()) };
    let Some(Value::Array(blocks)) = answer.remove("content") else { return Err(none()) };
    let is_error = match answer.remove("isError") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(is_error)) => is_error,
        Some(_) => return Err("`isError` is neither true nor false".into()),
    };
    let content = blocks.into_iter().map(Content::new).collect();
    Ok(CallResult { content, structured: answer.remove("structuredContent"), is_error })
}
