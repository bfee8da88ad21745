//! The reader of settings files and their schema have the same keys.

use super::action;
use super::dialect::{self, Dialect};
use super::group::GROUP_KEYS;
use super::handler::COMMON_KEYS;
use super::{permissions, settings};
use becket_model::table::HandlerKind;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

// rule: C7
#[test]
fn a_file_belongs_to_the_agent_of_its_directory() {
    for (file, agent) in [
        ("/p/.cursor/hooks.json", Some(Dialect::Cursor)),
        ("/p/.cursor/hooks/hooks.json", Some(Dialect::Cursor)),
        ("/p/.cursor/.claude/settings.json", None),
        ("/p/.cursor/plugin/hooks/hooks.json", None),
        ("/p/.github/hooks/a.json", Some(Dialect::Copilot)),
        ("/home/.copilot/hooks/a.json", Some(Dialect::Copilot)),
        ("/home/.copilot/config.json", Some(Dialect::Copilot)),
        ("/home/.copilot/plugins/a/hooks/hooks.json", Some(Dialect::Copilot)),
        ("/home/.gemini/extensions/a/hooks/hooks.json", Some(Dialect::Gemini)),
        ("/home/.claude/plugins/a/hooks/hooks.json", None),
        ("settings.json", None),
    ] {
        assert_eq!(dialect::of_path(Path::new(file)), agent, "{file}");
    }
}

fn schema() -> Value {
    becket_model::schema::all().into_iter().find(|(name, _)| name == "settings.json").unwrap().1
}

/// Returns the keys that a schema accepts; those that it forbids are `false`.
fn keys(schema: &Value) -> BTreeSet<String> {
    let properties = schema["properties"].as_object().unwrap().iter().filter(|(_, value)| value.is_object());
    properties.map(|(key, _)| key.clone()).filter(|key| key != "$schema").collect()
}

fn set<'a>(keys: impl IntoIterator<Item = &'a &'a str>) -> BTreeSet<String> {
    keys.into_iter().map(|key| (*key).to_owned()).collect()
}

// rules: C1, H10
#[test]
fn the_schema_and_the_reader_know_the_same_keys() {
    let schema = schema();
    let of = |name: &str| &schema["$defs"][name];
    assert_eq!(keys(&schema), set(settings::KEYS));
    assert_eq!(keys(of("Permissions")), set(permissions::KEYS));
    assert_eq!(keys(of("MatcherGroup")), set(GROUP_KEYS));
    for (kind, name) in [
        (HandlerKind::Command, "CommandHandler"),
        (HandlerKind::Http, "HttpHandler"),
        (HandlerKind::McpTool, "McpToolHandler"),
        (HandlerKind::Prompt, "PromptHandler"),
        (HandlerKind::Agent, "AgentHandler"),
    ] {
        let read = set(COMMON_KEYS.iter().filter(|key| **key != "type").chain(action::keys(kind)));
        assert_eq!(keys(of(name)), read, "{kind}");
    }
}
