//! Mutation tests: a handler is broken in one way after another, and the cases must notice.
//!
//! A mutant counts as killed only after a control: the same case without the mutant, run in the same way, has passed. Most
//! mutants start no process: the answers of the control are replayed, and that of the broken handler is changed before it
//! is folded.

mod applicable;
mod suggestion;

use crate::breakage::Breakage;
use crate::case::EquivalentMutant;
use crate::check::Mismatch;
use crate::handler_key::HandlerKey;
use crate::handler_name;
use crate::mutant::Mutant;
use crate::project::{FileStamps, ThrowAwayProject};
use crate::runner::{Attempt, CaseError, CaseRecord, Runner, StepRecord};
use becket_engine::handler::{Handler, Location};
use becket_engine::hookset::HookSet;
use becket_engine::{Engine, LoadedConfig};
use futures_util::stream::{self, StreamExt};
use std::sync::Arc;
use tokio::sync::{Mutex, OnceCell};

/// A mutant of one handler, tested.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MutantReport {
    /// The handler.
    pub handler: HandlerKey,
    /// Its short name.
    pub name: String,
    /// Its place in the configuration.
    pub location: Location,
    /// The mutant.
    pub mutant: Mutant,
    /// The result.
    pub result: MutantResult,
}

/// The result of a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MutantResult {
    /// A case noticed it.
    Killed {
        /// The case.
        case: String,
        /// The expectation that was not met.
        by: Mismatch,
    },
    /// No case noticed it.
    Survived {
        /// The number of cases that were tried.
        tried: usize,
        /// A case that would notice it, to be completed.
        add: String,
    },
    /// No case could notice it, since none passes without the mutant.
    Vacuous {
        /// The reason.
        why: String,
    },
    /// It changes nothing about this handler.
    NotApplicable {
        /// The reason.
        why: String,
    },
    /// The author declares that no case can notice it, and none did.
    Equivalent {
        /// The author's reason.
        why: String,
    },
    /// The author declares that no case can notice it, and one did.
    WronglyEquivalent {
        /// The place of the declaration.
        declared: String,
        /// The case.
        case: String,
    },
}

/// An `[[equivalent]]` for a handler that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}: no hook is called `{handler}`, so its mutant `{mutant}` can't be equivalent")]
#[non_exhaustive]
pub struct UnknownEquivalent {
    /// The place.
    pub origin: String,
    /// The name.
    pub handler: String,
    /// The mutant.
    pub mutant: String,
}

/// All cases of a suite, ready for mutants.
struct Laboratory<'a> {
    runner: &'a Runner,
    hooks: Arc<HookSet>,
    records: Vec<Specimen<'a>>,
    equivalents: &'a [EquivalentMutant],
}

/// A case with its control.
struct Specimen<'a> {
    record: &'a CaseRecord,
    /// The stamps of its throw-away project in the initial state of the case, once they are known; locked while it is
    /// in use.
    in_use: Mutex<Option<FileStamps>>,
    /// Set if the replayed control passes.
    replays: OnceCell<bool>,
    /// The configuration of the project, if no case changes its files.
    config: OnceCell<LoadedConfig>,
}

impl Specimen<'_> {
    /// Returns the stamps of its project.
    fn stamps(&self) -> Option<FileStamps> {
        self.record.project.as_ref().and_then(ThrowAwayProject::stamps)
    }
}

/// One handler under test.
struct Target<'a> {
    handler: &'a Arc<Handler>,
    key: HandlerKey,
    group: Arc<[HandlerKey]>,
}

/// Tests every mutant of every handler, `jobs` at a time.
///
/// # Errors
/// Errors if the configuration does not load, or an `[[equivalent]]` names no handler.
pub async fn run(
    runner: &Runner,
    records: &[CaseRecord],
    equivalents: &[EquivalentMutant],
    jobs: usize,
) -> Result<Vec<MutantReport>, MutationError> {
    let engine: Engine = runner.engine()?;
    let hooks = engine.host().hooks();
    check_equivalents(&hooks, equivalents)?;
    let specimen = |record| Specimen {
        record,
        in_use: Mutex::new(None),
        replays: OnceCell::new(),
        config: OnceCell::new(),
    };
    let laboratory = Laboratory {
        runner,
        hooks: hooks.clone(),
        records: records.iter().map(specimen).collect(),
        equivalents,
    };
    let pairs = hooks.all().flat_map(|handler| Mutant::ALL.map(|mutant| (handler, mutant)));
    let tested = stream::iter(pairs)
        .map(|(handler, mutant)| laboratory.test(handler, mutant))
        .buffered(jobs.max(1))
        .collect()
        .await;
    Ok(tested)
}

