//! Options of a session that SDKs set: skills, aliases of tools, output styles, a tool for permissions, settings that
//! change.

use super::host::{Host, matcher};
use super::wishes::server;
use super::{bash, place};
use becket_testkit::env::TestEnv;
use becket_testkit::messages_api::{Server, Turn};
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

fn init(host: &mut Host) -> Value {
    host.until(|line| line["subtype"] == "init")
}

fn skill(env: &TestEnv, name: &str) {
    let text = format!("---\nname: {name}\ndescription: the skill {name}\n---\nBODY-{name}");
    env.write(&format!("project/.claude/skills/{name}/SKILL.md"), text);
}

#[test]
fn only_the_skills_of_a_list_are_loaded() {
    for (wanted, names) in
        [(json!(["one"]), vec!["one"]), (json!("all"), vec!["one", "two"]), (json!([]), vec![])]
    {
        let env = place(BECKET, &json!({}), &json!([{"text": "Hello."}]));
        skill(&env, "one");
        skill(&env, "two");
        env.write("project/.claude/commands/three.md", "Do three.");
        let mut host = Host::initialized(&env, &[], json!({"skills": wanted}));
        host.prompt("hi");
        let init = init(&mut host);
        assert_eq!(init["skills"], json!(names), "{wanted}");
        assert!(init["slash_commands"].to_string().contains("three"), "a command is not a skill");
    }
    let env = place(BECKET, &json!({}), &json!([]));
    let mut host = Host::start(&env, &[]);
    let answer = host.asks("initialize", json!({"skills": 7}));
    assert!(answer["error"].as_str().is_some_and(|error| error.contains("`skills`")), "{answer}");
}

#[test]
fn skills_and_plugins_are_read_again() {
    let env = place(BECKET, &json!({}), &json!([]));
    let mut host = Host::initialized(&env, &[], json!({}));
    skill(&env, "late");
    let answer = host.asks("reload_skills", json!({}));
    assert_eq!(answer["response"]["skills"][0]["name"], "late", "{answer}");
    let answer = host.asks("reload_plugins", json!({}));
    let response = &answer["response"];
    assert_eq!(response["error_count"], 0, "{answer}");
    for key in ["commands", "agents", "plugins", "mcpServers"] {
        assert!(response[key].is_array(), "{key}: {answer}");
    }
}

// rules: D1, L1
#[test]
fn a_tool_is_called_by_its_alias_and_judged_as_what_it_is() {
    let turns =
        json!([{"tool_uses": [{"id": "t1", "name": "Bash", "input": {"said": 1}}]}, {"text": "Done."}]);
    let config = json!({"mcpServers": {"one": server()}}).to_string();
    let aliases = json!({"Bash": "mcp__one__echo"});
    let hooks = json!({"PreToolUse": [matcher("h", json!({"matcher": "mcp__one__echo"}))]});
    let denies = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
        "permissionDecisionReason": "no"}});
    let wants = json!({"toolAliases": aliases, "hooks": hooks});
    for (answer, denials) in [(json!({}), 0), (denies, 1)] {
        let env = place(BECKET, &json!({"permissions": {"allow": ["mcp__one__echo"]}}), &turns);
        let mut host = Host::initialized(&env, &["--mcp-config", &config], wants.clone());
        host.prompt("go");
        let asked = host.asked("hook_callback");
        assert_eq!(asked["request"]["input"]["tool_name"], "mcp__one__echo");
        host.answers(&asked, answer);
        let result = host.result();
        assert_eq!(result["permission_denials"].as_array().map(Vec::len), Some(denials), "{result}");
    }
    let settings = json!({"permissions": {"allow": ["Bash", "mcp__one__echo"], "deny": ["mcp__one__echo"]}});
    let env = place(BECKET, &settings, &turns);
    let mut host = Host::initialized(&env, &["--mcp-config", &config], wants);
    host.prompt("go");
    host.result();
    let is_denied = |line: &&Value| line["message"]["content"].to_string().contains("mcp__one__echo` here");
    assert!(host.seen.iter().any(|line| is_denied(&line)), "{:#?}", host.seen);
    let env = place(BECKET, &json!({}), &json!([]));
    let mut host = Host::start(&env, &[]);
    let answer = host.asks("initialize", json!({"toolAliases": {"Bash": 7}}));
    assert!(answer["error"].as_str().is_some_and(|error| error.contains("`toolAliases.Bash`")), "{answer}");
}

