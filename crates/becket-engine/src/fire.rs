//! The way of one event: plan, dispatch, fold, a second look at what was rewritten, settlement.

use crate::dispatch::Firing;
use crate::engine::Inner;
use crate::facts::Facts;
use crate::handler::{Background, Once};
use crate::long_text;
use crate::outcome::{Judged, Outcome, Run};
use crate::plan::{self, Plan, PlannedRun};
use crate::run_event::What;
use crate::settle::Settlement;
use crate::settlement;
use crate::snapshot::Snapshot;
use crate::tool_input;
use becket_model::fold;
use becket_model::table::DecisionModel;
use becket_model::{
    DecidedBy, Decision, Event, Failure, OnFailure, PermissionDecision, Reason, Reply, RequestDecision,
    Ruling, Said, Verdict,
};
use becket_process::CancellationToken;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Fires an event that has handlers.
pub(crate) async fn fire(
    inner: &Inner,
    snapshot: &Snapshot,
    event: &Event,
    cancel: &CancellationToken,
) -> Outcome {
    let normal = tool_input::normal(event, &*inner.tools, inner.environment.home());
    let plan = plan_for(inner, snapshot, &normal);
    run_plan(inner, snapshot, (event, normal), plan, cancel).await
}

/// Runs what was planned for an event, which comes as it was given and as its hooks see it.
pub(crate) async fn run_plan(
    inner: &Inner,
    snapshot: &Snapshot,
    (written, event): (&Event, Cow<'_, Event>),
    plan: Plan,
    cancel: &CancellationToken,
) -> Outcome {
    let started = Instant::now();
    let firing = inner.firing(snapshot, &event, &plan, cancel);
    announce(&firing, &plan);
    let refusal = firing.refusal(plan.runs());
    let mut runs = match &refusal {
        None => firing.run_all(plan.runs()).await,
        Some(failure) => firing.refuse_all(plan.runs(), failure),
    };
    let verdict = if refusal.is_some() {
        Arc::new(refused(&firing, &runs))
    } else if runs.iter().all(|run| is_silent(run)) {
        Outcome::silent_verdict(event.kind())
    } else {
        let entries = runs.iter().filter(|run| !is_silent(run)).map(|run| firing.entry(run));
        let mut verdict = fold::fold(event.kind().spec(), inner.fold_options(), entries);
        if let Some(rewrite) = settlement::rewrite(&verdict).cloned() {
            // Boxed: it fires a second time, and most events don't.
            let again = Box::pin(look_again(&firing, (verdict, rewrite), &mut runs));
            verdict = again.await;
        }
        long_text::shorten(&mut verdict, &runs, (&inner.files, &event.session.id));
        Arc::new(verdict)
    };
    mark_once(&runs);
    firing.emit(|| What::Decided { verdict: verdict.clone(), elapsed: started.elapsed() });
    let judged = settlement::judged(inner, event, &verdict);
    let settlement = settlement::of(inner, snapshot, (written, &judged), &verdict);
    let settlement = settlement.map(|settlement| unless_cancelled(settlement, &judged, &runs));
    let said = (&*verdict, settlement.as_ref());
    let nobody_to_ask =
        !is_cut_short(&runs) && settlement::has_nobody_to_ask(inner, snapshot, (written, &judged), said);
    let judged = if settlement.is_some() { Judged::of(judged) } else { Judged::Nothing };
    Outcome { verdict, settlement, nobody_to_ask, judged, runs, plan }
}

/// Whether a handler was cancelled before it answered.
fn is_cut_short(runs: &[Arc<Run>]) -> bool {
    runs.iter().any(|run| run.failure == Some(Failure::Cancelled))
}

/// A tool call whose guards were cancelled before they answered does not run: neither a rule nor another hook speaks for
/// them. Of a permission request a person's answer ends the hooks, and counts (D8).
fn unless_cancelled(settlement: Settlement, event: &Event, runs: &[Arc<Run>]) -> Settlement {
    let holds = match settlement {
        Settlement::Denied { .. } | Settlement::Stopped { .. } | Settlement::Deferred => true,
        Settlement::Allowed { .. } | Settlement::Asked { .. } | Settlement::Open => false,
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

/// Plans an event; links are resolved before, so that the plan itself looks nothing up.
pub(crate) fn plan_for(inner: &Inner, snapshot: &Snapshot, event: &Event) -> Plan {
    let facts = Facts::gather(event, inner.environment.home(), &inner.request.tools);
    let registered = inner.registered.read();
    let parts = std::iter::once(&*snapshot.part).chain(registered.iter().map(|(_, part)| part));
    plan::plan(parts, &snapshot.places, event, &facts)
}

fn announce(firing: &Firing<'_>, plan: &Plan) {
    firing.emit(|| What::Fired { event: Arc::new(firing.event.clone()) });
    if firing.inner.listeners.any() {
        plan.skipped().for_each(|skipped| firing.emit(|| What::Skipped(skipped)));
    }
}

/// Whether the fold would not notice it: a law of the fold, except where silence is an answer (a worktree's path).
fn is_silent(run: &Run) -> bool {
    run.failure.is_none() && run.reply.is_silent() && run.handler.event.spec().decision != DecisionModel::Path
}

/// The verdict on an event whose handlers must not run (H14): a failure that blocks where a failure can (O10), told once.
fn refused(firing: &Firing<'_>, runs: &[Arc<Run>]) -> Verdict {
    let closed = |run: &Arc<Run>| {
        let mut entry = firing.entry(run);
        entry.place.on_failure = OnFailure::Block;
        entry
    };
    fold::fold(firing.event.kind().spec(), firing.inner.fold_options(), runs.first().map(closed))
}

/// Runs the handlers that match the rewritten input and did not make it; only a deny or an ask of theirs counts (D9).
async fn look_again(
    firing: &Firing<'_>,
    (verdict, rewrite): (Verdict, Said<Map<String, Value>>),
    runs: &mut Vec<Arc<Run>>,
) -> Verdict {
    let Firing { inner, snapshot, .. } = *firing;
    let tool = firing.event.body.tool_call().map_or("", |(tool, _)| tool);
    if let Err(wrong) = inner.tools.validate(tool, &rewrite.what) {
        return deny_rewrite(verdict, &rewrite, &wrong);
    }
    let rewritten = tool_input::with_input(firing.event, &rewrite.what);
    let rewritten = tool_input::normal(&rewritten, &*inner.tools, inner.environment.home()).into_owned();
    let plan = plan_for(inner, snapshot, &rewritten);
    let mut others = waited_for(&plan);
    others.retain(|run| !made(run, &rewrite, runs));
    let seconds = firing.again(&rewritten).run_all(&others).await;
    let spec = firing.event.kind().spec();
    let entries = seconds.iter().map(|run| firing.entry(run));
    let verdict = fold::second_look(spec, inner.fold_options(), verdict, entries);
    runs.extend(seconds);
    verdict
}

/// The handlers of a tool call's event on an input that a hook of another event made: as [`look_again`], with nothing
/// said before (D9).
pub(crate) async fn second_look(
    inner: &Inner,
    snapshot: &Snapshot,
    event: &Event,
    cancel: &CancellationToken,
) -> Outcome {
    let started = Instant::now();
    let written = event;
    let event = tool_input::normal(event, &*inner.tools, inner.environment.home());
    let plan = plan_for(inner, snapshot, &event);
    let firing = Firing { second_look: true, ..inner.firing(snapshot, &event, &plan, cancel) };
    announce(&firing, &plan);
    let others = waited_for(&plan);
    let (runs, mut verdict) = match firing.refusal(&others) {
        None => {
            let runs = firing.run_all(&others).await;
            let entries = runs.iter().map(|run| firing.entry(run));
            let silent = Verdict::silent(event.kind());
            let verdict = fold::second_look(event.kind().spec(), inner.fold_options(), silent, entries);
            (runs, verdict)
        }
        Some(failure) => {
            let runs = firing.refuse_all(&others, &failure);
            let verdict = refused(&firing, &runs);
            (runs, verdict)
        }
    };
    long_text::shorten(&mut verdict, &runs, (&inner.files, &event.session.id));
    let verdict = Arc::new(verdict);
    firing.emit(|| What::Decided { verdict: verdict.clone(), elapsed: started.elapsed() });
    let settlement = settlement::of(inner, snapshot, (written, &event), &verdict);
    let settlement = settlement.map(|settlement| settlement::unless_critical(inner, &event, settlement));
    let settlement = settlement.map(|settlement| unless_cancelled(settlement, &event, &runs));
    let said = (&*verdict, settlement.as_ref());
    let nobody_to_ask =
        !is_cut_short(&runs) && settlement::has_nobody_to_ask(inner, snapshot, (written, &event), said);
    let judged = if settlement.is_some() { Judged::of(event) } else { Judged::Nothing };
    Outcome { verdict, settlement, nobody_to_ask, judged, runs, plan }
}

/// What is planned, but what goes to the background: that decides nothing, and need not look again (A1).
fn waited_for(plan: &Plan) -> Vec<PlannedRun> {
    plan.runs().iter().filter(|run| run.handler.background == Background::No).cloned().collect()
}

/// Whether the handler answered with this very rewrite.
fn made(planned: &PlannedRun, rewrite: &Said<Map<String, Value>>, runs: &[Arc<Run>]) -> bool {
    runs.iter().any(|run| {
        run.handler.place.position == planned.handler.place.position
            && rewrite_of(&run.reply) == Some(&rewrite.what)
    })
}

/// The input that a reply puts in the place of the model's.
fn rewrite_of(reply: &Reply) -> Option<&Map<String, Value>> {
    if let Some(Decision::PermissionRequest(RequestDecision::Allow { updated_input, .. })) = &reply.decision {
        return updated_input.as_ref();
    }
    reply.fields.updated_input.as_ref()
}

/// A rewrite that breaks the tool's schema denies the call, and says that the rewrite was at fault (D9).
fn deny_rewrite(mut verdict: Verdict, rewrite: &Said<Map<String, Value>>, wrong: &str) -> Verdict {
    let text = format!(
        "the hook `{}` ({}) rewrote the input of this call into one that the tool does not take: {wrong}. \
         The call as you made it was not at fault",
        rewrite.label, rewrite.source
    );
    let reason = Said {
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
    // What goes on in the background has not ended well yet; the registry retires it when it does.
    let has_ended = |run: &&Arc<Run>| run.failure.is_none() && !run.second_look && run.background.is_none();
    for run in runs.iter().filter(has_ended) {
        if let Some(Once(done)) = &run.handler.once {
            done.store(true, Ordering::Release);
        }
    }
}
