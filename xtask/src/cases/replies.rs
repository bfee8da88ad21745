//! The output of one command and its effect: `becket-model/tests/cases/output.json`, whose reader documents the fields.
//! The hook is the user's, and its command is `sh h0`.

use super::form::{self, Case};
use serde_json::{Map, Value, json};

/// Converts a case.
///
/// # Errors
/// Errors if no command answers in this way.
pub(super) fn turned(source: &Map<String, Value>) -> Result<Vec<Case>, String> {
    let event = source.get("event").and_then(Value::as_str).ok_or("it names no event")?;
    if let Some(by) = source.get("by") {
        return Err(format!("it is answered by `{by}`, not by a command"));
    }
    let mut case = Case::new(form::name(source), source, event)?;
    case.open.insert("interactive".to_owned(), json!(false));
    let handler = case.command("h0", source);
    case.add("user", handler)?;
    let want = source.get("want").unwrap_or(&Value::Null);
    case.expected = expected(event, want)?;
    if source.contains_key("closed") && want["failure"].is_string() {
        let (ruling, fields) = closed(event);
        case.expected["verdict"]["ruling"] = json!(ruling);
        case.expected["verdict"]["fields"] = fields;
    }
    if source.contains_key("closed") && announces(source) {
        case.expected["hooks"][0]["warnings"] = json!([STAYS]);
    }
    Ok(vec![case])
}

/// The warning for a hook that announces a background run but must not leave its event (A2).
const STAYS: &str =
    "it did not go on in the background: its `onFailure` is `block`, so the event waits for its answer";

/// Returns whether the first line of the output announces that the hook continues in the background.
fn announces(source: &Map<String, Value>) -> bool {
    let first = source.get("stdout").and_then(Value::as_str).and_then(|text| text.lines().next());
    let first = first.and_then(|line| serde_json::from_str::<Value>(line).ok());
    first.is_some_and(|first| first["async"] == true)
}

fn expected(event: &str, want: &Value) -> Result<Value, String> {
    let decided = decided(event, want["decision"].as_str())?;
    let mut fields = want["fields"].as_object().cloned().unwrap_or_default();
    fields.extend(decided.fields);
    for (word, name) in
        [("input", "updatedInput"), ("permissions", "updatedPermissions"), ("content", "content")]
    {
        if !want[word].is_null() {
            fields.insert(name.to_owned(), want[word].clone());
        }
    }
    let rejected = decided.ruling == "block" && event.starts_with("UserPrompt");
    let context = if rejected { Vec::new() } else { texts(&want["context"], "plain: ") };
    let stop = match &want["stop"] {
        Value::Null => Value::Null,
        Value::String(reason) => json!({"reason": reason}),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => json!({"reason": null}),
    };
    let failed = want["failure"].is_string();
    let message = want["message"].as_str().map(|text| json!({"to": "user", "text": text}));
    Ok(json!({
        "hooks": [{
            "source": "user",
            "label": "sh h0",
            "kind": "command",
            "decision": decided.word,
            "reason": decided.reason,
            "failure": want["failure"],
            "warnings": warnings(want),
        }],
        "verdict": {
            "ruling": if failed && event == "WorktreeCreate" { "failed" } else { decided.ruling },
            "stop": stop,
            "context": context,
            "messages": message.as_slice(),
            "notices": notices(&want["notices"]),
            "failures": failures(want),
            "fields": fields,
        },
    }))
}

/// Returns the ruling and the fields for a failure under `onFailure: "block"`.
fn closed(event: &str) -> (&'static str, Value) {
    match event {
        "PreToolUse" | "PermissionRequest" => ("deny", json!({})),
        "Elicitation" | "ElicitationResult" => ("decline", json!({"action": "decline"})),
        _ => ("block", json!({})),
    }
}

/// The effect of a single decision.
struct DecisionCase<'a> {
    word: Option<&'static str>,
    reason: Option<&'a str>,
    ruling: &'static str,
    fields: Map<String, Value>,
}

/// Parses `deny by exit 2: why` and similar texts.
fn decided<'a>(event: &str, words: Option<&'a str>) -> Result<DecisionCase<'a>, String> {
    let Some(words) = words else {
        return Ok(DecisionCase { word: None, reason: None, ruling: "none", fields: Map::new() });
    };
    let (head, reason) = words.split_once(": ").map_or((words, None), |(head, reason)| (head, Some(reason)));
    let head = head.split_once(" by ").map_or(head, |(word, _)| word);
    let one = |name: &str, value: Value| Map::from_iter([(name.to_owned(), value)]);
    let (word, ruling, fields) = match head {
        "allow" | "request allow" => ("allow", "allow", Map::new()),
        "ask" => ("ask", "ask", Map::new()),
        "defer" => ("defer", "defer", Map::new()),
        "deny" | "request deny" => ("deny", "deny", Map::new()),
        "request deny and interrupt" => ("deny", "deny", one("interrupt", json!(true))),
        "block" if event == "WorktreeCreate" => ("block", "failed", Map::new()),
        "block" => ("block", "block", Map::new()),
        "accept" => ("accept", "accept", one("action", json!("accept"))),
        "cancel" => ("cancel", "cancel", one("action", json!("cancel"))),
        "decline" => ("decline", "decline", one("action", json!("decline"))),
        _ => match words.strip_prefix("worktree ") {
            Some(path) => return Ok(worktree(path)),
            None => return Err(format!("`{words}` is not a decision that is known here")),
        },
    };
    Ok(DecisionCase { word: Some(word), reason, ruling, fields })
}

fn worktree(path: &str) -> DecisionCase<'_> {
    let fields = Map::from_iter([("worktreePath".to_owned(), json!(path))]);
    DecisionCase { word: Some("created"), reason: Some(path), ruling: "created", fields }
}

fn texts(list: &Value, without: &str) -> Vec<Value> {
    let texts = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.map(|text| json!({"text": text.strip_prefix(without).unwrap_or(text)})).collect()
}

/// Splits `user: text` into the audience and the text.
fn notices(list: &Value) -> Vec<Value> {
    let notices = list.as_array().into_iter().flatten().filter_map(|one| one.as_str()?.split_once(": "));
    notices.map(|(to, text)| json!({"to": to, "text": text})).collect()
}

/// Returns the failure, and the refusals that were not read.
fn failures(want: &Value) -> Vec<Value> {
    let failure = want["failure"].is_string().then(|| json!({"source": "user", "label": "sh h0"}));
    let lost = want["lost"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let lost =
        lost.map(|text| json!({"source": "user", "label": "sh h0", "text": format!("not checked: {text}")}));
    failure.into_iter().chain(lost).collect()
}

fn warnings(want: &Value) -> Vec<Value> {
    want["warnings"].as_array().cloned().unwrap_or_default()
}
