//! The plugins that `install` writes, in a program that calls them as their agents do.

use crate::env;
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// Calls a plugin with a call and its result; prints the denial, or the call and the result afterwards.
const HOST: &str = r#"
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

const { file, call, result } = JSON.parse(readFileSync(0, "utf8"))
const plugin = await import(pathToFileURL(file))
const hosts = {
  async opencode() {
    const hooks = await plugin.Becket({ client: {}, directory: process.cwd() })
    const about = { tool: call.name, sessionID: "s", callID: "c" }
    const input = { args: call.input }
    await hooks["tool.execute.before"](about, input)
    await hooks["tool.execute.after"]({ ...about, args: input.args }, result)
    return { input: input.args, result }
  },
  async pi() {
    const handlers = {}
    plugin.default({ on: (name, handler) => (handlers[name] = handler) })
    const event = { toolName: call.name, toolCallId: "c", input: call.input }
    const context = { cwd: process.cwd() }
    const denial = await handlers.tool_call(event, context)
    if (denial?.block) throw new Error(denial.reason)
    const changed = await handlers.tool_result({ ...event, ...result }, context)
    return { input: event.input, result: { ...result, ...changed } }
  },
}
try {
  console.log(JSON.stringify(await hosts[plugin.Becket ? "opencode" : "pi"]()))
} catch (error) {
  console.log(JSON.stringify({ denied: error.message }))
}
"#;

/// The plugin of an agent in a project.
struct Plugin {
    env: TestEnv,
    file: &'static str,
}

impl Plugin {
    /// Installs the plugin in a project with these hooks.
    fn new(agent: &str, file: &'static str, hooks: &Value) -> Self {
        let env = env();
        let managed = env.root().join("managed").display().to_string();
        let text =
            format!("#!/bin/sh\nexec '{}' --managed-dir '{managed}' \"$@\"\n", env!("CARGO_BIN_EXE_becket"));
        let program = env.write("bin/becket", text);
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("a mode");
        env.write("host.mjs", HOST);
        env.write("project/.claude/settings.json", json!({ "hooks": hooks }).to_string());
        let servers = json!({"mcp": {"vault": {"type": "local", "command": ["vault"]}}});
        env.write("project/opencode.json", servers.to_string());
        let plugin = Plugin { env, file };
        let install = plugin.env.becket(["install", agent, "--project"]);
        let ended = install.path_first(&plugin.env.root().join("bin")).run();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        plugin
    }

    /// Makes a call; returns what has become of it.
    fn call(&self, name: &str, input: &Value, result: &Value) -> Value {
        let file = self.env.project().join(self.file);
        let input = json!({"file": file, "call": {"name": name, "input": input}, "result": result});
        let becket = self.env.becket::<&str>([]).path_first(&self.env.root().join("bin")).into_command();
        let mut node = Command::new("node");
        node.arg(self.env.root().join("host.mjs")).current_dir(self.env.project()).env_clear();
        node.envs(becket.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let stdin = self.env.write("input.json", input.to_string());
        node.stdin(fs::File::open(stdin).expect("it was written"));
        let ended = node.output().expect("node runs");
        serde_json::from_slice(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
    }
}

fn hook(script: &str) -> Value {
    json!({"type": "command", "command": script})
}

/// Returns a hook that prints this answer for its event.
fn answers(event: &str, answer: &Value) -> Value {
    let mut own = json!({ "hookEventName": event });
    own.as_object_mut().expect("an object").extend(answer.as_object().expect("an object").clone());
    hook(&format!("echo '{}'", json!({ "hookSpecificOutput": own })))
}

fn groups(matcher: &str, hooks: &[Value]) -> Value {
    json!([{"matcher": matcher, "hooks": hooks}])
}

const OPENCODE: (&str, &str) = ("opencode", ".opencode/plugins/becket.js");
const PI: (&str, &str) = ("pi", ".pi/extensions/becket.js");

fn shell() -> Value {
    json!({"command": "cat key"})
}

// rules: D5, D8, D11
#[test]
fn an_output_that_replaces_the_tools_is_all_that_the_model_reads() {
    let replaced = answers("PostToolUse", &json!({"updatedToolOutput": {"stdout": "hidden", "stderr": ""}}));
    let context = answers("PostToolUse", &json!({"additionalContext": "mind it"}));
    let hooks = json!({"PostToolUse": groups("Bash|mcp__vault__.*", &[replaced, context])});
    let opencode = Plugin::new(OPENCODE.0, OPENCODE.1, &hooks);
    let file = json!({"mime": "image/png", "url": "data:secret"});
    let found = opencode.call("bash", &shell(), &json!({"output": "secret", "attachments": [file]}));
    assert_eq!(found["result"], json!({"output": "hidden\nmind it"}));
    let contents = json!([{"type": "text", "text": "secret"}, {"type": "image", "data": "secret"}]);
    let found = opencode.call("vault_read", &json!({}), &json!({ "content": contents }));
    let text = |text: &str| json!({"type": "text", "text": text});
    assert_eq!(found["result"], json!({"content": [text("hidden"), text("mind it")]}));
    let pi = Plugin::new(PI.0, PI.1, &hooks);
    let found = pi.call("bash", &shell(), &json!({ "content": contents }));
    assert_eq!(found["result"], json!({"content": [text("hidden"), text("mind it")]}));
}

// rules: D5, N3
#[test]
fn hooks_see_the_result_of_a_servers_tool_and_add_to_it() {
    let sees =
        r#"grep -q '"text":"a letter"' && echo '{"decision": "block", "reason": "read it again"}'; exit 0"#;
    let before = answers("PreToolUse", &json!({"additionalContext": "be careful"}));
    let hooks = json!({"PreToolUse": groups("mcp__vault__.*", &[before]),
        "PostToolUse": groups("mcp__vault__.*", &[hook(sees)])});
    let opencode = Plugin::new(OPENCODE.0, OPENCODE.1, &hooks);
    let letter = json!({"type": "text", "text": "a letter"});
    let found = opencode.call("vault_read", &json!({}), &json!({"content": [letter]}));
    let added = json!({"type": "text", "text": "be careful\nread it again"});
    assert_eq!(found["result"]["content"], json!([letter, added]));
}

// rules: D1, D5
#[test]
fn a_denial_has_the_context_of_the_hooks_since_there_is_no_result() {
    let denied = json!({"permissionDecision": "deny", "permissionDecisionReason": "not here",
        "additionalContext": "use the other branch"});
    let hooks = json!({"PreToolUse": groups("Bash", &[answers("PreToolUse", &denied)])});
    for (agent, file) in [OPENCODE, PI] {
        let found =
            Plugin::new(agent, file, &hooks).call("bash", &shell(), &json!({"output": "", "content": []}));
        assert_eq!(found, json!({"denied": "not here\nuse the other branch"}), "{agent}");
    }
}
