//! Discovery of agents, skills and commands, and reports about invalid ones. The cases are data:
//! `tests/cases/definitions.json`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use becket_agent::agents::Agents;
use becket_agent::definitions::Homes;
use becket_agent::skills::Skills;
use becket_engine::config::{Plugin, Request};
use becket_engine::{Environment, Profile};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Writes the files of a case; `null` is a file that is not UTF-8.
fn homes(root: &Path, case: &Value) -> Homes {
    for (path, text) in case["files"].as_object().unwrap() {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text.as_str().map_or(&b"\xff\xfe"[..], str::as_bytes)).unwrap();
    }
    let environment = Environment::empty().with_home(root.join("home"));
    let mut request = Request::new(Profile::claude(), environment, root.join("project"));
    request.managed = Some(root.join("managed"));
    Homes::of(&request, &[Plugin::new("kit@m", root.join("kit"))])
}

fn expect(case: &Value, kind: &str, find: impl Fn(&str) -> Option<(String, String)>) {
    let name = &case["name"];
    for (wanted, expected) in case[kind].as_object().into_iter().flatten() {
        let (source, description) = find(wanted).unwrap_or_else(|| panic!("{name}: there is no `{wanted}`"));
        assert_eq!(source, expected[0].as_str().unwrap(), "{name}: {wanted}");
        if let Some(expected) = expected[1].as_str() {
            assert_eq!(description, expected, "{name}: {wanted}");
        }
    }
    for absent in case["absent"].as_array().into_iter().flatten() {
        assert_eq!(find(absent.as_str().unwrap()), None, "{name}");
    }
}

// rules: C7, C9
#[test]
fn definitions_are_found_and_broken_ones_are_named() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../cases/definitions.json")).unwrap();
    for case in &cases {
        let root = tempfile::tempdir().unwrap();
        let homes = homes(root.path(), case);
        let name = &case["name"];
        let flag = case["flag_text"].as_str().map(str::to_owned);
        let flag = flag.or_else(|| case.get("flag").map(Value::to_string));
        let agents = Agents::load(&homes, flag.as_deref());
        let skills = Skills::load(&homes);
        let agent =
            |name: &str| agents.agents.find(name).map(|a| (a.owner.to_string(), a.description.clone()));
        let skill =
            |name: &str| skills.skills.find(name).map(|s| (s.owner.to_string(), s.description.clone()));
        expect(case, "agents", agent);
        expect(case, "skills", skill);
        for name in case["no_mode"].as_array().into_iter().flatten() {
            assert_eq!(agents.agents.find(name.as_str().unwrap()).unwrap().permission_mode, None);
        }
        let all = agents.diagnostics.iter().chain(&skills.diagnostics);
        let all: Vec<String> = all.map(ToString::to_string).collect();
        let expected: Vec<&str> =
            case["findings"].as_array().unwrap().iter().map(|f| f.as_str().unwrap()).collect();
        for finding in &expected {
            assert!(all.iter().any(|said| said.contains(finding)), "{name}: `{finding}` is not in {all:#?}");
        }
        assert_eq!(all.is_empty(), expected.is_empty(), "{name}: {all:#?}");
    }
}

// rule: C7
#[test]
fn a_circle_of_links_and_a_crowd_of_files_end() {
    let root = tempfile::tempdir().unwrap();
    let agents = root.path().join("project/.claude/agents");
    fs::create_dir_all(&agents).unwrap();
    std::os::unix::fs::symlink(&agents, agents.join("again")).unwrap();
    for number in 0..3000 {
        fs::write(agents.join(format!("x{number}.txt")), "").unwrap();
    }
    let case = serde_json::json!({"files": {}});
    let loaded = Agents::load(&homes(root.path(), &case), None);
    let said: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|said| said.contains("more than 2000 files")), "{said:?}");
    assert_eq!(loaded.agents.all().len(), 3);
}

// rules: C10, G3
#[test]
fn an_agent_of_the_user_is_not_replaced_by_one_of_an_untrusted_folder() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    for (place, of) in
        [("home/.claude", "the user"), ("project/.claude", "the project"), ("project/cfg", "moved")]
    {
        fs::create_dir_all(root.join(place).join("agents")).unwrap();
        let text = format!("---\nname: reviewer\ndescription: {of}\n---\nx");
        fs::write(root.join(place).join("agents/reviewer.md"), text).unwrap();
    }
    let found = |is_trusted: bool, moved: bool| {
        let mut environment = Environment::empty().with_home(root.join("home"));
        if moved {
            environment = environment.with_var("CLAUDE_CONFIG_DIR", root.join("project/cfg"));
        }
        let mut request = Request::new(Profile::claude(), environment, root.join("project"));
        request.managed = Some(root.join("managed"));
        request.trust = request.trust.this_folder_trusted(is_trusted);
        let agents = Agents::load(&Homes::of(&request, &[]), None).agents;
        let agent = agents.find("reviewer").unwrap();
        (agent.description.clone(), agent.owner.to_string())
    };
    assert_eq!(found(true, false), ("the project".to_owned(), "project".to_owned()));
    assert_eq!(found(false, false), ("the user".to_owned(), "user".to_owned()));
    assert_eq!(
        found(false, true),
        ("the project".to_owned(), "project".to_owned()),
        "no directory of the user is left"
    );
    fs::remove_dir_all(root.join("project/.claude")).unwrap();
    assert_eq!(
        found(false, true),
        ("moved".to_owned(), "project".to_owned()),
        "a part of the project is not the user's"
    );
}

// rule: C8
#[test]
fn a_skill_that_changes_or_vanishes_stays_what_it_was_until_a_reload() {
    let root = tempfile::tempdir().unwrap();
    let case =
        serde_json::json!({"files": {"project/.claude/commands/c.md": "---\ndescription: old\n---\nx"}});
    let homes = homes(root.path(), &case);
    let before = Skills::load(&homes).skills;
    fs::remove_dir_all(root.path().join("project")).unwrap();
    assert_eq!(before.find("/c").unwrap().description, "old");
    assert!(Skills::load(&homes).skills.find("c").is_none());
}

// rule: P10
#[test]
fn an_unknown_agent_is_told_with_the_nearest_and_all() {
    let error = Agents::default().get("explore").unwrap_err();
    assert_eq!(
        error,
        "there is no agent `explore`: did you mean `Explore`? there are: `general-purpose`, `Explore`, `Plan`"
    );
}
