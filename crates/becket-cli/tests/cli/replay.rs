//! `becket replay`: its findings, the hooks that it sets aside, and its harmlessness.

use crate::env;
use becket_testkit::env::{ProgramOutput, TestEnv};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// A transcript under construction, in the format of Claude Code.
struct Recorded {
    lines: Vec<Value>,
    calls: usize,
}

impl Recorded {
    fn new() -> Self {
        Recorded { lines: Vec::new(), calls: 0 }
    }

    fn line(&mut self, own: Value) {
        let mut line = json!({"sessionId": "s1", "cwd": "/home/ada/shop", "version": "2.1.329", "isSidechain": false,
            "timestamp": format!("2026-11-02T10:{:02}:{:02}Z", self.lines.len() / 60 % 60, self.lines.len() % 60)});
        own.as_object().expect("a line").iter().for_each(|(key, value)| line[key] = value.clone());
        self.lines.push(line);
    }

    /// Adds a call with its result, or with the denial of a hook.
    fn call(&mut self, tool: &str, input: Value, denied_by: Option<&str>) {
        self.calls += 1;
        let id = format!("toolu_{}", self.calls);
        let content = json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]);
        self.line(json!({"type": "assistant", "message": {"role": "assistant", "content": content}}));
        let text = denied_by.map(|command| format!("PreToolUse:{tool} hook error: [{command}]: no"));
        self.result(&id, text);
    }

    /// Adds the result of a call, or the text of its denial.
    fn result(&mut self, id: &str, denial: Option<String>) {
        let result = json!([{"type": "tool_result", "tool_use_id": id, "is_error": denial.is_some(),
            "content": denial.unwrap_or_else(|| "ok".to_owned())}]);
        self.line(json!({"type": "user", "message": {"role": "user", "content": result}}));
    }

    /// Adds a call of Bash that a JSON answer denied, whose hook is not recorded.
    fn denied_by_json(&mut self, command: &str, reason: &str) {
        self.calls += 1;
        let id = format!("toolu_{}", self.calls);
        let content = json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]);
        self.line(json!({"type": "assistant", "message": {"role": "assistant", "content": content}}));
        self.result(&id, Some(format!("PreToolUse:Bash hook error: {reason}")));
    }

    fn bash(&mut self, command: &str, denied_by: Option<&str>) {
        self.call("Bash", json!({"command": command}), denied_by);
    }

    fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// Creates a project whose hooks on PreToolUse of Bash are these commands.
fn project(commands: &[&str]) -> TestEnv {
    let env = env();
    let hooks: Vec<Value> =
        commands.iter().map(|command| json!({"type": "command", "command": command})).collect();
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}});
    env.write("project/.claude/settings.json", settings.to_string());
    env
}

fn replayed(env: &TestEnv, arguments: &[&str]) -> ProgramOutput {
    env.becket([&["replay", "s.jsonl"], arguments].concat()).run()
}

fn report(env: &TestEnv, arguments: &[&str]) -> (Option<i32>, Value) {
    let ended = replayed(env, &[&["--json"], arguments].concat());
    let report = serde_json::from_str(&ended.stdout).unwrap_or_else(|why| panic!("{why}: {ended:?}"));
    (ended.code, report)
}

fn handler<'r>(report: &'r Value, name: &str) -> &'r Value {
    let handlers = report["handlers"].as_array().expect("a list");
    handlers.iter().find(|handler| handler["hook"] == name).unwrap_or_else(|| panic!("{name}: {report}"))
}

const GUARD: &str = "case $(cat) in *danger*) echo no >&2; exit 2;; esac\n";

