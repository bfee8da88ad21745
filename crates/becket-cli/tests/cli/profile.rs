//! `becket profile`: the records, and their display.

use crate::env_with;
use crate::run::{run, scripted};
use crate::serve::client::on_stdio;
use becket_testkit::env::{ProgramOutput, TestEnv};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

const SETTINGS: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "sh slow.sh"}, {"type": "command", "command": "sh fast.sh --token hunter2hunter2"}]}]}}"#;

/// Creates a project with a slow hook that records the times of its start and end, and a fast one that fails.
fn project() -> TestEnv {
    let env = env_with(SETTINGS);
    env.write("project/slow.sh", "date +%s%N >>clock; cat >/dev/null; sleep 0.4; date +%s%N >>clock\n");
    env.write("project/fast.sh", "cat >/dev/null; exit 1\n");
    env
}

const FIRE: [&str; 6] = ["fire", "PreToolUse", "--tool", "Bash", "--input", r#"{"command": "secret-input"}"#];

fn input(env: &TestEnv) -> String {
    json!({"session_id": "s", "transcript_path": "/t.jsonl", "cwd": env.project(), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "secret-input"}})
    .to_string()
}

fn directory(env: &TestEnv) -> String {
    env.root().join("times").display().to_string()
}

/// Returns the only log in a directory.
fn log(directory: &Path) -> PathBuf {
    let entries = fs::read_dir(directory).expect("it is there").map(|entry| entry.expect("an entry").path());
    let found: Vec<PathBuf> = entries.collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

fn profile(env: &TestEnv, more: &[&str]) -> ProgramOutput {
    env.becket([&["profile", "--json"], more].concat()).env("BECKET_PROFILE", &directory(env)).run()
}

fn report(ended: &ProgramOutput) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
}

#[test]
fn nothing_is_recorded_unless_it_is_wanted_and_no_record_has_an_input() {
    let env = project();
    for off in ["", "0"] {
        assert_eq!(env.becket(FIRE).env("BECKET_PROFILE", off).run().code, Some(0));
    }
    let ended = env.becket(["profile"]).run();
    assert!(ended.code == Some(2) && ended.stderr.contains("BECKET_PROFILE=1"), "{ended:?}");
    let home = env.root().join("home/.becket/times");
    assert!(!home.exists());
    assert_eq!(env.becket(FIRE).env("BECKET_PROFILE", "1").run().code, Some(0));
    let log = log(&home);
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&log), mode(&home)), (0o600, 0o700));
    let records = fs::read_to_string(&log).expect("it can be read");
    assert!(records.lines().count() == 1 && records.contains("\"hook\":\"fast.sh\""), "{records}");
    assert!(!records.contains("secret-input") && !records.contains("hunter2"), "{records}");
    assert_eq!(env.becket(["profile"]).run().code, Some(0), "the log is found without the variable");
}

#[test]
fn times_agree_with_clocks_inside_and_outside_of_the_hook() {
    let env = project();
    let mut outside = Vec::new();
    for _ in 0..3 {
        let started = Instant::now();
        assert_eq!(env.becket(FIRE).env("BECKET_PROFILE", &directory(&env)).run().code, Some(0));
        outside.push(started.elapsed().as_secs_f64() * 1_000.0);
    }
    let clock = fs::read_to_string(env.project().join("clock")).expect("the hook has noted the time");
    let clock: Vec<f64> = clock.lines().map(|line| line.parse::<f64>().expect("nanoseconds") / 1e6).collect();
    let inside: Vec<f64> = clock.chunks(2).map(|pair| pair[1] - pair[0]).collect();
    let text = fs::read_to_string(log(Path::new(&directory(&env)))).expect("it can be read");
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((records.len(), inside.len()), (3, 3));
    for ((record, inside), outside) in records.iter().zip(inside).zip(outside) {
        let runs = record["runs"].as_array().expect("a list");
        let slow = runs.iter().find(|run| run["hook"] == "slow.sh").expect("it has run");
        let time = slow["us"].as_f64().expect("a time") / 1_000.0;
        let event = record["us"].as_f64().expect("a time") / 1_000.0;
        assert!(inside <= time && time <= event && event <= outside, "{inside} {time} {event} {outside}");
        assert!(slow["from"].as_f64().expect("a time") / 1_000.0 + time <= event + 1.0, "{record}");
    }
}

