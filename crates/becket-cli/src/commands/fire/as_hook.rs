//! `fire --stdin-event`: Becket as the one hook of another agent.
//!
//! The input comes from stdin, and the answer is that of a hook: JSON on stdout, 2 or 0 as exit code. A guard that can't
//! be asked must not look like one that has nothing to say: an error of Becket's own ends with 2 where the event can hold
//! something back, else with 1.

use super::background::Patience;
use super::env_file::hand_on;
use super::{background, exec_rewrite, human, plain, prepared, servers};
use crate::args::{FireArgs, Global};
use crate::enclosing;
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::event::read;
use crate::interrupt;
use crate::out::Out;
use crate::report::hook_output;
use crate::services::{HookServices, ServiceOptions};
use crate::session;
use crate::telemetry;
use becket_embed::UnknownEvent;
use becket_embed::view::background::BackgroundResult;
use becket_engine::{CancellationToken, Engine, Outcome, Settlement};
use becket_model::table::OnFailureEffect;
use becket_model::wire::input::{self, InputError};
use becket_model::{Event, EventKind};
use serde_json::{Map, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Answers as a hook.
pub(super) fn run(args: &FireArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let mut kind = None;
    let early = EarlySignals::block();
    match unless_it_panics(|| answered(&mut kind, &early, args, global, around, out)) {
        Ok(code) => Ok(code),
        Err(error) if fails_closed(kind, &error) => {
            out.tell(&format!(
                "becket can't run the hooks, so the action is blocked: {}\n",
                plain(&error.to_string())
            ));
            Ok(2)
        }
        // An exit code of 2 would hold something back.
        Err(error) => {
            out.tell(&format!("becket: {}\n", plain(&error.to_string())));
            Ok(1)
        }
    }
}

/// The exit code where the arguments themselves are wrong: a slip in the command of a guard must not look like one that
/// has nothing to say.
pub(crate) fn code_of_a_slip(around: &Surroundings) -> u8 {
    let mut kind = None;
    let holds_back = match event(&mut kind, around) {
        Ok(event) => event.kind().spec().on_failure == OnFailureEffect::Block,
        Err(error) => fails_closed(kind, &error),
    };
    if holds_back { 2 } else { 1 }
}

/// Signals before anything listens to them: one that ends the process ends it with 2, since an agent takes a guard that a
/// signal has ended for one that has nothing to say.
pub(super) struct EarlySignals(Arc<AtomicBool>);

impl EarlySignals {
    pub(super) fn block() -> Self {
        let armed = Arc::new(AtomicBool::new(true));
        #[cfg(unix)]
        for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP]
        {
            // If no handler can be set, the signal has its default effect.
            drop(signal_hook::flag::register_conditional_shutdown(signal, 2, armed.clone()));
        }
        EarlySignals(armed)
    }

    /// From now on they end the hooks first.
    pub(super) fn are_handled(&self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

/// A panic would end the process with a code that a host takes for "nothing to say".
pub(super) fn unless_it_panics<T>(work: impl FnOnce() -> Result<T, CliError>) -> Result<T, CliError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(CliError::Panicked))
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
    let (outcome, left, broken, rewritten) = interrupt::until_done(&cancel, async {
        early.are_handled();
        let mcp = servers::connected(args, &session, &cancel, |_| ()).await?;
        let builder = servers::with_servers(services.to(session.builder(true)), mcp.as_ref());
        let engine =
            telemetry::observed(builder).build().map_err(|error| CliError::Start { why: error.why })?;
        let broken = human::findings::brief(engine.config().errors(), around);
        enclosing::show(engine.host().mark(&event));
        let done = fired(&engine, &event, &cancel).await;
        let rewritten = done.as_ref().ok().filter(|_| args.exec_rewrite);
        let rewritten = rewritten.and_then(|(outcome, _)| rewrite(&engine, &event, outcome, around));
        hand_on(&engine, &event, around);
        engine.close().await;
        if let Some(mcp) = &mcp {
            mcp.close().await;
        }
        let (outcome, left) = done?;
        Ok((outcome, left, broken, rewritten))
    })?;
    let mut answer = hook_output::of(&outcome, &broken, &left);
    if let Some(input) = rewritten {
        hook_output::add_rewrite(&mut answer.json, event.kind(), input);
    }
    out.answer(&answer.stdout())?;
    if let Some(reason) = &answer.stderr {
        out.tell(&format!("{}\n", plain(reason)));
    }
    Ok(answer.exit)
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

/// Fires and waits for the background, too: the process ends with its answer, and what ran on would be lost.
pub(super) async fn fired(
    engine: &Engine,
    event: &Event,
    cancel: &CancellationToken,
) -> Result<(Outcome, Vec<BackgroundResult>), CliError> {
    let outcome = engine.fire_until(event, cancel).await;
    let left = background::left(engine, &event.session, Patience::WaitsUntilSignal, cancel).await;
    if cancel.is_cancelled() { Err(CliError::Interrupted) } else { Ok((outcome, left)) }
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

/// Returns true if the host must be blocked: on events where a failure may block, and if even the event can't be read.
/// For an event that this build does not know nothing can be configured, so nothing is lost there.
fn fails_closed(kind: Option<EventKind>, error: &CliError) -> bool {
    match kind {
        Some(kind) => kind.spec().on_failure == OnFailureEffect::Block,
        None => !matches!(error, CliError::UnknownEvent(_) | CliError::StdinIsTerminal { .. }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rules: O10, H9
    #[test]
    fn a_panic_holds_the_host_back() {
        let ended = unless_it_panics::<u8>(|| panic!("a bug"));
        let error = ended.expect_err("no answer");
        assert!(matches!(error, CliError::Panicked));
        assert!(fails_closed(Some(EventKind::PreToolUse), &error) && fails_closed(None, &error));
        assert!(!fails_closed(Some(EventKind::Notification), &error));
        assert_eq!(unless_it_panics(|| Ok(0)).expect("an answer"), 0);
    }
}
