//! The cost of an author's loop: mutants of a large project, and a replay of a long history.

#![expect(clippy::expect_used, reason = "a bench fails by panicking")]

use becket_bench::full_program;
use becket_testkit::bench::{Bench, BenchTarget};
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::process::{Command, Stdio};
use std::time::Instant;

const HOOKS: usize = 43;
const GUARD: &str = "case $(cat) in *danger*) echo 'no danger' >&2; exit 2;; esac\n";
/// The number of calls in a history that rules alone decide, and in one that a process decides.
const CALLS: usize = 100_000;
const COMMANDS: usize = 1_000;

fn main() {
    let mut bench = Bench::new("becket-bench");
    mutants(&mut bench);
    rules(&mut bench);
    commands(&mut bench);
    guards(&mut bench);
}

/// Measures every mutant of 43 hooks in POSIX shell, each with a case that it denies and one that it lets pass: with a
/// third case about something else, which notices a dropped `if`, and without it, so that each such mutant runs in all
/// cases and survives.
fn mutants(bench: &mut Bench) {
    let complete = [
        ("tool", "danger", "decision = \"deny\""),
        ("tool", "list", "decision = \"pass\""),
        ("other", "danger", "skipped = \"guard{}.sh\""),
    ];
    bench.note("86 or 129 cases, of which each runs one hook at most; the control runs are in it");
    for (name, cases) in [("43 hooks in shell", &complete[..]), ("43 hooks, weak cases", &complete[..2])] {
        let env = guarded(cases);
        let tested = || duration(&env, &["test", "--mutate"], "mutants:");
        bench.sampled(&format!("test: {name}, 12 mutants each"), BenchTarget::Nanos(5e9), tested, None);
    }
}

/// Creates a project with 43 guards, each with these cases: the name of the program, its argument and the expectation.
fn guarded(kinds: &[(&str, &str, &str)]) -> TestEnv {
    let env = TestEnv::new(full_program());
    let mut hooks = Vec::new();
    let mut cases = String::new();
    for number in 0..HOOKS {
        env.write(&format!("project/guard{number}.sh"), GUARD);
        let condition = format!("Bash(tool{number} *)");
        hooks.push(json!({"type": "command", "if": condition, "command": format!("sh guard{number}.sh")}));
        for (program, word, want) in kinds {
            let want = want.replace("{}", &number.to_string());
            writeln!(
                cases,
                "[[case]]\nname = \"{program}{number} {word}\"\ntool = {{ name = \"Bash\", input = {{ command = \
                 \"{program}{number} {word}\" }} }}\nwant = {{ {want} }}\n"
            )
            .expect("a string takes all");
        }
    }
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}});
    env.write("project/.claude/settings.json", settings.to_string());
    env.write("project/.claude/tests/guards.toml", cases);
    env
}

/// Measures a history that rules alone decide.
fn rules(bench: &mut Bench) {
    let env = TestEnv::new(full_program());
    let deny: Vec<String> = (0..100).map(|number| format!("Bash(tool{number} *)")).collect();
    env.write("project/.claude/settings.json", json!({"permissions": {"deny": deny}}).to_string());
    let calls = if bench.is_quick() { CALLS / 10 } else { CALLS };
    history(&env, calls);
    bench.note("100 rules, no hook");
    let replayed = || duration(&env, &["replay", "s.jsonl"], "");
    bench.sampled(&format!("replay: {calls} calls against rules"), BenchTarget::Nanos(60e9), replayed, None);
}

/// Measures a history that a new process decides, call by call.
fn commands(bench: &mut Bench) {
    let env = TestEnv::new(full_program());
    env.write("project/guard.sh", GUARD);
    let hook = json!({"type": "command", "command": "sh guard.sh"});
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}});
    env.write("project/.claude/settings.json", settings.to_string());
    history(&env, COMMANDS);
    bench.note("contained, in a scratch copy; 200 a second are 5 ms each");
    let replayed = || duration(&env, &["replay", "s.jsonl"], "") / COMMANDS as f64;
    bench.sampled("replay: a call that a shell hook judges", BenchTarget::Nanos(5e6), replayed, None);
}

/// Measures the scripts of guards, each with a call that it looks at and lets pass.
fn guards(bench: &mut Bench) {
    const GUARDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../becket-install/guards");
    let input = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "/",
        "prompt": "tidy up", "tool_input": {"command": "git status"}});
    bench.note("floor: the interpreter with an empty program");
    for (guard, script) in [
        ("prompt-secrets", "prompt_secrets.py"),
        ("secrets", "secrets_guard.py"),
        ("commit-messages", "commit_messages.py"),
        ("protected-branches", "protected_branches.py"),
    ] {
        let script = format!("{GUARDS}/{guard}/{script}");
        bench.versus(
            &format!("the guard {guard}, one process for an event"),
            BenchTarget::Ratio(2.0),
            || python(&[&script], &input),
            || python(&["-c", "pass"], &input),
        );
    }
}

/// Runs Python with an event on its stdin, which has to pass.
fn python(arguments: &[&str], input: &Value) {
    let mut command = Command::new("python3");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("python3 is there");
    // An empty program does not read it.
    let mut stdin = child.stdin.take().expect("it is a pipe");
    let _ = write!(stdin, "{input}");
    drop(stdin);
    assert!(child.wait().expect("it ends").success(), "{arguments:?}");
}

/// Creates a transcript with calls of Bash, one in ten of which is dangerous.
fn history(env: &TestEnv, calls: usize) {
    let file = File::create(env.project().join("s.jsonl")).expect("it can be created");
    let mut file = BufWriter::new(file);
    let mut line = |own: Value| {
        let mut line = json!({"sessionId": "s1", "cwd": "/home/ada/shop", "version": "2.1.329",
            "isSidechain": false, "timestamp": "2026-11-02T10:00:00Z"});
        own.as_object().expect("a line").iter().for_each(|(key, value)| line[key] = value.clone());
        writeln!(file, "{line}").expect("it can be written");
    };
    for number in 0..calls {
        let word = if number % 10 == 0 { "danger" } else { "list" };
        let input = json!({"command": format!("tool{} {word} {number}", number % 200)});
        let call = json!([{"type": "tool_use", "id": format!("t{number}"), "name": "Bash", "input": input}]);
        line(json!({"type": "assistant", "message": {"role": "assistant", "content": call}}));
        let result = json!([{"type": "tool_result", "tool_use_id": format!("t{number}"), "content": "ok"}]);
        line(json!({"type": "user", "message": {"role": "user", "content": result}}));
    }
}

/// Runs a command once, whose output must contain `says`; returns its duration in nanoseconds.
fn duration(env: &TestEnv, arguments: &[&str], says: &str) -> f64 {
    let mut command = env.becket(arguments).into_command();
    command.stdin(Stdio::null());
    let start = Instant::now();
    let ended = command.output().expect("becket starts");
    let took = start.elapsed();
    let text = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.code().is_some_and(|code| code < 2) && text.contains(says), "{ended:?}");
    took.as_nanos() as f64
}
