//! The subject of a permission: the tool, all of its input, its requester and the reason.
//!
//! INVARIANT: no line of untrusted text, and none of its wrapped rows, begins like one of the prompt's own lines.

use super::super::document::Document;
use super::super::markdown::Markdown;
use super::commands;
use super::diff::Diff;
use super::update::describe;
use crate::report::style::{FAINT, HEAD, SOURCE, WARNING, one_line, plain, styled};
use becket_agent::tool_call::PermissionPrompt;
use serde_json::{Map, Value};

/// The number of characters of a name that are shown.
const NAME: usize = 100;
/// The indentation of a text below its name, and of its continuation rows.
const TEXT: usize = 4;
const WRAPPED: usize = 6;
/// The indentation of the continuation rows of a value beside its name.
const VALUE: usize = 4;

/// Returns the call, its requester, and the reason for the prompt; `diff` replaces the fields of a call that changes a
/// file.
pub(super) fn document(prompt: &PermissionPrompt, diff: Option<&Diff>) -> Document {
    let mut document = Document::default();
    let who = match &prompt.agent_id {
        Some(agent) => {
            format!(" {}", styled(SOURCE, &format!("for the agent {}", one_line(agent, NAME))))
        }
        None => String::new(),
    };
    let tool = styled(HEAD, &one_line(&prompt.tool, NAME));
    document.heading(&format!("{} {tool}{who}", styled(WARNING, "permission:")), VALUE);
    input(&mut document, prompt, diff);
    field(&mut document, "asked because", &prompt.because);
    if !prompt.suggestions.is_empty() {
        document.heading(&format!("  {}", styled(FAINT, "with \"don't ask again\":")), VALUE);
        let updates = prompt.suggestions.iter().map(|change| {
            let words = one_line(&describe(change), usize::MAX);
            format!("{:TEXT$}{words}", "")
        });
        document.text(updates, WRAPPED);
    }
    document
}

fn input(document: &mut Document, prompt: &PermissionPrompt, diff: Option<&Diff>) {
    let text = |key: &str| prompt.input.get(key).and_then(Value::as_str);
    match (prompt.tool.as_str(), text("plan"), text("command"), diff) {
        ("ExitPlanMode", Some(plan), ..) => {
            fields(document, &prompt.input, &["plan"]);
            let mut markdown = Markdown::default();
            document.text(plan.lines().map(|line| format!("{:TEXT$}{}", "", markdown.line(line))), WRAPPED);
        }
        ("Bash", _, Some(command), _) => {
            fields(document, &prompt.input, &[]);
            commands::list(document, command);
        }
        (.., Some(diff)) => {
            fields(document, &prompt.input, diff.stands_for);
            document.heading(&format!("  {}", styled(FAINT, &diff.title)), VALUE);
            document.text(diff.lines.iter().cloned(), WRAPPED);
        }
        _ => fields(document, &prompt.input, &[]),
    }
}

/// Adds all fields except those that are shown elsewhere.
fn fields(document: &mut Document, input: &Map<String, Value>, but: &[&str]) {
    for (name, value) in input.iter().filter(|(name, _)| !but.contains(&name.as_str())) {
        match value {
            Value::String(text) => field(document, name, text),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                field(document, name, &serde_json::to_string_pretty(value).unwrap_or_default());
            }
        }
    }
}

/// Adds a text after its name, or below it if it has several lines.
fn field(document: &mut Document, name: &str, text: &str) {
    let name = styled(FAINT, &format!("{}:", one_line(name, NAME)));
    let text = plain(text);
    match text.contains('\n') {
        true => {
            document.heading(&format!("  {name}"), VALUE);
            document.text(text.split('\n').map(|line| format!("{:TEXT$}{line}", "")), WRAPPED);
        }
        false => document.text([format!("  {name} {text}")], VALUE),
    }
}
