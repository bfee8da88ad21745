//! Killed clients, and signals: no process is left.

use super::client::{fault, on_socket, on_stdio};
use super::{BECKET, bash, command, with_hook};
use becket_testkit::env::TestEnv;
use becket_testkit::proc::{Marker, wait_until};
use serde_json::{Value, json};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

/// Creates a place in which hooks start processes that would stay.
fn with_sleepers() -> TestEnv {
    let foreground = command("(trap '' HUP; sleep 300) & : >started; sleep 300");
    let background = json!({"type": "command", "command": "sleep 300", "async": true});
    let env = with_hook("PreToolUse", foreground);
    let settings = json!({"hooks": {"Stop": [{"hooks": [background]}]}});
    env.write("project/.claude/settings.json", settings.to_string());
    env
}

fn stop() -> Value {
    json!({"session": "s", "event": "Stop", "input": {"stop_hook_active": false}})
}

fn signal(name: &str, id: u32) {
    let sent = Command::new("kill").args(["-s", name, &id.to_string()]).status();
    assert!(sent.is_ok_and(|sent| sent.success()));
}

// rules: L2, H4, A5
#[test]
fn a_client_that_is_killed_takes_its_hooks_with_it() {
    let (marker, env) = (Marker::new(), with_sleepers());
    let start = env.project().display().to_string();
    let open = json!({"start": start, "session": "s"});
    let say = |id: u32, method: &str, params: &Value| {
        format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    };
    let first = say(1, "initialize", &json!({"protocol": 1})) + &say(2, "session/open", &open);
    let then = say(3, "event/fire", &stop())
        + &say(4, "event/fire", &json!({"session": "s", "event": "PreToolUse", "input": bash("ls")}));
    env.write("project/first", first);
    env.write("project/then", then);
    let shell = format!(
        "coproc B {{ exec '{BECKET}' serve; }}; cat first >&${{B[1]}}; read a <&${{B[0]}}; read a <&${{B[0]}}; \
         cat then >&${{B[1]}}; wait"
    );
    let mut bare = env.bare::<&str>([]).into_command();
    let mut client = Command::new("bash");
    client.args(["-c", &shell]).current_dir(env.project()).envs([marker.env()]);
    for (name, value) in bare.get_envs() {
        client.env(name, value.unwrap_or_default());
    }
    bare.stdin(Stdio::null());
    let mut client = client.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("bash starts");
    assert!(wait_until(|| env.project().join("started").exists()));
    // The shell, becket, and its hooks: two in the foreground with a child each, one in the background.
    assert!(wait_until(|| marker.alive().len() >= 5), "{:?}", marker.alive());
    client.kill().expect("it lives");
    assert_eq!(client.wait().expect("it ends").signal(), Some(9));
    marker.wait_for(0);
}

// rules: L2, H4
#[test]
fn a_client_of_a_socket_that_is_gone_takes_its_hooks_and_no_others() {
    let (mine, theirs, env) = (Marker::new(), Marker::new(), with_sleepers());
    let serving = on_socket(&env, &[]);
    let mut clients = Vec::new();
    for marker in [&mine, &theirs] {
        let mut client = serving.client();
        let (name, value) = marker.env();
        client.opens(&env.project(), "s", json!({"env": {name: value}}));
        client.asks("event/fire", stop());
        client.request("event/fire", json!({"session": "s", "event": "PreToolUse", "input": bash("ls")}));
        assert!(wait_until(|| marker.alive().len() >= 4), "{:?}", marker.alive());
        clients.push(client);
    }
    let others = theirs.alive();
    // The reading thread has a separate handle; the system closes all of them at once.
    clients.remove(0).dies();
    mine.wait_for(0);
    let left = theirs.alive();
    assert!(others.iter().all(|id| left.contains(id)), "{others:?} {left:?}");
    assert!(clients[0].asks("event/plan", stop())["runs"].is_array());
}

// rules: L2, L6, Q2
#[test]
fn a_signal_ends_what_runs_tells_it_and_removes_the_socket() {
    let (marker, env) = (Marker::new(), with_sleepers());
    let mut serving = on_socket(&env, &[]);
    let mut client = serving.client();
    let (name, value) = marker.env();
    client.opens(&env.project(), "s", json!({"env": {name: value}}));
    client.asks("event/fire", stop());
    let fire = json!({"session": "s", "event": "PreToolUse", "input": bash("ls")});
    let firing = client.request("event/fire", fire);
    assert!(wait_until(|| marker.alive().len() >= 4), "{:?}", marker.alive());
    signal("TERM", serving.child.id());
    assert_eq!(fault(&client.answer_to(firing)).0, "cancelled");
    assert!(client.rest().is_empty());
    assert_eq!(serving.child.wait().expect("it ends").code(), Some(0));
    assert_eq!(marker.alive(), Vec::<u32>::new());
    assert!(!serving.path.exists());
}

// rule: L2
#[test]
fn a_becket_that_is_killed_leaves_nothing_either() {
    let (marker, env) = (Marker::new(), with_sleepers());
    let mut serving = on_socket(&env, &[]);
    let mut client = serving.client();
    let (name, value) = marker.env();
    client.opens(&env.project(), "s", json!({"env": {name: value}}));
    client.asks("event/fire", stop());
    client.request("event/fire", json!({"session": "s", "event": "PreToolUse", "input": bash("ls")}));
    assert!(wait_until(|| marker.alive().len() >= 4), "{:?}", marker.alive());
    serving.child.kill().expect("it lives");
    serving.child.wait().expect("it ends");
    marker.wait_for(0);
    assert!(wait_until(|| std::fs::read_dir(env.root().join("tmp")).is_ok_and(|all| all.count() == 0)));
}

// rules: A5, H11
#[test]
fn hooks_in_the_background_have_their_time_at_the_end_of_a_session() {
    for how in ["close", "hang up", "signal"] {
        let background = |line: &str| json!({"type": "command", "command": line, "async": true});
        let env = with_hook("Stop", command("true"));
        let hooks = json!([background("touch began; sleep 0.5; touch late"), background("sleep 300")]);
        let settings = json!({"hooks": {"Stop": [{"hooks": hooks}]}});
        env.write("project/.claude/settings.json", settings.to_string());
        let marker = Marker::new();
        let mut serving = on_stdio(&env, &[], &[marker.env()]).initialized();
        serving.client.opens(&env.project(), "s", json!({}));
        serving.client.asks("event/fire", stop());
        assert!(wait_until(|| env.project().join("began").exists() && marker.alive().len() >= 3));
        let late = || env.project().join("late").exists();
        assert!(!late(), "{how}");
        if how == "close" {
            serving.client.asks("session/close", json!({"session": "s"}));
            assert!(late(), "the answer comes once all has ended");
        } else if how == "signal" {
            signal("TERM", serving.child.id());
        }
        assert_eq!(serving.ends(), Some(0), "{how}");
        assert!(late(), "{how}");
        marker.wait_for(0);
    }
}

#[test]
fn a_signal_ends_it_also_while_nobody_says_anything() {
    let env = with_sleepers();
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    signal("INT", serving.child.id());
    assert_eq!(serving.child.wait().expect("it ends").code(), Some(0));
}
