//! The cost of a session that an SDK drives: the time from its start to the first request, its memory after ten turns,
//! and many sessions at once.

#![expect(clippy::expect_used, reason = "a bench fails by panicking")]

use becket_bench::full_program;
use becket_testkit::bench::{Bench, BenchTarget};
use becket_testkit::env::TestEnv;
use becket_testkit::messages_api::{Server, Turn};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

/// The limit on the time until the first request, beyond that of `becket --version`, in nanoseconds.
const START_MAY_ADD: f64 = 60e6;
/// The limit on the memory of a session, in bytes of proportional set size (PSS).
const MAY_TAKE: f64 = 25e6;
const TURNS: usize = 10;
const SESSIONS: usize = 200;

fn main() {
    let mut bench = Bench::new("becket-bench");
    let env = TestEnv::new(full_program());
    let (sender, requests) = channel();
    let server = Server::start_with(move |_| {
        // The bench has ended if there is no receiver.
        let _ended = sender.send(Instant::now()).is_err();
        Turn::text("Done.")
    });
    start(&mut bench, &env, &server, &requests);
    memory(&mut bench, &env, &server);
    side_by_side(&mut bench, &env, &server);
}

/// Measures the time from the start of the process to its first request.
fn start(bench: &mut Bench, env: &TestEnv, server: &Server, requests: &Receiver<Instant>) {
    let first_request = || {
        // Requests of the previous session may have arrived after its end.
        requests.try_iter().for_each(drop);
        let started = Instant::now();
        let mut session = Session::start(env, server);
        session.initialize();
        session.turn();
        let requested = requests.recv().expect("the server runs");
        session.end();
        (requested - started).as_nanos() as f64
    };
    let mut version = || {
        let mut command = env.bare(["--version"]).into_command();
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let started = Instant::now();
        assert!(command.status().is_ok_and(|status| status.success()));
        started.elapsed().as_nanos() as f64
    };
    bench.note("initialize, then a prompt; floor: `becket --version`");
    bench.sampled("run: start to the first request", BenchTarget::Nothing, first_request, Some(&mut version));
    bench.difference("run: start to the first request, over `becket --version`", START_MAY_ADD);
}

/// Measures the proportional set size after ten turns.
fn memory(bench: &mut Bench, env: &TestEnv, server: &Server) {
    let after_turns = || {
        let mut session = Session::start(env, server);
        session.initialize();
        (0..TURNS).for_each(|_| session.turn());
        let taken = proportional(session.child.id());
        session.end();
        taken
    };
    bench.note("proportional set size (PSS) of the process");
    bench.sampled("run: memory after 10 turns", BenchTarget::Bytes(MAY_TAKE), after_turns, None);
}

/// Measures many concurrent sessions, each with its own answer; no line may be lost.
fn side_by_side(bench: &mut Bench, env: &TestEnv, server: &Server) {
    let answered = || {
        let started = Instant::now();
        let mut sessions: Vec<Session> = (0..SESSIONS).map(|_| Session::start(env, server)).collect();
        sessions.iter_mut().for_each(Session::initialize);
        sessions.iter_mut().for_each(Session::turn);
        let took = started.elapsed();
        sessions.into_iter().for_each(Session::end);
        took.as_nanos() as f64 / SESSIONS as f64
    };
    bench.note("200 processes, started together; the time of one is a two-hundredth of all");
    bench.sampled(
        "run: 200 sessions side by side, to the answer of each",
        BenchTarget::Nothing,
        answered,
        None,
    );
}

/// Returns the proportional set size of a process, in bytes.
fn proportional(process: u32) -> f64 {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap_or_default();
    let kib = line.split_whitespace().next().and_then(|kib| kib.parse::<f64>().ok());
    kib.map_or(f64::NAN, |kib| kib * 1024.0)
}

/// A session that is driven by lines of JSON.
struct Session {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Session {
    fn start(env: &TestEnv, server: &Server) -> Self {
        let managed = env.root().join("managed").display().to_string();
        let arguments =
            ["run", "--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];
        let model = ["--model", "claude-sonnet-4-5", "--managed-dir", &managed];
        let run = env.bare(arguments.into_iter().chain(model)).env("ANTHROPIC_API_KEY", "key");
        let mut command = run.env("ANTHROPIC_BASE_URL", &server.url()).into_command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("becket starts");
        let stdin = child.stdin.take().expect("piped");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        Session { child, stdin, stdout }
    }

    fn initialize(&mut self) {
        let request = json!({"subtype": "initialize", "hooks": null});
        self.send(&json!({"type": "control_request", "request_id": "r1", "request": request}));
        self.until("control_response");
    }

    /// Sends a prompt and waits for its answer.
    fn turn(&mut self) {
        self.send(&json!({"type": "user", "message": {"role": "user", "content": "Say done."}}));
        self.until("result");
    }

    fn send(&mut self, line: &Value) {
        writeln!(self.stdin, "{line}").expect("the session reads");
    }

    fn until(&mut self, kind: &str) {
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.stdout.read_line(&mut line).expect("lines are text");
            assert!(read > 0, "the session ended before its {kind}");
            let read: Value = serde_json::from_str(&line).expect("a line is JSON");
            if read["type"] == kind {
                return;
            }
        }
    }

    fn end(mut self) {
        drop(self.stdin);
        let ended = self.child.wait();
        assert!(ended.is_ok_and(|status| status.success()), "the session ends in peace");
    }
}
