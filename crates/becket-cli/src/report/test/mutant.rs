//! The mutants and the coverage of hooks.

use becket_embed::view::hook::SourcePosition;
use becket_engine::handler::Location;
use becket_lab::coverage::HandlerCoverage;
use becket_lab::mutation::{MutantReport, MutantResult};
use schemars::JsonSchema;
use serde::Serialize;

/// A mutant of a hook.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MutantRow {
    /// The short name of the hook.
    pub(crate) hook: String,
    /// The position of the hook.
    pub(crate) at: SourcePosition,
    /// The mutant.
    pub(crate) mutant: &'static str,
    /// The result.
    pub(crate) result: MutantOutcome,
    /// The case that noticed it.
    pub(crate) case: Option<String>,
    /// The reason for the result.
    pub(crate) why: Option<String>,
    /// A case that would notice it, in TOML.
    pub(crate) add: Option<String>,
}

/// The result of a mutant, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MutantOutcome {
    /// A case noticed it.
    Killed,
    /// No case noticed it.
    Survived,
    /// No case passed without it, so none could notice it.
    Vacuous,
    /// The mutant has no effect on this hook.
    NotApplicable,
    /// The author declares that no case can notice it.
    Equivalent,
    /// The author declares that no case can notice it, but one did.
    WronglyEquivalent,
}

impl MutantOutcome {
    /// Returns true if the outcome needs attention.
    pub(crate) const fn is_bad(self) -> bool {
        match self {
            MutantOutcome::Survived | MutantOutcome::Vacuous | MutantOutcome::WronglyEquivalent => true,
            MutantOutcome::Killed | MutantOutcome::NotApplicable | MutantOutcome::Equivalent => false,
        }
    }
}

/// The coverage of a hook; the numbers are those of runs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoverageReport {
    pub(crate) hook: String,
    pub(crate) event: &'static str,
    pub(crate) at: SourcePosition,
    pub(crate) ran: usize,
    pub(crate) passed: usize,
    pub(crate) denied: usize,
    pub(crate) asked: usize,
    pub(crate) rewrote: usize,
    pub(crate) failed: usize,
    /// The alternatives of its matcher that no event has matched.
    pub(crate) unmatched: Vec<String>,
    /// The alternatives of its matcher that an event has matched.
    pub(crate) matched: Vec<String>,
    /// Set if its `if` has let it run; `None` without one.
    pub(crate) if_matched: Option<bool>,
    /// Set if its `if` has kept it from running.
    pub(crate) if_unmatched: Option<bool>,
    /// Set if it is a guard that no case has seen denying or asking; never if only some of the cases were run.
    pub(crate) unproven_guard: bool,
}

/// Converts mutants to rows.
pub(crate) fn mutants(reports: Vec<MutantReport>) -> Vec<MutantRow> {
    reports.into_iter().map(row).collect()
}

fn row(report: MutantReport) -> MutantRow {
    let mut row = MutantRow {
        hook: report.name,
        at: position(&report.location),
        mutant: report.mutant.name(),
        result: MutantOutcome::Killed,
        case: None,
        why: None,
        add: None,
    };
    match report.result {
        MutantResult::Killed { case, by } => {
            row.case = Some(case);
            row.why = Some(format!("{}: wanted {}, seen {}", by.what, by.wanted, by.seen));
        }
        MutantResult::Survived { tried, add } => {
            row.result = MutantOutcome::Survived;
            row.why = Some(match tried {
                0 => "no case runs it".to_owned(),
                1 => "1 case passes with it".to_owned(),
                _ => format!("{tried} cases pass with it"),
            });
            row.add = Some(add);
        }
        MutantResult::Vacuous { why } => {
            row.result = MutantOutcome::Vacuous;
            row.why = Some(why);
        }
        MutantResult::NotApplicable { why } => {
            row.result = MutantOutcome::NotApplicable;
            row.why = Some(why);
        }
        MutantResult::Equivalent { why } => {
            row.result = MutantOutcome::Equivalent;
            row.why = Some(why);
        }
        MutantResult::WronglyEquivalent { declared, case } => {
            row.result = MutantOutcome::WronglyEquivalent;
            row.why = Some(format!("{declared} says that no case can notice it, but `{case}` does"));
            row.case = Some(case);
        }
    }
    row
}

/// Returns the coverage of each hook.
pub(crate) fn coverage(all: Vec<HandlerCoverage>) -> Vec<CoverageReport> {
    all.into_iter().map(of_handler).collect()
}

fn of_handler(seen: HandlerCoverage) -> CoverageReport {
    let unproven_guard = seen.is_unproven_guard();
    let (matched, unmatched): (Vec<_>, Vec<_>) =
        seen.alternatives.into_iter().partition(|alternative| alternative.matched);
    let texts = |all: Vec<becket_lab::coverage::MatcherAlternative>| {
        all.into_iter().map(|alternative| alternative.text).collect()
    };
    CoverageReport {
        hook: seen.name,
        event: seen.handler.event.name(),
        at: position(&seen.location),
        ran: seen.ran,
        passed: seen.passed,
        denied: seen.denied,
        asked: seen.asked,
        rewrote: seen.rewrote,
        failed: seen.failed,
        unmatched: texts(unmatched),
        matched: texts(matched),
        if_matched: seen.condition.map(|condition| condition.matched),
        if_unmatched: seen.condition.map(|condition| condition.unmatched),
        unproven_guard,
    }
}

fn position(location: &Location) -> SourcePosition {
    SourcePosition { file: location.file.display().to_string(), line: location.line, column: location.column }
}
