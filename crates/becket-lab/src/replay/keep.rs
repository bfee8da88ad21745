//! Calls of the past as cases for `becket test`.

use super::cause;
use super::places::{moved, root_of};
use super::report::{HandlerStatus, ReplayReport, ReportInput, status};
use super::run::locked;
use super::tally::Example;
use super::word::holds_back;
use crate::case_text::{quoted, written};
use crate::handler_name;
use becket_engine::handler::Handler;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The placeholder for the root of the throw-away project in inputs.
const ROOT: &str = "${PROJECT}";
/// Fields that a case does not repeat.
const OF_SESSION: [&str; 6] =
    ["session_id", "transcript_path", "cwd", "permission_mode", "tool_use_id", "agent_id"];
/// The maximum number of names of files that are tried.
const MOST_FILES: u32 = 10_000;

/// Cases, as text for a case file.
#[derive(Debug, Default)]
pub struct KeptCases(Vec<String>);

impl KeptCases {
    /// Returns the number of cases.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no cases.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes the first `most` cases to a new file in `directory`; never overwrites a file.
    ///
    /// # Errors
    /// Errors if the file can't be written.
    pub fn write(&self, most: usize, directory: &Path) -> io::Result<Option<PathBuf>> {
        if self.0.is_empty() || most == 0 {
            return Ok(None);
        }
        fs::create_dir_all(directory)?;
        let text: Vec<&str> = self.0.iter().take(most).map(String::as_str).collect();
        let (path, mut file) = new_file(directory)?;
        file.write_all(text.join("\n").as_bytes())?;
        Ok(Some(path))
    }
}

/// Creates the first file `replay-N.toml` that does not exist yet.
fn new_file(directory: &Path) -> io::Result<(PathBuf, File)> {
    for number in 1..MOST_FILES {
        let path = case_file(directory, number);
        match File::create_new(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there are too many kept files"))
}

/// Returns the path of a file of kept cases.
pub fn case_file(directory: &Path, number: u32) -> PathBuf {
    directory.join(format!("replay-{number}.toml"))
}

/// Returns the cases of a replay: first the differences from another configuration or the record, then a call for each
/// decision that denies or blocks.
pub(super) fn candidates(seen: &ReportInput<'_>, _report: &ReplayReport) -> KeptCases {
    let mut cases = Cases { seen, names: BTreeSet::new(), written: Vec::new() };
    if seen.new.is_some() {
        for (key, difference) in &seen.tally.differences {
            let by = difference.present.first().and_then(|key| seen.present.handler(*key));
            let by = by.filter(|_| difference.present.len() == 1);
            let why = format!("{} becomes {}: {}", key.before, key.after, key.cause);
            cases.add(difference.counted.example.as_ref(), key.before, by.as_ref(), &why);
        }
        return KeptCases(cases.written);
    }
    let tallies = locked(&seen.present.handlers).clone();
    for (key, tally) in &tallies {
        let handler = seen.present.handler(*key);
        if status(tally).0 == HandlerStatus::NotReplayable {
            continue;
        }
        for ((recorded, replayed, _), counted) in &tally.disagreements {
            let by = handler.as_ref().filter(|_| holds_back(recorded));
            let why = format!("{recorded} is recorded, and {replayed} is the answer now");
            cases.add(counted.example.as_ref(), recorded, by, &why);
        }
    }
    for (key, tally) in &tallies {
        let Some(handler) = seen.present.handler(*key) else { continue };
        if status(tally).0 == HandlerStatus::NotReplayable {
            continue;
        }
        let held = tally.shapes.values().flatten().filter(|(word, _)| holds_back(word));
        for (word, counted) in held {
            cases.add(counted.example.as_ref(), word, Some(&handler), "as it is decided now");
        }
    }
    KeptCases(cases.written)
}

/// Cases that are being written.
struct Cases<'a> {
    seen: &'a ReportInput<'a>,
    names: BTreeSet<String>,
    written: Vec<String>,
}

impl Cases<'_> {
    fn add(&mut self, example: Option<&Example>, wanted: &str, by: Option<&Arc<Handler>>, why: &str) {
        let Some(example) = example else { return };
        // A case can't expect a failure or a context.
        let decision = if matches!(wanted, "failed" | "context" | "rewrite") { "pass" } else { wanted };
        let shown = self.seen.shown(example);
        let name =
            format!("{} {decision}: {shown}", by.map_or_else(|| "hooks".to_owned(), |by| cause::name(by)));
        if !self.names.insert(name.clone()) {
            return;
        }
        let mut want = format!("{{ decision = {}", quoted(decision));
        if let Some(by) = by {
            want.push_str(&format!(", by = {}", quoted(&self.name_for_case(by))));
        }
        want.push_str(" }");
        let event = &example.event;
        let redactor = self.seen.redactor_of(example);
        let root = root_of(&event.root, &self.seen.replay.subject.root);
        let clean = |text: &str| redactor.redact(&moved(text, root, ROOT));
        let mut input = Map::new();
        for (field, value) in &event.fields {
            if !OF_SESSION.contains(&field.as_str()) {
                input.insert(field.clone(), cleaned(value, &clean));
            }
        }
        let place = format!("{}:{}", event.file.display(), event.line);
        let head = format!("# {}\n# {}\n", redactor.redact(&place), redactor.redact(&why.replace('\n', " ")));
        let mode = event.text("permission_mode").filter(|mode| *mode != "default");
        let mode = mode.map(|mode| format!("mode = {}\n", quoted(mode))).unwrap_or_default();
        let case = written(&name, event.kind, &input, &want);
        self.written.push(format!("{head}{case}{mode}"));
    }

    /// Returns a name that only this handler has.
    fn name_for_case(&self, handler: &Handler) -> String {
        let hooks = self.seen.present.copy.engine.host().hooks();
        let short = handler_name::short(handler);
        match handler_name::resolve(&short, handler.event.name(), hooks.of(handler.event)) {
            Ok(_) => short,
            Err(_) => format!("{}:{}", handler_name::place(handler), handler.location.column),
        }
    }
}

fn cleaned(value: &Value, clean: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(clean(text)),
        Value::Array(values) => values.iter().map(|value| cleaned(value, clean)).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), cleaned(value, clean))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
