//! The whole process: what `becket fire` costs over the `sh -c true` that its one hook is.

use becket_testkit::bench::{Bench, Must, Row, human};
use becket_testkit::env::TestEnv;
use std::process::{Command, Stdio};

/// The limit on what the command line may add to the process that every hook is, in nanoseconds.
const MAY_ADD: f64 = 3e6;

fn main() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_becket"));
    let settings = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    env.write("project/.claude/settings.json", settings);
    let fire = |event: &'static str, more: &'static [&'static str]| {
        let run = env.becket(["fire", event].iter().chain(more));
        let mut command = run.into_command();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let mut bench = Bench::new("becket-cli");
    bench.note("floor: `sh -c true`");
    let tool = &["--tool", "Bash"];
    beside_a_shell(&mut bench, "fire, one `true` hook", fire("PreToolUse", tool));
    beside_a_shell(&mut bench, "fire, no hook", fire("Stop", &[]));
    for row in bench.rows().to_vec() {
        added(&row);
    }
}

fn beside_a_shell(bench: &mut Bench, row: &str, mut command: Command) {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "true"]).stdin(Stdio::null());
    bench.versus(row, Must::Nothing, || ended(&mut command), || ended(&mut shell));
}

fn ended(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}

/// The difference as a row of its own.
#[expect(clippy::print_stdout, reason = "a bench program talks to its caller")]
fn added(row: &Row) {
    let difference = row.ours - row.floor.unwrap_or_default();
    let row = Row {
        row: format!("{}: over `sh -c true`", row.row),
        ours: difference,
        floor: None,
        ratio: None,
        must: Some(format!("<= {}", human(MAY_ADD))),
        ok: Some(difference <= MAY_ADD),
        ..row.clone()
    };
    println!("{}: {}: {}", row.krate, row.row, human(row.ours));
    println!("{}", serde_json::to_string(&row).unwrap_or_default());
}
