//! Laws that apply to any text: nothing panics, and a good entry is never lost to a bad one beside it.

use becket_engine::config::{FlagSettings, Request, RuleList, edit_settings, lint, load, resolve};
use becket_engine::{Environment, Profile};
use becket_model::EventKind;
use becket_rules::{Change, Rule};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Returns any small JSON, with the words of settings files among its keys and strings.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "hooks",
        "PreToolUse",
        "Stop",
        "matcher",
        "type",
        "command",
        "timeout",
        "if",
        "args",
        "Bash(",
        "(",
        "*",
        "http",
        "url",
        "prompt",
        "permissions",
        "allow",
        "deny",
        "async",
        "event",
        "config",
        "onFailure",
        "\u{feff}",
        "é",
        "",
    ]);
    let text = prop_oneof![word.prop_map(str::to_owned), "[ -~]{0,12}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((text.clone(), inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn found(text: String) -> (becket_engine::config::Config, usize) {
    let mut request = Request::new(Profile::claude(), Environment::empty(), "/nowhere");
    request.managed = Some("/nowhere".into());
    request.flag = Some(FlagSettings::Text(text));
    let loaded = load(&request);
    let lints = lint(&loaded).len();
    (resolve(&loaded), lints)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    // rule: C7
    #[test]
    fn a_good_handler_survives_any_neighbours(bad in prop::collection::vec(any_json(), 0..5), at in 0_usize..5) {
        let good = json!({"type": "command", "command": "the good one"});
        let mut handlers = bad.clone();
        handlers.insert(at.min(handlers.len()), good.clone());
        let mut groups = bad.clone();
        groups.insert(at.min(groups.len()), json!({"hooks": handlers}));
        let mut hooks = json!({"Stop": groups, "PreToolUse": bad.first(), "Bogus": bad.last()});
        hooks[bad.first().and_then(Value::as_str).unwrap_or("x")] = json!(bad);
        hooks["Stop"] = json!(groups);
        let (config, _) = found(json!({"hooks": hooks, "permissions": bad.first()}).to_string());
        let survived = config.hooks.of(EventKind::Stop).iter().any(|h| &*h.place.label == "the good one");
        prop_assert!(survived);
    }

    // rule: C7
    #[test]
    fn any_json_and_any_damage_to_it_is_read_without_panic(value in any_json(), cut in any::<prop::sample::Index>(), with in "[{}\\[\\]\",:0-9a-z\\\\\u{feff}é]{0,3}") {
        found(value.to_string());
        let whole = json!({"hooks": value, "permissions": value, "env": value, "enabledPlugins": value}).to_string();
        found(whole.clone());
        let chars: Vec<char> = whole.chars().collect();
        let at = cut.index(chars.len());
        let damaged: String = chars[..at].iter().copied().chain(with.chars()).chain(chars[at + 1..].iter().copied()).collect();
        let (config, _) = found(damaged.clone());
        for diagnostic in &config.diagnostics {
            prop_assert!(damaged.get(diagnostic.span.clone()).is_some(), "{diagnostic}");
        }
    }

    // rule: P13
    #[test]
    fn an_edit_keeps_everything_else(value in any_json(), rule in "[A-Z][a-z]{5,8}\\([a-z0-9 /.*]{0,8}\\)") {
        let parsed = Rule::parse(&rule).unwrap();
        let text = format!("{:#}", json!({"first": value, "permissions": {"allow": ["Bash"], "x": value}, "last": value}));
        let mut before: Value = serde_json::from_str(&text).unwrap();
        let after = edit_settings(&text, &[Change::AddRules(RuleList::Allow, vec![parsed.clone()])]).unwrap();
        before["permissions"]["allow"].as_array_mut().unwrap().push(json!(parsed.to_string()));
        prop_assert_eq!(serde_json::from_str::<Value>(&after).unwrap(), before);
        let back = edit_settings(&after, &[Change::RemoveRules(RuleList::Allow, vec![parsed])]).unwrap();
        prop_assert_eq!(serde_json::from_str::<Value>(&back).unwrap(), serde_json::from_str::<Value>(&text).unwrap());
    }
}
