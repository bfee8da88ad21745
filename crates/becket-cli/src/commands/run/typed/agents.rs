//! `/agents`: the agents that the model may start.

use super::answer::CommandContext;
use crate::report::style::{FAINT, HEAD, NONE, SOURCE, indented};
use crate::report::table::{Cell, Table};
use becket_agent::agents::Definition;
use becket_agent::definitions::ModelChoice;

/// Returns each agent: its origin, its model, its tools, its purpose.
pub(super) fn shown(answering: CommandContext<'_>) -> String {
    let agents = answering.session.agents.agents();
    let mut table = Table::default();
    for agent in agents.all() {
        let model = match &agent.model {
            ModelChoice::Inherit => "the session's model",
            ModelChoice::Named(name) => name,
        };
        table.row([
            Cell::new(HEAD, &agent.name),
            Cell::new(SOURCE, &agent.owner.to_string()),
            Cell::new(NONE, model),
            Cell::last(FAINT, &tools(agent)),
        ]);
        table.below(&indented(&crate::report::style::one_line(&agent.description, 300), 4));
    }
    match table.fitted(0, answering.at.around.width) {
        rows if rows.is_empty() => "there are no agents here".to_owned(),
        rows => rows,
    }
}

fn tools(agent: &Definition) -> String {
    let given = agent.tools.as_ref().map_or_else(|| "all tools".to_owned(), |tools| tools.join(", "));
    match agent.disallowed_tools.as_slice() {
        [] => given,
        not => format!("{given}, but not {}", not.join(", ")),
    }
}
