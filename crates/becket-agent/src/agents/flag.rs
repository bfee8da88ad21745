//! Agents from the command line: a JSON object of definitions by name.
//!
//! Each is read like a file, since JSON is YAML: the meaning of a field is implemented once.

use super::definition::Definition;
use super::read::{self, Place};
use crate::definitions::Fields;
use becket_engine::config::{Diagnostic, Severity};
use becket_model::Source;
use serde_json::{Map, Value};
use std::path::Path;

/// The placeholder for the file name of such an agent.
const FILE: &str = "<--agents>";

/// The fields that are read, or reported as ones without effect, by the reader of files.
const FIELDS: [&str; 20] = [
    "autoCompactWindow",
    "background",
    "description",
    "disallowedTools",
    "effort",
    "hooks",
    "initialPrompt",
    "isolation",
    "maxTurns",
    "mcpServers",
    "memory",
    "model",
    "name",
    "observer",
    "observerMessage",
    "omitClaudeMd",
    "permissionMode",
    "prompt",
    "skills",
    "tools",
];

/// Returns the definitions, and the problems with the invalid ones.
pub(super) fn read(text: &str) -> (Vec<Definition>, Vec<Diagnostic>) {
    let all = match serde_json::from_str::<Map<String, Value>>(text) {
        Ok(all) => all,
        Err(error) => {
            let message = format!("it is not a JSON object of agents by name, so none is loaded: {error}");
            return (Vec::new(), vec![finding(message)]);
        }
    };
    let (mut definitions, mut findings) = (Vec::new(), Vec::new());
    for (name, value) in all {
        let (definition, mut found) = one(&name, value);
        for finding in &mut found {
            // Positions refer to generated text, which the user has never seen.
            (finding.line, finding.column, finding.span) = (0, 0, 0..0);
            let of = format!("agent `{}`", becket_tools::schema::brief(&name));
            if !finding.message.contains(&of) {
                finding.message = format!("{of}: {}", finding.message);
            }
        }
        definitions.extend(definition);
        findings.extend(found);
    }
    (definitions, findings)
}

fn one(name: &str, value: Value) -> (Option<Definition>, Vec<Diagnostic>) {
    let Value::Object(mut said) = value else {
        return (None, vec![finding("it has to be an object with `description` and `prompt`".to_owned())]);
    };
    let unknown: Vec<Diagnostic> = said
        .iter()
        .filter(|(key, value)| !FIELDS.contains(&key.as_str()) && !value.is_null())
        .map(|(key, _)| without_effect(key))
        .collect();
    said.insert("name".to_owned(), Value::String(name.to_owned()));
    let text = format!("---\n{}\n---\n", Value::Object(said));
    let mut fields = Fields::of(&text, Path::new(FILE), &Source::Flag);
    let place = Place { source: &Source::Flag, file: Path::new(FILE), namespace: None, text: &text };
    let definition = read::definition(&mut fields, place);
    (definition, fields.diagnostics.into_iter().chain(unknown).collect())
}

/// Returns the warning for an unknown field. A program that sends one relies on it, unlike the author of a file.
fn without_effect(key: &str) -> Diagnostic {
    let key = becket_tools::schema::brief(key);
    let message = format!("`{key}` of an agent has no effect here");
    Diagnostic::new(Severity::Warning, "not-supported", message, Path::new(FILE).into(), Source::Flag)
}

fn finding(message: String) -> Diagnostic {
    let file = Path::new(FILE).into();
    Diagnostic::new(Severity::Error, "bad-agents-flag", message, file, Source::Flag).with_rule("C7")
}
