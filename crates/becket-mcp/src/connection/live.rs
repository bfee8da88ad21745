//! A connected server: its tools, its calls, its end.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use becket_process::CancellationToken;
use rmcp::RoleClient;
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest};
use rmcp::service::Peer;
use serde_json::{Map, Value};

use super::answer::{self, Answer};
use super::ask::ask;
use super::calls::Entered;
use super::client::Client;
use super::clock::Clock;
use super::handshake::Service;
use super::info::ServerInfo;
use super::link::{AnyLink, Link};
use super::no_answer::Trouble;
use super::pages;
use super::rounds::{Inputs, Round, rounds};
use super::state::State;
use crate::content::CallResult;
use crate::fault::{Fault, Said};
use crate::tool::{Tool, ToolList};

/// A server that can be called. Dropped, its link is gone by then.
pub(crate) struct Connection {
    link: Box<dyn AnyLink>,
    service: Mutex<Option<Service>>,
    peer: Peer<RoleClient>,
    client: Client,
    state: Arc<State>,
    info: Arc<ServerInfo>,
    tools: RwLock<Arc<ToolList>>,
    /// How many changes the server had announced when its tools were asked for.
    listed_at: AtomicU64,
}

/// Why a call has no result, for somebody who knows the names.
#[derive(Debug)]
pub(crate) enum Failed {
    NoSuchTool(Arc<ToolList>),
    /// Something broke. Where the server can't have seen the request, it is `unseen`.
    Gone {
        fault: Fault,
        said: Said,
        unseen: bool,
    },
    Refused {
        code: i32,
        message: String,
        data: Option<Value>,
    },
    Unexpected(String),
    TooManyRounds(u32),
}

impl Failed {
    /// It failed while something else was asked first: the call itself was not made.
    fn before_the_call(self) -> Self {
        match self {
            Self::Gone { fault, said, .. } => Self::Gone { fault, said, unseen: true },
            Self::NoSuchTool(_) | Self::Refused { .. } | Self::Unexpected(_) | Self::TooManyRounds(_) => self,
        }
    }
}

impl Connection {
    pub(super) fn new<L: Link>(link: L, service: Service, client: Client) -> Self {
        let peer = service.peer().clone();
        let info = peer.peer_info().map(|peer| ServerInfo::new(&peer)).unwrap_or_default();
        let (state, link) = (Arc::clone(link.state()), Box::new(link));
        let (service, tools) = (Mutex::new(Some(service)), RwLock::default());
        let (info, listed_at) = (Arc::new(info), AtomicU64::new(0));
        Self { link, service, peer, client, state, info, tools, listed_at }
    }

    /// What the server says about itself.
    pub(crate) fn info(&self) -> &Arc<ServerInfo> {
        &self.info
    }

    /// Fires when it can't be used any longer.
    pub(crate) fn broken(&self) -> &CancellationToken {
        self.state.broken()
    }

    /// What broke it, and what the server had said by then.
    pub(crate) async fn fault(&self) -> (Fault, Said) {
        (self.state.settled_fault().await, self.state.said())
    }

    /// Waits until the server says that one of its lists has changed. Cancel-safe.
    pub(crate) async fn changed(&self) {
        self.client.changes().any.notified().await;
    }

    /// Waits until no call is under way.
    pub(crate) async fn idle(&self) {
        self.client.calls().idle().await;
    }

    /// Takes over a list of tools that was asked for after that many changes.
    pub(super) fn list(&self, at: u64, tools: Vec<Tool>) {
        *self.tools.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(tools);
        self.listed_at.store(at, Ordering::Release);
    }

    /// The tools that were listed last.
    pub(crate) fn tools(&self) -> Arc<ToolList> {
        Arc::clone(&self.tools.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Asks for the tools again if the server has said that they changed.
    pub(crate) async fn refresh(&self) -> Result<Arc<ToolList>, Failed> {
        let changes = self.client.changes().tools.load(Ordering::Acquire);
        if changes != self.listed_at.load(Ordering::Acquire) {
            match pages::tools(&self.peer).await {
                Ok(tools) => self.list(changes, tools),
                Err(trouble) => return Err(self.failed(trouble).await),
            }
        }
        Ok(self.tools())
    }

    /// Calls a tool. Dropped, it tells the server.
    pub(crate) async fn call(
        &self,
        tool: &Arc<str>,
        input: &Map<String, Value>,
        clock: &Arc<Clock>,
    ) -> Result<CallResult, Failed> {
        let call = self.client.calls().enter(tool, clock);
        self.look_for(tool).await?;
        rounds(&self.client, clock, &Call { connection: self, call, tool, input }).await
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
        let has = |tools: &ToolList| tools.iter().any(|known| known.name == *tool);
        if has(&self.tools()) {
            return Ok(());
        }
        let tools = self.refresh().await.map_err(Failed::before_the_call)?;
        if has(&tools) { Ok(()) } else { Err(Failed::NoSuchTool(tools)) }
    }

    async fn failed(&self, trouble: Trouble) -> Failed {
        let (fault, unseen) = match trouble {
            Trouble::Gone => (self.state.settled_fault().await, false),
            Trouble::NotSent => (self.state.settled_fault().await, true),
            Trouble::Failed(fault) => {
                let unseen = is_unseen(&fault);
                (fault, unseen)
            }
            Trouble::Refused { code, message, data } => return Failed::Refused { code, message, data },
            Trouble::Unexpected(what) => return Failed::Unexpected(what),
        };
        Failed::Gone { fault, said: self.state.said(), unseen }
    }
}

/// One call of a tool.
struct Call<'a> {
    connection: &'a Connection,
    call: Entered,
    tool: &'a Arc<str>,
    input: &'a Map<String, Value>,
}

impl Round for Call<'_> {
    type Done = CallResult;

    async fn once(&self, inputs: Inputs) -> Result<Answer<CallResult>, Failed> {
        let Call { connection, call, tool, input } = self;
        let mut params = CallToolRequestParams::new(tool.to_string()).with_arguments((*input).clone());
        (params.input_responses, params.request_state) = (inputs.responses, inputs.state);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        match ask(&connection.peer, request, Some(call)).await {
            Ok(answer) => answer::of_call(answer).map_err(Failed::Unexpected),
            Err(trouble) => Err(connection.failed(trouble).await),
        }
    }
}

/// Questions that are open are withdrawn.
impl Drop for Connection {
    fn drop(&mut self) {
        self.state.broke(Fault::Closed);
    }
}

/// Whether a request that met this fault can't have been carried out (`protocol.md` X4).
fn is_unseen(fault: &Fault) -> bool {
    match fault {
        Fault::Spawn(_)
        | Fault::Unreachable(_)
        | Fault::AuthNeeded(_)
        | Fault::Headers(_)
        | Fault::SessionExpired => true,
        Fault::Ended(_)
        | Fault::LineTooLong(_)
        | Fault::Flood(_)
        | Fault::NotReading(_)
        | Fault::StdinClosed
        | Fault::Closed
        | Fault::Status { .. }
        | Fault::TooLarge(_)
        | Fault::BrokenOff(_)
        | Fault::NotMcp(_)
        | Fault::OtherOrigin(..)
        | Fault::NotLocal(_) => false,
    }
}
