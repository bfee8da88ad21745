//! Servers that can't be used prevent a session from being opened.

use crate::servers::place::{Place, denies, ours};
use serde_json::{Value, json};

fn refused(place: &Place, named: Value) -> String {
    let opened = place.opened(&[denies("ours")], named.clone());
    opened.err().unwrap_or_else(|| panic!("it opens: {named}")).to_string()
}

// rule: H6
#[test]
fn servers_that_cannot_be_read_keep_a_session_from_being_opened() {
    let place = Place::new();
    let files = [
        ("broken.json", "{", "broken.json:1:1: EOF"),
        ("list.json", "[]", "list.json:1:1: the file is a list"),
        ("other.json", r#"{"mcpServer": {}}"#, "there is no `mcpServers` (is `mcpServer` meant to be it?)"),
        ("twice.json", r#"{"mcpServers": {}, "mcpServers": {}}"#, "`mcpServers` comes twice"),
    ];
    for (name, text, why) in files {
        std::fs::write(place.project().join(name), text).expect("it can be written");
        let error = refused(&place, json!({"mcp_config": name}));
        assert!(error.contains(why), "{name}: {error}");
    }
    let others = [
        (json!({"mcp_config": "none.json"}), "none.json` can't be read"),
        (json!({"mcp_config": "."}), "is a directory, not a file"),
        (json!({"mcp_servers": {"mcpServers": []}}), "`mcpServers` is a list"),
        (
            json!({"mcp_servers": {}, "mcp_config": "none.json"}),
            "give `mcp_servers` or `mcp_config`, not both",
        ),
    ];
    for (named, why) in others {
        let error = refused(&place, named.clone());
        assert!(error.contains(why), "{named}: {error}");
    }
}

// rules: C7, H6
#[test]
fn a_server_that_is_written_wrongly_is_an_error_where_errors_are_none_to_go_on_with() {
    let place = Place::new();
    let wrong = json!({"mcp_servers": {"ours": ours(&[]), "odd": {"command": "${NOT_SET}"}}});
    assert!(place.opened(&[denies("ours")], wrong.clone()).is_ok());
    let mut strict = wrong;
    strict["strict"] = true.into();
    let error = refused(&place, strict);
    assert!(
        error.contains("the MCP server `odd` can't be used") && error.contains("`NOT_SET` is not set"),
        "{error}"
    );
}

// rule: X2
#[test]
fn a_time_to_connect_that_is_none_is_refused() {
    for (given, is_time) in [("500", true), ("0", false), ("soon", false), ("", false)] {
        let place = Place::new().with_var("MCP_TIMEOUT", given);
        let opened = place.opened(&[denies("ours")], json!({"mcp_servers": {"ours": ours(&[])}}));
        assert_eq!(opened.is_ok(), is_time, "{given}");
        let is_refused = |why: String| why.contains(&format!("`MCP_TIMEOUT={given}` is not a valid time"));
        assert!(opened.err().is_none_or(|why| is_refused(why.to_string())));
        let without = place.opened(&[denies("ours")], json!({}));
        assert!(without.is_ok(), "it has no servers to connect");
    }
}
