//! Findings as SARIF 2.1.0, which code-scanning services read.

use super::test::{MismatchReport, Outcome, TestReport};
use crate::links;
use becket_embed::view::finding::{CheckReport, Finding};
use becket_embed::view::hook::SourcePosition;
use becket_engine::config::diagnostic_rules;
use serde_json::{Value, json};
use std::path::Path;

/// Returns one run of one tool; paths below `root` are relative to it.
pub(crate) fn render(checked: &CheckReport, root: &Path) -> Value {
    let mut rules: Vec<&'static str> = checked.findings.iter().map(|finding| finding.code).collect();
    rules.sort_unstable();
    rules.dedup();
    let results: Vec<Value> = checked.findings.iter().map(|finding| result(finding, &rules, root)).collect();
    document(&rules, results)
}

fn document(rules: &[&str], results: Vec<Value>) -> Value {
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "becket",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules.iter().map(|code| rule(code)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// Returns the address of the page about a rule.
pub(crate) fn rule_page(code: &str) -> String {
    links::page(&format!("rules.md#{code}"))
}

/// Describes a rule, with a link to its page.
fn rule(code: &str) -> Value {
    let Some(rule) = diagnostic_rules().into_iter().find(|rule| rule.code == code) else {
        return json!({"id": code});
    };
    json!({
        "id": code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.reason},
        "help": {"text": rule.remedy},
        "helpUri": rule_page(code),
    })
}

fn result(finding: &Finding, rules: &[&str], root: &Path) -> Value {
    let help = finding.help.as_ref().map(|help| format!(". {help}")).unwrap_or_default();
    let mut place = json!({"artifactLocation": {"uri": uri(Path::new(&finding.at.file), root)}});
    if finding.at.line > 0 {
        place["region"] = json!({
            "startLine": finding.at.line,
            "startColumn": finding.at.column,
            "byteOffset": finding.span.start,
            "byteLength": finding.span.end.saturating_sub(finding.span.start),
        });
    }
    json!({
        "ruleId": finding.code,
        "ruleIndex": rules.binary_search(&finding.code).unwrap_or_default(),
        "level": finding.severity,
        "message": {"text": format!("{}{help}", finding.message)},
        "locations": [{"physicalLocation": place}],
    })
}

/// Returns a relative reference below `root`, otherwise a `file:` URI.
fn uri(file: &Path, root: &Path) -> String {
    match file.strip_prefix(root) {
        Ok(inside) => escaped(inside),
        Err(_) if file.is_absolute() => format!("file://{}", escaped(file)),
        Err(_) => escaped(file),
    }
}

fn escaped(path: &Path) -> String {
    let mut uri = String::new();
    for byte in path.to_string_lossy().replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into())
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Returns the failed cases, the surviving mutants and the unproven guards, each on the line of the settings that
/// configures the hook; a case without hooks on its own line.
pub(crate) fn of_tests(report: &TestReport, root: &Path) -> Value {
    let cases = report.cases.iter().filter(|case| case.result != Outcome::Passed).map(|case| {
        let hooks =
            || case.steps.iter().filter(|step| !step.mismatches.is_empty()).flat_map(|step| &step.hooks);
        let deciding = hooks().find(|hook| hook.decision.is_some() || hook.failure.is_some());
        let at = deciding.or_else(|| hooks().next()).map_or(&case.at, |hook| &hook.at);
        let why = |mismatch: &MismatchReport| {
            format!("; {}: wanted {}, seen {}", mismatch.what, mismatch.wanted, mismatch.seen)
        };
        let why: String = case.mismatches().map(why).chain(case.error.clone()).collect();
        test_result("failed-case", "error", at, format!("the case `{}` failed{why}", case.name), root)
    });
    let bad = report.mutants.iter().flatten().filter(|row| row.result.is_bad()).map(|row| {
        let why = row.why.as_deref().unwrap_or_default();
        let text = format!("no case notices the mutant `{}` of `{}`: {why}", row.mutant, row.hook);
        test_result("surviving-mutant", "warning", &row.at, text, root)
    });
    let unproven = report.coverage.iter().filter(|seen| seen.unproven_guard).map(|seen| {
        let text = format!("no case has seen `{}` deny or ask", seen.hook);
        test_result("unproven-guard", "note", &seen.at, text, root)
    });
    let errors = report
        .errors
        .iter()
        .map(|error| test_result("case-file", "error", &error.at, error.what.clone(), root));
    let results: Vec<Value> = errors.chain(cases).chain(bad).chain(unproven).collect();
    let rules = ["case-file", "failed-case", "surviving-mutant", "unproven-guard"];
    document(&rules, results)
}

fn test_result(rule: &str, level: &str, at: &SourcePosition, text: String, root: &Path) -> Value {
    let mut place = json!({"artifactLocation": {"uri": uri(Path::new(&at.file), root)}});
    if at.line > 0 {
        place["region"] = json!({"startLine": at.line, "startColumn": at.column.max(1)});
    }
    json!({
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        let root = Path::new("/work/a");
        assert_eq!(uri(Path::new("/work/a/.claude/my settings.json"), root), ".claude/my%20settings.json");
        assert_eq!(uri(Path::new("/etc/x.json"), root), "file:///etc/x.json");
        assert_eq!(uri(Path::new("<--settings>"), root), "%3C--settings%3E");
    }
}
