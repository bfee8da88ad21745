//! Questions of hooks: on a real terminal, from a file, and without a user.

use crate::env_with;
use crate::tmux::Terminal;
use becket_testkit::env::TestEnv;
use becket_testkit::proc::{Marker, holds_for, wait_until};
use serde_json::{Value, json};
use std::time::Duration;

/// Writes a hook that asks `question` once `$before` is done, writes the answer to `answer`, and denies unless it is
/// `y`.
fn asking(env: &TestEnv, before: &str) {
    let question = json!({"prompt": "deploy", "message": "Really deploy?", "options": [
        {"key": "y", "label": "Yes"}, {"key": "n", "label": "No", "description": "not today"}]});
    env.write("project/question", format!("{question}\n"));
    let script = format!(
        r#"read input; {before} cat question; read answer || exit 1; echo "$answer" >answer
case $answer in *'"y"'*) exit 0;; esac; echo "told $answer" >&2; exit 2"#
    );
    env.write("project/ask.sh", script);
}

fn hook() -> Value {
    json!({"type": "command", "command": "sh ask.sh", "questions": true})
}

fn settings(hooks: &[Value]) -> String {
    json!({"hooks": {"PreToolUse": [{"hooks": hooks}]}}).to_string()
}

const FIRE: [&str; 4] = ["fire", "PreToolUse", "--tool", "Bash"];

fn answer(env: &TestEnv) -> Value {
    let text = std::fs::read_to_string(env.project().join("answer")).expect("the hook has read an answer");
    serde_json::from_str(&text).expect("a line of JSON")
}

fn is_asked(screen: &str) -> bool {
    screen.contains("Really deploy?") && screen.contains("not today")
}

// rules: Q1, Q2
#[test]
fn a_person_answers_with_arrow_keys_or_not_at_all() {
    let env = env_with(&settings(&[hook()]));
    asking(&env, "");
    let terminal = Terminal::new(&env);
    let before = terminal.settings_of_shell();
    for (keys, selected, code) in
        [(&["Enter"][..], json!("y"), 0), (&["Down", "Enter"], json!("n"), 2), (&["Escape"], Value::Null, 2)]
    {
        terminal.types(&terminal.becket("fire PreToolUse --tool Bash"));
        terminal.screen_with(is_asked);
        terminal.presses(keys);
        let screen = terminal.screen_with(|screen| screen.contains("ended "));
        assert!(screen.contains(&format!("ended {code}")), "{keys:?}: {screen}");
        assert_eq!(answer(&env), json!({"prompt_response": "deploy", "selected": selected}), "{screen}");
        assert_eq!(terminal.settings(), before, "{keys:?}");
    }
}

// rule: Q2
#[test]
fn two_hooks_ask_one_after_another() {
    let other = json!({"type": "command", "command": "sh ask.sh # as well", "questions": true});
    let env = env_with(&settings(&[hook(), other]));
    asking(&env, "");
    let terminal = Terminal::new(&env);
    terminal.types(&terminal.becket("fire PreToolUse --tool Bash"));
    for _ in 0..2 {
        let screen = terminal.screen_with(is_asked);
        assert_eq!(screen.matches("Enter chooses").count(), 1, "{screen}");
        terminal.presses(&["Enter"]);
        terminal.screen_with(|now| !is_asked(now) || now.matches("Really deploy?").count() > 1);
    }
    let screen = terminal.screen_with(|screen| screen.contains("ended "));
    assert!(screen.contains("ended 0"), "{screen}");
}

// rules: Q1, Q3
#[test]
fn what_was_typed_before_the_question_answers_nothing() {
    let env = env_with(&settings(&[hook()]));
    asking(&env, "touch waits; until test -e go; do sleep 0.05; done;");
    let terminal = Terminal::new(&env);
    terminal.types(&terminal.becket("fire PreToolUse --tool Bash"));
    terminal.screen_with(|_| env.project().join("waits").exists());
    terminal.presses(&["Enter", "y", "Enter"]);
    env.write("project/go", "");
    terminal.screen_with(is_asked);
    assert!(holds_for(Duration::from_millis(500), || !env.project().join("answer").exists()));
    terminal.presses(&["Down", "Enter"]);
    terminal.screen_with(|screen| screen.contains("ended 2"));
    assert_eq!(answer(&env)["selected"], "n");
}

