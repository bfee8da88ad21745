//! The operations over a connection, beside lists.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::listing::{CachedList, ListTools};
use super::operate::ConnectionOperation;
use crate::connection::{Clock, Connection, OperationError, ServerInfo};
use crate::lists::ListState;
use crate::output::CallResult;
use crate::prompt::PromptResult;
use crate::resource::ResourceContents;

/// Connecting, and nothing more.
pub(super) struct ConnectOnly;

impl ConnectionOperation for ConnectOnly {
    type Done = Arc<ServerInfo>;

    async fn over(&self, connection: &Connection) -> Result<Self::Done, OperationError> {
        Ok(Arc::clone(connection.info()))
    }
}

/// A call of a tool.
pub(super) struct Call<'a> {
    pub(super) list: CachedList<'a>,
    pub(super) tool: Arc<str>,
    pub(super) input: Map<String, Value>,
    pub(super) clock: &'a Arc<Clock>,
}

impl ConnectionOperation for Call<'_> {
    type Done = CallResult;

    async fn over(&self, connection: &Connection) -> Result<Self::Done, OperationError> {
        self.look_for(connection).await.map_err(OperationError::before_the_call)?;
        connection.call(&self.tool, &self.input, self.clock).await
    }
}

impl Call<'_> {
    /// Lists the tools again if this one is unknown and the server has announced a change. Without any list, the server
    /// itself decides if it has the tool.
    async fn look_for(&self, connection: &Connection) -> Result<(), OperationError> {
        let CachedList { catalog, server, .. } = self.list;
        let tools = match catalog.tools.look(server) {
            ListState::Fresh(tools) | ListState::Kept { list: tools, .. } => Arc::clone(&*tools),
            ListState::Changed(tools) if tools.has(&self.tool) => return Ok(()),
            ListState::Changed(_) => ListTools(self.list).over(connection).await?,
            ListState::Nothing { .. } => return Ok(()),
        };
        if tools.has(&self.tool) { Ok(()) } else { Err(OperationError::NoSuchTool(Arc::clone(&tools.list))) }
    }
}

/// The reading of a resource.
pub(super) struct Read<'a> {
    pub(super) uri: &'a str,
    pub(super) clock: &'a Arc<Clock>,
}

impl ConnectionOperation for Read<'_> {
    type Done = Vec<ResourceContents>;

    async fn over(&self, connection: &Connection) -> Result<Self::Done, OperationError> {
        connection.read_resource(self.uri, self.clock).await
    }
}

/// The use of a prompt.
pub(super) struct GetPrompt<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: Map<String, Value>,
    pub(super) clock: &'a Arc<Clock>,
}

impl ConnectionOperation for GetPrompt<'_> {
    type Done = PromptResult;

    async fn over(&self, connection: &Connection) -> Result<Self::Done, OperationError> {
        connection.prompt(self.name, &self.arguments, self.clock).await
    }
}
