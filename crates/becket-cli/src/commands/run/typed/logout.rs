//! `/logout`: deletes the tokens of MCP servers. For one server, the session continues; for all, it ends (SessionEnd
//! `logout`).

use super::answer::{CommandContext, CommandResult};
use becket_mcp::auth::LoggedOut;
use becket_mcp::{LoginError, Pool};
use std::sync::atomic::Ordering;

/// Logs out of one server, or of all.
///
/// # Errors
/// Errors if tokens could not be deleted: then the session continues.
pub(super) async fn log_out(answering: CommandContext<'_>, server: Option<&str>) -> CommandResult {
    let session = answering.session;
    let pool = session.servers.as_ref();
    if let Some(server) = server {
        let pool = pool.ok_or_else(|| format!("there is no MCP server `{server}`; `/mcp` lists them"))?;
        let done = pool.logout(server).await.map_err(|error| error.to_string())?;
        return Ok(describe(server, &done).unwrap_or_else(|| format!("there are no tokens of `{server}`")));
    }
    let mut lines = Vec::new();
    let names = pool.map(Pool::servers).unwrap_or_default().into_iter().map(|view| view.name);
    for name in names {
        let Some(pool) = pool else { break };
        match pool.logout(&name).await {
            Ok(done) => lines.extend(describe(&name, &done)),
            // Such servers have no tokens.
            Err(LoginError::NotForIt { .. } | LoginError::Server(_)) => {}
            Err(error @ LoginError::Auth { .. }) => return Err(error.to_string()),
        }
    }
    session.has_logged_out.store(true, Ordering::Relaxed);
    lines.push(
        "logged out; keys of models are in your environment, where Becket does not keep them".to_owned(),
    );
    Ok(lines.join("\n"))
}

/// Returns the result of removing the tokens of a server; `None` if there were none.
fn describe(server: &str, done: &LoggedOut) -> Option<String> {
    match done {
        LoggedOut::NoTokens => None,
        LoggedOut::Everywhere => Some(format!("the tokens of `{server}` are forgotten and revoked")),
        LoggedOut::LocalOnly => {
            Some(format!("the tokens of `{server}` are forgotten; the server can't revoke them"))
        }
        LoggedOut::NotRevoked { why } => {
            let why = why.as_ref().map_or_else(|| "no answer in time".to_owned(), ToString::to_string);
            Some(format!("the tokens of `{server}` are forgotten, but were not revoked: {why}"))
        }
    }
}
