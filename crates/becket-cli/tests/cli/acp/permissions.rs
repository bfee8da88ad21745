//! Calls for which the agent asks, and those that it leaves to the editor.

use super::editor::Editor;
use super::{deciding, guarded, hook};
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};

/// Returns the parameters of a permission request for a command.
fn command(line: &str) -> Value {
    json!({
        "sessionId": "s1",
        "toolCall": {"toolCallId": "t1", "title": line, "kind": "execute", "rawInput": {"command": line}},
        "options": [
            {"optionId": "always", "name": "Always", "kind": "allow_always"},
            {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
            {"optionId": "no", "name": "Reject", "kind": "reject_once"},
        ],
    })
}

/// Returns the line of a prompt that has the agent ask and wait.
fn ask(id: &str, method: &str, params: &Value) -> String {
    format!("ask {}", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

fn selected(option: &str) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": option}})
}

// rules: D1, D8
#[test]
fn a_denial_selects_the_option_that_rejects_and_the_user_is_not_asked() {
    let none = json!({});
    let exit = hook("PreToolUse", "Bash", "echo 'not on a Friday' >&2; exit 2");
    let request = "cat >/dev/null; echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PermissionRequest\", \"decision\": {\"behavior\": \"deny\", \"message\": \"not on a Friday\"}}}'";
    let rewrite = "cat >/dev/null; echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"updatedInput\": {\"command\": \"git push\"}}}'";
    for (rules, hooks, reason) in [
        (&none, exit, "not on a Friday"),
        (&none, hook("PreToolUse", "Bash", &deciding("deny", "not on a Friday")), "not on a Friday"),
        (&none, hook("PermissionRequest", "Bash", request), "not on a Friday"),
        (&none, hook("PreToolUse", "Bash", rewrite), r#"make this one instead: {"command":"git push"}"#),
        (&json!({"deny": ["Bash(git push --force:*)"]}), none.clone(), "Bash(git push --force:*)"),
    ] {
        let env = guarded(rules, &hooks);
        let mut editor = Editor::start(&env);
        editor.answers = Some("allow_once");
        let answer = editor.agent_asks("session/request_permission", &command("git push --force origin"));
        assert_eq!(answer, selected("no"), "{hooks}");
        assert!(editor.requests.is_empty(), "{hooks}");
        let shown = editor.updates.iter().find(|update| update["toolCallId"] == "t1").expect("a call");
        let text = shown["content"][0]["content"]["text"].as_str().expect("a text");
        assert!(shown["status"] == "failed" && text.contains(reason), "{shown}");
        // The model reads the reason with the next prompt.
        editor.prompt("go on");
        assert!(editor.said().iter().any(|text| text.contains("was not allowed")), "{:?}", editor.said());
    }
}

// rules: D2, D8
#[test]
fn only_a_hook_or_a_rule_allows_without_the_user() {
    let none = json!({});
    let request = "cat >/dev/null; echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PermissionRequest\", \"decision\": {\"behavior\": \"allow\"}}}'";
    for (rules, hooks) in [
        (&none, hook("PreToolUse", "Bash", &deciding("allow", "it is fine"))),
        (&none, hook("PermissionRequest", "Bash", request)),
        (&json!({"allow": ["Bash(make:*)"]}), none.clone()),
    ] {
        let env = guarded(rules, &hooks);
        let mut editor = Editor::start(&env);
        let answer = editor.agent_asks("session/request_permission", &command("make all"));
        assert_eq!((answer, editor.requests.len()), (selected("yes"), 0), "{hooks}");
    }
    // No hook or rule decides: the user does, and the request is unchanged.
    for (answers, option) in [(Some("allow_always"), "always"), (Some("reject_once"), "no")] {
        let env = guarded(&none, &none);
        let mut editor = Editor::start(&env);
        editor.answers = answers;
        let answer = editor.agent_asks("session/request_permission", &command("make all"));
        assert_eq!(answer, selected(option));
        let (_, line) = &editor.requests[0];
        let sent = json!({"jsonrpc": "2.0", "id": "a1", "method": "session/request_permission", "params": command("make all")});
        assert_eq!(*line, sent.to_string());
    }
}

// rule: D3
#[test]
fn an_ask_is_the_users_to_answer_and_says_why() {
    let asking = hook("PreToolUse", "Bash", &deciding("ask", "is that so?"));
    let allows = hook(
        "PermissionRequest",
        "Bash",
        "cat >/dev/null; echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PermissionRequest\", \"decision\": {\"behavior\": \"allow\"}}}'",
    );
    let mut hooks = asking.clone();
    hooks["PermissionRequest"] = allows["PermissionRequest"].clone();
    for (rules, hooks) in [(json!({}), hooks), (json!({"ask": ["Bash(make:*)"]}), json!({}))] {
        let env = guarded(&rules, &hooks);
        let mut editor = Editor::start(&env);
        editor.answers = Some("reject_once");
        assert_eq!(editor.agent_asks("session/request_permission", &command("make all")), selected("no"));
        let (request, _) = &editor.requests[0];
        let content = request["params"]["toolCall"]["content"][0]["content"]["text"].as_str();
        assert!(content.is_some_and(|text| text.starts_with("A hook asks: ")), "{request}");
    }
}

// rules: D2, P1
#[test]
fn no_key_that_a_model_adds_to_an_input_loses_a_denial() {
    let rules = json!({
        "deny": ["Bash(rm:*)", "Edit(./private/**)", "Read(./private/**)"],
        "allow": ["mcp__notes__read", "Bash(ls)"],
    });
    let env = guarded(&rules, &json!({}));
    let mut editor = Editor::start(&env);
    let private = env.project().join("private/key");
    let mut answer = |kind: &str, input: Value| {
        let mut params = command("x");
        params["toolCall"] = json!({"toolCallId": "t1", "title": "x", "kind": kind, "rawInput": input});
        editor.agent_asks("session/request_permission", &params)
    };
    let server = ("notes", "read");
    for (kind, input) in [
        ("execute", json!({"command": "rm x", "server": server.0, "tool": server.1})),
        ("execute", json!({"command": "ls", "cmd": "rm x"})),
        ("execute", json!({"command": "rm", "args": ["x"]})),
        ("execute", json!({"command": "cat key", "workdir": env.project().join("private")})),
        ("other", json!({"command": "rm x", "server": server.0, "tool": server.1})),
        ("read", json!({"absolute_path": private, "server": server.0, "tool": server.1})),
        ("read", json!({"absolute_path": private, "file_path": "a"})),
        ("edit", json!({"file_path": private, "server": server.0, "tool": server.1})),
        ("move", json!({"path": "a", "destination": private})),
    ] {
        assert_eq!(answer(kind, input.clone()), selected("no"), "{kind} {input}");
    }
    // An allow covers every meaning, or the user is asked; here the user says nothing.
    let nobody = json!({"outcome": {"outcome": "cancelled"}});
    assert_eq!(
        answer("other", json!({"server": "notes", "tool": "read"})),
        nobody,
        "the title is not explained"
    );
    let noted = json!({"toolCallId": "t1", "kind": "other", "title": "notes/read", "rawInput": {"server": "notes", "tool": "read"}});
    assert_eq!(answer("execute", json!({"command": "ls"})), selected("yes"));
    assert_eq!(answer("execute", json!({"command": "ls", "cmd": "make"})), nobody);
    let mut params = command("x");
    params["toolCall"] = noted;
    assert_eq!(editor.agent_asks("session/request_permission", &params), selected("yes"));
}

// rules: P6, P7
#[test]
fn a_command_is_judged_in_its_directory_and_with_its_environment() {
    let env =
        guarded(&json!({"deny": ["Bash(rm:*)", "Bash(./deploy.sh:*)", "Read(./private/**)"]}), &json!({}));
    let mut editor = Editor::start(&env);
    let private = env.project().join("private");
    let editing = json!([{"name": "GIT_EDITOR", "value": "rm x"}]);
    for (params, passes) in [
        (json!({"sessionId": "s1", "command": "cat", "args": ["key"], "cwd": private}), false),
        (json!({"sessionId": "s1", "command": "cat", "args": ["key"], "cwd": env.project()}), true),
        (json!({"sessionId": "s1", "command": "git", "args": ["commit"], "env": editing}), false),
        (json!({"sessionId": "s1", "command": "git", "args": ["commit"]}), true),
        (json!({"sessionId": "s1", "command": "./deploy.sh", "args": ["-c", "true"]}), false),
        (json!({"sessionId": "s1", "command": "bash", "args": ["-c", "rm x"]}), false),
    ] {
        let answer = editor.agent_asks("terminal/create", &params);
        assert_eq!(answer == json!({}), passes, "{params}: {answer}");
    }
    let url = format!("file://{}", private.join("key").display());
    let answer = editor.agent_asks("fs/read_text_file", &json!({"sessionId": "s1", "path": url}));
    assert_eq!(answer["code"], -32602, "{answer}");
}

#[test]
fn every_file_of_a_call_is_judged() {
    let guard = hook(
        "PreToolUse",
        "Write|Edit",
        "grep -q '\"file_path\":\"[^\"]*/vendor/' && { echo 'vendored' >&2; exit 2; }; exit 0",
    );
    let env = guarded(&json!({}), &guard);
    let mut editor = Editor::start(&env);
    editor.answers = Some("allow_once");
    let mut change = |paths: &[&str]| {
        let mut params = command("edit");
        let diff = |path: &&str| json!({"type": "diff", "path": path, "oldText": "a", "newText": "b"});
        params["toolCall"] = json!({"toolCallId": "t2", "kind": "edit", "title": "edit", "content": paths.iter().map(diff).collect::<Vec<_>>()});
        editor.agent_asks("session/request_permission", &params)
    };
    assert_eq!(change(&["src/a", "vendor/b"]), selected("no"));
    assert_eq!(change(&["src/a", "src/b"]), selected("yes"));
}

#[test]
fn what_an_agent_leaves_to_the_editor_is_held_whatever_its_mode_is() {
    let mut hooks = hook(
        "PreToolUse",
        "Bash",
        "grep -q 'push --force' && { echo 'not on a Friday' >&2; exit 2; }; exit 0",
    );
    hooks["PreToolUse"].as_array_mut().expect("groups").push(json!({"matcher": "Write", "hooks": [{"type": "command", "command": "grep -q secret && { echo 'a secret' >&2; exit 2; }; exit 0"}]}));
    let env = guarded(&json!({"deny": ["Read(./private/**)"], "ask": ["Bash(make:*)"]}), &hooks);
    let mut editor = Editor::start(&env);
    let private = env.project().join("private/key");
    for (method, params, reason) in [
        (
            "terminal/create",
            json!({"sessionId": "s1", "command": "git", "args": ["push", "--force"]}),
            "not on a Friday",
        ),
        ("fs/write_text_file", json!({"sessionId": "s1", "path": "/x", "content": "a secret"}), "a secret"),
        ("fs/read_text_file", json!({"sessionId": "s1", "path": private}), "Read(./private/**)"),
        ("terminal/create", json!({"sessionId": "s1", "command": "make"}), "the user said no"),
    ] {
        let answer = editor.agent_asks(method, &params);
        let message = answer["message"].as_str().unwrap_or_default();
        assert!(answer["code"] == -32000 && message.contains(reason), "{method}: {answer}");
    }
    let asked: Vec<&str> =
        editor.requests.iter().filter_map(|(request, _)| request["method"].as_str()).collect();
    assert_eq!(asked, ["session/request_permission"], "only the ask reached the editor");
    // An approval of the user, or an earlier one, lets it pass.
    editor.answers = Some("allow_once");
    let make = json!({"sessionId": "s1", "command": "make", "args": ["all"]});
    assert_eq!(editor.agent_asks("terminal/create", &make), json!({}));
    let asked = |editor: &Editor| {
        let all = editor.requests.iter().map(|(request, _)| &request["method"]);
        all.filter(|method| *method == "session/request_permission").count()
    };
    let before = asked(&editor);
    let once =
        [ask("a1", "session/request_permission", &command("make all")), ask("a2", "terminal/create", &make)];
    editor.prompt(&once.join("\n"));
    assert_eq!(asked(&editor), before + 1, "the yes holds for the command too");
    editor.prompt(&[once[0].clone(), once[1].clone(), once[1].clone()].join("\n"));
    assert_eq!(asked(&editor), before + 3, "the yes held once");
    let done = json!({"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "completed"});
    let done =
        json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": done}});
    editor.prompt(&[once[0].clone(), done.to_string(), once[1].clone()].join("\n"));
    assert_eq!(asked(&editor), before + 5, "the yes ended with its call");
    editor.prompt(&once[0]);
    editor.prompt(&once[1]);
    assert_eq!(asked(&editor), before + 7, "the yes ended with its turn");
    let elsewhere = json!({"sessionId": "s1", "command": "make", "args": ["all"], "cwd": "/"});
    editor.prompt(&[once[0].clone(), ask("a2", "terminal/create", &elsewhere)].join("\n"));
    assert_eq!(asked(&editor), before + 9, "the yes was for another directory");
    let plain = json!({"sessionId": "s1", "path": "/x", "content": "plain", "_meta": {"a": [1.50]}});
    assert_eq!(editor.agent_asks("fs/write_text_file", &plain), json!({}));
    let (_, line) = editor.requests.last().expect("a request");
    assert!(line.contains("\"_meta\":{\"a\":[1.5]}"), "{line}");
}

#[test]
fn what_cant_be_read_is_refused_and_never_passed_on() {
    let env = guarded(&json!({}), &json!({}));
    let mut editor = Editor::start(&env);
    editor.answers = Some("allow_once");
    let mut vague = command("x");
    vague["toolCall"] = json!({"toolCallId": "t", "kind": "edit", "title": "edit"});
    let mut no_id = command("x");
    no_id["toolCall"] = json!({"kind": "execute", "title": "x"});
    let mut other = command("x");
    other["sessionId"] = json!("nobody's");
    let mut no_options = command("x");
    no_options["options"] = json!("none");
    for params in [vague, no_id, other, no_options, json!({}), json!([])] {
        let answer = editor.agent_asks("session/request_permission", &params);
        assert_eq!(answer["code"], -32602, "{params}: {answer}");
    }
    for params in [
        json!({"sessionId": "s1"}),
        json!({"path": "/x", "content": ""}),
        json!({"sessionId": "s1", "path": 5, "content": ""}),
    ] {
        assert_eq!(editor.agent_asks("fs/write_text_file", &params)["code"], -32602, "{params}");
    }
    // Two parsers could read two different calls.
    let twice = r#"{"jsonrpc":"2.0","id":"a1","method":"terminal/create","params":{"sessionId":"s1","command":"ls","command":"rm"}}"#;
    editor.prompt(&format!("ask {twice}"));
    assert!(editor.said().iter().any(|text| text.contains("`command` occurs twice")), "{:?}", editor.said());
    let method = r#"{"jsonrpc":"2.0","id":"a1","method":"x","method":"terminal/create","params":{}}"#;
    editor
        .prompt(&format!("raw {method}\nraw noise\nraw {{\"method\":\"terminal/create\",\"params\":{{}}}}"));
    assert!(editor.requests.is_empty(), "{:?}", editor.requests);
    assert!(wait_until(|| editor.heard().contains("`method` occurs twice")), "{}", editor.heard());
}
