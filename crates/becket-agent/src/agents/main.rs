//! A session that works as an agent: its tools, its mode, its hooks, from start to end (C10).

use super::definition::Definition;
use super::hooks::HooksOfAgent;
use super::mode;
use super::narrow;
use crate::definitions::Dialect;
use crate::update::Notice;
use becket_engine::{Engine, Tool, ToolSet};
use becket_model::event::PermissionMode;
use std::sync::Arc;

/// The settings that a session takes from its main agent.
pub(crate) struct MainAgent {
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    /// The initial mode, if the definition sets it.
    pub(crate) mode: Option<PermissionMode>,
    /// The registered hooks, to be kept for the whole session.
    pub(crate) hooks: HooksOfAgent,
    /// Notices about parts of the definition that do not apply.
    pub(crate) notices: Vec<Notice>,
}

impl MainAgent {
    /// Registers the hooks of the agent.
    pub(crate) fn new(
        engine: &Engine,
        dialect: &Dialect,
        definition: &Definition,
        toolbox: &ToolSet,
    ) -> Self {
        let hooks = HooksOfAgent::register(engine, dialect, definition, None);
        let all = toolbox.all();
        let mut notices = hooks.notices();
        notices.extend(narrow::unknown_notices(&all, definition, &dialect.tools));
        let start = engine.host().start_mode().mode.clone();
        let wanted = definition.permission_mode.is_some();
        let mode = wanted.then(|| mode::in_force(start, definition, hooks.may_widen(engine, definition)));
        let tools = narrow::of_main(all.iter().cloned(), definition, &dialect.tools);
        Self { tools, mode, hooks, notices }
    }
}
