//! THE table of the tools that a session's own model has here. Bash, agents, skills and MCP tools come from elsewhere.

use super::edit::Edit;
use super::glob::Glob;
use super::grep::Grep;
use super::in_session::{Does, InSession};
use super::ledger::Ledger;
use super::read::Read;
use super::tool::Tool as Deed;
use super::write::Write;
use crate::surroundings::Surroundings;
use crate::tool_call::Tool;
use std::sync::Arc;

/// Tools on files, in the order in which the model sees them.
const ON_FILES: [(&dyn Deed, Does); 5] = [
    (&Read, Does::Reads),
    (&Edit, Does::Edits),
    (&Write, Does::Edits),
    (&Glob, Does::Reads),
    (&Grep, Does::Reads),
];

/// What a host lends to the tools of its sessions, and with it which of them there are.
#[derive(Debug, Clone)]
pub struct SessionTools {
    host: Arc<Surroundings>,
}

impl SessionTools {
    /// Read, Edit, Write, Glob and Grep.
    #[must_use]
    pub fn new(surroundings: Surroundings) -> Self {
        Self { host: Arc::new(surroundings) }
    }
}

/// The tools of sessions, for a [`crate::tool_call::Toolbox`]. They remember together what each session, and each subagent of
/// it, has read: Edit and Write change no file that has not been.
#[must_use]
pub fn session_tools(lent: SessionTools) -> Vec<Arc<dyn Tool>> {
    let SessionTools { host } = lent;
    let ledger = Arc::new(Ledger::default());
    let on_files = ON_FILES.into_iter().map(|(deed, does)| {
        let (host, ledger) = (Arc::clone(&host), Arc::clone(&ledger));
        Arc::new(InSession { deed, does, host, ledger }) as Arc<dyn Tool>
    });
    on_files.collect()
}
