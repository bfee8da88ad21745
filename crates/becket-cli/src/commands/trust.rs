//! `becket trust`: the folders whose hooks run even if no session has asked about them (`protocol.md` G3).
//!
//! INVARIANT: only keys typed at a terminal record trust; any process may withdraw it.

use super::allow_once::check_terminal;
use super::ask::forget_keys;
use super::install::places;
use crate::args::{Global, TrustArgs};
use crate::enclosing;
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::style::{HEAD, plain, styled};
use crate::session::{self, Session};
use crate::trust;
use becket_engine::config::trust::is_recorded;
use becket_fire::launch;
use becket_install::AGENTS;
use becket_rules::shell::quoted_word;
use inquire::{InquireError, Text};
use std::path::Path;

/// Records trust in a folder, withdraws it, or lists trusted folders.
pub(crate) fn run(args: &TrustArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let session = session::launched(global, around)?;
    if args.list {
        return list(&session, around, out);
    }
    if args.revoke {
        return revoke(args.path.as_deref(), session, around, out);
    }
    let request = session_in(args.path.as_deref(), session)?.request();
    let folder = trust::folder(&request);
    let shown = plain(&around.short(&folder));
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
    trust::record(&request)?;
    out.print(&format!("`{shown}` is trusted\n"))?;
    Ok(0)
}

/// Returns the session that starts in the folder.
fn session_in(path: Option<&Path>, session: Session) -> Result<Session, CliError> {
    let Some(path) = path else { return Ok(session) };
    let path = session.start.join(path);
    match launch::start(&path) {
        Ok(start) => Ok(Session { start, ..session }),
        Err(why) => Err(CliError::NoFolder { path, why }),
    }
}

/// Withdraws trust in a folder.
fn revoke(path: Option<&Path>, session: Session, around: &Surroundings, out: &Out) -> CommandResult {
    let request = session.request();
    let error = match session_in(path, session) {
        Ok(session) => return revoke_in(&session, around, out),
        Err(error) => error,
    };
    // A folder that no longer exists may be trusted under the name that is given.
    if let CliError::NoFolder { path, .. } = &error
        && trust::revoke(&request, &[path])?
    {
        out.print(&format!("`{}` is no longer trusted\n", plain(&around.short(path))))?;
        return Ok(0);
    }
    Err(error)
}

/// Withdraws trust in the folder of a session, and names the records because of which its hooks still run.
fn revoke_in(session: &Session, around: &Surroundings, out: &Out) -> CommandResult {
    let request = session.request();
    let folder = trust::folder(&request);
    let was_trusted = trust::revoke(&request, &[&folder, &request.start])?;
    let what = if was_trusted { "is no longer trusted" } else { "was not trusted" };
    out.print(&format!("`{}` {what}\n", plain(&around.short(&folder))))?;
    let left = left(session, around)?;
    left.iter().for_each(|line| out.eprint(&format!("{}\n", plain(line))));
    Ok(u8::from(!left.is_empty()))
}

/// Returns a line for each other record because of which hooks of the folder still run.
fn left(session: &Session, around: &Surroundings) -> Result<Vec<String>, CliError> {
    let request = session.request();
    let mut left = Vec::new();
    if let Some(folder) = trust::covering(&request) {
        let command = quoted_word(&folder.to_string_lossy());
        left.push(format!(
            "its hooks still run, as `{}` is trusted: `becket trust --revoke {command}` withdraws that",
            around.short(&folder)
        ));
    }
    let places = places(session, around);
    let project = trust::outermost(&request);
    let root = trust::folder(&project);
    let trusting = AGENTS.iter().filter(|agent| agent.trusts(&project.start, &root, &places));
    for (agent, file) in trusting.filter_map(|agent| Some((agent, agent.trust_file(&places)?))) {
        left.push(format!(
            "its hooks still run under {}, which records trust in `{}`: withdraw it there",
            agent.dialect().title,
            around.short(&file)
        ));
    }
    Ok(left)
}

/// Checks that no agent has started this process.
pub(crate) fn check_agents() -> Result<(), CliError> {
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

fn list(session: &Session, around: &Surroundings, out: &Out) -> CommandResult {
    let folders = trust::all(&session.request())?;
    for folder in &folders {
        let shown = plain(&around.short(folder));
        match launch::start(folder) {
            Ok(real) if real != *folder => out.eprint(&format!(
                "`{shown}` has no effect, as sessions there start in `{}`\n",
                plain(&around.short(&real))
            )),
            Ok(_) | Err(_) => out.print(&format!("{shown}\n"))?,
        }
    }
    if folders.is_empty() {
        out.eprint("no folder is trusted\n");
    }
    let places = places(session, around);
    for agent in &AGENTS {
        if let Some(file) = agent.trust_file(&places).filter(|file| file.exists()) {
            let (title, file) = (agent.dialect().title, plain(&around.short(&file)));
            out.eprint(&format!(
                "under {title}, the folders that it trusts itself count as well (`{file}`)\n"
            ));
        }
    }
    Ok(0)
}
