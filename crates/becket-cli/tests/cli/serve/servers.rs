//! The MCP servers that hooks of a session call.

use super::client::on_stdio;
use super::{bash, with_hook};
use becket_testkit::proc::{Marker, wait_until};
use serde_json::{Value, json};

fn fire(session: &str) -> Value {
    json!({"session": session, "event": "PreToolUse", "input": bash("ls")})
}

// rules: H6, X7
#[test]
fn servers_are_connected_when_a_hook_calls_them_and_end_with_the_session() {
    let hook = |server: &str| json!({"type": "mcp_tool", "server": server, "tool": "text"});
    let env = with_hook("PreToolUse", hook("ours"));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../becket-mcp/tests/servers/server.py");
    let servers =
        json!({"ours": {"command": "python3", "args": [script]}, "gone": {"command": "no-such-program"}});
    env.write("project/servers.json", json!({"mcpServers": servers}).to_string());
    let marker = Marker::new();
    let mut serving = on_stdio(&env, &["--mcp-config", "servers.json"], &[marker.env()]).initialized();
    let own = serving.child.id();
    let servers = || marker.alive().into_iter().filter(|id| is_server(*id)).count();
    let client = &mut serving.client;
    for session in ["one", "two"] {
        let more = json!({"hooks": {"PreToolUse": [{"hooks": [hook("gone")]}]}});
        client.opens(&env.project(), session, json!({"settings": more}));
    }
    assert_eq!(servers(), 0, "nobody has called them");
    for session in ["one", "one", "two"] {
        let fired = client.asks("event/fire", fire(session));
        let of = |source: &str| {
            fired["hooks"].as_array().expect("hooks").iter().find(|hook| hook["source"] == source)
        };
        assert_eq!(of("user").expect("it ran")["status"], "success", "{fired}");
        let failed = of("flag").expect("it ran")["failure"].as_str().unwrap_or_default();
        assert!(failed.contains("gone"), "{fired}");
    }
    assert_eq!(servers(), 2, "each session has its own");
    client.asks("session/close", json!({"session": "one"}));
    assert_eq!(servers(), 1);
    assert!(own > 0);
    assert_eq!(serving.ends(), Some(0));
    assert!(wait_until(|| marker.alive().is_empty()), "{:?}", marker.alive());
}

/// Returns true if a process is the server itself, and not its watcher.
fn is_server(id: u32) -> bool {
    let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let mut words = line.split(|byte| *byte == 0);
    words.next().is_some_and(|program| program.ends_with(b"python3") || program.ends_with(b"python"))
        && words.next().is_some_and(|script| script.ends_with(b"server.py"))
}

// rules: H6, C7
#[test]
fn a_file_that_cannot_be_used_keeps_sessions_from_being_opened() {
    let env = with_hook("PreToolUse", json!({"type": "mcp_tool", "server": "ours", "tool": "text"}));
    env.write("project/servers.json", "{");
    let mut serving = on_stdio(&env, &["--mcp-config", "servers.json"], &[]).initialized();
    let start = env.project().display().to_string();
    let open = |more: Value| {
        let mut params = json!({"start": start, "session": "s"});
        more.as_object().into_iter().flatten().for_each(|(name, value)| params[name] = value.clone());
        params
    };
    let refused = [
        (json!({}), "servers.json:1:"),
        (json!({"mcp_config": "none.json"}), "none.json` can't be read"),
        (json!({"mcp_servers": {}, "mcp_config": "none.json"}), "not both"),
    ];
    for (more, why) in refused {
        let (kind, told) = serving.client.fails("session/open", open(more));
        assert!(kind == "params" && told.contains(why), "{kind}: {told}");
    }
    // A session that names its own servers ignores that file.
    serving.client.asks("session/open", open(json!({"mcp_servers": {}})));
    let fired = serving.client.asks("event/fire", fire("s"));
    let hook = &fired["hooks"][0];
    assert!(hook["failure"].as_str().is_some_and(|why| why.contains("no MCP server `ours`")), "{fired}");
    assert_eq!(hook["unchecked"], true, "{fired}");
}

// rules: H6, X7
#[test]
fn servers_that_a_session_names_go_before_those_of_the_process() {
    let denial = json!({"hookEventName": "PreToolUse", "permissionDecision": "deny"});
    let input = json!({"hookSpecificOutput": denial});
    let env = with_hook(
        "PreToolUse",
        json!({"type": "mcp_tool", "server": "ours", "tool": "echo", "input": input, "onFailure": "block"}),
    );
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../becket-mcp/tests/servers/server.py");
    let named = |program: &str| json!({"ours": {"command": program, "args": [script, "--ignore-eof"]}});
    env.write("project/all.json", json!({"mcpServers": named("no-such-program")}).to_string());
    env.write("project/own.json", json!({"mcpServers": named("python3")}).to_string());
    let marker = Marker::new();
    let mut serving = on_stdio(&env, &["--mcp-config", "all.json"], &[marker.env()]).initialized();
    for (session, wants, decision) in [
        ("neither", json!({}), Value::Null),
        ("here", json!({"mcp_servers": named("python3")}), "deny".into()),
        ("file", json!({"mcp_config": "own.json"}), "deny".into()),
    ] {
        serving.client.opens(&env.project(), session, wants);
        let fired = serving.client.asks("event/fire", fire(session));
        assert_eq!(
            (&fired["result"], &fired["hooks"][0]["decision"]),
            (&json!("blocked"), &decision),
            "{fired}"
        );
        let is_missing =
            fired["verdict"]["reason"].as_str().is_some_and(|why| why.contains("no-such-program"));
        assert_eq!(is_missing, session == "neither", "{fired}");
    }
    assert_eq!(marker.alive().into_iter().filter(|id| is_server(*id)).count(), 2);
    serving.child.kill().expect("it lives");
    serving.child.wait().expect("it ends");
    marker.wait_for(0);
}
