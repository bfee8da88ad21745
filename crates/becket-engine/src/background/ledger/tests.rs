//! The ledger without tasks: the hooks that run, those that wait, and the results that are due.

use super::*;
use crate::report::outcome::Status;
use crate::testing;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn session(name: &str) -> SessionId {
    name.into()
}

fn entry(of: &str) -> Entry<()> {
    Entry::new(session(of), Arc::new(testing::command("x")), ())
}

fn result(id: BackgroundId, of: &str) -> BackgroundDelivery {
    BackgroundDelivery {
        id,
        session: session(of),
        event: EventKind::PreToolUse,
        label: "x".into(),
        source: becket_model::Source::User,
        contexts: Vec::new(),
        warnings: Vec::new(),
        outcome: Status::Success,
        failure: None,
        exit: Some(0),
        elapsed: Duration::ZERO,
        missed: 0,
    }
}

fn wake(id: BackgroundId, of: &str) -> Wake {
    Wake {
        id,
        session: session(of),
        event: EventKind::PreToolUse,
        label: "x".into(),
        source: becket_model::Source::User,
        reminder: id.to_string(),
        missed: 0,
    }
}

fn adopt(ledger: &mut Ledger<()>, of: &str, how_many: usize) -> Vec<BackgroundId> {
    (0..how_many)
        .map(|_| {
            let id = BackgroundId::next();
            ledger.adopt(id, entry(of), false);
            id
        })
        .collect()
}

fn running(ledger: &Ledger<()>, of: &str) -> Vec<BackgroundId> {
    let pending = ledger.pending(Some(&session(of)));
    pending.iter().filter(|one| one.state == PendingState::Running).map(|one| one.id).collect()
}

fn ids(results: &[BackgroundDelivery]) -> Vec<BackgroundId> {
    results.iter().map(|result| result.id).collect()
}

#[test]
fn what_nobody_takes_is_bounded_in_bytes_too() {
    // rules: A4, A5
    let mut ledger = Ledger::new();
    let large = "x".repeat(KEPT_BYTES / 4);
    let all = adopt(&mut ledger, "s", 9);
    for id in &all {
        let failure = becket_model::Failure::PlainError { code: 1, stderr_line: Some(large.clone()) };
        let result = BackgroundDelivery { failure: Some(failure), ..result(*id, "s") };
        ledger.finish(*id, result, Some(Wake { reminder: large.clone(), ..wake(*id, "s") }));
    }
    let results = ledger.collect(&session("s"));
    assert_eq!((results.len(), results[0].missed), (3, 6));
    assert_eq!(results[2].id, all[8], "the latest are kept");
    let wakes = ledger.take_wakes_of(&session("s"));
    assert_eq!((wakes.len(), wakes[0].missed), (4, 5));
    assert_eq!(wakes[3].id, all[8]);
    let one = adopt(&mut ledger, "s", 1)[0];
    ledger.finish(one, result(one, "s"), Some(Wake { reminder: large.repeat(5), ..wake(one, "s") }));
    assert_eq!(ledger.take_wakes_of(&session("s")).len(), 1, "one alone is kept whatever its size");
}

#[test]
fn thirty_two_run_at_once_in_a_session_and_the_others_wait_their_turn() {
    // rule: A1
    let mut ledger = Ledger::new();
    let all = adopt(&mut ledger, "s", 40);
    assert_eq!(running(&ledger, "s"), all[..32]);
    assert_eq!(ledger.pending(None).len(), 40);
    let other = adopt(&mut ledger, "other", 1);
    assert_eq!(running(&ledger, "other"), other, "another session has room of its own");
    assert_eq!(ledger.finish(all[5], result(all[5], "s"), None), [all[32]], "who waits longest is next");
    assert_eq!(ledger.finish(all[34], result(all[34], "s"), None), [], "one that waits frees no place");
    assert_eq!(ledger.finish(all[0], result(all[0], "s"), None), [all[33]]);
    assert_eq!(ledger.finish(all[1], result(all[1], "s"), None), [all[35]], "one that went is not called");
    assert_eq!(running(&ledger, "s").len(), 32);
    assert_eq!(
        ledger.finish(other[0], result(other[0], "other"), None),
        [],
        "nor a place in another session"
    );
}

#[test]
fn one_that_runs_already_never_waits_but_takes_up_room() {
    // rules: A1, A2
    let mut ledger = Ledger::new();
    let all = adopt(&mut ledger, "s", 33);
    let late = BackgroundId::next();
    assert_eq!(ledger.adopt(late, entry("s"), true), Admission::Runs);
    assert_eq!(running(&ledger, "s").len(), 33);
    assert_eq!(ledger.finish(all[0], result(all[0], "s"), None), [], "32 still run");
    assert_eq!(ledger.finish(late, result(late, "s"), None), [all[32]]);
}

