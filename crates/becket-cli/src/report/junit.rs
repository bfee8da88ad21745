//! Test results as JUnit XML, which CI services read. XML has no place for most control characters: they are escaped.

use crate::report::style::plain;
use crate::report::test::{CaseReport, MutantRow, Outcome, TestReport};
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// Returns the results: one suite for the cases, one for the mutants that need attention.
///
/// # Errors
/// Errors if the XML can't be written.
pub(crate) fn render(report: &TestReport) -> Result<String, SerializeError> {
    let mut document = Report::new("becket test");
    let mut cases = TestSuite::new("cases");
    for error in &report.errors {
        let place = format!("{}:{}", error.at.file, error.at.line);
        cases.add_test_case(TestCase::new(plain(&place), non_success(NonSuccessKind::Error, &error.what)));
    }
    cases.add_test_cases(report.cases.iter().map(of_case));
    document.add_test_suite(cases);
    if let Some(mutants) = &report.mutants {
        let mut suite = TestSuite::new("mutants");
        suite.add_test_cases(mutants.iter().map(of_mutant));
        document.add_test_suite(suite);
    }
    document.to_string()
}

fn of_case(case: &CaseReport) -> TestCase {
    let status = match case.result {
        Outcome::Passed => TestCaseStatus::success(),
        Outcome::Failed => {
            let describe = |mismatch: &super::test::MismatchReport| {
                format!("{}: wanted {}, seen {}\n", mismatch.what, mismatch.wanted, mismatch.seen)
            };
            non_success(NonSuccessKind::Failure, &case.mismatches().map(describe).collect::<String>())
        }
        Outcome::Error => non_success(NonSuccessKind::Error, case.error.as_deref().unwrap_or_default()),
    };
    let mut test = TestCase::new(plain(&case.name), status);
    test.set_classname(plain(&case.at.file));
    test.set_time(Duration::from_secs_f64(case.elapsed_ms / 1000.0));
    if case.result != Outcome::Passed {
        let hooks = || case.steps.iter().flat_map(|step| &step.hooks);
        test.set_system_out(hooks().map(|hook| plain(&hook.stdout)).collect::<String>());
        test.set_system_err(hooks().map(|hook| plain(&hook.stderr)).collect::<String>());
    }
    test
}

fn of_mutant(row: &MutantRow) -> TestCase {
    let why = row.why.clone().unwrap_or_default();
    let status = if row.result.is_bad() {
        non_success(NonSuccessKind::Failure, &format!("{why}\n{}", row.add.as_deref().unwrap_or_default()))
    } else if row.case.is_some() {
        TestCaseStatus::success()
    } else {
        let mut skipped = TestCaseStatus::skipped();
        skipped.set_message(plain(&why));
        skipped
    };
    let mut test = TestCase::new(plain(&format!("{} {}", row.hook, row.mutant)), status);
    test.set_classname(plain(&row.at.file));
    test
}

fn non_success(kind: NonSuccessKind, message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(plain(message));
    status
}
