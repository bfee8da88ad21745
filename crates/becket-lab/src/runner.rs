//! Runs cases: a throw-away project, an engine with the configuration as it is, and the events of the case, one after the
//! other.

mod record;
mod stage;

pub use record::{CaseError, CaseRecord, CaseResult, RecordedRun, StepRecord};

use crate::breakage::Breakage;
use crate::case::{Case, Step};
use crate::check;
use crate::handler_key::HandlerKey;
use crate::handler_name;
use crate::owned_directory::remove_left_over;
use crate::project::{self, ProjectError, ProjectTemplate, ThrowAwayProject};
use crate::samples;
use becket_engine::handler::Handler;
use becket_engine::{Builder, CancellationToken, Engine, Environment, LoadedConfig};
use becket_model::wire::input;
use becket_model::{Event, EventKind};
use serde_json::Value;
use stage::Stage;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The configuration that is tested.
pub struct Subject {
    /// The root of the project, absolute and without links.
    pub root: std::path::PathBuf,
    /// The name of the project's settings directory.
    pub settings: String,
    /// The surroundings of its sessions.
    pub environment: Environment,
    /// Returns the builder of an engine for a project in another directory, under other surroundings.
    pub builder: EngineSource,
}

/// A function that returns the builder of an engine for a project under surroundings.
pub type EngineSource = Box<dyn Fn(&Path, Environment) -> Builder + Send + Sync>;

/// A runner for the cases of one configuration.
pub struct Runner {
    subject: Subject,
    template: ProjectTemplate,
    cancel: CancellationToken,
}

/// One run of a case, in a project and perhaps with a broken handler.
pub(crate) struct Attempt<'a> {
    pub(crate) case: &'a Arc<Case>,
    pub(crate) project: &'a ThrowAwayProject,
    /// The runs of the control that replace processes; `None` to start them.
    pub(crate) replayed: Option<Arc<Vec<RecordedRun>>>,
    pub(crate) breakage: Option<Breakage>,
    /// The configuration as the control read it; `None` to read it.
    pub(crate) config: Option<&'a LoadedConfig>,
    /// The handlers as they are configured, to which names in the case refer; `None` for those of the engine.
    pub(crate) handlers: Option<&'a HandlersByEvent>,
}

/// The handlers of a configuration.
pub(crate) type HandlersByEvent = dyn Fn(EventKind) -> Vec<Arc<Handler>> + Send + Sync;

/// The steps of an attempt, and the runs of handlers in it.
pub(crate) struct Attempted {
    pub(crate) steps: Vec<StepRecord>,
    pub(crate) runs: Vec<RecordedRun>,
    /// Set if the configuration has deny or ask rules.
    pub(crate) has_restricting_rules: bool,
}

impl Runner {
    /// Prepares to run cases of a configuration until `cancel` is cancelled.
    ///
    /// # Errors
    /// Errors if the project is too large to be copied.
    pub fn new(subject: Subject, cancel: CancellationToken) -> Result<Self, ProjectError> {
        let template = ProjectTemplate::scan(&subject.root, &subject.settings)?;
        remove_left_over(project::PREFIX, &subject.environment.temp());
        Ok(Runner { subject, template, cancel })
    }

    /// Returns the configuration that is tested.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Returns whether the runs are to be ended.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Loads the configuration of the project itself, for plans.
    ///
    /// # Errors
    /// Errors if no session starts with it.
    pub fn engine(&self) -> Result<Engine, CaseError> {
        let builder = (self.subject.builder)(&self.subject.root, self.subject.environment.clone());
        builder.build().map_err(|error| CaseError::Start { why: error.why })
    }

    /// Runs a case.
    pub async fn run(&self, case: &Arc<Case>) -> CaseRecord {
        let started = Instant::now();
        let mut record = CaseRecord::new(case.clone());
        record.result = match self.control(case, &mut record).await {
            Ok(result) => result,
            Err(error) => CaseResult::Error(error),
        };
        record.elapsed = started.elapsed();
        record
    }

    async fn control(&self, case: &Arc<Case>, record: &mut CaseRecord) -> Result<CaseResult, CaseError> {
        let environment = &self.subject.environment;
        let project = ThrowAwayProject::create(&self.template, case, environment, &self.cancel).await?;
        let before = project.contents().ok();
        let attempt =
            Attempt { case, project: &project, replayed: None, breakage: None, config: None, handlers: None };
        let attempted = self.attempt(&attempt).await?;
        // A project that can't be compared counts as changed.
        let writes_itself = case.steps.iter().any(|step| !step.files.is_empty());
        record.changes_files = writes_itself || before.is_none() || before != project.contents().ok();
        let mismatches: Vec<_> = attempted.steps.iter().flat_map(|step| step.mismatches.clone()).collect();
        selects_something(case, &attempted.steps, attempted.has_restricting_rules)?;
        record.steps = attempted.steps;
        record.runs = Arc::new(attempted.runs);
        record.project = Some(project);
        if self.cancel.is_cancelled() {
            return Err(CaseError::Cancelled);
        }
        if !mismatches.is_empty() {
            return Ok(CaseResult::Failed(mismatches));
        }
        match case.steps.iter().all(|step| step.want.is_empty()) {
            true => Err(CaseError::ExpectsNothing),
            false => Ok(CaseResult::Passed),
        }
    }

    /// Recreates the project of a case.
    pub(crate) async fn restore(&self, case: &Case, project: &ThrowAwayProject) -> Result<(), CaseError> {
        let environment = &self.subject.environment;
        Ok(project.restore(&self.template, case, environment, &self.cancel).await?)
    }

