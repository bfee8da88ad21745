//! `becket audit`: the records of every host and of many concurrent processes, and their verification by an outsider.

use crate::run::{run, scripted};
use crate::serve::client::on_stdio;
use crate::workspace;
use becket_testkit::env::{ProgramOutput, TestEnv};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// The guards of a project: one that denies pushes, and one in observation that would deny everything.
fn settings() -> Value {
    json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "grep -q 'git push' && { echo 'token=hunter2hunter2: no pushes' >&2; exit 2; }; exit 0"},
        {"type": "command", "command": "cat >/dev/null; echo never >&2; exit 2", "mode": "observe"},
    ]}]}})
}

fn place(audit: Value) -> TestEnv {
    let env = scripted(
        &settings(),
        &json!([{"tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": "git push"}}]}, {"text": "done"}]),
    );
    env.write("managed/managed-settings.json", json!({ "audit": audit }).to_string());
    env
}

fn event(env: &TestEnv, command: &str) -> String {
    json!({"session_id": "s", "transcript_path": "/t.jsonl", "cwd": env.project(), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": command}})
    .to_string()
}

fn answered(env: &TestEnv, command: &str) -> ProgramOutput {
    env.becket(["fire", "--stdin-event"]).stdin(event(env, command)).run()
}

/// Returns the only log of the user.
fn log(env: &TestEnv) -> PathBuf {
    let directory = fs::read_dir(env.root().join("home/.becket/audit")).expect("a directory of logs");
    let files = directory.map(|entry| entry.expect("an entry").path());
    let logs: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|kind| kind == "jsonl")).collect();
    assert_eq!(logs.len(), 1, "{logs:?}");
    logs[0].clone()
}

pub(crate) fn records(env: &TestEnv) -> Vec<Value> {
    let text = fs::read_to_string(log(env)).expect("a log");
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn verified(env: &TestEnv, more: &[&str]) -> (Option<i32>, Value) {
    let ended = env.becket([&["audit", "verify", "--json"], more].concat()).run();
    let report = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    (ended.code, report)
}

#[test]
fn a_log_that_is_not_there_yet_is_told_apart_from_one_that_cannot_be_read() {
    let env = place(json!("on"));
    for command in ["show", "verify"] {
        let ended = env.becket(["audit", command]).run();
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains("there is no audit log at `"), "{ended:?}");
        assert!(ended.stderr.contains("`--file` names another log"), "{ended:?}");
    }
}

