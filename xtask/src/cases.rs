//! `cargo xtask gen`: the cases of this workspace that are about fired events, in one form that a program in any
//! language can run: `spec/cases/`. Its README describes the form.
//!
//! - [`form`]: one case of that form, and the files, sources and replies of its hooks
//! - [`verdicts`], [`replies`], [`rules`]: from the case files of the crates to that form
//! - [`inputs`]: the required fields of an event
//! - [`left_out`]: the cases that are left out, with reasons
//!
//! The expectations are translated from the crates' own case files, and never taken from Becket's output.
//!
//! INVARIANT: every case file of the crates is either turned into cases or named in `spec/cases/left-out.json` with a
//! reason, each of its cases likewise, and everything named there is left out.

mod form;
mod inputs;
mod left_out;
mod replies;
mod rules;
mod verdicts;

use left_out::LeftOut;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A function that converts one case of a file to one or more of the common form.
type Turn = fn(&Map<String, Value>) -> Result<Vec<form::Case>, String>;

/// The case files whose cases are run everywhere: their targets, their paths, and their readers.
const SOURCES: [(&str, &str, Turn); 6] = [
    ("verdicts", "crates/becket-model/tests/cases/fold.json", verdicts::turned),
    ("replies", "crates/becket-model/tests/cases/output.json", replies::turned),
    ("matchers", "crates/becket-rules/tests/cases/matchers.json", rules::matcher),
    ("conditions", "crates/becket-rules/tests/cases/permission_conditions.json", rules::condition),
    ("permissions", "crates/becket-rules/tests/cases/permission_calls.json", rules::call),
    ("removals", "crates/becket-rules/tests/cases/permission_removals.json", rules::removal),
];

/// Returns all case files of the common form and their texts.
///
/// # Errors
/// Errors if a case is neither converted nor left out with a reason, or both.
pub(crate) fn all() -> Result<Vec<(PathBuf, String)>, String> {
    let mut left_out = LeftOut::read()?;
    let mut texts = Vec::new();
    for (to, file, turn) in SOURCES {
        let cases = turned(file, turn, &mut left_out)?;
        texts.push((format!("spec/cases/{to}.json").into(), text(&cases)?));
    }
    for file in case_files()? {
        let is_source = SOURCES.iter().any(|(_, source, _)| *source == file);
        if is_source == left_out.has_file(&file) {
            return Err(format!("`{file}` must be either read or named in `{}`", left_out::FILE));
        }
    }
    left_out.is_all_used()?;
    Ok(texts)
}

fn turned(file: &str, turn: Turn, left_out: &mut LeftOut) -> Result<Vec<form::Case>, String> {
    let mut cases = Vec::new();
    let (mut names, mut wrong) = (BTreeSet::new(), Vec::new());
    for source in read(file)? {
        let name = form::name(&source);
        if left_out.has_case(file, &name) {
            continue;
        }
        match turn(&source) {
            Ok(turned) => cases.extend(turned),
            Err(why) => wrong.push(format!("`{file}`: `{name}`: {why}")),
        }
    }
    for case in &mut cases {
        case.name = unlike(&mut names, &case.name);
    }
    cases.retain(|case| !left_out.has_case(file, &case.name));
    if wrong.is_empty() { Ok(cases) } else { Err(wrong.join("\n")) }
}

/// Returns the name, with a number after it if another case has it.
fn unlike(names: &mut BTreeSet<String>, name: &str) -> String {
    let numbered = (2..).map(|number| format!("{name} ({number})"));
    let free = std::iter::once(name.to_owned()).chain(numbered).find(|name| names.insert(name.clone()));
    free.unwrap_or_default()
}

fn read(file: &str) -> Result<Vec<Map<String, Value>>, String> {
    let text = std::fs::read_to_string(crate::root().join(file));
    let text = text.map_err(|error| format!("`{file}`: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("`{file}`: {error}"))
}

/// Returns the cases as text, one a line, so that a change shows its case.
fn text(cases: &[form::Case]) -> Result<String, String> {
    let lines: Result<Vec<String>, _> = cases.iter().map(serde_json::to_string).collect();
    let lines = lines.map_err(|error| error.to_string())?;
    Ok(format!("[\n{}\n]\n", lines.join(",\n")))
}

/// Returns every data file below a directory `cases` of the crates, from the root of the workspace.
fn case_files() -> Result<BTreeSet<String>, String> {
    let mut found = BTreeSet::new();
    let mut places = vec![crate::root().join("crates")];
    while let Some(place) = places.pop() {
        let entries = std::fs::read_dir(&place).map_err(|error| format!("`{}`: {error}", place.display()))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                places.push(path);
            } else if is_case_file(&path) {
                let below = path.strip_prefix(crate::root()).unwrap_or(&path);
                found.insert(below.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    Ok(found)
}

fn is_case_file(path: &Path) -> bool {
    let is_data = path.extension().is_some_and(|extension| extension == "json" || extension == "txt");
    is_data && path.components().any(|part| part.as_os_str() == "cases")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_common_form_is_what_the_crates_want() {
        let all = all().unwrap_or_else(|why| panic!("{why}"));
        for (path, text) in all {
            let stands = std::fs::read_to_string(crate::root().join(&path)).unwrap_or_default();
            assert!(stands == text, "`{}` is old: run `cargo xtask gen`", path.display());
        }
    }

    #[test]
    fn equal_names_are_told_apart() {
        let mut names = BTreeSet::new();
        let unique: Vec<String> = ["a", "a", "b", "a"].iter().map(|name| unlike(&mut names, name)).collect();
        assert_eq!(unique, ["a", "a (2)", "b", "a (3)"]);
    }
}
