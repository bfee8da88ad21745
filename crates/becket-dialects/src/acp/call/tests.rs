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
        json!({"kind": "execute", "rawInput": {"command": ["git", "push", "--force"], "cwd": "/p"}}),
        json!({"kind": "execute", "rawInput": "git push --force"}),
        json!({"kind": "execute", "title": "git push --force"}),
        json!({"kind": "execute", "title": "`git push --force`", "rawInput": {}}),
    ] {
        assert_calls(described, &[("Bash", push.clone())]);
    }
    // Rules look into the scripts of shells; other programs have names and options that resemble them.
    for (words, line) in [
        (json!(["bash", "-lc", "git push"]), "bash -lc 'git push'"),
        (json!(["./deploy.sh", "-c", "true"]), "./deploy.sh -c true"),
        (json!(["bash", "--norc", "x.sh"]), "bash --norc x.sh"),
        (json!(["printf", "it's $HOME"]), r"printf 'it'\''s $HOME'"),
    ] {
        let words = json!({"kind": "execute", "rawInput": {"command": words}});
        assert_calls(words, &[("Bash", json!({"command": line}))]);
    }
}

/// Returns each call as its tool and the value that decides.
fn meanings(described: &Value) -> Vec<String> {
    let calls = calls(described.clone()).unwrap_or_else(|error| panic!("{error}: {described}"));
    let subject = |input: &Value| {
        ["command", "file_path", "url", "path"].iter().find_map(|key| input[*key].as_str().map(str::to_owned))
    };
    calls.iter().map(|(tool, input)| format!("{tool} {}", subject(input).unwrap_or_default())).collect()
}

#[test]
fn no_key_of_an_input_takes_another_meaning_away() {
    let server = json!({"server": "notes", "tool": "read"});
    let with_server = |mut input: Value| {
        input.as_object_mut().expect("an object").extend(server.as_object().expect("an object").clone());
        input
    };
    let diff = json!([{"type": "diff", "path": "/s", "oldText": "a", "newText": "b"}]);
    let at = |paths: &[&str]| paths.iter().map(|path| json!({"path": path})).collect::<Value>();
    for (described, expected) in [
        (json!({"kind": "execute", "rawInput": with_server(json!({"command": "rm"}))}), &["Bash rm"][..]),
        (json!({"kind": "execute", "title": "rm", "rawInput": server}), &["Bash rm"]),
        (json!({"kind": "execute", "name": "mcp__a__b", "rawInput": {"command": "rm"}}), &["Bash rm"]),
        (json!({"kind": "read", "rawInput": with_server(json!({"path": "/s"}))}), &["Read /s"]),
        (json!({"kind": "edit", "rawInput": server, "content": diff}), &["Edit /s"]),
        (json!({"rawInput": with_server(json!({"command": "rm"}))}), &["Bash rm"]),
        (json!({"title": "Deploy now", "rawInput": server}), &["Deploy now "]),
        (json!({"title": "read", "rawInput": with_server(json!({"x": 1}))}), &["read "]),
        (json!({"kind": "execute", "rawInput": {"cmd": "rm", "command": "ls"}}), &["Bash rm", "Bash ls"]),
        (
            json!({"kind": "execute", "rawInput": {"command": "rm", "args": ["-rf", "x"]}}),
            &["Bash rm", "Bash rm -rf x"],
        ),
        (json!({"kind": "execute", "rawInput": {"command": "rm", "args": "-rf x"}}), &["Bash rm -rf x"]),
        (
            json!({"kind": "execute", "rawInput": {"commands": ["ls", {"command": "rm"}]}}),
            &["Bash ls", "Bash rm"],
        ),
        (
            json!({"kind": "read", "rawInput": {"absolute_path": "/s", "file_path": "a"}}),
            &["Read /s", "Read /p/a"],
        ),
        (json!({"kind": "read", "rawInput": {"files": ["/s", {"path": "a"}]}}), &["Read /s", "Read /p/a"]),
        (json!({"kind": "edit", "content": diff, "locations": at(&["/t"])}), &["Edit /s", "Edit /t"]),
        (json!({"kind": "edit", "rawInput": {"edits": [{"file_path": "a"}]}}), &["Edit /p/a"]),
        (json!({"kind": "move", "rawInput": {"path": "a", "destination": "/s"}}), &["Edit /p/a", "Edit /s"]),
        (json!({"kind": "search", "locations": at(&["/p", "/s"])}), &["Grep /p", "Grep /s"]),
        (
            json!({"kind": "fetch", "rawInput": {"url": "http://a", "uri": "http://b"}}),
            &["WebFetch http://a", "WebFetch http://b"],
        ),
        (
            json!({"kind": "fetch", "title": "x", "rawInput": {"prompt": "read http://b"}}),
            &["WebFetch http://b"],
        ),
    ] {
        let all = meanings(&described);
        for meaning in expected {
            assert!(all.iter().any(|found| found == meaning), "{described}: {all:?}");
        }
    }
    // A search that is over reports what it has found.
    let over = json!({"kind": "search", "status": "completed", "locations": at(&["/p", "/s"])});
    assert_eq!(meanings(&over), ["Grep /p"]);
}

