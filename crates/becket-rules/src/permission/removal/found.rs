//! The files that a `find` with a removal may delete: if nothing narrows the search, the directories that it starts
//! from.

use crate::shell::{Arg, Command};

/// Actions whose words are a command.
const RUNS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];

/// Tests of a name or path by a pattern.
const PATTERNS: [&str; 10] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-lname",
    "-ilname",
];

/// Returns the starting points of a `find` that it may itself find; `None` is the directory of the line.
pub(super) fn starts(command: &Command) -> Vec<Option<&Arg>> {
    let Some((name, rest)) = command.args.split_first() else { return Vec::new() };
    if name.command_name() != Some("find") {
        return Vec::new();
    }
    let mut rest = rest;
    while let [option, after @ ..] = rest {
        match option.text.as_str() {
            "-H" | "-L" | "-P" => rest = after,
            "-D" => rest = after.get(1..).unwrap_or_default(),
            text if text.starts_with("-O") => rest = after,
            _ => break,
        }
    }
    let end = rest.iter().position(|arg| arg.text.starts_with(['-', '(', '!', ',']));
    let (starts, expression) = rest.split_at(end.unwrap_or(rest.len()));
    let end = expression.iter().position(|arg| RUNS.contains(&arg.text.as_str()));
    let tests: Vec<&Arg> = expression[..end.unwrap_or(expression.len())].iter().collect();
    if branches(&tests).last().is_some_and(|branch| narrows(branch)) {
        return Vec::new();
    }
    if starts.is_empty() { vec![None] } else { starts.iter().map(Some).collect() }
}

/// Returns the alternatives of an expression, outside of its brackets.
fn branches<'t, 'a>(tests: &'t [&'a Arg]) -> Vec<&'t [&'a Arg]> {
    let mut depth = 0_u32;
    let is_alternative = |arg: &&Arg| {
        match arg.text.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(arg.text.as_str(), "-o" | "-or" | ",")
    };
    tests.split(is_alternative).collect()
}

/// Returns whether one of the tests that must all hold excludes the start. A negated test excludes nothing.
fn narrows(tests: &[&Arg]) -> bool {
    let mut at = 0;
    while let Some(test) = tests.get(at) {
        let value = tests.get(at + 1);
        match test.text.as_str() {
            "!" | "-not" => at += term(&tests[at + 1..]),
            "(" => {
                let length = term(&tests[at..]);
                let inner = &tests[at + 1..at + length.max(2) - 1];
                if branches(inner).into_iter().all(narrows) {
                    return true;
                }
                at += length - 1;
            }
            "-empty" => return true,
            "-type" | "-xtype" if value.is_some_and(|kind| !kind.dynamic && !kind.text.contains('d')) => {
                return true;
            }
            name if PATTERNS.contains(&name)
                && value.is_some_and(|text| text.text.chars().any(|c| !"*?./[]!^".contains(c))) =>
            {
                return true;
            }
            _ => {}
        }
        at += 1;
    }
    false
}

/// Returns the number of words in the next term: a group, or a test with its value.
fn term(tests: &[&Arg]) -> usize {
    if tests.first().is_none_or(|test| test.text != "(") {
        let has_value = tests.get(1).is_some_and(|value| !value.text.starts_with(['-', '(', ')', '!']));
        return if has_value { 2 } else { 1 };
    }
    let mut depth = 0_u32;
    for (at, test) in tests.iter().enumerate() {
        match test.text.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tests.len()
}
