//! The tools of the agents of hooks.

use crate::files::reading_tools;
use crate::shell::StatelessBash;
use crate::surroundings::Surroundings;
use becket_engine::{Tool, ToolSet};
use std::sync::Arc;

/// Returns Read, Grep, Glob and Bash for [`becket_engine::Builder::agent_tools`] (`protocol.md` H8). A call runs without a
/// permission rule if it only reads inside the working directories (P14).
#[must_use]
pub fn hook_tools(host: Surroundings) -> ToolSet {
    let host = Arc::new(host);
    let bash = Arc::new(StatelessBash { host: Arc::clone(&host) }) as Arc<dyn Tool>;
    reading_tools(host).chain([bash]).collect()
}
