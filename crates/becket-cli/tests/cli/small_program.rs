//! The small program of `becket-fire`: it has the same exit code and the same output as the full one, in every case.
//!
//! Without the full program beside it, it can't delegate anything: equal answers are then its own.

use crate::{env, env_with, workspace};
use becket_testkit::env::{ProgramOutput, Run, TestEnv};
use becket_testkit::proc::wait_until;
use serde_json::{Map, Value, json};
use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A directory with the small program, as packages install it.
pub(crate) struct Installed {
    directory: tempfile::TempDir,
}

impl Installed {
    /// Installs only the small program.
    pub(crate) fn alone() -> Self {
        let built = Path::new(env!("CARGO_BIN_EXE_becket")).with_file_name("becket-fire");
        let mut cargo = Command::new(env!("CARGO"));
        // Built separately, so that the engine has no features that other packages enable.
        cargo.args(["build", "--quiet", "--offline", "--package", "becket-fire", "--bin", "becket-fire"]);
        let status = cargo.current_dir(workspace()).status().expect("cargo starts");
        assert!(status.success(), "the small program can't be built");
        let directory = tempfile::tempdir().expect("a directory can be made");
        fs::copy(built, directory.path().join("becket")).expect("it can be copied");
        Installed { directory }
    }

    /// Installs the full program beside it.
    pub(crate) fn whole() -> Self {
        let installed = Installed::alone();
        let full = installed.directory.path().join("becket-full");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_becket"), full).expect("a link can be made");
        installed
    }

    pub(crate) fn program(&self) -> PathBuf {
        self.directory.path().join("becket")
    }

    /// Runs the small and the full program in turn; returns their common output.
    pub(crate) fn same(&self, env: &TestEnv, arguments: &[&str], stdin: &str) -> ProgramOutput {
        self.same_run(|| env.becket(arguments).stdin(stdin))
    }

    /// Runs both programs with any arguments and environment.
    fn same_run(&self, run: impl Fn() -> Run) -> ProgramOutput {
        let expected = run().run();
        let own = run().of(&self.program()).run();
        assert_eq!(own, expected);
        own
    }
}

/// Runs several cases concurrently: most of a run is waiting for processes.
pub(crate) fn at_a_time(cases: &[Value], run: impl Fn(&Value) + Sync) {
    let next = AtomicUsize::new(0);
    let workers = 2 * thread::available_parallelism().map_or(1, NonZeroUsize::get);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    run(case);
                }
            });
        }
    });
}

const AS_HOOK: [&str; 2] = ["fire", "--stdin-event"];

pub(crate) fn cases(file: &str) -> Vec<Value> {
    let text = fs::read_to_string(workspace().join("crates").join(file)).expect("the cases are there");
    serde_json::from_str(&text).expect("the cases are a list")
}

/// Returns the input of an event with its required fields.
fn input(event: &str) -> String {
    let rows = cases("becket-model/tests/cases/events.json");
    let row = rows.iter().find(|row| row["event"] == event).expect("the event has a row");
    // Hooks of the cases write files in their directory, and nobody creates one there.
    let mut input =
        json!({"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/proc", "hook_event_name": event});
    let fields = row["input"].as_array().expect("a list").iter();
    for field in fields.filter(|field| field[2] == "required") {
        let name = field[0].as_str().expect("a name");
        let is_matched = row["matcher"]["field"] == name;
        input[name] = match field[1].as_str().expect("a type") {
            "string" if name == "tool_name" => json!("Bash"),
            "string" if is_matched && row["matcher"]["values"][0].is_string() => {
                row["matcher"]["values"][0].clone()
            }
            "string" | "string|null" => json!("x"),
            "boolean" => json!(false),
            "integer" | "number" => json!(1),
            "string[]" => json!(["x"]),
            other if other.ends_with("[]") => json!([]),
            _ => json!({}),
        };
    }
    input.to_string()
}

