//! Lists of servers, cached or requested again.
//!
//! INVARIANT: of many concurrent callers that find a list out of date, one requests it.
//! INVARIANT: a server that gives no list is asked again only once it has announced another change; the old list stays.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::timeout;

use super::operate::ConnectionOperation;
use crate::catalog::{Catalog, Tools, last};
use crate::connection::{Connection, OperationError};
use crate::fault::{Fault, ServerOutput};
use crate::lists::Lists;
use crate::prompt::Prompt;
use crate::resource::Resources;

/// A cache of lists, with the time limit for a server's list.
#[derive(Clone, Copy)]
pub(super) struct CachedList<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) server: &'a str,
    pub(super) limit: Duration,
}

/// The tools.
pub(super) struct ListTools<'a>(pub(super) CachedList<'a>);

impl ConnectionOperation for ListTools<'_> {
    type Done = Arc<Tools>;

    async fn over(&self, connection: &Connection) -> Result<Self::Done, OperationError> {
        let CachedList { catalog, server, limit } = self.0;
        let asked = ListRequest { lists: &catalog.tools, server, limit, turn: &connection.turns().tools };
        asked.list(async { connection.list_tools().await.map(|tools| Arc::new(Tools::new(tools))) }).await
    }
}

/// The resources.
pub(super) struct ListResources<'a>(pub(super) CachedList<'a>);

impl ConnectionOperation for ListResources<'_> {
    type Done = Arc<Resources>;

    async fn over(&self, connection: &Connection) -> Result<Self::Done, OperationError> {
        let CachedList { catalog, server, limit } = self.0;
        let asked =
            ListRequest { lists: &catalog.resources, server, limit, turn: &connection.turns().resources };
        asked.list(async { connection.list_resources().await.map(Arc::new) }).await
    }
}

/// The prompts.
pub(super) struct ListPrompts<'a>(pub(super) CachedList<'a>);

impl ConnectionOperation for ListPrompts<'_> {
    type Done = Arc<Vec<Prompt>>;

    async fn over(&self, connection: &Connection) -> Result<Self::Done, OperationError> {
        let CachedList { catalog, server, limit } = self.0;
        let asked = ListRequest { lists: &catalog.prompts, server, limit, turn: &connection.turns().prompts };
        asked.list(async { connection.list_prompts().await.map(Arc::new) }).await
    }
}

/// A request for one list.
struct ListRequest<'a, T> {
    lists: &'a Lists<T>,
    server: &'a str,
    limit: Duration,
    turn: &'a Mutex<()>,
}

impl<T: Clone> ListRequest<'_, T> {
    async fn list(
        &self,
        fetch: impl Future<Output = Result<T, OperationError>>,
    ) -> Result<T, OperationError> {
        if let Some(list) = self.lists.get(self.server) {
            return Ok(T::clone(&list));
        }
        let _turn = self.turn.lock().await;
        if let Some(list) = self.lists.get(self.server) {
            return Ok(T::clone(&list));
        }
        let ticket = self.lists.begin(self.server);
        let failed = match timeout(self.limit, fetch).await {
            Ok(Ok(list)) => {
                // A list that is out of date by now is the newest one all the same; the next caller gets another.
                let _ = ticket.store(list.clone());
                return Ok(list);
            }
            // This can be retried, and is requested again then.
            Ok(Err(failed @ OperationError::Gone { unseen: true, .. })) => return Err(failed),
            Ok(Err(failed)) => failed,
            Err(_) => OperationError::Gone {
                fault: silent(self.limit),
                said: ServerOutput::default(),
                unseen: false,
            },
        };
        ticket.failed(&failed.words());
        last(self.lists.look(self.server)).ok_or(failed)
    }
}

fn silent(limit: Duration) -> Fault {
    Fault::BrokenOff(format!("it gave no list within {} s", limit.as_secs_f64()))
}
