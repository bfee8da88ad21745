//! Every verdict is recorded before the host sees it; one that a required log can't take is blocked.

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

/// The outcome of an event that no handler and no rule concerns, recorded where verdicts are.
pub(crate) fn unconfigured_event(engine: &EngineState, event: &Event) -> Outcome {
    let outcome = unconfigured(engine, event);
    if !engine.is_audited() {
        return outcome;
    }
    audited(engine, &engine.snapshot(), event, outcome)
}

/// Records an outcome, if the configuration wants it.
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
    let spec = event.kind().spec();
    let reason = format!("the audit log, which managed settings require, can't be written: {why}");
    let decision =
        Decision::block(spec, reason.clone(), DecidedBy::Failure).filter(|_| mode == AuditMode::Required);
    let mut verdict = (*outcome.verdict).clone();
    let Some(decision) = decision else {
        verdict.warnings.push(format!("the audit log can't be written: {why}"));
        outcome.verdict = Arc::new(verdict);
        return;
    };
    let place = HandlerOrigin {
        position: u64::MAX,
        source: Source::Policy,
        label: "audit".into(),
        privileges: Privileges::Full,
        on_failure: OnFailure::Block,
        enforcement: Enforcement::Enforce,
    };
    let entry = Entry { place, reply: Reply { decision: Some(decision), ..Reply::default() }, failure: None };
    outcome.verdict = Arc::new(second_look(spec, engine.fold_options(), verdict, [entry]));
    if is_about_permission(event.kind()) && !matches!(outcome.settlement, Some(Settlement::Stopped { .. })) {
        outcome.settlement = Some(Settlement::Denied { because: reason });
        outcome.nobody_to_ask = false;
    }
}
