//! Calls of agents as guards see them: no spelling of a call hides its command, its files or its hosts, and the small
//! program decides like the full one.

use crate::dialects::{effect, payload};
use crate::small_program::{Installed, at_a_time};
use crate::{env, env_with};
use becket_dialects::{Dialect, Effect, dialect};
use becket_testkit::env::{ProgramOutput, TestEnv};
use serde_json::{Value, json};

/// Returns the payload of a call with another tool and input.
fn call(agent: &Dialect, env: &TestEnv, tool: &str, input: &Value) -> String {
    let name = if agent.name == "cursor" { "tool" } else { "shell" };
    let text = payload(agent, name, env, "ls").expect("every agent makes calls");
    let mut payload: Value = serde_json::from_str(&text).expect("JSON");
    match payload.get_mut("tool_call") {
        Some(call) => {
            call["name"] = json!(tool);
            call["input"] = input.clone();
        }
        None => {
            payload["tool_name"] = json!(tool);
            payload["tool_input"] = input.clone();
        }
    }
    payload.to_string()
}

fn fired(installed: &Installed, env: &TestEnv, agent: &Dialect, payload: &str) -> ProgramOutput {
    installed.same(env, &["fire", "--dialect", agent.name], payload)
}

/// Returns an environment with rules about files, commands and hosts.
fn ruled() -> TestEnv {
    let deny = ["Read(./secret/**)", "Edit(./secret/**)", "Bash(git push *)", "WebFetch(domain:evil.test)"];
    let env = env_with(&json!({"permissions": {"deny": deny}}).to_string());
    env.write("project/secret/x", "s");
    env.write("project/src/x", "s");
    env
}

const PATCH: &str = "*** Begin Patch\n*** Update File: secret/x\n@@\n-s\n+t\n*** End Patch";

/// Calls that a rule denies.
fn denied() -> Vec<Value> {
    let push = "git push --force";
    let url = "http://evil.test/x";
    vec![
        // Two values for one thing.
        json!(["kimi", "Write", {"path": "secret/x", "file_path": "ok", "content": "x"}]),
        json!(["kimi", "Write", {"file_path": "ok", "path": "secret/x", "content": "x"}]),
        json!(["copilot", "create", {"path": "secret/x", "file_path": "ok", "file_text": "x"}]),
        json!(["hermes", "write_file", {"path": "secret/x", "file_path": "ok", "content": "x"}]),
        json!(["cline", "editor", {"path": "secret/x", "file_path": "ok", "new_text": "x"}]),
        json!(["opencode", "edit", {"filePath": "secret/x", "file_path": "ok"}]),
        json!(["pi", "write", {"path": "secret/x", "file_path": "ok"}]),
        json!(["cursor", "Write", {"path": "secret/x", "file_path": "ok"}]),
        json!(["gemini", "read_file", {"absolute_path": "secret/x", "file_path": "ok"}]),
        json!(["codex", "exec_command", {"cmd": push, "command": "ls"}]),
        json!(["hermes", "execute_code", {"code": push, "command": "ls"}]),
        json!(["gemini", "read_many_files", {"include": ["ok"], "paths": ["secret/x"]}]),
        json!(["cline", "read_files", {"files": ["ok"], "paths": ["secret/x"]}]),
        json!(["cline", "read_files", {"files": [{"path": "ok", "file_path": "secret/x"}]}]),
        json!(["cline", "run_commands", {"commands": ["ls"], "command": push}]),
        // Programs with arguments.
        json!(["cline", "run_commands", {"commands": [{"command": "git", "args": ["push", "-f"]}]}]),
        json!(["cline", "run_commands", {"commands": [{"command": "bash", "args": ["-c", push]}]}]),
        json!(["cline", "run_commands", {"command": "git", "args": ["push", "-f"]}]),
        // The directory of a command.
        json!(["gemini", "run_shell_command", {"command": "cat x", "dir_path": "secret"}]),
        json!(["gemini", "run_shell_command", {"command": "cat x", "directory": "secret"}]),
        json!(["gemini", "run_shell_command", {"command": "touch y", "dir_path": "secret"}]),
        json!(["gemini", "run_shell_command", {"command": "cat secret/x", "directory": "src"}]),
        json!(["qwen", "run_shell_command", {"command": "cat x", "directory": "secret"}]),
        json!(["codex", "exec_command", {"cmd": "cat x", "workdir": "secret"}]),
        json!(["codex", "shell_command", {"command": "cat x", "workdir": "secret"}]),
        json!(["opencode", "bash", {"command": "cat x", "workdir": "secret"}]),
        json!(["hermes", "terminal", {"command": "cat x", "workdir": "secret"}]),
        json!(["kimi", "Bash", {"command": "cat x", "cwd": "secret"}]),
        json!(["gemini", "run_shell_command", {"command": "ls", "dir_path": "nowhere"}]),
        // Patches.
        json!(["hermes", "patch", {"mode": "patch", "patch": PATCH}]),
        json!(["hermes", "patch", {"mode": "patch", "path": "ok", "patch": PATCH}]),
        json!(["opencode", "multiedit", {"filePath": "ok", "edits": [{"filePath": "secret/x"}]}]),
        // Files that are read or listed.
        json!(["codex", "list_dir", {"dir_path": "secret"}]),
        json!(["droid", "Glob", {"patterns": ["secret/*"]}]),
        json!(["qwen", "zoom_image", {"path": "secret/x"}]),
        json!(["qwen", "display_image", {"file_path": "secret/x"}]),
        json!(["qwen", "lsp", {"operation": "hover", "filePath": "secret/x"}]),
        json!(["opencode", "lsp", {"operation": "hover", "filePath": "secret/x"}]),
        json!(["gemini", "grep_search", {"pattern": "s", "include": "secret/**"}]),
        json!(["gemini", "read_many_files", {"include": ["**/*"]}]),
        json!(["qwen", "read_many_files", {"paths": ["s*/x"]}]),
        json!(["kimi", "Read", {"path": ["ok", "secret/x"]}]),
        // Hosts.
        json!(["cline", "fetch_web_content", {"requests": [{"url": url, "prompt": "sum up"}]}]),
        json!(["hermes", "web_extract", {"urls": ["http://ok.test", url]}]),
        json!(["gemini", "web_fetch", {"prompt": format!("compare http://ok.test and {url}")}]),
        json!(["qwen", "web_fetch", {"url": url, "prompt": "sum up"}]),
    ]
}

