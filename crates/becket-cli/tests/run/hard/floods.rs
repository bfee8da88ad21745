//! Endless output of hooks and of commands: it is read, counted, and not kept.

use crate::hard::place::{Place, bash, call, hook, hooks, results};
use becket_testkit::messages_api::Turn;
use serde_json::{Value, json};

/// The memory limit of the process. Most of it is the program file; a flood that was kept would take far more.
const MOST_KIB: u64 = if cfg!(debug_assertions) { 96 * 1024 } else { 48 * 1024 };

fn peak(place: &Place) -> u64 {
    place.lines("peak").first().and_then(|line| line.parse().ok()).expect("the hook has looked")
}

/// A hook that reads the peak memory of its host.
const LOOKS: &str = "cat >/dev/null; grep VmHWM /proc/$PPID/status | tr -dc 0-9 >peak";

// rules: H3, O1, L1
#[test]
fn floods_are_read_to_their_end_and_not_kept() {
    let flood = "cat >/dev/null; head -c 40000000 /dev/zero | tr '\\0' x; head -c 40000000 /dev/zero >&2";
    let settings = hooks(&[
        ("PreToolUse", vec![hook(flood), hook("head -c 20000000 /dev/urandom")]),
        ("PostToolUse", vec![hook(flood)]),
        ("SessionEnd", vec![hook(LOOKS)]),
    ]);
    let turns = vec![
        Turn::calls([
            bash("t1", "head -c 100000000 /dev/zero | tr '\\0' y; echo the end"),
            bash("t2", "yes | head -c 50000000"),
        ]),
        Turn::calls([
            call("t3", "Bash", json!({"command": "yes forever", "run_in_background": true})),
            bash("t4", "sleep 0.3"),
        ]),
        Turn::text("Done."),
    ];
    let place = Place::new(&settings, turns);
    let (result, ended) = place.result(&["Work."]);
    assert_eq!((result["result"].as_str(), ended.code), (Some("Done."), Some(0)), "{:.2000}", ended.stderr);
    assert_eq!(place.server.wrongs(), Vec::<String>::new());
    let requests = place.server.requests();
    let of_line = &results(&requests[1])[0];
    assert!(of_line.2.contains("the end") && of_line.2.len() < 100_000, "{} bytes", of_line.2.len());
    let longest = requests.iter().map(|body: &Value| body.to_string().len()).max();
    assert!(longest < Some(1_000_000), "a request of {longest:?} bytes");
    let peak = peak(&place);
    println!("{peak} KiB at its peak");
    assert!(peak < MOST_KIB, "{peak} KiB at its peak");
}
