//! Several hooks, one verdict: `becket-model/tests/cases/fold.json`, whose reader documents its fields.
//!
//! A hook of position 1 is the command `sh h1`. The limit of those that run out of time is a second and not a minute.

use super::form::{self, Case};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The fields of a verdict under their names in those cases, and their own.
const FIELDS: [(&str, &str); 15] = [
    ("updatedInput", "updatedInput"),
    ("input", "updatedInput"),
    ("permissions", "updatedPermissions"),
    ("interrupt", "interrupt"),
    ("content", "content"),
    ("path", "worktreePath"),
    ("updatedToolOutput", "updatedToolOutput"),
    ("updatedMCPToolOutput", "updatedMCPToolOutput"),
    ("displayContent", "displayContent"),
    ("sessionTitle", "sessionTitle"),
    ("initialUserMessage", "initialUserMessage"),
    ("retry", "retry"),
    ("reloadSkills", "reloadSkills"),
    ("suppressOriginalPrompt", "suppressOriginalPrompt"),
    ("classifierContext", "classifierContext"),
];

/// Converts a case.
///
/// # Errors
/// Errors if no hooks of a session answer in this way.
pub(super) fn turned(source: &Map<String, Value>) -> Result<Vec<Case>, String> {
    let event = source.get("event").and_then(Value::as_str).ok_or("it names no event")?;
    let mut case = Case::new(form::name(source), source, event)?;
    if source.get("agent_profile").is_some() {
        case.open.insert("profile".to_owned(), json!("agent"));
    }
    let (first, second) = (entries(source, "entries"), entries(source, "second"));
    let defers = first.values().any(|entry| json!(entry).to_string().contains("\"defer\""));
    case.open.insert("interactive".to_owned(), json!(source.contains_key("interactive") || !defers));
    if first.values().any(|entry| entry.contains_key("untrusted")) {
        case.open.insert("trust".to_owned(), json!(false));
    }
    let all: BTreeSet<&u64> = first.keys().chain(second.keys()).collect();
    let mut who = Map::new();
    for at in all {
        let source = hook(&mut case, *at, [first.get(at), second.get(at)])?;
        who.insert(format!("h{at}"), source);
    }
    case.expected = expected(source.get("want").unwrap_or(&Value::Null), &who)?;
    if let (false, Some(verdict)) = (case.callbacks.is_empty(), case.expected["verdict"].as_object_mut()) {
        // Each host names its hooks and describes their failures in its own way.
        verdict.remove("warnings");
        if case.callbacks.iter().any(|callback| callback.get("fails").is_some()) {
            verdict.remove("reason");
        }
    }
    Ok(vec![case])
}

/// Returns the entries of a list by their positions.
fn entries(source: &Map<String, Value>, key: &str) -> BTreeMap<u64, Map<String, Value>> {
    let entries =
        source.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    let at = |index, entry: &Map<String, Value>| entry.get("at").and_then(Value::as_u64).unwrap_or(index);
    (0..).zip(entries).map(|(index, entry)| (at(index, entry), entry.clone())).collect()
}

/// Adds a hook, by its entries in the first run and in the second; returns its source.
fn hook(case: &mut Case, at: u64, entries: [Option<&Map<String, Value>>; 2]) -> Result<Value, String> {
    let entry = entries[0].or(entries[1]).ok_or("a hook says nothing")?;
    let source = entry["source"].as_str().unwrap_or_default();
    let label = format!("h{at}");
    if source == "callback" {
        let answer = entry.get("json").map(|answer| ("answers", answer.clone()));
        let (word, what) = answer.unwrap_or(("fails", json!("boom")));
        case.callbacks.push(json!({"id": label, "event": case.event, word: what}));
        return Ok(source.into());
    }
    let handler = match entries {
        [first, Some(later)] => case.command_twice(&label, [first.unwrap_or(&Map::new()), later]),
        [_, None] => case.command(&label, entry),
    };
    case.add(source, handler)?;
    if entry.get("broken").is_some() {
        case.add(source, json!({"type": "nothing of the sort"}))?;
    }
    Ok(source.into())
}

