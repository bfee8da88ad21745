//! `becket mcp gateway`: an MCP server over stdio with the tools of the configured servers, behind hooks and rules.
//!
//! - [`selection`]: the servers whose tools are offered
//! - [`offer`]: the tools, and their names for the agent
//! - [`guarded_call`], [`answer`], [`approval_request`]: one call through hooks and rules, its result, a user's
//!   approval
//! - [`face`], [`watched_stdin`], [`mended_stdin`]: the side of the agent
//!
//! INVARIANT: a tool is called only with an input that the hooks and all rules have let pass.
//! INVARIANT: a call that is not made is answered with an error and the reason, never with a success.

mod answer;
mod approval_request;
mod face;
mod guarded_call;
mod mended_stdin;
mod offer;
mod selection;
mod watched_stdin;

use super::McpContext;
use crate::args::{AsksChoice, McpGatewayArgs};
use crate::commands::fire::report_errors;
use crate::commands::keep;
use crate::error::{CliError, CommandResult};
use crate::hook_gate::HookGate;
use crate::on_threads::until_done_on_threads;
use crate::out::Out;
use crate::report::style::{WARNING, one_line, styled};
use crate::services::{HookServices, ServiceOptions};
use becket_agent::elicit::{ElicitationRecord, McpHost};
use becket_engine::CancellationToken;
use becket_mcp::Pool;
use becket_model::event::PermissionMode;
use becket_model::{EventKind, Session};
use becket_tools::discovery::PoolOptions;
use becket_tools::mcp::{HookCalls, McpServers};
use offer::Offers;
use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The variable that marks the servers of a gateway: one that is itself a gateway would start the same servers
/// endlessly.
const MARK: &str = "BECKET_MCP_GATEWAY";

/// The length limit of a notice on stderr, in characters.
const NOTICE: usize = 500;

/// Serves until the agent closes stdin, or a signal arrives.
pub(super) fn run(args: &McpGatewayArgs, at: McpContext<'_>) -> CommandResult {
    if at.around.var(MARK).is_some() {
        return Err(CliError::mcp(
            "this gateway was started as a server of another one: remove `becket mcp gateway` from the servers that a gateway \
             offers",
        ));
    }
    let private = at.around.process.temp.join(format!("becket-gateway-{}", uuid::Uuid::new_v4()));
    let _guard = keep::guarded(&private, at.around, at.out);
    let cancel = CancellationToken::new();
    let done = until_done_on_threads(&cancel, async {
        let done = serve(args, &private, at, &cancel).await;
        // A blocked read of stdin must not keep the process alive.
        cancel.cancel();
        done
    });
    // The directory does not exist if nothing was stored.
    drop(std::fs::remove_dir_all(&private));
    done
}

async fn serve(
    args: &McpGatewayArgs,
    private: &Path,
    at: McpContext<'_>,
    cancel: &CancellationToken,
) -> CommandResult {
    let notices = Notices::new(*at.out);
    let servers = selection::selected(args, at.gathered, &notices)?;
    let host = McpHost::new().with_observer({
        let notices = notices.clone();
        move |elicited: &ElicitationRecord| {
            super::call::notice(elicited).iter().for_each(|notice| notices.show(notice));
        }
    });
    let root = at.session.project.as_ref().unwrap_or(&at.session.start);
    let environment = at.session.environment().clone().with_var(MARK, "1");
    let pool = servers.pool(&environment, root, PoolOptions::new(Arc::new(host.clone())))?;
    let gateway = Gateway::open(args, private, pool.clone(), notices, at);
    let done = match gateway {
        Ok(gateway) => {
            report_errors(gateway.gate.engine(), at.around, at.out);
            let session = gateway.session.clone();
            host.ready(gateway.gate.engine().clone(), move || session.clone());
            let gateway = Arc::new(gateway);
            let done = face::serve(Arc::clone(&gateway), cancel).await;
            gateway.gate.close().await;
            done
        }
        Err(error) => Err(error),
    };
    pool.close().await;
    done
}

/// The context that calls need.
pub(super) struct Gateway {
    gate: HookGate,
    pool: Pool,
    offers: Offers,
    session: Session,
    limits: Limits,
    /// True if a user is asked through the agent.
    passes_asks: bool,
    notices: Notices,
}

/// The time limits of a gateway.
struct Limits {
    /// The limit of a call.
    call: Duration,
    /// The limit of the hooks before a call.
    hooks: Option<Duration>,
    /// The limit on waiting for connections before the first list.
    list: Duration,
}

impl Gateway {
    fn open(
        args: &McpGatewayArgs,
        private: &Path,
        pool: Pool,
        notices: Notices,
        at: McpContext<'_>,
    ) -> Result<Self, CliError> {
        let services = HookServices::silent(&ServiceOptions::of(&args.models), at.session, at.around)?;
        let calls = HookCalls::new(pool.clone());
        let trusts_project = at.trusts_project;
        let gate = HookGate::open(at.session.clone(), trusts_project, &services, |builder| {
            builder.mcp_tools(calls).session_dir(private)
        })?;
        for kind in [EventKind::PreToolUse, EventKind::PostToolUse, EventKind::PostToolUseFailure] {
            let held_back = gate.held_back(kind);
            if held_back > 0 {
                notices.show(&format!(
                    "hooks of this project on {kind} that are not run: {held_back}; the user does not trust its folder, \
                     and `becket trust` there changes that"
                ));
            }
        }
        let id = uuid::Uuid::new_v4().to_string();
        let transcript = private.join("transcript.jsonl");
        let default = gate.engine().config().default_mode.as_ref().map(|default| default.mode.clone());
        let session = Session::new(id, transcript, &at.session.start)
            .with_permission_mode(default.unwrap_or(PermissionMode::Default));
        let servers = McpServers::new(pool.clone(), private.join("answers"));
        Ok(Gateway {
            gate,
            offers: Offers::new(servers),
            pool,
            session,
            limits: Limits {
                call: Duration::from_secs(args.timeout),
                hooks: args.within.map(Duration::from_secs),
                list: Duration::from_secs(args.list_within),
            },
            passes_asks: args.asks == AsksChoice::Pass,
            notices,
        })
    }
}

/// Notices on stderr, each once: an agent shows them in the log of its server.
#[derive(Clone)]
struct Notices {
    out: Out,
    shown: Arc<Mutex<HashSet<String>>>,
}

impl Notices {
    fn new(out: Out) -> Self {
        Notices { out, shown: Arc::default() }
    }

    fn show(&self, notice: &str) {
        let line = one_line(notice, NOTICE);
        if self.shown.lock().unwrap_or_else(PoisonError::into_inner).insert(line.clone()) {
            self.out.eprint(&format!("{} {line}\n", styled(WARNING, "gateway:")));
        }
    }
}
