//! Prompts and commands that are rejected, and prompts that a program has composed.

use super::host::Host;
use super::place;
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

fn guarded(turns: &Value) -> TestEnv {
    let guard = "grep -q secret && { echo 'no secrets' >&2; exit 2; }; exit 0";
    let hooks = json!({"UserPromptSubmit": [{"hooks": [{"type": "command", "command": guard}]}]});
    place(BECKET, &json!({"hooks": hooks}), turns)
}

/// The error that a program reads for a prompt that a hook has rejected.
const REJECTION: &str =
    "UserPromptSubmit operation blocked by hook:\nno secrets\n\nOriginal prompt: my secret is x";

// rules: D5, L0
#[test]
fn a_rejected_prompt_is_a_result_like_any_other_for_a_program() {
    for initializes in [true, false] {
        let env = guarded(&json!([{"text": "Hello."}]));
        let mut host =
            if initializes { Host::initialized(&env, &[], json!({})) } else { Host::start(&env, &[]) };
        host.prompt("my secret is x");
        let result = host.result();
        assert_eq!(
            (&result["subtype"], &result["is_error"], &result["num_turns"], &result["result"]),
            (&json!("success"), &json!(false), &json!(0), &json!(REJECTION)),
        );
        assert_eq!(result.get("errors"), None);
        host.prompt("hi");
        assert_eq!(host.result()["result"], "Hello.");
        host.prompt("another secret");
        assert_eq!(host.result()["terminal_reason"], "prompt_rejected");
        assert_eq!(host.ends().0, Some(0));
    }
}

// rule: L0
#[test]
fn the_exit_code_is_that_of_the_last_result() {
    let env = place(
        BECKET,
        &json!({}),
        &json!([{"error": {"kind": "bad_request", "message": "no"}}, {"text": "Hello."}]),
    );
    let mut host = Host::start(&env, &[]);
    host.prompt("fails");
    assert_eq!(host.result()["is_error"], true);
    host.prompt("hi");
    assert_eq!(host.result()["is_error"], false);
    assert_eq!(host.ends().0, Some(0));
}

// rules: D5, L0
#[test]
fn a_script_reads_the_rejection_on_stdout_and_fails() {
    let env = guarded(&json!([]));
    let output = env.becket(["run", "--model", "script:script.json", "-p", "my secret is x"]).run();
    assert_eq!((output.code, output.stdout.trim_end()), (Some(1), REJECTION), "{}", output.stderr);
    let output = env
        .becket(["run", "--model", "script:script.json", "--output-format", "json", "-p", "my secret is x"])
        .run();
    let result: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!((output.code, &result["is_error"]), (Some(0), &json!(false)), "{}", output.stderr);
    assert_eq!(result["result"], REJECTION);
}

// rule: L0
#[test]
fn what_a_program_composed_reaches_the_model_as_it_is() {
    let echo = |text: &str| json!({"text": "Hello.", "expect": [text]});
    let env =
        place(BECKET, &json!({}), &json!([echo("/permissions"), echo("/nonsense"), echo("see @notes.txt")]));
    env.write("project/notes.txt", "the-content-of-the-notes");
    let mut host = Host::start(&env, &[]);
    for text in ["/permissions", "/nonsense", "see @notes.txt"] {
        let message = json!({"role": "user", "content": text});
        host.line(&json!({"type": "user", "message": message, "client_composed": true}).to_string());
        assert_eq!(host.result()["result"], "Hello.", "{text}");
    }
    assert!(!format!("{:?}", host.seen).contains("the-content-of-the-notes"));
    host.prompt("/permissions");
    assert_ne!(host.result()["result"], "Hello.", "typed by a person it is a command");
}

// rules: G3, P7
#[test]
fn text_of_a_driven_session_grants_nothing_and_leads_to_no_other_session() {
    let env = place(BECKET, &json!({}), &json!([]));
    let mut host = Host::start(&env, &[]);
    let resume = "/resume 5f1c9f0e-3c0b-4b7e-9a55-0d6f2b1c7a10";
    for text in ["/add-dir /etc", "/resume", resume, "/model haiku", "/model default", "/logout"] {
        host.prompt(text);
        let result = host.result();
        let said = result["result"].as_str().unwrap_or_default();
        assert!(said.contains("isn't available in this environment"), "{text}: {result}");
        assert_eq!(result["is_error"], false, "{text}");
    }
    host.prompt("/permissions");
    let listed = host.result()["result"].as_str().expect("a text").to_owned();
    assert!(!listed.contains("/etc"), "{listed}");
}

// rule: A4
#[test]
fn a_hook_in_the_background_wakes_a_session_that_is_idle() {
    let late = "cat >/dev/null; until [ -e go ]; do sleep 0.05; done; echo 'the build is red' >&2; exit 2";
    let hooks = json!({"UserPromptSubmit": [{"hooks": [
        {"type": "command", "command": late, "asyncRewake": true, "timeout": 60}]}]});
    let turns = json!([{"text": "Hello."}, {"text": "I will look.", "expect": ["the build is red"]}]);
    let env = place(BECKET, &json!({"hooks": hooks}), &turns);
    let mut host = Host::start(&env, &[]);
    host.prompt("hi");
    assert_eq!(host.result()["result"], "Hello.");
    env.write("project/go", "");
    assert_eq!(host.result()["result"], "I will look.");
    assert_eq!(host.ends().0, Some(0));
}

