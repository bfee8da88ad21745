//! The requests of a host while a session is open.

use super::host::Host;
use super::{bash, place};
use becket_testkit::env::TestEnv;
use becket_testkit::proc::holds_for;
use serde_json::{Value, json};

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

fn hello() -> TestEnv {
    place(BECKET, &json!({}), &json!([{"text": "Hello."}]))
}

fn error(answer: &Value) -> &str {
    assert_eq!(answer["subtype"], "error", "{answer}");
    answer["error"].as_str().expect("a text")
}

#[test]
fn what_nobody_knows_is_an_error_that_says_so_and_nothing_else() {
    let env = hello();
    let mut host = Host::initialized(&env, &[], json!({}));
    let answer = host.asks("seed_read_state", json!({"path": "x"}));
    assert!(error(&answer).contains("`seed_read_state`") && error(&answer).contains("set_permission_mode"));
    let answer = host.asks("rewind_files", json!({"user_message_id": "u1"}));
    assert!(error(&answer).contains("keeps no file checkpoints"), "{answer}");
    let answer = host.asks("initialize", json!({}));
    assert!(error(&answer).contains("first line"), "{answer}");
    for (subtype, said) in [
        ("set_permission_mode", "`mode` must be a string"),
        ("mcp_message", "`message` is missing"),
        ("stop_task", "`task_id`"),
        ("register_repo_root", "`directory`"),
    ] {
        let answer = host.asks(subtype, json!({}));
        assert!(error(&answer).contains(said), "{answer}");
    }
    host.prompt("hi");
    assert_eq!(host.result()["result"], "Hello.");
}

#[test]
fn a_field_of_a_request_that_has_no_effect_is_named_once() {
    let env = hello();
    let mut host = Host::initialized(&env, &[], json!({}));
    let wants = json!({"mode": "default", "ultraplan": true, "off": false});
    for _ in 0..2 {
        assert_eq!(host.asks("set_permission_mode", wants.clone())["subtype"], "success");
    }
    host.asks("get_context_usage", json!({"detail": "full"}));
    let told = |line: &&Value| line.to_string().contains("has no effect here");
    let lines: Vec<&Value> = host.seen.iter().filter(told).collect();
    assert!(lines.len() == 1 && lines[0]["content"].to_string().contains("`ultraplan`"), "{lines:?}");
    let (code, stderr) = host.ends();
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(
        stderr.matches("`ultraplan` of `set_permission_mode` has no effect here").count(),
        1,
        "{stderr}"
    );
}

// rules: P13, P14
#[test]
fn the_mode_changes_and_bypass_only_where_the_session_was_started_with_it() {
    let turns = json!([
        {"tool_uses": [{"id": "t1", "name": "Write", "input": {"file_path": "one", "content": "1"}}]},
        {"text": "Denied."},
        {"tool_uses": [{"id": "t2", "name": "Write", "input": {"file_path": "two", "content": "2"}}]},
        {"text": "Done."}
    ]);
    let env = place(BECKET, &json!({}), &turns);
    let mut host = Host::initialized(&env, &[], json!({}));
    host.prompt("write");
    assert_eq!(host.result()["result"], "Denied.");
    let answer = host.asks("set_permission_mode", json!({"mode": "bypassPermissions"}));
    assert!(error(&answer).contains("started without"), "{answer}");
    let answer = host.asks("set_permission_mode", json!({"mode": "acceptAll"}));
    assert!(error(&answer).contains("`acceptAll`"), "{answer}");
    let answer = host.asks("set_permission_mode", json!({"mode": "acceptEdits"}));
    assert_eq!(answer["response"]["mode"], "acceptEdits");
    host.prompt("write");
    assert_eq!(host.result()["result"], "Done.");
    let init = host.seen.iter().rfind(|line| line["subtype"] == "init").expect("there is one");
    assert_eq!(init["permissionMode"], "acceptEdits");
    assert!(!env.project().join("one").exists() && env.project().join("two").exists());
}

// rules: P13, P14
#[test]
fn the_mode_that_is_in_force_once_hooks_have_answered_decides() {
    let write = |id: &str| json!({"id": id, "name": "Write", "input": {"file_path": id, "content": "1"}});
    let turns = json!([
        {"tool_uses": [write("one")]}, {"tool_uses": [write("two")]}, {"tool_uses": [write("three")]},
        {"text": "Done."}
    ]);
    let env = place(BECKET, &json!({}), &turns);
    let hooks = json!({"hooks": {"PreToolUse": [{"hookCallbackIds": ["h"]}]}});
    let mut host = Host::initialized(&env, &[], hooks);
    host.prompt("write");
    for mode in ["acceptEdits", "default", "plan"] {
        let asked = host.asked("hook_callback");
        host.asks("set_permission_mode", json!({"mode": mode}));
        host.answers(&asked, json!({}));
    }
    assert_eq!(host.result()["result"], "Done.");
    let there = ["one", "two", "three"].map(|file| env.project().join(file).exists());
    assert_eq!(there, [true, false, false]);
}

