//! `fire --stdin-event`: Becket as the one hook of another agent.
//!
//! The input comes from stdin, and the output is that of a hook: JSON on stdout, exit code 2 or 0. A guard that can't
//! be consulted must not look like one that has no objection: an error of Becket itself exits with 2 if the event can
//! block something, otherwise with 1.

use super::exec_rewrite::{self, RewrittenInput};
use super::{detached, human, prepared, servers};
use crate::args::{FireArgs, Global};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::event::read::stdin;
use crate::hook_output::{self, HookOutput};
use crate::interrupt;
use crate::out::Out;
use crate::recording;
use crate::services::{HookServices, ServiceOptions};
use crate::session::{self, Session};
use becket_dialects::{Dialect, detect};
use becket_embed::UnknownEvent;
use becket_engine::{CancellationToken, Engine, Outcome, Settlement};
use becket_fire::event_gate::{EventGate, PROTOCOL};
use becket_fire::{
    BackgroundWait, ENDED, EarlySignals, FiringError, Refusal, carried_context, stdout as answer_stdout,
};
use becket_model::wire::input::{self, InputError};
use becket_model::{Event, EventKind};
use serde_json::Value;
use std::io;

/// Answers in the form of a hook.
pub(super) fn run(args: &FireArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let mut kind = None;
    let early = EarlySignals::answer_with(&Refusal::of(None, ENDED).into());
    match FiringError::unless_it_panics(|| answered(&mut kind, &early, args, global, around, out)) {
        Ok(code) => Ok(code),
        Err(error) => {
            let refusal = refusal(kind, &error);
            out.eprint(&refusal.stderr);
            Ok(refusal.exit)
        }
    }
}