#[test]
fn a_result_is_handed_over_once_and_to_its_own_session() {
    // rule: A5
    let mut ledger = Ledger::new();
    let mine = adopt(&mut ledger, "mine", 3);
    let yours = adopt(&mut ledger, "yours", 1);
    ledger.finish(mine[1], result(mine[1], "mine"), None);
    ledger.finish(yours[0], result(yours[0], "yours"), None);
    ledger.finish(mine[0], result(mine[0], "mine"), None);
    ledger.finish(mine[0], result(mine[0], "mine"), None);
    assert_eq!(ids(&ledger.collect(&session("mine"))), [mine[1], mine[0]], "in the order of their ends");
    assert_eq!(ledger.collect(&session("mine")), []);
    assert_eq!(ids(&ledger.collect(&session("yours"))), yours);
    assert_eq!(ledger.pending(Some(&session("mine"))).len(), 1);
    assert_eq!(ledger.collect(&session("nobody")), []);
}

#[test]
fn results_that_nobody_collects_are_bounded_and_the_loss_is_told() {
    // rule: A5
    let mut ledger = Ledger::new();
    let all = adopt(&mut ledger, "s", KEPT + 3);
    let calm = adopt(&mut ledger, "calm", 1);
    ledger.finish(calm[0], result(calm[0], "calm"), None);
    for id in &all {
        ledger.finish(*id, result(*id, "s"), None);
    }
    let results = ledger.collect(&session("s"));
    assert_eq!(ids(&results), all[3..]);
    assert_eq!(results.iter().map(|result| result.missed).sum::<u64>(), 3);
    assert_eq!(results[0].missed, 3, "the first after the gap says so");
    assert_eq!(ledger.collect(&session("calm")).len(), 1, "another session loses nothing");
    let more = adopt(&mut ledger, "s", 1);
    ledger.finish(more[0], result(more[0], "s"), None);
    assert_eq!(ledger.collect(&session("s"))[0].missed, 0, "a loss is told once");
}

#[test]
fn wakes_are_taken_once_in_order_unless_a_host_waits_for_its_own() {
    // rules: A4, A5
    let mut ledger = Ledger::new();
    let [a, b] = ["a", "b"].map(|of| adopt(&mut ledger, of, 2));
    for (id, of) in [(a[0], "a"), (b[0], "b"), (a[1], "a"), (b[1], "b")] {
        ledger.finish(id, result(id, of), Some(wake(id, of)));
    }
    assert_eq!(ledger.take_wake().unwrap().id, a[0]);
    ledger.hold(&session("b"));
    assert_eq!(ledger.take_wake().unwrap().id, a[1], "those of `b` are kept");
    assert_eq!(ledger.take_wake(), None);
    let held: Vec<_> = ledger.take_wakes_of(&session("b")).iter().map(|wake| wake.id).collect();
    assert_eq!(held, b);
    let more = adopt(&mut ledger, "b", 1);
    ledger.finish(more[0], result(more[0], "b"), Some(wake(more[0], "b")));
    assert_eq!(ledger.take_wake(), None);
    ledger.release(&session("b"));
    assert_eq!(ledger.take_wake().unwrap().id, more[0]);
    assert_eq!(ledger.take_wake(), None);
}

#[test]
fn wakes_that_nobody_takes_are_bounded_and_the_loss_is_told() {
    // rule: A4
    let mut ledger = Ledger::new();
    let calm = adopt(&mut ledger, "calm", 1);
    ledger.finish(calm[0], result(calm[0], "calm"), Some(wake(calm[0], "calm")));
    let all = adopt(&mut ledger, "s", KEPT + 2);
    for id in &all {
        ledger.finish(*id, result(*id, "s"), Some(wake(*id, "s")));
    }
    assert_eq!(ledger.take_wake().unwrap().id, calm[0], "another session loses nothing");
    let first = ledger.take_wake().unwrap();
    assert_eq!((first.id, first.missed), (all[2], 2));
    assert_eq!(ledger.take_wake().unwrap().missed, 0);
    assert_eq!(ledger.take_wakes_of(&session("s")).len(), KEPT - 2);
}

