//! The user's choices, by name, about the servers of a project.

use std::collections::BTreeSet;

use super::error::ConfigError;
use super::policy::Source;
use super::scope::Scope;

const ENABLE_ALL: &str = "enableAllProjectMcpServers";
const ENABLED: &str = "enabledMcpjsonServers";
const DISABLED: &str = "disabledMcpjsonServers";

const REFUSES_ALL: &str = "; until then every server of the project is refused";
const BOTH_COUNT: &str = "; until then both count";

/// Approvals and refusals by name, of every file that was read. A refusal overrides an approval.
///
/// An approval by name covers whatever the project writes under that name later; an
/// [`Approval`](super::Approvals::approve) covers one content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices {
    approves_all: bool,
    approved: BTreeSet<String>,
    refuses_all: bool,
    refused: BTreeSet<String>,
}

impl Choices {
    /// Adds the content of another file.
    pub fn join(&mut self, other: Choices) {
        let Choices { approves_all, approved, refuses_all, refused } = other;
        self.approves_all |= approves_all;
        self.approved.extend(approved);
        self.refuses_all |= refuses_all;
        self.refused.extend(refused);
    }

    pub(super) fn approve(&self, name: &str) -> bool {
        self.approves_all || self.approved.contains(name)
    }

    pub(super) fn refuse(&self, name: &str) -> bool {
        self.refuses_all || self.refused.contains(name)
    }

    /// Reads the choices of one file. A project's own file may refuse but never approve.
    pub(super) fn read(source: &mut Source<'_, '_>) -> Self {
        let mut choices = Choices::default();
        for raw in source.values(DISABLED, BOTH_COUNT) {
            match serde_json::from_str::<Vec<String>>(raw.get()) {
                Ok(names) => choices.refused.extend(names),
                Err(_) => {
                    source.wrong_kind(raw, DISABLED, "a list of names", REFUSES_ALL);
                    choices.refuses_all = true;
                }
            }
        }
        for raw in source.values(ENABLED, BOTH_COUNT) {
            if may_approve(source, ENABLED, raw) {
                match serde_json::from_str::<Vec<String>>(raw.get()) {
                    Ok(names) => choices.approved.extend(names),
                    Err(_) => source.wrong_kind(raw, ENABLED, "a list of names", ""),
                }
            }
        }
        for raw in source.values(ENABLE_ALL, BOTH_COUNT) {
            if may_approve(source, ENABLE_ALL, raw) {
                match serde_json::from_str::<bool>(raw.get()) {
                    Ok(on) => choices.approves_all |= on,
                    Err(_) => source.wrong_kind(raw, ENABLE_ALL, "`true` or `false`", ""),
                }
            }
        }
        choices
    }
}

fn may_approve(source: &mut Source<'_, '_>, key: &'static str, raw: &serde_json::value::RawValue) -> bool {
    let may = match source.scope {
        Scope::Host | Scope::Managed | Scope::CommandLine | Scope::Local | Scope::User => true,
        Scope::Project | Scope::Plugin { .. } => false,
    };
    if !may {
        let place = source.place(raw);
        source.problems.push(ConfigError::Powerless { place, key, belongs: "a user's own settings" });
    }
    may
}