/// Returns a hook that gives the answer of a case.
fn hook(case: &Value, number: usize, env: &TestEnv) -> Value {
    let text = |name: &str| case[name].as_str().unwrap_or_default().to_owned();
    let json = Some(&case["json"]).filter(|answer| !answer.is_null());
    let stdout = json.map_or_else(|| text("stdout"), Value::to_string).into_bytes();
    let bytes = case["bytes"]
        .as_array()
        .map(|bytes| bytes.iter().filter_map(|byte| u8::try_from(byte.as_u64()?).ok()).collect::<Vec<u8>>());
    env.write(&format!("answers/{number}.out"), bytes.unwrap_or(stdout));
    env.write(&format!("answers/{number}.err"), text("stderr"));
    let answers = env.root().join("answers").display().to_string();
    let exit = case["exit"].as_i64().unwrap_or(0);
    let command =
        format!("cat >/dev/null; cat {answers}/{number}.out; cat {answers}/{number}.err >&2; exit {exit}");
    let mut hook = json!({"type": "command", "command": command});
    if case["closed"] == true {
        hook["onFailure"] = json!("block");
    }
    hook
}

// rule: O1
#[test]
fn every_answer_of_a_hook_is_handed_on_alike() {
    let installed = Installed::alone();
    let cases = cases("becket-model/tests/cases/output.json");
    assert!(cases.len() > 200);
    at_a_time(&cases, |case| {
        let event = case["event"].as_str().expect("an event");
        let env = env();
        let settings = json!({"hooks": {event: [{"hooks": [hook(case, 0, &env)]}]}});
        env.write("project/.claude/settings.json", settings.to_string());
        installed.same(&env, &AS_HOOK, &input(event));
    });
}

// rule: D1
#[test]
fn answers_of_several_sources_are_folded_alike() {
    let installed = Installed::alone();
    let cases = cases("becket-model/tests/cases/fold.json");
    assert!(cases.len() > 100);
    at_a_time(&cases, |case| {
        let event = case["event"].as_str().expect("an event");
        let env = env();
        let mut files: Map<String, Value> = Map::new();
        for (number, entry) in case["entries"].as_array().expect("a list").iter().enumerate() {
            let file = match entry["source"].as_str() {
                Some("policy") => "managed/managed-settings.json",
                Some("user") => "home/.claude/settings.json",
                Some("local") => "project/.claude/settings.local.json",
                _ => "project/.claude/settings.json",
            };
            let hooks = files.entry(file).or_insert_with(|| json!({"hooks": {event: [{"hooks": []}]}}));
            let list = hooks["hooks"][event][0]["hooks"].as_array_mut().expect("a list");
            list.push(hook(entry, number, &env));
        }
        for (file, settings) in &files {
            env.write(file, settings.to_string());
        }
        installed.same(&env, &AS_HOOK, &input(event));
    });
}

// rule: C7
#[test]
fn what_is_wrong_in_settings_is_told_alike() {
    let installed = Installed::whole();
    let cases = cases("becket-engine/tests/cases/config-findings.json");
    assert!(cases.len() > 100);
    at_a_time(&cases, |case| {
        let env = env();
        let lines = case["text"].as_array().expect("lines");
        let text: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
        let file = match case["in"].as_str() {
            Some("policy") => "managed/managed-settings.json",
            Some("user") => "home/.claude/settings.json",
            _ => "project/.claude/settings.json",
        };
        env.write(file, text.join("\n"));
        // The cases name programs of all kinds, including package managers: none may be found.
        installed.same_run(|| env.becket(AS_HOOK).env("PATH", "/nowhere").stdin(input("PreToolUse")));
    });
}

// rules: C7, M4
#[test]
fn a_matcher_that_is_none_is_found_whatever_event_is_fired() {
    let (whole, alone) = (Installed::whole(), Installed::alone());
    let guard = json!({"matcher": "B.*", "hooks": [{"type": "command", "command": "exit 2"}]});
    for matcher in ["(", "[a", "a**", "*a", "mcp__.*|(", "(?<n>a)(?<n>b)", "a{2,1}"] {
        let other = json!({"matcher": matcher, "hooks": [{"type": "command", "command": "true"}]});
        for event in ["PreToolUse", "PostToolUse", "SessionStart"] {
            let mut hooks = json!({"PreToolUse": [guard]});
            match hooks[event].as_array_mut() {
                Some(groups) => groups.push(other.clone()),
                None => hooks[event] = json!([other]),
            }
            let env = env_with(&json!({"hooks": hooks}).to_string());
            let fired = whole.same(&env, &AS_HOOK, &input("PreToolUse"));
            assert_eq!(fired.code, Some(2), "the guard holds: {fired:?}");
            let refused = env.becket(AS_HOOK).of(&alone.program()).stdin(input("PreToolUse")).run();
            assert_eq!(refused.code, Some(2), "{refused:?}");
            assert!(refused.stderr.contains("becket-full"), "it has something to tell: {refused:?}");
            let check = env.becket(["check"]).run();
            assert_eq!(check.code, Some(1), "{check:?}");
            assert!(check.stdout.contains("invalid-matcher"), "{check:?}");
        }
    }
}