#[test]
fn a_forgotten_session_is_owed_nothing_and_may_begin_anew() {
    // rule: A5
    let mut ledger = Ledger::new();
    let old = adopt(&mut ledger, "s", 33);
    let kept = adopt(&mut ledger, "other", 1);
    ledger.finish(kept[0], result(kept[0], "other"), Some(wake(kept[0], "other")));
    ledger.finish(old[0], result(old[0], "s"), Some(wake(old[0], "s")));
    ledger.forget(&session("s"));
    assert!(!ledger.is_owed(old[1]));
    let new = adopt(&mut ledger, "s", 1);
    assert!(ledger.is_owed(new[0]));
    assert_eq!(ledger.finish(old[1], result(old[1], "s"), Some(wake(old[1], "s"))), new, "places go on");
    ledger.finish(new[0], result(new[0], "s"), Some(wake(new[0], "s")));
    assert_eq!(ids(&ledger.collect(&session("s"))), new);
    assert_eq!(ledger.take_wake().unwrap().id, kept[0]);
    assert_eq!(ledger.take_wake().unwrap().id, new[0]);
    assert_eq!(ledger.take_wake(), None);
    for id in &old[2..] {
        ledger.finish(*id, result(*id, "s"), None);
    }
    assert_eq!(ids(&ledger.collect(&session("other"))), kept);
    assert!(ledger.sessions.is_empty(), "nothing is left of a session that is over: {:?}", ledger.sessions);
}

#[test]
fn closed_books_take_nothing_in_and_owe_nothing() {
    // rule: A5
    let mut ledger = Ledger::new();
    let all = adopt(&mut ledger, "s", 33);
    ledger.finish(all[0], result(all[0], "s"), Some(wake(all[0], "s")));
    ledger.close();
    assert_eq!(ledger.adopt(BackgroundId::next(), entry("s"), true), Admission::Refused);
    for id in &all {
        ledger.finish(*id, result(*id, "s"), Some(wake(*id, "s")));
    }
    assert_eq!(ledger.collect(&session("s")), []);
    assert_eq!(ledger.take_wake(), None);
    assert_eq!((ledger.entries.len(), ledger.sessions.len()), (0, 0));
}

/// A possible operation on the ledger.
#[derive(Debug, Clone)]
enum Step {
    Adopt { of: usize, already_running: bool },
    Finish { which: prop::sample::Index, wakes: bool },
    Collect { of: usize },
    TakeWake,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..2_usize, prop::bool::weighted(0.2))
            .prop_map(|(of, already_running)| Step::Adopt { of, already_running }),
        3 => (any::<prop::sample::Index>(), any::<bool>())
            .prop_map(|(which, wakes)| Step::Finish { which, wakes }),
        1 => (0..2_usize).prop_map(|of| Step::Collect { of }),
        1 => Just(Step::TakeWake),
    ]
}

const NAMES: [&str; 2] = ["a", "b"];

proptest! {
    #[test]
    fn whatever_happens_every_result_comes_out_once_and_nobody_waits_beside_a_free_place(
        steps in prop::collection::vec(step(), 0..400),
    ) {
        // rules: A1, A5
        let mut ledger = Ledger::new();
        let (mut open, mut over, mut woken) = (Vec::new(), Vec::new(), Vec::new());
        let (mut seen, mut seen_wakes) = (Vec::new(), Vec::new());
        for step in steps {
            match step {
                Step::Adopt { of, already_running } => {
                    let id = BackgroundId::next();
                    ledger.adopt(id, entry(NAMES[of]), already_running);
                    open.push((id, of));
                }
                Step::Finish { .. } if open.is_empty() => {}
                Step::Finish { which, wakes } => {
                    let (id, of) = open.remove(which.index(open.len()));
                    ledger.finish(id, result(id, NAMES[of]), wakes.then(|| wake(id, NAMES[of])));
                    over.push((of, id));
                    woken.extend(wakes.then_some(id));
                }
                Step::Collect { of } => {
                    seen.extend(ledger.collect(&session(NAMES[of])).iter().map(|result| (of, result.id)));
                }
                Step::TakeWake => seen_wakes.extend(ledger.take_wake().map(|wake| wake.id)),
            }
            for name in NAMES {
                let waiting = ledger.pending(Some(&session(name))).len() - running(&ledger, name).len();
                prop_assert!(waiting == 0 || running(&ledger, name).len() >= AT_ONCE);
            }
        }
        for (of, name) in NAMES.iter().enumerate() {
            seen.extend(ledger.collect(&session(name)).iter().map(|result| (of, result.id)));
        }
        seen_wakes.extend(std::iter::from_fn(|| ledger.take_wake()).map(|wake| wake.id));
        prop_assert_eq!(seen.len(), over.len());
        prop_assert_eq!(BTreeSet::from_iter(seen), BTreeSet::from_iter(over));
        prop_assert_eq!(seen_wakes, woken);
    }
}
