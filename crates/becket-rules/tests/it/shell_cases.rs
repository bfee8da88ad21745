//! The case file of shell lines, run through the analysis.

use crate::shell_support::{Case, read};
use becket_rules::shell::{Applies, CommandPattern, Coverage, Line};

const LINES: &str = include_str!("../cases/shell-lines.txt");

fn condition(case: &Case, line: &Line) -> &'static str {
    match line.condition(&CommandPattern::new(&case.pattern)) {
        Applies::Match { .. } => "match",
        Applies::NoMatch => "none",
        Applies::Unknown { .. } => "maybe",
    }
}

fn deny(case: &Case, line: &Line) -> &'static str {
    if line.hit(&CommandPattern::new(&case.pattern)).is_some() { "hit" } else { "pass" }
}

fn allow(case: &Case, line: &Line) -> &'static str {
    let patterns: Vec<CommandPattern> = case.allows.iter().map(|text| CommandPattern::new(text)).collect();
    match line.uncovered(&patterns.iter().collect::<Vec<_>>()) {
        Coverage::Covered => "covered",
        Coverage::Uncovered { .. } => "open",
        Coverage::Unknown { .. } => "dark",
    }
}

fn check(what: &str, expected: impl Fn(&Case) -> &str, found: impl Fn(&Case, &Line) -> &'static str) {
    let cases = read(LINES);
    assert!(cases.len() > 500, "the case file is cut short: {}", cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let found = found(case, &Line::parse(&case.line));
            (found != expected(case)).then(|| {
                format!(
                    "{}: {:?} with {:?}: {what} is {found}, not {}",
                    case.at,
                    case.line,
                    case.pattern,
                    expected(case)
                )
            })
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

// rules: P3, P6
#[test]
fn conditions_find_every_command_and_call_the_rest_unknown() {
    check("if", |case| &case.condition, condition);
}

// rules: P4, P5
#[test]
fn deny_rules_hit_one_command_anywhere() {
    check("deny", |case| &case.deny, deny);
}

// rules: P3, P4, P5
#[test]
fn allow_rules_cover_every_subcommand_or_nothing() {
    check("allow", |case| &case.allow, allow);
}
