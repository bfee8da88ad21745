//! One session from its first event to its last: opens it, sends it the prompts, and closes it.

use super::build::assembled;
use super::context::RunContext;
use super::driver::Driver;
use super::hosted;
use super::interactive;
use super::printer::Printer;
use super::prompts::Prompts;
use crate::error::{CliError, CommandResult};
use crate::services::RunModels;
use becket_agent::session::Prompt;
use becket_llm::Block;
use std::sync::Arc;

/// Runs the session; the exit code depends on whether a result was an error.
///
/// # Errors
/// Errors if the session can't be opened, or a prompt can't be read.
pub(super) async fn drive(
    at: RunContext<'_>,
    models: Arc<RunModels>,
    prompts: Prompts,
    printer: Printer,
) -> CommandResult {
    let (prompt, nothing) = match prompts {
        Prompts::Once(prompt) => (prompt, None),
        Prompts::OfHooks(nothing) => (None, Some(nothing)),
        Prompts::Lines(lines) => return hosted::drive(at, models, lines, &printer).await,
        Prompts::Typed { terminal, first } => {
            return interactive::drive(at, &terminal, models, first, &printer).await;
        }
    };
    let session = assembled(at, models, &printer).await?;
    let done = match at.args.session.init_only {
        true => Ok(0),
        false => worked(Driver::new(at, &session, &printer), prompt, nothing).await,
    };
    session.remembers(at).await;
    session.close().await;
    done
}

/// Works on the prompts of a run; `nothing` is the error if neither the user nor a hook provides one.
async fn worked(mut work: Driver<'_>, prompt: Option<Vec<Block>>, nothing: Option<String>) -> CommandResult {
    let cancel = work.at.cancel;
    if let Some(prompt) = work.session.agent.initial_prompt().await {
        work.hooks_prompt(prompt, cancel).await;
    }
    if let Some(content) = prompt.filter(|_| !cancel.is_cancelled()) {
        work.prompt(Prompt::blocks(content), cancel).await;
    }
    if work.code() == 0 {
        work.with_team().await;
    }
    work.resumed().await?;
    match nothing.filter(|_| work.prompts == 0 && !cancel.is_cancelled()) {
        Some(nothing) => Err(CliError::usage(nothing)),
        None => Ok(work.code()),
    }
}
