//! MCP servers that the description of an agent defines.

use super::host::Host;
use super::place;
use super::wishes::server;
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

/// Returns the user's settings: the server's tool is allowed, and a hook records its calls.
fn settings() -> Value {
    let hook = json!({"type": "command", "command": "cat >>seen"});
    json!({
        "permissions": {"allow": ["mcp__own__echo"]},
        "hooks": {"PreToolUse": [{"matcher": "mcp__own__.*", "hooks": [hook]}]},
    })
}

fn echo(id: &str) -> Value {
    json!({"id": id, "name": "mcp__own__echo", "input": {"said": 1}})
}

fn worker() -> Value {
    let input = json!({"description": "work", "prompt": "Work.", "subagent_type": "worker"});
    json!({"id": "a1", "name": "Agent", "input": input})
}

/// Returns turns in which the subagent calls the server, whose answer is `answer`, and then the session does.
fn turns(answer: &str) -> Value {
    json!([
        {"tool_uses": [worker()]},
        {"tool_uses": [echo("t1")]},
        {"text": "The agent is done.", "expect": [answer]},
        {"tool_uses": [echo("t2")]},
        {"text": "Done.", "expect": ["no tool `mcp__own__echo`"]},
    ])
}

fn agents(fields: &Value) -> Value {
    let mut worker = json!({"description": "Works", "prompt": "Work.", "mcpServers": [{"own": server()}]});
    for (key, value) in fields.as_object().expect("an object") {
        worker[key] = value.clone();
    }
    json!({ "agents": {"worker": worker} })
}

fn seen(env: &TestEnv) -> String {
    std::fs::read_to_string(env.project().join("seen")).unwrap_or_default()
}

/// Runs the session, and returns everything that the host received.
fn worked(env: &TestEnv, arguments: &[&str], wants: Value) -> String {
    let mut host = Host::initialized(env, arguments, wants);
    host.prompt("work");
    assert_eq!(host.result()["result"], "Done.");
    let init = host.seen.iter().find(|line| line["subtype"] == "init").expect("there is one");
    assert!(!init["tools"].to_string().contains("mcp__own"), "{init}");
    json!(host.seen).to_string()
}

// rules: X2, X5
#[test]
fn a_server_that_an_agent_describes_is_its_own_and_hooks_judge_its_calls() {
    let env = place(BECKET, &settings(), &turns("said"));
    let log = env.project().join("log");
    let mut own = server();
    own["args"].as_array_mut().expect("a list").push(json!("--note-end"));
    own["env"] = json!({"LOG": log});
    // A list of tools refers to those of the session.
    let fields = json!({"mcpServers": [{"own": own}], "tools": ["Read"]});
    let mut host = Host::initialized(&env, &[], agents(&fields));
    assert!(!log.exists(), "it is started with the agent");
    host.prompt("work");
    assert_eq!(host.result()["result"], "Done.");
    let log = std::fs::read_to_string(log).expect("it was started");
    assert!(log.contains("tools/call") && log.contains("test/eof"), "it has ended with the agent: {log}");
    let told = json!(host.seen).to_string();
    assert!(!told.contains("`own`"), "{told}");
    let seen = seen(&env);
    assert_eq!(seen.matches("\"mcp__own__echo\"").count(), 1, "{seen}");
}

// rules: X2, X5
#[test]
fn a_session_that_works_as_an_agent_has_its_servers_and_ends_them() {
    let turns = json!([
        {"tool_uses": [echo("t1"), worker()]},
        {"tool_uses": [echo("t2")]},
        {"text": "The other agent is done.", "expect": ["no tool `mcp__own__echo`"]},
        {"text": "Done.", "expect": ["said"]},
    ]);
    let env = place(BECKET, &settings(), &turns);
    let log = env.project().join("log");
    let mut own = server();
    own["args"].as_array_mut().expect("a list").push(json!("--note-end"));
    own["env"] = json!({"LOG": log});
    let main = json!({"description": "Leads", "prompt": "Lead.", "mcpServers": [{"own": own}]});
    let other = json!({"description": "Works", "prompt": "Work."});
    let wants = json!({"agents": {"lead": main, "worker": other}});
    let mut host = Host::initialized(&env, &["--agent", "lead"], wants);
    host.prompt("work");
    assert_eq!(host.result()["result"], "Done.");
    let init = host.seen.iter().find(|line| line["subtype"] == "init").expect("there is one");
    assert!(init["tools"].to_string().contains("mcp__own__echo"), "{init}");
    assert!(!std::fs::read_to_string(&log).expect("it was started").contains("test/eof"), "it runs");
    assert_eq!(host.ends().0, Some(0));
    assert!(std::fs::read_to_string(&log).expect("it was started").contains("test/eof"), "it has ended");
    assert_eq!(seen(&env).matches("\"mcp__own__echo\"").count(), 1);
}

