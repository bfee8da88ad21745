//! Plugins that a host has read again while the session is open.

use super::host::Host;
use super::wishes::server;
use super::{bash, place};
use becket_testkit::env::TestEnv;
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};
use std::fs;

const BECKET: &str = env!("CARGO_BIN_EXE_becket");
const HOOKS: &str = "plugin/hooks/hooks.json";
const AGENT: &str = "plugin/agents/helper.md";
const SERVERS: &str = "plugin/.mcp.json";

/// Creates a project, and a plugin `box` that contains nothing yet.
fn with_plugin(turns: &Value) -> (TestEnv, String) {
    let env = place(BECKET, &json!({"permissions": {"allow": ["Bash"]}}), turns);
    env.write("plugin/.claude-plugin/plugin.json", json!({"name": "box"}).to_string());
    let directory = env.root().join("plugin").display().to_string();
    (env, directory)
}

fn deny() -> String {
    let hook = json!({"type": "command", "command": "echo 'the box is closed' >&2; exit 2"});
    json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}).to_string()
}

fn remove(env: &TestEnv, file: &str) {
    fs::remove_file(env.root().join(file)).expect("it is there");
}

/// Lets the model call Bash; returns whether it was denied.
fn is_denied(host: &mut Host) -> bool {
    host.prompt("go");
    let result = host.result();
    result["permission_denials"].as_array().is_some_and(|all| !all.is_empty())
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(|one| one["name"].as_str()).collect()
}

