//! Calls by which an agent would act for a person: they are denied, whatever hooks answer.
//!
//! These are an input that contains the ID of a call that waits for a person, whatever program would get it; a command
//! line that runs `becket allow-once`, `becket trust` or `becket mcp approve`; a use of the file of allowed calls, and an
//! edit of a file that records what a person trusts.
//!
//! A text for the user may contain the ID: the reason of the denial tells the agent how its user allows the call.
//!
//! INVARIANT: a line that may run such a command, as far as its text shows, is denied. A line that hides the command,
//! the program and the ID is not recognised: `becket allow-once` itself refuses to run below an agent. IDs are random,
//! so a program can't compute one.

mod person_command;
mod person_file;
mod words;

use crate::Launch;
use crate::one_time_approval::OneTimeApprovals;
use becket_dialects::is_for_user;
use becket_model::{Event, EventBody, EventKind};
use becket_rules::shell::Line;
use becket_rules::tools::path_field;
use person_command::of_person;
use person_file::{CallTexts, PersonFile};
use serde_json::Value;

/// The approvals of a user, which no call of an agent may give.
#[derive(Debug, Default)]
pub struct PersonGate {
    /// The IDs of the calls that wait for a person.
    ids: Vec<String>,
    files: Vec<PersonFile>,
}

impl PersonGate {
    /// Returns the gate of the user of a session for events of a kind. A file that can't be read allows nothing, so it
    /// has no IDs.
    pub fn of(launch: &Launch, kind: EventKind) -> Self {
        if kind != EventKind::PreToolUse {
            return PersonGate::default();
        }
        let directory = launch.request().user_directory();
        let ids = directory.map(|directory| OneTimeApprovals::of(&directory).waiting());
        PersonGate { ids: ids.unwrap_or_default(), files: PersonFile::all(launch) }
    }

    /// Returns the reason for denying a call that only a person may make; `None` for all others.
    pub fn denial(&self, event: &Event) -> Option<String> {
        let EventBody::PreToolUse(call) = &event.body else { return None };
        if is_for_user(&call.tool_name) {
            return None;
        }
        let texts = texts(&call.tool_input);
        if let Some(id) = self.id_in(&texts) {
            return Some(format!(
                "the call contains `{id}`, the ID of a call that only a person may allow, at a terminal of their own"
            ));
        }
        let line = call.tool_input.get("command").and_then(Value::as_str).map(Line::parse);
        let texts = CallTexts {
            tool: &call.tool_name,
            cwd: &event.session.cwd,
            path: path_field(&call.tool_name).and_then(|key| call.tool_input.get(key)?.as_str()),
            texts: &texts,
            line: line.as_ref(),
        };
        if let Some(reason) = self.files.iter().find_map(|file| file.denial(&texts)) {
            return Some(reason);
        }
        let name = of_person(line.as_ref()?)?;
        Some(format!("`becket {name}` is for a person at a terminal, not for an agent"))
    }

    /// Returns the ID of a waiting call that one of the texts contains.
    fn id_in(&self, texts: &[&str]) -> Option<&str> {
        if self.ids.is_empty() {
            return None;
        }
        let joined: Vec<String> = texts.iter().map(|text| alphanumeric(text)).collect();
        let is_there = |id: &&String| joined.iter().any(|text| text.contains(id.as_str()));
        self.ids.iter().find(is_there).map(String::as_str)
    }
}

/// Returns all texts of an input, keys included.
fn texts(input: &serde_json::Map<String, Value>) -> Vec<&str> {
    let mut texts: Vec<&str> = input.keys().map(String::as_str).collect();
    let mut rest: Vec<&Value> = input.values().collect();
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) => texts.push(text),
            Value::Array(values) => rest.extend(values),
            Value::Object(fields) => {
                texts.extend(fields.keys().map(String::as_str));
                rest.extend(fields.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    texts
}

/// Returns the letters and digits of a text: quotes or other characters may interrupt an ID.
fn alphanumeric(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_model::Session;
    use becket_model::event::tool::PreToolUse;

    // rule: O10
    #[test]
    fn an_id_is_found_whatever_interrupts_it() {
        let gate = PersonGate { ids: vec!["0123456789ab".to_owned()], files: Vec::new() };
        for text in ["0123456789ab", "becket-full allow-once 0123\"\"456789ab", "'0123'\\456789AB"] {
            assert!(gate.id_in(&[text]).is_some(), "{text}");
        }
        for text in ["", "0123456789a", "0123456789a c"] {
            assert!(gate.id_in(&[text]).is_none(), "{text}");
        }
    }

    // rule: O10
    #[test]
    fn a_text_for_the_user_may_contain_an_id_and_no_other_call() {
        let gate = PersonGate { ids: vec!["k3x0123456".to_owned()], files: Vec::new() };
        for (tool, is_denied) in [
            ("AskUserQuestion", false),
            ("StructuredOutput", false),
            ("Bash", true),
            ("Write", true),
            ("TodoWrite", true),
        ] {
            let texts = serde_json::json!({"text": ["please type `becket allow-once k3x0123456`"]});
            let Value::Object(input) = texts else { unreachable!() };
            let call = PreToolUse::new(tool.to_owned(), input, "1".to_owned());
            let event = Event::new(Session::new("s", "/t", "/p"), call);
            assert_eq!(gate.denial(&event).is_some(), is_denied, "{tool}");
        }
    }
}
