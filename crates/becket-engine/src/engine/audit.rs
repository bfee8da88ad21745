//! Records every verdict before the host sees it; an event that a required log can't record is blocked.

use crate::config::AuditMode;
use crate::engine::fire::unconfigured;
use crate::handlers::context::EngineState;
use crate::permission::decide::Settlement;
use crate::plan::snapshot::Snapshot;
use crate::report::audit::{AuditedVerdict, NotRecorded};
use crate::report::outcome::{Outcome, is_about_permission};
use becket_model::fold::{Entry, second_look};
use becket_model::{
    DecidedBy, Decision, Enforcement, Event, HandlerOrigin, OnFailure, Privileges, Reply, Source,
};
use std::sync::Arc;

/// Returns the outcome of an event that no handler and no rule concerns, and records it if verdicts are recorded.
pub(crate) fn unconfigured_event(engine: &EngineState, event: &Event) -> Outcome {
    let outcome = unconfigured(engine, event);
    if !engine.is_audited() {
        return outcome;
    }
    audited(engine, &engine.snapshot(), event, outcome)
}

/// Records an outcome, if the configuration requests it.
pub(crate) fn audited(
    engine: &EngineState,
    snapshot: &Snapshot,
    event: &Event,
    mut outcome: Outcome,
) -> Outcome {
    let setting = &snapshot.config.policy.audit;
    if setting.mode == AuditMode::Off {
        return outcome;
    }
    let recorded = match &engine.host.audit {
        Some(log) => {
            let policy = snapshot.policy_digest();
            log.record(setting, &AuditedVerdict::new(event, &outcome, policy))
        }
        None => Err(NotRecorded("this host keeps no audit log".to_owned())),
    };
    if let Err(NotRecorded(why)) = recorded {
        unrecorded(engine, event, setting.mode, &why, &mut outcome);
    }
    outcome
}

fn unrecorded(engine: &EngineState, event: &Event, mode: AuditMode, why: &str, outcome: &mut Outcome) {
    let reason = format!("the audit log, which managed settings require, can't be written: {why}");
    if mode != AuditMode::Required || !block(engine, event, "audit", &reason, outcome) {
        let mut verdict = (*outcome.verdict).clone();
        verdict.warnings.push(format!("the audit log can't be written: {why}"));
        outcome.verdict = Arc::new(verdict);
    }
}

/// Records that a host blocks an event whose verdict did not. If the log can't record it, nothing changes: the event is
/// blocked.
pub(crate) fn record_host_denial(engine: &EngineState, event: &Event, outcome: &Outcome, reason: &str) {
    if !engine.is_audited() {
        return;
    }
    let mut outcome = outcome.clone();
    if block(engine, event, "host", reason, &mut outcome) {
        let _recorded = audited(engine, &engine.snapshot(), event, outcome);
    }
}

/// Blocks an event; returns false if it can't be blocked.
fn block(engine: &EngineState, event: &Event, label: &str, reason: &str, outcome: &mut Outcome) -> bool {
    let spec = event.kind().spec();
    let Some(decision) = Decision::block(spec, reason.to_owned(), DecidedBy::Failure) else { return false };
    let place = HandlerOrigin {
        position: u64::MAX,
        source: Source::Policy,
        label: label.into(),
        privileges: Privileges::Full,
        on_failure: OnFailure::Block,
        enforcement: Enforcement::Enforce,
    };
    let entry = Entry { place, reply: Reply { decision: Some(decision), ..Reply::default() }, failure: None };
    let verdict = (*outcome.verdict).clone();
    outcome.verdict = Arc::new(second_look(spec, engine.fold_options(), verdict, [entry]));
    if is_about_permission(event.kind()) && !matches!(outcome.settlement, Some(Settlement::Stopped { .. })) {
        outcome.settlement = Some(Settlement::Denied { because: reason.to_owned() });
        outcome.nobody_to_ask = false;
    }
    true
}
