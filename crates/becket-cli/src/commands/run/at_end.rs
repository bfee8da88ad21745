//! The tasks at the end of a turn (`protocol.md` L7): after an answer without calls, before its Stop hooks.
//!
//! - [`title`]: a name for the session, left running
//! - [`suggestion`]: a suggestion for the next prompt, left running
//! - [`notes`]: notes for later sessions, left running
//! - [`consolidation`]: the notes of many sessions condensed, left running
//! - [`state`]: the state of the session, in a file, awaited
//! - [`side_request`]: one question to the small fast model
//! - [`prompt_progress`]: the prompts that have started and ended
//!
//! INVARIANT: these tasks run only after the session's own turns; not in a bare start, and not after an interrupt, a
//! limit or an error of the provider. No answer waits for a request that is made here.

mod consolidation;
mod notes;
mod prompt_progress;
mod side_request;
mod state;
mod suggestion;
mod title;

use super::begins;
use super::context::RunContext;
use super::control::Initialize;
use becket_agent::Agent;
use becket_agent::notes::Notes;
use becket_agent::turn::TurnEndTasks;
use becket_llm::Models;
use becket_tools::tasks::Tasks;
use consolidation::NotePaths;
pub(super) use prompt_progress::PromptProgress;
use std::sync::{Arc, Mutex, PoisonError};
use suggestion::Reader;

/// The variable that enables suggestions at a terminal: each costs a request to the small fast model.
const SUGGESTS: &str = "CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION";

/// The session, from its opening to its end: tasks are registered before, and must not keep it alive.
#[derive(Debug, Clone, Default)]
pub(super) struct Late(Arc<Mutex<Option<Agent>>>);

impl Late {
    fn agent(&self) -> Option<Agent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records that it is open.
    pub(super) fn opened(&self, agent: &Agent) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(agent.clone());
    }

    /// Records that it is closed.
    pub(super) fn closed(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// The inputs of the tasks.
#[derive(Clone)]
pub(super) struct AtEnd {
    pub(super) late: Late,
    pub(super) pulse: PromptProgress,
    /// The notes for later sessions, if enabled.
    pub(super) notes: Option<Notes>,
    models: Arc<dyn Models>,
}

impl AtEnd {
    /// Creates the inputs from the models of the session and its notes.
    pub(super) fn new(models: Arc<dyn Models>, notes: Option<Notes>) -> Self {
        AtEnd { late: Late::default(), pulse: PromptProgress::default(), notes, models }
    }

    /// Returns the tasks of this run: a title if a host has initialized it or it is at a terminal, suggestions and
    /// notes if they are enabled, and the state file if one is named.
    pub(super) fn tasks(&self, at: RunContext<'_>, background: &Tasks) -> TurnEndTasks {
        let tasks = TurnEndTasks::new(at.args.sources.skips_files());
        if at.wants.is_some() || at.terminal.is_some() {
            tasks.register(title::task(self.clone()));
        }
        if let Some(host) = at.host.filter(|_| at.wants.is_some_and(Initialize::wants_suggestions)) {
            tasks.register(suggestion::task(self.clone(), Reader::Host(host.clone())));
        }
        let is_wanted = at.around.var(SUGGESTS).is_some_and(|value| value == "1" || value == "true");
        if let Some(terminal) = at.terminal.filter(|_| is_wanted) {
            tasks.register(suggestion::task(self.clone(), Reader::Terminal(terminal.clone())));
        }
        if let Some(notes) = &self.notes {
            tasks.register(notes::task(self.clone(), notes.clone()));
            if let Some(store) = begins::store(at) {
                let shelf = NotePaths { notes: notes.clone(), store, start: at.session.start.clone() };
                tasks.register(consolidation::task(self.clone(), shelf));
            }
        }
        if let Some(file) = &at.args.session.state_file {
            tasks.register(state::task(self.clone(), at.session.start.join(file), background.clone()));
        }
        tasks
    }
}
