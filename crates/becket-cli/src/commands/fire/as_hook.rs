//! `fire --stdin-event`: Becket as the one hook of another agent.
//!
//! The input comes from stdin, and the answer is that of a hook: JSON on stdout, 2 or 0 as exit code. A guard that can't
//! be asked must not look like one that has nothing to say: an error of Becket's own ends with 2 where the event can hold
//! something back, else with 1.

use super::{exec_rewrite, human, prepared, servers};
use crate::args::{FireArgs, Global};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::event::read;
use crate::interrupt;
use crate::out::Out;
use crate::recording;
use crate::services::{HookServices, ServiceOptions};
use crate::session;
use crate::{hook_output, telemetry};
use becket_embed::UnknownEvent;
use becket_engine::{CancellationToken, Engine, Outcome, Settlement};
use becket_fire::{EarlySignals, FiringError, Refusal};
use becket_model::wire::input::{self, InputError};
use becket_model::{Event, EventKind};
use serde_json::{Map, Value};
use std::io;

/// Answers as a hook.
pub(super) fn run(args: &FireArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let mut kind = None;
    let early = EarlySignals::block();
    match FiringError::unless_it_panics(|| answered(&mut kind, &early, args, global, around, out)) {
        Ok(code) => Ok(code),
        Err(error) => {
            let refusal = refusal(kind, &error);
            out.tell(&refusal.stderr);
            Ok(refusal.exit)
        }
    }
}

/// The exit code where the arguments themselves are wrong: a slip in the command of a guard must not look like one that
/// has nothing to say.
pub(crate) fn code_of_a_slip(around: &Surroundings) -> u8 {
    let mut kind = None;
    match event(&mut kind, around) {
        Ok(event) => Refusal::of(Some(event.kind()), "").exit,
        Err(error) => refusal(kind, &error).exit,
    }
}

fn answered(
    kind: &mut Option<EventKind>,
    early: &EarlySignals,
    args: &FireArgs,
    global: &Global,
    around: &Surroundings,
    out: &Out,
) -> CommandResult {
    let event = event(kind, around)?;
    let variable = session::profile(global.profile).var("PROJECT_DIR");
    let session = prepared(session::as_hook(&event.session.cwd, &[&variable], global, around, out)?, args)?;
    let cancel = CancellationToken::new();
    let services = HookServices::silent(&ServiceOptions::from(args), &session, around)?;
    let (fired, broken, rewritten) = interrupt::until_done(&cancel, async {
        early.are_handled();
        let mcp = servers::connected(args, &session, &cancel, |_| ()).await?;
        let builder = servers::with_servers(services.to(session.builder(true)), mcp.as_ref());
        let engine =
            telemetry::observed(builder).build().map_err(|error| CliError::Start { why: error.why })?;
        let broken = human::findings::brief_text(engine.config().errors(), around);
        let done = becket_fire::fire(&engine, &event, &cancel, &around.process).await;
        let rewritten = done.as_ref().ok().filter(|_| args.exec_rewrite);
        let rewritten = rewritten.and_then(|fired| rewrite(&engine, &event, &fired.outcome, around));
        engine.close().await;
        if let Some(mcp) = &mcp {
            mcp.close().await;
        }
        Ok::<_, CliError>((done?, broken, rewritten))
    })?;
    let mut answer = hook_output::of(&fired, &with_failure(broken));
    if let Some(input) = rewritten {
        hook_output::add_rewrite(&mut answer.json, event.kind(), input);
    }
    Ok(answer.deliver(io::stdout().lock(), io::stderr().lock())?)
}

/// Adds the reason why times are not recorded: an agent reads stderr as the reason of a denial.
pub(super) fn with_failure(broken: String) -> String {
    match recording::failure() {
        Some(why) => broken.lines().chain([why.as_str()]).collect::<Vec<_>>().join("\n"),
        None => broken,
    }
}

/// Returns the input with the line under `becket exec`, unless the call is held back.
fn rewrite(
    engine: &Engine,
    event: &Event,
    outcome: &Outcome,
    around: &Surroundings,
) -> Option<Map<String, Value>> {
    match outcome.settlement.as_ref()? {
        Settlement::Allowed { .. } | Settlement::Undecided => {}
        Settlement::Denied { .. }
        | Settlement::Stopped { .. }
        | Settlement::Asked { .. }
        | Settlement::Deferred => return None,
    }
    let written = outcome.verdict.fields.updated_input.as_ref().map(|written| &written.what);
    exec_rewrite::of(engine, event, written, around)
}

fn event(kind: &mut Option<EventKind>, around: &Surroundings) -> Result<Event, CliError> {
    let bytes = read::stdin("the hook input as JSON", around)?;
    let unread = |why: String| CliError::StdinEvent { why };
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| unread(error.to_string()))?;
    *kind = value.get("hook_event_name").and_then(Value::as_str).and_then(|name| name.parse().ok());
    input::from_value(value).map_err(|why| match why {
        InputError::UnknownEvent { name } => CliError::UnknownEvent(UnknownEvent { name, near: Vec::new() }),
        InputError::NotAnObject { .. }
        | InputError::Missing { .. }
        | InputError::WrongType { .. }
        | InputError::Unreadable { .. } => unread(why.to_string()),
    })
}

/// The answer instead. For an event that this build does not know nothing can be configured, so nothing is lost there.
fn refusal(kind: Option<EventKind>, error: &CliError) -> Refusal {
    let is_of_nothing = matches!(error, CliError::UnknownEvent(_) | CliError::StdinIsTerminal { .. });
    if is_of_nothing && kind.is_none() {
        Refusal::of_nothing(&error.to_string())
    } else {
        Refusal::of(kind, &error.to_string())
    }
}
