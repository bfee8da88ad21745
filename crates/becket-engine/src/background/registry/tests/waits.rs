//! Waits: for wakes, for the end of pending hooks, for the end of a session.

use super::*;
use std::task::Poll;

fn rewake(of: &str, label: &str) -> Adoption {
    Adoption { rewake: true, ..adopted(of, label) }
}

/// Polls a future once, and returns whether it is pending.
async fn is_waiting<T>(future: &mut (impl Future<Output = T> + Unpin)) -> bool {
    std::future::poll_fn(|context| Poll::Ready(future.poll_unpin(context).is_pending())).await
}

#[tokio::test]
async fn exit_2_wakes_whoever_waits_and_whoever_comes_late() {
    // rule: A4
    let place = place();
    let wakes = place.background.wakes();
    let mut next = Box::pin(wakes.next());
    assert!(is_waiting(&mut next).await);
    let (id, lever) = place.adopt(rewake("s", "build"));
    let (_, quiet) = place.adopt(adopted("s", "async alone"));
    quiet.ends(2, "", "nobody hears this");
    lever.ends(2, "log", "the build broke");
    let wake = soon(next).await.unwrap();
    assert_eq!((wake.id, &*wake.reminder, &*wake.label), (id, "the build broke", "build"));
    let (_, lever) = place.adopt(rewake("s", "again"));
    lever.ends(2, "it broke again", "");
    assert_eq!(place.results("s").await.len(), 3);
    let (late, other) = (place.background.wakes(), place.background.wakes());
    assert_eq!(soon(late.next()).await.unwrap().reminder, "it broke again");
    let mut nothing = Box::pin(other.next());
    assert!(is_waiting(&mut nothing).await, "a wake goes to one taker");
}

#[tokio::test]
async fn a_dropped_wait_takes_no_wake_with_it() {
    // rules: A4, A5
    let place = place();
    let wakes = place.background.wakes();
    {
        let mut dropped = Box::pin(wakes.next());
        assert!(is_waiting(&mut dropped).await);
        let (_, lever) = place.adopt(rewake("s", "build"));
        lever.ends(2, "", "broke");
        soon(place.background.over(&session("s"))).await;
    }
    assert_eq!(soon(wakes.next()).await.unwrap().reminder, "broke");
}

#[tokio::test]
async fn a_one_shot_host_waits_and_gets_what_no_subscriber_gets() {
    // rule: A4
    let place = place();
    let (_, early) = place.adopt(rewake("s", "early"));
    early.ends(2, "", "first");
    soon(place.background.over(&session("s"))).await;
    let (_, slow) = place.adopt(rewake("s", "slow"));
    let (_, fine) = place.adopt(rewake("s", "fine"));
    let (_, _unrelated) = place.adopt(adopted("s", "async alone"));
    let mine = session("s");
    let mut waiting = Box::pin(place.background.rewakes(&mine));
    assert!(is_waiting(&mut waiting).await);
    let wakes = place.background.wakes();
    let mut subscriber = Box::pin(wakes.next());
    assert!(is_waiting(&mut subscriber).await, "the session's wakes are kept for the one who waits");
    slow.ends(2, "", "second");
    place.left(2).await;
    assert!(is_waiting(&mut waiting).await, "one of them still runs");
    assert!(is_waiting(&mut subscriber).await);
    fine.ends(0, "", "");
    let reminders: Vec<String> = soon(waiting).await.into_iter().map(|wake| wake.reminder).collect();
    assert_eq!(reminders, ["first", "second"]);
    assert!(is_waiting(&mut subscriber).await, "nothing comes twice");
    assert_eq!(place.background.pending(None).len(), 1, "it did not wait for one that wakes nobody");
}

