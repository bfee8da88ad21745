//! `check --for`: the events that the registration of Becket with the agent lacks.

use crate::commands::install::{missing_entries, places, record_directory};
use crate::env::Surroundings;
use crate::session::Session;
use becket_engine::config::{self, Diagnostic, Severity};
use becket_install::{AgentConfig, Records, Scope, status};
use becket_model::{EventKind, Source};

/// Returns a finding for each registration that lacks events: an error if hooks decide on one of them.
pub(super) fn findings(
    agent: &'static AgentConfig,
    session: &Session,
    around: &Surroundings,
) -> Vec<Diagnostic> {
    let request = session.request();
    let Some(records) = record_directory(&request).and_then(|directory| Records::read(&directory).ok())
    else {
        return Vec::new();
    };
    let hooks = config::resolve(&config::load(&request)).hooks;
    let kinds: Vec<EventKind> = hooks.all().map(|hook| hook.event).collect();
    let mut found = Vec::new();
    for file in status(agent, &places(session, around), &records).files {
        if file.problem.is_some() {
            // `doctor` is about files that can't be read.
            continue;
        }
        let source = if file.scope == Scope::User { Source::User } else { Source::Project };
        for (deciding, severity) in [(true, Severity::Error), (false, Severity::Warning)] {
            let Some(text) = missing_entries(agent, &file, &kinds, deciding) else { continue };
            let (title, name, scope) = (agent.dialect().title, agent.name, file.scope.name());
            let message = format!("{title}: {text}; `becket install {name} --{scope} --repair` adds it");
            let path = file.path.as_path().into();
            found.push(Diagnostic::new(severity, "event-not-registered", message, path, source.clone()));
        }
    }
    found
}