#[test]
fn a_guard_that_answers_as_recorded_is_reproduced_and_a_weakened_one_is_found_and_kept() {
    let env = project(&["sh guard.sh"]);
    env.write("project/guard.sh", GUARD);
    let mut recorded = Recorded::new();
    recorded.bash("danger 1", Some("sh guard.sh"));
    recorded.bash("ls", None);
    env.write("project/s.jsonl", recorded.text());
    let human = replayed(&env, &[]).stdout;
    let share = "set aside: 0 of 1 hooks, 0 of 2 runs (0.0 %)\n1 silent passes leave no record";
    assert!(human.contains(share), "{human}");
    let (code, found) = report(&env, &[]);
    assert_eq!(code, Some(0), "{found}");
    let guard = handler(&found, "guard.sh");
    assert_eq!(
        (&guard["status"], &guard["compared"], &guard["silent"]),
        (&json!("reproduced"), &json!(1), &json!(1))
    );
    assert_eq!(found["transcripts"]["calls"], 2);
    env.write("project/guard.sh", GUARD.replace("danger", "dangerous"));
    let ended = replayed(&env, &["--keep", "3"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("deny recorded, pass now: 1 of Bash: danger"), "{ended:?}");
    let kept = fs::read_to_string(env.project().join(".claude/tests/replay-1.toml")).expect("it is kept");
    assert!(kept.contains(r#"want = { decision = "deny", by = "guard.sh" }"#), "{kept}");
    assert_eq!(env.becket(["test"]).run().code, Some(1), "the kept case fails");
    env.write("project/guard.sh", GUARD);
    assert_eq!(env.becket(["test"]).run().code, Some(0), "the strong guard passes it");
    assert_eq!(replayed(&env, &["--keep", "3"]).code, Some(0));
    let again = fs::read_to_string(env.project().join(".claude/tests/replay-1.toml")).expect("it is there");
    assert!(
        again == kept && env.project().join(".claude/tests/replay-2.toml").exists(),
        "nothing is overwritten"
    );
    assert!(fs::read_dir(env.root().join("tmp")).expect("it is there").next().is_none(), "no copy is left");
}

/// Eight hooks that depend only on their input, though some query the clock or git, and four that depend on more.
const LABELLED: [(&str, &str, &str); 12] = [
    ("plain.sh", "case $(cat) in *alpha*) exit 2;; esac", "reproduced"),
    ("quoting.sh", "case $(cat) in *git*push*bravo*) exit 2;; esac", "reproduced"),
    ("logs.sh", "in=$(cat); date >> log.txt; case $in in *charlie*) exit 2;; esac", "reproduced"),
    (
        "asks_git.sh",
        "in=$(cat); git status >/dev/null 2>&1; case $in in *delta*) exit 2;; esac",
        "reproduced",
    ),
    (
        "parse.py",
        "import json, sys\ncall = json.load(sys.stdin)\nif 'echo-e' in call['tool_input']['command']:\n  sys.exit(2)",
        "reproduced",
    ),
    (
        "stamps.py",
        "import datetime, sys\ntext = sys.stdin.read()\nopen('log.txt', 'a').write(str(datetime.datetime.now()))\n\
         sys.exit(2 if 'foxtrot' in text else 0)",
        "reproduced",
    ),
    (
        "node.cjs",
        "let t = require('fs').readFileSync(0, 'utf8'); Date.now(); process.exit(t.includes('golf') ? 2 : 0)",
        "reproduced",
    ),
    ("length.sh", "[ $(wc -c) -gt 400 ] && exit 2; exit 0", "reproduced"),
    (
        "clock.sh",
        "case $(cat) in *hotel*) h=$(date +%H); [ $h -ge 6 ] && [ $h -lt 18 ] && exit 2;; esac; exit 0",
        "clock",
    ),
    (
        "network.py",
        "import sys, urllib.request\ntry:\n  urllib.request.urlopen('http://127.0.0.1:9/')\nexcept OSError:\n  pass\n\
         sys.exit(2 if 'india' in sys.stdin.read() else 0)",
        "network",
    ),
    (
        "branch.sh",
        "case $(cat) in *juliet*) [ \"$(git branch --show-current)\" = main ] && exit 2;; esac; exit 0",
        "git",
    ),
    (
        "chance.py",
        "import random, sys\ntext = sys.stdin.read()\nsys.exit(2 if 'kilo' in text and random.random() < 0.5 else 0)",
        "random",
    ),
];

fn launch(name: &str) -> String {
    let program = match name.rsplit('.').next() {
        Some("py") => "python3",
        Some("cjs") => "node",
        _ => "sh",
    };
    format!("{program} {name}")
}

/// Runs a hook outside of Becket, for the record; returns true if it denies.
fn denies(env: &TestEnv, command: &str, input: &Value) -> bool {
    let run = env.becket::<&str>([]).path_first(&env.root().join("bin")).into_command();
    let path = run.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value);
    let path = path.expect("a path").to_owned();
    let mut child = Command::new("sh")
        .args(["-c", command])
        .current_dir(env.project())
        .env("PATH", path)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a shell is there");
    // A hook that reads nothing closes its stdin.
    drop(child.stdin.take().expect("it is piped").write_all(input.to_string().as_bytes()));
    child.wait().expect("it ends").code() == Some(2)
}

#[test]
fn what_depends_on_more_than_its_input_is_set_aside_with_the_reason_and_the_rest_is_reproduced() {
    let commands: Vec<String> = LABELLED.iter().map(|(name, ..)| launch(name)).collect();
    let env = project(&commands.iter().map(String::as_str).collect::<Vec<_>>());
    for (name, text, _) in LABELLED {
        env.write(&format!("project/{name}"), text);
    }
    // Python itself, instead of a launcher that takes longer than the hook.
    let python = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let python = String::from_utf8(python.expect("python is there").stdout).expect("it is a path");
    fs::create_dir(env.root().join("bin")).expect("it can be made");
    std::os::unix::fs::symlink(python.trim(), env.root().join("bin/python3")).expect("it can be linked");
    let words = [
        "alpha", "bravo", "charlie", "delta", "echo-e", "foxtrot", "golf", "none", "hotel", "india",
        "juliet", "kilo",
    ];
    let mut recorded = Recorded::new();
    for round in 0..2 {
        // A random answer may agree once or twice.
        let words = words.iter().zip(&commands).chain([(&words[11], &commands[11]); 4]);
        for (word, hook) in words {
            let command = format!("git push {word} {round}");
            let input = json!({"tool_name": "Bash", "tool_input": {"command": command}});
            recorded.bash(&command, denies(&env, hook, &input).then_some(hook.as_str()));
        }
    }
    env.write("project/s.jsonl", recorded.text());
    let ended = env.becket(["replay", "s.jsonl", "--json"]).path_first(&env.root().join("bin")).run();
    let found: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|why| panic!("{why}: {ended:?}"));
    for (name, _, label) in LABELLED {
        let handler = handler(&found, name);
        if label == "reproduced" {
            assert_eq!(handler["agreed"], handler["compared"], "{handler:#}");
            assert!(handler["status"] == "reproduced" || name == "length.sh", "{handler:#}");
        } else {
            assert_eq!(handler["status"], "not_replayable", "{handler:#}");
            assert_eq!(handler["depends_on"][0], label, "{handler:#}");
        }
    }
    assert_eq!(found["set_aside"]["handlers"], 4, "{}", found["set_aside"]);
}

#[test]
fn a_denial_counts_for_the_hook_whose_reason_it_is_and_of_two_denials_one_is_recorded() {
    let env = project(&["sh json.sh", "sh guard.sh"]);
    env.write("project/guard.sh", GUARD);
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
        "permissionDecisionReason": "no danger"}});
    env.write("project/json.sh", format!("case $(cat) in *danger*) echo '{answer}';; esac\n"));
    let mut recorded = Recorded::new();
    recorded.bash("danger 1", Some("sh guard.sh"));
    recorded.denied_by_json("danger 2", "no danger");
    env.write("project/s.jsonl", recorded.text());
    let (_, found) = report(&env, &[]);
    for name in ["json.sh", "guard.sh"] {
        let handler = handler(&found, name);
        assert_eq!((&handler["compared"], &handler["agreed"]), (&json!(1), &json!(1)), "{handler:#}");
        assert_eq!(handler["status"], "reproduced", "{handler:#}");
    }
    // As the only hook, it must be the one that denied; now it does not.
    let env = project(&["sh json.sh"]);
    env.write("project/json.sh", "cat > /dev/null\n");
    let mut recorded = Recorded::new();
    recorded.denied_by_json("danger 1", "no danger");
    env.write("project/s.jsonl", recorded.text());
    let (_, found) = report(&env, &[]);
    assert_eq!(handler(&found, "json.sh")["status"], "changed", "{found:#}");
}

