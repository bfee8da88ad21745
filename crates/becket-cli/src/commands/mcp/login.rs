//! `becket mcp login` and `logout`: tokens for a server that requires authorization.
//!
//! INVARIANT: no token and no answer of a login is printed; only the address of the login page is, in full.

use super::McpContext;
use crate::args::McpLoginArgs;
use crate::commands::fire::{report_errors, started};
use crate::error::{CliError, CommandResult};
use crate::interrupt;
use crate::report::json;
use crate::report::style::{GOOD, HEAD, WARNING, one_line, plain, styled};
use crate::telemetry;
use becket_embed::view::Report;
use becket_embed::view::mcp::{McpAccount, McpAccountState, McpKept};
use becket_engine::CancellationToken;
use becket_mcp::auth::{AuthError, LoggedIn, LoggedOut, Login, StoreError};
use becket_mcp::{CallError, LoginError, Pool};
use becket_model::event::lifecycle::SessionEnd;
use becket_model::{Event, EventKind, Session};
use becket_tools::discovery::{PoolOptions, Storage};
use std::io::BufRead;
use std::sync::Arc;
use uuid::Uuid;

/// The maximum length of an address, in bytes.
const LONGEST: u64 = 64 * 1024;

/// Logs in, if the server requires it.
pub(super) fn login(args: &McpLoginArgs, at: McpContext<'_>) -> CommandResult {
    at.server(&args.server)?;
    let cancel = CancellationToken::new();
    let account = interrupt::until_done(&cancel, async {
        let storage = if args.in_file { Storage::File } else { Storage::AsBuilt };
        let pool = at.pool_of(at.gathered, PoolOptions { storage, ..PoolOptions::new(Arc::new(())) })?;
        let done = logged_in(args, &pool, at, &cancel).await;
        pool.close().await;
        done
    })?;
    shown(account, at)
}

/// Deletes tokens.
pub(super) fn logout(server: &str, at: McpContext<'_>) -> CommandResult {
    at.server(server)?;
    let cancel = CancellationToken::new();
    let done = interrupt::until_done(&cancel, async {
        let pool = at.pool(Arc::new(()))?;
        let done = pool.logout(server).await;
        pool.close().await;
        done.map_err(CliError::mcp)
    })?;
    let (state, note) = match done {
        LoggedOut::NoTokens => (McpAccountState::NotLoggedIn, None),
        LoggedOut::Everywhere => (McpAccountState::LoggedOut, None),
        LoggedOut::LocalOnly => {
            let note =
                "the authorisation server does not support revocation: the tokens were removed only here";
            (McpAccountState::LoggedOut, Some(note.to_owned()))
        }
        LoggedOut::NotRevoked { why } => {
            let why = why.map_or("it did not answer in time".to_owned(), |why| why.to_string());
            let note = format!(
                "the tokens were removed only here, the authorisation server did not revoke them: {why}"
            );
            (McpAccountState::LoggedOut, Some(note))
        }
    };
    let code = shown(McpAccount { note, ..account(server, state) }, at)?;
    session_ended(at)?;
    Ok(code)
}

/// Fires SessionEnd: a logout ends the work under that login, and hooks clean up after it.
///
/// # Errors
/// Errors if the configuration forbids the start of a session.
fn session_ended(at: McpContext<'_>) -> Result<(), CliError> {
    let engine = started(telemetry::observed(at.session.builder(false)).build(), at.around, at.out)?;
    if !engine.host().concerns(EventKind::SessionEnd) {
        return Ok(());
    }
    report_errors(&engine, at.around, at.out);
    let transcript = at.around.process.temp.join("becket-transcript.jsonl");
    let session = Session::new(Uuid::new_v4().to_string(), transcript, &at.session.start);
    let event = Event::new(session, SessionEnd::new("logout".to_owned()));
    let cancel = CancellationToken::new();
    interrupt::until_done(&cancel, async {
        let outcome = engine.fire_until(&event, &cancel).await;
        engine.host().finish_background(&event.session).await;
        engine.close().await;
        for failure in outcome.runs.iter().filter_map(|run| Some((run, run.failure.as_ref()?))) {
            let (run, why) = failure;
            let text = format!("the SessionEnd hook `{}` failed: {why}", run.handler.place.label);
            at.out.eprint(&format!("{} {}\n", styled(WARNING, "warning:"), one_line(&text, 500)));
        }
        Ok(())
    })
}