#[test]
fn each_host_records_its_verdicts_in_one_way() {
    let env = place(json!("required"));
    assert_eq!(answered(&env, "git push").code, Some(2));
    assert_eq!(answered(&env, "ls").code, Some(0));
    let fired =
        env.becket(["fire", "PreToolUse", "--tool", "Bash", "--set", "tool_input.command=git push"]).run();
    assert_eq!(fired.code, Some(2), "{fired:?}");
    let ended = run(&env, &["-p", "push it", "--allowed-tools", "Bash"]).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    serving.client.opens(&env.project(), "s", json!({}));
    let input = json!({"tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "git push"}});
    serving.client.asks("event/fire", json!({"session": "s", "event": "PreToolUse", "input": input}));
    serving.ends();
    let calls: Vec<Value> =
        records(&env).into_iter().filter(|record| record["what"]["event"] == "PreToolUse").collect();
    let decisions: Vec<&str> =
        calls.iter().map(|call| call["what"]["decision"].as_str().unwrap_or_default()).collect();
    assert_eq!(decisions, ["block", "proceed", "block", "block", "block"], "{calls:?}");
    let what = &calls[0]["what"];
    assert_eq!(
        (&what["handlers"][0]["decision"], &what["handlers"][1]["would"]),
        (&json!("deny"), &json!("deny"))
    );
    assert_eq!(what["handlers"][1]["mode"], "observe");
    for hash in ["input", "plan", "policy"] {
        assert_eq!(what[hash].as_str().map(str::len), Some(64), "{hash}");
    }
    let text = fs::read_to_string(log(&env)).expect("a log");
    assert!(!text.contains("hunter2hunter2"), "secrets are redacted: {text}");
    let mode = |path: PathBuf| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(log(&env)), 0o600);
    let (code, report) = verified(&env, &[]);
    assert_eq!((code, &report["whole"]), (Some(0), &json!(true)), "{report}");
    let shown = env.becket(["audit", "show", "--blocked"]).run();
    assert!(shown.stdout.contains("no pushes") && shown.stdout.contains("block"), "{shown:?}");
    let would = env.becket(["audit", "show", "--would-have", "--json"]).run();
    let would: Value = serde_json::from_str(&would.stdout).expect("a summary");
    assert_eq!((&would[0]["would"], &would[0]["count"]), (&json!("deny"), &json!(5)), "{would}");
}

// rule: G6
#[test]
fn a_denial_of_the_host_is_recorded_after_the_verdict() {
    let env = place(json!("required"));
    // A tool that becket does not know, while a guard for another tool exists.
    let gemini = becket_dialects::dialect("gemini").expect("it has a table");
    let call = crate::dialects::payload(gemini, "unknown tool", &env, "ls").expect("a payload");
    let refused = env.becket(["fire", "--dialect", "gemini"]).stdin(call).run();
    assert!(refused.stdout.contains("becket does not know"), "{refused:?}");
    // A call with fewer rights that is not rewritten, since the user is asked about it.
    let asks_with = |rights: Value| {
        let mut answer = json!({"hookEventName": "PreToolUse", "permissionDecision": "ask"});
        answer.as_object_mut().expect("an object").extend(rights.as_object().cloned().unwrap_or_default());
        let command = format!("echo '{}'", json!({"hookSpecificOutput": answer}));
        let hook = json!({"type": "command", "command": command});
        let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}});
        env.write("project/.claude/settings.json", settings.to_string());
    };
    asks_with(json!({"sandbox": {"network": {"allowedDomains": []}}}));
    let refused = env.becket(["fire", "--stdin-event", "--exec-rewrite"]).stdin(event(&env, "ls")).run();
    assert_eq!(refused.code, Some(2), "{refused:?}");
    // An ask in an agent that can't ask its user.
    asks_with(json!({}));
    let codex = becket_dialects::dialect("codex").expect("it has a table");
    let call = crate::dialects::payload(codex, "shell", &env, "ls").expect("a payload");
    let refused = env.becket(["fire", "--dialect", "codex"]).stdin(call).run();
    assert!(refused.stdout.contains("needs the user's approval"), "{refused:?}");
    let decided: Vec<(Value, Value)> = records(&env)
        .into_iter()
        .filter(|record| record["what"]["event"] == "PreToolUse")
        .map(|record| (record["what"]["decision"].clone(), record["what"]["settlement"].clone()))
        .collect();
    let of = |decision: &str, settlement: &str| (json!(decision), json!(settlement));
    let asked_and_denied = [of("wait", "asked"), of("block", "denied")];
    let unknown = [of("proceed", "open"), of("block", "denied")];
    assert_eq!(decided, [unknown, asked_and_denied.clone(), asked_and_denied].concat());
    assert_eq!(verified(&env, &[]).0, Some(0));
    let shown = env.becket(["audit", "show", "--blocked"]).run();
    assert!(shown.stdout.contains("becket does not know"), "{shown:?}");
}

#[test]
fn tests_of_hooks_are_not_recorded() {
    let env = place(json!("required"));
    env.write(
        "project/.claude/tests/push.toml",
        "[[case]]\nname = \"a push\"\ntool = { name = \"Bash\", input = { command = \"git push\" } }\nwant = { decision = \"deny\" }\n",
    );
    let tested = env.becket(["test"]).run();
    assert_eq!(tested.code, Some(0), "{tested:?}");
    assert_eq!(env.becket(["explain", "PreToolUse", "--tool", "Bash"]).run().code, Some(0));
    assert!(!env.root().join("home/.becket/audit").exists());
}

