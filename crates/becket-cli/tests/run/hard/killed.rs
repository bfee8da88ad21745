//! Runs killed at any moment: no process is left, the transcript is complete, and the session can be resumed.

use crate::hard::place::{Place, bash, call, hook, hooks, id, said};
use becket_testkit::messages_api::Turn;
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, SystemTime};

/// The number of kills unless `BECKET_KILLS` sets one.
const KILLS: u64 = 60;
/// The number of concurrent runs.
const AT_ONCE: u64 = 4;
/// The maximum lifetime of a run.
const LONGEST: Duration = Duration::from_millis(1200);

#[expect(clippy::disallowed_methods, reason = "how much work a test is worth, is said from outside")]
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A generator of random numbers, which are the same for the same seed.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        // Knuth's multiplier; the high bits are the good ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn up_to(&mut self, most: Duration) -> Duration {
        most.mul_f64(self.next() as f64 / f64::from(u32::MAX >> 1))
    }
}

/// Returns the next turn of a model that never ends its turn: calls of every kind, and an agent that makes calls as
/// well. Every third answer contains a call that never ends either.
fn restless(body: &Value) -> Turn {
    let answer = body["messages"].as_array().map_or(0, Vec::len) / 2;
    let id = |n: u32| format!("call_{answer}_{n}");
    let lasts = answer % 3 == 2;
    let helps = body["messages"][0].to_string().contains("You are the helper");
    let turn = if helps && answer > 1 {
        Turn::text("I have helped.")
    } else if helps {
        Turn::calls([bash(id(1), "echo deep"), bash(id(2), "sleep 300 & (sleep 300 &); sleep 0.01")])
    } else {
        Turn::calls([
            call(id(1), "Read", json!({"file_path": "text.txt"})),
            call(id(2), "Read", json!({"file_path": "text.txt", "limit": 1})),
            bash(id(3), if lasts { "setsid sleep 300 & sleep 300" } else { "(sleep 300 &); echo hello" }),
            call(id(4), "Bash", json!({"command": "sleep 300 & sleep 300", "run_in_background": true})),
            call(
                id(5),
                "Write",
                json!({"file_path": format!("made/{answer}.txt"), "content": "x".repeat(3000)}),
            ),
            call(
                id(6),
                "Agent",
                json!({"description": "helps", "prompt": "You are the helper.",
                "subagent_type": "general-purpose", "run_in_background": answer.is_multiple_of(2)}),
            ),
        ])
    };
    let turn = Turn { text: Some("I go on and on. ".repeat(4)), ..turn };
    turn.drip(Duration::from_millis(1))
}

fn busy() -> Place {
    let lasting = json!({"type": "command", "command": "sleep 300 & sleep 300", "async": true});
    let settings = hooks(&[
        ("SessionStart", vec![hook("sleep 0.01; echo welcome")]),
        ("UserPromptSubmit", vec![hook("sleep 0.01; echo mind")]),
        ("PreToolUse", vec![hook("sleep 0.01"), hook("(sleep 0.02; sleep 0.01) | cat")]),
        ("PostToolUse", vec![hook("cat >/dev/null"), lasting]),
        ("PostToolBatch", vec![hook("sleep 0.005")]),
        ("MessageDisplay", vec![hook("true")]),
        ("SubagentStart", vec![hook("sleep 0.01; echo be brief")]),
    ]);
    let place = Place::with(&settings, restless);
    place.env.write("project/text.txt", "one\ntwo\n");
    place
}

// rules: L2, H4, A5
#[test]
fn a_run_that_is_killed_leaves_nobody_and_a_session_that_goes_on() {
    let kills = number("BECKET_KILLS").unwrap_or(KILLS);
    let by_the_clock = || SystemTime::UNIX_EPOCH.elapsed().map_or(1, |since| since.as_secs());
    let seed = number("BECKET_SEED").unwrap_or_else(by_the_clock);
    let worked = |worker: u64| {
        let (place, mut chance) = (busy(), Chance(seed.wrapping_add(worker << 32)));
        let own = (0..kills).filter(|n| n % AT_ONCE == worker);
        let stored = own.filter(|n| killed(&place, *n, &mut chance, seed)).count();
        let lengths =
            place.server.requests().into_iter().map(|body| body["messages"].as_array().map_or(0, Vec::len));
        println!("{stored} stored; the longest conversation had {:?} messages", lengths.max());
        stored
    };
    let stored: usize = thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|worker| scope.spawn(move || worked(worker))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker has said why")).sum()
    });
    // The others were killed before there was a session: many, if the machine is busy.
    assert!(stored as u64 >= kills / 8, "{stored} of {kills}");
    assert!(wait_until(|| keepers_alone().is_empty()), "{:?}", keepers_alone());
}

/// Kills a session; returns true if it had got far enough to be stored.
fn killed(place: &Place, n: u64, chance: &mut Chance, seed: u64) -> bool {
    let (id, after) = (id(n), chance.up_to(LONGEST));
    let context = format!("BECKET_SEED={seed}: kill {n} after {after:?}");
    let mut child = place.start(&["--session-id", &id, "Work."]);
    thread::sleep(after);
    assert!(child.try_wait().expect("it is ours").is_none(), "{context}: it ended by itself");
    child.kill().expect("it can be killed");
    child.wait().expect("it is ours");
    place.soon_nobody_is_left(&context);
    assert!(wait_until(|| private(place).is_empty()), "{context}: {:?}", private(place));
    if place.transcript(&id).is_none() {
        return false;
    }
    place.goes_on(&id, &context);
    place.soon_nobody_is_left(&context);
    true
}

/// Returns the private directories of runs.
fn private(place: &Place) -> Vec<PathBuf> {
    let entries = fs::read_dir(place.env.root().join("tmp")).expect("there is a directory for it").flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Returns the keepers of this program whose run has ended.
fn keepers_alone() -> Vec<String> {
    let exe = |pid: &str| fs::read_link(format!("/proc/{pid}/exe")).ok();
    let own = fs::canonicalize(env!("CARGO_BIN_EXE_becket")).ok();
    let is_keeper = |pid: &String| {
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        exe(pid) == own && line.contains("\0keep\0")
    };
    let parent = |pid: &str| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let after = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).to_owned();
        after.split(' ').nth(1).map(str::to_owned).unwrap_or_default()
    };
    let entries = fs::read_dir("/proc").expect("there are processes").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().into_string().ok());
    pids.filter(is_keeper).filter(|pid| exe(&parent(pid)) != own).collect()
}

// rules: L2, D10
#[test]
fn a_session_that_is_killed_again_and_again_goes_on_each_time() {
    const LAST: u32 = 7;
    let place = busy();
    let mut chance = Chance(7);
    let id = id(1);
    let mut arguments = vec!["--session-id", &id, "Work."];
    let is_resumed = || place.server.requests().iter().any(|body| said(body, "Work more."));
    for round in 0..=LAST {
        let mut child = place.start(&arguments);
        assert!(wait_until(|| place.transcript(&id).is_some() && (round < LAST || is_resumed())));
        thread::sleep(chance.up_to(LONGEST));
        child.kill().expect("it can be killed");
        child.wait().expect("it is ours");
        place.soon_nobody_is_left(&format!("round {round}"));
        arguments = vec!["--resume", &id, "Work more."];
    }
    // Torn lines add up: each kill may leave at most one.
    let wrongs = place.server.wrongs();
    assert_eq!(wrongs, Vec::<String>::new());
}