/// Calls that no rule is about.
fn harmless() -> Vec<Value> {
    let patch = PATCH.replace("secret/", "src/");
    vec![
        json!(["kimi", "Write", {"path": "src/y", "content": "x"}]),
        json!(["kimi", "Write", {"path": "src/y", "file_path": "src/y", "content": "x"}]),
        json!(["gemini", "run_shell_command", {"command": "cat x", "dir_path": "src"}]),
        json!(["gemini", "run_shell_command", {"command": "cat x", "dir_path": ""}]),
        json!(["gemini", "read_many_files", {"include": ["src/*.rs"]}]),
        json!(["gemini", "web_fetch", {"prompt": "sum up http://ok.test/a?b=c"}]),
        json!(["hermes", "patch", {"mode": "patch", "patch": patch}]),
        json!(["hermes", "patch", {"mode": "replace", "path": "src/x", "old_string": "s", "new_string": "t"}]),
        json!(["cline", "run_commands", {"commands": {"command": "git", "args": ["status"]}}]),
        json!(["cline", "run_commands", {"cmd": "ls"}]),
        json!(["cline", "run_commands", "ls"]),
        json!(["cline", "run_commands", ["ls", "pwd"]]),
        json!(["cline", "apply_patch", patch]),
        json!(["cline", "read_files", "src/x"]),
        json!(["cline", "search_codebase", ["x"]]),
        json!(["droid", "Glob", {"patterns": ["src/*"], "folder": "."}]),
    ]
}

// rules: D1, P7, P9
#[test]
fn no_spelling_of_a_call_hides_it_from_a_rule_and_none_denies_a_harmless_one() {
    let installed = Installed::whole();
    let cases = denied().into_iter().map(|case| json!([true, case]));
    let cases: Vec<Value> = cases.chain(harmless().into_iter().map(|case| json!([false, case]))).collect();
    at_a_time(&cases, |case| {
        let agent = dialect(case[1][0].as_str().expect("a name")).expect("a dialect");
        let tool = case[1][1].as_str().expect("a tool");
        let env = ruled();
        let ended = fired(&installed, &env, agent, &call(agent, &env, tool, &case[1][2]));
        let is_held = effect(agent, &ended) != Effect::Runs;
        assert_eq!(is_held, case[0] == json!(true), "{case} {ended:?}");
    });
}

