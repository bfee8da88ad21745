//! The tasks at the end of a turn.

use super::host::Host;
use super::place;
use becket_testkit::env::TestEnv;
use becket_testkit::messages_api::{Server, Turn};
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

fn turn(when: &[&str], text: &str) -> Turn {
    let when = when.iter().map(ToString::to_string).collect();
    Turn { when, text: Some(text.to_owned()), ..Turn::default() }
}

fn driven(server: &Server, settings: &Value, wants: Value, more: &[&str]) -> (TestEnv, Host) {
    let env = place(BECKET, settings, &json!([]));
    let variables = [("ANTHROPIC_API_KEY", "key"), ("ANTHROPIC_BASE_URL", &server.url())];
    let mut host = Host::with_env(&env, &[&["--model", "sonnet"], more].concat(), &variables);
    assert_eq!(host.asks("initialize", wants)["subtype"], "success");
    (env, host)
}

/// Returns the titles in the transcripts, given and generated ones.
fn titles(env: &TestEnv) -> Vec<String> {
    let mut found = Vec::new();
    for_each_transcript(&env.root().join("home/.claude/projects"), &mut |text| {
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        found.extend(lines.filter_map(|line| match line["type"].as_str()? {
            "custom-title" => Some(line["customTitle"].as_str()?.to_owned()),
            "ai-title" => Some(line["aiTitle"].as_str()?.to_owned()),
            _ => None,
        }));
    });
    found
}

fn for_each_transcript(directory: &Path, see: &mut impl FnMut(&str)) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            for_each_transcript(&path, see);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            see(&text);
        }
    }
}

// rule: L7
#[test]
fn the_small_model_names_a_session_once_and_no_answer_waits_for_it() {
    let named = Turn { delay_ms: 1500, ..turn(&["Give this conversation a title"], "\"Mending the till\"") };
    let server = Server::start(vec![named, turn(&[], "One."), turn(&[], "Two.")]);
    let (env, mut host) = driven(&server, &json!({}), json!({}), &[]);
    host.prompt("mend it");
    assert_eq!(host.result()["result"], "One.");
    assert_eq!(titles(&env), Vec::<String>::new(), "the answer was there first");
    assert!(wait_until(|| titles(&env) == ["Mending the till"]), "{:?}", titles(&env));
    host.prompt("more");
    assert_eq!(host.result()["result"], "Two.");
    assert_eq!(host.ends().0, Some(0));
    assert_eq!((server.requests().len(), server.wrongs()), (3, Vec::new()));
    let asked = server.requests().into_iter().find(|request| request["system"].to_string().contains("title"));
    let model = asked.expect("it was asked")["model"].as_str().map(str::to_owned);
    assert!(model.is_some_and(|model| model.contains("haiku")));
}

// rule: L7
#[test]
fn without_a_small_model_the_first_words_are_the_title() {
    let env = place(BECKET, &json!({}), &json!([{"text": "Done."}]));
    let mut host = Host::initialized(&env, &[], json!({}));
    host.prompt("mend the till\nand look twice");
    host.result();
    assert!(wait_until(|| titles(&env) == ["mend the till"]), "{:?}", titles(&env));
}

// rules: L7, D11
#[test]
fn the_title_of_a_hook_or_a_host_stays_and_nobody_is_asked_for_another() {
    let says = r#"echo '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","sessionTitle":"the hook says"}}'"#;
    let hooks = json!({"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": says}]}]}});
    for (settings, wants, more, expected) in [
        (hooks, json!({}), &[][..], "the hook says"),
        (json!({}), json!({"title": "the host says"}), &[], "the host says"),
        (json!({}), json!({}), &["--name", "the user says"], "the user says"),
    ] {
        let server = Server::start(vec![turn(&[], "One.")]);
        let (env, mut host) = driven(&server, &settings, wants, more);
        host.prompt("mend it");
        host.result();
        assert_eq!(host.ends().0, Some(0));
        assert_eq!((titles(&env), server.requests().len()), (vec![expected.to_owned()], 1));
    }
}

// rule: L7
#[test]
fn a_bare_session_is_named_by_nobody() {
    let server = Server::start(vec![turn(&[], "One.")]);
    let (env, mut host) = driven(&server, &json!({}), json!({"promptSuggestions": true}), &["--bare"]);
    host.prompt("mend it");
    host.result();
    assert_eq!(host.ends().0, Some(0));
    assert_eq!((titles(&env), server.requests().len()), (Vec::new(), 1));
}

fn is_suggestion(line: &Value) -> bool {
    line["type"] == "prompt_suggestion"
}

