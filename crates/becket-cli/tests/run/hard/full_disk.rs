//! A full disk: it is reported once, nothing is torn, and sessions are stored again as soon as there is space.

use crate::hard::place::{GO_ON, GONE_ON, Place, bash, hook, hooks, id, results};
use becket_testkit::env::ProgramOutput;
use becket_testkit::messages_api::Turn;
use serde_json::Value;
use std::process::{Command, Stdio};

const FULL: &str = "the session goes on without being stored: can't write to the transcript";
const AGAIN: &str = "the session is stored again";

fn working(until: usize) -> impl FnMut(&Value) -> Turn + Send + 'static {
    let mut turn = 0;
    move |_| {
        turn += 1;
        match turn {
            turn if turn <= until => Turn::calls([bash(format!("t{turn}"), &format!("echo number {turn}"))]),
            _ => Turn::text("Done."),
        }
    }
}

/// Runs a script in which `"$@"` is a run of Becket.
pub(crate) fn scripted(place: &Place, script: &str, arguments: &[&str]) -> ProgramOutput {
    let run = place.run(arguments).into_command();
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]).arg(run.get_program()).args(run.get_args());
    command.env_clear().current_dir(place.env.project());
    command.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = command.stdin(Stdio::null()).output().expect("there is a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    ProgramOutput { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

// rules: L2, D10
#[test]
fn a_limit_on_the_size_of_files_stops_no_turn() {
    let place = Place::with(&hooks(&[]), working(30));
    let id = id(4);
    let limited = "trap '' XFSZ; ulimit -f 16; \"$@\"";
    let ended = scripted(&place, limited, &["--session-id", &id, "Work."]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "Done.\n"), "{ended:?}");
    assert_eq!(ended.stderr.matches(FULL).count(), 1, "told once: {ended:?}");
    assert!(ended.stderr.contains("free some space"), "{ended:?}");
    place.goes_on(&id, "without the limit");
    let said = place.server.requests().last().map(Value::to_string).unwrap_or_default();
    assert!(said.contains("number 1") && !said.contains("number 30"), "what was stored, and no more");
}

/// Runs on a small separate file system for the home directory, which disappears with its processes.
fn on_a_small_disk(place: &Place, script: &str, arguments: &[&str]) -> Option<ProgramOutput> {
    let mount = "mount -t tmpfs -o size=128k becket \"$HOME\"";
    let may =
        Command::new("unshare").args(["-rm", "sh", "-c", "mount -t tmpfs -o size=64k becket /mnt"]).output();
    if !may.is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: no test on a full disk: this system lets nobody mount one");
        return None;
    }
    let inner = format!("{mount}; {script}");
    let run = format!("exec unshare -rm sh -c '{}' sh \"$@\"", inner.replace('\'', r"'\''"));
    Some(scripted(place, &run, arguments))
}

/// A hook that fills the disk at the second call.
const FILLS: &str =
    r#"case "$(cat)" in *"number 2"*) head -c 1000000 /dev/zero >~/filler 2>/dev/null;; esac; exit 0"#;

// rules: L2, D10
#[test]
fn a_disk_that_fills_up_and_is_emptied_loses_nothing() {
    let empties = r#"case "$(cat)" in *"number 6"*) rm ~/filler;; esac"#;
    let settings = hooks(&[("PreToolUse", vec![hook(FILLS)]), ("PostToolUse", vec![hook(empties)])]);
    let place = Place::with(&settings, working(8));
    let id = id(5);
    let twice = format!(
        "\"$@\" --allowedTools Bash --session-id {id} Work.; echo \"code $?\" >&2; exec \"$@\" --resume {id} '{GO_ON}'"
    );
    let Some(ended) = on_a_small_disk(&place, &twice, &[]) else { return };
    let expected = format!("Done.\n{GONE_ON}\n");
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), expected.as_str()), "{ended:?}");
    // A short line may still fit where a long one did not: then the error is reported each time.
    let told = |text: &str| ended.stderr.matches(text).count();
    assert!((1..=4).contains(&told(FULL)) && told(FULL) == told(AGAIN), "{ended:?}");
    assert_eq!(told("code 0"), 1, "{ended:?}");
    assert_eq!(place.server.wrongs(), Vec::<String>::new());
    let said = place.server.requests().last().map(Value::to_string).unwrap_or_default();
    for n in 1..=8 {
        assert!(said.contains(&format!("number {n}")), "{n} is lost: {said}");
    }
}

// rules: L2, D10
#[test]
fn a_disk_that_stays_full_ends_no_turn_and_tears_no_session() {
    let settings = hooks(&[("PreToolUse", vec![hook(FILLS)])]);
    let place = Place::with(&settings, working(5));
    let id = id(6);
    let twice = format!(
        "\"$@\" --allowedTools Bash --session-id {id} Work.; echo \"code $?\" >&2; rm ~/filler; exec \"$@\" --resume {id} '{GO_ON}'"
    );
    let Some(ended) = on_a_small_disk(&place, &twice, &[]) else { return };
    let expected = format!("Done.\n{GONE_ON}\n");
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), expected.as_str()), "{ended:?}");
    assert!(ended.stderr.contains(FULL) && ended.stderr.contains("code 0"), "{ended:?}");
    assert_eq!(place.server.wrongs(), Vec::<String>::new());
    let requests = place.server.requests();
    let all: Vec<_> = requests.iter().map(results).collect();
    assert!(all.iter().flatten().any(|(.., text)| text.contains("number 5")), "{all:?} {ended:?}");
}
