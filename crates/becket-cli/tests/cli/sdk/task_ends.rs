//! Background tasks that end while a driven session is idle, or after its last prompt.

use super::host::Host;
use super::{bash, place};
use becket_testkit::env::TestEnv;
use becket_testkit::messages_api::{Server, Turn};
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

/// The variable for the time limit on a run's tasks, in milliseconds.
const CEILING: &str = "CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS";

fn in_background(id: &str, command: &str) -> Value {
    let mut call = bash(id, command);
    call["input"]["run_in_background"] = json!(true);
    call
}

/// Creates a session whose first answer starts a background command.
fn with_command(command: &str, more: &[Value]) -> TestEnv {
    let log = "grep -o '\"stop_hook_active\":[a-z]*' >> stops";
    let settings = json!({
        "permissions": {"allow": ["Bash"]},
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": log}]}]},
    });
    let mut turns =
        vec![json!({"tool_uses": [in_background("t1", command)]}), json!({"text": "It is being built."})];
    turns.extend_from_slice(more);
    place(BECKET, &settings, &json!(turns))
}

const UNTIL_GO: &str = "until [ -e go ]; do sleep 0.05; done; echo built";

fn stops(env: &TestEnv) -> usize {
    std::fs::read_to_string(env.project().join("stops")).unwrap_or_default().lines().count()
}

// rules: A4, L3
#[test]
fn the_end_of_a_background_command_starts_a_turn_in_an_idle_session() {
    for initializes in [true, false] {
        let env = with_command(
            UNTIL_GO,
            &[
                json!({"text": "It is built.", "expect": ["completed (exit code 0)"]}),
                json!({"text": "Bye."}),
            ],
        );
        let mut host =
            if initializes { Host::initialized(&env, &[], json!({})) } else { Host::start(&env, &[]) };
        host.prompt("build it");
        assert_eq!(host.result()["result"], "It is being built.");
        assert_eq!(stops(&env), 1);
        env.write("project/go", "");
        let result = host.result();
        assert_eq!((&result["result"], &result["is_error"]), (&json!("It is built."), &json!(false)));
        assert_eq!(stops(&env), 2, "the turn ends like any other");
        host.prompt("bye");
        assert_eq!(host.result()["result"], "Bye.", "an end is told once");
        assert_eq!(host.ends().0, Some(0));
    }
}

// rule: A4
#[test]
fn the_end_of_a_background_agent_starts_a_turn_in_an_idle_session() {
    let answer = |when: &str, turn: Turn| Turn { when: vec![when.to_owned()], ..turn };
    let agent = json!({"subagent_type": "general-purpose", "description": "Look", "prompt": "LOOK-INTO-IT", "run_in_background": true});
    let server = Server::start(vec![
        answer("completed. Its output", Turn::text("It has looked.")),
        answer("background as task", Turn::text("It looks.")),
        answer("start an agent", Turn::call("t1", "Agent", agent)),
        answer("LOOK-INTO-IT", Turn::call("t2", "Bash", json!({"command": UNTIL_GO}))),
        answer("built", Turn::text("I have looked.")),
    ]);
    let env = place(BECKET, &json!({"permissions": {"allow": ["Bash", "Agent"]}}), &json!([]));
    let variables = [("ANTHROPIC_API_KEY", "key"), ("ANTHROPIC_BASE_URL", &server.url())];
    let mut host = Host::with_env(&env, &["--model", "sonnet"], &variables);
    host.prompt("start an agent");
    assert_eq!(host.result()["result"], "It looks.");
    env.write("project/go", "");
    assert_eq!(host.result()["result"], "It has looked.");
    assert_eq!(host.ends().0, Some(0));
}

// rule: A4
#[test]
fn a_task_that_the_host_stops_wakes_nobody_and_is_told_with_the_next_prompt() {
    let env = with_command(UNTIL_GO, &[json!({"text": "I know.", "expect": ["was stopped"]})]);
    let mut host = Host::initialized(&env, &[], json!({}));
    host.prompt("build it");
    host.result();
    let started = host.seen.iter().find(|line| line["subtype"] == "task_started").expect("it has begun");
    let id = started["task_id"].clone();
    assert_eq!(host.asks("stop_task", json!({"task_id": id}))["subtype"], "success");
    host.prompt("do you know?");
    assert_eq!(host.result()["result"], "I know.");
    assert_eq!(host.ends().0, Some(0));
    assert_eq!(stops(&env), 2);
}

// rules: A4, L6
#[test]
fn an_interrupt_ends_the_turn_and_no_background_task() {
    let settings = json!({"permissions": {"allow": ["Bash"]}});
    let turns = json!([
        {"tool_uses": [in_background("t1", UNTIL_GO)]},
        {"tool_uses": [bash("t2", "touch started; sleep 300")]},
        {"text": "It is built.", "expect": ["completed (exit code 0)"]}
    ]);
    let env = place(BECKET, &settings, &turns);
    let mut host = Host::initialized(&env, &[], json!({}));
    host.prompt("build it");
    assert!(wait_until(|| env.project().join("started").exists()));
    host.asks("interrupt", json!({}));
    assert_eq!(host.result()["terminal_reason"], "aborted_tools");
    env.write("project/go", "");
    assert_eq!(host.result()["result"], "It is built.");
    assert_eq!(host.ends().0, Some(0));
}

// rule: A4
#[test]
fn after_the_last_prompt_a_session_waits_for_its_tasks() {
    let env = with_command(UNTIL_GO, &[json!({"text": "It is built.", "expect": ["completed"]})]);
    let mut host = Host::initialized(&env, &[], json!({}));
    host.prompt("build it");
    host.result();
    host.hangs_up();
    env.write("project/go", "");
    assert_eq!(host.result()["result"], "It is built.");
    assert_eq!(host.ends().0, Some(0));
}

// rules: A4, H4
#[test]
fn a_task_that_does_not_end_is_waited_for_up_to_the_ceiling() {
    for (ceiling, warns) in [("200", true), ("0", false)] {
        let env = with_command("sleep 300", &[]);
        let mut host = Host::with_env(&env, &[], &[(CEILING, ceiling)]);
        host.prompt("build it");
        host.result();
        host.hangs_up();
        let warning = |line: &Value| {
            line["content"]
                .as_str()
                .is_some_and(|text| text.contains("1 background task still ran after 0.2 s"))
        };
        if warns {
            host.until(warning);
        }
        assert_eq!(host.ends().0, Some(0), "{ceiling}");
    }
}
