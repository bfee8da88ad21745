//! `becket mcp call`: calls a tool, with or without the hooks and rules of the configuration.

mod hooked;
mod past_hooks;
mod reported;

pub(super) use hooked::notice;

use super::McpContext;
use crate::args::McpCallArgs;
use crate::error::{CliError, CommandResult};
use crate::event::read;
use crate::interrupt;
use crate::report::style::{ERROR, WARNING, plain, styled};
use crate::report::{human, json};
use crate::services::{HookServices, ServiceOptions};
use becket_base::suggest;
use becket_embed::view::Report;
use becket_embed::view::mcp::McpCalled;
use becket_engine::CancellationToken;
use becket_mcp::{Name, Names};
use serde_json::{Map, Value};
use std::time::Duration;

/// Calls the tool and shows its answer; the exit code depends on its result.
pub(super) fn run(args: &McpCallArgs, at: McpContext<'_>) -> CommandResult {
    at.server(&args.server)?;
    let input = read::json_object("`--input`", &args.input, &at.session.start, at.around)?;
    let wanted = CallRequest { args, input, limit: Duration::from_secs(args.timeout) };
    let cancel = CancellationToken::new();
    let called = if args.no_hooks {
        at.out.eprint(&format!("{} no hook and no rule looks at this call\n", styled(WARNING, "unguarded:")));
        interrupt::until_done(&cancel, past_hooks::call(&wanted, at, &cancel))?
    } else {
        let options = ServiceOptions::from(args);
        let services = HookServices::new(&options, at.session, at.around, at.out, &cancel)?;
        let called = interrupt::until_done(&cancel, hooked::call(&wanted, &services, at, &cancel));
        services.end(at.out);
        called?
    };
    shown(called, at)
}

/// A requested call.
struct CallRequest<'a> {
    args: &'a McpCallArgs,
    input: Map<String, Value>,
    limit: Duration,
}

impl CallRequest<'_> {
    /// Finds a tool by the server's name for it, or by the name for models.
    fn tool<'n>(&self, names: &'n Names) -> Result<&'n Name, CliError> {
        let McpCallArgs { server, tool, .. } = self.args;
        let of_model = || names.get(tool).filter(|name| *name.server == **server);
        names.find(server, tool).or_else(of_model).ok_or_else(|| {
            let own = names.iter().filter(|name| *name.server == **server);
            let all: Vec<&str> = own.map(|name| &*name.name).collect();
            let near = suggest(tool, &all).map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
            let why = format!(
                "the MCP server `{server}` has no tool `{tool}`{near}; `becket mcp tools {server}` shows them"
            );
            CliError::Mcp { why }
        })
    }
}

fn shown(called: McpCalled, at: McpContext<'_>) -> CommandResult {
    let code = called.ended.exit_code();
    for warning in &called.warnings {
        at.out.eprint(&format!("{} {}\n", styled(WARNING, "warning:"), plain(warning)));
    }
    if let Some(why) = &called.why {
        let ended = format!("{}:", called.ended.word());
        at.out.eprint(&format!("{} {}\n", styled(ERROR, &ended), plain(why)));
    }
    if at.global.json {
        json::print(&Report::McpCall(Box::new(called)), at.out)?;
    } else {
        at.out.print(&human::mcp::call_output(&called))?;
    }
    Ok(code)
}
