//! A connected server: its calls, its end.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use becket_process::CancellationToken;
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest};
use serde_json::{Map, Value};

use super::answer;
use super::ask::Requester;
use super::client::Client;
use super::clock::Clock;
use super::handshake::Service;
use super::info::ServerInfo;
use super::link::{AnyLink, Link};
use super::no_answer::Trouble;
use super::pages;
use super::redactor::ConnectionRedactor;
use super::rounds::rounds;
use super::state::State;
use crate::fault::{Fault, ServerOutput};
use crate::output::CallResult;
use crate::tool::ToolList;

/// A server that can be called. Dropping it ends its link first.
pub(crate) struct Connection {
    link: Box<dyn AnyLink>,
    service: Mutex<Option<Service>>,
    requester: Requester,
    client: Client,
    state: Arc<State>,
    info: Arc<ServerInfo>,
    turns: Turns,
    /// True once the connection has ended. Of several concurrent callers, one ends it.
    ending: tokio::sync::Mutex<bool>,
    redactor: ConnectionRedactor,
}

/// Locks that let only one of several concurrent callers request a list.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    pub(crate) tools: tokio::sync::Mutex<()>,
    pub(crate) resources: tokio::sync::Mutex<()>,
    pub(crate) prompts: tokio::sync::Mutex<()>,
}

/// A failed operation, before names are added.
#[derive(Debug)]
pub(crate) enum OperationError {
    NoSuchTool(Arc<ToolList>),
    /// The connection broke. `unseen` is set if the server can't have seen the request.
    Gone {
        fault: Fault,
        output: ServerOutput,
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

impl OperationError {
    /// A preliminary request failed: the call itself was not made.
    pub(crate) fn before_the_call(self) -> Self {
        match self {
            Self::Gone { fault, output, .. } => Self::Gone { fault, output, unseen: true },
            Self::NoSuchTool(_) | Self::Refused { .. } | Self::Unexpected(_) | Self::TooManyRounds(_) => self,
        }
    }

    /// Describes the failure, without the operation.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Gone { fault, .. } => fault.to_string(),
            Self::Refused { code, message, .. } => format!("it refuses: {message} ({code})"),
            Self::Unexpected(what) => what.clone(),
            Self::NoSuchTool(_) => "it has no such tool".to_owned(),
            Self::TooManyRounds(rounds) => format!("it has asked {rounds} times for more"),
        }
    }
}

impl Connection {
    pub(super) fn new<L: Link>(
        link: L,
        service: Service,
        client: Client,
        redactor: ConnectionRedactor,
    ) -> Self {
        let requester = Requester::new(service.peer(), link.state());
        let info = requester.info().map(|peer| ServerInfo::new(&peer)).unwrap_or_default();
        let (state, link) = (Arc::clone(link.state()), Box::new(link));
        let (service, info, turns) = (Mutex::new(Some(service)), Arc::new(info), Turns::default());
        let ending = tokio::sync::Mutex::default();
        Self { link, service, requester, client, state, info, turns, ending, redactor }
    }

    /// Returns the server's description of itself.
    pub(crate) fn info(&self) -> &Arc<ServerInfo> {
        &self.info
    }

    /// Returns a token that fires when the connection is no longer usable.
    pub(crate) fn broken(&self) -> &CancellationToken {
        self.state.broken()
    }

    /// Returns the fault that broke the connection, and the server's output until then.
    pub(crate) async fn fault(&self) -> (Fault, ServerOutput) {
        let fault = self.state.settled_fault().await;
        (self.redactor.fault(fault), self.redactor.output(self.state.output()))
    }

    /// Waits until the server announces that one of its lists has changed. Cancel-safe.
    pub(crate) async fn changed(&self) {
        self.client.changed().await;
    }

    /// Waits until no call is active.
    pub(crate) async fn idle(&self) {
        self.client.calls().idle().await;
    }

    pub(crate) fn turns(&self) -> &Turns {
        &self.turns
    }

    pub(super) fn requester(&self) -> &Requester {
        &self.requester
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Lists the tools.
    pub(crate) async fn list_tools(&self) -> Result<ToolList, OperationError> {
        let listed = pages::tools(&self.requester).await;
        self.or_failed(listed).await
    }

    /// Calls a tool. Dropping the future cancels the call at the server.
    pub(crate) async fn call(
        &self,
        tool: &Arc<str>,
        input: &Map<String, Value>,
        clock: &Arc<Clock>,
    ) -> Result<CallResult, OperationError> {
        let call = &self.client.calls().enter(tool, clock);
        rounds(&self.client, clock, |inputs| async move {
            let mut params = CallToolRequestParams::new(tool.to_string()).with_arguments(input.clone());
            (params.input_responses, params.request_state) = (inputs.responses, inputs.state);
            let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
            let answer = self.requester.ask(request, Some(call)).await;
            answer::of_call(self.or_failed(answer).await?).map_err(OperationError::Unexpected)
        })
        .await
    }

    /// Ends the connection: closes its input, gives the server time to exit, then kills it. Returns once it is over,
    /// even if another caller has ended it.
    pub(crate) async fn close(&self, exit_grace: Duration) {
        self.state.broke(Fault::Closed);
        let mut is_over = self.ending.lock().await;
        if *is_over {
            return;
        }
        let service = self.service.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut service) = service {
            // Whatever the result of its task, the pipe is closed with it.
            let _ = service.close().await;
        }
        self.link.end(exit_grace).await;
        *is_over = true;
    }

    pub(super) async fn or_failed<T>(&self, answer: Result<T, Trouble>) -> Result<T, OperationError> {
        match answer {
            Ok(answer) => Ok(answer),
            Err(trouble) => Err(self.redactor.failed(self.failed(trouble).await)),
        }
    }

    async fn failed(&self, trouble: Trouble) -> OperationError {
        let (fault, unseen) = match trouble {
            Trouble::Gone => (self.state.settled_fault().await, false),
            Trouble::NotSent => (self.state.settled_fault().await, true),
            Trouble::Failed(fault) => {
                let unseen = fault.is_before_execution();
                (fault, unseen)
            }
            Trouble::Refused { code, message, data } => {
                return OperationError::Refused { code, message, data };
            }
            Trouble::Unexpected(what) => return OperationError::Unexpected(what),
        };
        OperationError::Gone { fault, output: self.state.output(), unseen }
    }
}

/// Cancels open questions.
impl Drop for Connection {
    fn drop(&mut self) {
        self.state.broke(Fault::Closed);
    }
}
