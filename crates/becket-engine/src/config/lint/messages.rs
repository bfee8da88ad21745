//! Lints on messages that do not reach their reader: a text for the model that the user is shown, an object of jq whose
//! keys no answer has.

use super::answers::{printed_literals, printing};
use super::{Entry, inline};
use crate::config::source::report::Report;
use becket_model::interpret::{self, HandlerOutput, OutputOrigin};
use becket_model::table::PlainStdout;
use becket_rules::shell::{Command, Line};
use serde_json::{Map, Value};

pub(super) fn lint(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) {
    for_the_model(text, line, entry, report);
    keys_of_no_answer(text, line, entry, report);
    keys_of_program(text, line, entry, report);
}

/// Notes a literal text that asks the model for something and is shown to the user (O2, O6).
fn for_the_model(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) {
    let spec = entry.event.spec();
    let is_shown = |literal: &str| {
        if literal.trim_start().starts_with('{') {
            system_message(literal).is_some_and(|message| is_request(&message))
        } else {
            spec.plain_stdout == PlainStdout::User && is_request(literal)
        }
    };
    let literals = printed_literals(text, line);
    let Some((command, _)) = literals.into_iter().find(|(_, literal)| is_shown(literal)) else { return };
    let at = report.part_of(entry.handler.action_span, text, command.raw());
    let message =
        "this text asks the model for something, and is shown to the user: the model does not read it";
    let help =
        "print `additionalContext` where the event has it, or write it to stderr and end with `exit 2`";
    report.note(at, "message-to-user", message).help(help).rule("O6");
}

/// Returns the `systemMessage` of an answer that says nothing to the model.
fn system_message(literal: &str) -> Option<String> {
    let Value::Object(answer) = serde_json::from_str(literal).ok()? else { return None };
    let is_alone =
        answer.keys().all(|key| matches!(key.as_str(), "systemMessage" | "continue" | "suppressOutput"));
    answer.get("systemMessage").filter(|_| is_alone)?.as_str().map(str::to_owned)
}

/// Returns whether a text is a request to the model and not a report.
fn is_request(text: &str) -> bool {
    const BEGINNINGS: [&str; 8] =
        ["Ask ", "Before you ", "Do not ", "You must ", "You MUST ", "Always ", "Never ", "When you "];
    const PARTS: [&str; 7] = [
        "AskUserQuestion",
        "you MUST",
        "You MUST",
        "you must",
        "Before responding",
        "before responding",
        "before you begin",
    ];
    let text = text.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
        || PARTS.iter().any(|part| text.contains(part))
}

/// Warns about an object that jq prints as the answer and of which no key counts (O5).
fn keys_of_no_answer(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) {
    let found = printing(text, line).find_map(|command| Some((command, unknown_keys(command, entry)?)));
    let Some((command, keys)) = found else { return };
    let at = report.part_of(entry.handler.action_span, text, command.raw());
    let message = format!(
        "jq prints JSON, which is read as an answer, and `{}` hooks have no output field `{}`: nobody reads it",
        entry.event,
        keys.join("`, `")
    );
    let help = "print only the text, with `jq -r`, or as `additionalContext` in `hookSpecificOutput`";
    report.warning(at, "answer-without-effect", message).help(help).rule("O5");
}

/// Returns the keys of the object that a program of jq builds, if no answer has any of them.
fn unknown_keys(command: &Command, entry: &Entry) -> Option<Vec<String>> {
    let words: Vec<&str> = command.words().map(Option::unwrap_or_default).collect();
    let ["jq", rest @ ..] = words.as_slice() else { return None };
    let program =
        rest.iter().map(|word| word.trim()).find(|word| word.starts_with('{') && word.ends_with('}'))?;
    let keys = keys(program)?;
    let answer: Map<String, Value> = keys.iter().map(|key| (key.clone(), Value::Bool(true))).collect();
    let text = Value::Object(answer).to_string();
    let printed = HandlerOutput { stdout: text.as_bytes(), ..HandlerOutput::nothing(OutputOrigin::Command) };
    let unknown = interpret::printed(entry.event.spec(), &printed).unknown_fields;
    let is_unknown = |key: &String| unknown.iter().any(|name| name.as_str() == key);
    (!keys.is_empty() && keys.iter().all(is_unknown)).then_some(keys)
}