async fn logged_in(
    args: &McpLoginArgs,
    pool: &Pool,
    at: McpContext<'_>,
    cancel: &CancellationToken,
) -> Result<McpAccount, CliError> {
    let server = args.server.clone();
    match pool.reconnect(&server, cancel).await {
        Ok(_) => {
            let note = Some("it is connected without a login".to_owned());
            return Ok(McpAccount { note, ..account(&server, McpAccountState::Connected) });
        }
        Err(CallError::NeedsAuth { .. }) => {}
        Err(error) => return Err(CliError::mcp(error)),
    }
    let login = pool.login(&server).await.map_err(|error| failed(&error, &server))?;
    let ask = if args.paste {
        "then paste the address that the browser ends at"
    } else {
        "in a browser on this machine (on another one: `--paste`)"
    };
    at.out.eprint(&format!("open this address to log in, {ask}:\n\n"));
    at.out.eprint_to_copy(&format!("  {}\n\n", plain(login.url().as_str())));
    let done = finished(login, args.paste, cancel).await?;
    let connected = pool.reconnect(&server, cancel).await;
    let note = connected.err().map(|error| format!("the tokens are kept, but {error}"));
    let (renewable, kept) = (Some(done.is_renewable), Some(McpKept::new(&done.kept)));
    let bare = account(&server, McpAccountState::LoggedIn);
    Ok(McpAccount { scopes: done.scopes, renewable, kept, note, ..bare })
}

/// Converts the reason why the login failed, with advice on an unusable keyring.
fn failed(error: &LoginError, server: &str) -> CliError {
    match error {
        LoginError::Auth { why: AuthError::Store(StoreError::Keyring(_)), .. } => {
            CliError::Mcp { why: format!("{error}: `becket mcp login --in-file {server}`") }
        }
        LoginError::Server(_) | LoginError::NotForIt { .. } | LoginError::Auth { .. } => CliError::mcp(error),
    }
}

/// Returns the state of a login without further details.
fn account(server: &str, state: McpAccountState) -> McpAccount {
    let (server, scopes) = (server.to_owned(), Vec::new());
    McpAccount { server, state, scopes, renewable: None, kept: None, note: None }
}

async fn finished(login: Login, is_pasted: bool, cancel: &CancellationToken) -> Result<LoggedIn, CliError> {
    if !is_pasted {
        return login.finish(cancel).await.map_err(CliError::mcp);
    }
    let address = tokio::select! {
        read = tokio::task::spawn_blocking(first_line) => read.map_err(std::io::Error::other)??,
        () = cancel.cancelled() => return Err(CliError::Mcp { why: "the login was given up".to_owned() }),
    };
    login.finish_with(address.trim()).await.map_err(CliError::mcp)
}

/// Reads the first line that is typed or piped in.
fn first_line() -> std::io::Result<String> {
    let mut line = String::new();
    std::io::Read::take(std::io::stdin().lock(), LONGEST).read_line(&mut line)?;
    Ok(line)
}

fn shown(account: McpAccount, at: McpContext<'_>) -> CommandResult {
    if at.global.json {
        json::print(&Report::McpAccount(account), at.out)?;
        return Ok(0);
    }
    let word = match account.state {
        McpAccountState::LoggedIn => "logged in:",
        McpAccountState::Connected => "not needed:",
        McpAccountState::LoggedOut => "logged out:",
        McpAccountState::NotLoggedIn => "not logged in:",
    };
    let mut text = format!("{} {}", styled(GOOD, word), styled(HEAD, &account.server));
    if !account.scopes.is_empty() {
        text.push_str(&format!(" ({})", plain(&account.scopes.join(" "))));
    }
    if let Some(kept) = &account.kept {
        let place = match kept {
            McpKept::File { path } => at.around.short(path.as_ref()),
            McpKept::Keyring => "this system's keyring".to_owned(),
            McpKept::Elsewhere { what } => what.clone(),
        };
        text.push_str(&format!("; the tokens are in {}", plain(&place)));
    }
    if let Some(note) = &account.note {
        text.push_str(&format!("; {}", plain(note)));
    }
    at.out.print(&format!("{text}\n"))?;
    Ok(0)
}
