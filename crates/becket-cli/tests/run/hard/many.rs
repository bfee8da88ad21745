//! Many calls: nothing is left of them, and the last one costs no more than the first.

use crate::hard::place::{Place, bash, call, hook, hooks, results};
use becket_testkit::messages_api::Turn;
use serde_json::{Value, json};

const ANSWERS: usize = 40;
const CALLS: usize = 5;
/// The limit on the growth of the process between the fiftieth call and the last: the conversation of 150 calls, and
/// the caches of an allocator. A leak of 20 KiB a call is more.
const MAY_GROW_KIB: u64 = 3 * 1024;

/// The variation of descriptors, children or threads between two samples. One leaked per call would be 150.
const DIFFERS: u64 = 3;

/// A sample of a hook's host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct HostSample {
    resident_kib: u64,
    descriptors: u64,
    threads: u64,
    children: u64,
}

/// Writes a line that [`seen`] reads; the hook is itself a child, and has descriptors of its own in the host.
const LOOKS: &str = r#"cat >/dev/null
set -- "$(grep VmRSS /proc/$PPID/status | tr -dc 0-9)" "$(ls /proc/$PPID/fd | wc -l)" "$(ls /proc/$PPID/task | wc -l)"
echo "$1 $2 $3 $(cat /proc/$PPID/task/*/children | wc -w)" >>seen"#;

fn seen(line: &str) -> HostSample {
    let numbers: Vec<u64> = line.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    let [resident_kib, descriptors, threads, children] = numbers[..] else { panic!("{line}") };
    HostSample { resident_kib, descriptors, threads, children }
}

// rules: L1, L2, H4
#[test]
fn two_hundred_calls_with_five_hooks_each_leave_nothing_and_take_no_more_room() {
    let settings = hooks(&[
        (
            "PreToolUse",
            vec![hook("true"), hook("cat >/dev/null; echo"), hook("echo '{\"systemMessage\": \"fine\"}'")],
        ),
        ("PostToolUse", vec![hook("true"), hook("cat")]),
        ("PostToolBatch", vec![hook(LOOKS)]),
    ]);
    let answer = |n: usize| {
        Turn::calls((0..CALLS).map(|m| match m % 2 {
            0 => call(format!("c{n}_{m}"), "Read", json!({"file_path": "text.txt"})),
            _ => bash(format!("c{n}_{m}"), "echo hello"),
        }))
    };
    let turns = (0..ANSWERS).map(answer).chain([Turn::text("Done.")]).collect();
    let place = Place::new(&settings, turns);
    place.env.write("project/text.txt", "one\ntwo\n");
    let (result, ended) = place.result(&["Work."]);
    assert_eq!((result["result"].as_str(), ended.code), (Some("Done."), Some(0)), "{ended:?}");
    assert_eq!(place.server.wrongs(), Vec::<String>::new());
    let hooks = place.server.requests().iter().map(|body| results(body).len()).sum::<usize>();
    assert_eq!(hooks, ANSWERS * CALLS);
    let looks: Vec<HostSample> = place.lines("seen").iter().map(|line| seen(line)).collect();
    assert_eq!(looks.len(), ANSWERS);
    let (fifty, last) = (looks[9], looks[ANSWERS - 1]);
    println!("after 50 calls {fifty:?}, after 200 {last:?}");
    let grown = last.resident_kib.saturating_sub(fifty.resident_kib);
    assert!(grown <= MAY_GROW_KIB, "{grown} KiB more: {looks:?}");
    // The least of ten samples each: sometimes one includes the shell of the previous call, which is just ending. A
    // leak per call persists, and is many times larger than the variation between samples.
    let least =
        |looks: &[HostSample], what: fn(&HostSample) -> u64| looks.iter().map(what).min().unwrap_or(0);
    for what in [
        |seen: &HostSample| seen.descriptors,
        |seen: &HostSample| seen.children,
        |seen: &HostSample| seen.threads,
    ] {
        assert!(least(&looks[ANSWERS - 10..], what) <= least(&looks[..10], what) + DIFFERS, "{looks:?}");
    }
}

// rules: L1, L2
#[test]
fn a_thousand_calls_of_one_answer_are_answered_in_their_order() {
    const MANY: usize = 1000;
    let settings =
        hooks(&[("PreToolUse", vec![hook("true")]), ("PostToolBatch", vec![hook("cat >batch.json")])]);
    let one = |n: usize| {
        call(format!("c{n}"), "Read", json!({"file_path": "text.txt", "offset": n + 1, "limit": 1}))
    };
    let place = Place::new(&settings, vec![Turn::calls((0..MANY).map(one)), Turn::text("Done.")]);
    place.env.write("project/text.txt", (0..MANY).map(|n| format!("line {n}.\n")).collect::<String>());
    let (result, ended) = place.result(&["Work."]);
    assert_eq!((result["result"].as_str(), ended.code), (Some("Done."), Some(0)), "{ended:?}");
    assert_eq!(place.server.wrongs(), Vec::<String>::new());
    let requests = place.server.requests();
    let results = results(&requests[1]);
    assert_eq!(results.len(), MANY);
    for (n, (id, failed, text)) in results.iter().enumerate() {
        assert!(
            *id == format!("c{n}") && !failed && text.contains(&format!("line {n}.")),
            "{n}: {id} {text}"
        );
    }
    let batch: Value = serde_json::from_str(&place.lines("batch.json").concat()).expect("the hook's input");
    let ids: Vec<&Value> =
        batch["tool_calls"].as_array().into_iter().flatten().map(|call| &call["tool_use_id"]).collect();
    assert_eq!(ids, (0..MANY).map(|n| json!(format!("c{n}"))).collect::<Vec<_>>().iter().collect::<Vec<_>>());
}
