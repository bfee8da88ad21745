//! `becket trust`: the folders whose hooks run even if no session has asked about them (`protocol.md` G3).
//!
//! INVARIANT: only keys typed at a terminal record trust; any process may withdraw it.

use super::allow_once::check_terminal;
use super::ask::forget_keys;
use crate::args::{Global, TrustArgs};
use crate::enclosing;
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::style::{HEAD, plain, styled};
use crate::session::{self, Session};
use crate::trust;
use becket_engine::config::Request;
use becket_engine::config::trust::is_recorded;
use becket_install::AGENTS;
use inquire::{InquireError, Text};

/// Records trust in a folder, withdraws it, or lists trusted folders.
pub(crate) fn run(args: &TrustArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let request = request(args, global, around)?;
    if args.list {
        return list(&request, around, out);
    }
    let folder = trust::folder(&request);
    let shown = plain(&around.short(&folder));
    if args.revoke {
        let was_trusted = trust::revoke(&request).map_err(not_recorded)?;
        let what = if was_trusted { "is no longer trusted" } else { "was not trusted" };
        out.print(&format!("`{shown}` {what}\n"))?;
        return Ok(0);
    }
    if is_recorded(&request) {
        out.print(&format!("`{shown}` is trusted already\n"))?;
        return Ok(0);
    }
    check_terminal(around)?;
    check_agents()?;
    if !is_yes(&plain(&folder.display().to_string()), out)? {
        out.eprint("nothing was recorded\n");
        return Ok(1);
    }
    trust::record(&request).map_err(not_recorded)?;
    out.print(&format!("`{shown}` is trusted\n"))?;
    Ok(0)
}

/// Returns the request of a session that starts in the folder.
fn request(args: &TrustArgs, global: &Global, around: &Surroundings) -> Result<Request, CliError> {
    let session = session::launched(global, around)?;
    let Some(path) = &args.path else { return Ok(session.request()) };
    let path = session.start.join(path);
    let failed = |why: String| CliError::NoFolder { path: path.clone(), why };
    let start = path.canonicalize().map_err(|error| failed(error.to_string()))?;
    match start.is_dir() {
        true => Ok(Session { start, ..session }.request()),
        false => Err(failed("it is a file".to_owned())),
    }
}

fn not_recorded(why: trust::NotRecorded) -> CliError {
    CliError::NotAllowed { why: why.to_string() }
}

/// Checks that no agent has started this process.
fn check_agents() -> Result<(), CliError> {
    let is_agent = |name: &str| AGENTS.iter().any(|agent| agent.programs.contains(&name));
    match enclosing::ancestors().into_iter().find(|process| is_agent(&process.name)) {
        Some(process) => Err(CliError::NotAllowed {
            why: format!("this process was started by an agent (`{}`)", plain(&process.name)),
        }),
        None => Ok(()),
    }
}

fn is_yes(folder: &str, out: &Out) -> Result<bool, CliError> {
    out.eprint(&format!(
        "{}\n\n  {folder}\n\nTrusting it lets its hooks and MCP servers run as you, and applies its permission rules.\n",
        styled(HEAD, "Do you trust what is in this folder?")
    ));
    forget_keys()?;
    match Text::new("Type yes to trust it:").prompt_skippable() {
        Ok(typed) => Ok(typed.is_some_and(|typed| typed.trim() == "yes")),
        Err(InquireError::OperationInterrupted | InquireError::OperationCanceled) => Ok(false),
        Err(error) => Err(CliError::NotAllowed { why: error.to_string() }),
    }
}

fn list(request: &Request, around: &Surroundings, out: &Out) -> CommandResult {
    let folders = trust::all(request).map_err(not_recorded)?;
    for folder in &folders {
        out.print(&format!("{}\n", plain(&around.short(folder))))?;
    }
    if folders.is_empty() {
        out.eprint("no folder is trusted\n");
    }
    Ok(0)
}
