//! The stages of one event: plan, dispatch, fold, a second look at a rewritten input, settlement.

use crate::config::handler::{Background, Once};
use crate::engine::audit::audited;
use crate::engine::call_rights;
use crate::engine::reload;
use crate::handlers::context::EngineState;
use crate::handlers::context::HandlerContext;
use crate::permission::decide::Settlement;
use crate::permission::inputs;
use crate::plan::facts::Facts;
use crate::plan::session_end;
use crate::plan::snapshot::Snapshot;
use crate::plan::tool_input;
use crate::plan::{self, Plan, PlannedRun};
use crate::report::long_text;
use crate::report::outcome::{EffectiveInput, Outcome, Run};
use crate::report::run_event::RunEventKind;
use becket_model::fold;
use becket_model::table::DecisionModel;
use becket_model::{
    Attributed, DecidedBy, Decision, Event, Failure, OnFailure, PermissionDecision, Reason, Reply,
    RequestDecision, Ruling, Verdict,
};
use becket_process::CancellationToken;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Fires an event that has handlers.
pub(crate) async fn fire(
    engine: &EngineState,
    snapshot: &Snapshot,
    event: &Event,
    cancel: &CancellationToken,
) -> Outcome {
    let normal = tool_input::normalize(event, &engine.tools, engine.environment.home());
    let plan = plan_for(engine, snapshot, &normal);
    run_plan(engine, snapshot, event, normal, plan, cancel).await
}

/// Runs the plan of an event. `written` is the event as the host fired it, `event` as its hooks see it.
pub(crate) async fn run_plan(
    engine: &EngineState,
    snapshot: &Snapshot,
    written: &Event,
    event: Cow<'_, Event>,
    plan: Plan,
    cancel: &CancellationToken,
) -> Outcome {
    let started = Instant::now();
    let change = reload::judged_change(engine, &event, &plan);
    let context = context(engine, snapshot, &event, &plan, cancel);
    announce(&context, &plan);
    let refusal = context.refusal(plan.runs());
    let mut runs = match &refusal {
        None => context.run_all(plan.runs()).await,
        Some(failure) => context.refuse_all(plan.runs(), failure),
    };
    let verdict = if refusal.is_some() {
        Arc::new(refused(&context, &runs))
    } else if runs.iter().all(|run| is_silent(run)) {
        Outcome::silent_verdict(event.kind())
    } else {
        let entries = runs.iter().filter(|run| !is_silent(run)).map(|run| context.entry(run));
        let mut verdict = fold::fold(event.kind().spec(), engine.fold_options(), entries);
        if let Some(rewrite) = inputs::rewrite(&verdict).cloned() {
            // Boxed: this fires a second time, and most events don't.
            let again = Box::pin(look_again(&context, verdict, rewrite, &mut runs));
            verdict = again.await;
        }
        call_rights::refuse_unenforced(engine, &event, &mut verdict);
        long_text::shorten(&mut verdict, &runs, &engine.files, &event.session.id);
        Arc::new(verdict)
    };
    mark_once(&runs);
    context.emit(|| RunEventKind::Decided { verdict: verdict.clone(), elapsed: started.elapsed() });
    let judged = inputs::judged(&engine.permission_session(), event, &verdict);
    let settlement = inputs::of(&engine.permission_session(), snapshot, written, &judged, &verdict);
    let settlement = settlement.map(|settlement| unless_cancelled(settlement, &judged, &runs));
    let nobody_to_ask = !is_cut_short(&runs)
        && inputs::has_nobody_to_ask(
            &engine.permission_session(),
            snapshot,
            written,
            &judged,
            &verdict,
            settlement.as_ref(),
        );
    let judged = if settlement.is_some() { EffectiveInput::of(judged) } else { EffectiveInput::Nothing };
    let outcome = Outcome { verdict, settlement, nobody_to_ask, judged, runs, plan, change };
    audited(engine, snapshot, written, outcome)
}

/// Returns whether a handler was cancelled before it answered.
fn is_cut_short(runs: &[Arc<Run>]) -> bool {
    runs.iter().any(|run| run.failure == Some(Failure::Cancelled))
}

/// Denies a tool call whose guards were cancelled before they answered: neither a rule nor another hook replaces their
/// answer. On a permission request a person's answer ends the hooks, and counts (D8).
fn unless_cancelled(settlement: Settlement, event: &Event, runs: &[Arc<Run>]) -> Settlement {
    let holds = match settlement {
        Settlement::Denied { .. } | Settlement::Stopped { .. } | Settlement::Deferred => true,
        Settlement::Allowed { .. } | Settlement::Asked { .. } | Settlement::Undecided => false,
    };
    let of_call = event.kind().spec().decision == DecisionModel::Permission;
    let cut_short = runs.iter().find(|run| run.failure == Some(Failure::Cancelled));
    match cut_short.filter(|_| of_call && !holds) {
        Some(run) => Settlement::Denied {
            because: format!(
                "the event was cancelled before the hook `{}` had answered",
                run.handler.place.label
            ),
        },
        None => settlement,
    }
}

