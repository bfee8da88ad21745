//! Guards in real projects: their removal is complete, and nothing of the user is lost.

use becket_install::guard::{
    Addition, Answers, RepositoryFacts, add_guards, catalog, incomplete_guards, remove_guards,
};
use becket_testkit::files::tree;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const NAMES: [&str; 3] = ["protected-branches", "no-network", "secrets"];

/// Settings before the first guard; `None` for a project without any.
const SETTINGS: [Option<&str>; 9] = [
    None,
    Some("{}"),
    Some("{}\n"),
    Some("{\n    \"model\": \"x\"\n}\n"),
    Some("{\"permissions\": {\"deny\": []}, \"hooks\": {}}"),
    Some("{\r\n\t\"permissions\": {\r\n\t\t\"deny\": [\r\n\t\t\t\"WebFetch\"\r\n\t\t]\r\n\t}\r\n}\r\n"),
    Some("{\"permissions\": {\"deny\": [\"Bash(curl *)\", \"Edit(a)\"], \"allow\": [\"Bash(ls)\"]}}"),
    Some(
        "\u{feff}{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": []}\n    ]\n  }\n}",
    ),
    Some("{\n  \"hooks\": {\n    \"PreToolUse\": []\n  },\n  \"permissions\": {\n  }\n}\n"),
];

fn project(settings: Option<&str>) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    if let Some(text) = settings {
        fs::create_dir_all(directory.path().join(".claude")).expect("a directory");
        fs::write(directory.path().join(".claude/settings.json"), text).expect("a file");
    }
    directory
}

fn add(root: &Path, name: &str) {
    let guard = catalog::guard(name).expect("a guard");
    let addition = Addition { guard, source: "becket".to_owned(), answers: Answers::new() };
    let plan = add_guards(root, &[addition], &RepositoryFacts::default()).expect("a plan");
    plan.apply().expect("it can be added");
}

fn remove(root: &Path, name: &str) {
    remove_guards(root, &[name]).expect("a plan").apply().expect("it can be removed");
}

fn settings(root: &Path) -> Option<String> {
    fs::read_to_string(root.join(".claude/settings.json")).ok()
}

fn value(text: Option<&str>) -> Value {
    text.map_or_else(
        || json!({}),
        |text| serde_json::from_str(text.trim_start_matches('\u{feff}')).expect("JSON"),
    )
}

