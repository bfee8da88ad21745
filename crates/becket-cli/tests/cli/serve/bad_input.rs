//! Malformed messages: a typed error names the problem and its position, and other messages work.

use super::client::{fault, on_socket, on_stdio};
use super::{bash, command, with_hook};
use serde_json::{Value, json};
use std::fs;

#[test]
fn a_wrong_request_is_told_and_the_next_is_answered() {
    let env = with_hook("PreToolUse", command("true"));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({}));
    let fire = |event: &str, input: Value| json!({"session": "s", "event": event, "input": input});
    let open = |more: Value| {
        let mut params = json!({"start": env.project(), "session": "other"});
        params.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        params
    };
    let mut foreign = bash("ls");
    foreign["session_id"] = json!("t");
    for (method, params, kind, words) in [
        ("event/fier", json!({}), "no_method", "did you mean `event/fire`?"),
        ("event/fire", json!({"session": "s"}), "params", "missing field `event`"),
        ("event/fire", json!([]), "params", "the params of `event/fire` can't be used"),
        (
            "event/fire",
            json!({"session": "s", "event": "Stop", "inptu": {}}),
            "params",
            "unknown field `inptu`",
        ),
        ("event/fire", json!({"session": "t", "event": "Stop"}), "no_session", "no such session: `t`"),
        ("event/fire", fire("PreToolUs", json!({})), "params", "did you mean `PreToolUse`"),
        ("event/fire", fire("PreToolUse", json!({})), "params", "`tool_name` is missing"),
        ("event/plan", fire("PreToolUse", json!({"tool_name": 5})), "params", "`tool_name` must be"),
        ("event/fire", fire("PreToolUse", foreign), "params", "`input.session_id` is \"t\""),
        ("event/explain", fire("Stop", json!({"hook_event_name": "Start"})), "params", "must be `Stop`"),
        ("session/open", json!({"start": "here"}), "params", "not an absolute path"),
        ("session/open", json!({"start": "/nowhere/at/all"}), "params", "is not an accessible directory"),
        ("session/open", json!({"start": env.project(), "session": "s"}), "params", "is open already"),
        ("session/open", open(json!({"session": ""})), "params", "must not be empty"),
        ("session/open", open(json!({"permission_mode": "yolo"})), "params", "unknown variant `yolo`"),
        ("session/open", open(json!({"env": {"A=B": "c"}})), "params", "not a valid variable name"),
        ("session/open", open(json!({"settings": {}, "settings_file": "x"})), "params", "not both"),
        (
            "session/open",
            open(json!({"settings_file": "none", "strict": true})),
            "not_opened",
            "no session starts",
        ),
        ("session/open", open(json!({"settings_file": "none"})), "not_opened", "no such file"),
        ("session/open", open(json!({"settings_file": "."})), "not_opened", "it is a directory"),
        ("session/open", open(json!({"settings": {"hooks": 5}})), "not_opened", "must be an object"),
        (
            "session/open",
            open(json!({"settings": {"permissions": {"deny": 5}}})),
            "not_opened",
            "a list of rules",
        ),
        ("session/close", json!({"session": "t"}), "no_session", "`t`"),
        (
            "hooks/register",
            json!({"session": "s", "id": "h", "event": "Stpo"}),
            "params",
            "did you mean `Stop`",
        ),
        (
            "hooks/register",
            json!({"session": "s", "id": "h", "event": "Stop", "timeout": 0}),
            "params",
            "above 0",
        ),
        (
            "hooks/register",
            json!({"session": "s", "id": "h", "event": "PreToolUse", "if": "Bash("}),
            "params",
            "`if`",
        ),
        ("hooks/unregister", json!({"session": "s", "id": "h"}), "params", "there is no hook `h`"),
        ("initialize", json!({"protocol": 2}), "version", "version 2"),
    ] {
        let told = client.fails(method, params.clone());
        assert!(told.0 == kind && told.1.contains(words), "{method} {params}: {told:?}");
    }
    client.asks("event/fire", fire("PreToolUse", bash("ls")));
}

