//! `becket serve`: the engine as a separate process for a program in any language: JSON-RPC 2.0, one message per line.
//!
//! - [`listen`], [`http`]: a Unix socket that only its owner can reach, and a loopback port with a token; stdio is the
//!   third
//!   transport
//! - [`lines`], [`message`], [`outgoing`]: lines with a limit, their messages, and the output queue
//! - [`memory_budget`]: the memory for partial input of all clients together
//! - [`connection`], [`requests`], [`work`]: one client, from its first line to its last, and its requests
//! - [`method`], [`params`], [`answers`], [`fault`]: requests, results and errors
//! - [`sessions`], [`session`], [`opening`]: the sessions of one client, each an engine of its own
//! - [`session_defaults`]: the defaults that sessions add to the options of their client
//! - [`calls`], [`hook`], [`person`], [`notifications`]: requests to the client, for its hooks and its user, and
//!   notifications
//! - [`mod@schema`]: all of it as data
//!
//! No method has logic of its own: each is a view of a value of the engine, the same that `fire` and `explain` print.
//!
//! INVARIANT: a session belongs to the connection that has opened it, and ends with it, with every hook that it runs.

mod answers;
mod calls;
mod connection;
mod fault;
mod hook;
mod http;
mod lines;
#[cfg(unix)]
mod listen;
mod long_lines;
mod memory_budget;
mod message;
mod method;
mod notifications;
mod opening;
mod outgoing;
mod params;
mod person;
mod presence;
mod requests;
mod schema;
mod session;
mod session_defaults;
mod sessions;
mod work;

pub(crate) use schema::schema;

use crate::args::{Global, ServeArgs};
use crate::commands::keep;
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::on_threads::until_done_on_threads;
use crate::out::Out;
use crate::services;
use crate::session::launched;
use becket_embed::Host;
use becket_engine::CancellationToken;
use becket_fire::FiringError;
use connection::{Client, ConnectionEnd};
use long_lines::LongLineLimit;
use presence::Presence;
use session_defaults::SessionDefaults;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Serves until the last client has disconnected, or a signal arrives.
pub(crate) fn run(args: &ServeArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let launch = launched(global, around)?;
    let start = launch.start.clone();
    let models = services::models(&args.models, &start, around)?;
    let private = around.process.temp.join(format!("becket-serve-{}", uuid::Uuid::new_v4()));
    let _guard = keep::guarded(&private, around, out);
    let host = Host {
        environment: launch.environment,
        profile: launch.profile,
        settings: launch.flag,
        plugins: launch.plugins,
        managed: launch.managed,
        strict: launch.strict,
        models,
        private: private.clone(),
    };
    let servers = args.mcp_config.as_ref().map(|file| start.join(file));
    let host = Arc::new(SessionDefaults { host, servers, long_lines: LongLineLimit::default() });
    let patience = Duration::from_secs(args.patience);
    let cancel = CancellationToken::new();
    let done = until_done_on_threads(&cancel, async {
        let done = match (&args.socket, args.http) {
            (Some(socket), _) => on_socket(&start.join(socket), host, patience, &cancel, *out).await,
            (None, Some(address)) => {
                let linger = Duration::from_secs(args.linger);
                let token = args.token_file.as_ref().map_or(private.join("token"), |file| start.join(file));
                let wants = http::ListenOptions { address, token, linger, patience };
                http::serve(wants, host, &cancel, *out).await
            }
            (None, None) => on_stdio(host, patience, &cancel).await,
        };
        // A blocked read of stdin must not keep the process alive.
        cancel.cancel();
        done
    });
    // The directory does not exist if no session has stored anything.
    drop(std::fs::remove_dir_all(&private));
    done
}

/// Serves one client, the program that started this one.
async fn on_stdio(
    host: Arc<SessionDefaults>,
    patience: Duration,
    cancel: &CancellationToken,
) -> CommandResult {
    let presence = Presence::of_stdout().map_err(FiringError::Runtime)?;
    let client = Client { host, patience, presence, room: None };
    match client.serve(tokio::io::stdin(), tokio::io::stdout(), cancel).await {
        ConnectionEnd::Left => Ok(0),
        ConnectionEnd::CutOff(why) => Err(CliError::Serve { why: why.to_owned() }),
    }
}

#[cfg(unix)]
async fn on_socket(
    path: &Path,
    host: Arc<SessionDefaults>,
    patience: Duration,
    cancel: &CancellationToken,
    out: Out,
) -> CommandResult {
    listen::serve(path, host, patience, cancel, out).await
}

#[cfg(not(unix))]
async fn on_socket(
    path: &Path,
    _: Arc<SessionDefaults>,
    _: Duration,
    _: &CancellationToken,
    _: Out,
) -> CommandResult {
    let why = format!(
        "`{}`: Unix sockets are not supported on this system: leave `--socket` out, and use stdio",
        path.display()
    );
    Err(CliError::Serve { why })
}
