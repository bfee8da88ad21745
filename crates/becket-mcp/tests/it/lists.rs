//! The caches of lists: which lists are kept, which are rejected, and that an old one is never taken for new.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use becket_mcp::{Debounce, ListState, Lists, Ticket};
use proptest::prelude::*;

// rules: X5, X8
#[test]
fn a_list_asked_for_before_a_change_is_never_stored_after_it() {
    let lists = Lists::default();
    let before = lists.begin("a");
    lists.changed("a");
    let after = lists.begin("a");
    assert!(!before.store(1));
    assert_eq!(lists.look("a"), ListState::Nothing { why: None });
    assert!(after.store(2));
    assert_eq!(lists.look("a"), ListState::Fresh(Arc::new(2)));
}

// rules: X5, X8
#[test]
fn of_two_that_were_asked_for_the_later_one_stays() {
    let lists = Lists::default();
    let (first, second) = (lists.begin("a"), lists.begin("a"));
    assert!(second.store(2));
    assert!(!first.store(1));
    assert_eq!(lists.get("a").as_deref(), Some(&2));
}

// rule: X8
#[test]
fn a_refresh_that_fails_keeps_the_old_list_and_says_so() {
    let lists = Lists::default();
    lists.begin("a").failed("no");
    assert_eq!(lists.look("a"), ListState::Nothing { why: Some("no".into()) });
    assert!(lists.begin("a").store(1));
    lists.changed("a");
    assert_eq!((lists.get("a"), lists.look("a")), (None, ListState::Changed(Arc::new(1))));

    lists.begin("a").failed("broken pipe");
    let kept = ListState::Kept { list: Arc::new(1), why: "broken pipe".into() };
    assert_eq!((lists.get("a").as_deref(), lists.look("a")), (Some(&1), kept));

    // A failure that is older than a change says nothing about the requested list.
    let overtaken = lists.begin("a");
    lists.changed("a");
    overtaken.failed("late");
    assert_eq!(lists.look("a"), ListState::Changed(Arc::new(1)));

    // The same applies to one that is older than a success.
    let overtaken = lists.begin("a");
    assert!(lists.begin("a").store(2));
    overtaken.failed("late");
    assert_eq!(lists.look("a"), ListState::Fresh(Arc::new(2)));
}

// rule: X5
#[test]
fn the_twenty_lists_used_last_are_held() {
    let lists = Lists::default();
    for n in 0..20 {
        assert!(lists.begin(&n.to_string()).store(n));
    }
    assert!(lists.get("0").is_some());
    assert!(lists.begin("20").store(20));
    let held: Vec<i32> = (0..=20).filter(|n| lists.get(&n.to_string()).is_some()).collect();
    assert_eq!(held, [vec![0], (2..=20).collect()].concat());
}

// rule: X5
#[test]
fn a_server_that_was_forgotten_gets_no_list_from_its_earlier_life() {
    let lists = Lists::default();
    let before = lists.begin("a");
    lists.forget("a");
    assert!(!before.store(1));
    let before = lists.begin("a");
    lists.forget("a");
    let now = lists.begin("a");
    assert!(!before.store(1));
    assert!(now.store(2));
}

#[derive(Debug, Clone)]
enum Step {
    Begin(u8),
    Changed(u8),
    Store(prop::sample::Index),
    Failed(prop::sample::Index),
    Get(u8),
    Forget(u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..5u8).prop_map(Step::Begin),
        2 => (0..5u8).prop_map(Step::Changed),
        4 => any::<prop::sample::Index>().prop_map(Step::Store),
        1 => any::<prop::sample::Index>().prop_map(Step::Failed),
        2 => (0..5u8).prop_map(Step::Get),
        1 => (0..5u8).prop_map(Step::Forget),
    ]
}

