//! A watch leaves no descriptor behind. Alone in its process, whose descriptors it counts.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]
#![allow(clippy::wildcard_enum_match_arm, reason = "a test picks one kind of update among many")]

use crate::support::session::{At, settings, within};
use crate::support::until;
use becket_agent::definitions::Homes;
use becket_agent::watch::FileWatch;
use becket_engine::config::Request;
use becket_engine::{Environment, Profile};
use serde_json::json;
use std::fs;

fn listening() -> usize {
    let open = fs::read_dir("/proc/self/fd").unwrap().flatten();
    open.filter(|fd| fs::read_link(fd.path()).is_ok_and(|to| to.to_string_lossy().contains("inotify")))
        .count()
}

async fn until_none() {
    until("nobody listens any more", || listening() == 0).await;
}

#[tokio::test]
async fn closed_or_dropped_a_session_listens_no_more() {
    let mut settings = settings(&json!({"FileChanged": ["true"]}), &json!({}));
    settings["hooks"]["FileChanged"][0]["matcher"] = json!(".env");
    let at = At::new(&settings, &json!([]));
    let request =
        Request::new(Profile::claude(), Environment::empty().with_home(at.dir.join("home")), &at.dir);
    let watch = || FileWatch::of(&request, &Homes::of(&request, &[]));
    assert_eq!(listening(), 0);
    let agent = at.builder().watch_files(watch()).open().await.unwrap();
    assert_eq!(listening(), 1);
    within(agent.close("other")).await;
    until_none().await;
    let changes = |text: &str| fs::write(at.dir.join(".env"), text).unwrap();
    // At the start, at a change that was not checked yet, and after checks.
    for looks in [None, Some(0), Some(1), Some(2)] {
        let agent = at.builder().watch_files(watch()).open().await.unwrap();
        for look in 0..looks.unwrap_or_default() {
            let before = at.noted().len();
            changes(&format!("{looks:?} {look}"));
            until("it is heard of", || at.noted().len() > before).await;
        }
        if looks.is_some() {
            changes(&format!("{looks:?} and no look"));
        }
        drop(agent);
    }
    until_none().await;
}
