//! The whole process: the cost of `becket fire` compared with `sh -c true`, its only hook, in the full program and in
//! the small one, which `BECKET_BENCH_SMALL` names.

#![expect(clippy::expect_used, reason = "a bench fails by panicking")]

use becket_bench::{full_program, small_program};
use becket_testkit::bench::{Bench, BenchTarget};
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

/// The limits on the time that a program may add to the process that every hook is, in nanoseconds.
const FULL_MAY_ADD: f64 = 3e6;
const SMALL_MAY_ADD: f64 = 0.0;
const SMALL_MAY_ADD_TO_A_HOOK: f64 = 0.8e6;
const SMALL_MAY_ADD_TO_1000: f64 = 2e6;
/// The limit on the time that a dialect may add to a firing, in nanoseconds.
const DIALECT_MAY_ADD: f64 = 0.3e6;
/// The limit on the memory of the small program, in bytes.
const SMALL_MAY_TAKE: f64 = 4e6;

fn main() {
    let mut bench = Bench::new("becket-bench");
    bench.note("floor: `sh -c true`");
    let full = Place::new(&settings(1, "true"), &full_program());
    full.rows(&mut bench, "", [FULL_MAY_ADD; 2]);
    dialects(&mut bench, &full, "");
    recorded(&mut bench, &full);
    match small_program() {
        Some(small) => {
            let place = Place::new(&settings(1, "true"), &small);
            place.rows(&mut bench, "small program, ", [SMALL_MAY_ADD_TO_A_HOOK, SMALL_MAY_ADD]);
            dialects(&mut bench, &place, "small program, ");
            thousand(&mut bench, &small);
            memory(&mut bench, &small);
        }
        None => skipped(),
    }
}

#[expect(clippy::print_stdout, reason = "a bench program talks to its caller")]
fn skipped() {
    println!("SKIPPED: rows of the small program: `BECKET_BENCH_SMALL` names none");
}

/// Returns settings with `count` hooks on PreToolUse, the first of which matches `Bash`.
fn settings(count: usize, command: &str) -> Value {
    let group = |number: usize| {
        let matcher =
            if number == 0 { "Bash".to_owned() } else { format!("Tool{number}|mcp__s{number}__.*") };
        json!({"matcher": matcher, "hooks": [{"type": "command", "command": command}]})
    };
    json!({"hooks": {"PreToolUse": (0..count).map(group).collect::<Vec<_>>()}})
}

/// A project with settings, and a program that answers its events.
struct Place {
    env: TestEnv,
}

impl Place {
    fn new(settings: &Value, program: &Path) -> Self {
        let env = TestEnv::new(program);
        env.write("project/.claude/settings.json", settings.to_string());
        for (event, tool) in [("PreToolUse", "Bash"), ("PreToolUse", "Read"), ("Stop", "")] {
            let input = json!({"session_id": "s", "transcript_path": "/t", "cwd": env.project(), "tool_name": tool,
                "hook_event_name": event, "tool_input": {}, "tool_use_id": "t", "stop_hook_active": false});
            env.write(&format!("{event}{tool}.json"), input.to_string());
        }
        Place { env }
    }

    /// Returns the process that answers an event.
    fn fire(&self, event: &str) -> Command {
        self.answer(&["--stdin-event"], event)
    }

    /// Returns the process of `fire` with other arguments.
    fn answer(&self, arguments: &[&str], event: &str) -> Command {
        let mut command = self.env.becket([&["fire"], arguments].concat()).into_command();
        command.stdin(File::open(self.env.root().join(event)).expect("it was written"));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Measures an event with one hook, and one without any.
    fn rows(&self, bench: &mut Bench, of: &str, may_add: [f64; 2]) {
        for ((what, event), limit) in
            [("fire, one `true` hook", "PreToolUseBash.json"), ("fire, no hook", "Stop.json")]
                .into_iter()
                .zip(may_add)
        {
            self.beside_a_shell(bench, &format!("{of}{what}"), event, limit);
        }
    }

    fn beside_a_shell(&self, bench: &mut Bench, row: &str, event: &str, may_add: f64) {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "true"]).stdin(Stdio::null());
        bench.versus(row, BenchTarget::Nothing, || ended(&mut self.fire(event)), || ended(&mut shell));
        bench.difference(&format!("{row}: over `sh -c true`"), may_add);
    }
}

