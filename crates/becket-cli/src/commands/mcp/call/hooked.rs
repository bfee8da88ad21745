//! A call that passes the same checks as a model's: hooks, rules, mode, and the user if there is one.
//!
//! INVARIANT: if a user would have to be asked and there is none, the tool is not called.

use super::super::McpContext;
use super::CallRequest;
use super::reported::{denied_by, of_report};
use crate::commands::fire::{report_errors, started};
use crate::error::CliError;
use crate::report::style::{WARNING, one_line, styled};
use crate::services::HookServices;
use crate::telemetry;
use becket_agent::elicit::{AnsweredBy, ElicitationRecord, McpHost};
use becket_agent::tool_call::{CallEnd, DeniedBy, Report, ToolCalls};
use becket_embed::view::mcp::McpCalled;
use becket_engine::handler::Action;
use becket_engine::{CancellationToken, Engine, ToolCall, ToolSet};
use becket_fire::FiringError;
use becket_mcp::{Name, OutputCaps, Pool};
use becket_model::Session;
use becket_model::event::PermissionMode;
use becket_tools::mcp::{HookCalls, McpServers};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The id of this call in events, in the format that hosts generate.
const ID: &str = "toolu_becket";

/// Connects the server, runs the call through hooks and rules, executes it, and ends the server.
pub(super) async fn call(
    wanted: &CallRequest<'_>,
    services: &HookServices,
    at: McpContext<'_>,
    cancel: &CancellationToken,
) -> Result<McpCalled, CliError> {
    let out = *at.out;
    let host = McpHost::new().with_observer(move |elicited: &ElicitationRecord| {
        if let Some(notice) = notice(elicited) {
            out.eprint(&format!("{} {}\n", styled(WARNING, "MCP:"), one_line(&notice, 500)));
        }
    });
    let pool = at.pool(Arc::new(host.clone()))?;
    let done = HookedCall { wanted, services, at, cancel, pool: &pool, host: &host }.call().await;
    pool.close().await;
    done
}

/// Returns the notice about a question of a server.
pub(in super::super) fn notice(elicited: &ElicitationRecord) -> Option<String> {
    let server = &elicited.server;
    match elicited.by {
        AnsweredBy::Hook | AnsweredBy::User => elicited.failures.first().cloned(),
        AnsweredBy::Nobody | AnsweredBy::Refused => {
            Some(elicited.failures.first().cloned().unwrap_or_else(|| {
                format!("a question of the server `{server}` was cancelled: no hook answered it")
            }))
        }
    }
}

struct HookedCall<'a> {
    wanted: &'a CallRequest<'a>,
    services: &'a HookServices,
    at: McpContext<'a>,
    cancel: &'a CancellationToken,
    pool: &'a Pool,
    host: &'a McpHost,
}

impl HookedCall<'_> {
    async fn call(&self) -> Result<McpCalled, CliError> {
        let (at, server) = (self.at, &self.wanted.args.server);
        let (_, names) = at.gathered.tools(server, self.pool, self.cancel).await.map_err(CliError::mcp)?;
        let name = self.wanted.tool(&names)?.clone();

        let toolbox = ToolSet::default();
        let builder = self.services.to(at.session.builder(self.services.person().is_some()));
        let builder = builder.tools(toolbox.clone()).mcp_tools(HookCalls::new(self.pool.clone()));
        let engine = started(telemetry::observed(builder).build(), at.around, at.out)?;
        report_errors(&engine, at.around, at.out);
        if let Some(denied) = taken_away(&engine, &name) {
            engine.close().await;
            return Ok(denied);
        }
        self.connect_for_hooks(&engine).await;

        let session = self.session(&engine);
        let of_host = session.clone();
        self.host.ready(engine.clone(), move || of_host.clone());
        let dir = at.around.process.temp.join(format!("becket-mcp-{}", std::process::id()));
        toolbox.replace(McpServers::new(self.pool.clone(), dir).with_caps(whole()).tools().tools);
        let mut calls = ToolCalls::new(engine.clone(), toolbox).with_limit(self.wanted.limit);
        if let Some(person) = self.services.person() {
            calls = calls.with_person(person.clone());
        }
        let call =
            ToolCall { id: ID.to_owned(), name: name.full.to_string(), input: self.wanted.input.clone() };
        let report = calls.run(&session, call, self.cancel).await;
        self.services.screen_is_free().await;
        self.end(&engine, &session).await;
        read(&report)
    }

    /// Connects the servers of `mcp_tool` handlers: the session connects them, a hook never does (H6).
    async fn connect_for_hooks(&self, engine: &Engine) {
        let hooks = engine.host().hooks();
        let servers: BTreeSet<&str> = hooks
            .all()
            .filter_map(|handler| match &handler.action {
                Action::McpTool(tool) => Some(tool.server.as_str()),
                Action::Command(_)
                | Action::Http(_)
                | Action::Prompt(_)
                | Action::Agent(_)
                | Action::Callback(_) => None,
            })
            .collect();
        for server in servers {
            if let Err(error) = self.pool.connect(server, self.cancel).await {
                let notice = one_line(&error.to_string(), 500);
                self.at.out.eprint(&format!("{} a hook needs a server: {notice}\n", styled(WARNING, "MCP:")));
            }
        }
    }

    /// Returns the session of the call, in the mode in which sessions of this configuration start.
    fn session(&self, engine: &Engine) -> Session {
        let at = self.at;
        let mut session =
            Session::new("becket", at.around.process.temp.join("becket-transcript.jsonl"), &at.session.start);
        let given = self.wanted.args.mode.as_deref().map(PermissionMode::from_name);
        let default = || engine.config().default_mode.as_ref().map(|default| default.mode.clone());
        session.permission_mode = given.or_else(default);
        session
    }

    /// Waits for background hooks, and ends everything.
    async fn end(&self, engine: &Engine, session: &Session) {
        tokio::select! {
            () = engine.host().wait_for_background(&session.id) => {}
            () = self.cancel.cancelled() => {}
        }
        engine.host().finish_background(session).await;
        engine.close().await;
        self.services.progress.end();
    }
}

/// Returns the denial by a rule that denies a tool for every input and so hides it from a model: nothing is called
/// (P1).
fn taken_away(engine: &Engine, name: &Name) -> Option<McpCalled> {
    let names = [Some(&*name.full), name.written.as_deref()];
    let why = names.into_iter().flatten().find_map(|name| engine.host().deny_rule_for_tool(name))?;
    let mut called = McpCalled::new(&name.full, true);
    called.denied(denied_by(DeniedBy::Rule), why);
    Some(called)
}

/// Returns caps that keep the whole text: a caller in a shell has no limited context window.
fn whole() -> OutputCaps {
    OutputCaps { text: usize::MAX, blocks: usize::MAX, ..OutputCaps::default() }
}

fn read(report: &Report) -> Result<McpCalled, CliError> {
    match &report.ended {
        CallEnd::Cancelled { started: true } => {
            let why = "interrupted; the call was cancelled at the server, which may have done a part of it"
                .to_owned();
            Err(CliError::Mcp { why })
        }
        CallEnd::Cancelled { started: false } => Err(FiringError::Interrupted.into()),
        CallEnd::Done { .. }
        | CallEnd::Failed { .. }
        | CallEnd::Denied { .. }
        | CallEnd::Stopped { .. }
        | CallEnd::Deferred
        | CallEnd::Invalid { .. } => Ok(of_report(report)),
    }
}