#[tokio::test]
async fn a_one_shot_wait_that_is_dropped_leaves_its_wakes_to_the_others() {
    // rules: A4, A5
    let place = place();
    let (_, lever) = place.adopt(rewake("s", "build"));
    let (_, _open) = place.adopt(rewake("s", "open"));
    let (wakes, mine) = (place.background.wakes(), session("s"));
    let mut waiting = Box::pin(place.background.rewakes(&mine));
    assert!(is_waiting(&mut waiting).await);
    lever.ends(2, "", "broke");
    place.left(1).await;
    let taken = tokio::spawn(async move { wakes.next().await });
    tokio::task::yield_now().await;
    drop(waiting);
    assert_eq!(soon(taken).await.unwrap().unwrap().reminder, "broke");
}

#[tokio::test]
async fn a_session_that_ends_cancels_what_runs_and_what_waits_and_says_so() {
    // rules: A5, H4
    let place = place();
    let (done, lever) = place.adopt(adopted("s", "done"));
    lever.ends(0, r#"{"systemMessage": "in time"}"#, "");
    soon(place.background.over(&session("s"))).await;
    let levers: Vec<Lever> = (0..40).map(|_| place.adopt(rewake("s", "slow")).1).collect();
    tokio::task::yield_now().await;
    let results = soon(place.background.end(&session("s"))).await;
    assert_eq!(results.len(), 41);
    for result in &results {
        let expected = if result.id == done { Status::Success } else { Status::Cancelled };
        assert_eq!(result.outcome, expected);
    }
    let never_started = results.iter().filter(|result| result.elapsed.is_zero()).count();
    assert_eq!(never_started, 9, "eight had no room; the one in time says that it took none");
    assert!(place.background.pending(None).is_empty());
    assert_eq!(place.background.collect(&session("s")), [], "they were reported");
    drop(levers);
}

#[tokio::test]
async fn work_that_does_not_listen_is_dropped_when_its_session_ends() {
    // rules: A5, H4
    let place = place();
    let alive = Arc::new(());
    let witness = alive.clone();
    let (begun, has_begun) = oneshot::channel();
    place.background.adopt(adopted("s", "deaf"), move || {
        async move {
            let _witness = witness;
            begun.send(()).unwrap();
            std::future::pending().await
        }
        .boxed()
    });
    soon(has_begun).await.unwrap();
    let results = soon(place.background.end(&session("s"))).await;
    assert_eq!(results[0].failure, Some(Failure::Cancelled));
    assert_eq!(Arc::strong_count(&alive), 1, "it is gone by then");
}

#[tokio::test]
async fn what_is_adopted_while_a_session_ends_is_ended_too() {
    // rule: A5
    let place = place();
    let (_, _first) = place.adopt(adopted("s", "first"));
    let mine = session("s");
    let mut ending = Box::pin(place.background.end(&mine));
    assert!(is_waiting(&mut ending).await);
    let (_, _second) = place.adopt(adopted("s", "second"));
    assert_eq!(soon(ending).await.len(), 2);
}

#[tokio::test]
async fn a_forgotten_session_is_ended_and_owed_nothing() {
    // rules: A5, H12
    let place = place();
    let (_, lever) = place.adopt(rewake("s", "done"));
    lever.ends(2, "", "broke");
    soon(place.background.over(&session("s"))).await;
    let long = format!("{{\"systemMessage\": \"{}\"}}", "x".repeat(10_001));
    let stdout = Bytes::from(long);
    let adopted = adopted("s", "open");
    let cancel = adopted.cancel.clone();
    let (begun, has_begun) = oneshot::channel();
    place.background.adopt(adopted, move || {
        async move {
            begun.send(()).unwrap();
            cancel.cancelled().await;
            BackgroundEnd { exit: Some(0), stdout, ..BackgroundEnd::default() }
        }
        .boxed()
    });
    soon(has_begun).await.unwrap();
    place.background.forget(&session("s"));
    soon(place.background.over(&session("s"))).await;
    assert_eq!(place.background.collect(&session("s")), []);
    let wakes = place.background.wakes();
    assert!(is_waiting(&mut Box::pin(wakes.next())).await);
    let names = std::fs::read_dir(place.temp.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["session"], "no text of it is kept either");
}