fn expected(want: &Value, who: &Map<String, Value>) -> Result<Value, String> {
    let text = |key: &str| want[key].as_str().map(seconds);
    let result = match (want["blocks"] == true, want["asks"] == true) {
        (true, _) => "blocked",
        (false, true) => "waits",
        (false, false) => "passed",
    };
    let context: Vec<Value> =
        text("context").iter().flat_map(|text| text.split('\n')).map(|text| json!({"text": text})).collect();
    let mut verdict = json!({
        "ruling": text("ruling").unwrap_or_else(|| "none".to_owned()),
        "stop": text("stop").map(|why| json!({"reason": (why != "yes").then_some(why)})),
        "context": context,
        "messages": attributed(&want["messages"], who, false),
        "notices": attributed(&want["notices"], who, false),
        "failures": failures(want, who)?,
        "warnings": listed(&want["warnings"], |text| labelled(text, who)),
        "fields": fields(want)?,
    });
    if let (Some(reason), true) = (text("reason"), want["stop"].is_null()) {
        verdict["reason"] = Value::from(reason);
    }
    Ok(json!({"result": result, "verdict": verdict}))
}

/// Returns the failures, of which `unchecked` leave the action unchecked: all that are not plain errors.
fn failures(want: &Value, who: &Map<String, Value>) -> Result<Vec<Value>, String> {
    let failures = attributed(&want["failures"], who, true);
    let plain =
        failures.iter().filter(|one| one["text"].as_str().is_some_and(|text| !text.starts_with("not")));
    if (failures.len() - plain.count()) as u64 != want["unchecked"].as_u64().unwrap_or_default() {
        return Err(format!("it is not clear which of its failures are unchecked: {failures:?}"));
    }
    Ok(failures)
}

fn fields(want: &Value) -> Result<Map<String, Value>, String> {
    let mut fields = Map::new();
    for (word, name) in FIELDS {
        match (word, &want[word]) {
            (_, Value::Null) => {}
            ("permissions", Value::Array(attributed)) => {
                let bare =
                    attributed.iter().filter_map(|one| one.as_str()?.split_once(": ")).map(|(_, text)| text);
                let bare: Result<Value, _> = bare.map(serde_json::from_str::<Value>).collect();
                fields.insert(name.to_owned(), bare.map_err(|error| error.to_string())?);
            }
            (_, value) => {
                fields.insert(name.to_owned(), value.clone());
            }
        }
    }
    if let Some(paths) = want["watchPaths"].get("all") {
        fields.insert("watchPaths".to_owned(), paths.clone());
    }
    if let Some(action @ ("accept" | "decline" | "cancel")) = want["ruling"].as_str() {
        fields.insert("action".to_owned(), action.into());
    }
    Ok(fields)
}

/// Splits `h1: text` into the hook and the text.
fn attributed(list: &Value, who: &Map<String, Value>, fails: bool) -> Vec<Value> {
    let split = |one: &str| {
        let (label, text) = one.split_once(": ").unwrap_or(("", one));
        let text = seconds(text);
        let is_plain = text.starts_with("ended with exit code 1:");
        let text = if fails && !is_plain { format!("not checked: {text}") } else { text };
        match known_as(label, who) {
            Some(known) => json!({"source": who.get(label), "label": known, "text": text}),
            None => json!({"source": "callback"}),
        }
    };
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(split).collect()
}

fn listed(list: &Value, change: impl Fn(&str) -> String) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(change).collect()
}

/// Returns a text with the hooks' labels as in reports.
fn labelled(text: &str, who: &Map<String, Value>) -> String {
    who.keys().fold(text.to_owned(), |text, label| match known_as(label, who) {
        Some(known) => text.replace(&format!("`{label}`"), &format!("`{known}`")),
        None => text,
    })
}

/// Returns the name of a hook in reports; `None` for a hook of the host, which each host names differently.
fn known_as(label: &str, who: &Map<String, Value>) -> Option<String> {
    who.get(label).filter(|source| *source != "callback").map(|_| format!("sh {label}"))
}

fn seconds(text: &str) -> String {
    text.replace("after 60 s", "after 1 s")
}
