//! A process that is killed while it writes, and a disk that is full, for real.

use crate::transcript::fixture::{Home, ID, cwd, text, whole};
use becket_agent::conversation::Conversation;
use becket_agent::transcript::{AppendError, Store};
use rustix::process::{Resource, Rlimit, setrlimit};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A file that exists in a directory in which a helper may work; running the ignored tests elsewhere is harmless.
const LICENCE: &str = "helper-may-run";

/// Returns a command that runs one of the helpers below in a home of its own; exceeding the file size limit is an error
/// there, not a signal.
fn helper(name: &str, home: &Home) -> Command {
    std::fs::write(home.dir.path().join(LICENCE), "").unwrap();
    let mut command = Command::new("sh");
    let exe = std::env::current_exe().unwrap();
    command.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"]).arg(exe);
    command.args([name, "--exact", "--ignored", "--nocapture"]).current_dir(home.dir.path());
    command
}

fn number(line: &str) -> Option<usize> {
    line.trim().strip_prefix("written ")?.parse().ok()
}

// rule: L2
#[test]
fn what_was_reported_as_written_survives_a_kill() {
    for round in 0..8_u64 {
        let home = Home::new();
        let mut child =
            helper("transcript::killed::helper_that_writes", &home).stdout(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        // Not before the first line was written, and then at any moment.
        while number(&line).is_none() {
            line.clear();
            assert!(out.read_line(&mut line).unwrap() > 0, "the helper ended");
        }
        std::thread::sleep(Duration::from_micros(round * 3_700));
        child.kill().unwrap();
        child.wait().unwrap();
        let reported = out.lines().map_while(Result::ok).filter_map(|line| number(&line)).last().unwrap_or(1);
        let (_, restored) = home.resume();
        assert!(restored.damage.len() <= 1, "{:?}", restored.damage);
        assert!(restored.prompts as usize >= reported, "{} of {reported}", restored.prompts);
    }
}

#[test]
#[ignore = "a helper of the test above"]
fn helper_that_writes() {
    if !Path::new(LICENCE).exists() {
        return;
    }
    let mut log = Store::new(".").create(cwd(), Some(ID)).unwrap();
    let mut conversation = Conversation::default();
    let mut out = std::io::stdout().lock();
    for written in 1..100_000 {
        conversation.say(text(&format!("{written}{}", "x".repeat(written % 5_000)))).unwrap();
        log.append(conversation.take_entries(), cwd()).unwrap();
        writeln!(out, "\nwritten {written}").unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn a_full_disk_is_an_error_and_no_loss() {
    let home = Home::new();
    let status = helper("transcript::killed::helper_on_a_full_disk", &home).output().unwrap();
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stdout));
    let (_, restored) = home.resume();
    let lines: Vec<usize> = restored.damage.iter().map(|damage| damage.line).collect();
    assert_eq!(lines, [3], "the half line alone: {:?}", restored.damage);
    let texts = format!("{:?}", whole(restored).messages());
    for said in ["one", "two", "three", "four"] {
        assert_eq!(texts.matches(&format!("{said} x")).count(), 1, "{said}");
    }
}

#[test]
#[ignore = "a helper of the test above"]
fn helper_on_a_full_disk() {
    if !Path::new(LICENCE).exists() {
        return;
    }
    let limit = |bytes| setrlimit(Resource::Fsize, Rlimit { current: bytes, maximum: None });
    let mut log = Store::new(".").create(cwd(), Some(ID)).unwrap();
    let mut conversation = Conversation::default();
    let mut say = |words: &str| {
        conversation.say(text(&format!("{words} {}", "x".repeat(1_000)))).unwrap();
        conversation.take_entries()
    };
    log.append(say("one"), cwd()).unwrap();
    log.append(say("two"), cwd()).unwrap();
    limit(Some(3_000)).unwrap();
    for (entries, waiting) in [(say("three"), 1), (say("four"), 2)] {
        let error = log.append(entries, cwd()).unwrap_err();
        assert!(matches!(error, AppendError::Write { .. }), "{error}");
        assert!(error.to_string().contains("free some space"), "{error}");
        assert_eq!(log.waiting(), waiting);
    }
    limit(None).unwrap();
    log.append([], cwd()).unwrap();
    assert_eq!(log.waiting(), 0);
}