// rules: C7b, L6
#[test]
fn unreadable_events_and_other_arguments_are_answered_alike() {
    let installed = Installed::whole();
    let env = env_with(
        &json!({"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": "echo no >&2; exit 2"}]}]}})
        .to_string(),
    );
    let call = input("PreToolUse");
    for text in
        ["", "{", "[]", "{}", r#"{"hook_event_name": "FromTheFuture"}"#, &call.replace("\"cwd\"", "\"x\"")]
    {
        installed.same(&env, &AS_HOOK, text);
    }
    let large = format!("{call}{}", " ".repeat(17 << 20));
    installed.same(&env, &AS_HOOK, &large);
    for arguments in [
        &["fire", "--stdin-event", "--no-such-flag"][..],
        &["fire", "Stop", "--stdin-event"],
        &["fire", "--stdin-event", "--profile", "nobody"],
        &["fire", "--stdin-event", "--profile", "becket"],
        &["fire", "--stdin-event", "--untrusted-project"],
        &["fire", "--stdin-event", "-C", "/"],
        &["fire", "--stdin-event", "--settings", r#"{"hooks": {}}"#],
        &["fire", "--dialect", "gemini"],
        &["list"],
        &["--version"],
        &["check", "--no-such-flag"],
    ] {
        installed.same(&env, arguments, &call);
    }
}

// rules: H5, H6, H7
#[test]
fn handlers_of_other_kinds_run_in_the_full_program() {
    let (whole, alone) = (Installed::whole(), Installed::alone());
    for other in [
        json!({"type": "http", "url": "http://127.0.0.1:1/"}),
        json!({"type": "mcp_tool", "server": "s", "tool": "t"}),
        json!({"type": "prompt", "prompt": "may it?"}),
        json!({"type": "agent", "prompt": "may it?"}),
        // This hook would run for an input that the command writes.
        json!({"type": "prompt", "prompt": "may it?", "if": "Bash(git *)"}),
    ] {
        let env = env();
        let started = env.root().join("started");
        let command = json!({"type": "command", "command": format!("echo >> {}", started.display())});
        let hooks = json!([{"hooks": [command, other]}]);
        env.write("project/.claude/settings.json", json!({"hooks": {"PreToolUse": hooks}}).to_string());
        whole.same(&env, &AS_HOOK, &input("PreToolUse"));
        assert_eq!(fs::read_to_string(&started).expect("it ran"), "\n\n", "once in each");
        let refused = env.becket(AS_HOOK).of(&alone.program()).stdin(input("PreToolUse")).run();
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{refused:?}");
        assert_eq!(fs::read_to_string(&started).expect("it ran"), "\n\n", "nothing ran");
    }
    // This hook is for another event, or another tool.
    let prompt = json!([{"matcher": "Write", "hooks": [{"type": "prompt", "prompt": "may it?"}]}]);
    let env = env_with(&json!({"hooks": {"PreToolUse": prompt, "Stop": prompt}}).to_string());
    alone.same(&env, &AS_HOOK, &input("PreToolUse"));
}

// rule: H14
#[test]
fn an_event_inside_of_itself_runs_no_handler() {
    let alone = Installed::alone();
    let env = env();
    let (root, program) = (env.root().display(), alone.program());
    let script = format!(
        "#!/bin/sh\necho >> {root}/started\nexec env -i HOME={root}/home {} --managed-dir {root}/managed fire --stdin-event\n",
        program.display()
    );
    let script = env.write("project/check.sh", script);
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it can be made a program");
    let hooks = json!([{"hooks": [{"type": "command", "command": script.display().to_string()}]}]);
    env.write("project/.claude/settings.json", json!({"hooks": {"PreToolUse": hooks}}).to_string());
    let call = input("PreToolUse").replace(r#""cwd":"/proc""#, &format!(r#""cwd":"{root}/project""#));
    let refused = alone.same(&env, &AS_HOOK, &call);
    assert_eq!(refused.code, Some(2), "the mark is found without its variable: {refused:?}");
    assert_eq!(fs::read_to_string(env.root().join("started")).expect("it ran"), "\n\n", "once for each");
}

// rules: O10, C7b
#[test]
fn without_the_full_program_nothing_that_it_would_judge_passes() {
    let alone = Installed::alone();
    let env = env();
    let (call, end) = (input("PreToolUse"), input("Stop"));
    for (arguments, text, code) in [
        (&["fire", "--stdin-event", "--exec-rewrite"][..], call.as_str(), 2),
        (&["fire", "--stdin-event", "--exec-rewrite"], end.as_str(), 1),
        (&["fire", "--stdin-event", "--exec-rewrite"], "", 2),
        (&["fire", "--stdin-event"], "no JSON", 2),
        (&["fire", "--dialect", "gemini", "--installed", "0"], end.as_str(), 125),
        (&["fire", "--dialect", "nobody"], "", 2),
        (&["check"], "", 1),
        (&["exec", "true"], "", 125),
        (&[], "", 1),
    ] {
        let refused = env.bare(arguments).of(&alone.program()).stdin(text).run();
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(code), ""), "{arguments:?} {refused:?}");
        assert!(refused.stderr.contains("becket-full"), "{refused:?}");
    }
    // It must not start itself endlessly.
    std::os::unix::fs::symlink("becket", alone.directory.path().join("becket-full"))
        .expect("a link can be made");
    let refused = env.bare(["check"]).of(&alone.program()).run();
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("it is this program"), "{refused:?}");
}

