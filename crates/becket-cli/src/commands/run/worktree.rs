//! The git worktree that a run works in (`--worktree`), and those of its subagents.

use super::context::RunContext;
use super::options::worktree_name;
use super::system;
use crate::error::CliError;
use becket_agent::agents::Definition;
use becket_agent::session::WorktreeTools;
use becket_agent::worktree::Worktrees;
use becket_agent::{Agent, AgentBuilder};

/// Adds worktrees to a session, with the tools that enter and leave them. It works in one if the arguments name one.
///
/// # Errors
/// As [`worktree_name`].
pub(super) fn with_worktrees(
    builder: AgentBuilder,
    at: RunContext<'_>,
    works_as: Option<&Definition>,
    tools: WorktreeTools,
) -> Result<(AgentBuilder, Worktrees), CliError> {
    let environment = at.session.environment().clone();
    let folder = at.session.request().profile.directory.into_owned();
    let private = at.private.join("worktrees");
    let worktrees = Worktrees::new(environment, at.left.runner.clone(), folder, private);
    let builder = builder.worktrees(worktrees.clone()).worktree_tools(tools);
    let Some(name) = worktree_name(at.args)? else { return Ok((builder, worktrees)) };
    let (args, prompt) = (at.args.model.clone(), works_as.map(|agent| agent.prompt.clone()));
    let builder = builder.in_worktree(name, move |place| system::prompt(&args, prompt.as_deref(), place));
    Ok((builder, worktrees))
}

/// Returns the session; if it failed, a worktree that was created for it is removed.
pub(super) async fn or_abandoned(
    agent: Result<Agent, CliError>,
    worktrees: &Worktrees,
) -> Result<Agent, CliError> {
    if agent.is_err() {
        worktrees.abandon().await;
    }
    agent
}
