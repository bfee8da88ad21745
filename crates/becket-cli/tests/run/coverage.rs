//! The suite covers what it claims to cover.

use crate::case::Case;
use crate::suite::{cases, families};
use std::collections::BTreeSet;

/// The minimum number of cases.
const CASES: usize = 150;

/// The rules that must each be named by a case.
const RULES: [&str; 31] = [
    "L0", "L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8", "D3", "D6", "D8", "D9", "D10", "D11", "P11", "P13",
    "P14", "N3", "N4", "C10", "A3", "A4", "H12", "O7", "O10", "D1", "D2", "D4", "D5", "P12",
];

pub(crate) fn all() -> Vec<Case> {
    families().iter().flat_map(|family| cases(family)).collect()
}

#[test]
fn there_are_enough_cases_and_each_has_a_name_of_its_own() {
    let all = all();
    let names: BTreeSet<&str> = all.iter().map(|case| case.name.as_str()).collect();
    assert!(all.len() >= CASES, "there are {} cases", all.len());
    assert_eq!(names.len(), all.len());
    let nameless: Vec<&str> =
        all.iter().filter(|case| case.rules.is_empty()).map(|case| case.name.as_str()).collect();
    assert_eq!(nameless, Vec::<&str>::new(), "each case names what it proves");
}

#[test]
fn each_rule_is_named_by_a_case() {
    let all = all();
    let named: BTreeSet<&str> = all.iter().flat_map(|case| &case.rules).map(String::as_str).collect();
    let missing: Vec<&&str> = RULES.iter().filter(|rule| !named.contains(**rule)).collect();
    assert!(missing.is_empty(), "no case names {missing:?}");
}

/// Asserts that no case expects only an exit code, which proves nothing.
#[test]
fn each_case_looks_at_something() {
    let looks = |want: &crate::case::Want| {
        want.told.is_some()
            || want.events.is_some()
            || want.stdout.is_some()
            || !(want.inputs.is_empty()
                && want.lines.is_empty()
                && want.notices.is_empty()
                && want.files.is_empty())
            || !(want.result.is_null() && want.stderr.is_empty() && want.transcript.is_empty())
    };
    let all = all();
    let blind: Vec<&str> =
        all.iter().filter(|case| !looks(&case.want)).map(|case| case.name.as_str()).collect();
    assert_eq!(blind, Vec::<&str>::new());
}