/// The reason why no mutant was tested.
#[derive(Debug, thiserror::Error)]
pub enum MutationError {
    /// The configuration does not load.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// A declaration is for a handler that does not exist.
    #[error(transparent)]
    Equivalent(#[from] UnknownEquivalent),
}

fn check_equivalents(hooks: &HookSet, equivalents: &[EquivalentMutant]) -> Result<(), UnknownEquivalent> {
    for declared in equivalents {
        if !hooks.all().any(|handler| handler_name::refers_to(&declared.handler, handler)) {
            return Err(UnknownEquivalent {
                origin: declared.origin.to_string(),
                handler: declared.handler.clone(),
                mutant: declared.mutant.clone(),
            });
        }
    }
    Ok(())
}

impl Laboratory<'_> {
    async fn test(&self, handler: &Arc<Handler>, mutant: Mutant) -> MutantReport {
        let target = Target { handler, key: HandlerKey::of(handler), group: self.group(handler) };
        MutantReport {
            handler: target.key,
            name: handler_name::short(handler),
            location: handler.location.clone(),
            mutant,
            result: self.judge(&target, mutant).await,
        }
    }

    /// Returns the handlers that share the matcher of one.
    fn group(&self, handler: &Handler) -> Arc<[HandlerKey]> {
        let of_event = self.hooks.of(handler.event).iter();
        let shares = |other: &&Arc<Handler>| std::ptr::eq(other.matcher.text(), handler.matcher.text());
        of_event.filter(shares).map(|other| HandlerKey::of(other)).collect()
    }

    async fn judge(&self, target: &Target<'_>, mutant: Mutant) -> MutantResult {
        let records = || self.records.iter().map(|specimen| specimen.record);
        if let Some(why) = applicable::not_applicable(target.handler, mutant, records()) {
            return MutantResult::NotApplicable { why };
        }
        let declared = self.equivalents.iter().find(|declared| {
            declared.mutant == mutant.name() && handler_name::refers_to(&declared.handler, target.handler)
        });
        let relevant: Vec<&Specimen<'_>> = self.relevant(target, mutant);
        let passing: Vec<&&Specimen<'_>> =
            relevant.iter().filter(|specimen| specimen.record.result.is_passed()).collect();
        if !relevant.is_empty() && passing.is_empty() {
            let first = relevant[0].record.case.name.clone();
            return MutantResult::Vacuous { why: format!("`{first}` does not pass without the mutant") };
        }
        let breakage = Breakage::new(mutant, target.key, target.group.clone());
        let (mut tried, mut unclear) = (0, None);
        for specimen in passing {
            match self.broken(specimen, &breakage.beside(specimen.record.elapsed)).await {
                Trial::Noticed(by) => {
                    let case = specimen.record.case.name.clone();
                    return match declared {
                        Some(declared) => {
                            MutantResult::WronglyEquivalent { declared: declared.origin.to_string(), case }
                        }
                        None => MutantResult::Killed { case, by },
                    };
                }
                Trial::Unnoticed => tried += 1,
                Trial::Unclear(why) => unclear = Some(why),
            }
        }
        match (declared, unclear) {
            (Some(declared), _) => MutantResult::Equivalent { why: declared.reason.clone() },
            (None, Some(why)) if tried == 0 => MutantResult::Vacuous { why },
            (None, _) => MutantResult::Survived {
                tried,
                add: suggestion::case_to_add(target.handler, mutant, records()),
            },
        }
    }

    /// Returns the cases that could notice the mutant, the most likely first.
    fn relevant(&self, target: &Target<'_>, mutant: Mutant) -> Vec<&Specimen<'_>> {
        let widens = matches!(mutant, Mutant::MatcherWidened | Mutant::IfDropped);
        let is_relevant = |specimen: &&Specimen<'_>| {
            let mut steps = specimen.record.steps.iter();
            steps.any(|step| widens && step.event.kind() == target.key.event || has_run(step, target.key))
        };
        let mut relevant: Vec<&Specimen<'_>> = self.records.iter().filter(is_relevant).collect();
        relevant.sort_by_key(|specimen| match widens {
            true => rank_for_widening(specimen.record, target),
            false => rank_for_breakage(specimen.record, target),
        });
        relevant
    }

    /// Runs a case with a broken handler, after its control.
    async fn broken(&self, specimen: &Specimen<'_>, breakage: &Breakage) -> Trial {
        let mut stamps = specimen.in_use.lock().await;
        if !self.replays(specimen).await {
            return self.broken_by_processes(specimen, breakage).await;
        }
        if starts_process(breakage.mutant) && stamps.is_none() {
            *stamps = specimen.stamps();
        }
        let tried = self.attempt(specimen, Some(breakage.clone()), true).await;
        // Recreating a project takes longer than most hooks, and most hooks write nothing.
        if starts_process(breakage.mutant) && (stamps.is_none() || *stamps != specimen.stamps()) {
            *stamps = None;
            if let Err(error) = self.restore(specimen).await {
                return Trial::Unclear(error.to_string());
            }
        }
        match tried {
            // The result of a process is confirmed by a control of processes.
            Ok(Some(by)) if starts_process(breakage.mutant) => {
                match self.attempt(specimen, None, false).await {
                    Ok(None) => Trial::Noticed(by),
                    Ok(Some(_)) => unstable(specimen),
                    Err(error) => Trial::Unclear(error.to_string()),
                }
            }
            Ok(Some(by)) => Trial::Noticed(by),
            Ok(None) => Trial::Unnoticed,
            Err(error) => Trial::Unclear(error.to_string()),
        }
    }