#[test]
fn a_hook_that_writes_connects_and_kills_does_no_harm() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.set_nonblocking(true).expect("it can be set");
    let port = listener.local_addr().expect("it has one").port();
    let mut victim = Command::new("sleep").arg("600").spawn().expect("it starts");
    let env = project(&["python3 harm.py"]);
    let outside = env.root().join("outside");
    env.write("outside/kept.txt", "kept");
    let harm = format!(
        "import os, pathlib, shutil, socket\n\
         done = []\n\
         def tried(what, deed):\n\
         \x20 try:\n\
         \x20   deed(); done.append(what)\n\
         \x20 except OSError:\n\
         \x20   pass\n\
         outside = pathlib.Path({outside:?})\n\
         tried('write', lambda: (outside / 'x').write_text('x'))\n\
         tried('append', lambda: open(outside / 'kept.txt', 'a').write('x'))\n\
         tried('truncate', lambda: os.truncate(outside / 'kept.txt', 0))\n\
         tried('remove', lambda: os.remove(outside / 'kept.txt'))\n\
         tried('link', lambda: os.link(outside / 'kept.txt', 'linked'))\n\
         tried('chmod', lambda: os.chmod(outside / 'kept.txt', 0))\n\
         tried('fchmod', lambda: os.chmod(os.open(outside / 'kept.txt', os.O_RDONLY), 0))\n\
         tried('chown', lambda: os.chown(outside / 'kept.txt', os.getuid(), os.getgid()))\n\
         tried('times', lambda: os.utime(outside / 'kept.txt', (1, 1)))\n\
         tried('times of the directory', lambda: os.utime(outside, (1, 1)))\n\
         tried('attribute', lambda: os.setxattr(outside / 'kept.txt', 'user.x', b'x'))\n\
         os.path.lexists('to-kept') or os.symlink(outside / 'kept.txt', 'to-kept')\n\
         tried('chmod by a link', lambda: os.chmod('to-kept', 0))\n\
         tried('chmod by a way around', lambda: os.chmod(os.path.relpath(outside / 'kept.txt'), 0))\n\
         descriptor = lambda: '/proc/self/fd/' + str(os.open(outside / 'kept.txt', os.O_PATH))\n\
         tried('chmod by a descriptor', lambda: os.chmod(descriptor(), 0))\n\
         tried('project', lambda: pathlib.Path({project:?}, 'harm.txt').write_text('x'))\n\
         tried('connect', lambda: socket.create_connection(('127.0.0.1', {port})))\n\
         tried('kill', lambda: os.kill({victim}, 9))\n\
         tried('kill parent', lambda: os.kill(os.getppid(), 9))\n\
         pathlib.Path('own.txt').write_text('x')\n\
         os.chmod('own.txt', 0o741); os.chown('own.txt', -1, os.getgid()); os.utime('own.txt', (5, 7))\n\
         os.chmod(os.open('own.txt', os.O_RDONLY), 0o740); os.chmod(os.path.abspath('own.txt'), 0o740)\n\
         stat = os.stat('own.txt')\n\
         os.path.lexists('to-own') or os.symlink('own.txt', 'to-own')\n\
         os.utime('to-own', (9, 9), follow_symlinks=False)\n\
         own = (stat.st_mode & 0o7777, stat.st_mtime, os.stat('own.txt').st_mtime, os.lstat('to-own').st_mtime)\n\
         if own != (0o740, 7, 7, 9): raise SystemExit(0)\n\
         import sys\n\
         print('did ' + ','.join(done), file=sys.stderr)\n\
         sys.exit(2)\n",
        outside = outside.display().to_string(),
        project = env.project().display().to_string(),
        victim = victim.id(),
    );
    env.write(
        "project/harm.py",
        harm.replace("tried('kill parent', lambda: os.kill(os.getppid(), 9))\n", ""),
    );
    let mut recorded = Recorded::new();
    recorded.bash("touch executed.txt", None);
    env.write("project/s.jsonl", recorded.text());
    let attributes = || {
        let of = |path| {
            let found: fs::Metadata = fs::metadata(path).expect("it is there");
            (found.mode(), found.uid(), found.mtime(), found.mtime_nsec())
        };
        (of(outside.join("kept.txt")), of(outside.clone()))
    };
    let before = attributes();
    let ended = replayed(&env, &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let (_, found) = report(&env, &[]);
    let reason = found["shapes"].to_string();
    assert!(found["handlers"][0]["decisions"]["deny"] == 1, "{found}");
    // The hook is set aside because of the connection, so its reason is only in the decisions.
    assert_eq!(found["handlers"][0]["depends_on"][0], "network", "{reason}");
    assert!(victim.try_wait().expect("it can be asked").is_none(), "the victim lives");
    assert!(listener.accept().is_err(), "nobody has connected");
    assert_eq!(fs::read_to_string(outside.join("kept.txt")).expect("it is there"), "kept");
    assert_eq!(fs::read_dir(&outside).expect("it is there").count(), 1);
    assert_eq!(attributes(), before, "mode, owner and times stay");
    for name in ["harm.txt", "own.txt", "executed.txt", "linked"] {
        assert!(!env.project().join(name).exists(), "{name}");
    }
    // Without confinement, the same hook does all of it: the test can fail.
    let ended = replayed(&env, &["--unconfined"]);
    assert!(ended.stdout.contains("the hooks were not confined"), "{ended:?}");
    assert!(env.project().join("harm.txt").exists() && !outside.join("kept.txt").exists());
    assert!(listener.accept().is_ok(), "it has connected");
    assert!(!victim.wait().expect("it is dead").success());
}

