//! Unusable arguments of `becket run` and their errors: the problem, its place, and the way to fix it.

use crate::run::{lines, run, scripted};
use serde_json::json;

const ID: &str = "5f1c9f0e-3c0b-4b7e-9a55-0d6f2b1c7a10";

/// The arguments, the exit code, and texts on stderr.
const WRONG: &[(&[&str], i32, &str)] = &[
    (&["-p"], 2, "there is nothing to do: give a prompt, as in `becket run -p 'tidy up'`, or pipe one in\n"),
    (&["-p", "  "], 2, "there is nothing to do"),
    (
        &["-p", "--allowedTools", "Bash", "tidy up"],
        2,
        "(what follows `--allowedTools` counts as its value: a prompt goes before it, or after `--`)",
    ),
    (&["-p", "--add-dir", "."], 2, "what follows `--add-dir`"),
    (&["hi", "--init-only"], 2, "`--init-only` takes no prompt"),
    (&["-p", "hi", "--resume", "nobody"], 1, "there is no session `nobody`; this directory has none"),
    (&["-p", "hi", "--resume", ID], 1, "; this directory has none"),
    (&["-p", "hi", "--agents", "[]"], 2, "`--agents`: it is not a JSON object of agents by name"),
    (
        &["-p", "hi", "--agents", r#"{"a":{"prompt":"x"}}"#],
        2,
        "`--agents`: the agent `a` has no `description`",
    ),
    (&["-p", "hi", "--agents", r#"{"a":7}"#], 2, "`--agents`: agent `a`: it has to be an object"),
    (
        &["-p", "hi", "--agent", "nobody"],
        2,
        "`--agent`: there is no agent `nobody`; there are: `general-purpose`",
    ),
    (&["-p", "hi", "--max-turns", "none"], 2, "write a whole number, at least 1"),
    (&["-p", "hi", "--max-turns", "0"], 2, "write a whole number, at least 1"),
    (&["-p", "hi", "--autocompact", "5"], 2, "write `auto`, or at least 100000 tokens, as in `500k`"),
    (
        &["-p", "hi", "--allowedTools", "Bash(git"],
        2,
        "becket: `--allowedTools`: `Bash(git` is not a rule: the `(` is never closed: end the rule with `)`\n",
    ),
    (&["-p", "hi", "--mcp-config", r#"{"mcpServers""#], 1, "<--mcp-config>:1:"),
];

#[test]
fn what_is_wrong_with_arguments_is_told_before_anything_is_done() {
    let settings =
        json!({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch begun"}]}]}});
    for (arguments, code, said) in WRONG {
        let env = scripted(&settings, &json!([{"text": "done"}]));
        let ended = run(&env, arguments).run();
        assert_eq!(ended.code, Some(*code), "{arguments:?}: {ended:?}");
        assert!(ended.stderr.contains(said), "{arguments:?}: {}", ended.stderr);
        assert_eq!(ended.stdout, "", "{arguments:?}");
        // A SessionStart hook may provide the missing prompt.
        let may_begin = said.contains("nothing to do") || said.contains("what follows");
        assert_eq!(env.project().join("begun").exists(), may_begin, "{arguments:?}: a session was opened");
    }
}

#[test]
fn who_looks_for_a_session_that_is_not_there_is_told_which_there_are() {
    let env = scripted(&json!({}), &json!([{"text": "done"}]));
    assert_eq!(run(&env, &["-p", "tidy up", "--session-id", ID]).run().code, Some(0));
    let ended = run(&env, &["-p", "more", "--resume", "tidy"]).run();
    let said = format!("there is no session `tidy`; the newest of this directory: `{ID}` (tidy up)\n");
    assert!(ended.code == Some(1) && ended.stderr.ends_with(&said), "{ended:?}");
    let ended = run(&env, &["-p", "more", "--continue", "--name", " "]).run();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let ended = run(&env, &["--resume", ID]).run();
    assert!(ended.code == Some(2) && ended.stderr.contains("no call of that session waits"), "{ended:?}");
}

#[test]
fn in_the_mode_auto_the_small_model_judges_what_nothing_else_decides() {
    // rule: P14
    let write =
        |file: &str| json!({"id": file, "name": "Write", "input": {"file_path": file, "content": "x"}});
    let turns = json!([{"tool_uses": [write("good"), write("bad")]}, {"text": "done"}]);
    let env = scripted(&json!({}), &turns);
    let judge = json!({"pick": "fitting", "turns": [
        {"expect": ["bad"], "json": {"reason": "it is bad", "ok": false, "impossible": false}},
        {"expect": ["good"], "json": {"reason": "it is wanted", "ok": true, "impossible": false}}
    ]});
    env.write("project/judge.json", judge.to_string());
    let arguments = ["-p", "write", "--permission-mode", "auto", "--output-format", "json"];
    let ended = run(&env, &arguments).env("ANTHROPIC_SMALL_FAST_MODEL", "script:judge.json").run();
    assert!(env.project().join("good").exists() && !env.project().join("bad").exists(), "{ended:?}");
    assert_eq!(lines(&ended)[0]["permission_denials"][0]["tool_use_id"], "bad", "{ended:?}");
}
