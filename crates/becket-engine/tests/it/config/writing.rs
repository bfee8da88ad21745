//! Changes to settings files: everything else stays as it was.

use crate::config::support::Machine;
use becket_engine::config::{EditError, JsonEditError, RuleList, WriteError, edit_settings, write_settings};
use becket_rules::{Change, Destination, Mode, Rule};
use serde_json::Value;

fn add(rule: &str) -> Change {
    Change::AddRules(RuleList::Allow, rules(&[rule]))
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

fn rules(list: &[&str]) -> Vec<Rule> {
    list.iter().map(|text| Rule::parse(text).unwrap()).collect()
}

// rule: P13
#[test]
fn indentation_line_ends_order_and_mark_stay() {
    for (before, after) in [
        (
            "{\n\t\"z\": 1,\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"Bash\"\n\t\t]\n\t},\n\t\"a\": 2\n}\n",
            "{\n\t\"z\": 1,\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"Bash\",\n\t\t\t\"Edit\"\n\t\t]\n\t},\n\t\"a\": 2\n}\n",
        ),
        (
            "{\r\n  \"permissions\": {\r\n    \"allow\": [\r\n      \"Bash\"\r\n    ]\r\n  }\r\n}\r\n",
            "{\r\n  \"permissions\": {\r\n    \"allow\": [\r\n      \"Bash\",\r\n      \"Edit\"\r\n    ]\r\n  }\r\n}\r\n",
        ),
        (
            "\u{feff}{\"permissions\": {\"allow\": [\"Bash\"]}}",
            "\u{feff}{\"permissions\": {\"allow\": [\"Bash\", \"Edit\"]}}",
        ),
        ("{\"permissions\": {\"allow\": [\"Edit\"]}}", "{\"permissions\": {\"allow\": [\"Edit\"]}}"),
    ] {
        assert_eq!(edit_settings(before, &[add("Edit")]).as_deref(), Ok(after));
    }
}

// rule: P13
#[test]
fn every_kind_of_change_does_what_it_says() {
    let text =
        r#"{"permissions": {"allow": ["a", "b"], "deny": ["c"], "additionalDirectories": ["/x", "/y"]}}"#;
    for (edit, path, expected) in [
        (Change::ReplaceRules(RuleList::Allow, rules(&["b", "d"])), "/permissions/allow", r#"["b","d"]"#),
        (Change::RemoveRules(RuleList::Allow, rules(&["a", "zz"])), "/permissions/allow", r#"["b"]"#),
        (Change::AddRules(RuleList::Ask, rules(&["q", "q"])), "/permissions/ask", r#"["q"]"#),
        (Change::RemoveRules(RuleList::Deny, rules(&["c"])), "/permissions/deny", "[]"),
        (
            Change::AddDirectories(texts(&["/x", "/z"])),
            "/permissions/additionalDirectories",
            r#"["/x","/y","/z"]"#,
        ),
        (Change::RemoveDirectories(texts(&["/x"])), "/permissions/additionalDirectories", r#"["/y"]"#),
        (Change::SetMode(Mode::Plan), "/permissions/defaultMode", r#""plan""#),
    ] {
        let after: Value = serde_json::from_str(&edit_settings(text, &[edit]).unwrap()).unwrap();
        assert_eq!(after.pointer(path).unwrap().to_string(), expected);
    }
}

// rule: P13
#[test]
fn what_can_not_be_changed_safely_is_left_alone() {
    let edit = |text: &str| edit_settings(text, &[add("Edit")]);
    assert!(matches!(edit("{\"a\": 1,}"), Err(EditError::Json(JsonEditError::NotJson(_)))));
    assert!(matches!(edit("// x\n{}"), Err(EditError::Json(JsonEditError::NotJson(_)))));
    assert!(matches!(edit("[]"), Err(EditError::Json(JsonEditError::WrongType { .. }))));
    assert!(matches!(edit(r#"{"permissions": 5}"#), Err(EditError::Json(JsonEditError::WrongType { .. }))));
    assert!(matches!(
        edit(r#"{"permissions": {"allow": "x"}}"#),
        Err(EditError::Json(JsonEditError::WrongType { .. }))
    ));
    assert!(matches!(
        edit(r#"{"permissions": {}, "permissions": {}}"#),
        Err(EditError::Json(JsonEditError::DuplicateKey(_)))
    ));
    let bypass = Change::SetMode(Mode::BypassPermissions);
    assert_eq!(edit_settings("{}", &[bypass]), Err(EditError::NeverWritten));
}

// rule: P13
#[test]
fn a_file_is_replaced_in_one_step_with_its_mode_and_links_kept() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let machine = Machine::new();
    let real = machine.write("dotfiles/settings.json", "{}\n");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    let link = machine.path("home/.claude/settings.json");
    std::os::unix::fs::symlink("../../dotfiles/settings.json", &link).unwrap();
    let inode = std::fs::metadata(&real).unwrap().ino();
    write_settings(&link, &[add("Edit")]).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().contains("Edit"));
    let metadata = std::fs::metadata(&real).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o777, 0o640);
    assert_ne!(metadata.ino(), inode, "a new file took its place");
    let left: Vec<_> = std::fs::read_dir(real.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "no temporary file is left");
}

// rule: P13
#[test]
fn a_new_file_is_made_and_a_broken_one_kept() {
    let machine = Machine::new();
    let fresh = machine.path("new/.claude/settings.json");
    write_settings(&fresh, &[add("Edit")]).unwrap();
    let value: Value = serde_json::from_str(&std::fs::read_to_string(&fresh).unwrap()).unwrap();
    assert_eq!(value["permissions"]["allow"][0], "Edit");
    let broken = machine.settings("project", "{ \"a\": 1, }");
    assert!(matches!(write_settings(&broken, &[add("Edit")]), Err(WriteError::Edit { .. })));
    assert_eq!(std::fs::read_to_string(&broken).unwrap(), "{ \"a\": 1, }");
    assert!(matches!(write_settings(&machine.path("project"), &[add("Edit")]), Err(WriteError::File { .. })));
}

// rule: P13
#[test]
fn the_changes_of_writers_at_the_same_time_are_all_made() {
    let machine = Machine::new();
    let file = machine.path("new/.claude/settings.json");
    std::thread::scope(|scope| {
        for number in 0..8 {
            let file = &file;
            scope.spawn(move || write_settings(file, &[add(&format!("Bash(x{number})"))]).unwrap());
        }
    });
    let value: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(value["permissions"]["allow"].as_array().unwrap().len(), 8, "{value}");
}

// rule: P13
#[test]
fn a_rule_is_the_same_however_it_is_spelt() {
    let text = r#"{"permissions": {"allow": ["Bash(*)", 7]}}"#;
    assert_eq!(edit_settings(text, &[add("Bash")]).as_deref(), Ok(text));
    let gone = Change::RemoveRules(RuleList::Allow, rules(&["Bash"]));
    let after: Value = serde_json::from_str(&edit_settings(text, &[gone]).unwrap()).unwrap();
    assert_eq!(after["permissions"]["allow"], serde_json::json!([7]));
}

// rules: P13, C4
#[test]
fn each_destination_is_the_file_that_is_read() {
    let machine = Machine::new();
    let request = machine.request();
    for (destination, file) in [
        (Destination::UserSettings, "home/.claude/settings.json"),
        (Destination::ProjectSettings, "project/.claude/settings.json"),
        (Destination::LocalSettings, "project/.claude/settings.local.json"),
    ] {
        assert_eq!(request.settings_file(destination), Some(machine.path(file)));
        write_settings(&machine.path(file), &[add(destination.name())]).unwrap();
    }
    assert_eq!(request.settings_file(Destination::Session), None);
    let allowed: Vec<_> = machine.config().permissions.iter().map(|rule| rule.text.to_string()).collect();
    assert_eq!(allowed, ["userSettings", "projectSettings", "localSettings"]);
}
