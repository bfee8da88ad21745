//! The side of the agent: an MCP server over stdio.

use super::Gateway;
use super::answer::Answer;
use super::guarded_call::GuardedCall;
use super::mended_stdin::MendedReader;
use super::offer::rule_names;
use super::watched_stdin::WatchedReader;
use crate::error::{CliError, CommandResult};
use becket_base::suggest;
use becket_engine::{CancellationToken, catch_panic};
use becket_mcp::{Progress, ProgressListener};
use rmcp::model::{
    CallToolRequestParams, ClientNotification, ClientRequest, CustomResult, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ProtocolVersion,
    ServerCapabilities, ServerConfig, ServerResult, SubscriptionFilter, Tool,
};
use rmcp::service::{
    NotificationContext, Peer, RequestContext, RoleServer, ServerInitializeError, Service, ServiceExt,
    SubscriptionContext,
};
use rmcp::{ServerHandler, transport};
use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::{OnceCell, mpsc};

/// The limit on progress notifications that wait for the agent; further ones are dropped.
const PROGRESS: usize = 64;

const INSTRUCTIONS: &str = "Tools of other MCP servers, behind the hooks and permission rules of this project. A call that \
                            is not allowed is answered with an error and the reason.";

/// Serves the agent until it closes its end, or `cancel` fires.
pub(super) async fn serve(gateway: Arc<Gateway>, cancel: &CancellationToken) -> CommandResult {
    let gone = cancel.child_token();
    let (stdin, stdout) = transport::stdio_pipes();
    let face = Face { gateway, gone: gone.clone(), connected: Arc::default() };
    let (offers, starts) = (face.clone(), face.clone());
    let _renewing = AbortOnDrop(tokio::spawn(async move { offers.keep_offer().await }));
    let _starting = AbortOnDrop(tokio::spawn(async move { starts.connect().await }));
    let calls = CallFace(face.clone());
    let stdin = MendedReader::new(WatchedReader::new(stdin, gone.clone()));
    let service = match calls.serve_with_ct((stdin, stdout), gone.child_token()).await {
        Ok(service) => service,
        // An agent that disconnects before the handshake has nothing to complain about.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(0),
        Err(_) if gone.is_cancelled() => return Ok(0),
        Err(error) => return Err(CliError::mcp(format!("the agent does not speak MCP: {error}"))),
    };
    let peer = service.peer().clone();
    let _announcing = AbortOnDrop(tokio::spawn(async move { face.announce(peer).await }));
    // The end of the service's task is the end of the connection, whatever its result.
    drop(service.waiting().await);
    Ok(0)
}

