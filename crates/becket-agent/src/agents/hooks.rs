//! The hooks of an agent's frontmatter: registered while the agent runs, and removed with it, however it ends (C10).

use super::definition::Definition;
use super::mode::MayWiden;
use crate::definitions::Dialect;
use crate::update::Notice;
use becket_engine::config::Diagnostic;
use becket_engine::config::frontmatter::{self, Frontmatter};
use becket_engine::{Engine, RegistrationId};
use becket_model::{AgentId, Source};
use std::path::Path;

/// Hooks that are registered until this is dropped.
#[derive(Debug)]
pub(crate) struct HooksOfAgent {
    engine: Engine,
    id: Option<RegistrationId>,
    /// The problems of the hooks, and the hooks that were held back.
    diagnostics: Vec<Diagnostic>,
    /// The first guard that could not be loaded: the agent may then be granted nothing (C7b).
    broken_guard: Option<String>,
}

impl HooksOfAgent {
    /// Registers the hooks of a definition; `subagent` is the id if it is not the main agent: its `Stop` then becomes a
    /// `SubagentStop` for this id only.
    pub(crate) fn register(
        engine: &Engine,
        dialect: &Dialect,
        definition: &Definition,
        subagent: Option<AgentId>,
    ) -> Self {
        let read = definition.hooks.as_deref().map(|text| {
            let config = engine.config();
            frontmatter::parse(
                text,
                &Frontmatter {
                    profile: &dialect.profile,
                    source: Source::Agent(definition.name.clone()),
                    file: &definition.file,
                    directory: definition.file.parent().unwrap_or_else(|| Path::new("")),
                    subagent,
                    of_project: definition.owner.is_of_project(),
                    trust: config.trust,
                    fail_closed: config.policy.fail_closed,
                    tools: &dialect.tools,
                    first_sequence: config.next_sequence,
                },
            )
        });
        let read = read.unwrap_or_default();
        let id = (!read.handlers.is_empty()).then(|| engine.register(read.handlers));
        Self { engine: engine.clone(), id, diagnostics: read.diagnostics, broken_guard: read.broken_guard }
    }
}

impl HooksOfAgent {
    /// Returns the rights that the definition may add to the session's mode: none if its file came with an untrusted
    /// repository (G3), or one of its guards is broken (C7b).
    pub(crate) fn may_widen(&self, engine: &Engine, definition: &Definition) -> MayWiden {
        let trusted = engine.config().trust.this_folder_trusted || !definition.owner.is_of_project();
        MayWiden {
            grants: trusted && self.broken_guard.is_none(),
            bypass: engine.host().may_bypass().is_ok(),
        }
    }

    /// Returns the problems as notices for the user.
    pub(crate) fn notices(&self) -> Vec<Notice> {
        self.diagnostics.iter().map(Notice::of).collect()
    }
}

impl Drop for HooksOfAgent {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.engine.unregister(id);
        }
    }
}