// rule: X5
#[test]
fn a_session_does_not_start_as_an_agent_whose_servers_have_names_of_its_own() {
    let env = place(BECKET, &settings(), &json!([{"text": "Done."}]));
    let session = json!({"mcpServers": {"own": server()}}).to_string();
    let agents = agents(&json!({}))["agents"].to_string();
    let arguments = [
        "run",
        "--model",
        "script:script.json",
        "-p",
        "work",
        "--agents",
        &agents,
        "--agent",
        "worker",
        "--mcp-config",
        &session,
    ];
    let output = env.becket(arguments).run();
    let told = &output.stderr;
    assert!(told.contains("describes the MCP server `own`, and the session has the server `own`"), "{told}");
    assert_ne!(output.code, Some(0));
}

// rule: X2
#[test]
fn the_policy_and_the_agent_itself_take_a_server_away() {
    let env = place(BECKET, &settings(), &turns("no tool `mcp__own__echo`"));
    let denied = json!({"deniedMcpServers": [{"serverName": "own"}]});
    env.write("managed/managed-settings.json", denied.to_string());
    let told = worked(&env, &[], agents(&json!({})));
    assert!(told.contains("the agent `worker` works without the MCP server `own`"), "{told}");
    assert!(told.contains("`deniedMcpServers` denies it"), "{told}");
    let env = place(BECKET, &settings(), &turns("no tool `mcp__own__echo`"));
    worked(&env, &[], agents(&json!({"disallowedTools": ["mcp__own"]})));
    assert_eq!(seen(&env), "");
}

// rule: X5
#[test]
fn a_server_of_an_agent_never_has_the_name_of_one_of_the_session() {
    for name in ["own", "o.wn"] {
        let why = format!(
            "describes the MCP server `{name}`, and the session has the server `{}`",
            name.replace('.', "_")
        );
        let turns = json!([{"tool_uses": [worker()]}, {"text": "Done.", "expect": [why]}]);
        let env = place(BECKET, &settings(), &turns);
        let session = json!({"mcpServers": {name.replace('.', "_"): server()}}).to_string();
        let wants = agents(&json!({"mcpServers": [{name: server()}]}));
        let mut host = Host::initialized(&env, &["--mcp-config", &session], wants);
        host.prompt("work");
        assert_eq!(host.result()["result"], "Done.", "{name}");
    }
}

// rules: X2, G3
#[test]
fn a_server_of_an_agent_of_the_project_needs_an_approval() {
    for is_approved in [false, true] {
        let mut settings = settings();
        settings["enableAllProjectMcpServers"] = json!(is_approved);
        let answer = if is_approved { "said" } else { "no tool `mcp__own__echo`" };
        let env = place(BECKET, &settings, &turns(answer));
        let fields = json!({"name": "worker", "description": "Works", "mcpServers": [{"own": server()}]});
        env.write("project/.claude/agents/worker.md", format!("---\n{fields}\n---\nWork.\n"));
        let told = worked(&env, &[], json!({}));
        let hint = "then approve it (`becket mcp approve own --agent worker`)";
        assert_eq!(told.contains(hint), !is_approved, "{told}");
    }
}

// rules: X2, G3
#[test]
fn one_server_of_an_agent_of_the_project_is_approved_as_it_is() {
    let env = place(BECKET, &settings(), &turns("said"));
    let file = |server: Value| {
        let fields = json!({"name": "worker", "description": "Works", "mcpServers": [{"own": server}]});
        format!("---\n{fields}\n---\nWork.\n")
    };
    env.write("project/.claude/agents/worker.md", file(server()));
    let approve = ["mcp", "approve", "own", "--agent", "worker"];
    let output = env.becket(approve).run();
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    worked(&env, &[], json!({}));
    assert_eq!(seen(&env).matches("\"mcp__own__echo\"").count(), 1);

    let other = place(BECKET, &settings(), &turns("no tool `mcp__own__echo`"));
    other.write("project/.claude/agents/worker.md", file(server()));
    assert_eq!(other.becket(approve).run().code, Some(0));
    let mut changed = server();
    changed["args"].as_array_mut().expect("a list").push(json!("--note-end"));
    other.write("project/.claude/agents/worker.md", file(changed));
    let told = worked(&other, &[], json!({}));
    assert!(told.contains("becket mcp approve own --agent worker"), "{told}");

    for (agent, why) in [("nobody", "nobody"), ("plain", "describes no MCP server")] {
        other.write("project/.claude/agents/plain.md", "---\nname: plain\ndescription: x\n---\nx\n");
        let output = other.becket(["mcp", "approve", "own", "--agent", agent]).run();
        assert_eq!(output.code, Some(1));
        assert!(output.stderr.contains(why), "{agent}: {}", output.stderr);
    }
}
