//! Lists of servers, cached or requested again.
//!
//! INVARIANT: of many concurrent callers that find a list out of date, one requests it.
//! INVARIANT: a server that returns no list is asked again only once it has announced another change; the old list is
//! kept.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::catalog::{Catalog, Tools, last};
use crate::connection::{Connection, OperationError};
use crate::fault::{Fault, ServerOutput};
use crate::lists::{ListState, Lists};
use crate::prompt::Prompt;
use crate::resource::Resources;

/// A cache of lists, with the time limit for a server's list.
#[derive(Clone, Copy)]
pub(super) struct CachedList<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) server: &'a str,
    pub(super) limit: Duration,
}

/// Lists the tools.
pub(super) async fn list_tools(
    cached: CachedList<'_>,
    connection: &Connection,
) -> Result<Arc<Tools>, OperationError> {
    let fetch = async { connection.list_tools().await.map(|tools| Arc::new(Tools::new(tools))) };
    cached.list(&cached.catalog.tools, &connection.turns().tools, fetch).await
}

/// Lists the resources.
pub(super) async fn list_resources(
    cached: CachedList<'_>,
    connection: &Connection,
) -> Result<Arc<Resources>, OperationError> {
    let fetch = async { connection.list_resources().await.map(Arc::new) };
    cached.list(&cached.catalog.resources, &connection.turns().resources, fetch).await
}

/// Lists the prompts.
pub(super) async fn list_prompts(
    cached: CachedList<'_>,
    connection: &Connection,
) -> Result<Arc<Vec<Prompt>>, OperationError> {
    let fetch = async { connection.list_prompts().await.map(Arc::new) };
    cached.list(&cached.catalog.prompts, &connection.turns().prompts, fetch).await
}

/// Errors if the server has no such tool. The tools are listed again if this one is unknown and the server has
/// announced a change. Without any list, the server itself decides whether it has the tool.
pub(super) async fn find_tool(
    cached: CachedList<'_>,
    tool: &str,
    connection: &Connection,
) -> Result<(), OperationError> {
    let tools = match cached.catalog.tools.look(cached.server) {
        ListState::Fresh(tools) | ListState::Kept { list: tools, .. } => Arc::clone(&*tools),
        ListState::Changed(tools) if tools.has(tool) => return Ok(()),
        ListState::Changed(_) => list_tools(cached, connection).await?,
        ListState::Nothing { .. } => return Ok(()),
    };
    if tools.has(tool) { Ok(()) } else { Err(OperationError::NoSuchTool(Arc::clone(&tools.list))) }
}

impl CachedList<'_> {
    async fn list<T: Clone>(
        &self,
        lists: &Lists<T>,
        turn: &Mutex<()>,
        fetch: impl Future<Output = Result<T, OperationError>>,
    ) -> Result<T, OperationError> {
        if let Some(list) = lists.get(self.server) {
            return Ok(T::clone(&list));
        }
        let _turn = turn.lock().await;
        if let Some(list) = lists.get(self.server) {
            return Ok(T::clone(&list));
        }
        let ticket = lists.begin(self.server);
        let failed = match timeout(self.limit, fetch).await {
            Ok(Ok(list)) => {
                // A list that is already out of date is still the newest one; the next caller gets another.
                let _ = ticket.store(list.clone());
                return Ok(list);
            }
            // This can be retried, and requests the list again then.
            Ok(Err(failed @ OperationError::Gone { unseen: true, .. })) => return Err(failed),
            Ok(Err(failed)) => failed,
            Err(_) => OperationError::Gone {
                fault: silent(self.limit),
                output: ServerOutput::default(),
                unseen: false,
            },
        };
        ticket.failed(&failed.words());
        last(lists.look(self.server)).ok_or(failed)
    }
}

fn silent(limit: Duration) -> Fault {
    Fault::BrokenOff(format!("it gave no list within {} s", limit.as_secs_f64()))
}
