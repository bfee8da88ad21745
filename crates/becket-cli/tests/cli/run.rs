//! `becket run` from outside: its input, output and exit codes, with a script instead of a model.

use crate::env_with;
use becket_testkit::env::{ProgramOutput, Run, TestEnv};
use serde_json::{Value, json};

/// Creates a place with settings, and a script of these turns.
pub(crate) fn scripted(settings: &Value, turns: &Value) -> TestEnv {
    let env = env_with(&settings.to_string());
    env.write("project/script.json", json!({"turns": turns}).to_string());
    env
}

/// Returns a `becket run` with that script.
pub(crate) fn run(env: &TestEnv, arguments: &[&str]) -> Run {
    env.becket([&["run", "--model", "script:script.json"], arguments].concat())
}

/// Returns the output, one value per line.
pub(crate) fn lines(ended: &ProgramOutput) -> Vec<Value> {
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    ended.stdout.lines().map(read).collect()
}

fn hello() -> TestEnv {
    scripted(&json!({}), &json!([{"text": "Hello there.", "usage": {"input_tokens": 3, "output_tokens": 4}}]))
}

fn hook(command: &str) -> Value {
    json!({"hooks": [{"type": "command", "command": command}]})
}

#[test]
fn text_prints_the_answer_alone() {
    let ended = run(&hello(), &["-p", "hi"]).run();
    assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (Some(0), "Hello there.\n", ""));
}

#[test]
fn a_prompt_comes_from_the_arguments_or_stdin_or_both() {
    for (arguments, stdin, expected) in [
        (&["-p", "from arguments"][..], "", "from arguments"),
        (&["-p"], "from stdin", "from stdin"),
        (&["-p", "above"], "below", "above\nbelow"),
    ] {
        let env = scripted(&json!({}), &json!([{"text": "yes", "expect": [expected]}]));
        let ended = run(&env, arguments).stdin(stdin).run();
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "yes\n"), "{ended:?}");
    }
    let ended = run(&hello(), &["-p"]).run();
    assert!(ended.code == Some(2) && ended.stderr.contains("there is nothing to do"), "{ended:?}");
}

#[test]
fn json_prints_one_object() {
    let ended = run(&hello(), &["-p", "hi", "--output-format", "json"]).run();
    let [result] = &lines(&ended)[..] else { panic!("{ended:?}") };
    for (key, value) in [
        ("type", json!("result")),
        ("subtype", json!("success")),
        ("is_error", json!(false)),
        ("num_turns", json!(1)),
        ("result", json!("Hello there.")),
        ("terminal_reason", json!("completed")),
        ("permission_denials", json!([])),
    ] {
        assert_eq!(result[key], value, "{key}");
    }
    assert_eq!(result["usage"]["output_tokens"], 4);
}

#[test]
fn stream_json_tells_everything_in_order() {
    // rules: L0, L1
    let settings = json!({"hooks": {"PreToolUse": [hook("echo '{\"systemMessage\": \"mind the gap\"}'")]}});
    let turns = json!([
        {"text": "I look.", "tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": "pwd"}}]},
        {"text": "Done."}
    ]);
    let env = scripted(&settings, &turns);
    let ended = run(&env, &["-p", "hi", "--output-format", "stream-json", "--verbose"]).run();
    let lines = lines(&ended);
    let kinds: Vec<String> = lines.iter().map(kind).collect();
    assert_eq!(
        kinds,
        ["system/init", "assistant", "system/informational", "user", "assistant", "result"],
        "{ended:?}"
    );
    let session = &lines[0]["session_id"];
    assert!(lines.iter().all(|line| line["session_id"] == *session && line["uuid"].is_string()), "{ended:?}");
    assert_eq!(lines[0]["cwd"], json!(env.project()));
    assert!(lines[0]["tools"].as_array().is_some_and(|tools| tools.contains(&json!("Bash"))));
    assert_eq!(lines[2]["content"], "PreToolUse:Bash says: mind the gap");
    let answer = &lines[3]["message"]["content"][0];
    assert_eq!((&answer["tool_use_id"], &answer["type"]), (&json!("t1"), &json!("tool_result")));
    assert!(answer["content"].as_str().is_some_and(|text| text.contains(&*env.project().to_string_lossy())));
}

fn kind(line: &Value) -> String {
    let subtype = line["subtype"].as_str().filter(|_| line["type"] == "system");
    let of = line["type"].as_str().unwrap_or_default();
    subtype.map_or_else(|| of.to_owned(), |subtype| format!("{of}/{subtype}"))
}