/// Returns the keys of an object of jq; `None` if one of them is computed, or if it is not one object.
fn keys(program: &str) -> Option<Vec<String>> {
    let inner = program.strip_prefix('{')?.strip_suffix('}')?;
    let (mut depth, mut in_text, mut parts) = (0_usize, false, vec![String::new()]);
    for c in inner.chars() {
        match c {
            '"' => in_text = !in_text,
            '{' | '[' | '(' if !in_text => depth += 1,
            '}' | ']' | ')' if !in_text => depth = depth.checked_sub(1)?,
            ',' if !in_text && depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut()?.push(c);
    }
    let key = |part: &String| {
        let key = part.split(':').next()?.trim().trim_matches('"').to_owned();
        let is_name = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        is_name.then_some(key)
    };
    parts.iter().map(key).collect()
}

/// Reports a field of `hookSpecificOutput` in a program such as `python3 -c "…"` that the event does not have (O5).
fn keys_of_program(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) {
    const OTHERS: [&str; 5] = ["systemMessage", "\"decision\"", "'decision'", "continue", "stopReason"];
    let Some(program) = printing(text, line).find_map(inline::program) else { return };
    let Some(keys) = specific_keys(&program.replace("\\\"", "\"")) else { return };
    let keys: Vec<String> = keys.into_iter().filter(|key| key != "hookEventName").collect();
    let unknown: Vec<&String> = keys.iter().filter(|key| is_unknown(key, entry)).collect();
    let Some(first) = unknown.first() else { return };
    let is_all = unknown.len() == keys.len() && !OTHERS.iter().any(|other| program.contains(other));
    let at = report.part_of(entry.handler.action_span, text, first);
    let message = format!("`{}` hooks have no output field `{first}`: it has no effect", entry.event);
    let help = format!("`becket events {}` lists the fields that count", entry.event);
    report.never_works(is_all, at, "answer-without-effect", message).help(help).rule("O5");
}

/// Returns whether the output of an event has no such field.
fn is_unknown(key: &str, entry: &Entry) -> bool {
    let spec = entry.event.spec();
    let answer = serde_json::json!({"hookSpecificOutput": {"hookEventName": entry.event.name(), key: true}});
    let text = answer.to_string();
    let printed = HandlerOutput { stdout: text.as_bytes(), ..HandlerOutput::nothing(OutputOrigin::Command) };
    interpret::printed(spec, &printed).unknown_fields.iter().any(|name| name.as_str().ends_with(key))
}

/// Returns the keys of the object that a program writes behind `hookSpecificOutput`; `None` if they are computed.
fn specific_keys(program: &str) -> Option<Vec<String>> {
    let (_, after) = program.split_once("hookSpecificOutput")?;
    let object = after.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':')?.trim_start();
    let (mut rest, mut keys) = (object.strip_prefix('{')?, Vec::new());
    loop {
        let word = rest.trim_start().trim_start_matches(['"', '\'']);
        let length = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.len());
        let (key, after) = word.split_at(length);
        if key.is_empty() {
            return after.starts_with('}').then_some(keys);
        }
        keys.push(key.to_owned());
        let value = after.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':');
        let (end, after) = end_of_value(value.unwrap_or(after))?;
        if end == '}' {
            return Some(keys);
        }
        rest = after;
    }
}

/// Returns the `,` or `}` behind a value, and what follows it.
fn end_of_value(text: &str) -> Option<(char, &str)> {
    let (mut depth, mut quote, mut is_escaped) = (0_usize, None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if std::mem::take(&mut is_escaped) => {}
            (_, '\\') => is_escaped = true,
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '{' | '[' | '(') => depth += 1,
            (None, ',' | '}') if depth == 0 => return Some((c, text.get(at + 1..)?)),
            (None, '}' | ']' | ')') => depth = depth.checked_sub(1)?,
            (None, _) => {}
        }
    }
    None
}