// rules: C8, C9
#[test]
fn all_parts_of_a_plugin_are_read_again_and_a_failure_keeps_the_old_ones() {
    let calls = (0..5)
        .flat_map(|n| [json!({"tool_uses": [bash(&format!("t{n}"), "true")]}), json!({"text": "Done."})]);
    let (env, directory) = with_plugin(&calls.collect());
    let mut host = Host::initialized(&env, &["--plugin-dir", &directory], json!({}));
    assert!(!is_denied(&mut host));
    env.write(HOOKS, deny());
    env.write(AGENT, "---\nname: helper\ndescription: helps\n---\nHelp.");
    env.write("plugin/skills/tidy/SKILL.md", "---\nname: tidy\ndescription: tidies\n---\nTidy up.");
    env.write(SERVERS, json!({"mcpServers": {"echo": server()}}).to_string());
    assert!(!is_denied(&mut host), "nothing is read before the host requests it");
    let answer = host.asks("reload_plugins", json!({}));
    let response = &answer["response"];
    assert_eq!((&response["error_count"], &response["held"]), (&json!(0), &Value::Null), "{answer}");
    assert_eq!(names(&response["plugins"]), ["box"], "{answer}");
    assert!(names(&response["agents"]).contains(&"box:helper"), "{answer}");
    assert!(names(&response["commands"]).contains(&"box:tidy"), "{answer}");
    assert_eq!(response["mcpServers"][0]["name"], "plugin:box:echo", "{answer}");
    assert_eq!(response["mcpServers"][0]["status"], "connected", "{answer}");
    assert!(is_denied(&mut host));
    env.write(HOOKS, "{ not json");
    remove(&env, AGENT);
    let answer = host.asks("reload_plugins", json!({}));
    assert!(answer["error"].as_str().is_some_and(|why| why.contains("hooks.json")), "{answer}");
    assert!(is_denied(&mut host), "a file that can't be read takes no guard away");
    env.write(HOOKS, r#"{"hooks": {"PreToolUse": [{"matcher": "(", "hooks": [{"type": "command", "command": "exit 2"}]}]}}"#);
    let answer = host.asks("reload_plugins", json!({}));
    assert!(answer["error"].as_str().is_some_and(|why| why.contains("hooks.json")), "{answer}");
    assert!(is_denied(&mut host), "an entry that can't be loaded takes no guard away");
    env.write(HOOKS, r#"{"hooks": {}}"#);
    remove(&env, SERVERS);
    let answer = host.asks("reload_plugins", json!({}));
    let response = &answer["response"];
    assert!(!names(&response["agents"]).contains(&"box:helper"), "{answer}");
    assert_eq!(response["mcpServers"], json!([]), "{answer}");
    assert!(!is_denied(&mut host));
}

// rule: C9
#[test]
fn a_plugin_that_is_gone_keeps_its_guards() {
    let calls = [json!({"tool_uses": [bash("t1", "true")]}), json!({"text": "Done."})];
    let (env, directory) = with_plugin(&json!(calls));
    env.write(HOOKS, deny());
    let mut host = Host::initialized(&env, &["--plugin-dir", &directory], json!({}));
    fs::rename(env.root().join("plugin"), env.root().join("elsewhere")).expect("it is there");
    let answer = host.asks("reload_plugins", json!({}));
    assert!(answer["error"].as_str().is_some_and(|why| why.contains("can't be found")), "{answer}");
    assert!(is_denied(&mut host));
}

// rule: G3
#[test]
fn a_server_that_policy_denies_stays_disabled() {
    let (env, directory) = with_plugin(&json!([]));
    let policy = json!({"deniedMcpServers": [{"serverName": "plugin:box:echo"}]});
    env.write("managed/managed-settings.json", policy.to_string());
    let mut host = Host::initialized(&env, &["--plugin-dir", &directory], json!({}));
    env.write(SERVERS, json!({"mcpServers": {"echo": server()}}).to_string());
    let answer = host.asks("reload_plugins", json!({}));
    let servers = &answer["response"]["mcpServers"];
    let is_connected =
        servers.as_array().is_some_and(|all| all.iter().any(|one| one["status"] == "connected"));
    assert!(answer["subtype"] == "success" && !is_connected, "{answer}");
}

#[test]
fn a_reload_is_held_or_refused_on_request() {
    let turns = json!([
        {"text": "Hello."},
        {"tool_uses": [bash("t1", "touch started; until [ -e go ]; do sleep 0.02; done")]},
        {"text": "Done."},
    ]);
    let (env, directory) = with_plugin(&turns);
    let mut host = Host::initialized(&env, &["--plugin-dir", &directory], json!({}));
    env.write(SERVERS, json!({"mcpServers": {"echo": server()}}).to_string());
    host.prompt("hi");
    host.result();
    let holds = json!({"hold_on_cache_impact": true, "refuse_if_busy": true});
    let answer = host.asks("reload_plugins", holds.clone());
    let response = &answer["response"];
    assert_eq!(response["held"], true, "{answer}");
    let impact =
        json!({"mcp_servers_added": ["plugin:box:echo"], "mcp_servers_removed": [], "lsp_tool_change": null});
    assert_eq!((&response["cache_impact"], &response["mcpServers"]), (&impact, &json!([])), "{answer}");
    assert_eq!(host.asks("reload_plugins", json!({}))["response"]["mcpServers"][0]["status"], "connected");
    let answer = host.asks("reload_plugins", holds);
    assert_eq!(
        (&answer["response"]["held"], &answer["response"]["cache_impact"]),
        (&json!(false), &Value::Null)
    );
    host.prompt("wait");
    assert!(wait_until(|| env.project().join("started").exists()));
    let answer = host.asks("reload_plugins", json!({"refuse_if_busy": true}));
    assert_eq!(answer["error_code"], "reload_plugins_busy", "{answer}");
    assert_eq!(host.asks("reload_plugins", json!({}))["subtype"], "success", "it is served in a turn, too");
    env.write("project/go", "");
    host.result();
    let answer = host.asks("reload_plugins", json!({"add_plugins": [{"type": "local", "path": directory}]}));
    assert!(answer["error"].as_str().is_some_and(|why| why.contains("`add_plugins`")), "{answer}");
}

// rule: P14
#[test]
fn a_hook_that_was_added_is_not_edited_unasked() {
    let turns = json!([
        {"tool_uses": [{"id": "t1", "name": "Write", "input": {"file_path": "guard.sh", "content": "exit 0"}}]},
        {"text": "Done."},
    ]);
    let (env, directory) = with_plugin(&turns);
    env.write("project/guard.sh", "exit 2");
    let arguments = ["--plugin-dir", &directory, "--permission-mode", "acceptEdits"];
    let mut host = Host::initialized(&env, &arguments, json!({}));
    let hook = json!({"type": "command", "command": "sh guard.sh"});
    env.write(HOOKS, json!({"hooks": {"Notification": [{"hooks": [hook]}]}}).to_string());
    assert_eq!(host.asks("reload_plugins", json!({}))["subtype"], "success");
    assert!(is_denied(&mut host));
    assert_eq!(fs::read_to_string(env.project().join("guard.sh")).ok().as_deref(), Some("exit 2"));
}