/// Returns the exit code if the arguments themselves are wrong: a typo in the command of a guard must not look like a
/// guard that has no objection.
pub(crate) fn code_of_a_slip(around: &Surroundings) -> u8 {
    let mut kind = None;
    match read(&mut kind, around) {
        Ok(input) => Refusal::of(Some(input.event.kind()), "").exit,
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
    let HookInput { mut event, agent } = read(kind, around)?;
    let variable = session::profile(global.profile).var("PROJECT_DIR");
    let session = prepared(session::as_hook(&event.session.cwd, &[&variable], global, around, out)?, args)?;
    let gate = EventGate::of(&session, &mut event);
    let cancel = CancellationToken::new();
    let services = HookServices::silent(&ServiceOptions::from(args), &session, around)?;
    if !args.detached.is_empty() {
        let events = std::slice::from_ref(&event);
        return detached::run(events, &session, &services, args, early, around).map(|()| 0);
    }
    interrupt::until_done(&cancel, async {
        early.are_handled();
        let mcp = servers::connected(args, &session, &cancel, |_| ()).await?;
        let builder = || {
            let builder = servers::with_servers(services.to(session.builder(true)), mcp.as_ref());
            if args.exec_rewrite { builder.carries_rights(exec_rewrite::TOOLS) } else { builder }
        };
        let (events, input) = (std::slice::from_ref(&event), input::to_value(&event).to_string());
        let engine = detached::engine_of_answer(builder, events, input.as_bytes(), &session, around)?;
        let broken = human::findings::brief_text(engine.config().errors(), around);
        let wait = BackgroundWait::InCopy { launch: &session, until: None };
        let (mut done, ()) = tokio::join!(
            becket_fire::fire(&engine, &event, &cancel, &around.process, wait),
            detached::end_with_session(&engine, events, &session, &cancel)
        );
        let rewritten = match &done {
            Ok(fired) if args.exec_rewrite => rewrite(&engine, &event, agent, &fired.outcome, around),
            Ok(_) | Err(_) => Ok(None),
        };
        let denial = done.as_ref().ok().and_then(|fired| gate.denial(&event, &engine, &fired.outcome));
        if let (Ok(fired), Err(reason), None) = (&done, &rewritten, &denial) {
            engine.host().record_denial(&event, &fired.outcome, reason);
        }
        let left = done.as_mut().ok().and_then(|fired| fired.left.take());
        if left.is_none() {
            engine.close().await;
        }
        if let Some(mcp) = &mcp {
            mcp.close().await;
        }
        let answer = hook_output::of(&done?, &with_failure(broken));
        let answer = amended(answer, &session, &event, rewritten, denial);
        let write = || answer.deliver(answer_stdout(), io::stderr().lock());
        match left {
            Some(left) => Ok(left.leave(&engine, &session, &cancel, write).await?),
            None => Ok::<_, CliError>(write()?),
        }
    })
}

/// Adds to an answer what other parts than hooks have decided, and texts that hooks have added since their event.
fn amended(
    mut answer: HookOutput,
    session: &Session,
    event: &Event,
    rewritten: Result<RewrittenInput, String>,
    denial: Option<String>,
) -> HookOutput {
    match rewritten {
        Ok(Some(input)) => hook_output::add_rewrite(&mut answer.json, event.kind(), input),
        Ok(None) => {}
        Err(reason) => answer = answer.denied(event.kind(), reason),
    }
    answer = answer.denied_for(event.kind(), denial);
    if event.kind() == EventKind::SessionEnd {
        carried_context::forget(session, &event.session.id);
    } else if let Some(late) = carried_context::take_late(session, &event.session.id, event.kind()) {
        hook_output::add_context(&mut answer.json, event.kind(), &late);
    }
    answer
}

/// Appends the reason why times are not recorded: an agent reads stderr as the reason of a denial.
pub(super) fn with_failure(broken: String) -> String {
    match recording::failure() {
        Some(why) => broken.lines().chain([why.as_str()]).collect::<Vec<_>>().join("\n"),
        None => broken,
    }
}

/// Returns the input with its line under `becket exec`, unless the call is held back.
///
/// # Errors
/// Returns the reason for denying the call, if its line can't have the rights that hooks leave to it.
fn rewrite(
    engine: &Engine,
    event: &Event,
    agent: Option<&Dialect>,
    outcome: &Outcome,
    around: &Surroundings,
) -> Result<RewrittenInput, String> {
    let fields = &outcome.verdict.fields;
    match &outcome.settlement {
        Some(Settlement::Allowed { .. } | Settlement::Undecided) => {
            if let Some(Dialect { name, title, .. }) = agent.filter(|_| !fields.sandbox.is_empty()) {
                let because =
                    format!("{title} accepts rewritten calls only through `becket fire --dialect {name}`");
                return exec_rewrite::unchanged(&fields.sandbox, &because);
            }
            let written = fields.updated_input.as_ref().map(|written| &written.what);
            exec_rewrite::of(engine, event, &fields.sandbox, written, around)
        }
        Some(Settlement::Asked { .. } | Settlement::Deferred) => {
            exec_rewrite::unchanged(&fields.sandbox, exec_rewrite::ASKED)
        }
        Some(Settlement::Denied { .. } | Settlement::Stopped { .. }) | None => Ok(None),
    }
}

/// The input of a hook.
struct HookInput {
    event: Event,
    /// The agent that sent the input, if it has its own dialect.
    agent: Option<&'static Dialect>,
}

fn read(kind: &mut Option<EventKind>, around: &Surroundings) -> Result<HookInput, CliError> {
    let bytes = stdin("the hook input as JSON", around)?;
    let unread = |why: String| CliError::Firing(FiringError::Payload { why });
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| unread(error.to_string()))?;
    *kind = value.get("hook_event_name").and_then(Value::as_str).and_then(|name| name.parse().ok());
    let agent = detect(&value, |_| false).ok().filter(|dialect| dialect.name != PROTOCOL);
    let event = input::from_value(value).map_err(|why| match why {
        InputError::UnknownEvent { name } => CliError::UnknownEvent(UnknownEvent { name, near: Vec::new() }),
        InputError::NotAnObject { .. }
        | InputError::Missing { .. }
        | InputError::WrongType { .. }
        | InputError::Unreadable { .. } => unread(why.to_string()),
    })?;
    Ok(HookInput { event, agent })
}

/// Returns the refusal for an error. Hooks can't be configured for an event that this build does not know, so it loses
/// none.
fn refusal(kind: Option<EventKind>, error: &CliError) -> Refusal {
    let is_of_nothing = matches!(error, CliError::UnknownEvent(_) | CliError::StdinIsTerminal { .. });
    if is_of_nothing && kind.is_none() {
        Refusal::of_nothing(&error.to_string())
    } else {
        Refusal::of(kind, &error.to_string())
    }
}