/// Returns the command lines of processes that have a text in theirs.
fn running(text: &str) -> Vec<String> {
    let all = fs::read_dir("/proc").expect("it is there").flatten();
    let lines = all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(text)).collect()
}

#[test]
fn what_hooks_leave_running_ends_with_the_replay_and_with_the_tests() {
    let marker = format!("600.{}", std::process::id());
    let env = project(&["sh leaves.sh"]);
    let leaves = format!("cat >/dev/null; ( setsid sh -c 'sleep {marker}; :' >/dev/null 2>&1 & )\n");
    env.write("project/leaves.sh", leaves);
    let mut recorded = Recorded::new();
    recorded.bash("ls", None);
    env.write("project/s.jsonl", recorded.text());
    for arguments in [&[] as &[&str], &["--unconfined"]] {
        assert_eq!(replayed(&env, arguments).code, Some(0));
        assert_eq!(running(&marker), [] as [String; 0], "{arguments:?}");
    }
    let case = "[[case]]\nname = \"a\"\ntool = { name = \"Bash\", input = { command = \"ls\" } }\n\
                want = { decision = \"pass\" }\n";
    env.write("project/.claude/tests/a.toml", case);
    let ended = env.becket(["test"]).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(running(&marker), [] as [String; 0]);
    // Children that a shell had before it became the program are nobody's hooks.
    let program = env!("CARGO_BIN_EXE_becket");
    let script = format!("sleep {marker} >/dev/null 2>&1 & echo $!; exec '{program}' test");
    let ended = env.bare(["-c", script.as_str()]).of(Path::new("/bin/sh")).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(running(&marker), [format!("sleep {marker} ")]);
    let own = ended.stdout.lines().next().expect("it is printed");
    assert!(Command::new("kill").arg(own).status().expect("it is there").success());
}