// rules: C4, H3
#[test]
fn a_hook_runs_where_the_command_would_and_is_found_from_where_the_session_is() {
    let installed = Installed::whole();
    let hook = r#"echo "in $(pwd)" >&2; exit 2"#;
    let env = env_with(
        &json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": hook}]}]}}).to_string(),
    );
    env.write("outside/x", "");
    let outside = env.root().join("outside").display().to_string();
    let codex = dialect("codex").expect("a dialect");
    let input = json!({"cmd": "ls", "workdir": outside});
    let ended = fired(&installed, &env, codex, &call(codex, &env, "exec_command", &input));
    assert!(ended.stdout.contains(&format!("in {outside}")), "{ended:?}");
}

// rule: M7
#[test]
fn a_tool_of_a_server_that_the_agent_is_configured_with_is_no_unknown_one() {
    let guard = json!([{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]}]);
    let guarded = || env_with(&json!({"hooks": {"PreToolUse": guard}}).to_string());
    let installed = Installed::whole();
    let opencode = "{ // servers\n \"mcp\": {\"git-hub.com\": {\"type\": \"local\"},} }";
    let servers = r#"{"mcpServers": {"srv": {"command": "srv"}}}"#;
    for (agent, file, text, tool, is_server) in [
        ("opencode", "project/opencode.json", opencode, "git-hub_com_create_issue", true),
        ("opencode", "home/.config/opencode/opencode.jsonc", opencode, "git-hub_com_create_issue", true),
        ("opencode", "project/opencode.json", "{broken", "git-hub_com_create_issue", false),
        ("kilo", "project/kilo.json", r#"{"mcp": {"srv": {}}}"#, "srv_say", true),
        ("cline", "home/.cline/data/settings/cline_mcp_settings.json", servers, "srv__say", true),
        ("copilot", "home/.copilot/mcp-config.json", servers, "srv-say", true),
        ("copilot", "home/.copilot/mcp-config.json", servers, "apply-everything", false),
        ("copilot", "home/.copilot/mcp-config.json", servers, "github-mcp-server-get_me", true),
        ("gemini", "home/.gemini/settings.json", servers, "mcp_srv_say", true),
        ("gemini", "home/.gemini/settings.json", servers, "mcp_run_shell", false),
    ] {
        let env = guarded();
        env.write(file, text);
        let agent = dialect(agent).expect("a dialect");
        let ended = fired(&installed, &env, agent, &call(agent, &env, tool, &json!({"command": "git push"})));
        let is_held = effect(agent, &ended) != Effect::Runs;
        assert_eq!(is_held, !is_server, "{} {tool} {ended:?}", agent.name);
    }
}

// rules: N1, D1
#[test]
fn hooks_see_every_text_of_a_prompt() {
    let installed = Installed::whole();
    let guard = "grep -q sk-live && { echo secret >&2; exit 2; }; exit 0";
    let settings =
        json!({"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": guard}]}]}});
    for (agent, field, prompt, expected) in [
        ("gemini", "prompt", json!("<hook_context>sk-live-1</hook_context> hi"), "secret"),
        ("kimi", "prompt", json!([{"type": "text", "text": "sk-live"}]), "secret"),
        ("kimi", "prompt", json!([{"type": "text", "content": "sk-live"}]), "`prompt` must be"),
        ("kimi", "prompt", json!([{"type": "image", "url": "sk-live"}]), "secret"),
        ("qwen", "submitted_prompt", json!("sk-live"), "secret"),
    ] {
        let env = env_with(&settings.to_string());
        let agent = dialect(agent).expect("a dialect");
        let name = if agent.name == "qwen" { "repeated prompt" } else { "prompt" };
        let text = payload(agent, name, &env, "").expect("a prompt");
        let mut payload: Value = serde_json::from_str(&text).expect("JSON");
        payload[field] = prompt.clone();
        let ended = fired(&installed, &env, agent, &payload.to_string());
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert!(said.contains(expected), "{} {prompt} {ended:?}", agent.name);
    }
    // A repeated prompt is not a prompt.
    let (env, qwen) = (env(), dialect("qwen").expect("a dialect"));
    let repeated = payload(qwen, "repeated prompt", &env, "").expect("a prompt");
    assert_eq!(fired(&installed, &env, qwen, &repeated).stdout, "");
}
