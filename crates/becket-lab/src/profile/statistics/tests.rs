//! Counts of records whose sums are known.

use super::*;
use std::time::Duration;

fn run(hook: &str, from: u64, us: u64) -> RunTime {
    RunTime { hook: hook.into(), place: "p".into(), status: "success".into(), from, us, background: false }
}

fn record(at: u64, us: u64, runs: Vec<RunTime>) -> TimeRecord {
    TimeRecord {
        version: 1,
        host: "run".into(),
        at,
        session: "s".into(),
        event: "PreToolUse".into(),
        subject: None,
        us,
        runs,
    }
}

fn budget(ms: u64) -> HookBudget {
    HookBudget { all: Some(Duration::from_millis(ms)), ..HookBudget::default() }
}

#[test]
fn quantiles_critical_paths_and_waiting_are_those_of_the_records() {
    let mut profile = Profile::default();
    for number in 1..=100_u64 {
        let runs = vec![run("slow", 0, number * 1_000), run("fast", 0, 10)];
        profile.add(record(number * 1_000_000, number * 1_000 + 500, runs));
    }
    let report = profile.report(&budget(94));
    let slow = &report.hooks[0];
    assert_eq!((slow.hook.as_str(), slow.runs, slow.critical, slow.max), ("slow", 100, 100, 100.0));
    for (seen, expected) in [(slow.p50, 50.0), (slow.p95, 95.0), (slow.p99, 99.0)] {
        assert!((seen - expected).abs() < 0.2, "{seen} {expected}");
    }
    assert_eq!((slow.over_budget, report.hooks[1].over_budget), (true, false));
    assert!(!profile.report(&budget(96)).hooks[0].over_budget);
    assert_eq!(slow.buckets.iter().map(|bucket| bucket.runs).sum::<u64>(), 100);
    assert!(slow.buckets.windows(2).all(|pair| pair[0].up_to == pair[1].from));
    let event = &report.by_event[0];
    assert_eq!((event.critical.as_str(), event.critical_share, event.own), ("slow", 1.0, 50.0));
    assert_eq!((event.slowest.len(), event.slowest[0].elapsed), (1, 100.0));
    // 5.1 s of 99.1005 s.
    assert!((report.sessions[0].share - 5.1 / 99.1005).abs() < 1e-9, "{:?}", report.sessions[0]);
}

#[test]
fn two_hooks_of_one_name_are_two_and_only_one_of_them_is_waited_for() {
    let mut profile = Profile::default();
    let other = RunTime { place: "q".into(), ..run("x", 0, 9_000) };
    profile.add(record(1, 9_500, vec![run("x", 0, 3_000), other]));
    let report = profile.report(&HookBudget::default());
    let seen: Vec<(&str, u64)> =
        report.hooks.iter().map(|hook| (hook.place.as_str(), hook.critical)).collect();
    assert_eq!(seen, [("q", 1), ("p", 0)]);
}

#[test]
fn runs_in_the_background_are_not_waited_for() {
    let mut profile = Profile::default();
    let late = RunTime { background: true, ..run("late", 100, 5_000_000) };
    profile.add(record(1, 1_000, vec![run("x", 0, 900)]));
    profile.add(record(1, 0, vec![late]));
    let report = profile.report(&budget(10));
    assert_eq!((report.events, report.runs), (1, 2));
    let late = &report.hooks[0];
    assert_eq!((late.hook.as_str(), late.background, late.critical, late.over_budget), ("late", 1, 0, false));
    assert_eq!(report.sessions[0].waiting, 1.0);
}

#[test]
fn times_of_tests_are_no_session_and_a_budget_may_be_that_of_an_event() {
    let mut profile = Profile::default();
    profile.add(TimeRecord { host: "test".into(), ..record(1, 9_000, vec![run("x", 0, 8_000)]) });
    let event = BTreeMap::from([(becket_model::EventKind::PreToolUse, Duration::from_millis(5))]);
    let report = profile.report(&HookBudget { events: event, ..budget(60_000) });
    assert!(report.sessions.is_empty() && report.hooks[0].over_budget);
    assert_eq!((report.hooks[0].budget, &report.hosts["test"]), (Some(5.0), &1));
}

#[test]
fn numbers_that_no_clock_gives_break_nothing() {
    let mut profile = Profile::default();
    for at in [0, 1, u64::MAX] {
        profile.add(record(at, u64::MAX, vec![run("x", u64::MAX, u64::MAX), run("y", 0, 0)]));
    }
    let report = profile.report(&budget(1));
    assert_eq!((report.runs, report.events), (6, 3));
    serde_json::to_string(&report).unwrap();
}