/// A task that ends with its owner.
struct AbortOnDrop(tokio::task::JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The service without calls.
#[derive(Clone)]
struct Face {
    gateway: Arc<Gateway>,
    /// Cancelled once the agent is gone.
    gone: CancellationToken,
    /// Set once every server is connected or has failed.
    connected: Arc<OnceCell<()>>,
}

impl Face {
    /// Connects all servers.
    async fn connect(&self) {
        self.connected.get_or_init(|| self.gateway.pool.start(&self.gone)).await;
    }

    /// Renews the offer whenever a server changes.
    async fn keep_offer(&self) {
        let mut changes = self.gateway.pool.changes();
        while let Some((server, state)) = changes.next().await {
            if let becket_mcp::ServerState::Failed { why } = &state {
                self.gateway.notices.show(&format!("the server `{server}`: {why}"));
            }
            let offer = self.gateway.offers.renew();
            offer.warnings().iter().for_each(|warning| self.gateway.notices.show(warning));
        }
    }

    /// Tells an agent that uses the older protocol that the tools have changed.
    async fn announce(&self, peer: Peer<RoleServer>) {
        let mut changes = self.gateway.offers.changes();
        while changes.changed().await.is_ok() {
            if peer.notify_tool_list_changed().await.is_err() {
                return;
            }
        }
    }

    /// Waits until the servers are connected, or the time limit is reached.
    async fn first_list(&self) {
        let limit = self.gateway.limits.list;
        if tokio::time::timeout(limit, self.connect()).await.is_err() {
            self.gateway.notices.show(&format!(
                "not every server was connected within {} s: their tools are announced when they are",
                limit.as_secs()
            ));
        }
    }
}

impl ServerHandler for Face {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("becket-gateway", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.first_list().await;
        let gate = &self.gateway.gate;
        gate.refresh().iter().for_each(|kept| self.gateway.notices.show(kept));
        let listed = self.gateway.offers.renew().listed(|tool| gate.deny_rule(&rule_names(tool)).is_none());
        let read = |tool| {
            serde_json::from_value::<Tool>(tool)
                .map_err(|error| ErrorData::internal_error(error.to_string(), None))
        };
        Ok(ListToolsResult::with_all_items(listed.into_iter().map(read).collect::<Result<_, _>>()?))
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.gateway.offers.changes();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.changed() => {
                    if changed.is_err() || context.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}

/// The complete service: results of calls are written as they come from their server, which may send blocks that the
/// library has no type for.
struct CallFace(Face);

impl Service<RoleServer> for CallFace {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let ClientRequest::CallToolRequest(request) = request else {
            return Service::handle_request(&self.0, request, context).await;
        };
        let is_marked = context
            .protocol_version()
            .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        let answer = self.call(request.params, &context).await?;
        Ok(ServerResult::CustomResult(CustomResult::new(answer.into_value(is_marked))))
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Service::handle_notification(&self.0, notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        <Face as Service<RoleServer>>::get_info(&self.0)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        <Face as Service<RoleServer>>::supported_protocol_versions(&self.0)
    }
}

impl CallFace {
    /// Makes a call.
    ///
    /// # Errors
    /// Errors if there is no such tool.
    async fn call(
        &self,
        params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Answer, ErrorData> {
        let Face { gateway, gone, .. } = &self.0;
        let known = gateway.offers.current();
        // An agent may call a tool that it knows from an earlier session.
        let offer = if known.find(&params.name).is_some() {
            known
        } else {
            self.0.first_list().await;
            gateway.offers.renew()
        };
        let Some(tool) = offer.find(&params.name) else {
            let near = suggest(&params.name, &offer.names()).map(|near| format!(" (did you mean `{near}`?)"));
            let why = format!("there is no tool `{}`{}", params.name, near.unwrap_or_default());
            return Err(ErrorData::invalid_params(why, None));
        };
        let cancel = gone.child_token();
        let agent = context.peer.peer_info().map(|info| info.client_info.name.clone());
        let call = GuardedCall {
            gateway,
            tool,
            input: params.arguments.unwrap_or_default(),
            agent: agent.as_deref().unwrap_or("an MCP client"),
            id: format!("toolu_{}", uuid::Uuid::new_v4().simple()),
            cancel: &cancel,
        };
        Ok(finish(&call, context, &cancel).await)
    }
}

/// Runs a call to its end, which comes soon after the agent cancels it.
async fn finish(
    call: &GuardedCall<'_>,
    context: &RequestContext<RoleServer>,
    cancel: &CancellationToken,
) -> Answer {
    let (sender, receiver) = mpsc::channel(PROGRESS);
    let listener = ProgressListener::new(move |progress| drop(sender.try_send(progress.clone())));
    let mut work = pin!(catch_panic(call.run(&context.peer, listener)));
    let mut progress =
        ProgressRelay { receiver, token: context.meta.get_progress_token(), to: &context.peer };
    let mut is_cancelled = false;
    let answer = loop {
        tokio::select! {
            biased;
            () = context.ct.cancelled(), if !is_cancelled => {
                is_cancelled = true;
                cancel.cancel();
            }
            () = progress.pass_on() => {}
            answer = work.as_mut() => break answer,
        }
    };
    progress.pass_on_rest().await;
    answer.unwrap_or_else(|why| Answer::refused(&format!("the gateway's own part panicked: {why}")))
}

/// The relay of a call's progress to the agent.
struct ProgressRelay<'a> {
    receiver: mpsc::Receiver<Progress>,
    /// The token of the call, or `None` if the agent does not want progress.
    token: Option<ProgressToken>,
    to: &'a Peer<RoleServer>,
}

impl ProgressRelay<'_> {
    /// Forwards the next notification; never resolves if there are no more.
    async fn pass_on(&mut self) {
        match self.receiver.recv().await {
            Some(progress) => self.send(progress).await,
            None => std::future::pending().await,
        }
    }

    async fn pass_on_rest(&mut self) {
        while let Ok(progress) = self.receiver.try_recv() {
            self.send(progress).await;
        }
    }

    async fn send(&self, progress: Progress) {
        let Some(token) = self.token.clone() else { return };
        let mut param = ProgressNotificationParam::new(token, progress.done);
        param.total = progress.total;
        param.message = progress.message;
        // An agent that is gone needs no progress.
        drop(self.to.notify_progress(param).await);
    }
}
