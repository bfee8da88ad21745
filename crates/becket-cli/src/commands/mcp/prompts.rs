//! `becket mcp prompts`: the prompts of a server, or one of them filled in.

use super::McpContext;
use crate::args::McpPromptsArgs;
use crate::error::{CliError, CommandResult};
use crate::interrupt;
use crate::report::{human, json};
use becket_base::suggest;
use becket_embed::view::Report;
use becket_embed::view::mcp::{McpPrompt, McpPrompts};
use becket_engine::CancellationToken;
use becket_mcp::{Pool, Prompt, PromptCall, PromptResult};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// The time limit for filling in a prompt.
const LIMIT: Duration = Duration::from_secs(120);

/// Lists prompts, or fills one in.
pub(super) fn run(args: &McpPromptsArgs, at: McpContext<'_>) -> CommandResult {
    at.server(&args.server)?;
    let cancel = CancellationToken::new();
    let (prompts, filled) = interrupt::until_done(&cancel, async {
        let pool = at.pool(Arc::new(()))?;
        let done = get_prompt(args, &pool, &cancel).await;
        pool.close().await;
        done
    })?;
    if let Some(result) = filled {
        let prompt = McpPrompt::new(&args.server, args.prompt.as_deref().unwrap_or_default(), &result);
        if at.global.json {
            json::print(&Report::McpPrompt(prompt), at.out)?;
        } else {
            at.out.print(&human::mcp::prompt(&prompt))?;
        }
        return Ok(0);
    }
    let prompts = McpPrompts::new(&args.server, &prompts, &at.gathered.prompt_names(&args.server, &prompts));
    if at.global.json {
        json::print(&Report::McpPrompts(prompts), at.out)?;
    } else {
        at.out.print(&human::mcp::prompts(&prompts))?;
    }
    Ok(0)
}

async fn get_prompt(
    args: &McpPromptsArgs,
    pool: &Pool,
    cancel: &CancellationToken,
) -> Result<(Arc<Vec<Prompt>>, Option<PromptResult>), CliError> {
    let prompts = pool.prompts(&args.server, cancel).await.map_err(CliError::mcp)?;
    let Some(wanted) = &args.prompt else { return Ok((prompts, None)) };
    let Some(prompt) = prompts.iter().find(|prompt| prompt.name == *wanted) else {
        let names: Vec<&str> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
        let why =
            format!("the MCP server `{}` has no prompt `{wanted}`{}", args.server, near(wanted, &names));
        return Err(CliError::Mcp { why });
    };
    let call = PromptCall { name: wanted, arguments: arguments(prompt, &args.arguments)?, limit: LIMIT };
    let filled = pool.prompt(&args.server, call, cancel).await.map_err(CliError::mcp)?;
    Ok((prompts, Some(filled)))
}

fn arguments(prompt: &Prompt, given: &[String]) -> Result<Map<String, Value>, CliError> {
    let known: Vec<&str> = prompt.arguments.iter().map(|argument| argument.name.as_str()).collect();
    let mut arguments = Map::new();
    for given in given {
        let Some((name, value)) = given.split_once('=') else {
            return Err(CliError::Mcp { why: format!("`{given}` has no `=`: write `NAME=VALUE`") });
        };
        if !known.contains(&name) {
            let why = format!("the prompt `{}` has no argument `{name}`{}", prompt.name, near(name, &known));
            return Err(CliError::Mcp { why });
        }
        arguments.insert(name.to_owned(), value.into());
    }
    let is_missing = |name: &str| !arguments.contains_key(name);
    let required = prompt.arguments.iter().filter(|argument| argument.required);
    let missing: Vec<String> = required
        .filter(|argument| is_missing(&argument.name))
        .map(|argument| format!("`{}=…`", argument.name))
        .collect();
    if missing.is_empty() {
        return Ok(arguments);
    }
    Err(CliError::Mcp { why: format!("the prompt `{}` needs {}", prompt.name, missing.join(" and ")) })
}

fn near(name: &str, known: &[&str]) -> String {
    suggest(name, known).map_or(String::new(), |near| format!(" (did you mean `{near}`?)"))
}