/// Plans an event; links are resolved first, so that the plan itself accesses no file.
pub(crate) fn plan_for(engine: &EngineState, snapshot: &Snapshot, event: &Event) -> Plan {
    let facts = Facts::gather(event, &engine.environment, &engine.request.tools);
    let registered = engine.registered.read();
    let parts = std::iter::once(&*snapshot.part).chain(registered.iter().map(|(_, part)| part));
    plan::plan(parts, &snapshot.places, event, &facts)
}

fn announce(context: &HandlerContext<'_>, plan: &Plan) {
    context.emit(|| RunEventKind::Fired { event: Arc::new(context.event.clone()) });
    if context.engine.listeners.any() {
        plan.skipped().for_each(|skipped| context.emit(|| RunEventKind::Skipped(skipped)));
    }
}

/// Returns whether the fold would ignore it: a law of the fold, unless silence is an answer (a worktree's path).
fn is_silent(run: &Run) -> bool {
    run.failure.is_none()
        && run.withheld.is_none()
        && run.reply.is_silent()
        && run.handler.event.spec().decision != DecisionModel::Path
}

/// Returns the verdict on an event whose handlers must not run (H14): a failure that blocks if a failure can (O10),
/// once.
fn refused(context: &HandlerContext<'_>, runs: &[Arc<Run>]) -> Verdict {
    let closed = |run: &Arc<Run>| {
        let mut entry = context.entry(run);
        entry.place.on_failure = OnFailure::Block;
        entry
    };
    fold::fold(context.event.kind().spec(), context.engine.fold_options(), runs.first().map(closed))
}

/// Runs the handlers that match the rewritten input and did not make it; only a deny or an ask of these counts (D9).
async fn look_again(
    context: &HandlerContext<'_>,
    verdict: Verdict,
    rewrite: Attributed<Map<String, Value>>,
    runs: &mut Vec<Arc<Run>>,
) -> Verdict {
    let HandlerContext { engine, snapshot, .. } = *context;
    let tool = context.event.body.tool_call().map_or("", |(tool, _)| tool);
    if let Err(wrong) = engine.tools.check(tool, &rewrite.what) {
        return deny_rewrite(verdict, &rewrite, &wrong);
    }
    let rewritten = tool_input::with_input(context.event, &rewrite.what);
    let rewritten = tool_input::normalize(&rewritten, &engine.tools, engine.environment.home()).into_owned();
    let plan = plan_for(engine, snapshot, &rewritten);
    let mut others = waited_for(&plan);
    others.retain(|run| !made(run, &rewrite, runs));
    let seconds = context.with_event(&rewritten).run_all(&others).await;
    let spec = context.event.kind().spec();
    let entries = seconds.iter().map(|run| context.entry(run));
    let verdict = fold::second_look(spec, engine.fold_options(), verdict, entries);
    runs.extend(seconds);
    verdict
}

/// Runs the handlers of a tool call's event on an input that a hook of another event made: like [`look_again`], without
/// an earlier verdict (D9).
pub(crate) async fn second_look(
    engine: &EngineState,
    snapshot: &Snapshot,
    event: &Event,
    cancel: &CancellationToken,
) -> Outcome {
    let started = Instant::now();
    let written = event;
    let event = tool_input::normalize(event, &engine.tools, engine.environment.home());
    let plan = plan_for(engine, snapshot, &event);
    let context = HandlerContext { second_look: true, ..context(engine, snapshot, &event, &plan, cancel) };
    announce(&context, &plan);
    let others = waited_for(&plan);
    let (runs, mut verdict) = match context.refusal(&others) {
        None => {
            let runs = context.run_all(&others).await;
            let entries = runs.iter().map(|run| context.entry(run));
            let silent = Verdict::silent(event.kind());
            let verdict = fold::second_look(event.kind().spec(), engine.fold_options(), silent, entries);
            (runs, verdict)
        }
        Some(failure) => {
            let runs = context.refuse_all(&others, &failure);
            let verdict = refused(&context, &runs);
            (runs, verdict)
        }
    };
    call_rights::refuse_unenforced(engine, &event, &mut verdict);
    long_text::shorten(&mut verdict, &runs, &engine.files, &event.session.id);
    let verdict = Arc::new(verdict);
    context.emit(|| RunEventKind::Decided { verdict: verdict.clone(), elapsed: started.elapsed() });
    let settlement = inputs::of(&engine.permission_session(), snapshot, written, &event, &verdict);
    let settlement = settlement
        .map(|settlement| inputs::unless_critical(&engine.permission_session(), &event, settlement));
    let settlement = settlement.map(|settlement| unless_cancelled(settlement, &event, &runs));
    let nobody_to_ask = !is_cut_short(&runs)
        && inputs::has_nobody_to_ask(
            &engine.permission_session(),
            snapshot,
            written,
            &event,
            &verdict,
            settlement.as_ref(),
        );
    let judged = if settlement.is_some() { EffectiveInput::of(event) } else { EffectiveInput::Nothing };
    let outcome = Outcome { verdict, settlement, nobody_to_ask, judged, runs, plan, change: None };
    audited(engine, snapshot, written, outcome)
}

