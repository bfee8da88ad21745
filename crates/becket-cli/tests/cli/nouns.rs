//! Suggestions: for a typo in any name, or only its beginning, the error suggests the name that was probably meant.

use crate::env;
use becket_testkit::env::TestEnv;

/// Creates a project with something of everything that has a name.
fn project() -> TestEnv {
    let env = env();
    env.write(
        "project/.claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
            {"type": "command", "command": "cat >/dev/null; echo no >&2; exit 2"}]}]}}"#,
    );
    env.write(
        "project/.claude/tests/pushes.toml",
        "[[case]]\nname = \"a forced push is denied\"\ntool = { name = \"Bash\", input = { command = \"git push -f\" } }\n\
         want = { decision = \"deny\" }\n",
    );
    env.write("project/turns.json", r#"{"turns": []}"#);
    env.write("project/.mcp.json", r#"{"mcpServers": {"notebook": {"command": "false"}}}"#);
    env.write(
        "project/.claude/agents/reviewer.md",
        "---\nname: reviewer\ndescription: reviews\n---\nReview.\n",
    );
    env
}

#[test]
fn every_noun_has_its_suggestion() {
    let env = project();
    let added = env.becket(["add", "no-network", "--yes", "--quiet"]).run();
    assert_eq!(added.code, Some(0), "{added:?}");
    let run = ["run", "--model", "script:turns.json", "-p", "hi"];
    for (noun, arguments, meant) in [
        ("command", &["chek"][..], "check"),
        ("command, by its beginning", &["expl"], "explain"),
        ("command of a command", &["mcp", "lst"], "list"),
        ("command of a command, by its beginning", &["audit", "ver"], "verify"),
        ("command of `help`", &["help", "chek"], "check"),
        ("option", &["check", "--formt", "json"], "--format"),
        ("option, by its beginning", &["init", "--temp", "strict"], "--template"),
        ("global option", &["list", "--quite"], "--quiet"),
        ("profile", &["--profile", "cluade", "list"], "claude"),
        ("colour", &["--color", "alway", "list"], "always"),
        ("event of `fire`", &["fire", "PreTolUse"], "PreToolUse"),
        ("event of `explain`, by its beginning", &["explain", "PreTool"], "PreToolUse"),
        ("event of `list`, by a short beginning", &["list", "Sess"], "SessionStart"),
        ("event of `events`", &["events", "stopp"], "Stop"),
        ("event of `check-output`", &["check-output", "Stpo"], "Stop"),
        ("event of `schema input`", &["schema", "input", "PostTool"], "PostToolUse"),
        ("event of `schema output`", &["schema", "output", "Notif"], "Notification"),
        ("schema", &["schema", "setings"], "settings"),
        ("tool", &["fire", "PreToolUse", "--tool", "bash"], "Bash"),
        ("tool, by its beginning", &["explain", "PreToolUse", "--tool", "Notebook"], "NotebookEdit"),
        ("field", &["fire", "UserPromptSubmit", "--set", "promt=x"], "prompt"),
        ("mode", &["fire", "Stop", "--mode", "acceptEdit"], "acceptEdits"),
        ("rule", &["rule", "unknown-evnt"], "unknown-event"),
        ("rule, by its beginning", &["rule", "unknown-ev"], "unknown-event"),
        ("rule of `--severity`", &["check", "--severity", "unknown-evnt=off"], "unknown-event"),
        ("level of `--severity`", &["check", "--severity", "unknown-event=eror"], "error"),
        ("format of `check`", &["check", "--format", "sarf"], "sarif"),
        ("format of `test`", &["test", "--format", "junti"], "junit"),
        ("agent of `check --for`", &["check", "--for", "gemni"], "gemini"),
        ("agent of `check --for`, by its beginning", &["check", "--for", "gem"], "gemini"),
        ("agent of `install`", &["install", "codx"], "codex"),
        ("agent of `install`, by its beginning", &["install", "wind"], "windsurf"),
        ("agent of `uninstall`", &["uninstall", "opencod"], "opencode"),
        ("agent of `doctor`", &["doctor", "curser"], "cursor"),
        ("agent of `translate`", &["translate", "--to", "gemeni"], "gemini"),
        ("template", &["init", "--template", "strct"], "strict"),
        ("template, by its beginning", &["init", "--template", "min"], "minimal"),
        ("guard", &["add", "secret", "--yes"], "secrets"),
        ("guard, by its beginning", &["add", "no-net", "--yes"], "no-network"),
        ("guard of `remove`", &["remove", "no-netwrk", "--yes"], "no-network"),
        ("question of a guard", &["add", "protected-branches", "--set", "branchs=x", "--yes"], "branches"),
        (
            "question of a template",
            &["init", "--template", "minimal", "--set", "branchs=x", "--yes"],
            "branches",
        ),
        ("case", &["test", "a forced pushh is denied"], "a forced push is denied"),
        ("file of cases", &["test", "pushs"], "pushes"),
        ("shell", &["completions", "bsh"], "bash"),
        ("MCP server", &["mcp", "tools", "notebok"], "notebook"),
        ("MCP server, by its beginning", &["mcp", "approve", "note"], "notebook"),
        ("MCP server of `doctor`", &["mcp", "doctor", "notebok"], "notebook"),
        ("MCP server of `call`", &["mcp", "call", "notebok", "x"], "notebook"),
        ("MCP server of `remove`", &["mcp", "remove", "notebok"], "notebook"),
        ("scope", &["mcp", "add", "--scope", "projct", "x", "y"], "project"),
        ("transport", &["mcp", "add", "--transport", "stdoi", "x", "y"], "stdio"),
        ("permission mode", &[&run[..], &["--permission-mode", "acceptEdit"]].concat(), "acceptEdits"),
        ("source", &[&run[..], &["--setting-sources", "projct"]].concat(), "project"),
        ("subagent", &[&run[..], &["--agent", "reviwer"]].concat(), "reviewer"),
        ("built-in tool", &[&run[..], &["--tools", "Bsh"]].concat(), "Bash"),
        ("output format", &[&run[..], &["--output-format", "jsn"]].concat(), "json"),
        ("provider", &["run", "--model", "opnai::gpt", "-p", "hi"], "openai"),
        ("effort", &[&run[..], &["--effort", "hgh"]].concat(), "high"),
        ("network", &["exec", "--network", "non", "--", "true"], "none"),
    ] {
        let ended = env.becket(arguments).run();
        assert!(!matches!(ended.code, Some(0) | None), "{noun}: {ended:?}");
        let names_it =
            ["`", "'"].iter().any(|quote| ended.stderr.contains(&format!("{quote}{meant}{quote}")));
        assert!(
            names_it,
            "{noun}: `becket {}` does not name `{meant}`: {}",
            arguments.join(" "),
            ended.stderr
        );
        assert!(
            ended.stderr.contains("did you mean") || ended.stderr.contains("similar"),
            "{noun}: {}",
            ended.stderr
        );
    }
}

#[test]
fn a_field_of_the_input_has_its_suggestion() {
    let input = r#"{"hook_event_name": "PreToolUse", "tool_input": {"command": "ls"}}"#;
    for (path, meant) in [
        ("tool_input.comand", "tool_input.command"),
        ("tool_inptu.command", "tool_input"),
        ("tool_in", "tool_input"),
    ] {
        let ended = env().becket(["input", "--get", path]).stdin(input).run();
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{path}");
        assert_eq!(ended.stderr, format!("there is no field `{path}`; did you mean `{meant}`?\n"));
    }
    let ended = env().becket(["input", "--get", "tool_input.cwd"]).stdin(input).run();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(1), ""));
}

/// Asserts that a misspelt dialect in the command of a hook is refused, with a suggestion.
#[test]
fn a_dialect_has_its_suggestion() {
    let ended = env().becket(["fire", "--dialect", "gemni"]).stdin("{}").run();
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("did you mean `gemini`?"), "{ended:?}");
}
