//! The question that every host asks of an outcome: does the action of the event continue?
//!
//! INVARIANT: only an outcome that blocks nothing, asks nothing and stops nothing is [`Decision::Proceed`].

use crate::permission::decide::Settlement;
use crate::report::outcome::Outcome;
use becket_model::table::{DecisionModel, EventSpec, Exit2Effect, OnFailureEffect};
use becket_model::{Failure, Verdict};

/// The next step of a host. Exhaustive, so that a host can't miss a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use = "an event whose decision nobody reads is not guarded"]
pub enum Decision {
    /// The action continues: the call runs, the prompt is sent, the turn ends.
    Proceed,
    /// The action does not continue: hooks or rules block it, or stop the host after the event. [`Outcome::reason`]
    /// says why.
    Block,
    /// The action does not continue yet: a person answers first, or the session is resumed. Without a person to ask,
    /// this is a [`Decision::Block`].
    Wait,
}

impl Decision {
    /// Returns the word in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Decision::Proceed => "proceed",
            Decision::Block => "block",
            Decision::Wait => "wait",
        }
    }
}

impl Outcome {
    /// Returns what the host does next, with everything taken into account: hooks, permission rules, `continue: false`,
    /// deferrals, and guards that were cancelled before they answered.
    ///
    /// Three things are not part of this decision: the input to run with is [`Outcome::judged`], a host that stops
    /// reads [`Verdict::stop`], and context for the model is in the verdict whatever was decided.
    ///
    /// On events that end something (Stop, SubagentStop, TeammateIdle) proceeding means that it ends: a block keeps the
    /// agent working, and `continue: false` wins over a block (L4). PermissionRequest is [`Decision::Wait`] if no hook
    /// has answered, since then a person does.
    pub fn decision(&self) -> Decision {
        let spec = self.verdict.event.spec();
        let blocks = self.verdict.blocks();
        match &self.settlement {
            Some(Settlement::Denied { .. } | Settlement::Stopped { .. }) => Decision::Block,
            // A settlement never weakens a verdict; if it did, the verdict would count.
            Some(_) if blocks => Decision::Block,
            Some(Settlement::Asked { .. } | Settlement::Deferred) => Decision::Wait,
            Some(Settlement::Allowed { .. }) => Decision::Proceed,
            Some(Settlement::Undecided) if spec.decision == DecisionModel::PermissionRequest => {
                Decision::Wait
            }
            Some(Settlement::Undecided) => Decision::Proceed,
            None => of_verdict(spec, &self.verdict, blocks),
        }
    }

    /// Returns the reason: that of the settlement, which may be a rule's, else that of the hooks.
    pub fn reason(&self) -> Option<String> {
        let settled = match &self.settlement {
            Some(
                Settlement::Allowed { because }
                | Settlement::Denied { because }
                | Settlement::Asked { because }
                | Settlement::Stopped { because },
            ) => Some(because.clone()).filter(|text| !text.is_empty()),
            Some(Settlement::Deferred | Settlement::Undecided) | None => None,
        };
        let stop = || self.verdict.stop.as_ref().and_then(|stop| stop.what.reason.clone());
        settled.or_else(|| self.verdict.joined_reason()).or_else(stop)
    }
}

/// Decides for an event that permission rules do not concern.
fn of_verdict(spec: &EventSpec, verdict: &Verdict, blocks: bool) -> Decision {
    let stops = verdict.stop.is_some();
    let guards = spec.on_failure == OnFailureEffect::Block;
    let cut_short = guards && verdict.failures.iter().any(|failure| failure.what == Failure::Cancelled);
    match (blocks, stops) {
        (true | false, true) if ends_something(spec) => Decision::Proceed,
        (true, _) | (_, true) => Decision::Block,
        (false, false) if cut_short => Decision::Block,
        (false, false) if verdict.asks_or_defers() => Decision::Wait,
        (false, false) => Decision::Proceed,
    }
}

