//! Scarce resources: few descriptors, and an output that accepts nothing.

use crate::hard::full_disk::scripted;
use crate::hard::place::{GO_ON, Place, bash, call, hook, hooks, id, results};
use becket_testkit::messages_api::Turn;
use serde_json::json;

// rules: H3, L1, L2
#[test]
fn with_few_descriptors_hooks_wait_for_their_turn_and_none_is_left_out() {
    const CALLS: usize = 30;
    const HOOKS: usize = 5;
    // Equal handlers run only once, so each prints something different.
    let counts = |n: usize| hook(&format!("cat >/dev/null; sleep 0.01; echo {n} >>counted"));
    let settings = hooks(&[("PreToolUse", (0..HOOKS).map(counts).collect())]);
    let read = |n: usize| call(format!("c{n}"), "Read", json!({"file_path": "text.txt"}));
    let place = Place::new(&settings, vec![Turn::calls((0..CALLS).map(read)), Turn::text("Done.")]);
    place.env.write("project/text.txt", "one\n");
    let ended = scripted(&place, "ulimit -n 64; exec \"$@\"", &["Work."]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "Done.\n"), "{ended:?}");
    assert_eq!(place.server.wrongs(), Vec::<String>::new());
    let failed: Vec<_> =
        results(&place.server.requests()[1]).into_iter().filter(|(_, failed, _)| *failed).collect();
    assert!(failed.is_empty(), "{failed:?}");
    assert_eq!(place.lines("counted").len(), CALLS * HOOKS, "{ended:?}");
    place.nobody_is_left();
}

// rules: L0, L2
#[test]
fn an_output_that_takes_nothing_ends_the_run_in_order() {
    for format in ["text", "json", "stream-json"] {
        let settings = hooks(&[("SessionEnd", vec![hook("touch ended")])]);
        let place = Place::with(&settings, |body| match body["messages"].as_array().map_or(0, Vec::len) {
            1 => Turn::calls([bash("t1", "echo hello")]),
            _ => Turn::text("Done."),
        });
        let id = id(9);
        let arguments = ["--output-format", format, "--session-id", &id, "Work."];
        let ended = scripted(&place, "exec \"$@\" >/dev/full", &arguments);
        assert_eq!(ended.code, Some(1), "{format}: {ended:?}");
        assert!(ended.stderr.contains("No space left on device"), "{format}: {ended:?}");
        assert!(place.env.project().join("ended").exists(), "{format}: the session was closed");
        place.nobody_is_left();
        if place
            .transcript(&id)
            .is_some_and(|path| std::fs::read_to_string(path).is_ok_and(|text| text.contains("Work.")))
        {
            place.goes_on(&id, &format!("{format}: {GO_ON}"));
        }
    }
}
