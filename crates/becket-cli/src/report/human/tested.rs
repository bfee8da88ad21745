//! `test` for people: a line for each case, everything about those that failed, then coverage and mutants.

use super::{counted, planned, short_position};
use crate::env::Surroundings;
use crate::report::style::{ERROR, FAINT, GOOD, HEAD, SOURCE, WARNING, plain, styled};
use crate::report::table::{Cell, Table};
use crate::report::test::{
    CaseReport, CoverageReport, HookRunReport, MutantOutcome, MutantRow, Outcome, TestReport,
};
use crate::wrap;
use becket_embed::view::planned::PlanReport;
use becket_lab::CaseRecord;
use std::path::Path;

/// The parts of a report.
pub(crate) struct Options<'a> {
    /// True to show the coverage of every hook.
    pub(crate) coverage: bool,
    /// The records, for the plans of failed cases.
    pub(crate) explained: &'a [CaseRecord],
    /// The root of the project.
    pub(crate) root: &'a Path,
    /// True to leave out cases that passed, and the summary if all did.
    pub(crate) failures_only: bool,
}

/// Returns the report.
pub(crate) fn render(report: &TestReport, options: &Options<'_>, around: &Surroundings) -> String {
    let mut text = String::new();
    for error in &report.errors {
        let place = short_position(&error.at, around);
        text.push_str(&format!("{} {}: {}\n", styled(ERROR, "ERROR"), plain(&place), plain(&error.what)));
    }
    for (case, record) in report.cases.iter().zip(options.explained) {
        if options.failures_only && case.result == Outcome::Passed {
            continue;
        }
        of_case(&mut text, case, record, options, around);
    }
    if options.coverage {
        text.push_str(&coverage(&report.coverage, around));
    }
    if let Some(mutants) = &report.mutants {
        text.push_str(&of_mutants(mutants, around));
    }
    if !options.failures_only || report.exit_code() != 0 {
        text.push_str(&summary(report, around));
    }
    wrap::fit(&text, around.width)
}

fn of_case(
    text: &mut String,
    case: &CaseReport,
    record: &CaseRecord,
    options: &Options<'_>,
    around: &Surroundings,
) {
    let word = match case.result {
        Outcome::Passed => styled(GOOD, "PASS"),
        Outcome::Failed => styled(ERROR, "FAIL"),
        Outcome::Error => styled(ERROR, "ERROR"),
    };
    let place = styled(FAINT, &short_position(&case.at, around));
    let took = styled(FAINT, &super::fired::duration(case.elapsed_ms));
    text.push_str(&format!("{word}  {}  {place}  {took}\n", plain(&case.name)));
    if let Some(error) = &case.error {
        text.push_str(&lines(&plain(error), 6));
    }
    for (step, seen) in case.steps.iter().zip(&record.steps) {
        if step.mismatches.is_empty() {
            continue;
        }
        for mismatch in &step.mismatches {
            let what = styled(WARNING, mismatch.what);
            text.push_str(&format!("      {what}: wanted {}\n", plain(&mismatch.wanted)));
            text.push_str(&lines(&plain(&format!("seen {}", mismatch.seen)), 6 + mismatch.what.len() + 2));
        }
        // Paths in the copy are shown as those of the project.
        let copy = &seen.event.session.cwd;
        let mut inside = around.clone();
        inside.process.cwd = Some(copy.clone());
        let plan = PlanReport::new(&seen.outcome.plan, seen.event.body.subject(), Vec::new());
        let mut explained = lines(&planned::render(&plan, &Surroundings { width: None, ..inside }), 4);
        step.hooks.iter().for_each(|hook| explained.push_str(&process(hook)));
        let (copy, root) = (copy.to_string_lossy().into_owned(), options.root.to_string_lossy().into_owned());
        text.push_str(&explained.replace(&copy, &root));
    }
}

/// Returns the input and the output of a hook.
fn process(hook: &HookRunReport) -> String {
    let exit = hook.exit.map_or_else(|| "no exit code".to_owned(), |code| format!("exit {code}"));
    let mut text = format!("      {} {}\n", styled(SOURCE, &hook.name), styled(FAINT, &exit));
    for (name, content) in [("stdin", &hook.stdin), ("stdout", &hook.stdout), ("stderr", &hook.stderr)] {
        if content.trim().is_empty() {
            text.push_str(&format!("        {}\n", styled(FAINT, &format!("{name}: nothing"))));
        } else {
            text.push_str(&format!(
                "        {}\n{}",
                styled(FAINT, &format!("{name}:")),
                lines(&plain(content), 10)
            ));
        }
    }
    text
}

/// Returns a text with blanks in front of each line, keeping its colours.
fn lines(text: &str, indent: usize) -> String {
    text.trim_end().lines().map(|line| format!("{}{line}\n", " ".repeat(indent))).collect()
}