// rule: L7
#[test]
fn a_host_that_wants_it_is_told_what_may_come_next_after_the_result() {
    let next = "what the user will most likely ask";
    let server = Server::start(vec![turn(&[next], "Run the tests."), turn(&[], "One."), turn(&[], "Two.")]);
    let (_env, mut host) = driven(&server, &json!({}), json!({"promptSuggestions": true, "title": "t"}), &[]);
    host.prompt("mend it");
    let first = host.result();
    host.prompt("and the drawer");
    host.result();
    let result = host.seen.len();
    let suggestion = host.until(is_suggestion);
    assert_eq!(suggestion["suggestion"], "Run the tests.");
    assert_eq!(suggestion["session_id"], first["session_id"]);
    assert!(!host.seen[..result].iter().any(is_suggestion), "none before its result, none on the first turn");
    assert_eq!(host.ends().0, Some(0));
    assert_eq!(server.requests().len(), 3);
}

// rule: L7
#[test]
fn a_suggestion_that_is_late_is_told_nobody() {
    let next = "what the user will most likely ask";
    let late = Turn { delay_ms: 700, ..turn(&[next], "Late.") };
    let server = Server::start(vec![
        late,
        turn(&[], "One."),
        turn(&[], "Two."),
        Turn { delay_ms: 1500, ..turn(&[], "Three.") },
        turn(&[next], "In time."),
    ]);
    let (_env, mut host) = driven(&server, &json!({}), json!({"promptSuggestions": true, "title": "t"}), &[]);
    for prompt in ["one", "two", "three"] {
        host.prompt(prompt);
    }
    for _ in 0..3 {
        host.result();
    }
    assert_eq!(host.until(is_suggestion)["suggestion"], "In time.");
    assert_eq!(host.seen.iter().filter(|line| is_suggestion(line)).count(), 1);
}

/// Returns the notes of the project, and those from before they were consolidated.
fn notes(env: &TestEnv) -> (String, String) {
    let (mut now, mut before) = (String::new(), String::new());
    let projects = fs::read_dir(env.root().join("home/.becket/projects")).into_iter().flatten().flatten();
    for file in projects.flat_map(|project| fs::read_dir(project.path().join("memory"))).flatten().flatten() {
        let text = fs::read_to_string(file.path()).unwrap_or_default();
        match file.file_name().to_string_lossy() {
            name if name.ends_with("-before.md") => before = text,
            name if name.ends_with("-consolidated.md") || !name.ends_with(".md") => {}
            _ => now = text,
        }
    }
    (now, before)
}

/// Runs several prompts in one directory, whose small model writes a note each time; `merged` is its summary of all.
fn runs(count: usize, merged: Turn) -> (TestEnv, Server, Vec<String>) {
    let mut number = 0;
    let server = Server::start_with(move |request| {
        let system = request["system"].to_string();
        if system.contains("Write them again") {
            return merged.clone();
        }
        if !system.contains("in a later session should know") {
            return Turn::text("Done.");
        }
        number += 1;
        Turn::text(format!("- Fact number {number} of this project.\n"))
    });
    let env = place(BECKET, &json!({}), &json!([]));
    let arguments =
        ["run", "--model", "sonnet", "--memory-notes", "--output-format", "stream-json", "-p", "hi"];
    let outputs = (0..count).map(|_| {
        let run =
            env.becket(arguments).env("ANTHROPIC_API_KEY", "key").env("ANTHROPIC_BASE_URL", &server.url());
        let ended = run.run();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended.stdout
    });
    let outputs = outputs.collect();
    (env, server, outputs)
}

fn consolidations(server: &Server) -> usize {
    let requests = server.requests();
    requests.iter().filter(|request| request["system"].to_string().contains("Write them again")).count()
}

// rule: L7
#[test]
fn notes_of_many_sessions_are_made_fewer_once() {
    let (env, server, outputs) = runs(8, Turn::text("- All of it in one.\n"));
    let (now, before) = notes(&env);
    assert_eq!((consolidations(&server), server.wrongs()), (1, Vec::new()), "{outputs:#?}");
    assert!(now.contains("- All of it in one.\n") && !now.contains("number 1 "), "{now}");
    assert!(now.contains("number 8 "), "later notes are added: {now}");
    assert!(before.contains("number 1 ") && before.contains("number 5 "), "{before}");
    let asked = server
        .requests()
        .into_iter()
        .find(|request| request["system"].to_string().contains("Write them again"));
    let asked = asked.expect("it was asked");
    assert!(asked["messages"].to_string().contains("Fact number 5"), "{asked}");
    assert!(asked["model"].as_str().is_some_and(|model| model.contains("haiku")));
}

// rule: L7
#[test]
fn a_consolidation_that_fails_is_a_warning_and_the_notes_stay() {
    let refused = Turn {
        refused: serde_json::from_value(json!({"status": 400, "kind": "invalid_request_error"})).ok(),
        ..Turn::default()
    };
    let (env, server, outputs) = runs(6, refused);
    assert_eq!(consolidations(&server), 1);
    let (now, before) = notes(&env);
    assert!(now.contains("number 1 ") && before.is_empty(), "{now}");
    let last = outputs.last().expect("there were some");
    assert!(last.contains("`consolidation of notes`, which runs at the end of a turn, failed"), "{last}");
}
