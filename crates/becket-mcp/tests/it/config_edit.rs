//! The cases of `tests/cases/config_edit.json`: a text, a change, and the resulting text.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use becket_mcp::config::edit::{self, EditError, IfThere, Part};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(rename = "rule")]
    _rule: String,
    text: String,
    project: Option<String>,
    server: String,
    /// The entry to add; if it is missing, the server is removed.
    entry: Option<Map<String, Value>>,
    #[serde(default)]
    replace: bool,
    becomes: Option<String>,
    error: Option<String>,
}

#[test]
fn cases() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../cases/config_edit.json")).unwrap();
    for case in cases {
        let part = case.project.as_deref().map_or(Part::Whole, Part::Project);
        let if_there = if case.replace { IfThere::Replace } else { IfThere::Refuse };
        let got = match &case.entry {
            Some(entry) => edit::add(&case.text, part, &case.server, entry, if_there),
            None => edit::remove(&case.text, part, &case.server),
        };
        let expected = case.becomes.ok_or_else(|| case.error.unwrap());
        assert_eq!(got.map_err(|error| error.to_string()), expected, "{}", case.name);
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".*".prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(".*", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    // rule: X1
    #[test]
    fn adding_and_removing_change_one_server_and_nothing_else(
        rest in prop::collection::hash_map(".*", any_json(), 0..4),
        pretty in any::<bool>(),
        name in "[^:]*",
        arg in "[^\u{0}$]*",
    ) {
        let mut before = Value::Object(rest.into_iter().collect());
        let text = if pretty { serde_json::to_string_pretty(&before) } else { serde_json::to_string(&before) }.unwrap();
        let entry = json!({"command": "s", "env": {"A": arg}}).as_object().cloned().unwrap();
        let added = match edit::add(&text, Part::Whole, &name, &entry, IfThere::Refuse) {
            Err(EditError::Name { .. }) => return Ok(()),
            added => added.unwrap(),
        };
        let removed = edit::remove(&added, Part::Whole, &name).unwrap();
        before["mcpServers"] = json!({});
        prop_assert_eq!(serde_json::from_str::<Value>(&removed).unwrap(), before);
    }
}
