//! Compares the catalogue with the codes that occur in the source.

use super::diagnostic_rules;
use std::collections::BTreeSet;
use std::path::Path;

/// Collects the codes in calls such as `report.error(at, "unknown-event", …)` and in tables of codes.
fn codes_in(directory: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "diagnostic_rules") {
            codes_in(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            for method in [".error(", ".warning(", ".note(", ".never_works(", ".about_file("] {
                for (at, _) in text.match_indices(method) {
                    let call: String = text[at + method.len()..].chars().take(200).collect();
                    found.extend(code_of(&call));
                }
            }
        }
    }
}

/// Returns the first argument that is a name in kebab-case.
fn code_of(call: &str) -> Option<String> {
    let statement = call.split(';').next()?;
    statement.split('"').skip(1).step_by(2).find(|text| is_code(text)).map(str::to_owned)
}

fn is_code(text: &str) -> bool {
    text.contains('-') && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

#[test]
fn every_code_of_the_source_is_listed() {
    let listed: BTreeSet<String> = diagnostic_rules().iter().map(|rule| rule.code.to_owned()).collect();
    assert_eq!(listed.len(), diagnostic_rules().len(), "a code is listed twice");
    let mut found = BTreeSet::new();
    codes_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/config"), &mut found);
    assert!(found.len() > 60, "{found:?}");
    let missing: Vec<&String> = found.difference(&listed).collect();
    assert!(missing.is_empty(), "not in the catalogue: {missing:?}");
}

#[test]
fn every_entry_is_written_as_sentences() {
    for rule in diagnostic_rules() {
        assert!(is_code(rule.code), "{}", rule.code);
        assert!(!rule.title.ends_with('.'), "{}", rule.code);
        assert!(rule.reason.ends_with('.') && rule.remedy.ends_with('.'), "{}", rule.code);
    }
}
