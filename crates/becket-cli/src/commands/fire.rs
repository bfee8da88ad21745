//! `becket fire`: runs the hooks of an event.

mod as_hook;
mod interrupt;

use crate::args::{FireArgs, Global};
use crate::env::Surroundings;
use crate::error::CliError;
use crate::event;
use crate::out::Out;
use crate::report::style::{FAINT, one_line, plain};
use crate::report::{human, json};
use crate::run::Done;
use crate::session::Session;
use crate::view::Report;
use crate::view::fired::{self, Fired};
use becket_engine::{CancellationToken, Engine, Outcome, RunEvent, StartError, What};
use becket_model::Event;

/// Runs the hooks and shows what they did; the exit code says what becomes of it.
pub(crate) fn run(args: &FireArgs, global: &Global, around: &Surroundings, out: &Out) -> Done {
    if args.stdin_event {
        return as_hook::run(global, around, out);
    }
    let name = args.event.as_deref().unwrap_or_default();
    let session = Session::new(global, around)?;
    let given = event::given(event::kind(name)?, &args.fields, &session.start, around)?;
    let mut builder = session.builder(!args.nobody_to_ask);
    if around.terminals.stderr && !global.json {
        builder = builder.observe(progress(*out));
    }
    let engine = started(builder.build(), around, out)?;
    told_errors(&engine, around, out);
    let outcome = fired(&engine, &given.event)?;
    let fired = Fired::new(&outcome, given.event.body.subject(), given.samples);
    let result = fired.result;
    if global.json {
        json::print(&Report::Fire(Box::new(fired)), out)?;
    } else {
        out.print(&human::fired::render(&fired, around))?;
        // On a terminal the reason has just been shown.
        let is_shown = around.terminals.stdout && around.terminals.stderr;
        if result == fired::Result::Blocked && !is_shown {
            let reason = fired::why(&outcome).unwrap_or_else(|| "blocked".to_owned());
            out.tell(&format!("{}\n", plain(&reason)));
        }
    }
    Ok(result.exit_code())
}

/// Shows what hooks have to say while they run (H13).
fn progress(out: Out) -> impl Fn(&RunEvent) + Send + Sync + 'static {
    move |event| {
        if let What::Started { handler } = &event.what
            && let Some(message) = &handler.status_message
        {
            out.tell(&format!("{FAINT}… {}{FAINT:#}\n", one_line(message, 80)));
        }
    }
}

/// Fires an event and waits for everything that was started.
///
/// # Errors
/// Where there is no runtime, or a signal ends the wait: then every hook that still runs is ended first.
pub(super) fn fired(engine: &Engine, event: &Event) -> Result<Outcome, CliError> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::Runtime)?;
    runtime.block_on(async {
        let cancel = CancellationToken::new();
        let interrupted = interrupt::cancels(&cancel).map_err(CliError::Runtime)?;
        let outcome = interrupted.while_running(engine.fire_until(event, &cancel)).await;
        engine.close().await;
        if cancel.is_cancelled() { Err(CliError::Interrupted) } else { Ok(outcome) }
    })
}

/// The engine, or why none starts: with the findings behind it.
///
/// # Errors
/// Where the configuration forbids the start.
pub(super) fn started(
    built: Result<Engine, StartError>,
    around: &Surroundings,
    out: &Out,
) -> Result<Engine, CliError> {
    built.map_err(|error| {
        out.tell(&human::findings::brief(error.config.errors(), around));
        CliError::Start { why: error.why }
    })
}

/// What could not be loaded is always said, and the rest works (C7).
pub(super) fn told_errors(engine: &Engine, around: &Surroundings, out: &Out) {
    let config = engine.config();
    let text = human::findings::brief(config.errors(), around);
    if !text.is_empty() {
        out.tell(&text);
    }
}
