//! The cost of `becket serve` for a host: a plan and a firing over each transport, sequential and pipelined.

#![expect(clippy::expect_used, reason = "a bench fails by panicking")]

mod ways;

use becket_bench::full_program;
use becket_testkit::bench::{Bench, BenchTarget};
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};
use std::process::Command;
use ways::{ServeProcess, http::Http, lines::Line, processors::PinnedProcessor};

/// The number of concurrent plans.
const AHEAD: usize = 64;
const COMMAND: &str = "the command `true` is its hook; floor: `sh -c true`";

fn main() {
    let env = TestEnv::new(full_program());
    let hook = json!({"type": "command", "if": "Bash(git push *)", "command": "true"});
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}});
    env.write("project/.claude/settings.json", settings.to_string());
    let mut bench = Bench::new("becket-bench");
    over_a_socket(&mut bench, &env);
    over_stdio(&mut bench, &env);
    over_http(&mut bench, &env);
}

fn over_a_socket(bench: &mut Bench, env: &TestEnv) {
    // Waking an idle processor takes longer than a plan, and the system moves processes between processors.
    for (way, of_client) in [("on one processor", 0), ("on two processors", 1)] {
        let Some(_here) = PinnedProcessor::pin(0) else { break };
        let (_served, mut line) = on_a_socket(env);
        let mut bare = line.bare(&plan());
        let Some(_there) = PinnedProcessor::pin(of_client) else { break };
        bench.note("peer: the same client and a thread that only sends the same answer");
        bench.versus(
            &format!("serve: a plan over a Unix socket, {way}"),
            BenchTarget::Nanos(60e3),
            || line.sends(&plan(), 1),
            || bare.sends(&plan(), 1),
        );
    }
    let (_served, mut line) = on_a_socket(env);
    let all = plan().repeat(AHEAD);
    bench.note("64 on their way; 20,000 a second are 3.2 ms");
    bench.alone("serve: 64 plans over a Unix socket", BenchTarget::Nanos(64.0 * 50e3), || {
        line.sends(&all, AHEAD)
    });
    firings(bench, "a Unix socket", |request| line.sends(request, 1));
}

/// Starts a becket that serves on a socket, and a client with a session.
fn on_a_socket(env: &TestEnv) -> (ServeProcess, Line) {
    let socket = env.root().join("run/becket.sock");
    let served = ServeProcess::start(env, &["--socket", &socket.display().to_string()]);
    let mut line = Line::connected(&socket);
    opened(env, |request| line.sends(request, 1));
    (served, line)
}

fn over_stdio(bench: &mut Bench, env: &TestEnv) {
    let mut served = ServeProcess::start(env, &[]);
    let mut line = Line::of(&mut served.0);
    opened(env, |request| line.sends(request, 1));
    bench.note("the client's own work is in it");
    bench.alone("serve: a plan over stdio", BenchTarget::Nothing, || line.sends(&plan(), 1));
    firings(bench, "stdio", |request| line.sends(request, 1));
}

fn over_http(bench: &mut Bench, env: &TestEnv) {
    let mut served = ServeProcess::start(env, &["--http", "127.0.0.1:0"]);
    let mut http = Http::connected(&mut served.0);
    opened(env, |request| drop(http.sends(request)));
    let requests = [("a plan", plan()), ("a firing, no hook,", fire("ls"))];
    for (what, request) in requests {
        let mut bare = http.bare(&request);
        bench.note("peer: reqwest alone, the same body to a server that only sends the same answer");
        bench.versus(
            &format!("serve: {what} over HTTP"),
            BenchTarget::Nothing,
            || http.sends(&request),
            || bare.sends(&request),
        );
    }
    firing_of_a_command(bench, "HTTP", |request| drop(http.sends(request)));
}

fn opened(env: &TestEnv, mut sends: impl FnMut(&str)) {
    sends(&request("initialize", &json!({"protocol": 1})));
    sends(&request("session/open", &json!({"start": env.project(), "session": "s"})));
}

fn firings(bench: &mut Bench, way: &str, mut sends: impl FnMut(&str)) {
    let none = fire("ls");
    bench.note("the client's own work is in it");
    bench.alone(&format!("serve: a firing, no hook, over {way}"), BenchTarget::Nothing, || sends(&none));
    firing_of_a_command(bench, way, sends);
}

fn firing_of_a_command(bench: &mut Bench, way: &str, mut sends: impl FnMut(&str)) {
    let one = fire("git push origin main");
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "true"]);
    bench.note(COMMAND);
    bench.versus(
        &format!("serve: a firing, one hook, over {way}"),
        BenchTarget::Nothing,
        || sends(&one),
        || assert!(shell.status().is_ok_and(|status| status.success())),
    );
}

fn plan() -> String {
    of_a_call("event/plan", "git push origin main")
}

fn fire(line: &str) -> String {
    of_a_call("event/fire", line)
}

/// Returns a request about a call of Bash.
fn of_a_call(method: &str, line: &str) -> String {
    let input = json!({"tool_name": "Bash", "tool_use_id": "call-1", "tool_input": {"command": line}});
    request(method, &json!({"session": "s", "event": "PreToolUse", "input": input}))
}

/// Returns a request as a line.
fn request(method: &str, params: &Value) -> String {
    format!("{}\n", json!({"jsonrpc": "2.0", "id": 3, "method": method, "params": params}))
}