#[test]
fn a_command_is_judged_in_each_directory_where_it_may_run() {
    let directories = |input: Value| {
        let mut call = ToolCall::default();
        call.update(&json!({"toolCallId": "t1", "kind": "execute", "rawInput": input}));
        call.calls("/p").map(|calls| calls.into_iter().map(|call| call.directory).collect::<Vec<_>>())
    };
    let there = || Some("/s".to_owned());
    assert_eq!(directories(json!({"command": "cat key"})), Ok(vec![None]));
    for key in ["cwd", "workdir", "directory"] {
        assert_eq!(directories(json!({"command": "cat key", key: "/s"})), Ok(vec![None, there()]));
        assert!(directories(json!({"command": "cat key", key: 7})).is_err());
    }
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
        (
            json!({"title": "Tool: a/b", "rawInput": {"server": "a", "tool": "b", "arguments": {"x": 1}}}),
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
        json!({"kind": "execute", "rawInput": {"command": "ls", "cmd": {"x": "rm"}}}),
        json!({"kind": "execute", "rawInput": {"command": ["ls", 5]}}),
        json!({"kind": "read", "rawInput": {"path": "file:///s"}}),
        json!({"kind": "read", "locations": [{"path": "FILE:/s"}]}),
        json!({"kind": "read", "rawInput": {"path": "a"}, "locations": [{"path": "ssh://h/s"}]}),
        json!({"kind": "read", "locations": (0..1001).map(|n| json!({"path": n.to_string()})).collect::<Value>()}),
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

fn effects(method: &str, params: Value) -> Result<Option<Vec<AcpCall>>, AcpError> {
    effect_call(method, params.as_object().expect("an object"), "1", "/p")
}

#[test]
fn requests_of_an_agent_are_calls() {
    let written = effects("fs/write_text_file", json!({"sessionId": "s", "path": "/a", "content": "x"}));
    let written = written.expect("it is read").expect("a call");
    let expected = json!({"file_path": "/a", "content": "x"});
    assert_eq!((written[0].tool.as_str(), json!(written[0].input)), ("Write", expected));
    let line = |path| json!({"name": "PATH", "value": path});
    let marked = json!([{"name": "CLAUDECODE", "value": "1"}]);
    for (params, lines, directory) in [
        (json!({"command": "git", "args": ["push", "a b"]}), &["git push 'a b'"][..], None),
        (json!({"command": "/bin/sh", "args": ["-c", "git push"]}), &["/bin/sh -c 'git push'"], None),
        (json!({"command": "./deploy.sh", "args": ["-c", "true"]}), &["./deploy.sh -c true"], None),
        (json!({"command": "git push && ls", "cwd": "/p", "env": marked}), &["git push && ls"], None),
        (json!({"command": "cat", "args": ["key"], "cwd": "/s"}), &["cat key"], Some("/s")),
        (json!({"command": "cat", "cwd": "s"}), &["cat"], Some("/p/s")),
        (json!({"command": "x", "env": [line("/a b")]}), &["x", "export PATH='/a b'; x"], None),
    ] {
        let calls = effects("terminal/create", params.clone()).expect("it is read").expect("calls");
        let found: Vec<&str> = calls.iter().filter_map(|call| call.input["command"].as_str()).collect();
        assert_eq!(found, lines, "{params}");
        assert!(calls.iter().all(|call| call.tool == "Bash" && call.directory.as_deref() == directory));
    }
    assert_eq!(effects("terminal/output", json!({})), Ok(None));
    for (method, params) in [
        ("fs/write_text_file", json!({"path": "/a"})),
        ("fs/read_text_file", json!({"path": 5})),
        ("fs/read_text_file", json!({"path": "file:///s"})),
        ("fs/write_text_file", json!({"path": "File:/s", "content": ""})),
        ("terminal/create", json!({"args": []})),
        ("terminal/create", json!({"command": "a", "args": [1]})),
        ("terminal/create", json!({"command": "a", "cwd": 1})),
        ("terminal/create", json!({"command": "a", "env": {"A": "b"}})),
        ("terminal/create", json!({"command": "a", "env": [{"name": "A b", "value": "c"}]})),
    ] {
        assert!(effects(method, params).is_err(), "{method}");
    }
}

#[test]
fn parts_belong_to_the_call_that_the_agent_names() {
    let of =
        |id: &str| AcpCall { tool: String::new(), input: Map::new(), id: id.to_owned(), directory: None };
    for (part, is_part) in [("c1", true), ("c1#2", true), ("c12", false), ("c1#x", false), ("c", false)] {
        assert_eq!(of(part).is_part_of("c1"), is_part, "{part}");
    }
}

/// Returns the tools and the command, file or address of the calls that descriptions stand for.
fn subjects(descriptions: &[Value]) -> Result<Vec<String>, AcpError> {
    let mut call = ToolCall::default();
    descriptions.iter().for_each(|described| call.update(described));
    let keys = ["command", "file_path", "url"];
    let subject =
        |call: &AcpCall| keys.iter().find_map(|key| call.input.get(*key)?.as_str().map(str::to_owned));
    let calls = call.calls("/p")?.into_iter();
    Ok(calls.map(|call| format!("{} {}", call.tool, subject(&call).unwrap_or_default())).collect())
}

#[test]
fn an_empty_input_takes_no_description_back() {
    let described = json!({"toolCallId": "t", "kind": "execute", "rawInput": {"command": "rm -rf x"}});
    let asked =
        json!({"toolCallId": "t", "kind": "execute", "title": "bash", "rawInput": {}, "locations": []});
    assert_eq!(subjects(&[described, asked]), Ok(vec!["Bash rm -rf x".to_owned()]));
}

#[test]
fn a_call_of_every_kind_is_its_commands_too() {
    let call = json!({
        "toolCallId": "t", "kind": "read", "title": "Read a", "locations": [{"path": "/p/a"}],
        "rawInput": {"command": ["bash", "-lc", "make && cat a"]},
    });
    assert_eq!(
        subjects(&[call]),
        Ok(vec!["Read /p/a".to_owned(), "Bash bash -lc 'make && cat a'".to_owned()])
    );
}

#[test]
fn a_move_has_its_source_in_the_key_of_a_change() {
    let call = json!({
        "toolCallId": "t", "kind": "edit", "title": "Edit",
        "rawInput": {"changes": {"/p/private/key": {"type": "update", "move_path": "/p/out"}}},
    });
    assert_eq!(subjects(&[call]), Ok(vec!["Edit /p/private/key".to_owned(), "Edit /p/out".to_owned()]));
}

#[test]
fn addresses_that_can_t_be_read_and_too_many_calls_are_errors() {
    let fetch = |input: Value| {
        subjects(&[json!({"toolCallId": "t", "kind": "fetch", "title": "a page", "rawInput": input})])
    };
    assert_eq!(
        fetch(json!({"urls": ["https://a.example"]})),
        Ok(vec!["WebFetch https://a.example".to_owned()])
    );
    assert!(matches!(fetch(json!({"urls": [{"url": "https://a.example"}]})), Err(AcpError::Vague { .. })));
    let prompt: String = (0..1001).map(|nth| format!("https://{nth}.example ")).collect();
    assert_eq!(fetch(json!({"prompt": prompt})), Err(AcpError::TooMany));
    let paths: Vec<String> = (0..1001).map(|nth| format!("/p/{nth}")).collect();
    let read = json!({"toolCallId": "t", "kind": "read", "rawInput": {"paths": paths}});
    assert_eq!(subjects(&[read]), Err(AcpError::TooMany));
}
