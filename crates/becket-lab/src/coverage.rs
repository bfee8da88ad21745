//! The coverage of a configuration: the results of cases for each handler, matcher and `if`.

use crate::case::Step;
use crate::check;
use crate::handler_key::HandlerKey;
use crate::handler_name;
use crate::runner::{CaseRecord, StepRecord};
use crate::suite::scripts;
use becket_base::text_file;
use becket_engine::handler::{Handler, If, Location};
use becket_engine::hookset::HookSet;
use becket_engine::{Run, SkipReason};
use becket_model::{DecidedBy, Decision, EventKind, OnFailure};
use becket_rules::{MatcherKind, Verdict};
use std::path::Path;
use std::sync::Arc;

/// The coverage of one handler, with counts of its runs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandlerCoverage {
    /// The handler.
    pub handler: HandlerKey,
    /// Its short name.
    pub name: String,
    /// Its place in the configuration.
    pub location: Location,
    /// Its runs.
    pub ran: usize,
    /// Runs without a decision or an error.
    pub passed: usize,
    /// Runs that denied or blocked.
    pub denied: usize,
    /// Runs that asked for an approval.
    pub asked: usize,
    /// Runs that replaced an input or an output.
    pub rewrote: usize,
    /// Runs that failed.
    pub failed: usize,
    /// The names of its matcher, or the whole expression, and whether a value matched each.
    pub alternatives: Vec<MatcherAlternative>,
    /// Its `if`.
    pub condition: Option<ConditionCoverage>,
    /// Set if it is meant to deny or block: it fails closed, or its text or a case says so.
    pub is_guard: bool,
}

/// One alternative of a matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatcherAlternative {
    /// Its text.
    pub text: String,
    /// Set if an event of a case matched it.
    pub matched: bool,
}

/// The observed results of an `if`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConditionCoverage {
    /// It let the handler run.
    pub matched: bool,
    /// It kept the handler from running.
    pub unmatched: bool,
}

impl HandlerCoverage {
    /// Returns whether it is a guard that did not deny or ask in any case.
    pub fn is_unproven_guard(&self) -> bool {
        self.is_guard && self.denied == 0 && self.asked == 0
    }
}

/// Counts the results of the cases for each handler; `root` is that of the project.
pub fn of(hooks: &HookSet, records: &[CaseRecord], root: &Path) -> Vec<HandlerCoverage> {
    let steps: Vec<&StepRecord> = records.iter().flat_map(|record| &record.steps).collect();
    let expected: Vec<&Step> = records.iter().flat_map(|record| &record.case.steps).collect();
    hooks
        .all()
        .map(|handler| {
            let coverage = of_handler(handler, &steps, root);
            let is_guard = coverage.is_guard || is_expected_to_hold_back(handler, &expected);
            HandlerCoverage { is_guard, ..coverage }
        })
        .collect()
}

fn of_handler(handler: &Arc<Handler>, steps: &[&StepRecord], root: &Path) -> HandlerCoverage {
    let key = HandlerKey::of(handler);
    let mut coverage = HandlerCoverage {
        handler: key,
        name: handler_name::short(handler),
        location: handler.location.clone(),
        ran: 0,
        passed: 0,
        denied: 0,
        asked: 0,
        rewrote: 0,
        failed: 0,
        alternatives: alternatives(handler, steps),
        condition: condition(handler, steps),
        is_guard: is_guard(handler, root),
    };
    let runs = steps.iter().flat_map(|step| &step.outcome.runs);
    for run in runs.filter(|run| HandlerKey::of(&run.handler) == key) {
        coverage.count(run);
    }
    coverage
}

impl HandlerCoverage {
    fn count(&mut self, run: &Run) {
        self.ran += 1;
        if run.failure.is_some() {
            self.failed += 1;
            return;
        }
        let fields = &run.reply.fields;
        let rewrites = fields.updated_input.is_some()
            || fields.updated_tool_output.is_some()
            || fields.updated_mcp_tool_output.is_some();
        match check::decided_by(&run.reply) {
            Some("deny" | "block" | "stop" | "decline" | "cancel") => self.denied += 1,
            Some("ask" | "defer") => self.asked += 1,
            Some(_) | None if rewrites => self.rewrote += 1,
            Some(_) | None => self.passed += 1,
        }
    }
}

fn alternatives(handler: &Handler, steps: &[&StepRecord]) -> Vec<MatcherAlternative> {
    let subjects: Vec<&str> = steps
        .iter()
        .filter(|step| step.event.kind() == handler.event)
        .filter_map(|step| step.event.body.subject())
        .collect();
    let of_expression = |text: &str| MatcherAlternative {
        text: text.to_owned(),
        matched: subjects.iter().any(|subject| handler.matcher.judge(subject) == Verdict::Match),
    };
    match handler.matcher.kind() {
        MatcherKind::Everything => Vec::new(),
        MatcherKind::Expression(text) => vec![of_expression(text)],
        MatcherKind::Names(names) => names
            .iter()
            .map(|name| MatcherAlternative { text: name.clone(), matched: subjects.contains(&name.as_str()) })
            .collect(),
    }
}

fn condition(handler: &Handler, steps: &[&StepRecord]) -> Option<ConditionCoverage> {
    let If::Rule(_) = &handler.condition else { return None };
    let key = HandlerKey::of(handler);
    let mut seen = ConditionCoverage { matched: false, unmatched: false };
    for step in steps {
        let plan = &step.outcome.plan;
        seen.matched |= plan.runs().iter().any(|run| HandlerKey::of(&run.handler) == key);
        seen.unmatched |= plan.skipped().any(|skipped| {
            HandlerKey::of(&skipped.handler) == key && matches!(skipped.why, SkipReason::If { .. })
        });
    }
    Some(seen)
}

/// Returns whether hooks of the event can deny or block.
pub(crate) fn can_hold_back(event: EventKind) -> bool {
    Decision::block(event.spec(), String::new(), DecidedBy::Answer).is_some()
}

/// Returns whether a case expects the handler to deny or block.
fn is_expected_to_hold_back(handler: &Handler, steps: &[&Step]) -> bool {
    let expects = |step: &&Step| {
        let holds_back = matches!(step.want.decision.as_deref(), Some("deny" | "block" | "ask"));
        let by = step.want.by.as_ref().filter(|_| holds_back && step.event == handler.event);
        by.is_some_and(|name| handler_name::refers_to(name, handler))
    };
    steps.iter().any(expects)
}

/// The texts with which a hook denies or blocks, in any language.
const DENIALS: [&str; 6] = ["\"deny\"", "'deny'", "\"block\"", "'block'", "exit 2", "exit(2)"];

/// Returns whether a handler is meant to deny or block: it fails closed, or its command or its file says so.
fn is_guard(handler: &Handler, root: &Path) -> bool {
    if !can_hold_back(handler.event) {
        return false;
    }
    let says_so = |text: &str| DENIALS.iter().any(|denial| text.contains(denial));
    let file_says_so = |path: &std::path::PathBuf| text_file::read(path).is_ok_and(|text| says_so(&text));
    handler.place.on_failure == OnFailure::Block
        || says_so(&handler_name::words(handler).join(" "))
        || scripts(handler, root).iter().any(file_says_so)
}
