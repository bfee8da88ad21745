//! Permission updates: read, applied, and written back.

use becket_rules::{Change, PermissionUpdate, RuleList, RuleOrigin, RuleSet};
use serde_json::{Value, json};

fn origin(label: &str) -> RuleOrigin {
    RuleOrigin { label: label.to_owned(), anchor: "/work".into() }
}

fn parse(value: Value) -> PermissionUpdate {
    PermissionUpdate::parse(&value).unwrap_or_else(|error| panic!("{error}"))
}

fn rules(set: &RuleSet, list: RuleList) -> Vec<String> {
    set.list(list).iter().map(|entry| format!("{} {}", entry.origin().label, entry.rule())).collect()
}

fn update(kind: &str, rules: &[&str]) -> Change {
    let rules: Vec<Value> =
        rules.iter().map(|text| json!({"toolName": "Bash", "ruleContent": text})).collect();
    parse(json!({"type": kind, "rules": rules, "behavior": "allow", "destination": "session"})).change
}

// rule: P13
#[test]
fn what_is_read_is_written_alike() {
    for value in [
        json!({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "echo (a) | b"}, {"toolName": "Read"}],
            "behavior": "allow", "destination": "localSettings"}),
        json!({"type": "replaceRules", "rules": [], "behavior": "deny", "destination": "userSettings"}),
        json!({"type": "removeRules", "rules": [{"toolName": "mcp__a__b"}], "behavior": "ask",
            "destination": "projectSettings"}),
        json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"}),
        json!({"type": "addDirectories", "directories": ["/a", "~/b"], "destination": "session"}),
        json!({"type": "removeDirectories", "directories": [], "destination": "session"}),
    ] {
        assert_eq!(parse(value.clone()).to_json(), value);
    }
}

// rule: P13
#[test]
fn short_forms_mean_the_long_ones() {
    let short = parse(json!({"tool": "Bash(ls *)", "behavior": "deny"}));
    let long = json!({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "ls *"}], "behavior": "deny",
        "destination": "session"});
    assert_eq!(short.to_json(), long);
    assert_eq!(parse(json!({"type": "setMode", "mode": "manual"})).to_json()["mode"], "default");
    let bare = parse(
        json!({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "*"}], "behavior": "ask"}),
    );
    assert_eq!(bare.to_json()["rules"][0], json!({"toolName": "Bash"}));
}

// rule: P13
#[test]
fn an_error_names_the_field_and_what_came() {
    for (value, parts) in [
        (json!(7), ["the entry", "an object", "7"]),
        (json!({}), ["type", "addRules", "absent"]),
        (json!({"type": "addRule"}), ["type", "addRules", "addRule"]),
        (json!({"type": "setMode", "mode": "yolo"}), ["mode", "acceptEdits", "yolo"]),
        (json!({"type": "addRules", "behavior": "allow"}), ["rules", "a list", "absent"]),
        (
            json!({"type": "addRules", "rules": [{}], "behavior": "allow"}),
            ["rules[0].toolName", "a text", "absent"],
        ),
        (json!({"type": "addRules", "rules": [], "behavior": "permit"}), ["behavior", "`deny`", "permit"]),
        (
            json!({"type": "addRules", "rules": [{"toolName": "a b"}], "behavior": "deny"}),
            ["rules[0]", "a b", "blank"],
        ),
        (
            json!({"type": "addRules", "rules": [{"toolName": "Bash(x)", "ruleContent": "y"}], "behavior": "allow"}),
            ["rules[0]", "Bash(x)(y)", "is not a rule"],
        ),
        (json!({"type": "addDirectories", "directories": [1]}), ["directories[0]", "a text", "1"]),
        (
            json!({"type": "setMode", "mode": "plan", "destination": "disk"}),
            ["destination", "userSettings", "disk"],
        ),
        (json!({"tool": "Bash(a) || Bash(b)", "behavior": "deny"}), ["tool", "`Bash(a)`", "joined"]),
    ] {
        let error = PermissionUpdate::parse(&value).expect_err(&value.to_string()).to_string();
        for part in parts {
            assert!(error.contains(part), "{value}: `{part}` is not in: {error}");
        }
    }
}

// rule: P13
#[test]
fn changes_concern_their_own_destination_alone() {
    let (session, user) = (origin("session"), origin("user"));
    let mut set = RuleSet::default();
    set.add(RuleList::Allow, "Bash(a)", user.clone()).unwrap();
    set.add(RuleList::Deny, "Bash(a)", session.clone()).unwrap();
    set.update(&update("addRules", &["a", "b", "b"]), &session);
    set.update(&update("addRules", &["a"]), &session);
    assert_eq!(rules(&set, RuleList::Allow), ["user Bash(a)", "session Bash(a)", "session Bash(b)"]);
    set.update(&update("removeRules", &["a"]), &session);
    assert_eq!(rules(&set, RuleList::Allow), ["user Bash(a)", "session Bash(b)"]);
    set.update(&update("replaceRules", &["c"]), &session);
    assert_eq!(rules(&set, RuleList::Allow), ["user Bash(a)", "session Bash(c)"]);
    assert_eq!(rules(&set, RuleList::Deny), ["session Bash(a)"], "another list stays");
    set.update(&parse(json!({"type": "setMode", "mode": "plan"})).change, &session);
    assert_eq!(rules(&set, RuleList::Allow), ["user Bash(a)", "session Bash(c)"]);
}