// rule: P13
#[test]
fn bypass_is_to_be_had_where_the_session_was_started_with_it() {
    let env =
        place(BECKET, &json!({}), &json!([{"tool_uses": [bash("t1", "touch made")]}, {"text": "Done."}]));
    let mut host = Host::start(&env, &["--allow-dangerously-skip-permissions"]);
    host.line(r#"{"type":"control_request","request_id":"i","request":{"subtype":"initialize"}}"#);
    let is_root =
        std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    if is_root {
        // Not as root, except in a sandbox.
        let (code, stderr) = host.ends();
        assert!(code == Some(2) && stderr.contains("IS_SANDBOX"), "{code:?} {stderr}");
        host = Host::with_env(&env, &["--allow-dangerously-skip-permissions"], &[("IS_SANDBOX", "1")]);
        host.line(r#"{"type":"control_request","request_id":"i","request":{"subtype":"initialize"}}"#);
    }
    host.answer_to("i");
    let answer = host.asks("set_permission_mode", json!({"mode": "bypassPermissions"}));
    assert_eq!(answer["response"]["mode"], "bypassPermissions", "{answer}");
    host.prompt("make it");
    assert_eq!(host.result()["result"], "Done.");
    assert!(env.project().join("made").exists());
}

fn hook(command: &str) -> Value {
    json!([{"hooks": [{"type": "command", "command": command}]}])
}

#[test]
fn another_model_answers_from_its_next_request_on_and_hooks_may_refuse_it() {
    let keep = "cat > before.json; test ! -e no || { echo 'too dear' >&2; exit 2; }";
    let settings =
        json!({"hooks": {"PreModelSwitch": hook(keep), "PostModelSwitch": hook("cat > after.json")}});
    let env = place(BECKET, &settings, &json!([{"text": "The first."}, {"text": "The first again."}]));
    env.write("project/other.json", json!({"turns": [{"text": "The other."}]}).to_string());
    let mut host = Host::initialized(&env, &[], json!({}));
    host.prompt("who?");
    assert_eq!(host.result()["result"], "The first.");
    let answer = host.asks("set_model", json!({"model": "script:other.json"}));
    assert_eq!(answer["subtype"], "success", "{answer}");
    for file in ["before.json", "after.json"] {
        let text = std::fs::read_to_string(env.project().join(file)).expect("the hook has run");
        let input: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(input["requested_model"], "script:other.json", "{file}");
    }
    host.prompt("who?");
    assert_eq!(host.result()["result"], "The other.");
    env.write("project/no", "");
    let answer = host.asks("set_model", json!({"model": null}));
    assert!(error(&answer).contains("too dear"), "{answer}");
    std::fs::remove_file(env.project().join("no")).expect("it is there");
    host.asks("set_model", json!({"model": "default"}));
    host.prompt("who?");
    assert_eq!(host.result()["result"], "The first again.");
    let answer = host.asks("set_model", json!({"model": "nobody::x"}));
    assert!(error(&answer).contains("nobody"), "{answer}");
}

// rules: L2, L6
#[test]
fn an_interrupt_ends_the_turn_and_the_session_goes_on() {
    let turns = json!([{"tool_uses": [bash("t1", "touch started; sleep 300")]}, {"text": "I am here."}]);
    let env = place(BECKET, &json!({"permissions": {"allow": ["Bash"]}}), &turns);
    let mut host = Host::initialized(&env, &[], json!({}));
    host.prompt("sleep");
    assert!(becket_testkit::proc::wait_until(|| env.project().join("started").exists()));
    assert_eq!(host.asks("interrupt", json!({}))["subtype"], "success");
    assert_eq!(host.result()["terminal_reason"], "aborted_tools");
    assert_eq!(host.asks("interrupt", json!({}))["subtype"], "success", "nothing works: nothing happens");
    host.prompt("are you there?");
    assert_eq!(host.result()["result"], "I am here.");
    assert_eq!(host.ends().0, Some(0));
}

// rule: L6
#[test]
fn an_interrupt_right_behind_a_prompt_means_that_prompt() {
    let turns = json!([{"text": "Too late.", "delay_ms": 60000}, {"text": "Next."}]);
    let env = place(BECKET, &json!({}), &turns);
    let mut host = Host::initialized(&env, &[], json!({}));
    host.prompt("one");
    let id = host.request("interrupt", json!({}));
    assert_eq!(host.answer_to(&id)["subtype"], "success");
    assert_eq!(host.result()["terminal_reason"], "aborted_streaming");
}

// rule: M6
#[test]
fn a_repository_is_registered_and_its_files_may_be_worked_on() {
    let settings = json!({"hooks": {"DirectoryAdded":
        [{"matcher": "register_repo_root", "hooks": [{"type": "command", "command": "cat > $HOME/added.json"}]}]}});
    let turns = json!([
        {"tool_uses": [{"id": "t1", "name": "Write", "input": {"file_path": "OTHER", "content": "1"}}]},
        {"text": "Done."}
    ]);
    let env = place(BECKET, &settings, &turns);
    let other = env.write("other/README", "x").parent().expect("it has one").to_owned();
    let script =
        json!({"turns": turns}).to_string().replace("OTHER", &other.join("new").display().to_string());
    env.write("project/script.json", script);
    let mut host = Host::initialized(&env, &["--permission-mode", "acceptEdits"], json!({}));
    let answer = host.asks("register_repo_root", json!({"directory": other.display().to_string()}));
    assert_eq!(answer["response"]["added"][0], other.display().to_string(), "{answer}");
    let added = env.root().join("home/added.json");
    assert!(becket_testkit::proc::wait_until(|| {
        std::fs::read_to_string(&added)
            .is_ok_and(|text| text.ends_with("}\n") && text.contains("register_repo_root"))
    }));
    let answer = host.asks("register_repo_root", json!({"directory": other.display().to_string()}));
    assert_eq!(answer["response"]["added"], json!([]), "it is there already");
    let answer = host.asks("register_repo_root", json!({"directory": "relative"}));
    assert!(error(&answer).contains("`relative`"), "{answer}");
    host.prompt("write");
    assert_eq!(host.result()["result"], "Done.");
    assert!(other.join("new").exists());
}

#[test]
fn a_request_that_is_taken_back_is_not_answered() {
    let settings = json!({"hooks": {"PreModelSwitch": hook("touch asked; sleep 300")}});
    let env = place(BECKET, &settings, &json!([{"text": "Hello."}]));
    env.write("project/other.json", json!({"turns": []}).to_string());
    let mut host = Host::initialized(&env, &[], json!({}));
    let id = host.request("set_model", json!({"model": "script:other.json"}));
    assert!(becket_testkit::proc::wait_until(|| env.project().join("asked").exists()));
    host.line(&json!({"type": "control_cancel_request", "request_id": id}).to_string());
    host.prompt("hi");
    assert_eq!(host.result()["result"], "Hello.", "the model is the one before");
    host.asks("mcp_status", json!({}));
    assert!(!host.seen.iter().any(|line| line["response"]["request_id"] == id.as_str()));
}

#[test]
fn an_id_is_given_once_until_it_is_answered() {
    let settings =
        json!({"hooks": {"PreModelSwitch": hook("touch asked; until test -e go; do sleep 0.02; done")}});
    let env = place(BECKET, &settings, &json!([{"text": "Hello."}]));
    env.write("project/other.json", json!({"turns": [{"text": "Other."}]}).to_string());
    let mut host = Host::initialized(&env, &[], json!({}));
    let id = host.request("set_model", json!({"model": "script:other.json"}));
    assert!(becket_testkit::proc::wait_until(|| env.project().join("asked").exists()));
    let again = json!({"subtype": "mcp_status"});
    let again = json!({"type": "control_request", "request_id": id, "request": again});
    host.line(&again.to_string());
    let refused = host.answer_to(&id);
    assert!(error(&refused).contains("a request of this id is not answered yet"), "{refused}");
    env.write("project/go", "");
    assert_eq!(host.answer_to(&id)["subtype"], "success", "the first one is not harmed");
    host.line(&again.to_string());
    assert_eq!(host.answer_to(&id)["subtype"], "success", "once it is answered, the id is free");
}

#[test]
fn a_host_that_writes_on_and_does_not_read_is_not_heard_until_it_reads() {
    use std::io::{BufRead, BufReader, Write};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;
    const ALL: u64 = 60_000;
    let env = place(BECKET, &json!({}), &json!([{"text": "Hello."}]));
    let managed = env.root().join("managed").display().to_string();
    let arguments =
        ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json", "--model"];
    let run = env.bare(arguments.into_iter().chain(["script:script.json", "--managed-dir", &managed]));
    let mut command = run.into_command();
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().expect("becket starts");
    let mut stdin = child.stdin.take().expect("piped");
    let written = Arc::new(AtomicU64::new(0));
    let counts = written.clone();
    let writer = std::thread::spawn(move || {
        for id in 0..ALL {
            let subtype = if id == 0 { "initialize" } else { "nonsense" };
            let line = json!({"type": "control_request", "request_id": id.to_string(), "request": {"subtype": subtype}});
            writeln!(stdin, "{line}").expect("becket reads");
            counts.fetch_add(1, Ordering::Relaxed);
        }
    });
    let stood_still = || {
        let before = written.load(Ordering::Relaxed);
        before > 1 && holds_for(Duration::from_millis(500), || written.load(Ordering::Relaxed) == before)
    };
    assert!(becket_testkit::proc::wait_until(stood_still));
    assert!(written.load(Ordering::Relaxed) < ALL, "all of it was taken in, though nobody reads");
    let answers = BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
    let answered = answers.filter(|line| line.contains("control_response")).count();
    writer.join().expect("all is written");
    assert_eq!(answered as u64, ALL);
    assert!(child.wait().expect("it ends").success());
}
