//! The hooks of skills: registered at a skill's first use, once, until the end of the session (C10).

use super::skill::Skill;
use crate::definitions::Dialect;
use becket_engine::config::Diagnostic;
use becket_engine::config::frontmatter::{self, Frontmatter, FrontmatterHooks};
use becket_engine::{Engine, RegistrationId};
use becket_model::Source;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The registered hooks, by the skill's file. Dropping it removes them.
#[derive(Debug)]
pub(super) struct SkillHooks {
    engine: Engine,
    used: Mutex<HashMap<Arc<Path>, RegisteredSkill>>,
}

/// A skill that was used.
#[derive(Debug)]
struct RegisteredSkill {
    id: Option<RegistrationId>,
    broken_guard: Option<String>,
}

/// The findings of a skill's use.
#[derive(Debug, Default)]
pub(super) struct Use {
    /// The problems of its hooks; only at its first use.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The first guard that could not be loaded: the skill then grants nothing (C7b).
    pub(super) broken_guard: Option<String>,
}

impl SkillHooks {
    pub(super) fn new(engine: Engine) -> Self {
        Self { engine, used: Mutex::default() }
    }

    /// Registers a skill's hooks, if not yet registered; they are active before this returns, even if another call
    /// registers them.
    pub(super) fn register(&self, skill: &Skill, dialect: &Dialect) -> Use {
        let Some(text) = skill.hooks.as_deref() else {
            return Use::default();
        };
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = used.get(&skill.file) {
            return Use { diagnostics: Vec::new(), broken_guard: known.broken_guard.clone() };
        }
        let FrontmatterHooks { handlers, diagnostics, broken_guard, .. } = self.read(skill, text, dialect);
        let id = (!handlers.is_empty()).then(|| self.engine.register(handlers));
        used.insert(Arc::clone(&skill.file), RegisteredSkill { id, broken_guard: broken_guard.clone() });
        Use { diagnostics, broken_guard }
    }

    fn read(&self, skill: &Skill, text: &str, dialect: &Dialect) -> FrontmatterHooks {
        let config = self.engine.config();
        frontmatter::parse(
            text,
            &Frontmatter {
                profile: &dialect.profile,
                source: Source::Skill(Arc::clone(&skill.name)),
                file: &skill.file,
                directory: &skill.directory,
                subagent: None,
                of_project: skill.owner.is_of_project(),
                trust: config.trust,
                fail_closed: config.policy.fail_closed,
                tools: &dialect.tools,
                first_sequence: config.next_sequence,
            },
        )
    }

    /// Removes all of them.
    pub(super) fn end(&self) {
        let used = std::mem::take(&mut *self.used.lock().unwrap_or_else(PoisonError::into_inner));
        for id in used.into_values().filter_map(|used| used.id) {
            self.engine.unregister(id);
        }
    }
}

impl Drop for SkillHooks {
    fn drop(&mut self) {
        self.end();
    }
}