    /// Does the same if a replayed answer can't replace a run: the control is run again, then the mutant.
    async fn broken_by_processes(&self, specimen: &Specimen<'_>, breakage: &Breakage) -> Trial {
        match self.attempt(specimen, None, false).await {
            Ok(None) => {}
            Ok(Some(_)) => return unstable(specimen),
            Err(error) => return Trial::Unclear(error.to_string()),
        }
        match self.attempt(specimen, Some(breakage.clone()), false).await {
            Ok(Some(by)) => Trial::Noticed(by),
            Ok(None) => Trial::Unnoticed,
            Err(error) => Trial::Unclear(error.to_string()),
        }
    }

    /// Returns whether the case passes with the answers of its control instead of processes.
    async fn replays(&self, specimen: &Specimen<'_>) -> bool {
        let replay = || async {
            !specimen.record.changes_files && matches!(self.attempt(specimen, None, true).await, Ok(None))
        };
        *specimen.replays.get_or_init(replay).await
    }

    /// Recreates the throw-away project of a case: a broken handler may have written to it.
    async fn restore(&self, specimen: &Specimen<'_>) -> Result<(), CaseError> {
        let Some(project) = &specimen.record.project else { return Err(CaseError::Cancelled) };
        self.runner.restore(&specimen.record.case, project).await
    }

    /// Runs a case, and returns the first expectation that is not met.
    async fn attempt(
        &self,
        specimen: &Specimen<'_>,
        breakage: Option<Breakage>,
        replay: bool,
    ) -> Result<Option<Mismatch>, CaseError> {
        let record = specimen.record;
        let Some(project) = &record.project else { return Err(CaseError::Cancelled) };
        if record.changes_files {
            self.restore(specimen).await?;
        }
        let load = || async { self.runner.load(&record.case, project) };
        let config = match record.changes_files {
            true => None,
            false => Some(specimen.config.get_or_try_init(load).await?),
        };
        let hooks = self.hooks.clone();
        let handlers = move |event| hooks.of(event).to_vec();
        let attempt = Attempt {
            case: &record.case,
            project,
            replayed: replay.then(|| record.runs.clone()),
            breakage,
            config,
            handlers: Some(&handlers),
        };
        let attempted = self.runner.attempt(&attempt).await?;
        if self.runner.is_cancelled() {
            return Err(CaseError::Cancelled);
        }
        Ok(attempted.steps.into_iter().flat_map(|step| step.mismatches).next())
    }
}

/// Returns the rank of a case for a mutant that selects a handler more often: first cases that expect the handler to be
/// skipped, then those that expect a pass without it, other ones without it, and those in which it runs anyway.
fn rank_for_widening(record: &CaseRecord, target: &Target<'_>) -> u8 {
    let wants = || record.case.steps.iter().map(|step| &step.want);
    let mut skipped = wants().flat_map(|want| &want.skipped);
    if skipped.any(|name| handler_name::refers_to(name, target.handler)) {
        0
    } else if record.steps.iter().any(|step| has_run(step, target.key)) {
        3
    } else if wants().any(|want| want.decision.as_deref() == Some("pass")) {
        1
    } else {
        2
    }
}

/// Returns the rank of a case for any other mutant: those in which the handler has some effect come
/// first.
fn rank_for_breakage(record: &CaseRecord, target: &Target<'_>) -> u8 {
    let mut runs = record.steps.iter().flat_map(|step| &step.outcome.runs);
    let speaks = runs.any(|run| HandlerKey::of(&run.handler) == target.key && !run.reply.is_silent());
    u8::from(!speaks)
}

/// Returns whether a handler ran in a step.
fn has_run(step: &StepRecord, handler: HandlerKey) -> bool {
    step.outcome.runs.iter().any(|run| HandlerKey::of(&run.handler) == handler)
}

/// The result of a case with a broken handler.
enum Trial {
    Noticed(Mismatch),
    Unnoticed,
    Unclear(String),
}

fn unstable(specimen: &Specimen<'_>) -> Trial {
    let name = &specimen.record.case.name;
    Trial::Unclear(format!("`{name}` does not always pass without the mutant"))
}

/// Returns whether a mutant starts a process of the broken handler.
fn starts_process(mutant: Mutant) -> bool {
    matches!(mutant, Mutant::EmptyStdin | Mutant::MatcherWidened | Mutant::IfDropped)
}