/// An edit that a person makes after guards were added.
#[derive(Debug, Clone, Copy)]
enum Edit {
    Rule(&'static str),
    Group,
    Property,
}

fn made(edit: Edit, settings: &mut Value) {
    let mut push = |section: &str, list: &str, value: Value| {
        if settings[section][list].is_null() {
            settings[section][list] = json!([]);
        }
        // A person may insert anywhere.
        settings[section][list].as_array_mut().expect("a list").insert(0, value);
    };
    match edit {
        Edit::Rule(rule) => push("permissions", "deny", json!(rule)),
        Edit::Group => {
            push("hooks", "PreToolUse", json!({"hooks": [{"type": "command", "command": "mine"}]}))
        }
        Edit::Property => settings["env"] = json!({"MINE": "1"}),
    }
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        Just(Edit::Rule("Bash(mine)")),
        Just(Edit::Rule("Read(mine)")),
        Just(Edit::Group),
        Just(Edit::Property)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn without_an_edit_every_byte_comes_back(
        before in prop::sample::select(&SETTINGS[..]),
        added in Just(NAMES.to_vec()).prop_shuffle(),
        removed in Just(NAMES.to_vec()).prop_shuffle(),
        count in 1..=NAMES.len(),
    ) {
        let project = project(before);
        let was = tree(project.path());
        let added = &added[..count];
        added.iter().for_each(|name| add(project.path(), name));
        prop_assert_ne!(&tree(project.path()), &was);
        removed.iter().filter(|name| added.contains(name)).for_each(|name| remove(project.path(), name));
        prop_assert_eq!(tree(project.path()), was);
    }

    #[test]
    fn edits_between_add_and_remove_survive(
        before in prop::sample::select(&SETTINGS[..]),
        first in prop::collection::vec(edit(), 0..3),
        second in prop::collection::vec(edit(), 1..3),
        removed in Just(NAMES.to_vec()).prop_shuffle(),
    ) {
        let project = project(before);
        let path = project.path().join(".claude/settings.json");
        let mut expected = value(before);
        add(project.path(), NAMES[0]);
        for (edits, name) in [(first, NAMES[1]), (second, NAMES[2])] {
            let mut now = value(settings(project.path()).as_deref());
            for edit in edits {
                made(edit, &mut now);
                made(edit, &mut expected);
            }
            fs::write(&path, serde_json::to_string_pretty(&now).expect("JSON")).expect("a file");
            add(project.path(), name);
        }
        let script = project.path().join(".claude/hooks/protected-branches/branches.txt");
        fs::write(&script, "mine\n").expect("a file");
        removed.iter().for_each(|name| remove(project.path(), name));
        prop_assert_eq!(value(settings(project.path()).as_deref()), expected);
        prop_assert_eq!(fs::read_to_string(script).expect("it stays"), "mine\n");
        let left = tree(project.path());
        let names: Vec<String> = left.keys().filter(|path| path.is_file()).map(|path| path.file_name().expect("a name").to_string_lossy().into_owned()).collect();
        prop_assert_eq!(names, ["branches.txt", "settings.json"]);
    }
}

#[test]
fn a_guard_that_was_added_is_not_added_twice_and_takes_new_answers() {
    let project = project(None);
    let addition = |branch: &str| {
        let guard = catalog::guard("protected-branches").expect("a guard");
        let answers = Answers::from([("branches".to_owned(), vec![branch.to_owned()])]);
        Addition { guard, source: "becket".to_owned(), answers }
    };
    let planned = |branch| {
        add_guards(project.path(), &[addition(branch)], &RepositoryFacts::default()).expect("a plan")
    };
    planned("trunk").apply().expect("it can be added");
    assert!(settings(project.path()).expect("settings").contains("Bash(git push * trunk *)"));
    assert!(planned("trunk").is_nothing());
    // Without an answer, the first one counts.
    let again = Addition { answers: Answers::new(), ..addition("") };
    assert!(add_guards(project.path(), &[again], &RepositoryFacts::default()).expect("a plan").is_nothing());
    planned("stable").apply().expect("it can be changed");
    let text = settings(project.path()).expect("settings");
    assert!(text.contains("Bash(git push * stable *)") && !text.contains("trunk"), "{text}");
    let list = project.path().join(".claude/hooks/protected-branches/branches.txt");
    assert_eq!(fs::read_to_string(list).expect("a file"), "stable\n");
    remove(project.path(), "protected-branches");
    assert!(tree(project.path()).is_empty());
}

#[test]
fn a_rule_of_the_user_stays_when_a_guard_with_the_same_one_goes() {
    let project = project(Some("{\"permissions\": {\"deny\": [\"Bash(curl *)\"]}}"));
    add(project.path(), "no-network");
    let text = settings(project.path()).expect("settings");
    assert_eq!(text.matches("Bash(curl *)").count(), 1, "{text}");
    let edited = text.replacen('{', "{\"env\": {},", 1);
    fs::write(project.path().join(".claude/settings.json"), edited).expect("a file");
    remove(project.path(), "no-network");
    let left = value(settings(project.path()).as_deref());
    assert_eq!(left, json!({"env": {}, "permissions": {"deny": ["Bash(curl *)"]}}));
}

#[test]
fn a_hook_that_was_edited_keeps_its_guard() {
    let project = project(None);
    add(project.path(), "secrets");
    let path = project.path().join(".claude/settings.json");
    let text = settings(project.path()).expect("settings").replace("\"timeout\": 20", "\"timeout\": 30");
    fs::write(&path, &text).expect("a file");
    let before = tree(project.path());
    let error = remove_guards(project.path(), &["secrets"]).expect_err("it was edited").to_string();
    assert!(error.contains("a hook of `secrets` was edited"), "{error}");
    assert_eq!(tree(project.path()), before);
    fs::write(&path, "{\"model\": \"x\"}").expect("a file");
    remove(project.path(), "secrets");
    assert_eq!(settings(project.path()).as_deref(), Some("{\"model\": \"x\"}"));
}

#[test]
fn a_failed_change_is_undone() {
    let project = project(Some("{}\n"));
    let guard = catalog::guard("secrets").expect("a guard");
    let addition = Addition { guard, source: "becket".to_owned(), answers: Answers::new() };
    let plan = add_guards(project.path(), &[addition], &RepositoryFacts::default()).expect("a plan");
    // Somebody edits the settings, which are written last, between the plan and its application.
    fs::write(project.path().join(".claude/settings.json"), "{ }\n").expect("a file");
    let before = tree(project.path());
    let error = plan.apply().expect_err("it was changed").to_string();
    assert!(error.contains("was changed meanwhile"), "{error}");
    assert_eq!(tree(project.path()), before);
}

#[test]
fn a_record_that_names_other_files_is_refused() {
    for record in [
        r#"{"version": 1, "guards": {"a": {"source": "", "hash": "", "answers": {}, "files": {".claude/../x": ""}, "items": []}}, "settings": {"existed": true, "digest": "", "inserted": [], "created": []}, "directories": []}"#,
        r#"{"version": 1, "guards": {}, "settings": {"existed": true, "digest": "", "inserted": [], "created": []}, "directories": ["/etc"]}"#,
        r#"{"version": 9, "guards": {}, "settings": {"existed": true, "digest": "", "inserted": [], "created": []}, "directories": []}"#,
        "{",
    ] {
        let project = project(Some("{}"));
        fs::write(project.path().join(".claude/guards.json"), record).expect("a file");
        let error = remove_guards(project.path(), &["a"]).expect_err(record).to_string();
        assert!(error.contains("the record of guards"), "{error}");
    }
}

/// Returns the guards that the settings lack in part, with the number of missing rules and hooks.
fn incomplete(root: &Path) -> Vec<(String, usize)> {
    let found = incomplete_guards(root).expect("it can be read").into_iter();
    found.map(|guard| (guard.name, guard.missing)).collect()
}

#[test]
fn rules_and_hooks_that_the_settings_have_lost_are_restored() {
    let before = "{\"model\": \"x\"}";
    let project = project(Some(before));
    add(project.path(), "secrets");
    add(project.path(), "no-network");
    assert_eq!(incomplete(project.path()), []);
    let whole = value(settings(project.path()).as_deref());
    let path = project.path().join(".claude/settings.json");
    // A checkout of this one file, or a kill between the record and the settings.
    fs::write(&path, before).expect("a file");
    let lost: Vec<String> = incomplete(project.path()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(lost, ["no-network", "secrets"]);
    add(project.path(), "secrets");
    assert_eq!(incomplete(project.path()).len(), 1);
    add(project.path(), "no-network");
    let now = value(settings(project.path()).as_deref());
    assert_eq!(now["hooks"], whole["hooks"]);
    assert_eq!(incomplete(project.path()), []);
    // One rule, and a hook that a person has edited.
    let text = fs::read_to_string(&path).expect("settings");
    let text =
        text.replacen("\"Bash(curl *)\"", "\"Bash(mine)\"", 1).replace("\"timeout\":20", "\"timeout\":30");
    let text = text.replace("\"timeout\": 20", "\"timeout\": 30");
    fs::write(&path, &text).expect("a file");
    assert_eq!(incomplete(project.path()), [("no-network".to_owned(), 1)]);
    add(project.path(), "secrets");
    assert_eq!(settings(project.path()).as_deref(), Some(text.as_str()));
    add(project.path(), "no-network");
    assert_eq!(incomplete(project.path()), []);
    let now = settings(project.path()).expect("settings");
    assert!(now.contains("Bash(curl *)") && now.contains("Bash(mine)"), "{now}");
    assert_eq!(now.matches("secrets_guard.py").count(), text.matches("secrets_guard.py").count());
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_of_the_project_is_not_followed() {
    use std::os::unix::fs::symlink;
    let elsewhere = tempfile::tempdir().expect("a directory");
    fs::create_dir(elsewhere.path().join("secrets")).expect("a directory");
    fs::write(elsewhere.path().join("secrets/precious"), "").expect("a file");
    let left = tree(elsewhere.path());
    let record = r#"{"version": 1, "guards": {"secrets": {"source": "becket", "hash": "sha256:0", "answers": {}, "files": {".claude/hooks/secrets/precious": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}, "items": []}}, "settings": {"existed": true, "digest": "", "inserted": [], "created": []}, "directories": [".claude/hooks/secrets"]}"#;
    for link in [".claude/hooks", ".claude/hooks/secrets", ".claude/hooks/secrets/precious"] {
        let project = project(Some("{}"));
        let target = match link {
            ".claude/hooks" => elsewhere.path().to_owned(),
            ".claude/hooks/secrets" => elsewhere.path().join("secrets"),
            _ => elsewhere.path().join("secrets/precious"),
        };
        let link = project.path().join(link);
        fs::create_dir_all(link.parent().expect("a parent")).expect("directories");
        symlink(target, &link).expect("a link");
        fs::write(project.path().join(".claude/guards.json"), record).expect("a file");
        let error = remove_guards(project.path(), &["secrets"]).expect_err("a link").to_string();
        assert!(error.contains("leads out of the project"), "{error}");
        fs::remove_file(project.path().join(".claude/guards.json")).expect("a file");
        let guard = catalog::guard("secrets").expect("a guard");
        let addition = Addition { guard, source: "becket".to_owned(), answers: Answers::new() };
        let added = add_guards(project.path(), &[addition], &RepositoryFacts::default());
        if !link.ends_with("precious") {
            let error = added.expect_err("a link").to_string();
            assert!(error.contains("leads out of the project"), "{error}");
        }
        assert_eq!(tree(elsewhere.path()), left);
    }
    // A link inside of the project is nobody else's.
    let project = project(None);
    fs::create_dir_all(project.path().join(".claude")).expect("directories");
    fs::create_dir(project.path().join("scripts")).expect("a directory");
    symlink("../scripts", project.path().join(".claude/hooks")).expect("a link");
    add(project.path(), "secrets");
    assert!(project.path().join("scripts/secrets/secrets_guard.py").is_file());
    remove(project.path(), "secrets");
    assert_eq!(fs::read_dir(project.path().join("scripts")).expect("a directory").count(), 0);
}

#[cfg(unix)]
#[test]
fn copies_that_a_killed_process_left_are_removed() {
    // No system has as many processes.
    let left = ".secrets.toml.becket-2147483647-0.tmp";
    let project = project(None);
    let root = project.path();
    let copy = root.join(".claude/tests").join(left);
    fs::create_dir_all(root.join(".claude/tests")).expect("a directory");
    for step in [add, add, remove] {
        fs::write(&copy, "").expect("a file");
        step(root, "secrets");
        assert!(!copy.exists());
    }
}
