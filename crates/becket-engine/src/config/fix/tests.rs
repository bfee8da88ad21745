use super::{Fix, FixChange, apply_fixes};
use crate::config::source::tree::Span;
use serde_json::json;

/// Returns the place of a part of a text.
fn at(text: &str, part: &str) -> Span {
    let start = text.find(part).unwrap_or_default();
    Span::new(start, start + part.len())
}

fn fixed(text: &str, part: &str, change: FixChange) -> Option<String> {
    apply_fixes(text, &[&Fix::safe(at(text, part), "", change)]).map(|fixed| fixed.text)
}

#[test]
fn a_member_goes_with_its_comma() {
    let remove = |text: &str| fixed(text, "true", FixChange::RemoveMember("once"));
    assert_eq!(remove(r#"{"a": 1, "once": true, "b": 2}"#).as_deref(), Some(r#"{"a": 1, "b": 2}"#));
    assert_eq!(remove(r#"{"a": 1, "once": true}"#).as_deref(), Some(r#"{"a": 1}"#));
    assert_eq!(remove(r#"{"once": true, "b": 2}"#).as_deref(), Some(r#"{"b": 2}"#));
    assert_eq!(remove("{\n  \"once\": true\n}").as_deref(), Some("{}"));
    assert_eq!(remove("{\r\n  \"a\": 1,\r\n  \"once\": true\r\n}").as_deref(), Some("{\r\n  \"a\": 1\r\n}"));
    assert_eq!(remove(r#"{"once": 1, "once": true}"#), None, "the other one would count");
    assert_eq!(remove(r#"{"twice": true}"#), None);
}

#[test]
fn values_and_keys_change_in_place() {
    let text = r#"{"hooks": {"PreTolUse": [{"timeout": 5000}]}}"#;
    assert_eq!(
        fixed(text, "5000", FixChange::SetValue(json!(5))).as_deref(),
        Some(r#"{"hooks": {"PreTolUse": [{"timeout": 5}]}}"#)
    );
    let rename = FixChange::RenameKey("PreToolUse".to_owned());
    assert_eq!(
        fixed(text, "\"PreTolUse\"", rename.clone()).as_deref(),
        Some(r#"{"hooks": {"PreToolUse": [{"timeout": 5000}]}}"#)
    );
    let both = r#"{"PreTolUse": [], "PreToolUse": []}"#;
    assert_eq!(fixed(both, "\"PreTolUse\"", rename), None, "the other one would be lost");
    let add = FixChange::AddMember { key: "type", value: json!("command") };
    assert_eq!(
        fixed("[\n {\n  \"command\": \"x\"\n }]", "{\n  \"command\": \"x\"\n }", add).as_deref(),
        Some("[\n {\n  \"type\": \"command\",\n  \"command\": \"x\"\n }]")
    );
}

#[test]
fn of_two_names_for_one_key_one_stays() {
    for (text, names, key, expected) in [
        (
            r#"{"hooks": {"PreTolUse": [1], "PreToolUs": [2]}}"#,
            ["\"PreTolUse\"", "\"PreToolUs\""],
            "PreToolUse",
            r#"{"hooks": {"PreToolUse": [1], "PreToolUs": [2]}}"#,
        ),
        (
            r#"{"timout": 5, "timeot": 6}"#,
            ["\"timout\"", "\"timeot\""],
            "timeout",
            r#"{"timeout": 5, "timeot": 6}"#,
        ),
        (
            r#"[{"timout": 5}, {"timeot": 6}]"#,
            ["\"timout\"", "\"timeot\""],
            "timeout",
            r#"[{"timeout": 5}, {"timeout": 6}]"#,
        ),
    ] {
        let fixes = names.map(|name| Fix::not_safe(at(text, name), "", FixChange::RenameKey(key.to_owned())));
        let fixed = apply_fixes(text, &fixes.iter().collect::<Vec<_>>()).map(|fixed| fixed.text);
        assert_eq!(fixed.as_deref(), Some(expected), "{text}");
    }
    let text = r#"{"typ": 1, "b": 2}"#;
    let fixes = [
        Fix::not_safe(at(text, "\"typ\""), "", FixChange::RenameKey("type".to_owned())),
        Fix::safe(at(text, text), "", FixChange::AddMember { key: "type", value: json!("command") }),
    ];
    let fixed = apply_fixes(text, &fixes.iter().collect::<Vec<_>>()).map(|fixed| fixed.text);
    assert_eq!(fixed.as_deref(), Some(r#"{"type": 1, "b": 2}"#));
}

#[test]
fn a_part_of_a_string_changes_the_string() {
    let text = r#"{"command": "a $X b"}"#;
    let changed = fixed(text, "$X", FixChange::SetValue(json!("a \"$X\" b")));
    assert_eq!(changed.as_deref(), Some(r#"{"command": "a \"$X\" b"}"#));
    assert_eq!(fixed(text, "{\"command\": \"a $X", FixChange::SetValue(json!(1))), None);
}

#[test]
fn handlers_and_events_get_what_is_missing_around_them() {
    let handler = r#"{"type": "command", "command": "x"}"#;
    let text = format!("[{handler}]");
    assert_eq!(
        fixed(&text, handler, FixChange::WrapHandler).as_deref(),
        Some(r#"[{"hooks": [{"type": "command", "command": "x"}]}]"#)
    );
    let handler = r#"{"type": "command", "matcher": "Bash", "command": "x"}"#;
    let text = format!("[{handler}]");
    assert_eq!(
        fixed(&text, handler, FixChange::WrapHandler).as_deref(),
        Some(r#"[{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]"#)
    );
    let events = r#"{"Stop": []}"#;
    assert_eq!(
        fixed(events, "\"Stop\"", FixChange::WrapEvents).as_deref(),
        Some(r#"{"hooks": {"Stop": []}}"#)
    );
}

#[test]
fn a_rule_moves_from_the_matcher_to_the_handlers() {
    let change = || FixChange::RuleToCondition { tool: "Bash".to_owned(), rule: "Bash(rm *)".to_owned() };
    let text = r#"[{"matcher": "Bash(rm *)", "hooks": [{"type": "command", "command": "x"}]}]"#;
    assert_eq!(
        fixed(text, "\"Bash(rm *)\"", change()).as_deref(),
        Some(r#"[{"matcher": "Bash", "hooks": [{"if": "Bash(rm *)", "type": "command", "command": "x"}]}]"#)
    );
    let text = r#"[{"matcher": "Bash(rm *)", "hooks": [{"if": "Bash(ls)", "command": "x"}]}]"#;
    assert_eq!(fixed(text, "\"Bash(rm *)\"", change()), None, "it has a condition");
}

#[test]
fn fixes_that_overlap_are_made_one_after_the_other() {
    let text = r#"{"a": 1, "b": 2, "c": 3}"#;
    let of = |key: &'static str| Fix::safe(at(text, &format!("\"{key}\"")), "", FixChange::RemoveMember(key));
    let (a, b, c) = (of("a"), of("b"), of("c"));
    let first = apply_fixes(text, &[&a, &b, &c]);
    assert_eq!(first.map(|fixed| (fixed.text, fixed.made)), Some((r#"{"b": 2}"#.to_owned(), vec![0, 2])));
    assert_eq!(apply_fixes("not JSON", &[&a]), None);
}
