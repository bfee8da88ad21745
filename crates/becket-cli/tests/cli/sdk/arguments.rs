//! The arguments with which SDKs start the program.

use super::host::Host;
use super::place;
use becket_testkit::env::TestEnv;
use becket_testkit::messages_api::{Server, Turn};
use serde_json::json;

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

fn hello() -> TestEnv {
    place(BECKET, &json!({}), &json!([{"text": "Hello."}]))
}

#[test]
fn what_can_not_be_had_and_somebody_relies_on_is_refused_by_name() {
    for (arguments, said) in [
        (&["--resume-session-at=x"][..], "`--resume ID`"),
        (&["--resume", "x", "--resume-session-at=x"], "not a UUID"),
        (&["--resume-drops-turn="], "--resume-session-at"),
        (&["--channels", "x"], "no channels"),
        (&["--project-config-root=/"], "directory in which the session starts"),
        (&["--plugin-dir-no-mcp", "x"], "--strict-mcp-config"),
        (&["--permission-prompts=nobody"], "[possible values: host, none]"),
        (&["--managed-settings", "{}"], "administrator"),
        (&["--managed-settings-in-initialize"], "administrator"),
        (&["--permission-prompt-tool", "approve"], "mcp__SERVER__TOOL"),
        (&["--no-such-thing"], "--no-such-thing"),
    ] {
        let env = hello();
        let mut host = Host::start(&env, arguments);
        host.prompt("hi");
        let (code, stderr) = host.ends();
        assert!(code == Some(2) && stderr.contains(said), "{arguments:?}: {code:?} {stderr}");
    }
}

#[test]
fn a_person_on_stdio_needs_both_streams() {
    let ended = hello()
        .becket(["run", "--model", "script:script.json", "--permission-prompt-tool", "stdio", "-p", "hi"])
        .run();
    assert!(ended.code == Some(2) && ended.stderr.contains("--input-format stream-json"), "{ended:?}");
}

#[test]
fn only_the_base_tools_that_are_named_are_offered() {
    for (given, kept) in
        [("Bash,Read,NoSuchTool", vec!["Read", "Bash"]), ("", vec![]), ("Task", vec!["Agent"])]
    {
        let env = hello();
        let mut host = Host::initialized(&env, &["--tools", given], json!({}));
        host.prompt("hi");
        let init = host.until(|line| line["subtype"] == "init");
        let mut tools: Vec<&str> =
            init["tools"].as_array().expect("a list").iter().filter_map(|tool| tool.as_str()).collect();
        let mut kept = kept;
        tools.sort_unstable();
        kept.sort_unstable();
        assert_eq!(tools, kept, "{given}");
    }
    let env = hello();
    let mut host = Host::initialized(&env, &["--tools", "default"], json!({}));
    host.prompt("hi");
    let init = host.until(|line| line["subtype"] == "init");
    assert!(init["tools"].as_array().expect("a list").len() > 8, "{init}");
}

// rule: P1
#[test]
fn tools_that_are_not_there_are_named() {
    let settings = r#"{"permissions": {"deny": ["Wrte"]}}"#;
    for (arguments, warning) in [
        (&["--tools", "Read,Bsh"][..], "`--tools`: there is no tool `Bsh` here; did you mean `Bash`?"),
        (&["--tools", "Read,WebSearch"], "`--tools`: there is no tool `WebSearch` here"),
        (
            &["--disallowedTools", "Bsh(rm *)"],
            "`--disallowedTools`: `Bsh` is not a known tool: did you mean `Bash`?",
        ),
        (&["--allowedTools", "Bsh"], "`--allowedTools`: `Bsh` is not a known tool: did you mean `Bash`?"),
        (&["--settings", settings], "`Wrte` is not a known tool: did you mean `Write`?"),
    ] {
        let env = hello();
        let mut host = Host::initialized(&env, arguments, json!({}));
        host.prompt("hi");
        let init = host.until(|line| line["subtype"] == "init");
        let warnings = init["warnings"].as_array().expect("warnings").clone();
        let is_it = |said: &&serde_json::Value| said.as_str().is_some_and(|said| said.ends_with(warning));
        assert_eq!(warnings.iter().filter(is_it).count(), 1, "{arguments:?}: {warnings:?}");
        host.result();
        let (code, stderr) = host.ends();
        assert_eq!(code, Some(0), "{stderr}");
        assert_eq!(stderr.matches(warning).count(), 1, "{arguments:?}: {stderr}");
    }
    let known = [
        ["--tools", "Read,Task,ReadMcpResourceTool,mcp__one__echo"],
        ["--allowedTools", "WebSearch,mcp__one,Task"],
        ["--disallowedTools", "NotebookEdit mcp__one__*"],
    ];
    for arguments in known {
        let env = hello();
        let mut host = Host::initialized(&env, &arguments, json!({}));
        host.prompt("hi");
        let init = host.until(|line| line["subtype"] == "init");
        assert_eq!(init["warnings"], serde_json::Value::Null, "{arguments:?}: {init}");
        host.result();
        let (code, stderr) = host.ends();
        assert!(code == Some(0) && stderr.is_empty(), "{arguments:?}: {stderr}");
    }
}

