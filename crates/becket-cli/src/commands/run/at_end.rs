//! The tasks at the end of a turn (`protocol.md` L7): after an answer without calls, before its Stop hooks.
//!
//! - [`title`]: a name for the session, left running
//! - [`suggestion`]: what the user may say next, left running
//! - [`notes`]: what later sessions should know, left running
//! - [`consolidation`]: notes of many sessions made fewer, left running
//! - [`state`]: the state of the session, in a file, awaited
//! - [`asked`]: one question to the small fast model
//! - [`prompt_progress`]: how many prompts have been opened and ended
//!
//! INVARIANT: all of it is for the session's own turns alone; none of it in a bare start, none after an interrupt, a limit or an
//! error of the provider. No answer waits for a model that is asked here.

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
use becket_agent::tasks::Tasks;
use becket_agent::turn::TurnEndTasks;
use becket_llm::Models;
use consolidation::NotePaths;
pub(super) use prompt_progress::PromptProgress;
use std::sync::{Arc, Mutex, PoisonError};
use suggestion::Reader;

/// The variable that wants suggestions at a terminal: each costs a request to the small fast model.
const SUGGESTS: &str = "CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION";

/// The session, once it is open, and until it is closed: tasks are registered before, and may not keep it alive.
#[derive(Debug, Clone, Default)]
pub(super) struct Late(Arc<Mutex<Option<Agent>>>);

impl Late {
    fn agent(&self) -> Option<Agent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// It is open.
    pub(super) fn opened(&self, agent: &Agent) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(agent.clone());
    }

    /// It is closed.
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
    /// With the models of the session, and the notes that it takes.
    pub(super) fn new(models: Arc<dyn Models>, notes: Option<Notes>) -> Self {
        AtEnd { late: Late::default(), pulse: PromptProgress::default(), notes, models }
    }

    /// Returns the tasks of this run: a title if the session can be resumed, suggestions if the host wants them, notes
    /// if they are enabled, and the state file if one is named.
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