#[test]
fn the_report_names_the_slow_hook_in_every_form() {
    let env = project();
    for _ in 0..3 {
        assert_eq!(env.becket(FIRE).env("BECKET_PROFILE", &directory(&env)).run().code, Some(0));
    }
    let ended = profile(&env, &["--budget", "300ms", "--html", "p.html", "--trace", "t.json"]);
    assert_eq!(ended.code, Some(1), "slow.sh is over the budget: {ended:?}");
    let report = report(&ended);
    let (slow, fast) = (&report["hooks"][0], &report["hooks"][1]);
    let of = |hook: &Value, fields: [&str; 5]| json!(fields.map(|field| &hook[field]));
    let fields = ["hook", "runs", "failed", "critical", "over_budget"];
    assert_eq!(of(slow, fields), json!(["slow.sh", 3, 0, 3, true]), "{report}");
    assert_eq!(of(fast, fields), json!(["fast.sh", 3, 3, 0, false]), "{report}");
    assert_eq!((&slow["place"], &report["hosts"]), (&json!("settings.json:2"), &json!({"fire": 3})));
    assert_eq!(report["by_event"][0]["critical"], "slow.sh");
    let text = |name: &str| fs::read_to_string(env.project().join(name)).expect("it is written");
    let trace: Value = serde_json::from_str(&text("t.json")).expect("JSON");
    let slices = trace["traceEvents"].as_array().expect("a list").iter().filter(|slice| slice["ph"] == "X");
    assert_eq!(slices.count(), 9, "an event and two runs, three times");
    assert!(text("p.html").contains("\"hook\":\"slow.sh\""));
    let shown = env.becket(["profile", "--budget", "300ms"]).env("BECKET_PROFILE", &directory(&env)).run();
    assert!(shown.stdout.contains("slow.sh on PreToolUse is over its budget of 300 ms"), "{shown:?}");
    assert_eq!(profile(&env, &["--budget", "20s"]).code, Some(0));
    let ended = profile(&env, &["--budget", "20"]);
    assert!(ended.code == Some(2) && ended.stderr.contains("50ms"), "{ended:?}");
}

#[test]
fn a_budget_of_the_settings_counts_for_its_event() {
    let env = project();
    assert_eq!(env.becket(FIRE).env("BECKET_PROFILE", &directory(&env)).run().code, Some(0));
    let budget = |budget: Value| {
        let mut settings: Value = serde_json::from_str(SETTINGS).expect("JSON");
        settings["hookBudget"] = budget;
        env.write("project/.claude/settings.json", settings.to_string());
    };
    for (of, more, code) in [
        (json!(200), vec![], 1),
        (json!(60_000), vec![], 0),
        (json!({"PreToolUse": 200}), vec![], 1),
        (json!({"Stop": 200}), vec![], 0),
        (json!(200), vec!["--budget", "60s"], 0),
        (json!("200"), vec![], 0),
    ] {
        budget(of.clone());
        assert_eq!(profile(&env, &more).code, Some(code), "{of}");
    }
    for (wrong, says) in [
        (json!("200"), "positive number"),
        (json!({"PreToolUs": 1}), "did you mean `PreToolUse`"),
        (json!(-1), "positive"),
    ] {
        budget(wrong.clone());
        let ended = env.becket(["check"]).run();
        assert!(ended.code == Some(1) && ended.stdout.contains(says), "{wrong} {ended:?}");
    }
    budget(json!(5));
    assert!(env.becket(["check"]).run().stdout.contains("becket-only-key"));
}

#[test]
fn a_log_that_can_t_be_written_changes_no_verdict_and_is_told_once() {
    let env = project();
    env.write("project/fast.sh", "cat >/dev/null; echo no >&2; exit 2\n");
    env.write("file", "");
    let below_a_file = env.root().join("file/times").display().to_string();
    for wrong in [below_a_file.as_str(), "/proc/nowhere", "somewhere"] {
        let ended = env.becket(FIRE).env("BECKET_PROFILE", wrong).run();
        let without = env.becket(FIRE).run();
        assert_eq!(ended.code, without.code, "{ended:?}");
        assert_eq!(ended.stderr.matches("times of hooks are not recorded").count(), 1, "{wrong} {ended:?}");
        let hook = |value: &str| {
            env.becket(["fire", "--stdin-event"]).env("BECKET_PROFILE", value).stdin(input(&env)).run()
        };
        let (ended, without) = (hook(wrong), hook("0"));
        assert_eq!((ended.code, &ended.stderr), (Some(2), &without.stderr), "{wrong}");
        let (mut answer, expected) = (report(&ended), report(&without));
        let told = answer["systemMessage"].take();
        let told = told.as_str().expect("it is told to the user");
        assert_eq!(told.matches("times of hooks are not recorded").count(), 1, "{told}");
        assert_eq!(answer["hookSpecificOutput"], expected["hookSpecificOutput"]);
    }
}

