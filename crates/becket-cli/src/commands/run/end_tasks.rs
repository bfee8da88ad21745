//! The tasks of a run at the end of a turn (`protocol.md` L7).

use super::begins;
use super::context::RunContext;
use super::control::Initialize;
use becket_agent::end_tasks::EndTasks;
use becket_agent::notes::Notes;
use becket_agent::turn::TurnEndTasks;
use becket_tools::tasks::Tasks;
use serde_json::json;

/// The variable that enables suggestions at a terminal: each costs a request to the small fast model.
const SUGGESTS: &str = "CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION";

/// Returns the tasks of this run: a title if a host has initialized it or it is at a terminal, suggestions and notes if
/// enabled, and the state file if one is named.
pub(super) fn registered(
    at: RunContext<'_>,
    end_tasks: &EndTasks,
    notes: Option<&Notes>,
    background: &Tasks,
) -> TurnEndTasks {
    let tasks = TurnEndTasks::new(at.args.sources.skips_files());
    if at.wants.is_some() || at.terminal.is_some() {
        tasks.register(end_tasks.title());
    }
    if let Some(host) = at.host.filter(|_| at.wants.is_some_and(Initialize::wants_suggestions)) {
        let host = host.clone();
        tasks.register(end_tasks.suggestion(move |suggestion, session| {
            host.send(json!({
                "type": "prompt_suggestion",
                "suggestion": suggestion,
                "uuid": uuid::Uuid::new_v4().to_string(),
                "session_id": session,
            }));
        }));
    }
    let is_wanted = at.around.var(SUGGESTS).is_some_and(|value| value == "1" || value == "true");
    if let Some(terminal) = at.terminal.filter(|_| is_wanted).cloned() {
        tasks.register(end_tasks.suggestion(move |suggestion, _| terminal.suggest(suggestion)));
    }
    if let Some(notes) = notes {
        tasks.register(end_tasks.notes(notes.clone()));
        if let Some(store) = begins::store(at) {
            tasks.register(end_tasks.consolidation(notes.clone(), store, at.session.start.clone()));
        }
    }
    if let Some(file) = &at.args.session.state_file {
        tasks.register(end_tasks.state_file(at.session.start.join(file), background.clone()));
    }
    tasks
}
