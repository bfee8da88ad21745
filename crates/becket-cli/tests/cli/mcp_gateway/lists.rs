//! The servers and tools that are offered.

use super::agent::{Gateway, texts};
use super::{guarded, servers};
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};
use std::fs;
use std::sync::atomic::Ordering;

#[test]
fn tools_have_the_names_of_their_servers_and_all_else_is_as_it_was() {
    let env = guarded(&json!({"deny": ["mcp__notes__clear"]}), &json!({}));
    let agent = Gateway::of(&env).start();
    let tools = agent.tools();
    let add = tools.iter().find(|tool| tool["name"] == "notes__add").expect("a tool");
    assert_eq!(add["description"], "Adds a note.");
    assert_eq!(add["inputSchema"]["required"], json!(["text"]));
    assert_eq!(add["annotations"]["destructiveHint"], false);
    let names = agent.names();
    assert!(
        names.contains(&"s__echo".to_owned()) && !names.contains(&"notes__clear".to_owned()),
        "{names:?}"
    );
    drop(agent);
    let agent = Gateway::of(&env).arguments(&["--server", "notes"]).start();
    assert_eq!(agent.names(), ["notes__add"]);
}

#[test]
fn a_server_that_is_named_must_be_there() {
    let env = guarded(&json!({}), &json!({}));
    let own = json!({"own": {"command": "becket", "args": ["mcp", "gateway"]}});
    for (gateway, part) in [
        (Gateway::of(&env).arguments(&["--server", "note"]), "did you mean `notes`?"),
        (Gateway::of(&env).servers(own.clone()), "there is no MCP server to offer"),
        (Gateway::of(&env).servers(own).arguments(&["--server", "own"]), "it is a gateway itself"),
        (Gateway::of(&env).without_servers(), "there is no MCP server to offer"),
    ] {
        let ended = gateway.prepared().run();
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stderr.contains(part), "{ended:?}");
    }
    let ended = Gateway::of(&env).prepared().env("BECKET_MCP_GATEWAY", "1").run();
    assert!(ended.code == Some(1) && ended.stderr.contains("as a server of another one"), "{ended:?}");
}

// rule: X2
#[test]
fn a_slow_or_broken_server_holds_up_neither_the_list_nor_the_others() {
    let env = guarded(&json!({}), &json!({}));
    let mut all = servers(&env, &[]);
    all["mute"] = crate::mcp::server(&["--hang-initialize"]);
    all["dies"] = crate::mcp::server(&["--die"]);
    let agent = Gateway::of(&env).servers(all).arguments(&["--list-within", "2"]).start();
    // The list does not wait for the slow server; tools that come later are announced.
    assert!(wait_until(|| agent.names().contains(&"notes__add".to_owned())));
    assert_eq!(texts(&agent.call("s__text", &json!({}))), ["one", "two"]);
    assert!(wait_until(|| {
        let told = fs::read_to_string(env.root().join("stderr")).unwrap_or_default();
        told.contains("can't find my database") && told.contains("within 2 s")
    }));
}

// rule: X5
#[test]
fn a_server_that_grows_is_announced() {
    let env = guarded(&json!({}), &json!({}));
    let agent = Gateway::of(&env).start();
    assert!(!agent.names().contains(&"s__grown".to_owned()));
    let before = agent.heard.changes.load(Ordering::SeqCst);
    agent.call("s__grow", &json!({}));
    // An earlier change, such as the server's connection, may still be announced.
    let is_announced = || agent.heard.changes.load(Ordering::SeqCst) > before;
    assert!(wait_until(|| is_announced() && agent.names().contains(&"s__grown".to_owned())));
    assert_eq!(texts(&agent.call("s__grown", &json!({}))), ["I am new"]);
}

#[test]
fn progress_is_passed_on_with_the_token_of_its_call() {
    let env = guarded(&json!({}), &json!({}));
    let agent = Gateway::of(&env).servers(servers(&env, &["--progress"])).start();
    // The tool ends once its progress has arrived: notifications that arrive with the result may be dropped.
    let until = env.root().join("go");
    let steps = json!({"steps": 3, "until": until});
    agent.send_call_with("s__progress", &steps);
    assert!(wait_until(|| agent.heard.progress.lock().expect("a list").len() == 3));
    env.write("go", "");
    let mut heard = agent.heard.progress.lock().expect("a list").clone();
    heard.sort_by(|one, other| one.progress.total_cmp(&other.progress));
    let steps: Vec<(f64, Option<f64>)> = heard.iter().map(|told| (told.progress, told.total)).collect();
    assert_eq!(steps, [(1.0, Some(3.0)), (2.0, Some(3.0)), (3.0, Some(3.0))]);
    assert!(heard.windows(2).all(|pair| pair[0].progress_token == pair[1].progress_token));
    assert_eq!(heard[0].message, Some("step 1".to_owned()));
}

// rules: X1, X4
#[test]
fn servers_of_a_project_need_their_approval_here_as_well() {
    let env = guarded(&json!({}), &json!({}));
    let all: Value = json!({"mcpServers": servers(&env, &[])});
    env.write("project/.mcp.json", all.to_string());
    let ended = Gateway::of(&env).without_servers().prepared().run();
    assert!(ended.code == Some(1) && ended.stderr.contains("not approved"), "{ended:?}");
    let approved = env.becket(["mcp", "approve", "notes"]).run();
    assert_eq!(approved.code, Some(0), "{approved:?}");
    let agent = Gateway::of(&env).without_servers().start();
    assert_eq!(agent.names(), ["notes__add", "notes__clear"]);
}
