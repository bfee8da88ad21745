//! How a server is reached: what each transport gives to a connection, and what a connection asks of it.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::transport::Transport;

use super::state::State;
use crate::fault::Fault;

/// The way to one server.
///
/// INVARIANT: once `end` has returned, or the link was dropped, nothing of it is left: no process, no socket, no task.
pub(crate) trait Link: Send + Sync + 'static {
    /// What messages go over.
    type Wire: Transport<RoleClient> + 'static;

    /// Opens the way, once for each attempt to shake hands.
    fn wire(&self) -> impl Future<Output = Result<Self::Wire, Fault>> + Send;

    /// What is known about it from all sides.
    fn state(&self) -> &Arc<State>;

    /// Ends it; the server has `grace` to go by itself.
    fn end(&self, grace: Duration) -> impl Future<Output = ()> + Send;
}

/// A link of any kind, once nothing but its end matters.
pub(super) trait AnyLink: Send + Sync {
    fn end(&self, grace: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

impl<L: Link> AnyLink for L {
    fn end(&self, grace: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(Link::end(self, grace))
    }
}