    /// Runs the events of a case.
    pub(crate) async fn attempt(&self, attempt: &Attempt<'_>) -> Result<Attempted, CaseError> {
        let Attempt { case, project, .. } = attempt;
        let stage = Arc::new(Stage::new(attempt.replayed.clone(), attempt.breakage.clone()));
        let engine = self.engine_for(attempt, &stage)?;
        stage.give(replies(case, &engine)?);
        let mut steps = Vec::with_capacity(case.steps.len());
        for step in &case.steps {
            project.write(&step.files)?;
            let event = event(step, project.root(), &self.subject.environment)?;
            let started = Instant::now();
            let outcome = engine.fire_until(&event, &self.cancel).await;
            let elapsed = started.elapsed();
            if let Some(refused) = stage.refused() {
                return Err(refused);
            }
            let handlers = match attempt.handlers {
                Some(handlers) => handlers(step.event),
                None => engine.host().hooks().of(step.event).to_vec(),
            };
            let seen = check::StepOutcome { outcome: &outcome, elapsed, root: project.root() };
            let mismatches = check::compare(step, &handlers, &seen)?;
            steps.push(StepRecord { event, outcome, elapsed, mismatches });
        }
        let has_restricting_rules = engine.host().has_restricting_rules();
        engine.close().await;
        Ok(Attempted { steps, runs: stage.into_runs(), has_restricting_rules })
    }

    /// Loads the configuration of a case in its project.
    pub(crate) fn load(&self, case: &Case, project: &ThrowAwayProject) -> Result<LoadedConfig, CaseError> {
        self.builder(case, project).load().map_err(|error| CaseError::Start { why: error.why })
    }

    fn engine_for(&self, attempt: &Attempt<'_>, stage: &Arc<Stage>) -> Result<Engine, CaseError> {
        let mut builder = self.builder(attempt.case, attempt.project).intercept(stage.clone());
        if let Some(breakage) = attempt.breakage.clone() {
            builder = builder.amend_hooks(move |handler| breakage.amend(handler));
        }
        match attempt.config {
            Some(config) => Ok(builder.build_with(config)),
            None => builder.build().map_err(|error| CaseError::Start { why: error.why }),
        }
    }

    fn builder(&self, case: &Case, project: &ThrowAwayProject) -> Builder {
        let mut environment = self.subject.environment.clone();
        for (name, value) in &case.environment {
            environment = environment.with_var(name, value);
        }
        (self.subject.builder)(project.root(), environment)
    }
}

/// Errors if no step of a case selects a hook or names one that must not run: it would test nothing. A call that is
/// expected to pass tests the deny and ask rules.
fn selects_something(case: &Case, steps: &[StepRecord], has_rules: bool) -> Result<(), CaseError> {
    let tests_rules = |step: &Step, record: &StepRecord| {
        has_rules && record.event.body.tool_call().is_some() && step.want.decision.as_deref() == Some("pass")
    };
    let is_idle = |(step, record): (&Step, &StepRecord)| {
        record.outcome.plan.runs().is_empty()
            && step.want.skipped.is_empty()
            && is_undecided(record)
            && !tests_rules(step, record)
    };
    let mut steps = case.steps.iter().zip(steps);
    if !steps.clone().all(is_idle) {
        return Ok(());
    }
    let Some((step, record)) = steps.next() else { return Ok(()) };
    let subject = record.event.body.subject().map(str::to_owned);
    let why = record
        .outcome
        .plan
        .skipped()
        .map(|skipped| format!("`{}`: {skipped}", handler_name::short(&skipped.handler)));
    Err(CaseError::SelectsNothing { event: step.event.name(), subject, why: why.collect() })
}

/// Returns whether no permission rule decides the event either.
fn is_undecided(record: &StepRecord) -> bool {
    matches!(record.outcome.settlement, None | Some(becket_engine::Settlement::Undecided))
}

/// Returns the replies that the case gives for handlers.
fn replies(case: &Case, engine: &Engine) -> Result<Vec<(HandlerKey, becket_engine::RunEnd)>, CaseError> {
    let hooks = engine.host().hooks();
    let mut found = Vec::new();
    for reply in &case.replies {
        let meant: Vec<_> =
            hooks.all().filter(|handler| handler_name::refers_to(&reply.handler, handler)).collect();
        if meant.is_empty() {
            return Err(CaseError::UnknownReply { handler: reply.handler.clone() });
        }
        let end = becket_engine::RunEnd::exited(reply.exit, reply.stdout.clone(), reply.stderr.clone());
        found.extend(meant.into_iter().map(|handler| (HandlerKey::of(handler), end.clone())));
    }
    Ok(found)
}

/// Returns the event of a step in a project.
pub(crate) fn event(step: &Step, root: &Path, environment: &Environment) -> Result<Event, CaseError> {
    let mut fields = step.input.clone();
    samples::fill(&mut fields, step.event.spec(), root, &environment.temp());
    let with_root = |text: &str| text.replace(ROOT, &root.to_string_lossy());
    let value = placed(Value::Object(fields), &with_root);
    input::from_value(value)
        .map_err(|error| CaseError::Input { event: step.event.name(), why: error.to_string() })
}

/// The placeholder for the root of the throw-away project in inputs.
const ROOT: &str = "${PROJECT}";

/// Replaces every text in a value.
fn placed(value: Value, with_root: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(with_root(&text)),
        Value::Array(values) => values.into_iter().map(|value| placed(value, with_root)).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, placed(value, with_root))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}
