//! The case file of PowerShell lines, run through the analysis.

use crate::shell_support::{Case, read};
use becket_rules::powershell::Line;
use becket_rules::shell::{Applies, CommandPattern, Coverage};

fn found(case: &Case) -> [&'static str; 3] {
    let line = Line::parse(&case.line);
    let pattern = CommandPattern::new(&case.pattern);
    let allows: Vec<CommandPattern> = case.allows.iter().map(|text| CommandPattern::new(text)).collect();
    let condition = match line.condition(&pattern) {
        Applies::Match { .. } => "match",
        Applies::NoMatch => "none",
        Applies::Unknown { .. } => "maybe",
    };
    let allow = match line.uncovered(&allows.iter().collect::<Vec<_>>()) {
        Coverage::Covered => "covered",
        Coverage::Uncovered { .. } => "open",
        Coverage::Unknown { .. } => "dark",
    };
    [condition, if line.hit(&pattern).is_some() { "hit" } else { "pass" }, allow]
}

// rule: P15
#[test]
fn lines_are_split_and_matched_without_case() {
    let cases = read(include_str!("../cases/powershell-lines.txt"));
    assert!(cases.len() > 90, "the case file is cut short: {}", cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .filter(|case| found(case) != [&*case.condition, &*case.deny, &*case.allow])
        .map(|case| format!("{}: {:?} is {:?}", case.at, case.line, found(case)))
        .collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
