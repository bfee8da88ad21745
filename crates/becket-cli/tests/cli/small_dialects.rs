//! Agents with their own dialects: the small program answers like the full one, and delegates what it can't decide.

use crate::dialects::{effect, is_refused, payload};
use crate::small_program::{Installed, at_a_time};
use crate::{env, workspace};
use becket_dialects::{ALL, Dialect, dialect};
use becket_testkit::env::{ProgramOutput, TestEnv};
use serde_json::{Value, json};
use std::fs;

/// A hook that prints the answer `answer`, for any event.
const ANSWERS: &str = r#"#!/bin/sh
event=$(sed 's/.*"hook_event_name":"\([A-Za-z]*\)".*/\1/')
sed "s/EVENT/$event/" answer.json
"#;

/// Creates a project whose hooks on all events give the same answer.
fn project(answer: &Value) -> TestEnv {
    let env = env();
    let rows = crate::small_program::cases("becket-model/tests/cases/events.json");
    let command = format!("cd {} && sh hook.sh", env.project().display());
    let group = json!([{"hooks": [{"type": "command", "command": command}]}]);
    let names = rows.iter().filter_map(|row| row["event"].as_str());
    let hooks: Value = names.map(|name| (name.to_owned(), group.clone())).collect();
    env.write("project/.claude/settings.json", json!({"hooks": hooks}).to_string());
    env.write("project/hook.sh", ANSWERS);
    env.write("project/answer.json", answer.to_string());
    env
}

