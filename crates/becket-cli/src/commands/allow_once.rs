//! `becket allow-once`: a person allows one call that an agent could not ask about, once.
//!
//! INVARIANT: only keys typed at a terminal after the question was shown allow a call. A process below an agent, or
//! below a program that Becket supervises, is refused.

use super::ask::forget_keys;
use crate::args::{AllowOnceArgs, Global};
use crate::enclosing;
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::style::{HEAD, plain, styled};
use crate::session;
use becket_fire::one_time_approval::{ALLOWED, KeptCall, OneTimeApprovals};
use becket_fire::own_program::is_own;
use inquire::{InquireError, Text};

/// Variables that agents set for the commands that their tools run.
const OF_AGENTS: [&str; 9] = [
    "CLAUDECODE",
    "GEMINI_CLI",
    "QWEN_CODE",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "COPILOT_AGENT_SESSION_ID",
    "OPENCODE",
    "CURSOR_AGENT",
    "CLINE_ACTIVE",
];

/// Shows the call, and allows it if the person types `yes`.
pub(crate) fn run(args: &AllowOnceArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    check_terminal(around)?;
    let request = session::launched(global, around)?.request();
    let directory = request.user_directory().ok_or(CliError::NoRecord)?;
    let calls = OneTimeApprovals::of(&directory);
    let kept = calls.find(&args.id)?;
    check_host(&kept)?;
    out.eprint(&shown(&kept));
    forget_keys()?;
    match Text::new("Allow this call once? Type yes to allow it:").prompt_skippable() {
        Ok(Some(typed)) if typed.trim() == "yes" => {}
        Ok(_) | Err(InquireError::OperationInterrupted | InquireError::OperationCanceled) => {
            out.eprint("nothing was allowed\n");
            return Ok(1);
        }
        Err(error) => return Err(CliError::NotAllowed { why: error.to_string() }),
    }
    calls.allow(&kept)?;
    out.print(&format!(
        "allowed once, for {} minutes: the agent may make the call again\n",
        ALLOWED.as_secs() / 60
    ))?;
    Ok(0)
}

/// Checks that a person can be at the terminal.
pub(super) fn check_terminal(around: &Surroundings) -> Result<(), CliError> {
    let refused = |why: &str| Err(CliError::NotAllowed { why: why.to_owned() });
    if !around.terminals.stdin || !around.terminals.stderr {
        return refused("stdin and stderr have to be a terminal");
    }
    if OF_AGENTS.iter().any(|name| around.var(name).is_some()) {
        return refused("this is a terminal of an agent");
    }
    let is_below =
        |process: &enclosing::Ancestor| is_own(&process.name) || process.name.starts_with("becket:");
    if !enclosing::marks().is_empty() || enclosing::ancestors().iter().any(is_below) {
        return refused("this process was started by a hook, or by a program that becket supervises");
    }
    Ok(())
}

/// Checks that this process is not below the agent that wants to make the call.
fn check_host(kept: &KeptCall) -> Result<(), CliError> {
    let is_host =
        kept.host.is_some_and(|host| enclosing::ancestors().iter().any(|process| process.id == host));
    match is_host {
        true => Err(CliError::NotAllowed {
            why: "this process was started by the agent that wants to make the call".to_owned(),
        }),
        false => Ok(()),
    }
}

fn shown(kept: &KeptCall) -> String {
    let call = &kept.call;
    let mut text =
        format!("{} wants to make this call in {}:\n", styled(HEAD, &call.agent), plain(&call.directory));
    for (tool, input) in &call.calls {
        text.push_str(&format!("{}\n{}\n", styled(HEAD, tool), plain(&format!("{input:#}"))));
    }
    text.push_str(&format!("The hooks ask: {}\n", plain(&kept.reason)));
    text
}