// rules: Q1, H4
#[test]
fn an_end_while_it_is_asked_restores_the_terminal_and_ends_the_hook() {
    for (end, code) in [("C-c", "ended 1"), ("-TERM", "ended 1"), ("-KILL", "ended 137")] {
        let env = env_with(&settings(&[hook()]));
        asking(&env, "");
        let terminal = Terminal::new(&env);
        let before = terminal.settings_of_shell();
        let marker = Marker::new();
        let (name, value) = marker.env();
        terminal.types(&format!("{name}='{value}' {}", terminal.becket("fire PreToolUse --tool Bash")));
        let screen = terminal.screen_with(is_asked);
        assert_ne!(terminal.settings(), before, "keys are read one by one: {screen}");
        if end == "C-c" {
            terminal.presses(&[end]);
        } else {
            let main = marker.alive().into_iter().min().expect("becket runs").to_string();
            assert!(std::process::Command::new("kill").args([end, &main]).status().expect("kill").success());
        }
        let screen = terminal.screen_with(|screen| screen.contains("ended "));
        assert!(screen.contains(code), "{end}: {screen}");
        assert!(end == "-KILL" || screen.contains("interrupted"), "{end}: {screen}");
        // A shell that regains the terminal from a killed job restores it itself.
        assert!(end == "-KILL" || terminal.settings() == before, "{end}");
        assert!(!env.project().join("answer").exists(), "{end}");
        assert!(wait_until(|| marker.alive().is_empty()), "{end}: {:?}", marker.alive());
    }
}

// rules: Q2, H4
#[test]
fn a_hook_that_ends_takes_its_question_along() {
    let quick = json!({"type": "command", "command": "read input; cat question; sleep 1", "questions": true});
    let env = env_with(&settings(&[quick]));
    asking(&env, "");
    let terminal = Terminal::new(&env);
    let before = terminal.settings_of_shell();
    let screen = terminal.screen_after(&terminal.becket("fire PreToolUse --tool Bash"));
    assert!(screen.contains("withdrawn, since the hook ended"), "{screen}");
    assert!(!screen.contains("Enter chooses"), "the question is taken off the screen: {screen}");
    assert_eq!(terminal.settings(), before);
}

// rules: Q1, Q3
#[test]
fn with_nobody_to_ask_a_hook_hears_null_and_without_leave_nothing() {
    for more in [None, Some("--nobody-to-ask")] {
        let env = env_with(&settings(&[hook()]));
        asking(&env, "");
        let ended = env.becket(FIRE.into_iter().chain(more)).run();
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stdout.contains("no user to ask"), "{ended:?}");
        assert_eq!(answer(&env), json!({"prompt_response": "deploy", "selected": null}));
    }
    let asks = json!({"type": "command", "command": "cat >/dev/null; cat question"});
    let env = env_with(&settings(&[asks]));
    asking(&env, "");
    let ended = env.becket(FIRE).run();
    assert!(ended.stdout.contains("set `questions: true` on the handler"), "{ended:?}");
}

// rule: Q1
#[test]
fn answers_come_from_a_file() {
    for (answers, selected, told) in [
        (r#"{"deploy": "y", "other": "n"}"#, json!("y"), "the question `other` was never asked"),
        (r#"["y", null]"#, json!("y"), "the last answer has no question"),
        (r#"["n"]"#, json!("n"), ""),
        (r#"{"deploy": null}"#, Value::Null, ""),
        ("{}", Value::Null, "no answer for the question `deploy`"),
    ] {
        let env = env_with(&settings(&[hook()]));
        asking(&env, "");
        env.write("project/answers.json", answers);
        let ended = env.becket(FIRE.into_iter().chain(["--answers", "answers.json", "--json"])).run();
        assert_eq!(answer(&env)["selected"], selected, "{answers}: {ended:?}");
        assert!(
            ended.stderr.contains(told) && told.is_empty() == ended.stderr.is_empty(),
            "{answers}: {ended:?}"
        );
        let report: Value = serde_json::from_str(&ended.stdout).expect("a report");
        let asked = &report["hooks"][0]["questions"][0];
        assert_eq!((&asked["id"], &asked["selected"]), (&json!("deploy"), &selected), "{asked}");
    }
}

// rule: Q1
#[test]
fn an_answer_that_is_not_offered_is_named_and_a_bad_file_stops() {
    let env = env_with(&settings(&[hook()]));
    asking(&env, "");
    env.write("project/answers.json", r#"{"deploy": "maybe"}"#);
    let ended = env.becket(FIRE.into_iter().chain(["--answers", "answers.json"])).run();
    assert!(ended.stdout.contains("`maybe`"), "{ended:?}");
    assert_eq!(answer(&env)["selected"], Value::Null);
    for (text, named) in [("{", "line 1"), ("7", "neither an object nor a list"), (r#"{"a": 1}"#, "`a`")] {
        env.write("project/answers.json", text);
        let ended = env.becket(FIRE.into_iter().chain(["--answers", "answers.json"])).run();
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{ended:?}");
        assert!(ended.stderr.contains(named) && ended.stderr.contains("answers.json"), "{ended:?}");
    }
}
