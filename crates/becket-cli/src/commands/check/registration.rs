//! `check --for`: the events that are missing in Becket's registration with the agent, the entries that were edited,
//! and the settings that switch it off.

use crate::commands::install::{entry_findings, is_entry, places, record_directory, switched_off};
use crate::env::Surroundings;
use crate::session::Session;
use becket_engine::config::{self, Diagnostic, Severity};
use becket_install::{AgentConfig, HooksOff, Records, Scope, status};
use becket_model::{EventKind, Source};

/// Returns a finding for each registration with missing events or edited entries, an error if hooks decide on one of
/// them, and for each setting that switches the entries off.
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
    let hooks = hooks.all().filter(|hook| !is_entry(hook));
    let kinds: Vec<EventKind> = hooks.map(|hook| hook.event).collect();
    let registered = status(agent, &places(session, around), &records);
    let mut found: Vec<Diagnostic> = registered.off.iter().map(|off| of_switch(agent, off, around)).collect();
    for file in registered.files {
        if file.problem.is_some() {
            // `doctor` reports files that can't be read.
            continue;
        }
        for (deciding, severity) in [(true, Severity::Error), (false, Severity::Warning)] {
            for finding in entry_findings(agent, &file, &kinds, deciding) {
                let message = format!("{}: {}", agent.dialect().title, finding.text);
                let (path, source) = (file.path.as_path().into(), source_of(file.scope));
                found.push(Diagnostic::new(severity, finding.code, message, path, source));
            }
        }
    }
    found
}

/// Returns the finding about a setting with which an agent switches off its entries.
fn of_switch(agent: &AgentConfig, off: &HooksOff, around: &Surroundings) -> Diagnostic {
    let message = format!("{}: {}", agent.dialect().title, switched_off(off, around));
    let (path, source) = (off.path.as_path().into(), source_of(off.scope));
    Diagnostic::new(Severity::Error, "hooks-switched-off", message, path, source)
}

/// Returns the source of the settings in a scope.
const fn source_of(scope: Scope) -> Source {
    match scope {
        Scope::User => Source::User,
        Scope::Project => Source::Project,
    }
}
