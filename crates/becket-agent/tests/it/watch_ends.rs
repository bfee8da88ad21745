//! A watch leaves no descriptor behind. Alone in its process, whose descriptors it counts.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]
#![allow(clippy::wildcard_enum_match_arm, reason = "a test picks one kind of update among many")]

use crate::support::session::{At, LONG, settings, within};
use becket_agent::definitions::Homes;
use becket_agent::watch::FileWatch;
use becket_engine::config::Request;
use becket_engine::{Environment, Profile};
use serde_json::json;
use std::fs;
use std::time::{Duration, Instant};

fn listening() -> usize {
    let open = fs::read_dir("/proc/self/fd").unwrap().flatten();
    open.filter(|fd| fs::read_link(fd.path()).is_ok_and(|to| to.to_string_lossy().contains("inotify")))
        .count()
}

async fn until_none() {
    let start = Instant::now();
    while listening() > 0 {
        assert!(start.elapsed() < LONG, "{} are left", listening());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn closed_or_dropped_a_session_listens_no_more() {
    let at = At::new(&settings(&json!({"FileChanged": ["true"]}), &json!({})), &json!([]));
    let request =
        Request::new(Profile::claude(), Environment::empty().with_home(at.dir.join("home")), &at.dir);
    let watch = || FileWatch::of(&request, &Homes::of(&request, &[]));
    assert_eq!(listening(), 0);
    let agent = at.builder().watch_files(watch()).open().await.unwrap();
    assert_eq!(listening(), 1);
    within(agent.close("other")).await;
    until_none().await;
    for n in 0..20 {
        let agent = at.builder().watch_files(watch()).open().await.unwrap();
        // At the beginning, before the first look, and after it.
        tokio::time::sleep(Duration::from_millis(n * 10)).await;
        drop(agent);
    }
    until_none().await;
}
