//! Registrations in real files: additions, removals, and unchanged parts.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod disk;
mod edits;
mod guards;
mod laws;

use becket_install::{AGENTS, ConfigForm, Entry, HookCommand, Scope, agent};

/// Returns the entries of an agent.
fn entries(name: &str) -> Vec<Entry> {
    let agent = agent(name).expect("an agent");
    let command =
        HookCommand { agent, scope: Scope::User, program: "/opt/becket", longest: None, exec_rewrite: false };
    let events = agent.registered(&[]).into_iter();
    events
        .map(|event| Entry {
            event: event.name.to_owned(),
            command: command.text(&event),
            limit: agent.in_unit(agent.limit(event.name, None)),
        })
        .collect()
}

/// Returns the agents whose configuration consists of entries.
fn with_entries() -> impl Iterator<Item = (&'static str, ConfigForm)> {
    let is_code = |form: &ConfigForm| matches!(form, ConfigForm::Scripts | ConfigForm::Plugin(_));
    AGENTS.iter().map(|agent| (agent.name, agent.form)).filter(move |(_, form)| !is_code(form))
}