// rule: H4
#[test]
fn a_parent_that_ignores_the_end_of_children_changes_no_exit_code() {
    let env = project(&["sh guard.sh"]);
    env.write("project/guard.sh", "cat >/dev/null\n");
    let program = env!("CARGO_BIN_EXE_becket");
    let script = "import os, signal, sys\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nos.execv(sys.argv[1], sys.argv[1:])";
    for (decision, code) in [("pass", 0), ("deny", 1)] {
        let case = format!(
            "[[case]]\nname = \"a\"\ntool = {{ name = \"Bash\", input = {{ command = \"ls\" }} }}\n\
             want = {{ decision = \"{decision}\" }}\n"
        );
        env.write("project/.claude/tests/a.toml", case);
        let line = format!("exec python3 -c '{script}' '{program}' test");
        let ended = env.bare(["-c", line.as_str()]).of(Path::new("/bin/sh")).run();
        assert_eq!(ended.code, Some(code), "{ended:?}");
    }
}

#[test]
fn other_settings_are_compared_with_cause_and_change() {
    let env = project(&["sh guard.sh", "sh other.sh"]);
    env.write("project/guard.sh", GUARD);
    env.write("project/other.sh", "cat >/dev/null\n");
    let settings = fs::read_to_string(env.project().join(".claude/settings.json")).expect("it is there");
    let mut new: Value = serde_json::from_str(&settings).expect("it is JSON");
    new["hooks"]["PreToolUse"][0]["matcher"] = "Write".into();
    new["permissions"] = json!({"deny": ["Bash(curl *)"], "ask": ["Bash(git push *)"]});
    env.write("project/new.json", new.to_string());
    let mut recorded = Recorded::new();
    for command in ["danger 1", "danger 2", "ls", "curl x", "git push"] {
        recorded.bash(command, None);
    }
    env.write("project/s.jsonl", recorded.text());
    let (code, found) = report(&env, &["--settings", "new.json", "--bisect"]);
    assert_eq!(code, Some(1));
    let seen: Vec<[&str; 5]> = found["differences"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            ["by", "before", "after", "cause", "change"].map(|key| one[key].as_str().unwrap_or_default())
        })
        .collect();
    let matcher = "`hooks.PreToolUse[Bash].matcher` is \"Write\" instead of \"Bash\"";
    let cause = "`guard.sh` does not run under the new settings: matcher \"Write\" does not match \"Bash\"";
    assert!(seen.contains(&["guard.sh", "deny", "pass", cause, matcher]), "{seen:#?}");
    let rule = "rule Bash(curl *)";
    let added = "`permissions.deny[\"Bash(curl *)\"]` \"Bash(curl *)\" is added";
    assert!(
        seen.contains(&[rule, "pass", "deny", "rule Bash(curl *) decides, instead of no rule", added]),
        "{seen:#?}"
    );
    assert!(seen.iter().any(|one| one[0] == "rule Bash(git push *)" && one[2] == "ask"), "{seen:#?}");
    let (code, same) = report(&env, &["--settings", ".claude/settings.json"]);
    assert_eq!((code, &same["differences"]), (Some(0), &json!([])));
    let ended = replayed(&env, &["--bisect"]);
    assert!(ended.code == Some(2) && ended.stderr.contains("--settings FILE"), "{ended:?}");
}

