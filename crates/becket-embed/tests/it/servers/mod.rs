//! The MCP servers of sessions: read when a session is opened, connected when a hook calls them, ended with it.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod ends;
mod named;
mod place;

use place::{Place, denies, ours};
use serde_json::json;

// rule: H6
#[tokio::test(flavor = "multi_thread")]
async fn a_hook_denies_by_a_server_that_its_session_names() {
    let place = Place::new();
    let whole = json!({"mcpServers": {"ours": ours(&[])}});
    std::fs::write(place.project().join("servers.json"), whole.to_string()).expect("it can be written");
    for named in [
        json!({"mcp_servers": {"ours": ours(&[])}}),
        json!({"mcp_servers": whole}),
        json!({"mcp_config": "servers.json"}),
        json!({"mcp_config": place.project().join("servers.json")}),
    ] {
        let session = place.opened(&[denies("ours")], named.clone()).expect("it opens");
        assert_eq!(place.servers(), 0, "{named}: nobody has called them");
        let outcome = place.fired(&session).await;
        assert_eq!(
            (&outcome["result"], &outcome["verdict"]["reason"]),
            (&json!("blocked"), &json!("told so")),
            "{named}"
        );
        assert_eq!(place.servers(), 1);
        session.close().await;
        assert!(place.is_left_alone(), "{named}");
    }
}

// rules: H6, O10
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_missing_is_a_failure_by_name() {
    let place = Place::new();
    let broken =
        json!({"gone": {"command": "no-such-program"}, "odd": {"comand": "python3"}, "ours": ours(&[])});
    let cases = [
        ("gone", "`gone` is not connected: program `no-such-program` was not found"),
        ("odd", "there is no `command` (is `comand` meant to be it?)"),
        ("our", "there is no MCP server `our` (did you mean `ours`?)"),
    ];
    for (server, why) in cases {
        for blocks in [false, true] {
            let mut hook = denies(server);
            hook["onFailure"] = json!(if blocks { "block" } else { "continue" });
            let session = place.opened(&[hook], json!({"mcp_servers": broken})).expect("it opens");
            let outcome = place.fired(&session).await;
            let hook = &outcome["hooks"][0];
            assert!(hook["failure"].as_str().is_some_and(|told| told.contains(why)), "{outcome:#}");
            assert_eq!(hook["unchecked"], true);
            assert_eq!(outcome["result"], if blocks { "blocked" } else { "passed" }, "{server}");
            session.close().await;
        }
    }
}

// rule: H6
#[tokio::test(flavor = "multi_thread")]
async fn the_servers_of_a_session_are_no_others() {
    let place = Place::new();
    let mine =
        place.opened(&[denies("ours")], json!({"mcp_servers": {"ours": ours(&[])}})).expect("it opens");
    let theirs =
        place.opened(&[denies("ours")], json!({"mcp_servers": {"others": ours(&[])}})).expect("it opens");
    let neither = place.opened(&[denies("ours")], json!({})).expect("it opens");
    assert_eq!(place.fired(&mine).await["result"], "blocked");
    for (session, why) in
        [(&theirs, "there is no MCP server `ours`"), (&neither, "this host has no MCP servers")]
    {
        let outcome = place.fired(session).await;
        assert_eq!(outcome["result"], "passed");
        assert!(
            outcome["hooks"][0]["failure"].as_str().is_some_and(|failure| failure.contains(why)),
            "{outcome:#}"
        );
    }
    assert_eq!(place.servers(), 2, "each session has its own");
    mine.close().await;
    assert_eq!(place.servers(), 1, "and ends no others");
    theirs.close().await;
    neither.close().await;
    assert!(place.is_left_alone());
}

// rule: H6
#[tokio::test(flavor = "multi_thread")]
async fn servers_start_where_the_session_does_with_its_variables() {
    let place = Place::new();
    let mut server = ours(&[]);
    server["env"] = json!({"FILLED": "${GIVEN}", "KEPT": "${HOST}"});
    let wants = json!({"mcp_servers": {"ours": server}, "env": {"GIVEN": "by the session", "TAKEN": null}});
    let session = place.opened(&[denies("ours")], wants).expect("it opens");
    assert_eq!(place.fired(&session).await["result"], "blocked");
    let (variables, directory) = place.of_server();
    for (name, value) in [
        ("FILLED", Some("by the session")),
        ("GIVEN", Some("by the session")),
        ("KEPT", Some("the host's")),
        ("TAKEN", None),
    ] {
        assert_eq!(variables.get(name).map(String::as_str), value, "{name}");
    }
    assert_eq!(directory, place.project().canonicalize().expect("it is there"));
    session.close().await;
}
