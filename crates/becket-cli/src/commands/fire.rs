//! `becket fire`: runs the hooks of an event.

mod as_hook;
mod background;
mod detached;
mod dialect;
mod exec_rewrite;
mod servers;

pub(crate) use as_hook::code_of_a_slip;
pub(crate) use dialect::{refuse_help, refuse_slip};

use crate::args::{FireArgs, Global};
use crate::enclosing;
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::event::{self, EventInput};
use crate::interrupt;
use crate::out::Out;
use crate::report::style::{WARNING, one_line, plain, styled};
use crate::report::{human, json};
use crate::services::{HookServices, ServiceOptions};
use crate::session::{self, Session};
use crate::telemetry;
use background::Patience;
use becket_embed::servers::ServerPool;
use becket_embed::view::Report;
use becket_embed::view::fired::{self, FireReport};
use becket_embed::view::ran::RunReport;
use becket_engine::{CancellationToken, Engine, Outcome, StartError};
use becket_fire::FiringError;
use becket_model::Event;

/// Runs the hooks and shows what they did; the exit code depends on the verdict.
pub(crate) fn run(args: &FireArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    if let Some(name) = &args.dialect {
        return dialect::run(name, args, global, around, out);
    }
    if args.stdin_event {
        return as_hook::run(args, global, around, out);
    }
    let name = args.event.as_deref().unwrap_or_default();
    let session = prepared(session::in_project(global, around, out)?, args)?;
    let given = event::from_arguments(event::kind(name)?, &args.fields, &session.start, around)?;
    let cancel = CancellationToken::new();
    let services = HookServices::new(&ServiceOptions::from(args), &session, around, out, &cancel)?;
    let firing = EventFiring { session: &session, given, services: &services, cancel: &cancel };
    let done = interrupt::until_done(&cancel, firing.run(args, global, around, out));
    services.end(out);
    done
}

/// Returns the session that the arguments describe; it may itself be inside another event.
fn prepared(session: Session, args: &FireArgs) -> Result<Session, CliError> {
    let session = session::with_networks(session, &args.services.allow_network)?;
    let mut session = session.trusting(!args.untrusted_project);
    session.environment = session.environment.with_enclosing(detached::enclosing_marks(args));
    Ok(session)
}

/// The firing of one event.
struct EventFiring<'a> {
    session: &'a Session,
    given: EventInput,
    services: &'a HookServices,
    cancel: &'a CancellationToken,
}

impl EventFiring<'_> {
    /// Fires with the MCP servers connected, and ends them afterwards.
    async fn run(self, args: &FireArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
        let tell =
            |notice: &str| out.eprint(&format!("{} {}\n", styled(WARNING, "MCP:"), one_line(notice, 500)));
        let mcp = servers::connected(args, self.session, self.cancel, tell).await?;
        let done = self.with(mcp.as_ref(), args, global, around, out).await;
        if let Some(mcp) = &mcp {
            mcp.close().await;
        }
        done
    }

    /// Fires, shows the verdict, and waits for background hooks.
    async fn with(
        self,
        mcp: Option<&ServerPool>,
        args: &FireArgs,
        global: &Global,
        around: &Surroundings,
        out: &Out,
    ) -> CommandResult {
        let builder = servers::with_servers(self.services.to(self.session.builder(!args.nobody_to_ask)), mcp);
        let engine = started(telemetry::observed(builder).build(), around, out)?;
        report_errors(&engine, around, out);
        event::check_tool(&args.fields, &engine)?;
        let EventInput { event, samples } = self.given;
        enclosing::show(engine.host().mark(&event));
        let outcome = engine.fire_until(&event, self.cancel).await;
        self.services.screen_is_free().await;
        if self.cancel.is_cancelled() {
            engine.host().finish_background(&event.session).await;
            engine.close().await;
            return Err(FiringError::Interrupted.into());
        }
        let mut fired = FireReport::new(&outcome, event.body.subject(), samples);
        if global.verbose {
            fired.hooks = verbose(&engine, &event, &outcome);
        }
        let code = fired.exit_code();
        if !global.json {
            let _paused = self.services.progress.pause();
            shown(&fired, &outcome, around, out)?;
        }
        let patience = if args.no_wait { Patience::EndsSession } else { Patience::WaitsForAll };
        fired.background = background::left(&engine, &event.session, patience, self.cancel).await;
        engine.close().await;
        self.services.progress.end();
        if global.json {
            json::print(&Report::Fire(Box::new(fired)), out)?;
        } else {
            out.remark(&human::background::render(&fired.background))?;
        }
        if self.cancel.is_cancelled() { Err(FiringError::Interrupted.into()) } else { Ok(code) }
    }
}

/// Returns the runs with the inputs and outputs of their processes.
fn verbose(engine: &Engine, event: &Event, outcome: &Outcome) -> Vec<RunReport> {
    outcome.runs.iter().map(|run| RunReport::new(run).with_process(run, engine, event)).collect()
}

fn shown(fired: &FireReport, outcome: &Outcome, around: &Surroundings, out: &Out) -> Result<(), CliError> {
    let shown = if out.is_quiet() { human::fired::result } else { human::fired::render };
    out.print(&shown(fired, around))?;
    // A reader who sees both streams in one place has just read the reason.
    let is_shown = (around.terminals.stdout && around.terminals.stderr) || out.streams_are_one();
    if fired.result == fired::EventResult::Blocked && !is_shown {
        let reason = fired::why(outcome).unwrap_or_else(|| "blocked".to_owned());
        out.eprint(&format!("{}\n", plain(&reason)));
    }
    Ok(())
}

/// Builds the engine; if the configuration forbids the start, reports the findings behind it.
///
/// # Errors
/// Errors if the configuration forbids the start.
pub(crate) fn started(
    built: Result<Engine, StartError>,
    around: &Surroundings,
    out: &Out,
) -> Result<Engine, CliError> {
    built.map_err(|error| {
        out.eprint(&human::findings::brief(error.config.errors(), around));
        CliError::Start { why: error.why }
    })
}

/// Reports everything that could not be loaded; the rest works (C7). Returns true if everything was loaded.
pub(crate) fn report_errors(engine: &Engine, around: &Surroundings, out: &Out) -> bool {
    let config = engine.config();
    let text = human::findings::brief(config.notices(), around);
    if !text.is_empty() {
        out.eprint(&text);
    }
    text.is_empty()
}