#[test]
fn hooks_have_lines_where_they_are_wanted_but_not_at_the_end() {
    // rule: H13
    let settings = json!({"hooks": {
        "SessionStart": [hook("true")],
        "UserPromptSubmit": [hook("echo out; echo err >&2; exit 1")],
        "Stop": [hook("true")],
        "SessionEnd": [hook("true")]
    }});
    let env = scripted(&settings, &json!([{"text": "hi"}]));
    let arguments = ["-p", "hi", "--output-format", "stream-json", "--include-hook-events"];
    let ended = run(&env, &arguments).run();
    let lines = lines(&ended);
    let of =
        |subtype: &str| -> Vec<&Value> { lines.iter().filter(|line| line["subtype"] == subtype).collect() };
    let names: Vec<&str> = of("hook_started").iter().filter_map(|line| line["hook_name"].as_str()).collect();
    assert_eq!(names, ["SessionStart:startup", "UserPromptSubmit", "Stop"], "{ended:?}");
    let responses = of("hook_response");
    let failed = responses[1];
    assert_eq!(
        (&failed["stdout"], &failed["stderr"], &failed["exit_code"], &failed["outcome"]),
        (&json!("out\n"), &json!("err\n"), &json!(1), &json!("error"))
    );
    assert_eq!(failed["hook_id"], of("hook_started")[1]["hook_id"]);
    assert!(!of("hook_progress").is_empty() && responses.len() == 3, "{ended:?}");
    let session = &of("system/init").first().map_or(&lines[0], |line| line)["session_id"];
    assert!(lines.iter().all(|line| line["session_id"] == *session), "{ended:?}");
}

#[test]
fn an_action_that_was_not_checked_is_told_in_every_format() {
    // rules: O1, O7, O10
    let turns = json!([{"tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": "pwd"}}]}, {"text": "Done."}]);
    let denial = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
    for script in [
        "exit 127".to_owned(),
        format!("echo note; echo '{denial}'"),
        r#"echo '{"permissionDecision":"deny"}'"#.to_owned(),
        format!("echo '{denial}' >&2"),
    ] {
        let env = scripted(&json!({"hooks": {"PreToolUse": [hook(&script)]}}), &turns);
        let stream = run(&env, &["-p", "hi", "--output-format", "stream-json"]).run();
        assert!(lines(&stream).iter().any(|line| line["tag"] == "hook_no_verdict"), "{script}: {stream:?}");
        for format in ["text", "json"] {
            let ended = run(&env, &["-p", "hi", "--output-format", format]).run();
            assert!(ended.stderr.contains("not checked"), "{script} {format}: {ended:?}");
        }
    }
}

#[test]
fn several_prompts_are_worked_on_one_after_the_other() {
    let turns = json!([{"text": "one", "expect": ["first"]}, {"text": "two", "expect": ["second"]}]);
    let env = scripted(&json!({}), &turns);
    let arguments = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];
    let line = |text: &str| json!({"type": "user", "message": {"role": "user", "content": text}}).to_string();
    let ended = run(&env, &arguments).stdin(format!("{}\n\n{}\n", line("first"), line("second"))).run();
    let lines = lines(&ended);
    let results: Vec<&Value> = lines.iter().filter(|line| line["type"] == "result").collect();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!((&results[0]["result"], &results[1]["result"]), (&json!("one"), &json!("two")));
    assert_eq!(results[0]["session_id"], results[1]["session_id"]);
}

#[test]
fn a_line_that_is_no_message_ends_the_run_by_its_number() {
    let env = scripted(&json!({"hooks": {"SessionEnd": [hook("touch ended")]}}), &json!([{"text": "one"}]));
    let arguments = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];
    let first = json!({"type": "user", "message": {"role": "user", "content": "hi"}});
    let ended = run(&env, &arguments).stdin(format!("{first}\n{{\"type\": \"usr\"}}\n{first}\n")).run();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("line 2 of stdin is not a message: its `type` is `\"usr\"`"), "{ended:?}");
    assert_eq!(lines(&ended).iter().filter(|line| line["type"] == "result").count(), 1);
    assert!(env.project().join("ended").exists(), "the session was closed");
}

