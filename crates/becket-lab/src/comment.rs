//! Cases in comments of the hooks themselves: `# becket: deny Bash git push origin main`.
//!
//! A comment begins with `#`, `//` or `--`, followed by `becket:`, a decision, a tool or an event, and the rest of the
//! line: the tool's main field as it is, or the whole input as JSON.

use crate::case::{Case, CaseOrigin, DECISIONS, ExpectedOutcome, Step};
use crate::case_file::CaseFileError;
use crate::handler_name;
use becket_engine::handler::Handler;
use becket_model::EventKind;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Reads the cases in the comments of a hook's file; `handlers` are those that run it.
///
/// # Errors
/// Returns an error for each comment that is not a case.
pub fn read(file: &Path, text: &str, handlers: &[Arc<Handler>]) -> (Vec<Case>, Vec<CaseFileError>) {
    let (mut cases, mut errors) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let Some((column, comment)) = comment_of(line) else { continue };
        let origin = CaseOrigin { file: file.to_owned(), line: number + 1, column, index: None };
        match case(comment, &origin, handlers) {
            Ok(case) => cases.push(case),
            Err(what) => errors.push(CaseFileError { origin, what }),
        }
    }
    (cases, errors)
}

/// Returns the text after `becket:` in a comment, and the column of the comment.
fn comment_of(line: &str) -> Option<(usize, &str)> {
    let trimmed = line.trim_start();
    let inner = ["#", "//", "--"].into_iter().find_map(|mark| trimmed.strip_prefix(mark))?;
    let comment = inner.trim_start().strip_prefix("becket:")?;
    Some((line.chars().count() - trimmed.chars().count() + 1, comment.trim()))
}

fn case(comment: &str, origin: &CaseOrigin, handlers: &[Arc<Handler>]) -> Result<Case, String> {
    let mut words = comment.splitn(3, char::is_whitespace);
    let (decision, subject) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let rest = words.next().unwrap_or_default().trim();
    if !DECISIONS.contains(&decision) {
        let hint = match becket_base::suggest(decision, &DECISIONS) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => format!("; write one of {}", DECISIONS.join(", ")),
        };
        return Err(format!("`{decision}` is not a decision{hint}"));
    }
    if subject.is_empty() {
        return Err(format!("name a tool or an event: `# becket: {decision} Bash COMMAND`"));
    }
    let (event, input) = event_and_input(subject, rest, handlers)?;
    let by =
        handlers.iter().find(|handler| handler.event == event).map(|handler| handler_name::short(handler));
    let want = ExpectedOutcome {
        decision: Some(decision.to_owned()),
        by: by.filter(|_| decision != "pass"),
        ..ExpectedOutcome::default()
    };
    Ok(Case {
        name: comment.to_owned(),
        origin: origin.clone(),
        steps: vec![Step { event, input, files: BTreeMap::new(), want }],
        files: BTreeMap::new(),
        git: None,
        environment: BTreeMap::new(),
        replies: Vec::new(),
    })
}

/// Returns the event that a comment is about and its input. A tool is assigned to the first event about tool calls that
/// has a handler of this file.
fn event_and_input(
    subject: &str,
    rest: &str,
    handlers: &[Arc<Handler>],
) -> Result<(EventKind, Map<String, Value>), String> {
    if let Ok(event) = subject.parse::<EventKind>() {
        let input = if rest.is_empty() { Map::new() } else { object(rest)? };
        return Ok((event, input));
    }
    let about_tools = |event: EventKind| event.spec().input.iter().any(|field| field.name == "tool_name");
    let events = EventKind::ALL.into_iter().filter(|event| about_tools(*event));
    let has_handler = |event: &EventKind| handlers.iter().any(|handler| handler.event == *event);
    let event = events.into_iter().find(has_handler).ok_or_else(|| {
        format!("`{subject}` is not an event, and no hook of this file is about tool calls")
    })?;
    let tool_input = if rest.starts_with('{') {
        object(rest)?
    } else {
        let field = becket_rules::tools::find(subject).and_then(|tool| tool.primary.field());
        let field = field.ok_or_else(|| {
            format!("the main input of `{subject}` is not known: write the input as a JSON object")
        })?;
        Map::from_iter([(field.to_owned(), Value::String(rest.to_owned()))])
    };
    let mut input = Map::new();
    input.insert("tool_name".to_owned(), Value::String(subject.to_owned()));
    input.insert("tool_input".to_owned(), Value::Object(tool_input));
    Ok((event, input))
}

fn object(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| format!("the input is not a JSON object: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_every_language_are_found() {
        for (line, found) in [
            ("# becket: deny Bash rm -rf /", Some((1, "deny Bash rm -rf /"))),
            ("  // becket: pass Bash ls", Some((3, "pass Bash ls"))),
            ("-- becket:ask Bash x", Some((1, "ask Bash x"))),
            ("echo '# becket: deny'", None),
            ("# beckett: deny", None),
        ] {
            assert_eq!(comment_of(line), found, "{line}");
        }
    }
}