#[test]
fn a_log_that_cannot_be_written_denies_or_warns() {
    for (mode, code) in [("required", Some(2)), ("on", Some(0))] {
        let env = place(json!(mode));
        env.write("home/.becket/audit", "a file where the directory should be");
        let ended = answered(&env, "ls");
        assert_eq!(ended.code, code, "{ended:?}");
        assert!(ended.stdout.contains("the audit log"), "it is told: {ended:?}");
        assert_eq!(ended.stdout.contains("which managed settings require"), mode == "required", "{ended:?}");
        // Denials of hooks stay denials, and an event that can't be blocked is not blocked.
        assert_eq!(answered(&env, "git push").code, Some(2));
        let after = event(&env, "ls")
            .replace("PreToolUse", "Notification")
            .replace("\"session_id\"", "\"message\":\"m\",\"notification_type\":\"other\",\"session_id\"");
        let told = env.becket(["fire", "--stdin-event"]).stdin(after).run();
        assert_eq!(told.code, Some(0), "{told:?}");
    }
    // A project can't require it, nor switch it off.
    let env = place(json!("required"));
    env.write("home/.becket/audit", "");
    let mut off = settings();
    off["audit"] = "off".into();
    env.write("project/.claude/settings.json", off.to_string());
    assert_eq!(answered(&env, "ls").code, Some(2));
}

#[test]
fn a_full_disk_denies_and_what_was_written_stays_verifiable() {
    let env = place(json!("required"));
    assert_eq!(answered(&env, "ls").code, Some(0));
    let becket = env.becket(["fire", "--stdin-event"]).into_command();
    let words = std::iter::once(becket.get_program()).chain(becket.get_args());
    let words: Vec<String> = words.map(|word| format!("'{}'", word.display())).collect();
    // The file can't grow past the limit, as on a full disk: the record is torn in the middle.
    let length = fs::metadata(log(&env)).expect("a log").len();
    let mut full = Command::new("bash");
    full.args([
        "-c",
        &format!("trap '' XFSZ; ulimit -f {}; exec {}", length.div_ceil(1024), words.join(" ")),
    ]);
    full.current_dir(env.project()).env_clear();
    full.envs(becket.get_envs().filter_map(|(name, value)| Some((name, value?))));
    full.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = full.spawn().expect("bash is there");
    let mut stdin = child.stdin.take().expect("piped");
    std::io::Write::write_all(&mut stdin, event(&env, "ls").as_bytes()).expect("it reads");
    drop(stdin);
    let ended = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.code() == Some(2) && told.contains("can't grow"), "{told}");
    assert_eq!(verified(&env, &[]).0, Some(0), "a torn line is not a fault");
    assert_eq!(answered(&env, "ls").code, Some(0));
    let (code, report) = verified(&env, &[]);
    assert_eq!(code, Some(0), "{report}");
    let kinds: Vec<&Value> =
        report["findings"].as_array().expect("findings").iter().map(|one| &one["kind"]).collect();
    assert!(kinds.contains(&&json!("torn")), "{report}");
}

#[test]
fn a_hundred_processes_write_one_chain_though_some_are_killed() {
    let env = place(json!({"mode": "required", "maxBytes": 1_000_000}));
    let start = |_| -> Child {
        let mut becket = env.becket(["fire", "--stdin-event"]).into_command();
        let mut child = becket
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("becket starts");
        let mut stdin = child.stdin.take().expect("piped");
        // A process that was already killed reads nothing.
        drop(std::io::Write::write_all(&mut stdin, event(&env, "ls").as_bytes()));
        child
    };
    let mut killed = 0;
    let mut children: Vec<Child> = (0..100).map(start).collect();
    for (at, child) in children.iter_mut().enumerate() {
        // By now, some have ended, some are writing, and some have not begun.
        if at % 4 == 3 {
            child.kill().expect("it is a child");
            killed += 1;
        }
    }
    let is_recorded = |child: &mut Child| child.wait().is_ok_and(|status| status.success());
    let recorded = children.iter_mut().map(is_recorded).filter(|is_recorded| *is_recorded).count();
    assert!(recorded >= 100 - killed, "{recorded}");
    let (code, report) = verified(&env, &[]);
    assert_eq!(code, Some(0), "{report}");
    let verdicts = records(&env).iter().filter(|record| record["kind"] == "verdict").count();
    assert!(verdicts >= recorded, "{verdicts} of {recorded}");
}

/// Creates a log with signed checkpoints in a second place; returns its public key.
fn signed(env: &TestEnv) -> String {
    let key = env.root().join("audit.key");
    let made = env.becket(["audit", "key", "new", &key.display().to_string()]).run();
    assert_eq!(made.code, Some(0), "{made:?}");
    let second = env.root().join("second");
    let audit = json!({"mode": "required", "key": key, "checkpoints": second, "checkpointEvery": 3});
    env.write("managed/managed-settings.json", json!({ "audit": audit }).to_string());
    for command in ["ls", "git push", "ls -l", "pwd", "git push -f"] {
        answered(env, command);
    }
    made.stdout.trim().to_owned()
}

