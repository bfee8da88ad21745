//! The git worktree that a run works in (`--worktree`), and those of its subagents.

use super::build::RunContext;
use super::system;
use crate::args::RunArgs;
use crate::error::CliError;
use becket_agent::agents::Definition;
use becket_agent::worktree::{WorktreeName, WorktreeTools, Worktrees};
use becket_agent::{Agent, AgentBuilder};

/// The worktree that the arguments ask for: none, one of that name, or one of any.
///
/// # Errors
/// The name can't be one.
pub(super) fn name(args: &RunArgs) -> Result<Option<WorktreeName>, CliError> {
    match args.session.worktree.as_deref() {
        None => Ok(None),
        Some("") => Ok(Some(WorktreeName::random())),
        Some(given) => match WorktreeName::new(given) {
            Ok(name) => Ok(Some(name)),
            Err(error) => Err(CliError::usage(format!(
                "`--worktree`: {error} (what follows `--worktree` counts as its name: a prompt goes before it, or after `--`)"
            ))),
        },
    }
}

/// Lends a session what makes worktrees, with the tools that enter and leave them, and has it work in one where the arguments say so.
///
/// # Errors
/// As [`name`].
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
    let Some(name) = name(at.args)? else { return Ok((builder, worktrees)) };
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
