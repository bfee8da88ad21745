//! `becket run`: rules and hooks decide about each program that a line executes.

use crate::run::{lines, run, scripted};
use becket_testkit::env::{ProgramOutput, TestEnv};
use serde_json::{Value, json};
use std::fs;

/// A script whose text does not show what it runs.
const RELEASE: &str = "name=release-1\ntouch $name\necho ended with $?\n";

fn env_for(settings: &Value, line: &str) -> TestEnv {
    let turns =
        json!([{"tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": line}}]}, {"text": "Done."}]);
    let env = scripted(settings, &turns);
    env.write("project/release.sh", RELEASE);
    env
}

fn ended(env: &TestEnv) -> ProgramOutput {
    run(env, &["-p", "go", "--output-format", "stream-json", "--verbose", "--allowed-tools", "Bash"]).run()
}

/// Returns the text that the model received for the call.
fn result(ended: &ProgramOutput) -> String {
    let lines = lines(ended);
    let content = lines.iter().filter(|line| line["type"] == "user").map(|line| &line["message"]["content"]);
    let results = content.flat_map(|content| content.as_array().cloned().unwrap_or_default());
    let found =
        results.filter(|block| block["type"] == "tool_result").map(|block| block["content"].to_string());
    found.collect()
}

fn read(env: &TestEnv, name: &str) -> String {
    fs::read_to_string(env.project().join(name)).expect("a file")
}

fn has_run(env: &TestEnv) -> bool {
    env.project().join("release-1").exists()
}

fn deny() -> Value {
    json!({"permissions": {"deny": ["Bash(touch *release*)"]}})
}

// rules: E1, E3
#[test]
fn a_deny_rule_holds_for_programs_that_a_script_runs() {
    let env = env_for(&deny(), "sh release.sh");
    let ended = ended(&env);
    let result = result(&ended);
    assert!(!has_run(&env), "{ended:?}");
    assert!(
        result.contains("`touch release-1` was not run: denied by the rule `Bash(touch *release*)`"),
        "{result}"
    );
    assert!(result.contains("run by bash → sh → touch") && result.contains("ended with 126"), "{result}");
    let lines = lines(&ended);
    let denied: Vec<&Value> = lines.iter().filter(|line| line["subtype"] == "program_denied").collect();
    let [denied] = denied[..] else { panic!("{ended:?}") };
    assert_eq!(denied["chain"], json!(["bash", "sh", "touch"]));
    assert_eq!((&denied["command"], &denied["tool_use_id"]), (&json!("touch release-1"), &json!("t1")));
}

// rule: E3
#[test]
fn hooks_after_the_call_see_what_was_denied() {
    let mut settings = deny();
    settings["hooks"] =
        json!({"PostToolUse": [{"hooks": [{"type": "command", "command": "cat > after.json"}]}]});
    let env = env_for(&settings, "sh release.sh");
    let ended = ended(&env);
    let after: Value = serde_json::from_str(&read(&env, "after.json")).expect("an input");
    let denied = &after["tool_response"]["deniedPrograms"][0];
    assert_eq!(denied["command"], "touch release-1", "{ended:?}");
    assert_eq!(denied["chain"], json!(["bash", "sh", "touch"]));
    assert!(
        denied["reason"].as_str().is_some_and(|reason| reason.contains("Bash(touch *release*)")),
        "{after}"
    );
}

// rule: E3
#[test]
fn a_denial_ends_the_line_if_the_settings_say_so() {
    let mut settings = deny();
    settings["exec"] = json!({"onDeny": "endLine"});
    let env = env_for(&settings, "sh release.sh; touch later; echo later");
    let ended = ended(&env);
    let result = result(&ended);
    assert!(result.contains("Exit code 126") && result.contains("was not run"), "{result}");
    assert!(!result.contains("ended with") && !env.project().join("later").exists(), "{result}");
}

fn guard(command: &str) -> Value {
    let hook = json!({"type": "command", "if": "Bash(touch *)", "command": command});
    let other = json!({"type": "command", "command": "echo text >> others"});
    json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook, other]}]}})
}

// rule: E4
#[test]
fn a_hook_with_a_condition_is_asked_about_programs_once_for_each() {
    let env = env_for(
        &guard("cat >> seen; echo >> seen"),
        "sh release.sh; sh release.sh; sh -c 'touch \"$0\"' other",
    );
    let ended = ended(&env);
    assert!(has_run(&env) && env.project().join("other").exists(), "{ended:?}");
    let seen = read(&env, "seen");
    let inputs: Vec<Value> = seen
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let executed: Vec<&Value> = inputs.iter().filter(|input| !input["executed"].is_null()).collect();
    let argv: Vec<&Value> = executed.iter().map(|input| &input["executed"]["argv"]).collect();
    assert_eq!(argv, [&json!(["touch", "release-1"]), &json!(["touch", "other"])], "{seen}");
    let first = executed[0];
    assert_eq!(first["tool_input"]["command"], "touch release-1");
    assert_eq!(first["executed"]["chain"], json!(["bash", "sh", "touch"]));
    assert_eq!(first["executed"]["cwd"].as_str(), first["cwd"].as_str());
    assert!(first["executed"]["file"].as_str().is_some_and(|file| file.starts_with('/')), "{first}");
    // The hook without a condition has seen only the line.
    assert_eq!(read(&env, "others"), "text\n");
}

