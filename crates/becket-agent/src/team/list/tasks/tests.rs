use super::*;
use crate::team::list::To;
use proptest::prelude::*;

fn list(subjects: &[&str]) -> ListedTasks {
    let mut tasks = ListedTasks::default();
    for subject in subjects {
        let id = tasks.reserve().unwrap();
        tasks.add(ListedTask::new(id, subject, ""));
    }
    tasks
}

fn to(word: &str) -> Change {
    Change { to: To::read(word), ..Change::default() }
}

fn waits_for(ids: &[&str]) -> Change {
    Change { add_blocked_by: ids.iter().map(|id| (*id).to_owned()).collect(), ..Change::default() }
}

#[test]
fn a_number_is_given_once() {
    let mut tasks = list(&["a", "b"]);
    tasks.change("2", &to("deleted"), None).unwrap();
    assert_eq!(tasks.reserve().unwrap(), "3");
    // Number 3 was reserved but never used.
    assert_eq!(tasks.reserve().unwrap(), "4");
    // The file was edited by hand.
    let mut tasks: ListedTasks =
        serde_json::from_str(r#"{"tasks": [{"id": "7", "subject": "s", "status": "pending"}]}"#).unwrap();
    assert_eq!(tasks.reserve().unwrap(), "8");
}

#[test]
fn who_begins_what_is_nobody_s_owns_it_and_nobody_else_takes_it() {
    let mut tasks = list(&["a"]);
    let changed = tasks.change("#1", &to("in_progress"), Some("ann")).unwrap();
    assert_eq!(changed.task.owner.as_deref(), Some("ann"));
    assert_eq!(changed.fields, ["status", "owner"]);
    assert_eq!(changed.status, Some(("pending", "in_progress")));
    for change in [
        to("completed"),
        to("in_progress"),
        to("deleted"),
        Change { owner: Some("bob".into()), ..Change::default() },
    ] {
        assert!(
            matches!(tasks.change("1", &change, Some("bob")), Err(ChangeError::OwnedByOther { .. })),
            "{change:?}"
        );
    }
    // The lead may do so.
    tasks.change("1", &Change { owner: Some("bob".into()), ..Change::default() }, None).unwrap();
    tasks.change("1", &to("completed"), Some("bob")).unwrap();
}

#[test]
fn a_task_waits_and_never_for_itself() {
    let mut tasks = list(&["a", "b", "c"]);
    tasks.change("2", &waits_for(&["1"]), None).unwrap();
    let blocks = Change { add_blocks: vec!["3".into()], ..Change::default() };
    assert_eq!(tasks.change("2", &blocks, None).unwrap().fields, ["blocks"]);
    assert!(matches!(tasks.change("3", &to("in_progress"), None), Err(ChangeError::Waits { .. })));
    for (id, change) in [
        ("1", waits_for(&["1"])),
        ("1", waits_for(&["3"])),
        ("3", Change { add_blocks: vec!["1".into()], ..Change::default() }),
        ("1", Change { add_blocks: vec!["1".into()], ..Change::default() }),
    ] {
        let before = tasks.clone();
        assert!(
            matches!(tasks.change(id, &change, None), Err(ChangeError::Circle { .. })),
            "{id} {change:?}"
        );
        assert_eq!(tasks, before, "nothing of it is done");
    }
    assert!(matches!(tasks.change("1", &waits_for(&["9"]), None), Err(ChangeError::Unknown { .. })));
    tasks.change("1", &to("completed"), None).unwrap();
    tasks.change("2", &to("in_progress"), None).unwrap();
    tasks.change("2", &to("deleted"), None).unwrap();
    assert!(tasks.find("3").unwrap().blocked_by.is_empty(), "what is gone blocks nothing");
}

#[test]
fn what_was_judged_is_what_is_done() {
    let mut tasks = list(&["a"]);
    let judged = tasks.find("1").cloned();
    let done = Change { judged, ..to("completed") };
    let another = Change { subject: Some("delete all".into()), ..Change::default() };
    tasks.change("1", &another, None).unwrap();
    assert!(matches!(tasks.change("1", &done, None), Err(ChangeError::Changed { .. })));
    assert_eq!(tasks.find("1").unwrap().status, Status::Pending);
}

#[test]
fn who_leaves_leaves_what_is_not_done() {
    let mut tasks = list(&["a", "b", "c"]);
    tasks.change("1", &to("in_progress"), Some("ann")).unwrap();
    tasks.change("1", &to("completed"), Some("ann")).unwrap();
    tasks.change("2", &to("in_progress"), Some("ann")).unwrap();
    tasks.change("3", &to("in_progress"), Some("bob")).unwrap();
    tasks.release("ann");
    let now: Vec<_> = tasks.tasks.iter().map(|task| (task.status.as_str(), task.owner.as_deref())).collect();
    assert_eq!(now, [("completed", Some("ann")), ("pending", None), ("in_progress", Some("bob"))]);
}

#[test]
fn metadata_is_merged_and_null_takes_away() {
    let mut tasks = list(&["a"]);
    let with = |text: &str| Change { metadata: serde_json::from_str(text).unwrap(), ..Change::default() };
    tasks.change("1", &with(r#"{"a": 1, "b": 2}"#), None).unwrap();
    tasks.change("1", &with(r#"{"a": null, "c": [3]}"#), None).unwrap();
    assert_eq!(serde_json::to_string(&tasks.find("1").unwrap().metadata).unwrap(), r#"{"b":2,"c":[3]}"#);
    assert!(tasks.change("1", &with(r#"{"zzz": null}"#), None).unwrap().fields.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    // In any order of links, nothing waits for itself, and every task that can be started can be finished.
    #[test]
    fn there_are_no_circles(links in prop::collection::vec((1_u8..8, 1_u8..8, any::<bool>()), 0..40)) {
        let mut tasks = list(&["1", "2", "3", "4", "5", "6", "7"]);
        for (one, other, forth) in links {
            let other = vec![other.to_string()];
            let change = match forth {
                true => Change { add_blocks: other, ..Change::default() },
                false => Change { add_blocked_by: other, ..Change::default() },
            };
            let _ = tasks.change(&one.to_string(), &change, None);
        }
        for _ in 0..7 {
            let free = tasks.tasks.iter().find(|task| task.status == Status::Pending && tasks.waits_for(task).is_empty());
            let id = free.map(|task| task.id.clone());
            prop_assert!(id.is_some(), "all that is left waits in a circle: {:?}", tasks);
            let id = id.unwrap_or_default();
            prop_assert!(tasks.change(&id, &to("in_progress"), None).is_ok());
            prop_assert!(tasks.change(&id, &to("completed"), None).is_ok());
        }
    }
}