fn entry(agent: &str) -> Vec<String> {
    let words = ["fire", "--dialect", agent, "--within", "50"];
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Fires with both programs, each without the state that the other has stored.
fn same(installed: &Installed, env: &TestEnv, arguments: &[String], payload: &str) -> ProgramOutput {
    let run = || env.becket(arguments).stdin(payload);
    let expected = run().run();
    // The directory may not exist.
    drop(fs::remove_dir_all(env.root().join("home/.claude/becket")));
    let own = run().of(&installed.program()).run();
    assert_eq!(without_id(&own), without_id(&expected), "{arguments:?} {payload}");
    own
}

/// Replaces the random ID by which a person allows a call.
fn without_id(output: &ProgramOutput) -> ProgramOutput {
    const COMMAND: &str = "becket allow-once ";
    let is_of_id = |c: char| c.is_ascii_alphanumeric();
    let masked = |text: &str| {
        let parts: Vec<&str> = text.split(COMMAND).collect();
        let (first, rest) = parts.split_first().expect("a text has a part");
        let rest = rest.iter().map(|part| format!("{COMMAND}ID{}", part.trim_start_matches(is_of_id)));
        std::iter::once((*first).to_owned()).chain(rest).collect::<String>()
    };
    ProgramOutput { code: output.code, stdout: masked(&output.stdout), stderr: masked(&output.stderr) }
}

fn payloads(dialect: &Dialect) -> Vec<Value> {
    let file = workspace().join("crates/becket-dialects/tests/fixtures").join(dialect.name);
    let text = fs::read_to_string(file.join("payloads.json")).expect("fixtures");
    serde_json::from_str(&text).expect("JSON")
}

// rules: O1, D1, D3, D5
#[test]
fn every_payload_of_every_agent_has_the_same_answer() {
    let (whole, alone) = (Installed::whole(), Installed::alone());
    let own = |fields: Value| {
        let mut own = json!({"hookEventName": "EVENT"});
        own.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        json!({"hookSpecificOutput": own})
    };
    let answers = [
        own(json!({"permissionDecision": "deny", "permissionDecisionReason": "not here"})),
        own(
            json!({"permissionDecision": "ask", "permissionDecisionReason": "sure?", "additionalContext": "CTX"}),
        ),
        own(json!({"permissionDecision": "allow", "updatedInput": {"command": "true"}})),
        json!({"continue": false, "stopReason": "enough", "systemMessage": "said"}),
    ];
    let mut cases = Vec::new();
    for (row, dialect) in ALL.iter().enumerate() {
        for (column, case) in payloads(dialect).into_iter().enumerate() {
            // Each answer to each command, and one answer to each other payload.
            let is_command = case["name"] == "shell";
            let chosen = answers
                .iter()
                .enumerate()
                .filter(|(at, _)| is_command || (row + column) % answers.len() == *at);
            cases.extend(chosen.map(|(_, answer)| json!([dialect.name, case["payload"], answer])));
        }
    }
    assert!(cases.len() > 160, "{}", cases.len());
    at_a_time(&cases, |case| {
        let name = case[0].as_str().expect("a name");
        let env = project(&case[2]);
        let text = case[1].to_string().replace("/work/p", &env.project().display().to_string());
        same(&whole, &env, &entry(name), &text);
    });
    // The small program decides calls of commands itself.
    for dialect in ALL {
        let env = project(&answers[0]);
        let call = payload(dialect, "shell", &env, "ls").expect("every agent runs commands");
        let refused = same(&alone, &env, &entry(dialect.name), &call);
        let said = format!("{}{}", refused.stdout, refused.stderr);
        assert!(said.contains("not here"), "{}: {refused:?}", dialect.name);
    }
}

// rules: G3, O10
#[test]
fn what_depends_on_more_than_hooks_is_handed_on_before_one_runs() {
    let (whole, alone) = (Installed::whole(), Installed::alone());
    let gemini = dialect("gemini").expect("it has a table");
    let with = |words: &[&str]| -> Vec<String> {
        entry("gemini").into_iter().chain(words.iter().map(|&word| word.to_owned())).collect()
    };
    for (name, more) in [
        // A folder that the user does not trust, or that only the agent trusts.
        ("shell", &["--user-scope"][..]),
        // An entry that is incomplete, or of another version.
        ("start", &["--installed", "0"]),
        ("shell", &["--installed", "7"]),
        ("shell", &["--exec-rewrite"]),
        ("unknown tool", &[]),
    ] {
        let env = project(&json!({}));
        env.write("project/hook.sh", "cat >/dev/null; echo >>ran\n");
        if more.contains(&"--user-scope") {
            env.write("home/.claude.json", "{}");
        }
        let call = match name {
            "unknown tool" => payload(gemini, "shell", &env, "ls")
                .map(|call| call.replace("run_shell_command", "teleport_somewhere")),
            name => payload(gemini, name, &env, "ls"),
        };
        let call = call.expect("a payload");
        whole.same(&env, &with(more).iter().map(String::as_str).collect::<Vec<_>>(), &call);
        drop(fs::remove_file(env.project().join("ran")));
        let refused = env.becket(with(more)).of(&alone.program()).stdin(call).run();
        let said = format!("{}{}", refused.stdout, refused.stderr);
        assert!(said.contains("becket-full"), "{name} {more:?} {refused:?}");
        match more.contains(&"--installed") {
            // The entry refuses.
            true => assert_eq!((refused.code, refused.stdout.as_str()), (Some(125), ""), "{name} {more:?}"),
            false => assert!(is_refused(effect(gemini, &refused)), "{name} {more:?} {refused:?}"),
        }
        assert!(!env.project().join("ran").exists(), "{name} {more:?}: a hook ran");
    }
    // The refusal is in the form of each agent, whatever is wrong with the arguments.
    for dialect in ALL {
        let env = project(&json!({}));
        let call = payload(dialect, "shell", &env, "ls").expect("every agent runs commands");
        for option in [format!("--dialect={}", dialect.name), "--dialect=auto".to_owned()] {
            let run = env.becket(["fire", &option, "--no-such-option"]).of(&alone.program());
            let refused = run.stdin(call.as_str()).run();
            assert!(is_refused(effect(dialect, &refused)), "{option} {refused:?}");
        }
    }
}

// rule: O10
#[test]
fn hooks_that_are_not_ended_in_time_are_refused_alike() {
    let alone = Installed::alone();
    for name in ["gemini", "codex"] {
        let dialect = dialect(name).expect("it has a table");
        let env = project(&json!({}));
        env.write("project/hook.sh", "exec sleep 1000\n");
        let call = payload(dialect, "shell", &env, "ls").expect("every agent runs commands");
        let arguments: Vec<String> =
            ["fire", "--dialect", name, "--within", "1"].iter().map(|&word| word.to_owned()).collect();
        let refused = same(&alone, &env, &arguments, &call);
        let said = format!("{}{}", refused.stdout, refused.stderr);
        assert!(said.contains("took longer than 1 s"), "{refused:?}");
    }
}

// rule: D5
#[test]
fn context_that_one_program_has_kept_is_in_an_answer_of_the_other() {
    let whole = Installed::whole();
    let gemini = dialect("gemini").expect("it has a table");
    let context = json!({"hookSpecificOutput": {"hookEventName": "EVENT", "additionalContext": "CTX"}});
    for by_small in [true, false] {
        let env = project(&context);
        let fired = |name: &str, by_small: bool| {
            let run = env.becket(entry("gemini")).stdin(payload(gemini, name, &env, "ls").expect(name));
            if by_small { run.of(&whole.program()).run() } else { run.run() }
        };
        let before = fired("shell", by_small);
        assert!(!before.stdout.contains("CTX"), "{before:?}");
        env.write("project/answer.json", "{}");
        let after = fired("result", !by_small);
        assert!(after.stdout.contains("CTX"), "{after:?}");
    }
}