// rule: E4
#[test]
fn a_hook_denies_the_program_alone() {
    let env = env_for(&guard("echo no releases today >&2; exit 2"), "sh release.sh; echo later");
    let result = result(&ended(&env));
    assert!(!has_run(&env) && result.contains("no releases today") && result.contains("later"), "{result}");
}

// rule: E4
#[test]
fn a_hook_that_rewrites_comes_too_late() {
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
        "updatedInput": {"command": "true"}}});
    // The text of the line is not rewritten: only the program matches the condition.
    let env = env_for(&guard(&format!("echo '{answer}'")), "sh release.sh");
    let result = result(&ended(&env));
    assert!(!has_run(&env) && result.contains("too late"), "{result}");
}

fn ask() -> Value {
    json!({"permissions": {"ask": ["Bash(touch *release*)"], "allow": ["Bash(sh *)"]}})
}

// rule: E4
#[test]
fn a_program_is_asked_about_and_without_a_user_denied() {
    let env = env_for(&ask(), "sh release.sh");
    let result = result(&ended(&env));
    assert!(!has_run(&env) && result.contains("asks first") && result.contains("no user"), "{result}");
}

// rule: E4
#[test]
fn permission_hooks_answer_for_a_program_too() {
    let mut settings = ask();
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
        "decision": {"behavior": "allow"}}});
    let command = format!("echo >> asked; echo '{answer}'");
    settings["hooks"] = json!({"PermissionRequest": [{"hooks": [{"type": "command", "command": command}]}]});
    let env = env_for(&settings, "sh release.sh");
    let ended = ended(&env);
    assert!(has_run(&env), "{ended:?}");
    assert_eq!(read(&env, "asked"), "\n");
}

// rule: E1
#[test]
fn lines_that_need_a_tracer_are_refused_before_they_run() {
    let env = env_for(&deny(), "touch before; strace -o trace true");
    let result = result(&ended(&env));
    assert!(result.contains("`strace` needs ptrace") && result.contains("text-only"), "{result}");
    assert!(!env.project().join("before").exists(), "{result}");
}

// rule: E2
#[test]
fn only_a_trusted_file_leaves_the_decision_to_the_text() {
    let text_only = json!({"exec": "text-only"});
    let mut settings = deny();
    settings["exec"] = json!("text-only");
    let env = env_for(&settings, "sh release.sh");
    let ended_so = ended(&env);
    assert!(!has_run(&env), "{ended_so:?}");
    let env = env_for(&deny(), "sh release.sh");
    env.write("home/.claude/settings.json", text_only.to_string());
    let ended_so = ended(&env);
    assert!(has_run(&env), "{ended_so:?}");
}

// rules: E1, E7
#[test]
fn a_background_line_is_supervised_too() {
    let input = json!({"command": "sh release.sh; echo over", "run_in_background": true});
    let turns = json!([
        {"tool_uses": [{"id": "t1", "name": "Bash", "input": input}]},
        {"tool_uses": [{"id": "t2", "name": "TaskOutput", "input": {"task_id": "b1", "block": true}}]},
        {"text": "Done."}
    ]);
    let env = scripted(&deny(), &turns);
    env.write("project/release.sh", RELEASE);
    let ended = ended(&env);
    assert!(!has_run(&env), "{ended:?}");
    assert!(ended.stdout.contains("program_denied"), "{ended:?}");
}

// rule: E1
#[test]
fn rules_about_the_shell_itself_do_not_stop_every_line() {
    let settings = json!({"permissions": {"deny": ["Bash(bash -c *)", "Bash(touch *release*)"]}});
    let env = env_for(&settings, "echo fine; sh release.sh");
    env.write("project/release.sh", "bash -c 'touch inner'\n");
    let ended = ended(&env);
    let result = result(&ended);
    assert!(result.contains("fine") && !env.project().join("inner").exists(), "{result}");
}

// rule: E7
#[test]
fn a_program_that_is_kept_outlives_its_line_and_nothing_else_does() {
    let env = env_for(&deny(), "bash keep.sh");
    let script = "setsid ./keeper 60 >/dev/null 2>&1 &\necho $! > kept\n\
                  until [ \"$(cat /proc/$!/comm)\" = keeper ]; do :; done\nsetsid sleep 60 &\necho $! > other\n";
    env.write("project/keep.sh", script);
    env.write("home/.claude/settings.json", json!({"keepProcesses": ["keeper"]}).to_string());
    fs::copy("/bin/sleep", env.project().join("keeper")).expect("a copy");
    let ended = ended(&env);
    let id = |name: &str| read(&env, name).trim().to_owned();
    let is_alive = |id: &str| fs::metadata(format!("/proc/{id}/exe")).is_ok();
    let (kept, other) = (id("kept"), id("other"));
    assert!(is_alive(&kept) && !is_alive(&other), "{ended:?}");
    let status = fs::read_to_string(format!("/proc/{kept}/status")).expect("it runs");
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:")).expect("a field").trim();
    assert_ne!(tracer, "0", "the rules hold for it");
    let killed = std::process::Command::new("kill").args(["-9", &kept]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    // The supervisor ends with it.
    assert!(becket_testkit::proc::wait_until(|| !is_alive(&kept) && !is_alive(tracer)));
}