#[test]
fn a_line_that_is_no_message_is_told_with_its_number() {
    let env = with_hook("PreToolUse", command("true"));
    let mut serving = on_stdio(&env, &[], &[]);
    let client = &mut serving.client;
    client.line(
        &json!({"jsonrpc": "2.0", "id": "early", "method": "session/close", "params": {"session": "s"}}),
    );
    let early = client.until(|line| line["id"] == "early");
    assert_eq!(fault(&early).0, "not_initialized");
    let (kind, _) = client.fails("initialize", json!({"protocol": 7}));
    assert_eq!(kind, "version");
    client.asks("initialize", json!({"protocol": 1}));
    for (line, kind, words) in [
        ("{\"jsonrpc\"\n", "not_json", "line 4 is not JSON"),
        ("\u{feff}{}\n", "not_json", "line 5 is not JSON"),
        ("[]\n", "no_message", "line 6 is not a message: batches"),
        (
            "{\"jsonrpc\":\"2.0\",\"method\":\"event/fire\"}\n",
            "no_message",
            "line 7 is not a message: `event/fire` is a request",
        ),
        ("{\"id\":3}\n", "no_message", "line 8"),
    ] {
        client.writes(line.as_bytes());
        let told = client.until(|line| line.get("error").is_some());
        let (told, id) = (fault(&told), told["id"].clone());
        assert!(told.0 == kind && told.1.contains(words), "{line}: {told:?}");
        assert_eq!(id, if words == "line 8" { json!(3) } else { Value::Null });
    }
    // These messages have no receiver, and no effect.
    client.writes(b"{\"jsonrpc\":\"2.0\",\"method\":\"unknown/told\"}\n{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":1}\n");
    client.writes(b"{\"jsonrpc\":\"2.0\",\"id\":9,\"meth");
    client.hangs_up();
    let rest = client.rest();
    assert_eq!(rest.len(), 1, "{rest:#?}");
    let (kind, words) = fault(&rest[0]);
    assert!(kind == "cut_off" && words.contains("line, 11, is cut off after 29 bytes"), "{kind} {words}");
    assert_eq!(serving.ends(), Some(0));
}

// rule: L3
#[test]
fn a_hundred_megabytes_are_refused_and_never_kept() {
    let env = with_hook("PreToolUse", command("true"));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({}));
    let mib = vec![b'x'; 1 << 20];
    client.writes(b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"event/fire\",\"params\":{\"session\":\"");
    for _ in 0..100 {
        client.writes(&mib);
    }
    client.writes(b"\"}}\n");
    let told = fault(&client.until(|line| line.get("error").is_some()));
    assert_eq!(told, ("too_long".to_owned(), "line 3 is longer than 16 MiB and was not read".to_owned()));
    client.asks("event/fire", json!({"session": "s", "event": "PreToolUse", "input": bash("ls")}));
    if cfg!(target_os = "linux") {
        let status = fs::read_to_string(format!("/proc/{}/status", serving.child.id())).expect("it lives");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it is told");
        let kib: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
        assert!(kib < 100 * 1024, "{kib} KiB");
    }
}

#[test]
fn a_session_of_another_client_is_unknown() {
    let env = with_hook("PreToolUse", command("true"));
    let serving = on_socket(&env, &[]);
    let (mut one, mut other) = (serving.client(), serving.client());
    one.opens(&env.project(), "s", json!({}));
    let fire = json!({"session": "s", "event": "PreToolUse", "input": bash("ls")});
    for method in ["event/fire", "event/plan", "event/explain"] {
        assert_eq!(other.fails(method, fire.clone()).0, "no_session", "{method}");
    }
    let own = json!({"session": "s"});
    for method in ["session/close", "session/reload", "events/subscribe", "background/take"] {
        assert_eq!(other.fails(method, own.clone()).0, "no_session", "{method}");
    }
    let hook = json!({"session": "s", "id": "h", "event": "PreToolUse"});
    assert_eq!(other.fails("hooks/register", hook.clone()).0, "no_session");
    // A session id is local to a connection: the same id names another session there.
    one.asks("hooks/register", hook);
    other.opens(&env.project(), "s", json!({}));
    let runs = |plan: Value| plan["runs"].as_array().map(Vec::len);
    assert_eq!(runs(one.asks("event/plan", fire.clone())), Some(2));
    assert_eq!(runs(other.asks("event/plan", fire)), Some(1));
}

#[test]
fn the_settings_of_who_serves_are_not_replaced() {
    let env = with_hook("Stop", command("true"));
    let own = json!({"hooks": {"PreToolUse": [{"hooks": [command("exit 2")]}]}}).to_string();
    let mut serving = on_stdio(&env, &["--settings", &own], &[]).initialized();
    let client = &mut serving.client;
    let (kind, words) = client.fails("session/open", json!({"start": env.project(), "settings": {}}));
    assert!(kind == "params" && words.contains("can't be replaced"), "{words}");
    client.opens(&env.project(), "s", json!({}));
    let fire = json!({"session": "s", "event": "PreToolUse", "input": bash("ls")});
    assert_eq!(client.asks("event/fire", fire)["result"], "blocked");
}
