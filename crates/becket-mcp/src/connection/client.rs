//! The client side of the protocol: the client's description of itself, and the handlers of server messages.
//!
//! Features that the host does not offer are not announced, and refused if a server requests them anyway.

#![expect(deprecated, reason = "the protocol means to drop what servers still use")]

use std::sync::Arc;

use becket_process::CancellationToken;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, CustomNotification,
    CustomRequest, CustomResult, ElicitRequestParams, ElicitResult, ElicitationCapability,
    FormElicitationCapability, Implementation, ListRootsResult, LoggingMessageNotificationParam,
    ProgressNotificationParam, ProtocolVersion, RequestId, RootsCapabilities, SamplingCapability,
    UrlElicitationCapability,
};
use rmcp::service::{InboundStreamOrigin, NotificationContext, RequestContext};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::Value;
use tokio::sync::Notify;

use super::calls::Calls;
use super::clock::Pause;
use super::host_handle::HostHandle;
use super::questions;
use crate::catalog::Catalog;
use crate::host::{Elicitation, ElicitationAnswer, LogMessage, Progress};

/// The client's side of one connection.
#[derive(Clone)]
pub(super) struct Client(Arc<Side>);

struct Side {
    server: Arc<str>,
    host: HostHandle,
    calls: Arc<Calls>,
    catalog: Arc<Catalog>,
    /// Notified when the server announces that one of its lists has changed.
    changed: Notify,
    /// Cancelled when the connection is over: answers are no longer awaited.
    over: CancellationToken,
}

impl Client {
    pub(super) fn new(
        server: Arc<str>,
        host: HostHandle,
        catalog: Arc<Catalog>,
        over: CancellationToken,
    ) -> Self {
        let (calls, changed) = (Arc::default(), Notify::new());
        Self(Arc::new(Side { server, host, calls, catalog, changed, over }))
    }

    pub(super) fn calls(&self) -> &Arc<Calls> {
        &self.0.calls
    }

    /// Waits until the server announces that one of its lists has changed. Cancel-safe.
    pub(super) async fn changed(&self) {
        self.0.changed.notified().await;
    }

    /// Records that one of its lists has changed.
    pub(super) fn announce(&self, list: impl FnOnce(&Catalog, &str)) {
        list(&self.0.catalog, &self.0.server);
        self.0.changed.notify_one();
    }

    /// Asks the user on behalf of a call that waits for it.
    pub(super) async fn elicit(&self, asked: Elicitation) -> ElicitationAnswer {
        let asked = self.0.host.elicit(&self.0.server, asked, &self.0.over).await;
        asked.unwrap_or(ElicitationAnswer::Cancel)
    }

    /// Asks the user a question in the types of the protocol.
    pub(super) async fn elicit_result(&self, params: ElicitRequestParams) -> Result<ElicitResult, ErrorData> {
        let asked = questions::elicitation(params)?;
        questions::elicit(&self.0.host, &self.0.server, asked, &self.0.over).await
    }

    pub(super) async fn sampled(
        &self,
        params: &CreateMessageRequestParams,
    ) -> Result<CreateMessageResult, ErrorData> {
        questions::sample(&self.0.host, &self.0.server, params, &self.0.over).await
    }

    pub(super) async fn roots(&self) -> Result<ListRootsResult, ErrorData> {
        questions::roots(&self.0.host, &self.0.server, &self.0.over).await
    }

    /// Opens a question of the server: the clocks of calls pause until it is answered. It is cancelled when the server
    /// cancels it, when the connection is over, and when no call remains that it could belong to.
    fn open(&self, context: &RequestContext<RoleClient>) -> Open {
        let origin = match context.extensions.get::<InboundStreamOrigin>() {
            Some(InboundStreamOrigin::OutboundRequest(id)) => Some(id.clone()),
            Some(InboundStreamOrigin::Unassociated) | None => None,
        };
        Open::new(self, context.ct.clone(), origin.as_ref())
    }
}

/// A question without an answer yet.
struct Open {
    withdrawn: CancellationToken,
    watch: tokio::task::JoinHandle<()>,
    _pauses: Vec<Pause>,
}

impl Open {
    fn new(client: &Client, asked: CancellationToken, of: Option<&RequestId>) -> Self {
        let pauses = client.0.calls.pause(of);
        let (withdrawn, side) = (CancellationToken::new(), Arc::clone(&client.0));
        let (fire, is_of_calls) = (withdrawn.clone(), !pauses.is_empty());
        let watch = tokio::spawn(async move {
            tokio::select! {
                () = asked.cancelled() => {}
                () = side.over.cancelled() => {}
                () = side.calls.idle(), if is_of_calls => {}
            }
            fire.cancel();
        });
        Self { withdrawn, watch, _pauses: pauses }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.watch.abort();
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let this = Implementation::new("becket", env!("CARGO_PKG_VERSION"));
        let offers = self.0.host.offers();
        let mut capabilities = ClientCapabilities::default();
        if offers.form || offers.url {
            let mut elicitation = ElicitationCapability::new();
            elicitation.form = offers.form.then(FormElicitationCapability::new);
            elicitation.url = offers.url.then(UrlElicitationCapability::new);
            capabilities.elicitation = Some(elicitation);
        }
        capabilities.sampling = offers.sampling.then(SamplingCapability::default);
        capabilities.roots = offers.roots.then(RootsCapabilities::default);
        // The default is a version without `initialize`.
        ClientConfig::new(capabilities, this).with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let open = self.open(&context);
        questions::sample(&self.0.host, &self.0.server, &params, &open.withdrawn).await
    }

    async fn list_roots(&self, context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        let open = self.open(&context);
        questions::roots(&self.0.host, &self.0.server, &open.withdrawn).await
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let (asked, open) = (questions::elicitation(params)?, self.open(&context));
        questions::elicit(&self.0.host, &self.0.server, asked, &open.withdrawn).await
    }

    /// A question that the library can't parse arrives here.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != "elicitation/create" {
            let why = format!("`{}` is not known here", request.method);
            return Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, why, None));
        }
        let asked = questions::raw_elicitation(request.params.as_ref())?;
        let open = self.open(&context);
        let answer = questions::elicit(&self.0.host, &self.0.server, asked, &open.withdrawn).await?;
        let answer = serde_json::to_value(answer)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(CustomResult::new(answer))
    }

    /// Handles a notification for which the library has no type.
    async fn on_custom_notification(&self, notice: CustomNotification, _: NotificationContext<RoleClient>) {
        if let Some(id) = questions::completed(&notice) {
            self.0.host.completed(&self.0.server, id);
        }
    }

    async fn on_progress(&self, notice: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let Some((tool, clock)) = self.0.calls.of_token(&notice.progress_token) else { return };
        clock.progress();
        let ProgressNotificationParam { progress: done, total, message, .. } = notice;
        let progress = Progress { tool: tool.to_string(), done, total, message };
        if let Some(listener) = clock.listener() {
            self.0.host.tell_listener(listener, &progress);
        }
        self.0.host.progress(&self.0.server, progress);
    }

    async fn on_logging_message(
        &self,
        notice: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let level = match serde_json::to_value(notice.level) {
            Ok(Value::String(level)) => level,
            Ok(_) | Err(_) => String::new(),
        };
        self.0.host.log(&self.0.server, LogMessage { level, logger: notice.logger, data: notice.data });
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.announce(|catalog, server| catalog.tools.changed(server));
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.announce(|catalog, server| catalog.resources.changed(server));
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.announce(|catalog, server| catalog.prompts.changed(server));
    }
}