#[test]
fn a_damaged_transcript_is_read_as_far_as_it_goes_and_shows_no_secret() {
    let env = project(&["sh guard.sh"]);
    env.write("project/guard.sh", "in=$(cat); case $in in *danger*) echo \"no: $in\" >&2; exit 2;; esac\n");
    let mut recorded = Recorded::new();
    recorded.bash("danger --token hunter2hunter2 sk-live-0123456789abcdef", None);
    let mut bytes = recorded.text().into_bytes();
    bytes.extend(b"{\"type\": \"from-the-future\", \"x\": 1}\n\n[1, 2]\n");
    bytes.extend(b"{\"type\": \"user\", \"message\": {\"content\": \"caf\xe9\"}}\n{\"type\": \"assis");
    env.write("project/s.jsonl", bytes);
    let (code, found) = report(&env, &["--keep", "1"]);
    assert_eq!(code, Some(0), "{found}");
    let read = &found["transcripts"];
    assert_eq!(
        [&read["unknown_lines"], &read["unreadable_lines"], &read["not_utf8_lines"]],
        [&json!(1), &json!(2), &json!(1)],
        "{read}"
    );
    let kept = fs::read_to_string(env.project().join(".claude/tests/replay-1.toml")).expect("it is kept");
    for text in [&found.to_string(), &replayed(&env, &[]).stdout, &kept] {
        assert!(!text.contains("hunter2hunter2") && !text.contains("sk-live-0123"), "{text}");
        assert!(text.contains("[redacted]"), "{text}");
    }
    let ended = env.becket(["replay", "missing.jsonl"]).run();
    assert!(ended.code == Some(2) && ended.stderr.contains("missing.jsonl"), "{ended:?}");
    let ended = env.becket(["replay"]).run();
    assert!(ended.code == Some(2) && ended.stderr.contains("there are no transcripts"), "{ended:?}");
}