// rule: D3
#[test]
fn options_of_questions_have_previews_in_the_format_of_the_host() {
    let option = |label: &str| json!({"label": label, "description": "d", "preview": "<b>x</b>"});
    let question = json!({"question": "Which?", "header": "h", "options": [option("a"), option("b")]});
    let asks = json!({"questions": [question]});
    for (format, offered, is_taken, is_named) in [
        ("html", Some("HTML"), true, false),
        ("markdown", Some("Markdown"), true, false),
        ("svg", None, false, true),
        ("", None, false, false),
    ] {
        let server =
            Server::start(vec![Turn::call("t1", "AskUserQuestion", asks.clone()), Turn::text("Thanks.")]);
        let (env, url) = (place(BECKET, &json!({}), &json!([])), server.url());
        let variables = [
            ("ANTHROPIC_API_KEY", "key"),
            ("ANTHROPIC_BASE_URL", url.as_str()),
            ("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT", format),
        ];
        let arguments = ["--model", "sonnet", "--permission-prompt-tool", "stdio"];
        let mut host = Host::with_env(&env, &arguments, &variables);
        host.prompt("ask");
        let init = host.until(|line| line["subtype"] == "init");
        let warning = format!("PREVIEW_FORMAT={format}` has no effect");
        assert_eq!(init["warnings"].to_string().contains(&warning), is_named, "{init}");
        if is_taken {
            let asked = host.asked("can_use_tool");
            let mut input = asked["request"]["input"].clone();
            assert_eq!(input["questions"][0]["options"][0]["preview"], "<b>x</b>", "{asked}");
            input["answers"] = json!({"Which?": "a"});
            host.answers(&asked, json!({"behavior": "allow", "updatedInput": input}));
        }
        assert_eq!(host.result()["result"], "Thanks.", "{format}");
        let requests = server.requests();
        let tools = requests[0]["tools"].as_array().expect("there are tools");
        let tool = tools.iter().find(|tool| tool["name"] == "AskUserQuestion").expect("it is offered");
        let option =
            tool.pointer("/input_schema/properties/questions/items/properties/options/items/properties");
        let preview = option.and_then(|option| option["preview"]["description"].as_str());
        assert_eq!(preview.is_some(), offered.is_some(), "{format}: {tool}");
        assert!(offered.is_none_or(|word| preview.is_some_and(|text| text.contains(word))), "{tool}");
    }
}

#[test]
fn a_session_that_is_not_stored_leaves_no_transcript() {
    for (arguments, stored) in [(&[][..], true), (&["--no-session-persistence"], false)] {
        let env = hello();
        let mut host = Host::initialized(&env, arguments, json!({}));
        host.prompt("hi");
        host.result();
        assert_eq!(host.ends().0, Some(0));
        let projects = env.root().join("home/.claude/projects");
        let found = walk(&projects).iter().any(|file| file.ends_with(".jsonl"));
        assert_eq!(found, stored, "{arguments:?}: {:?}", walk(&projects));
    }
}

fn walk(dir: &std::path::Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let paths = entries.map_while(Result::ok).map(|entry| entry.path());
    paths
        .flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path.display().to_string()] })
        .collect()
}

#[test]
fn a_system_prompt_comes_from_a_file() {
    let env = place(BECKET, &json!({}), &json!([{"text": "Yes.", "expect": ["you are a till"]}]));
    env.write("project/prompt.txt", "you are a till");
    let mut host = Host::initialized(&env, &["--system-prompt-file", "prompt.txt"], json!({}));
    host.prompt("hi");
    assert_eq!(host.result()["result"], "Yes.");
    let mut host = Host::start(&env, &["--system-prompt-file", "none.txt"]);
    host.prompt("hi");
    let (code, stderr) = host.ends();
    assert!(code == Some(1) && stderr.contains("none.txt"), "{code:?} {stderr}");
}

// rule: L0
#[test]
fn the_window_that_is_compacted_for_can_be_named() {
    const WINDOW: &str = "CLAUDE_CODE_AUTO_COMPACT_WINDOW";
    for (arguments, variable, expected) in [
        (&[][..], "", 200_000),
        (&["--autocompact", "auto"], "", 200_000),
        (&["--autocompact", "500k"], "", 500_000),
        (&["--autocompact", "500k"], "150000", 150_000),
    ] {
        let env = place(BECKET, &json!({}), &json!([]));
        let mut host = Host::with_env(&env, arguments, &[(WINDOW, variable)]);
        let usage = host.asks("get_context_usage", json!({}))["response"].clone();
        assert_eq!(usage["maxTokens"], expected, "{arguments:?} {variable}");
        assert_eq!(host.ends().0, Some(0));
    }
    let env = place(BECKET, &json!({}), &json!([]));
    let (code, stderr) = Host::with_env(&env, &[], &[(WINDOW, "few")]).ends();
    assert_eq!(code, Some(2), "{stderr}");
    assert!(
        stderr.contains("`CLAUDE_CODE_AUTO_COMPACT_WINDOW=few` is not a valid window: write `auto`"),
        "{stderr}"
    );
}
