//! The operations over a connection, beside lists.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::listing::{ListTools, Shelf};
use super::operate::Work;
use crate::connection::{Clock, Connection, Failed, ServerInfo};
use crate::content::CallResult;
use crate::lists::Listed;
use crate::prompt::PromptResult;
use crate::resource::ResourceContents;

/// Connecting, and nothing more.
pub(super) struct Greeting;

impl Work for Greeting {
    type Done = Arc<ServerInfo>;

    async fn over(&self, connection: &Connection) -> Result<Self::Done, Failed> {
        Ok(Arc::clone(connection.info()))
    }
}

/// A call of a tool.
pub(super) struct Call<'a> {
    pub(super) shelf: Shelf<'a>,
    pub(super) tool: Arc<str>,
    pub(super) input: Map<String, Value>,
    pub(super) clock: &'a Arc<Clock>,
}

impl Work for Call<'_> {
    type Done = CallResult;

    async fn over(&self, connection: &Connection) -> Result<Self::Done, Failed> {
        self.look_for(connection).await.map_err(Failed::before_the_call)?;
        connection.call(&self.tool, &self.input, self.clock).await
    }
}

impl Call<'_> {
    /// Lists the tools again if this one is unknown and the server has announced a change. Without any list, the server
    /// itself decides if it has the tool.
    async fn look_for(&self, connection: &Connection) -> Result<(), Failed> {
        let Shelf { catalog, server, .. } = self.shelf;
        let tools = match catalog.tools.look(server) {
            Listed::Fresh(tools) | Listed::Kept { list: tools, .. } => Arc::clone(&*tools),
            Listed::Changed(tools) if tools.has(&self.tool) => return Ok(()),
            Listed::Changed(_) => ListTools(self.shelf).over(connection).await?,
            Listed::Nothing { .. } => return Ok(()),
        };
        if tools.has(&self.tool) { Ok(()) } else { Err(Failed::NoSuchTool(Arc::clone(&tools.list))) }
    }
}

/// The reading of a resource.
pub(super) struct Read<'a> {
    pub(super) uri: &'a str,
    pub(super) clock: &'a Arc<Clock>,
}

impl Work for Read<'_> {
    type Done = Vec<ResourceContents>;

    async fn over(&self, connection: &Connection) -> Result<Self::Done, Failed> {
        connection.read_resource(self.uri, self.clock).await
    }
}

/// The use of a prompt.
pub(super) struct Prompting<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: Map<String, Value>,
    pub(super) clock: &'a Arc<Clock>,
}

impl Work for Prompting<'_> {
    type Done = PromptResult;

    async fn over(&self, connection: &Connection) -> Result<Self::Done, Failed> {
        connection.prompt(self.name, &self.arguments, self.clock).await
    }
}
