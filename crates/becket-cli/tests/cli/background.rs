//! `background`: the hooks of other processes.

use crate::env;
use becket_engine::{Engine, Environment};
use becket_model::event::tool::PreToolUse;
use becket_model::{Event, Session, SessionId};
use becket_testkit::env::TestEnv;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Creates an engine that keeps its files in `directory`, and one hook that never ends, with a hostile name.
fn host(env: &TestEnv, directory: &Path) -> (Engine, Event) {
    let hook =
        json!({"type": "command", "command": "exec sleep 600 #\u{1b}[2J", "async": true, "timeout": 90});
    let engine = Engine::builder()
        .environment(Environment::empty().with_var("PATH", "/usr/bin:/bin"))
        .start_dir(env.project())
        .session_dir(directory)
        .settings_text(json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}).to_string())
        .build()
        .expect("it starts");
    let call = PreToolUse::new("Bash".into(), Map::new(), "toolu_1".into());
    let transcript = env.project().join("t.jsonl");
    (engine, Event::new(Session::new("s1", transcript, env.project()), call))
}

fn record(id: &str, pid: u32) -> String {
    json!({"id": id, "session": "s2", "event": "Stop", "label": "make lint", "source": "user", "location": "a.json:1:1",
        "state": "running", "since_ms": 1, "limit_ms": 60000, "owner": {"pid": pid, "started": null}})
    .to_string()
}

// rule: A5
#[test]
fn a_hook_of_a_living_host_is_shown_until_it_is_over() {
    let env = env();
    let directory = env.root().join("home/.claude/becket");
    let (engine, event) = host(&env, &directory);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    runtime.block_on(async {
        for _ in 0..33 {
            drop(engine.fire(&event).await);
        }
    });
    let shown = env.becket(["background"]).run();
    assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""));
    let ids: Vec<String> = engine.host().background().iter().map(|one| one.id.to_string()).collect();
    assert!(ids.len() == 33 && ids.iter().all(|id| shown.stdout.contains(id.as_str())), "{}", shown.stdout);
    assert_eq!(shown.stdout.matches("  running\n").count(), 32, "{}", shown.stdout);
    assert_eq!(shown.stdout.matches("  waiting for room\n").count(), 1, "{}", shown.stdout);
    let line = shown.stdout.lines().find(|line| line.starts_with(&ids[0])).expect("a line of its own");
    assert!(line.contains("PreToolUse") && line.contains("90 s"), "{line}");
    assert!(line.contains(r"exec sleep 600 #\u{1b}[2J"), "a terminal is not played with: {line}");
    let json = env.becket(["background", "--json"]).run();
    let json: Value = serde_json::from_str(&json.stdout).expect("it is JSON");
    assert_eq!(json["report"], "background");
    assert_eq!(json["hooks"][0]["id"], json!(ids[0]));
    assert_eq!((&json["hooks"][0]["state"], &json["hooks"][0]["limit_s"]), (&json!("running"), &json!(90.0)));
    runtime.block_on(engine.host().end_background(&SessionId::from("s1")));
    assert!(env.becket(["background"]).run().stdout.starts_with("nothing is pending in ~/.claude/becket;"));
}

// rule: A5
#[test]
fn where_nothing_is_pending_it_says_where_it_looked() {
    let env = env();
    for (arguments, variable, looked) in [
        (&["background"][..], "", "~/.claude/becket"),
        (&["background", "--profile", "agent"], "", "~/.agent/becket"),
        (&["background"], "/somewhere", "/somewhere/becket"),
        (&["background", "--session-dir", "host/files"], "", "host/files"),
        (&["-C", "..", "background", "--session-dir", "files"], "", "files"),
    ] {
        let shown = env.becket(arguments).env("CLAUDE_CONFIG_DIR", variable).run();
        assert_eq!(shown.code, Some(0), "{shown:?}");
        let said = format!("{looked}; name another directory with --session-dir\n");
        assert!(shown.stdout.starts_with("nothing is pending in "), "{shown:?}");
        assert!(shown.stdout.ends_with(&said), "{shown:?}");
    }
}

// rule: A5
#[test]
fn what_is_stale_or_broken_is_said_and_spoils_nothing() {
    let env = env();
    env.write("project/files/background/a.json", record("1-1", std::process::id()));
    env.write("project/files/background/b.json", record("2-1", 0x7fff_ffff));
    env.write("project/files/background/c.json", "{}");
    let shown = env.becket(["background", "--session-dir", "files"]).run();
    assert_eq!(shown.code, Some(0));
    let line = |start: &str| shown.stdout.lines().find(|line| line.starts_with(start)).unwrap_or_default();
    assert!(line("1-1").ends_with("60 s   running"), "{shown:?}");
    assert!(line("2-1").ends_with("stale: process 2147483647 is gone"), "{shown:?}");
    assert!(
        line("not listed: files/background/c.json").contains("describes no background hook"),
        "{shown:?}"
    );
    let json = env.becket(["background", "--session-dir", "files", "--json"]).run().stdout;
    let json: Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json["hooks"][1]["state"], "stale");
    assert_eq!(json["not_listed"].as_array().map(Vec::len), Some(1));
    env.write("project/odd/background", "a file");
    let odd = env.becket(["background", "--session-dir", "odd"]).run();
    assert_eq!(odd.code, Some(1));
    assert!(odd.stderr.contains("odd/background` can't be read"), "{odd:?}");
}

// rule: A5
#[cfg(unix)]
#[test]
fn what_fire_waits_for_is_shown_where_it_keeps_its_files() {
    let hook = json!({"type": "command", "command": "while [ ! -e go ]; do sleep 0.02; done", "async": true});
    let env = crate::env_with(&json!({"hooks": {"Stop": [{"hooks": [hook]}]}}).to_string());
    let fire = ["fire", "Stop", "--session-dir", "kept"];
    let mut command = env.becket(fire).into_command();
    command.current_dir(env.project()).stdout(std::process::Stdio::null());
    let mut firing = command.spawn().expect("it starts");
    let shown = || env.becket(["background", "--session-dir", "kept"]).run().stdout;
    let is_shown = becket_testkit::proc::wait_until(|| shown().contains("  running\n"));
    env.write("project/go", "");
    let ended = firing.wait().expect("it ends");
    assert!(is_shown, "{}", shown());
    assert!(ended.success());
    assert!(shown().starts_with("nothing is pending"), "{}", shown());
}