// rule: L1
#[test]
fn hooks_are_notified_of_a_permission_that_waits_for_the_host() {
    let note = "cat > notified.json";
    let hooks = json!({"Notification": [{"matcher": "permission_prompt", "hooks": [{"type": "command", "command": note}]}]});
    let turns = json!([{"tool_uses": [super::bash("t1", "touch made")]}, {"text": "Done."}]);
    let env = place(BECKET, &json!({"hooks": hooks}), &turns);
    let mut host = Host::start(&env, &["--permission-prompt-tool", "stdio"]);
    host.prompt("make it");
    let asked = host.asked("can_use_tool");
    let notified = env.project().join("notified.json");
    let has_notice =
        || std::fs::read_to_string(&notified).is_ok_and(|text| text.contains("Becket needs your permission"));
    assert!(becket_testkit::proc::wait_until(has_notice));
    host.answers(&asked, json!({"behavior": "deny", "message": "no"}));
    assert_eq!(host.result()["result"], "Done.");
}

// rule: L0
#[test]
fn a_session_start_hook_gives_the_prompt_where_nobody_does() {
    let first =
        json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "initialUserMessage": "tidy up"}});
    let hook = format!("cat <<'END'\n{first}\nEND");
    let hooks = json!({"SessionStart": [{"hooks": [{"type": "command", "command": hook}]}]});
    let env = place(BECKET, &json!({"hooks": hooks}), &json!([{"text": "Done.", "expect": ["tidy up"]}]));
    let output = env.becket(["run", "--model", "script:script.json", "-p"]).stdin("").run();
    assert_eq!((output.code, output.stdout.trim_end()), (Some(0), "Done."), "{}", output.stderr);
    let silent = json!({"SessionStart": [{"hooks": [{"type": "command", "command": ": > started"}]}]});
    for (hooks, starts) in [(silent, true), (json!({}), false)] {
        let env = place(BECKET, &json!({"hooks": hooks}), &json!([]));
        let output = env.becket(["run", "--model", "script:script.json", "-p"]).stdin("").run();
        assert!(
            output.code != Some(0) && output.stderr.contains("there is nothing to do"),
            "{}",
            output.stderr
        );
        assert_eq!(env.project().join("started").exists(), starts);
    }
}

// rule: G2
#[test]
fn a_safe_start_runs_managed_hooks_alone() {
    let touch = |name: &str| json!({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": format!(": > {name}")}]}]}});
    let env = place(BECKET, &touch("of-the-user"), &json!([{"text": "Hello."}]));
    env.write("managed/managed-settings.json", touch("of-policy").to_string());
    let managed = env.root().join("managed").display().to_string();
    let arguments =
        ["run", "--managed-dir", &managed, "--model", "script:script.json", "--safe-mode", "-p", "hi"];
    let output = env.bare(arguments).run();
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let made = ["of-policy", "of-the-user"].map(|name| env.project().join(name).exists());
    assert_eq!(made, [true, false]);
}

// rule: L0
#[test]
fn a_result_names_the_message_that_it_answers() {
    let env = place(BECKET, &json!({}), &json!([{"text": "One."}, {"text": "Two."}, {"text": "Three."}]));
    let mut host = Host::start(&env, &[]);
    let human = json!({"kind": "human"});
    for (fields, origin, uuid) in [
        (json!({"origin": human, "uuid": "m1"}), Some(&human), Some("m1")),
        (json!({"origin": {"kind": "task-notification"}}), None, None),
        (json!({"origin": "human", "uuid": 7}), None, None),
    ] {
        let mut message = json!({"type": "user", "message": {"role": "user", "content": "hi"}});
        message.as_object_mut().expect("an object").extend(fields.as_object().cloned().expect("an object"));
        host.line(&message.to_string());
        let result = host.result();
        assert_eq!(result.get("origin"), origin, "{result}");
        assert_eq!(result.get("user_message_uuid"), uuid.map(|uuid| json!(uuid)).as_ref(), "{result}");
        assert_eq!(result.get("user_message_uuids"), uuid.map(|uuid| json!([uuid])).as_ref(), "{result}");
    }
}

// rule: L0
#[test]
fn messages_are_repeated_for_a_host_that_wants_them() {
    let env = place(BECKET, &json!({}), &json!([{"text": "Hello."}]));
    let mut host = Host::start(&env, &["--replay-user-messages"]);
    host.prompt("hi");
    let replayed = host.until(|line| line["isReplay"] == true);
    assert_eq!((&replayed["type"], &replayed["message"]["content"]), (&json!("user"), &json!("hi")));
    assert_eq!(host.result()["result"], "Hello.");
}

// rule: L0
#[test]
fn the_number_of_retries_is_the_hosts_to_set() {
    let busy = json!({"error": {"kind": "overloaded", "message": "busy"}});
    let env = place(BECKET, &json!({}), &json!([busy, {"text": "Hello."}]));
    let mut host = Host::with_env(&env, &[], &[("CLAUDE_CODE_MAX_RETRIES", "0")]);
    host.prompt("hi");
    assert_eq!(host.result()["terminal_reason"], "api_error");
    host.prompt("again");
    assert_eq!(host.result()["result"], "Hello.");
}
