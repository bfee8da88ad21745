use super::*;

fn calls(described: Value) -> Result<Vec<(String, Value)>, AcpError> {
    let mut call = ToolCall::default();
    call.update(&json!({"toolCallId": "t1"}));
    call.update(&described);
    let calls = call.calls("/p")?;
    Ok(calls.into_iter().map(|call| (call.tool, Value::Object(call.input))).collect())
}

#[track_caller]
fn assert_calls(described: Value, expected: &[(&str, Value)]) {
    let expected: Vec<(String, Value)> =
        expected.iter().map(|(tool, input)| ((*tool).to_owned(), input.clone())).collect();
    assert_eq!(calls(described.clone()), Ok(expected), "{described}");
}

#[test]
fn the_command_of_a_call_is_found_where_the_agent_puts_it() {
    let push = json!({"command": "git push --force"});
    for described in [
        json!({"kind": "execute", "rawInput": {"command": "git push --force", "description": "x"}}),
        json!({"kind": "execute", "rawInput": {"command": ["bash", "-lc", "git push --force"]}}),
        json!({"kind": "execute", "rawInput": {"command": ["git", "push", "--force"], "cwd": "/p"}}),
        json!({"kind": "execute", "title": "git push --force"}),
        json!({"kind": "execute", "title": "`git push --force`", "rawInput": {}}),
    ] {
        assert_calls(described, &[("Bash", push.clone())]);
    }
    let words = json!({"kind": "execute", "rawInput": {"command": ["printf", "it's $HOME"]}});
    assert_calls(words, &[("Bash", json!({"command": r"printf 'it'\''s $HOME'"}))]);
}

#[test]
fn each_changed_file_is_a_call() {
    let diff = |path: &str, old: Value, new: &str| json!({"type": "diff", "path": path, "oldText": old, "newText": new});
    let described = json!({"kind": "edit", "content": [
        diff("/p/a", Value::Null, "x"), diff("b", json!("y"), "z"), {"type": "content", "content": {"type": "text", "text": "why"}},
    ]});
    assert_calls(
        described,
        &[
            ("Write", json!({"file_path": "/p/a", "content": "x"})),
            ("Edit", json!({"file_path": "/p/b", "old_string": "y", "new_string": "z"})),
        ],
    );
    let written = json!({"kind": "edit", "rawInput": {"file_path": "c", "content": "x"}});
    assert_calls(written, &[("Write", json!({"file_path": "/p/c", "content": "x"}))]);
    let edit = json!({"file_path": "/d", "old_string": "", "new_string": ""});
    for kind in ["delete", "edit", "move"] {
        assert_calls(json!({"kind": kind, "locations": [{"path": "/d"}]}), &[("Edit", edit.clone())]);
    }
}

#[test]
fn other_kinds_have_their_tools() {
    for (described, tool, input) in [
        (json!({"kind": "read", "locations": [{"path": "a"}]}), "Read", json!({"file_path": "/p/a"})),
        (json!({"kind": "fetch", "rawInput": {"url": "http://x"}}), "WebFetch", json!({"url": "http://x"})),
        (json!({"kind": "search", "rawInput": {"pattern": "x"}}), "Grep", json!({"pattern": "x"})),
        (json!({"kind": "think", "title": "Task", "rawInput": {"a": 1}}), "Task", json!({"a": 1})),
        (json!({"kind": "new_kind", "name": "teleport", "title": "Beam"}), "teleport", json!({})),
        (json!({"title": "x", "_meta": {"agent": {"toolName": "Deploy"}}}), "Deploy", json!({})),
    ] {
        assert_calls(described, &[(tool, input)]);
    }
}

#[test]
fn tools_of_servers_have_their_names() {
    for (described, expected) in [
        (json!({"kind": "execute", "name": "mcp__a__b", "rawInput": {"x": 1}}), &["mcp__a__b"][..]),
        (json!({"rawInput": {"server": "a", "tool": "b", "arguments": {"x": 1}}}), &["mcp__a__b"]),
        (json!({"name": "mcp_a_b_c", "rawInput": {"x": 1}}), &["mcp__a__b_c", "mcp__a_b__c"]),
        (
            json!({"toolCallId": "mcp_a_b-1790000000000-1", "title": "b", "rawInput": {"x": 1}}),
            &["mcp__a__b"],
        ),
    ] {
        let expected: Vec<(&str, Value)> = expected.iter().map(|name| (*name, json!({"x": 1}))).collect();
        assert_calls(described, &expected);
    }
}

#[test]
fn a_call_that_does_not_say_what_it_does_is_an_error() {
    for described in [
        json!({"kind": "execute"}),
        json!({"kind": "execute", "title": " ", "rawInput": {"command": 5}}),
        json!({"kind": "edit", "title": "edit"}),
        json!({"kind": "edit", "content": [{"type": "diff", "newText": "x"}]}),
        json!({"kind": "edit", "content": [{"type": "diff", "path": "a"}]}),
        json!({"kind": "read", "title": "a"}),
        json!({"kind": "other"}),
        json!({"kind": "execute", "toolCallId": "", "title": "ls"}),
    ] {
        assert!(calls(described.clone()).is_err(), "{described}");
    }
}

#[test]
fn later_descriptions_add_to_earlier_ones() {
    let mut call = ToolCall::default();
    call.update(
        &json!({"toolCallId": "t", "kind": "execute", "title": "ls", "rawInput": {"command": "ls -l"}}),
    );
    call.update(&json!({"toolCallId": "t", "status": "completed", "kind": null, "content": [{"type": "content", "content": {"type": "text", "text": "a"}}]}));
    assert_eq!(call.calls("/p").map(|calls| calls[0].input["command"].clone()), Ok(json!("ls -l")));
    assert_eq!((call.status(), call.shown_text().as_str()), (Some("completed"), "a"));
    assert_eq!(call.response()[0]["type"], "content");
    call.update(&json!({"rawOutput": {"exit": 0}}));
    assert_eq!(call.response(), json!({"exit": 0}));
}

#[test]
fn requests_of_an_agent_are_calls() {
    let read = |method: &str, params: Value| effect_call(method, params.as_object().expect("an object"), "1");
    let tool = |call: Result<Option<AcpCall>, AcpError>| {
        call.map(|call| call.map(|call| (call.tool, Value::Object(call.input))))
    };
    let written = read("fs/write_text_file", json!({"sessionId": "s", "path": "/a", "content": "x"}));
    let expected = json!({"file_path": "/a", "content": "x"});
    assert_eq!(tool(written), Ok(Some(("Write".to_owned(), expected))));
    for (params, line) in [
        (json!({"command": "git", "args": ["push", "--force", "a b"]}), "git push --force 'a b'"),
        (json!({"command": "/bin/sh", "args": ["-c", "git push"]}), "git push"),
        (json!({"command": "git push && ls"}), "git push && ls"),
    ] {
        let expected = json!({ "command": line });
        assert_eq!(tool(read("terminal/create", params)), Ok(Some(("Bash".to_owned(), expected))));
    }
    assert_eq!(read("terminal/output", json!({})), Ok(None));
    for (method, params) in [
        ("fs/write_text_file", json!({"path": "/a"})),
        ("fs/read_text_file", json!({"path": 5})),
        ("terminal/create", json!({"args": []})),
        ("terminal/create", json!({"command": "a", "args": [1]})),
    ] {
        assert!(read(method, params).is_err(), "{method}");
    }
}
