//! What a plan costs over a Unix socket: one after another, and many on their way.

use becket_testkit::bench::{Bench, Must};
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::time::Duration;

/// How many plans are on their way at once.
const AHEAD: usize = 64;

fn main() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_becket"));
    let hook = json!({"type": "command", "if": "Bash(git push *)", "command": "true"});
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}});
    env.write("project/.claude/settings.json", settings.to_string());
    let socket = env.root().join("run/becket.sock");
    let mut command = env.becket(["serve", "--socket", &socket.display().to_string()]).into_command();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut becket) = command.spawn() else { return };
    let mut bench = Bench::new("becket-cli");
    if let Some(mut line) = Line::connected(&socket) {
        let open = json!({"start": env.project(), "session": "s"});
        line.asks(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol": 1}}));
        line.asks(&json!({"jsonrpc": "2.0", "id": 2, "method": "session/open", "params": open}));
        bench.note("the client's own work is in it");
        let plan = plan();
        bench.alone("serve: a plan over a Unix socket", Must::Nanos(60e3), || line.sends(&plan, 1));
        let all = plan.repeat(AHEAD);
        bench.note("64 on their way; 20,000 a second are 3.2 ms");
        bench.alone("serve: 64 plans over a Unix socket", Must::Nanos(64.0 * 50e3), || {
            line.sends(&all, AHEAD)
        });
    }
    ended(&mut becket);
}

fn ended(becket: &mut Child) {
    drop(becket.kill());
    drop(becket.wait());
}

/// A request, as a line.
fn plan() -> String {
    let input = json!({"tool_name": "Bash", "tool_use_id": "call-1", "tool_input": {"command": "git push origin main"}});
    let params = json!({"session": "s", "event": "PreToolUse", "input": input});
    format!("{}\n", json!({"jsonrpc": "2.0", "id": 3, "method": "event/plan", "params": params}))
}

/// A connection.
struct Line {
    to: UnixStream,
    from: BufReader<UnixStream>,
    answer: String,
}

impl Line {
    /// Connects as soon as somebody listens.
    fn connected(socket: &std::path::Path) -> Option<Self> {
        let mut tries = 0..1_000;
        let to = tries.find_map(|_| {
            std::thread::sleep(Duration::from_millis(10));
            UnixStream::connect(socket).ok()
        })?;
        let from = BufReader::new(to.try_clone().ok()?);
        Some(Line { to, from, answer: String::new() })
    }

    fn asks(&mut self, request: &Value) {
        self.sends(&format!("{request}\n"), 1);
    }

    /// Sends lines, and reads their answers.
    fn sends(&mut self, lines: &str, answers: usize) {
        drop(self.to.write_all(lines.as_bytes()));
        for _ in 0..answers {
            self.answer.clear();
            drop(self.from.read_line(&mut self.answer));
            assert!(self.answer.contains("\"result\""), "{}", self.answer);
        }
    }
}
