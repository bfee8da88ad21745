//! The transcript of a real run, cut off at any position: it loads, and the session can be resumed.

use crate::hard::place::{Place, bash, call, hook, hooks, id};
use becket_testkit::messages_api::Turn;
use serde_json::json;
use std::fs;

/// The number of prefixes that a process resumes.
const GONE_ON_WITH: usize = 24;
/// The step between the lengths of the loaded prefixes, in addition to those that end at or next to a line end.
const STEP: usize = 7;

fn is_at_an_end(bytes: &[u8], cut: usize) -> bool {
    bytes[cut.saturating_sub(2)..(cut + 1).min(bytes.len())].contains(&b'\n')
}

// rules: L2, D10
#[test]
fn every_beginning_of_a_transcript_is_a_session() {
    let settings = hooks(&[
        ("SessionStart", vec![hook("echo welcome")]),
        (
            "PreToolUse",
            vec![hook(
                r#"echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "mind"}}'"#,
            )],
        ),
        ("PostToolUse", vec![hook("echo seen >&2; exit 2")]),
    ]);
    let mut turn = 0;
    let place = Place::with(&settings, move |_| {
        turn += 1;
        let id = |n: u32| format!("c{turn}_{n}");
        match turn {
            1..=3 => Turn::calls([
                call(id(1), "Read", json!({"file_path": "text.txt"})),
                call(id(2), "Read", json!({"file_path": "none.txt"})),
                bash(id(3), "echo ä€𝄞; exit 3"),
            ]),
            _ => Turn { thinking: Some("Hm.".into()), ..Turn::text("Done, ä€𝄞.") },
        }
    });
    place.env.write("project/text.txt", "one\ntwo\n");
    let id = id(3);
    let (result, _) = place.result(&["--session-id", &id, "Work, ä€𝄞."]);
    assert_eq!(result["terminal_reason"], "completed");
    let path = place.transcript(&id).expect("it is stored");
    let bytes = fs::read(&path).expect("it can be read");
    let mut lengths = Vec::new();
    for cut in (1..=bytes.len()).filter(|cut| cut % STEP == 0 || is_at_an_end(&bytes, *cut)) {
        fs::write(&path, &bytes[..cut]).expect("it can be written");
        lengths.push(place.whole(&id, &format!("cut at {cut}")).len());
    }
    assert!(lengths.is_sorted() && lengths.last() >= Some(&8), "{:?}", lengths.last());
    // An empty file keeps only its name, and is removed when it is read.
    for n in 1..=GONE_ON_WITH {
        let cut = bytes.len() * n / GONE_ON_WITH;
        fs::write(&path, &bytes[..cut]).expect("it can be written");
        place.goes_on(&id, &format!("cut at {cut}"));
    }
}