#[test]
fn errors_of_the_model_end_with_1_and_wrong_arguments_with_2() {
    let env = scripted(&json!({}), &json!([{"error": {"kind": "unauthorized"}}]));
    for (arguments, code, said) in [
        (&["-p", "hi"][..], 1, ""),
        (&["-p", "hi", "--max-turns", "0"], 2, "--max-turns"),
        (&["-p", "hi", "--nonsense"], 2, "--nonsense"),
        (&["-p", "hi", "--resume", "nobody"], 1, "nobody"),
        (&["-p", "hi", "--allowedTools", "Bash(git"], 2, "--allowedTools"),
        (&["-p", "hi", "--permission-mode", "dafault"], 2, "did you mean `default`?"),
        (&["-p", "hi", "--add-dir", "nowhere"], 2, "--add-dir"),
        (&["-p", "hi", "--mcp-config", "nowhere.json"], 1, "nowhere.json"),
        (&["-p", "hi", "--settings", "nowhere.json"], 2, "nowhere.json"),
    ] {
        let ended = run(&env, arguments).run();
        assert_eq!(ended.code, Some(code), "{arguments:?}: {ended:?}");
        assert!(ended.stderr.contains(said), "{arguments:?}: {ended:?}");
    }
}

#[test]
fn without_a_key_the_ways_to_a_model_are_told() {
    let env = env_with("{}");
    let ended = env.becket(["run", "-p", "hi"]).run();
    assert_eq!(ended.code, Some(1));
    for way in ["ANTHROPIC_API_KEY", "provider::name", "--model script:FILE"] {
        assert!(ended.stderr.contains(way), "{way}: {ended:?}");
    }
    let ended = env.becket(["run", "-p", "hi"]).env("ANTHROPIC_MODEL", "script:gone.json").run();
    assert!(ended.code == Some(1) && ended.stderr.contains("gone.json"), "{ended:?}");
}

#[test]
fn a_session_goes_on_by_its_id_or_as_the_latest_and_forks() {
    let env = scripted(&json!({}), &json!([{"text": "I am one."}]));
    let id = "5f1c9f0e-3c0b-4b7e-9a55-0d6f2b1c7a10";
    let json = ["-p", "hi", "--output-format", "json"];
    let first = run(&env, &[&json[..], &["--session-id", id]].concat()).run();
    assert_eq!(lines(&first)[0]["session_id"], id, "{first:?}");
    let again = run(&env, &[&json[..], &["--session-id", id]].concat()).run();
    assert!(again.code == Some(1) && again.stderr.contains(id), "{again:?}");
    env.write(
        "project/script.json",
        json!({"turns": [{"text": "Two.", "expect": ["I am one.", "more"]}]}).to_string(),
    );
    let json = ["-p", "more", "--output-format", "json"];
    for (arguments, keeps) in [
        (&["--resume", id][..], true),
        (&["--continue"], true),
        (&["--resume", id, "--fork-session"], false),
        (&["-c", "--fork-session"], false),
    ] {
        let ended = run(&env, &[&json[..], arguments].concat()).run();
        assert_eq!(ended.code, Some(0), "{arguments:?} {ended:?}");
        assert_eq!(lines(&ended)[0]["session_id"] == id, keeps, "{arguments:?}");
    }
}