#[test]
fn lines_that_can_t_be_read_are_counted() {
    let env = project();
    assert_eq!(env.becket(FIRE).env("BECKET_PROFILE", &directory(&env)).run().code, Some(0));
    let log = log(Path::new(&directory(&env)));
    let whole = fs::read(&log).expect("it can be read");
    let newer = String::from_utf8_lossy(&whole).replace("\"version\":1", "\"version\":7").into_bytes();
    let long = [vec![b'x'; 3 << 20], b"\n".to_vec()].concat();
    let parts =
        [b"{\"version\":1\n\xff\xfe\n[]\n".as_slice(), &long, &newer, &whole[..20], &whole, &whole[..9]];
    fs::write(&log, parts.concat()).expect("it can be written");
    let ended = profile(&env, &[]);
    let report = report(&ended);
    assert_eq!(report["unread_lines"], json!({"broken": 5, "newer": 1, "too_long": 1}), "{report}");
    assert_eq!((ended.code, &report["runs"]), (Some(0), &json!(2)));
    let shown = env.becket(["profile"]).env("BECKET_PROFILE", &directory(&env)).run().stdout;
    assert!(
        shown.contains("5 lines can't be read") && shown.contains("1 lines are of a newer version"),
        "{shown}"
    );
    fs::write(&log, b"\xff\n").expect("it can be written");
    let ended = profile(&env, &[]);
    assert!(ended.code == Some(2) && ended.stderr.contains("no time of a hook"), "{ended:?}");
    let ended = env.becket(["profile", "nowhere.jsonl"]).run();
    assert!(ended.code == Some(2) && ended.stderr.contains("nowhere.jsonl"), "{ended:?}");
    assert_eq!(env.becket(["profile", "--bugdet", "1s"]).run().code, Some(2));
}

#[test]
fn processes_at_the_same_time_lose_no_record() {
    let env = project();
    env.write("project/slow.sh", "cat >/dev/null\n");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let ended = env.becket(FIRE).env("BECKET_PROFILE", &directory(&env)).run();
                    assert_eq!(ended.code, Some(0), "{ended:?}");
                }
            });
        }
    });
    let report = report(&profile(&env, &[]));
    assert_eq!((&report["events"], &report["runs"]), (&json!(20), &json!(40)), "{report}");
}

#[test]
fn sessions_of_run_and_serve_are_recorded() {
    let hook = json!([{"hooks": [{"type": "command", "command": "true"}]}]);
    let later = json!([{"hooks": [{"type": "command", "command": "sleep 0.1", "async": true}]}]);
    let env =
        scripted(&json!({"hooks": {"UserPromptSubmit": hook, "Stop": later}}), &json!([{"text": "Hello."}]));
    let ended = run(&env, &["-p", "hi"]).env("BECKET_PROFILE", &directory(&env)).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let mut serving = on_stdio(&env, &[], &[("BECKET_PROFILE".to_owned(), directory(&env))]).initialized();
    serving.client.opens(&env.project(), "s", json!({}));
    let fired = json!({"session": "s", "event": "UserPromptSubmit", "input": {"prompt": "secret-prompt"}});
    serving.client.asks("event/fire", fired);
    serving.ends();
    let ended = profile(&env, &[]);
    let report = report(&ended);
    assert_eq!(report["hosts"], json!({"run": 1, "serve": 1}), "{report}");
    let rows = report["hooks"].as_array().expect("a list").iter();
    let rows: Vec<Value> = rows.map(|hook| json!([hook["hook"], hook["runs"], hook["background"]])).collect();
    assert!(rows.contains(&json!(["true", 2, 0])) && rows.contains(&json!(["sleep", 1, 1])), "{rows:?}");
    let records = fs::read_to_string(log(Path::new(&directory(&env)))).expect("it can be read");
    assert!(!records.contains("secret-prompt"), "{records}");
}

#[test]
fn tests_of_hooks_are_recorded_for_their_project_but_not_their_mutants() {
    let env = project();
    env.write("project/slow.sh", "cat >/dev/null; exit 2\n");
    let case = "[[case]]\nname = \"x\"\ntool = { name = \"Bash\", input = { command = \"x\" } }\nwant = { decision = \"deny\" }\n";
    env.write("project/.claude/tests/x.toml", case);
    let ended = env.becket(["test", "--mutate"]).env("BECKET_PROFILE", &directory(&env)).run();
    assert!(ended.stdout.contains("killed"), "{ended:?}");
    let report = report(&profile(&env, &[]));
    assert_eq!((&report["runs"], &report["hosts"]), (&json!(2), &json!({"test": 1})), "{report}");
    assert_eq!(report["sessions"], json!([]));
}
