//! Matchers, conditions and permission rules: the case files of `becket-rules`.
//!
//! Their session is in `/work/app` and their user's home is `/home/ann`; here these are `[ROOT]/project` and `[ROOT]/home`.

use super::form::{self, Case};
use becket_model::EventKind;
use becket_rules::tools;
use serde_json::{Map, Value, json};

/// Converts a value that a matcher is tested against to a separate case, which shows whether a hook runs.
///
/// # Errors
/// Errors if no settings file can express it.
pub(super) fn matcher(source: &Map<String, Value>) -> Result<Vec<Case>, String> {
    let (event, subject) = match source.get("names").and_then(Value::as_str) {
        _ if source.contains_key("narrow") => ("StopFailure", "error"),
        None => ("PreToolUse", "tool_name"),
        Some("none") => ("SubagentStart", "agent_type"),
        Some(other) => return Err(format!("there is no event with the names `{other}`")),
    };
    let values = |key: &str| source.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let both = values("yes").into_iter().map(|value| (value, true));
    let both = both.chain(values("no").into_iter().map(|value| (value, false)));
    let given = source.get("matcher").cloned().unwrap_or(Value::Null);
    both.map(|(value, runs)| {
        let mut case = Case::new(format!("matcher {given} on {value}"), source, event)?;
        case.input.insert(subject.to_owned(), value);
        let group = json!({"matcher": given, "hooks": [{"type": "command", "command": "true"}]});
        case.settings("user")?["hooks"][event] = json!([group]);
        case.expected = ran(runs);
        Ok(case)
    })
    .collect()
}

/// Converts a case about the condition of a hook.
///
/// # Errors
/// Errors if the call can't be read.
pub(super) fn condition(source: &Map<String, Value>) -> Result<Vec<Case>, String> {
    let mut case = about_a_call(source)?;
    case.add("project", json!({"type": "command", "command": "true", "if": source["if"]}))?;
    case.expected = ran(source["is"] != "no");
    placed(case)
}

/// Converts a case about permission rules and a call.
///
/// # Errors
/// Errors if the call can't be read.
pub(super) fn call(source: &Map<String, Value>) -> Result<Vec<Case>, String> {
    let mut case = about_a_call(source)?;
    for list in ["allow", "ask", "deny"] {
        if let Some(rules) = source.get(list) {
            case.settings("project")?["permissions"][list] = rules.clone();
        }
    }
    let (settlement, result) = match source["is"].as_str() {
        Some("allow") => ("allowed", "passed"),
        Some("ask") => ("asked", "waits"),
        Some("deny") => ("denied", "blocked"),
        _ => ("open", "passed"),
    };
    case.expected = json!({"result": result, "verdict": {"ruling": "none", "settlement": settlement}});
    placed(case)
}

/// Converts a case about a hook's allow for a call that removes files.
///
/// # Errors
/// Errors if the call can't be read.
pub(super) fn removal(source: &Map<String, Value>) -> Result<Vec<Case>, String> {
    let mut case = about_a_call(source)?;
    let own = json!({"hookEventName": "PreToolUse", "permissionDecision": "allow"});
    let reply = Map::from_iter([("json".to_owned(), json!({"hookSpecificOutput": own}))]);
    let handler = case.command("h0", &reply);
    case.add("user", handler)?;
    let is_critical = source["is"] == "critical";
    let settlement = if is_critical { "asked" } else { "allowed" };
    let result = if is_critical { "waits" } else { "passed" };
    case.expected = json!({"result": result, "verdict": {"ruling": "allow", "settlement": settlement}});
    placed(case)
}

fn ran(runs: bool) -> Value {
    let hooks = if runs { json!([{"label": "true", "status": "success"}]) } else { json!([]) };
    json!({"result": "passed", "hooks": hooks})
}

/// Returns a case about a call, for hooks and rules. A text alone is the tool's main field.
fn about_a_call(source: &Map<String, Value>) -> Result<Case, String> {
    let mut case = Case::new(form::name(source), source, EventKind::PreToolUse.name())?;
    case.open.insert("interactive".to_owned(), json!(true));
    let tool = source.get("tool").and_then(Value::as_str).ok_or("it names no tool")?;
    let input = match source.get("input") {
        Some(Value::Object(input)) => Value::Object(input.clone()),
        Some(text) => json!({main_field(tool)?: text}),
        None => return Err("it has no input".to_owned()),
    };
    case.input.insert("tool_name".to_owned(), json!(tool));
    case.input.insert("tool_input".to_owned(), input);
    if source.contains_key("homeless") {
        return Err("every session has a home".to_owned());
    }
    if let Some(links) = source.get("links").and_then(Value::as_object) {
        for (from, to) in links {
            let below = from.strip_prefix("/work/app").ok_or("a link lies outside of the project")?;
            case.links.insert(format!("project{below}"), to.clone());
        }
    }
    Ok(case)
}

fn main_field(tool: &str) -> Result<&'static str, String> {
    let field = tools::find(tool).and_then(|tool| tool.primary.field());
    field.ok_or_else(|| format!("`{tool}` has no main field"))
}

/// Returns the case with the directories of its session.
fn placed(mut case: Case) -> Result<Vec<Case>, String> {
    let change = |map: &Map<String, Value>| {
        let text = Value::Object(map.clone()).to_string();
        let text = text.replace("/work/app", "[ROOT]/project").replace("/home/ann", "[ROOT]/home");
        serde_json::from_str(&above(&text)).map_err(|error| error.to_string())
    };
    case.input = change(&case.input)?;
    case.files = change(&case.files)?;
    case.links = change(&case.links)?;
    Ok(vec![case])
}

/// Replaces `/work`, the directory above the project, but not a longer name that begins with it.
fn above(text: &str) -> String {
    let mut parts = text.split("/work");
    let mut placed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let goes_on = part.starts_with(|next: char| next.is_alphanumeric());
        placed.push_str(if goes_on { "/work" } else { "[ROOT]" });
        placed.push_str(part);
    }
    placed
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_the_whole_name_is_a_place() {
        assert_eq!(
            super::above("a /work b /work/etc /worktrees/w //work"),
            "a [ROOT] b [ROOT]/etc /worktrees/w /[ROOT]"
        );
    }
}