/// Measures the same call in the payloads of agents, compared with that of Claude Code.
fn dialects(bench: &mut Bench, place: &Place, of: &str) {
    let cwd = place.env.project();
    let call = json!({"command": "ls -la"});
    let own = json!({"session_id": "s", "transcript_path": "/t", "cwd": cwd, "hook_event_name": "PreToolUse",
        "permission_mode": "default", "tool_name": "Bash", "tool_input": call, "tool_use_id": "t"});
    let codex = json!({"session_id": "s", "turn_id": "t", "transcript_path": "/t", "cwd": cwd,
        "hook_event_name": "PreToolUse", "model": "gpt-5", "permission_mode": "default", "tool_name": "Bash",
        "tool_input": call, "tool_use_id": "t"});
    let gemini = json!({"session_id": "s", "transcript_path": "/t", "cwd": cwd, "hook_event_name": "BeforeTool",
        "timestamp": "2026-11-22T10:00:00Z", "tool_name": "run_shell_command", "tool_input": call});
    place.env.write("own.json", own.to_string());
    bench.note("one `true` hook; floor: the same call as Claude Code's, without a dialect");
    for (name, dialect, payload) in [
        ("Codex", "codex", &codex),
        ("Gemini CLI", "gemini", &gemini),
        ("Gemini CLI, detected", "auto", &gemini),
    ] {
        place.env.write("payload.json", payload.to_string());
        let ours = || ended(&mut place.answer(&["--dialect", dialect], "payload.json"));
        assert!(ours(), "the call of {name} is allowed");
        let row = format!("{of}fire, a payload of {name}");
        bench.versus(&row, BenchTarget::Nothing, ours, || {
            ended(&mut place.answer(&["--stdin-event"], "own.json"))
        });
        bench.difference(&format!("{row}: over one of Claude Code"), DIALECT_MAY_ADD);
    }
}

/// Measures the same event with records for `becket profile`, and without.
fn recorded(bench: &mut Bench, place: &Place) {
    let records = place.env.root().join("records").display().to_string();
    let with_records = || ended(place.fire("PreToolUseBash.json").env("BECKET_PROFILE", &records));
    bench.note("floor: the same without records");
    bench.versus(
        "fire, one `true` hook, recorded for `becket profile`",
        BenchTarget::Ratio(1.02),
        with_records,
        || ended(&mut place.fire("PreToolUseBash.json")),
    );
}

/// Measures 1,000 hooks of one file, none of which matches.
fn thousand(bench: &mut Bench, small: &Path) {
    let place = Place::new(&settings(1000, "true"), small);
    let row = "small program, fire, none of 1,000 hooks matches";
    place.beside_a_shell(bench, row, "PreToolUseRead.json", SMALL_MAY_ADD_TO_1000);
}

/// Measures the peak memory of the program with one hook.
fn memory(bench: &mut Bench, small: &Path) {
    let hook = "grep VmHWM /proc/$PPID/status > peak";
    let place = Place::new(&settings(1, hook), small);
    let peak = || {
        ended(&mut place.fire("PreToolUseBash.json"));
        let text = fs::read_to_string(place.env.project().join("peak")).unwrap_or_default();
        let kib = text.split_whitespace().nth(1).and_then(|kib| kib.parse::<f64>().ok());
        kib.map_or(f64::NAN, |kib| kib * 1024.0)
    };
    bench.note("peak resident memory (VmHWM) when its hook runs");
    bench.sampled("small program, one hook: memory", BenchTarget::Bytes(SMALL_MAY_TAKE), peak, None);
}

fn ended(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}
