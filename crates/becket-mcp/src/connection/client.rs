//! What this side tells servers about itself, and what it hears from them unasked.
//!
//! It offers nothing to a server: no sampling, no roots, no elicitation.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion};
use rmcp::service::NotificationContext;
use rmcp::{ClientHandler, RoleClient};

/// The client's side of one connection.
#[derive(Debug, Clone, Default)]
pub(super) struct Client {
    changes: Arc<AtomicU64>,
}

impl Client {
    /// How often the server has said that its tools are others now.
    pub(super) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let this = Implementation::new("becket", env!("CARGO_PKG_VERSION"));
        // The default names a version that has no `initialize`.
        ClientConfig::new(ClientCapabilities::default(), this)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }
}
