//! Hooks in the native form of an agent, without Becket: the output of `becket translate`.

use crate::agent::{AgentConfig, ConfigForm, ListEntry};
use serde_json::{Map, Value, json};

/// A hook in the terms of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeHook {
    /// The event by its name in the configuration.
    pub event: String,
    /// The tools that it runs for; `None` for all.
    pub matcher: Option<String>,
    /// The command.
    pub command: String,
    /// The time limit in the unit of the configuration.
    pub limit: Option<u64>,
}

/// Returns the configuration of an agent with these hooks alone; `None` if it has no configuration of commands.
pub fn translated(agent: &AgentConfig, hooks: &[NativeHook]) -> Option<String> {
    match agent.form {
        ConfigForm::Groups { .. } | ConfigForm::List(_) => {
            Some(format!("{:#}\n", as_json(agent.form, hooks)))
        }
        ConfigForm::Tables => Some(hooks.iter().map(table).collect::<Vec<_>>().join("\n")),
        ConfigForm::Sequences => Some(sequences(hooks)),
        ConfigForm::Scripts | ConfigForm::Plugin(_) => None,
    }
}

/// Returns true if an entry of the form can name its tools.
pub const fn takes_matcher(form: ConfigForm) -> bool {
    !matches!(form, ConfigForm::List(ListEntry::Copilot | ListEntry::Windsurf) | ConfigForm::Scripts)
}

fn as_json(form: ConfigForm, hooks: &[NativeHook]) -> Value {
    let mut events = Map::new();
    for hook in hooks {
        let list = events.entry(hook.event.clone()).or_insert_with(|| json!([]));
        list.as_array_mut().into_iter().for_each(|list| list.push(element(form, hook)));
    }
    match form {
        ConfigForm::List(ListEntry::Copilot | ListEntry::Cursor) => json!({"version": 1, "hooks": events}),
        ConfigForm::List(ListEntry::Windsurf)
        | ConfigForm::Groups { .. }
        | ConfigForm::Tables
        | ConfigForm::Sequences
        | ConfigForm::Scripts
        | ConfigForm::Plugin(_) => json!({"hooks": events}),
    }
}

fn element(form: ConfigForm, hook: &NativeHook) -> Value {
    let mut entry = Map::new();
    let mut put = |key: &str, value: Option<Value>| entry.extend(value.map(|value| (key.to_owned(), value)));
    let limit = hook.limit.map(|limit| json!(limit));
    let (command, matcher) = (Some(json!(hook.command)), hook.matcher.as_ref().map(|text| json!(text)));
    match form {
        ConfigForm::List(ListEntry::Copilot) => {
            put("type", Some(json!("command")));
            put("bash", command);
            put("timeoutSec", limit);
        }
        ConfigForm::List(ListEntry::Cursor) => {
            put("command", command);
            put("matcher", matcher);
            put("timeout", limit);
        }
        ConfigForm::List(ListEntry::Windsurf) => {
            put("command", command);
        }
        ConfigForm::Groups { .. }
        | ConfigForm::Tables
        | ConfigForm::Sequences
        | ConfigForm::Scripts
        | ConfigForm::Plugin(_) => {
            put("type", Some(json!("command")));
            put("command", command);
            put("timeout", limit);
            let mut group = Map::new();
            group.extend(matcher.map(|matcher| ("matcher".to_owned(), matcher)));
            group.insert("hooks".to_owned(), json!([entry]));
            return Value::Object(group);
        }
    }
    Value::Object(entry)
}

fn table(hook: &NativeHook) -> String {
    let quoted = |text: &str| toml_edit::Value::from(text).to_string();
    let matcher =
        hook.matcher.as_ref().map(|text| format!("matcher = {}\n", quoted(text))).unwrap_or_default();
    let limit = hook.limit.map(|limit| format!("timeout = {limit}\n")).unwrap_or_default();
    format!(
        "[[hooks]]\nevent = {}\n{matcher}command = {}\n{limit}",
        quoted(&hook.event),
        quoted(&hook.command)
    )
}

fn sequences(hooks: &[NativeHook]) -> String {
    let mut text = "hooks:\n".to_owned();
    let mut events: Vec<&str> = Vec::new();
    for hook in hooks.iter().filter(|hook| !hook.event.is_empty()) {
        if events.contains(&hook.event.as_str()) {
            continue;
        }
        events.push(&hook.event);
        text.push_str(&format!("  {}:\n", hook.event));
        for hook in hooks.iter().filter(|other| other.event == hook.event) {
            text.push_str(&format!("    - command: {}\n", json!(hook.command)));
            if let Some(matcher) = &hook.matcher {
                text.push_str(&format!("      matcher: {}\n", json!(matcher)));
            }
            if let Some(limit) = hook.limit {
                text.push_str(&format!("      timeout: {limit}\n"));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_can_be_read_again() {
        let hook = |event: &str, matcher: Option<&str>| NativeHook {
            event: event.to_owned(),
            matcher: matcher.map(str::to_owned),
            command: "echo \"a: b\" # c".to_owned(),
            limit: Some(5),
        };
        let text = |name: &str, hooks: &[NativeHook]| translated(crate::agent(name).unwrap(), hooks);
        let two = [hook("a", Some("x|y")), hook("b", None), hook("a", None)];
        let gemini: Value = serde_json::from_str(&text("gemini", &two).unwrap()).unwrap();
        assert_eq!(gemini["hooks"]["a"][0]["matcher"], "x|y");
        assert_eq!(gemini["hooks"]["a"][1]["hooks"][0]["command"], two[0].command);
        let cursor: Value = serde_json::from_str(&text("cursor", &two).unwrap()).unwrap();
        assert_eq!((&cursor["version"], &cursor["hooks"]["b"][0]["timeout"]), (&json!(1), &json!(5)));
        let kimi: toml_edit::DocumentMut = text("kimi", &two).unwrap().parse().unwrap();
        assert_eq!(kimi["hooks"][2]["command"].as_str(), Some(two[0].command.as_str()));
        let hermes: Value = serde_saphyr::from_str(&text("hermes", &two).unwrap()).unwrap();
        assert_eq!(hermes["hooks"]["a"][0]["matcher"], "x|y");
        assert_eq!(hermes["hooks"]["a"][1]["command"], two[0].command);
        assert_eq!(text("pi", &two), None);
    }
}
