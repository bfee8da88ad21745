//! What can be asked over a connection.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::operate::Work;
use crate::connection::{Clock, Connection, Failed, ServerInfo};
use crate::content::CallResult;
use crate::tool::ToolList;

/// Nothing more than to be connected.
pub(super) struct Greeting;

impl Work for Greeting {
    type Done = Arc<ServerInfo>;

    async fn over(&self, connection: &Connection) -> Result<Self::Done, Failed> {
        Ok(Arc::clone(connection.info()))
    }
}

/// The tools.
pub(super) struct Tools;

impl Work for Tools {
    type Done = Arc<ToolList>;

    /// Where the server gives no new list, the old one stays.
    async fn over(&self, connection: &Connection) -> Result<Self::Done, Failed> {
        Ok(connection.refresh().await.unwrap_or_else(|_| connection.tools()))
    }
}

/// A call of a tool.
pub(super) struct Call<'a> {
    pub(super) tool: Arc<str>,
    pub(super) input: Map<String, Value>,
    pub(super) clock: &'a Arc<Clock>,
}

impl Work for Call<'_> {
    type Done = CallResult;

    async fn over(&self, connection: &Connection) -> Result<Self::Done, Failed> {
        connection.call(&self.tool, &self.input, self.clock).await
    }
}