/// The state of the world: the current process of a server, and the current version of its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Version {
    life: u32,
    announced: u32,
    /// The request that it answers.
    asked: u32,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    // rules: X5, X8
    #[test]
    fn nothing_old_is_ever_taken_for_new(steps in prop::collection::vec(step(), 0..80)) {
        let lists = Lists::with_capacity(3);
        let mut world: HashMap<u8, Version> = HashMap::new();
        let mut stored: HashMap<u8, Version> = HashMap::new();
        let mut tickets: Vec<(u8, Version, Ticket<Version>)> = Vec::new();
        for step in steps {
            match step {
                Step::Begin(server) => {
                    let version = world.entry(server).or_default();
                    version.asked += 1;
                    tickets.push((server, *version, lists.begin(&server.to_string())));
                }
                Step::Changed(server) => {
                    world.entry(server).or_default().announced += 1;
                    lists.changed(&server.to_string());
                }
                Step::Store(which) if !tickets.is_empty() => {
                    let (server, version, ticket) = tickets.swap_remove(which.index(tickets.len()));
                    // The worst server answers at once, but its answer takes long to arrive.
                    let newer = stored.get(&server).is_some_and(|held| held.life == version.life && held.asked > version.asked);
                    let now = world[&server];
                    if ticket.store(version) {
                        prop_assert_eq!((version.life, version.announced), (now.life, now.announced));
                        stored.insert(server, version);
                    } else {
                        prop_assert!(newer || (version.life, version.announced) != (now.life, now.announced));
                    }
                }
                Step::Failed(which) if !tickets.is_empty() => {
                    let (_, _, ticket) = tickets.swap_remove(which.index(tickets.len()));
                    ticket.failed("no");
                }
                Step::Store(_) | Step::Failed(_) => {}
                Step::Get(server) => drop(lists.get(&server.to_string())),
                Step::Forget(server) => {
                    let version = world.entry(server).or_default();
                    *version = Version { life: version.life + 1, announced: 0, asked: version.asked };
                    lists.forget(&server.to_string());
                }
            }
            let mut held = 0;
            for server in 0..5u8 {
                let now = world.get(&server).copied().unwrap_or_default();
                match lists.look(&server.to_string()) {
                    ListState::Fresh(list) => {
                        held += 1;
                        prop_assert_eq!((list.life, list.announced), (now.life, now.announced));
                        prop_assert_eq!(Some(&*list), stored.get(&server));
                    }
                    ListState::Changed(list) => {
                        held += 1;
                        prop_assert!(list.life == now.life && list.announced < now.announced);
                    }
                    ListState::Kept { list, .. } => {
                        held += 1;
                        prop_assert_eq!(list.life, now.life);
                    }
                    ListState::Nothing { .. } => {}
                }
            }
            prop_assert!(held <= 3);
        }
    }
}

// rule: X5
#[test]
fn a_list_from_the_cache_costs_next_to_nothing() {
    let lists = Lists::default();
    for n in 0..20 {
        assert!(lists.begin(&n.to_string()).store(vec![n; 1_000]));
    }
    let start = Instant::now();
    for n in 0..100_000 {
        assert!(lists.get(["3", "17"][n % 2]).is_some());
    }
    // The limit is 50 µs for each; this is far from it even unoptimised.
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

// rule: X5
#[test]
fn a_burst_of_changes_is_one_and_a_burst_without_end_is_not_waited_for() {
    let at = |start: Instant, ms| start + Duration::from_millis(ms);
    let (mut changes, start) = (Debounce::default(), Instant::now());
    assert_eq!((changes.due(), changes.take(start)), (None, false));
    for ms in (0..950).step_by(50) {
        changes.note(at(start, ms));
        assert!(!changes.take(at(start, ms + 49)), "{ms}");
    }
    changes.note(at(start, 950));
    assert_eq!(changes.due(), Some(at(start, 1_000)));
    assert!(changes.take(at(start, 1_000)));
    assert!(!changes.take(at(start, 9_000)));
    changes.note(at(start, 2_000));
    assert_eq!(changes.due(), Some(at(start, 2_100)));
}
