//! `becket acp`: a proxy between an editor and an agent that speak the Agent Client Protocol, behind hooks and rules.
//!
//! - [`lines`], [`agent_process`], [`outbox`]: the lines of both sides, as bytes
//! - [`proxy`], [`messages`]: every message on its way, and those of the proxy itself; [`pending`]: the requests without an
//!   answer
//! - [`openings`]: the sessions that start; [`turn`]: the turns, and their cancellation
//! - [`prompts`], [`permissions`], [`effects`], [`updates`], [`turn_end`]: the messages that hooks and rules decide
//!   about
//! - [`session`], [`decision`]: the hooks and rules of one session
//!
//! INVARIANT: a line is passed on byte for byte, or it is one that hooks have decided about.
//! INVARIANT: a message that needs a decision and can't get one is answered with an error, and goes no further.

mod agent_process;
mod decision;
mod effects;
mod grants;
mod lines;
mod messages;
mod openings;
mod outbox;
mod pending;
mod permissions;
mod prompts;
mod proxy;
mod session;
mod turn;
mod turn_end;
mod updates;

use crate::args::{AcpArgs, Global};
use crate::commands::keep;
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::on_threads::until_done_on_threads;
use crate::out::Out;
use agent_process::AgentProcess;
use becket_engine::CancellationToken;
use lines::{Lines, NextLine};
use outbox::Outbox;
use proxy::Proxy;
use session::SessionOpener;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The time for the agent to exit once its stdin is closed.
const EXIT_GRACE: Duration = Duration::from_secs(3);

/// Relays until the editor closes stdin, the agent exits, or a signal arrives.
pub(crate) fn run(args: &AcpArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let private = around.process.temp.join(format!("becket-acp-{}", uuid::Uuid::new_v4()));
    let _guard = keep::guarded(&private, around, out);
    let cancel = CancellationToken::new();
    let done = until_done_on_threads(&cancel, async {
        let done = relay(args, global, around, out, &private, &cancel).await;
        // A blocked read of stdin must not keep the process alive.
        cancel.cancel();
        done
    });
    // The directory does not exist if nothing was stored.
    drop(std::fs::remove_dir_all(&private));
    done
}

async fn relay(
    args: &AcpArgs,
    global: &Global,
    around: &Surroundings,
    out: &Out,
    private: &Path,
    cancel: &CancellationToken,
) -> CommandResult {
    let (mut agent, mut from_agent) = AgentProcess::start(&args.agent, around, *out, cancel)?;
    let (outbox, writing) = Outbox::to_stdout(cancel);
    let opener = SessionOpener {
        models: args.models.clone(),
        trusts_project: args.trust_project,
        global: global.clone(),
        around: around.clone(),
        out: *out,
        private: private.to_owned(),
    };
    let proxy = Arc::new(Proxy::new(outbox, agent.input(), opener, cancel.clone()));
    let to_agent = async {
        let mut lines = Lines::new(tokio::io::stdin());
        loop {
            match lines.next().await {
                NextLine::Line(line) => proxy.from_editor(line),
                NextLine::End => return None,
                NextLine::TooLong => return Some("the editor sent a line that is too long".to_owned()),
            }
        }
    };
    let to_editor = async {
        while let Some(line) = from_agent.recv().await {
            proxy.from_agent(line);
        }
    };
    let ended = tokio::select! {
        why = to_agent => RelayEnd::Editor(why),
        () = to_editor => RelayEnd::Agent,
        () = cancel.cancelled() => RelayEnd::Editor(None),
    };
    let exit = agent.end(matches!(ended, RelayEnd::Editor(_)).then_some(EXIT_GRACE)).await;
    proxy.end().await;
    drop(proxy);
    writing.finish().await;
    match ended {
        RelayEnd::Editor(None) => exit.map(|_| 0).map_err(|why| CliError::Acp { why }),
        RelayEnd::Editor(Some(why)) => Err(CliError::Acp { why }),
        RelayEnd::Agent => exit.map(|code| code.unwrap_or(1)).map_err(|why| CliError::Acp { why }),
    }
}

/// The side that ended the relay.
enum RelayEnd {
    /// The editor, or a signal; with an error if there was one.
    Editor(Option<String>),
    Agent,
}