#[test]
fn an_output_style_is_part_of_the_system_prompt() {
    let own = "---\nname: terse\ndescription: short\n---\nTERSE-STYLE";
    for (style, said, name) in [
        ("terse", "TERSE-STYLE", "terse"),
        ("Explanatory", "explain briefly why", "Explanatory"),
        ("Learning", "TODO(human)", "Learning"),
        ("default", "You are an agent", "default"),
        ("nobody's", "You are an agent", "nobody's"),
    ] {
        let env = place(BECKET, &json!({"outputStyle": style}), &json!([{"text": "Yes.", "expect": [said]}]));
        env.write("project/.claude/output-styles/terse.md", own);
        let mut host = Host::start(&env, &[]);
        let answer = host.asks("initialize", json!({}));
        assert_eq!(answer["response"]["output_style"], name, "{answer}");
        let known = &answer["response"]["available_output_styles"];
        assert_eq!(*known, json!(["default", "terse", "Explanatory", "Learning"]));
        host.prompt("hi");
        assert_eq!(init(&mut host)["output_style"], name);
        assert_eq!(host.result()["result"], "Yes.", "{style}");
        let is_warned =
            |line: &&Value| line["content"].as_str().is_some_and(|text| text.contains("no output style"));
        assert_eq!(host.seen.iter().any(|line| is_warned(&line)), style == "nobody's");
    }
}

/// Returns a server with a tool that answers with the content of a file.
fn permission_server() -> Value {
    let script = "import json, sys\n\
        for line in sys.stdin:\n\
        \x20   m = json.loads(line); i, name = m.get('id'), m.get('method')\n\
        \x20   if name == 'initialize': r = {'protocolVersion': m['params']['protocolVersion'], 'capabilities': {'tools': {}}, 'serverInfo': {'name': 's', 'version': '1'}}\n\
        \x20   elif name == 'tools/list': r = {'tools': [{'name': 'approve', 'inputSchema': {'type': 'object'}}]}\n\
        \x20   elif name == 'tools/call':\n\
        \x20       json.dump(m['params']['arguments'], open('asked.json', 'w'))\n\
        \x20       r = {'content': [{'type': 'text', 'text': open('answer').read()}]}\n\
        \x20   else: r = {}\n\
        \x20   if i is not None: print(json.dumps({'jsonrpc': '2.0', 'id': i, 'result': r}), flush=True)\n";
    json!({"command": "python3", "args": ["-c", script]})
}

