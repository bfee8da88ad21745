//! A plan, as `explain` shows it.

use super::hook::{Hook, SkippedHook};
use becket_engine::hookset::HookSet;
use becket_engine::{Engine, Plan, PlannedRun, Settlement};
use becket_model::Event;
use schemars::JsonSchema;
use serde::Serialize;

/// The hooks that an event would run, and the reasons why others would not.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PlanReport {
    /// The event.
    pub event: &'static str,
    /// The value that matchers were tested against.
    pub subject: Option<String>,
    /// Required input fields that were not given.
    pub samples: Vec<&'static str>,
    /// The hooks that run, in order of listing; all of them at the same time.
    pub runs: Vec<PlannedHook>,
    /// The hooks that do not run.
    pub skipped: Vec<SkippedHook>,
    /// Modules of in-process hooks that plugins bring, which are not run here and may have hooks of the event.
    pub modules: Vec<SkippedHook>,
    /// The result of the call if all hooks are silent; `None` if no rule decides either.
    pub rules: Option<WithoutHooks>,
}

/// The decision of permission rules on a call.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct WithoutHooks {
    /// `allowed`, `denied` or `asked`.
    pub settlement: &'static str,
    /// The rule and why it applies.
    pub reason: String,
}

/// The hooks that an event would run.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Runs {
    /// The event.
    pub event: &'static str,
    /// The hooks that run, in order of listing; all of them at the same time.
    pub runs: Vec<PlannedHook>,
}

impl Runs {
    /// Converts a plan.
    pub fn new(plan: &Plan) -> Self {
        Runs { event: plan.event().name(), runs: plan.runs().iter().map(PlannedHook::from).collect() }
    }
}

/// A handler that runs.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PlannedHook {
    /// The handler.
    #[serde(flatten)]
    pub hook: Hook,
    /// Its matcher as written; empty if it matches everything.
    pub matcher: String,
    /// Its time limit in seconds.
    pub timeout_s: f64,
    /// Its mode in observation, with its end: `observe until 2026-12-31`.
    pub mode: Option<String>,
    /// The result of its `if`.
    pub note: Option<String>,
    /// The reason why it can only fail, if that is known already.
    pub fails: Option<String>,
}

impl PlanReport {
    /// Converts a plan.
    pub fn new(plan: &Plan, subject: Option<&str>, samples: Vec<&'static str>) -> Self {
        PlanReport {
            event: plan.event().name(),
            subject: subject.map(str::to_owned),
            samples,
            runs: plan.runs().iter().map(PlannedHook::from).collect(),
            skipped: dropped(plan),
            modules: Vec::new(),
            rules: None,
        }
    }

    /// Plans an event, and adds the modules that are not run and the decision of permission rules. `samples` are the required
    /// fields that were not given.
    pub fn explain(engine: &Engine, event: &Event, samples: Vec<&'static str>) -> Self {
        let host = engine.host();
        PlanReport::new(&engine.plan(event), event.body.subject(), samples)
            .with_modules(&host.hooks())
            .with_rules(host.settled_without_hooks(event).as_ref())
    }

    /// Adds the decision of permission rules on the call.
    #[must_use]
    fn with_rules(mut self, settled: Option<&Settlement>) -> Self {
        self.rules = settled.and_then(|settled| {
            let reason = reason_of(settled)?.to_owned();
            Some(WithoutHooks { settlement: settled.as_str(), reason })
        });
        self
    }

    /// Adds the modules that are not run.
    #[must_use]
    fn with_modules(mut self, hooks: &HookSet) -> Self {
        self.modules = hooks.modules().iter().map(SkippedHook::from).collect();
        self
    }
}

/// Returns everything that is configured for the event and does not run.
pub fn dropped(plan: &Plan) -> Vec<SkippedHook> {
    plan.skipped()
        .map(|skipped| SkippedHook::from(&skipped))
        .chain(plan.rejected().map(SkippedHook::from))
        .collect()
}

fn reason_of(settled: &Settlement) -> Option<&str> {
    match settled {
        Settlement::Allowed { because }
        | Settlement::Denied { because }
        | Settlement::Asked { because }
        | Settlement::Stopped { because } => Some(because),
        Settlement::Deferred | Settlement::Undecided => None,
    }
}

impl From<&PlannedRun> for PlannedHook {
    fn from(run: &PlannedRun) -> Self {
        PlannedHook {
            hook: Hook::from(&*run.handler),
            matcher: run.handler.matcher.text().to_owned(),
            timeout_s: run.handler.timeout.limit.as_secs_f64(),
            mode: super::hook::mode(&run.handler),
            note: run.note.clone(),
            fails: run.fails.map(str::to_owned),
        }
    }
}