#[test]
fn rollouts_of_codex_and_sessions_of_becket_are_read_too() {
    let env = project(&["sh guard.sh"]);
    env.write("project/guard.sh", GUARD);
    let call = |name: &str, arguments: Value| {
        json!({"type": "response_item", "payload": {"type": "function_call", "name": name, "call_id": "c1",
            "arguments": arguments.to_string()}})
    };
    let rollout = [
        json!({"type": "session_meta", "timestamp": "2026-11-02T10:00:00Z", "payload": {"id": "s1", "cwd": "/w"}}),
        json!({"type": "event_msg", "payload": {"type": "user_message", "message": "go"}}),
        call("shell", json!({"command": ["bash", "-lc", "danger now"]})),
        json!({"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c1", "output": "x"}}),
        call("exec_command", json!({"cmd": "danger again"})),
        json!({"type": "response_item", "payload": {"type": "custom_tool_call", "name": "apply_patch", "call_id": "c2",
            "input": "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch"}}),
        json!({"type": "event_msg", "payload": {"type": "task_complete", "last_agent_message": "done"}}),
    ];
    let text: String = rollout.iter().map(|line| format!("{line}\n")).collect();
    env.write("project/s.jsonl", text);
    let (_, found) = report(&env, &[]);
    assert_eq!(handler(&found, "guard.sh")["decisions"]["deny"], 2, "{found}");
    assert_eq!(
        (&found["transcripts"]["calls"], &found["transcripts"]["unknown_lines"]),
        (&json!(3), &json!(0))
    );
    let own = [
        json!({"type": "user", "sessionId": "s2", "cwd": "/w", "message": {"role": "user", "content": "go"}}),
        json!({"type": "assistant", "sessionId": "s2", "message": {"content": [
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "danger"}}]}}),
        json!({"type": "mode", "mode": "plan"}),
    ];
    env.write("project/s.jsonl", own.iter().map(|line| format!("{line}\n")).collect::<String>());
    let (_, found) = report(&env, &[]);
    assert_eq!(handler(&found, "guard.sh")["decisions"]["deny"], 1, "{found}");
}

#[test]
fn a_repository_is_copied_without_remotes_and_stays_as_it_is() {
    let env = project(&["sh spoils.sh"]);
    env.write(
        "project/spoils.sh",
        "cat >/dev/null; git remote; git config --get-regexp credential; git log --oneline | grep -q start || exit 1\n\
         git commit -q --allow-empty -m spoilt && git branch spoilt; git gc -q 2>/dev/null; exit 0\n",
    );
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args([
            "-C",
            &env.project().to_string_lossy(),
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b.example",
        ]);
        let output = command.args(arguments).output().expect("git is there");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "start"]);
    git(&["remote", "add", "origin", "https://u:p@example.invalid/x"]);
    git(&["config", "credential.helper", "store"]);
    let before = (git(&["log", "--format=%H"]), git(&["branch"]), git(&["count-objects", "-v"]));
    let mut recorded = Recorded::new();
    recorded.bash("ls", None);
    env.write("project/s.jsonl", recorded.text());
    let pipes = ["heads", "tags"].map(|kind| env.project().join(".git/refs").join(kind).join("pipe"));
    let made = Command::new("mkfifo").args(&pipes).status().expect("it is there");
    assert!(made.success());
    let (_, found) = report(&env, &[]);
    assert_eq!(found["handlers"][0]["decisions"], json!({"pass": 1}), "no remote is printed: {found}");
    // Git itself waits for them.
    pipes.iter().for_each(|pipe| fs::remove_file(pipe).expect("it is there"));
    assert_eq!(before, (git(&["log", "--format=%H"]), git(&["branch"]), git(&["count-objects", "-v"])));
}

#[test]
fn a_file_that_is_no_transcript_is_not_reported_as_replayed() {
    let env = project(&["true"]);
    let mut recorded = Recorded::new();
    recorded.bash("ls", None);
    env.write("project/s.jsonl", recorded.text());
    env.write("project/sessions/s.jsonl", recorded.text());
    env.write("project/sessions/history.jsonl", "{\"display\": \"x\"}\n");
    env.write("project/other/history.jsonl", "{\"display\": \"x\"}\n");
    env.write("project/passwd", "root:x:0:0\n");
    env.write("project/empty.jsonl", "");
    for (paths, why) in [
        (&["passwd"][..], "passwd` is not a transcript"),
        (&["s.jsonl", "passwd"], "passwd` is not a transcript"),
        (&["empty.jsonl"], "empty.jsonl` is not a transcript"),
        (&["other"], "no transcript found (files searched: 1)"),
    ] {
        let ended = env.becket([&["replay"], paths].concat()).run();
        assert_eq!(ended.code, Some(2), "{paths:?}: {ended:?}");
        assert!(ended.stderr.contains(why), "{paths:?}: {ended:?}");
    }
    let ended = env.becket(["replay", "sessions"]).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
}