#[test]
fn setup_runs_where_it_is_asked_for_and_alone_with_init_only() {
    // rule: L0
    let tell = |event: &str| hook(&format!("echo {event} >>told"));
    let events = ["Setup", "SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"];
    let hooks: serde_json::Map<String, Value> =
        events.iter().map(|event| ((*event).to_owned(), json!([tell(event)]))).collect();
    let told = |arguments: &[&str]| {
        let env = scripted(&json!({"hooks": hooks}), &json!([{"text": "hi"}]));
        let ended = run(&env, arguments).run();
        assert_eq!(ended.code, Some(0), "{arguments:?} {ended:?}");
        let told = std::fs::read_to_string(env.project().join("told")).expect("hooks have run");
        told.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(told(&["-p", "hi"]), "SessionStart UserPromptSubmit Stop SessionEnd");
    assert_eq!(told(&["-p", "hi", "--init"]), "Setup SessionStart UserPromptSubmit Stop SessionEnd");
    assert_eq!(told(&["-p", "hi", "--maintenance"]), "Setup SessionStart UserPromptSubmit Stop SessionEnd");
    assert_eq!(told(&["--init-only"]), "Setup SessionStart SessionEnd");
}

#[test]
fn a_bare_start_and_chosen_sources_leave_hooks_out() {
    // rules: G2, C4
    let settings = json!({"hooks": {"UserPromptSubmit": [hook("touch told")]}});
    for (arguments, runs) in [
        (&[][..], true),
        (&["--bare"], false),
        (&["--setting-sources", "user"], false),
        (&["--setting-sources", "user,project"], true),
    ] {
        let env = scripted(&settings, &json!([{"text": "hi"}]));
        let ended = run(&env, &[&["-p", "hi"], arguments].concat()).run();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_eq!(env.project().join("told").exists(), runs, "{arguments:?}");
    }
    let env = scripted(&json!({}), &json!([{"text": "hi"}]));
    let flag = settings.to_string();
    let ended =
        env.becket(["--settings", &flag, "run", "--bare", "--model", "script:script.json", "-p", "hi"]).run();
    assert!(ended.code == Some(0) && env.project().join("told").exists(), "{ended:?}");
}

#[test]
fn tools_are_allowed_and_denied_by_the_command_line() {
    // rules: P1, P11
    let turns = json!([{"tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": "touch done"}}]}, {"text": "x"}]);
    for (arguments, runs) in [
        (&[][..], false),
        (&["--allowedTools", "Bash(touch *)", "Edit"], true),
        (&["--allowed-tools", "Read,Bash(touch *)"], true),
        (&["--allowedTools", "Bash(touch *)", "--disallowedTools", "Bash(touch *)"], false),
        (&["--permission-mode", "dontAsk"], false),
    ] {
        let env = scripted(&json!({}), &turns);
        let arguments = [&["-p", "hi", "--output-format", "json"], arguments].concat();
        let ended = run(&env, &arguments).run();
        let denials = lines(&ended)[0]["permission_denials"].as_array().map(Vec::len);
        assert_eq!(env.project().join("done").exists(), runs, "{arguments:?} {ended:?}");
        assert_eq!(denials, Some(usize::from(!runs)), "{arguments:?}");
    }
}

#[test]
fn the_mode_of_the_command_line_is_that_of_the_session() {
    // rule: P14
    let turns = json!([
        {"tool_uses": [{"id": "t1", "name": "Write", "input": {"file_path": "new.txt", "content": "x"}}]},
        {"text": "x"}
    ]);
    for (mode, runs) in [("default", false), ("plan", false), ("dontAsk", false), ("acceptEdits", true)] {
        let env = scripted(&json!({}), &turns);
        let ended =
            run(&env, &["-p", "hi", "--output-format", "stream-json", "--permission-mode", mode]).run();
        assert_eq!(lines(&ended)[0]["permissionMode"], mode);
        assert_eq!(env.project().join("new.txt").exists(), runs, "{mode}: {ended:?}");
    }
}

#[test]
fn what_happens_is_kept_in_a_file_for_those_who_look_later() {
    let env = scripted(&json!({"hooks": {"Stop": [hook("true")]}}), &json!([{"text": "hi"}]));
    let ended = run(&env, &["-p", "hi", "--debug-file", "debug.jsonl"]).run();
    assert_eq!(ended.stdout, "hi\n");
    let kept = std::fs::read_to_string(env.project().join("debug.jsonl")).expect("the file is there");
    for found in ["hook_started", "stream_event", "\"type\":\"result\""] {
        assert!(kept.contains(found), "{found}: {kept}");
    }
    let ended = run(&env, &["-p", "hi", "--debug-file", "nowhere/x"]).run();
    assert!(ended.code == Some(1) && ended.stderr.contains("nowhere/x"), "{ended:?}");
}

#[test]
fn a_person_sees_calls_and_decisions_with_verbose() {
    let deny = "echo 'not on a Friday' >&2; exit 2";
    let settings = json!({"hooks": {"PreToolUse": [hook(deny)]}});
    let turns = json!([{"text": "I go.", "tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": "make deploy"}}]}, {"text": "No."}]);
    let env = scripted(&settings, &turns);
    let ended = run(&env, &["-p", "hi", "--verbose"]).run();
    for line in [
        "> hi",
        "I go.",
        "Bash  make deploy",
        "      not on a Friday",
        "  denied",
        "done  2 answers · 1 call (1 denied) · 1 hook (1 blocked)",
    ] {
        assert!(ended.stderr.lines().any(|seen| seen.starts_with(line)), "{line}: {}", ended.stderr);
    }
    assert_eq!(ended.stdout, "No.\n");
}
