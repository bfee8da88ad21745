//! Resources of MCP servers: for the model, and for the host.

use super::host::Host;
use super::place;
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};
use std::path::Path;

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

/// Returns a configuration with a server that offers resources, or none.
fn servers(offers: bool) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../becket-agent/tests/servers/resources.py");
    let mut arguments = vec![script.display().to_string()];
    arguments.extend(offers.then(|| "resources".to_owned()));
    json!({"mcpServers": {"notes": {"command": "python3", "args": arguments}}}).to_string()
}

fn tools(host: &mut Host) -> Vec<String> {
    let init = host.until(|line| line["subtype"] == "init");
    let names = init["tools"].as_array().expect("tools").iter().filter_map(Value::as_str);
    names.filter(|name| name.contains("McpResource")).map(str::to_owned).collect()
}

// rules: X8, P7
#[test]
fn a_model_lists_and_reads_resources_under_the_rules_for_files() {
    let read = |id: &str, uri: String| json!({"id": id, "name": "ReadMcpResourceTool", "input": {"server": "notes", "uri": uri}});
    let env = TestEnv::new(BECKET);
    let secret = format!("file://{}/secret", env.project().display());
    let turns = json!([
        {"tool_uses": [{"id": "t1", "name": "ListMcpResourcesTool", "input": {}}]},
        {"tool_uses": [read("t2", "note://1".to_owned())], "expect": ["note://1", "the first note"]},
        {"tool_uses": [read("t3", secret)], "expect": ["text of note://1"]},
        {"text": "Done.", "expect": ["denied"]}
    ]);
    env.write("home/.claude/settings.json", json!({"permissions": {"deny": ["Read(./secret)"]}}).to_string());
    env.write("project/script.json", json!({"turns": turns}).to_string());
    let mut host = Host::initialized(&env, &["--mcp-config", &servers(true)], json!({}));
    host.prompt("read");
    assert_eq!(tools(&mut host), ["ListMcpResourcesTool", "ReadMcpResourceTool"]);
    let result = host.result();
    assert_eq!(
        (&result["result"], &result["permission_denials"][0]["tool_use_id"]),
        (&json!("Done."), &json!("t3"))
    );
    assert_eq!(host.ends().0, Some(0));
}

// rule: X8
#[test]
fn the_tools_are_left_out_without_resources_and_by_their_names() {
    for (offers, more, kept) in [
        (false, &[][..], &[][..]),
        (true, &["--tools", "Read"], &[]),
        (true, &["--tools", "ReadMcpResourceTool"], &["ReadMcpResourceTool"]),
        (true, &["--disallowedTools", "ReadMcpResourceTool"], &["ListMcpResourcesTool"]),
    ] {
        let env = place(BECKET, &json!({}), &json!([{"text": "Hello."}]));
        let config = servers(offers);
        let mut host = Host::initialized(&env, &[&["--mcp-config", &config], more].concat(), json!({}));
        host.prompt("hi");
        assert_eq!(tools(&mut host), kept, "{offers} {more:?}");
    }
}

#[test]
fn a_host_reads_user_interfaces_and_nothing_else() {
    let env = place(BECKET, &json!({}), &json!([]));
    let mut host = Host::initialized(&env, &["--mcp-config", &servers(true)], json!({}));
    let answer = host.asks("mcp_read_resource", json!({"serverName": "notes", "uri": "ui://panel"}));
    let panel = json!({"uri": "ui://panel", "mimeType": "text/html", "text": "<p>hi</p>", "_meta": {"a": 1}});
    assert_eq!(answer["response"], json!({"contents": [panel]}), "{answer}");
    for (server, uri, said) in
        [("notes", "note://1", "not the address of a user interface"), ("none", "ui://panel", "`none`")]
    {
        let answer = host.asks("mcp_read_resource", json!({"serverName": server, "uri": uri}));
        assert!(answer["error"].as_str().is_some_and(|error| error.contains(said)), "{answer}");
    }
    assert_eq!(host.ends().0, Some(0));
}