#[test]
fn a_slip_in_the_name_of_an_event_does_not_wait_for_an_idle_stdin() {
    let alone = Installed::alone();
    let env = env();
    let mut command = env.bare(["fire", "PreToolUze"]).of(&alone.program()).into_command();
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut becket = command.spawn().expect("it starts");
    let stdin = becket.stdin.take();
    assert!(wait_until(|| becket.try_wait().expect("it can be waited for").is_some()));
    assert_eq!(becket.wait().expect("it has ended").code(), Some(1));
    drop(stdin);
}

#[test]
fn times_are_recorded_alike_and_so_is_the_reason_if_they_are_not() {
    let installed = Installed::alone();
    let settings =
        json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "sh guard.sh"}]}]}});
    let env = env_with(&settings.to_string());
    env.write("project/guard.sh", "cat >/dev/null; echo no >&2; exit 2\n");
    let times = env.root().join("times").display().to_string();
    let cwd = env.project();
    let event = json!({"session_id": "s", "transcript_path": "/t.jsonl", "cwd": cwd,
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "ls"}});
    for (value, is_told) in
        [(times.as_str(), false), ("/proc/nowhere", true), ("somewhere", true), ("0", false)]
    {
        let run = || env.becket(AS_HOOK).env("BECKET_PROFILE", value).stdin(event.to_string());
        let expected = run().run();
        let own = run().of(&installed.program()).run();
        assert_eq!(own, expected, "{value}");
        assert_eq!(own.code, Some(2), "the guard holds: {own:?}");
        assert_eq!(own.stdout.contains("times of hooks are not recorded"), is_told, "{own:?}");
    }
    let ended = env.becket(["profile", "--json"]).env("BECKET_PROFILE", &times).run();
    let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(
        (&report["events"], &report["hooks"][0]["runs"]),
        (&json!(2), &json!(2)),
        "one of each: {report}"
    );
}

// rules: A1, A3
#[test]
fn hooks_that_no_event_waits_for_are_left_to_the_full_program_and_so_is_what_they_say() {
    let installed = Installed::whole();
    let context = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "late"}});
    // What is there before the answer would be a part of it.
    let env = env_with("{}");
    let answered = env.project().join("answered");
    let command = format!("while [ ! -e {} ]; do sleep 0.05; done; echo '{context}'", answered.display());
    let hook = json!({"type": "command", "command": command, "async": true});
    let settings = json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}});
    env.write("project/.claude/settings.json", settings.to_string());
    let run = |event: &str| env.becket(AS_HOOK).of(&installed.program()).stdin(input(event)).run();
    let before = run("PreToolUse");
    assert_eq!((before.code, before.stdout.as_str()), (Some(0), ""), "{before:?}");
    env.write("project/answered", "");
    assert!(wait_until(|| run("UserPromptSubmit").stdout.contains("late")));
    assert_eq!(run("UserPromptSubmit").stdout, "");
}