fn coverage(all: &[CoverageReport], around: &Surroundings) -> String {
    let mut table = Table::default();
    let heads = ["HOOK", "EVENT", "RAN", "PASSED", "DENIED", "ASKED", "REWROTE", "FAILED", "AT"];
    table.row(heads.map(|head| Cell::new(HEAD, head)));
    for seen in all {
        let number = |count: usize| Cell::new(if count == 0 { FAINT } else { GOOD }, &count.to_string());
        table.row([
            Cell::text(&seen.hook),
            Cell::new(SOURCE, seen.event),
            number(seen.ran),
            number(seen.passed),
            number(seen.denied),
            number(seen.asked),
            number(seen.rewrote),
            number(seen.failed),
            Cell::last(FAINT, &short_position(&seen.at, around)),
        ]);
        for name in &seen.unmatched {
            table.below(&format!("      no case matches {}\n", plain(name)));
        }
        if seen.if_matched == Some(false) {
            table.below("      no case satisfies its `if`\n");
        }
        if seen.if_unmatched == Some(false) {
            table.below("      no case fails its `if`\n");
        }
    }
    format!("\n{}\n{}", styled(HEAD, "coverage"), table.fitted(2, around.width))
}

fn of_mutants(rows: &[MutantRow], around: &Surroundings) -> String {
    let mut text = format!("\n{}\n", styled(HEAD, "mutants"));
    for hook in rows.chunk_by(|one, other| {
        one.hook == other.hook
            && one.at.line == other.at.line
            && one.at.file == other.at.file
            && one.at.column == other.at.column
    }) {
        let Some(first) = hook.first() else { continue };
        let killed = hook.iter().filter(|row| row.result == MutantOutcome::Killed).count();
        let place = styled(FAINT, &short_position(&first.at, around));
        text.push_str(&format!("  {}  {place}  {killed} killed\n", styled(SOURCE, &first.hook)));
        hook.iter().for_each(|row| of_mutant(&mut text, row));
    }
    text
}

fn of_mutant(text: &mut String, row: &MutantRow) {
    let (style, word) = match row.result {
        MutantOutcome::Killed => return,
        MutantOutcome::Survived => (ERROR, "SURVIVED"),
        MutantOutcome::Vacuous => (ERROR, "VACUOUS"),
        MutantOutcome::WronglyEquivalent => (ERROR, "NOT EQUIVALENT"),
        MutantOutcome::NotApplicable => (FAINT, "not applicable"),
        MutantOutcome::Equivalent => (FAINT, "equivalent"),
    };
    let why = row.why.as_deref().unwrap_or_default();
    text.push_str(&format!("    {} {}: {}\n", styled(style, word), row.mutant, plain(why)));
    if let Some(add) = &row.add {
        text.push_str(&format!("      add a case such as\n{}", lines(&plain(add), 8)));
    }
}

fn summary(report: &TestReport, around: &Surroundings) -> String {
    let mut text = String::from("\n");
    for seen in report.coverage.iter().filter(|seen| seen.unproven_guard) {
        let place = short_position(&seen.at, around);
        text.push_str(&format!(
            "{} no case has seen `{}` ({}) deny or ask\n",
            styled(WARNING, "warning:"),
            plain(&seen.hook),
            plain(&place)
        ));
    }
    if let Some(seed) = report.seed {
        text.push_str(&format!("seed {seed}: `--shuffle={seed}` runs the cases in this order\n"));
    }
    let counts = [
        ("passed", report.count(Outcome::Passed), GOOD),
        ("failed", report.count(Outcome::Failed), ERROR),
        ("not tested", report.count(Outcome::Error), ERROR),
    ];
    text.push_str(&format!("{}: {}\n", counted(report.cases.len(), "case"), joined(&counts)));
    if report.mutants.is_some() {
        let counts = [
            ("killed", report.count_mutants(MutantOutcome::Killed), GOOD),
            ("survived", report.count_mutants(MutantOutcome::Survived), ERROR),
            ("vacuous", report.count_mutants(MutantOutcome::Vacuous), ERROR),
            ("wrongly equivalent", report.count_mutants(MutantOutcome::WronglyEquivalent), ERROR),
            ("equivalent", report.count_mutants(MutantOutcome::Equivalent), FAINT),
            ("not applicable", report.count_mutants(MutantOutcome::NotApplicable), FAINT),
        ];
        let all = report.mutants.as_ref().map_or(0, Vec::len);
        text.push_str(&format!("{}: {}\n", counted(all, "mutant"), joined(&counts)));
    }
    text
}

/// Joins the counts: the first always, the others if they are not zero.
fn joined(counts: &[(&str, usize, anstyle::Style)]) -> String {
    let shown = counts.iter().enumerate().filter(|(at, (_, number, _))| *at == 0 || *number > 0);
    let parts: Vec<String> =
        shown.map(|(_, (word, number, style))| styled(*style, &format!("{number} {word}"))).collect();
    parts.join(", ")
}
