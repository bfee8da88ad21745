//! The skills of a session, with the hooks that those in use have registered and their grants.

use super::grants::Grants;
use super::hooks::SkillHooks;
use super::register::{LoadedSkills, Skills};
use super::render::Ground;
use super::skill::Skill;
use super::tool::SkillTool;
use crate::definitions::{Dialect, Homes};
use crate::tool_call::{NestedCalls, ToolCalls};
use crate::update::{Notice, Origin, Update, UpdateKind, Watch};
use becket_engine::config::Diagnostic;
use becket_engine::{CancellationToken, Engine, Environment};
use becket_mcp::Pool;
use becket_model::Session;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// The skills of a session. Cheap to clone; all clones are the same. It implements [`crate::session::Expand`] for the
/// prompts that the user types, and provides the tool for the model.
#[derive(Clone)]
pub struct SessionSkills {
    pub(super) shared: Arc<SkillsState>,
}

pub(super) struct SkillsState {
    pub(super) engine: Engine,
    calls: ToolCalls,
    environment: Environment,
    dialect: Dialect,
    homes: RwLock<Homes>,
    skills: RwLock<Skills>,
    pub(super) hooks: SkillHooks,
    pub(super) grants: Grants,
    pub(super) pool: Option<Pool>,
    pub(super) others: Vec<String>,
    /// The names of the only skills to load; `None` means all. Commands are not skills.
    only: Option<Vec<String>>,
    watcher: Option<Arc<dyn Watch>>,
}

/// A builder of a session's skills.
pub struct SkillsBuilder {
    shared: SkillsState,
}

impl SessionSkills {
    /// Creates a builder for the skills below these homes, under the hooks and rules of an engine. `calls` runs their
    /// commands: its toolbox only needs Bash, and must not contain the tool of these skills.
    #[must_use]
    pub fn builder(
        engine: Engine,
        calls: ToolCalls,
        environment: Environment,
        homes: Homes,
        dialect: Dialect,
    ) -> SkillsBuilder {
        let (hooks, grants) = (SkillHooks::new(engine.clone()), Grants::new(engine.clone()));
        let (skills, homes) = (RwLock::default(), RwLock::new(homes));
        let (pool, others, only, watcher) = (None, Vec::new(), None, None);
        let shared = SkillsState {
            engine,
            calls,
            environment,
            dialect,
            homes,
            skills,
            hooks,
            grants,
            pool,
            others,
            only,
            watcher,
        };
        SkillsBuilder { shared }
    }

    /// Returns the current skills.
    #[must_use]
    pub fn skills(&self) -> Skills {
        self.shared.skills.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reloads the skills, and returns their problems. Those in use stay registered.
    pub fn load(&self) -> Vec<Diagnostic> {
        let LoadedSkills { mut skills, diagnostics } =
            Skills::load(&self.shared.homes.read().unwrap_or_else(PoisonError::into_inner));
        if let Some(names) = &self.shared.only {
            skills = skills.without_skills_except(names);
        }
        *self.shared.skills.write().unwrap_or_else(PoisonError::into_inner) = skills;
        diagnostics
    }

    /// Reads the skills below other homes from now on; returns their problems. Those in use stay registered.
    pub fn load_from(&self, homes: Homes) -> Vec<Diagnostic> {
        *self.shared.homes.write().unwrap_or_else(PoisonError::into_inner) = homes;
        self.load()
    }

    /// Returns the tool by which the model uses them.
    #[must_use]
    pub fn tool(&self) -> SkillTool {
        SkillTool::new(self.clone())
    }

    /// Returns the inputs of rendering for the session's own agent loop.
    pub(super) fn ground<'a>(&'a self, session: &'a Session, cancel: &'a CancellationToken) -> Ground<'a> {
        let SkillsState { engine, calls, environment, dialect, .. } = &*self.shared;
        Ground { engine, calls, environment, dialect, session, cancel }
    }

    /// Uses a skill: its hooks are active from now on, its grants until the end of the turn; returns the text for the
    /// model. The results of its commands are added to `nested`.
    ///
    /// # Errors
    /// Errors like [`Ground::render`].
    pub(super) async fn use_skill(
        &self,
        skill: &Skill,
        typed: &str,
        ground: Ground<'_>,
        nested: &NestedCalls,
    ) -> Result<String, String> {
        let used = self.shared.hooks.register(skill, &self.shared.dialect);
        self.report_problems(&used.diagnostics);
        for warning in self.shared.grants.add(skill, used.broken_guard.as_deref()) {
            self.notice(Notice::warning(warning));
        }
        ground.render(skill, typed, nested).await
    }

    /// Returns the text of a skill for an agent that starts with it: its hooks are active from now on, and it grants
    /// nothing.
    ///
    /// # Errors
    /// Errors like [`Ground::render`].
    pub(super) async fn preload(&self, skill: &Skill, ground: Ground<'_>) -> Result<String, String> {
        let used = self.shared.hooks.register(skill, &self.shared.dialect);
        self.report_problems(&used.diagnostics);
        let nested = NestedCalls::default();
        let rendered = ground.render(skill, "", &nested).await;
        self.tell_of(&nested, ground.cancel);
        rendered
    }

    /// Reports the problems of files to the user.
    pub(super) fn report_problems(&self, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            self.notice(Notice::of(diagnostic));
        }
    }

    pub(super) fn notice(&self, notice: Notice) {
        if let Some(watcher) = &self.shared.watcher {
            watcher.on(&Update { of: Origin::Main, what: UpdateKind::Notice(notice) });
        }
    }
}

impl SkillsBuilder {
    /// Sets the servers whose prompts are commands and whose resources can be mentioned.
    #[must_use]
    pub fn servers(mut self, pool: Pool) -> Self {
        self.shared.pool = Some(pool);
        self
    }

    /// Sets the host's own commands, without their slash: the user may have meant one of them.
    #[must_use]
    pub fn other_commands(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.shared.others = names.into_iter().collect();
        self
    }

    /// Loads only these skills; commands are not affected.
    #[must_use]
    pub fn only(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.shared.only = Some(names.into_iter().collect());
        self
    }

    /// Sets the receiver of problems with skills in use.
    #[must_use]
    pub fn watch(mut self, watcher: impl Watch + 'static) -> Self {
        self.shared.watcher = Some(Arc::new(watcher));
        self
    }

    /// Loads the skills for the first time; also returns their problems.
    #[must_use]
    pub fn load(self) -> (SessionSkills, Vec<Diagnostic>) {
        let skills = SessionSkills { shared: Arc::new(self.shared) };
        let diagnostics = skills.load();
        (skills, diagnostics)
    }
}

impl fmt::Debug for SessionSkills {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skills = self.skills();
        let names: Vec<&str> = skills.all().iter().map(|skill| &*skill.name).collect();
        f.debug_struct("SessionSkills").field("skills", &names).finish_non_exhaustive()
    }
}

impl fmt::Debug for SkillsBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SkillsBuilder").field("homes", &self.shared.homes).finish_non_exhaustive()
    }
}