/// Returns the planned handlers that the event waits for: background handlers decide nothing, and need not run again
/// (A1).
fn waited_for(plan: &Plan) -> Vec<PlannedRun> {
    plan.runs().iter().filter(|run| run.handler.background == Background::No).cloned().collect()
}

/// Returns whether a handler made this rewrite itself.
fn made(planned: &PlannedRun, rewrite: &Attributed<Map<String, Value>>, runs: &[Arc<Run>]) -> bool {
    runs.iter().any(|run| {
        run.handler.place.position == planned.handler.place.position
            && rewrite_of(&run.reply) == Some(&rewrite.what)
    })
}

/// Returns the input with which a reply replaces the model's.
fn rewrite_of(reply: &Reply) -> Option<&Map<String, Value>> {
    if let Some(Decision::PermissionRequest(RequestDecision::Allow { updated_input, .. })) = &reply.decision {
        return updated_input.as_ref();
    }
    reply.fields.updated_input.as_ref()
}

/// Denies a call whose rewrite breaks the tool's schema, with a reason that blames the rewrite (D9).
fn deny_rewrite(mut verdict: Verdict, rewrite: &Attributed<Map<String, Value>>, wrong: &str) -> Verdict {
    let text = format!(
        "the hook `{}` ({}) rewrote the input of this call into one that the tool does not take: {wrong}. \
         The call as you made it was not at fault",
        rewrite.label, rewrite.source
    );
    let reason = Attributed {
        source: rewrite.source.clone(),
        label: rewrite.label.clone(),
        what: Reason { text, by: DecidedBy::Failure },
    };
    verdict.ruling = match verdict.ruling {
        Ruling::RequestAllow { .. } => Ruling::RequestDeny { reasons: vec![reason], interrupt: false },
        Ruling::None
        | Ruling::Permission { .. }
        | Ruling::Block(_)
        | Ruling::RequestDeny { .. }
        | Ruling::Elicitation { .. }
        | Ruling::Worktree(_)
        | Ruling::WorktreeFailed(_) => {
            Ruling::Permission { decision: PermissionDecision::Deny, reasons: vec![reason] }
        }
    };
    verdict.fields.updated_input = None;
    verdict
}

/// Retires the `once` handlers that have had their successful run (C11); a second look does not count as a run.
fn mark_once(runs: &[Arc<Run>]) {
    // A background hook has not succeeded yet; the registry retires it when it does.
    let has_ended = |run: &&Arc<Run>| !run.has_failed() && !run.second_look && run.background.is_none();
    for run in runs.iter().filter(has_ended) {
        if let Some(Once(done)) = &run.handler.once {
            done.store(true, Ordering::Release);
        }
    }
}

/// Returns the context of an event's handlers under a snapshot.
fn context<'a>(
    engine: &'a EngineState,
    snapshot: &'a Snapshot,
    event: &'a Event,
    plan: &Plan,
    cancel: &'a CancellationToken,
) -> HandlerContext<'a> {
    HandlerContext {
        number: engine.next_firing(),
        event,
        cancel,
        engine,
        snapshot,
        budget: session_end::budget(plan, &engine.environment, &snapshot.places.profile),
        second_look: false,
        is_told: !plan.is_internal(),
        serialized: OnceLock::new(),
        shared: OnceLock::new(),
        mark: OnceLock::new(),
        fire_nested: |engine, snapshot, event, cancel| Box::pin(fire(engine, snapshot, event, cancel)),
    }
}

/// Returns the outcome of an event that no handler and no rule concerns: even then a mode must not remove a critical
/// path.
pub(crate) fn unconfigured(engine: &EngineState, event: &Event) -> Outcome {
    let mut outcome = Outcome::silent(event.kind());
    if let Some(settled) = outcome.settlement.take() {
        outcome.settlement =
            Some(inputs::asked_if_critical(&engine.permission_session(), event, &outcome.verdict, settled));
    }
    outcome
}