#[test]
fn verify_names_what_was_done_to_a_log() {
    let env = place(json!("off"));
    let key = signed(&env);
    let key = ["--key", &*key];
    assert_eq!(verified(&env, &key).0, Some(0));
    let whole = fs::read_to_string(log(&env)).expect("a log");
    let lines: Vec<&str> = whole.lines().collect();
    let cut = format!("{}\n", lines[..2].join("\n"));
    let gap = format!("{}\n{}\n", lines[..2].join("\n"), lines[3..].join("\n"));
    let edited = whole.replacen("\"decision\":\"block\"", "\"decision\":\"allow\"", 1);
    let future = whole.replacen("\"at\":\"20", "\"at\":\"21", 1);
    for (text, kind) in [(cut, "cut"), (gap, "gap"), (edited, "edited"), (future, "future")] {
        fs::write(log(&env), text).expect("it is written");
        let (code, report) = verified(&env, &key);
        let kinds: Vec<&Value> =
            report["findings"].as_array().expect("findings").iter().map(|one| &one["kind"]).collect();
        assert!(code == Some(1) && kinds.contains(&&json!(kind)), "{kind}: {report}");
    }
    fs::write(log(&env), whole).expect("it is written");
    let other = env.becket(["audit", "key", "new", "other.key"]).run().stdout;
    let (code, report) = verified(&env, &["--key", other.trim()]);
    assert!(code == Some(1) && report.to_string().contains("wrong-signature"), "{report}");
}

#[test]
fn the_owner_of_a_key_signs_from_outside() {
    let env = place(json!("on"));
    let key = env.root().join("root.key").display().to_string();
    let public = env.becket(["audit", "key", "new", &key]).run().stdout;
    let again = env.becket(["audit", "key", "new", &key]).run();
    assert_eq!(again.code, Some(2), "a key is never overwritten: {again:?}");
    assert_eq!(env.becket(["audit", "key", "show", &key]).run().stdout, public);
    answered(&env, "ls");
    let to = env.root().join("second").display().to_string();
    let sign = || env.becket(["audit", "checkpoint", "--key", &key, "--to", &to]).run();
    assert_eq!(sign().stdout, "record 1 is signed\n");
    answered(&env, "ls");
    assert_eq!(sign().stdout, "record 2 is signed\n");
    let text = fs::read_to_string(log(&env)).expect("a log");
    let first: Vec<&str> = text.lines().take(2).collect();
    fs::write(log(&env), format!("{}\n", first.join("\n"))).expect("it is written");
    let refused = sign();
    assert!(refused.code == Some(1) && refused.stdout.contains("cut"), "{refused:?}");
}

#[test]
fn an_outsider_verifies_a_log_with_code_of_its_own() {
    let program = workspace().join("docs/admin/verify_audit.py");
    let has = Command::new("python3").args(["-c", "import cryptography"]).output();
    if !has.is_ok_and(|has| has.status.success()) {
        println!("SKIPPED: python3 has no package `cryptography`: `pip install cryptography`");
        return;
    }
    let env = place(json!("off"));
    let key = signed(&env);
    let second = fs::read_dir(env.root().join("second")).expect("a second place");
    let second = second.map(|entry| entry.expect("an entry").path()).next().expect("checkpoints");
    let verify = || {
        let mut python = Command::new("python3");
        python.arg(&program).arg(&key).arg(&second).arg(log(&env));
        python.output().expect("python3 is there")
    };
    let ended = verify();
    let told = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(
        ended.status.success() && told.contains("whole"),
        "{told} {}",
        String::from_utf8_lossy(&ended.stderr)
    );
    let whole = fs::read_to_string(log(&env)).expect("a log");
    let lines: Vec<&str> = whole.lines().collect();
    for broken in [
        whole.replacen("\"decision\":\"block\"", "\"decision\":\"allow\"", 1),
        format!("{}\n", lines[..2].join("\n")),
        format!("{}\n{}\n", lines[..2].join("\n"), lines[3..].join("\n")),
    ] {
        fs::write(log(&env), broken).expect("it is written");
        assert!(!verify().status.success());
    }
}