// rule: P11
#[test]
fn a_tool_of_a_server_decides_permissions_and_only_a_valid_yes_is_one() {
    let config = json!({"mcpServers": {"srv": permission_server()}}).to_string();
    let call = |command: &str| json!([{"tool_uses": [bash("t1", command)]}, {"text": "Done."}]);
    for (answer, made) in [
        (r#"{"behavior": "allow", "updatedInput": {"command": "touch made"}}"#, true),
        (r#"{"behavior": "allow"}"#, true),
        (r#"{"behavior": "deny", "message": "NOT-TODAY"}"#, false),
        (r#"{"behavior": "maybe"}"#, false),
        (r#"{"behavior": "deny", "behavior": "allow"}"#, false),
        (r#"{"behavior": "allow", "behavior": "deny"}"#, false),
        (r#"{"behavior": "allow", "updatedPermissions": [], "updatedPermissions": null}"#, false),
        ("yes", false),
        ("[]", false),
    ] {
        let env = place(BECKET, &json!({}), &call("touch made"));
        env.write("project/answer", answer);
        let arguments = ["--mcp-config", &config, "--permission-prompt-tool", "mcp__srv__approve"];
        let mut host = Host::initialized(&env, &arguments, json!({}));
        host.prompt("go");
        let result = host.result();
        assert_eq!(env.project().join("made").exists(), made, "{answer}: {result}");
        let asked = std::fs::read_to_string(env.project().join("asked.json")).expect("it was asked");
        let asked: Value = serde_json::from_str(&asked).expect("JSON");
        assert_eq!((&asked["tool_name"], &asked["input"]["command"]), (&json!("Bash"), &json!("touch made")));
    }
    let env = place(BECKET, &json!({"permissions": {"deny": ["Bash"]}}), &call("touch made"));
    env.write("project/answer", r#"{"behavior": "allow"}"#);
    let arguments = ["--mcp-config", &config, "--permission-prompt-tool", "mcp__srv__approve"];
    let mut host = Host::initialized(&env, &arguments, json!({}));
    host.prompt("go");
    host.result();
    assert!(!env.project().join("made").exists(), "a deny rule holds");
    let mut host = Host::start(&env, &["--permission-prompt-tool", "mcp__gone__approve"]);
    let answer = host.asks("initialize", json!({}));
    assert!(answer["error"].as_str().is_some_and(|error| error.contains("`gone`")), "{answer}");
}

// rule: P13
#[test]
fn settings_change_while_a_session_is_open_all_or_none() {
    let turns = json!([{"tool_uses": [bash("t1", "touch made")]}, {"text": "Done."},
        {"tool_uses": [bash("t2", "touch other")]}, {"text": "Done."}]);
    let env = place(BECKET, &json!({}), &turns);
    let mut host = Host::initialized(&env, &[], json!({}));
    for (settings, said) in [
        (json!({"permissions": {"allow": ["Bash(touch *)"], "deny": [7]}}), "deny"),
        (json!({"permissions": {"allow": ["Bash(touch *)"]}, "outputStyle": "x"}), "`settings.outputStyle`"),
        (json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command"}]}]}}), "apply_flag_settings"),
        (json!({"hooks": []}), "`settings.hooks` has the wrong type"),
        (json!({"sandbox": {"enabled": false}}), "`settings.sandbox.enabled`"),
        (
            json!({"permissions": {"allow": ["Bash(touch *)"], "disableBypassPermissionsMode": "disable"}}),
            "disableBypass",
        ),
        (json!({"model": 7}), "wrong type"),
        (json!({"permissions": {"defaultMode": "acceptEdits"}, "model": "nowhere::none"}), "nowhere"),
        (json!([]), "`settings`"),
    ] {
        let answer = host.asks("apply_flag_settings", json!({"settings": settings}));
        assert!(answer["error"].as_str().is_some_and(|error| error.contains(said)), "{settings}: {answer}");
    }
    host.prompt("make it");
    host.result();
    assert!(!env.project().join("made").exists(), "nothing of a refused change holds");
    let settings = json!({"permissions": {"allow": ["Bash(touch *)"]}});
    let answer = host.asks("apply_flag_settings", json!({"settings": settings}));
    assert_eq!(answer["subtype"], "success", "{answer}");
    host.prompt("make the other");
    host.result();
    assert!(env.project().join("other").exists());
}

// rules: C5, C8, P13
#[test]
fn a_later_change_replaces_its_keys_and_takes_no_other_denial_away() {
    let write =
        |n: usize, file: &str| json!({"tool_uses": [bash(&format!("t{n}"), &format!("touch {file}"))]});
    let files = ["start", "hooked", "free", "again", "of-caller", "managed"];
    let turns: Vec<Value> =
        files.iter().enumerate().flat_map(|(n, file)| [write(n, file), json!({"text": "Done."})]).collect();
    let env = place(BECKET, &json!({}), &json!(turns));
    let deny = |rule: &str| json!({"permissions": {"deny": [rule]}}).to_string();
    env.write("managed/managed-settings.json", deny("Bash(touch managed)"));
    let mut host = Host::initialized(&env, &["--settings", &deny("Bash(touch of-caller)")], json!({}));
    let hook = json!({"type": "command", "command": "exit 2"});
    let hooks = json!({"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]});
    let allow = json!({"allow": ["Bash(touch *)"]});
    let changes = [
        json!({"permissions": allow}),
        json!({"hooks": hooks}),
        json!({"hooks": null}),
        json!({"permissions": {"deny": ["Bash(touch again)"]}}),
        json!({"permissions": allow}),
        json!({"permissions": allow, "hooks": {}}),
    ];
    for (file, change) in files.into_iter().zip(changes) {
        let answer = host.asks("apply_flag_settings", json!({"settings": change}));
        assert_eq!(answer["subtype"], "success", "{answer}");
        // A reload keeps the settings.
        assert_eq!(host.asks("reload_plugins", json!({}))["subtype"], "success");
        host.prompt("go");
        host.result();
        assert_eq!(env.project().join(file).exists(), ["start", "free"].contains(&file), "{file}");
    }
}

// rule: M6
#[test]
fn directories_of_settings_are_those_of_the_last_change() {
    let write = |id: &str, file: &str| json!({"tool_uses": [{"id": id, "name": "Write", "input": {"file_path": file, "content": "1"}}]});
    let env = place(BECKET, &json!({}), &json!([]));
    let other = env.write("other/README", "x").parent().expect("it has one").to_owned();
    let file = |name: &str| other.join(name).display().to_string();
    let turns =
        json!([write("t1", &file("one")), {"text": "Done."}, write("t2", &file("two")), {"text": "Done."}]);
    env.write("project/script.json", json!({"turns": turns}).to_string());
    let mut host = Host::initialized(&env, &["--permission-mode", "acceptEdits"], json!({}));
    let settings = json!({"permissions": {"additionalDirectories": [other.display().to_string()]}});
    for (settings, name, is_made) in [(settings, "one", true), (json!({"permissions": null}), "two", false)] {
        let answer = host.asks("apply_flag_settings", json!({"settings": settings}));
        assert_eq!(answer["subtype"], "success", "{answer}");
        host.prompt("write");
        host.result();
        assert_eq!(other.join(name).exists(), is_made, "{name}");
    }
}

// rule: P14
#[test]
fn the_script_of_a_hook_that_settings_add_is_not_edited_unasked() {
    let call =
        |id: &str, name: &str, input: Value| json!({"tool_uses": [{"id": id, "name": name, "input": input}]});
    let turns = json!([
        call("t1", "Read", json!({"file_path": "guard.sh"})),
        call("t2", "Write", json!({"file_path": "guard.sh", "content": "exit 0"})),
        {"text": "Done."},
    ]);
    let env = place(BECKET, &json!({}), &turns);
    env.write("project/guard.sh", "exit 2");
    let mut host = Host::initialized(&env, &["--permission-mode", "acceptEdits"], json!({}));
    let hook = json!({"type": "command", "command": "sh guard.sh"});
    let settings = json!({"hooks": {"Notification": [{"hooks": [hook]}]}});
    let answer = host.asks("apply_flag_settings", json!({"settings": settings}));
    assert_eq!(answer["subtype"], "success", "{answer}");
    host.prompt("open the guard");
    assert_eq!(host.result()["permission_denials"][0]["tool_name"], "Write");
    assert_eq!(std::fs::read_to_string(env.project().join("guard.sh")).ok().as_deref(), Some("exit 2"));
}

#[test]
fn settings_without_effect_are_named() {
    let env = place(BECKET, &json!({}), &json!([]));
    let mut host = Host::initialized(&env, &[], json!({}));
    let settings = json!({"permissions": {"deny": ["Bsh(rm *)"]}});
    let answer = host.asks("apply_flag_settings", json!({"settings": settings}));
    assert!(answer["response"]["warnings"].to_string().contains("Bsh"), "{answer}");
    let hooks = json!({"PreToolUze": [{"hooks": [{"type": "command", "command": "exit 2"}]}]});
    let answer = host.asks("apply_flag_settings", json!({"settings": {"hooks": hooks}}));
    assert!(answer.to_string().contains("PreToolUze"), "{answer}");
}

// rule: P13
#[test]
fn nothing_of_a_change_holds_while_hooks_judge_its_model_and_all_of_it_once_they_have() {
    let waits = "touch judging; until [ -e go ]; do sleep 0.02; done; [ ! -e made ]";
    let hook = json!({"type": "command", "command": waits});
    let settings = json!({"hooks": {"PreModelSwitch": [{"hooks": [hook]}]}});
    let turns = json!([{"tool_uses": [bash("t1", "touch made")]}, {"text": "Done."},
        {"tool_uses": [bash("t2", "touch other")]}, {"text": "Done."}]);
    let env = place(BECKET, &settings, &turns);
    let mut host = Host::initialized(&env, &[], json!({}));
    let settings = json!({"permissions": {"allow": ["Bash(touch *)"]}, "model": "script:script.json"});
    let request = json!({"subtype": "apply_flag_settings", "settings": settings});
    host.line(&json!({"type": "control_request", "request_id": "s", "request": request}).to_string());
    assert!(wait_until(|| env.project().join("judging").exists()));
    host.prompt("make it");
    host.result();
    assert!(!env.project().join("made").exists(), "the hooks have not decided");
    host.line(&json!({"type": "control_cancel_request", "request_id": "s"}).to_string());
    env.write("project/go", "");
    host.until(|line| line["response"]["request_id"] == "s");
    host.prompt("make the other");
    host.result();
    assert!(env.project().join("other").exists(), "a change is not left halfway");
}

#[test]
fn the_application_is_named_to_the_provider() {
    let server = Server::start(vec![Turn::text("Hello."), Turn::text("Hello.")]);
    let url = server.url();
    for (app, expected) in [("my-app/1.0.0", true), ("bad\nname", false)] {
        let env = place(BECKET, &json!({}), &json!([]));
        let variables = [
            ("ANTHROPIC_API_KEY", "key"),
            ("ANTHROPIC_BASE_URL", url.as_str()),
            ("CLAUDE_AGENT_SDK_CLIENT_APP", app),
        ];
        let mut host = Host::with_env(&env, &["--model", "sonnet"], &variables);
        host.prompt("hi");
        assert_eq!(host.result()["result"], "Hello.", "{app}");
        let last = server.recorded_requests().pop().expect("there was a request");
        let agent =
            last.headers.iter().find(|(name, _)| name == "user-agent").map(|(_, value)| value.as_str());
        let agent = agent.unwrap_or_default();
        assert_eq!(agent.contains("client-app"), expected, "{agent}");
    }
}

#[test]
fn an_agent_begins_with_its_own_prompt_and_what_it_can_not_have_is_named() {
    let agents = json!({"rev": {"description": "Reviews", "prompt": "Review.", "initialPrompt": "BEGIN-HERE",
        "effort": "high", "colour": "red"}});
    let turns = json!([{"text": "Begun.", "expect": ["BEGIN-HERE"]}, {"text": "Hello."}]);
    let env = place(BECKET, &json!({}), &turns);
    let mut host = Host::initialized(&env, &["--agent", "rev"], json!({"agents": agents}));
    assert_eq!(host.result()["result"], "Begun.");
    host.prompt("hi");
    assert_eq!(host.result()["result"], "Hello.");
    let init = host.seen.iter().find(|line| line["subtype"] == "init").expect("there is one").clone();
    let (_, stderr) = host.ends();
    let is_named = |text: &str| text.contains("`effort`") && text.contains("`colour`");
    assert!(is_named(&init["warnings"].to_string()) && is_named(&stderr), "{init} {stderr}");
}

// rule: C7
#[test]
fn settings_of_the_caller_that_are_lost_as_a_whole_start_no_session() {
    let env = place(BECKET, &json!({}), &json!([{"text": "never"}]));
    env.write("project/broken.json", "{\"permissions\": {\"deny\": [\"Bash\"]");
    for given in ["{broken", "broken.json", "."] {
        let mut host = Host::start(&env, &["--settings", given]);
        host.prompt("hi");
        let (code, stderr) = host.ends();
        assert!(code == Some(2) && stderr.contains("--settings"), "{given}: {code:?} {stderr}");
    }
    // A file of the project is not an option: the rest of the configuration works without it, and it is named.
    env.write("project/.claude/settings.json", "{broken");
    let mut host = Host::initialized(&env, &[], json!({}));
    host.prompt("hi");
    assert_eq!(host.result()["result"], "never");
    let (_, stderr) = host.ends();
    assert!(stderr.contains("not loaded: .claude/settings.json"), "{stderr}");
}

// rule: L2
#[test]
fn an_image_is_sent_by_its_address_too() {
    let server = Server::start(vec![Turn { text: Some("Seen.".to_owned()), ..Turn::default() }]);
    let env = place(BECKET, &json!({}), &json!([]));
    let variables = [("ANTHROPIC_API_KEY", "key"), ("ANTHROPIC_BASE_URL", &server.url())];
    let mut host = Host::with_env(&env, &["--model", "sonnet", "--bare"], &variables);
    let image = json!({"type": "image", "source": {"type": "url", "url": "https://x.example/i.png"}});
    let content = json!([{"type": "text", "text": "look"}, image]);
    host.line(&json!({"type": "user", "message": {"role": "user", "content": content}}).to_string());
    assert_eq!(host.result()["result"], "Seen.");
    let sent = server.requests().pop().expect("there was a request");
    assert!(sent["messages"].to_string().contains("https://x.example/i.png"), "{sent}");
    let image = json!({"type": "image", "source": {"type": "url"}});
    host.line(&json!({"type": "user", "message": {"role": "user", "content": [image]}}).to_string());
    assert!(host.result()["result"].as_str().is_some_and(|said| said.contains("`image`")));
}

// rule: C10
#[test]
fn a_session_that_works_as_an_agent_begins_with_its_skills() {
    let agents = json!({"rev": {"description": "Reviews", "prompt": "Review.", "skills": ["one", "gone"]}});
    let turns = json!([{"text": "Hello.", "expect": ["BODY-one"]}]);
    let env = place(BECKET, &json!({}), &turns);
    skill(&env, "one");
    let mut host = Host::initialized(&env, &["--agent", "rev"], json!({"agents": agents}));
    host.prompt("hi");
    assert_eq!(host.result()["result"], "Hello.");
    let told = json!(host.seen).to_string();
    assert!(told.contains("the agent `rev` begins without the skill `gone`: "), "{told}");
    assert!(!told.contains("without the skill `one`"), "{told}");
}