/// Returns whether a block makes the agent continue rather than stop.
fn ends_something(spec: &EventSpec) -> bool {
    match spec.exit_2.effect {
        Exit2Effect::ContinueTurn | Exit2Effect::KeepWorking => true,
        Exit2Effect::Proceed
        | Exit2Effect::Ignored
        | Exit2Effect::DenyTool
        | Exit2Effect::RejectPrompt
        | Exit2Effect::BlockExpansion
        | Exit2Effect::Feedback
        | Exit2Effect::StopLoop
        | Exit2Effect::Rollback
        | Exit2Effect::RefuseCompletion
        | Exit2Effect::BlockCompaction
        | Exit2Effect::BlockSwitch
        | Exit2Effect::BlockChange
        | Exit2Effect::FailCreation
        | Exit2Effect::Decline => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_model::fold::{Entry, FoldOptions, fold};
    use becket_model::{Attributed, EventKind, PermissionDecision, Reply, Ruling, Source, Stop};
    use std::sync::Arc;

    fn outcome(verdict: Verdict, settlement: Option<Settlement>) -> Outcome {
        Outcome { verdict: Arc::new(verdict), settlement, ..Outcome::silent(EventKind::PreToolUse) }
    }

    fn entry(reply: Reply, failure: Option<Failure>) -> Entry {
        Entry { place: crate::testing::command("guard").place, reply, failure }
    }

    fn folded(event: EventKind, reply: Reply, failure: Option<Failure>) -> Verdict {
        fold(event.spec(), FoldOptions::default(), [entry(reply, failure)])
    }

    fn stop() -> Reply {
        Reply { stop: Some(Stop { reason: None }), ..Reply::default() }
    }

    #[test]
    fn a_settlement_is_one_of_three() {
        let because = || "r".to_owned();
        for (settlement, decision) in [
            (Settlement::Allowed { because: because() }, Decision::Proceed),
            (Settlement::Undecided, Decision::Proceed),
            (Settlement::Denied { because: because() }, Decision::Block),
            (Settlement::Stopped { because: because() }, Decision::Block),
            (Settlement::Asked { because: because() }, Decision::Wait),
            (Settlement::Deferred, Decision::Wait),
        ] {
            let silent = Verdict::silent(EventKind::PreToolUse);
            assert_eq!(outcome(silent, Some(settlement.clone())).decision(), decision, "{settlement:?}");
        }
    }

    #[test]
    fn no_settlement_passes_what_the_verdict_holds_back() {
        // rules: D1, D6
        let because = || "r".to_owned();
        for reply in [Reply::deny("no"), stop()] {
            for settlement in [
                Settlement::Allowed { because: because() },
                Settlement::Undecided,
                Settlement::Asked { because: because() },
                Settlement::Deferred,
            ] {
                let verdict = folded(EventKind::PreToolUse, reply.clone(), None);
                assert_eq!(outcome(verdict, Some(settlement)).decision(), Decision::Block, "{reply:?}");
            }
        }
    }

    #[test]
    fn a_prompt_that_no_hook_answers_waits_for_a_person() {
        // rule: L1
        let silent = Verdict::silent(EventKind::PermissionRequest);
        assert_eq!(outcome(silent, Some(Settlement::Undecided)).decision(), Decision::Wait);
        assert_eq!(Outcome::silent(EventKind::PermissionRequest).decision(), Decision::Wait);
    }

    #[test]
    fn a_stop_holds_up_every_host_but_one_that_ends_anyway() {
        // rules: D6, L4
        for event in EventKind::ALL {
            let verdict = folded(event, stop(), None);
            let ends = matches!(event, EventKind::Stop | EventKind::SubagentStop | EventKind::TeammateIdle);
            let expected =
                if event.spec().honours.stop && !ends { Decision::Block } else { Decision::Proceed };
            let call = crate::report::outcome::is_about_permission(event);
            let settlement = call.then(|| Settlement::Stopped { because: "r".into() });
            assert_eq!(outcome(verdict, settlement).decision(), expected, "{event}");
        }
        let mut verdict = folded(EventKind::Stop, Reply::block("go on"), None);
        assert_eq!(outcome(verdict.clone(), None).decision(), Decision::Block);
        let reason = Stop { reason: Some("budget".into()) };
        verdict.stop = Some(Attributed { source: Source::User, label: "h".into(), what: reason });
        assert_eq!(outcome(verdict, None).decision(), Decision::Proceed);
    }

    #[test]
    fn a_guard_that_was_cancelled_lets_nothing_pass() {
        // rule: O10
        for event in
            EventKind::ALL.into_iter().filter(|event| !crate::report::outcome::is_about_permission(*event))
        {
            let guards = event.spec().on_failure == OnFailureEffect::Block;
            let cancelled = outcome(folded(event, Reply::default(), Some(Failure::Cancelled)), None);
            assert_eq!(
                cancelled.decision() == Decision::Block,
                guards || event == EventKind::WorktreeCreate,
                "{event}"
            );
            let failed =
                outcome(folded(event, Reply::default(), Some(Failure::Signaled { signal: 9 })), None);
            assert_eq!(failed.decision() == Decision::Block, event == EventKind::WorktreeCreate, "{event}");
        }
    }

    #[test]
    fn an_ask_without_a_settlement_waits() {
        let mut verdict = Verdict::silent(EventKind::PreToolUse);
        for decision in [PermissionDecision::Ask, PermissionDecision::Defer] {
            verdict.ruling = Ruling::Permission { decision, reasons: Vec::new() };
            assert_eq!(outcome(verdict.clone(), None).decision(), Decision::Wait);
        }
    }
}
