//! Processes that leave others behind.

use std::time::Duration;

use becket_mcp::CancellationToken;
use serde_json::json;

use crate::common::{LONG, Place, nothing, ours};
use crate::end_to_end::scene::{eventually, of};

// rule: X7
#[tokio::test]
async fn nobody_whom_a_process_has_started_outlives_it_whichever_way_it_goes() {
    for tool in ["child", "heir", "leaver", "daemon"] {
        let place = Place::new();
        let pool = place.start(vec![ours("bad", &["--ignore-term"]), ours("good", &[])]).await;
        let cancel = CancellationToken::new();
        pool.call(of("bad", tool, nothing(), LONG), &cancel).await.unwrap();
        eventually("its offspring is there", || place.marker.alive().len() == 3).await;
        // It exits on its own.
        pool.call(of("bad", "die", nothing(), LONG), &cancel).await.unwrap_err();
        eventually("only `good` is left", || place.marker.alive().len() == 1).await;
        // It is restarted, and is replaced.
        pool.call(of("bad", tool, nothing(), LONG), &cancel).await.unwrap();
        eventually("its offspring is there again", || place.marker.alive().len() == 3).await;
        pool.reconnect("bad", &cancel).await.unwrap();
        eventually("`good` and the new one are left", || place.marker.alive().len() == 2).await;
        // It is removed from the configuration.
        pool.call(of("bad", tool, nothing(), LONG), &cancel).await.unwrap();
        pool.configure(vec![ours("good", &[])]);
        eventually("only `good` is left again", || place.marker.alive().len() == 1).await;
        let answer = pool.call(of("good", "echo", json!({}), LONG), &cancel).await;
        assert_eq!(answer.unwrap().text(), "{}");
        let greeted = place.got().iter().filter(|message| message["method"] == "initialize").count();
        assert_eq!(greeted, 4, "`good` once, `bad` three times");
        pool.close().await;
        assert!(place.marker.alive().is_empty(), "{tool}");
    }
}

// rules: X2, X7
#[tokio::test]
async fn a_process_that_does_not_read_is_given_up_and_the_others_are_called_on() {
    let place = Place::new();
    let pool = place.start(vec![ours("bad", &["--child"]), ours("good", &[])]).await;
    let cancel = CancellationToken::new();
    pool.call(of("bad", "stop_reading", nothing(), LONG), &cancel).await.unwrap();
    let large = json!({"text": "x".repeat(8 << 20)});
    for _ in 0..3 {
        let limit = Duration::from_secs(1);
        pool.call(of("bad", "echo", large.clone(), limit), &cancel).await.unwrap_err();
        let answer = pool.call(of("good", "text", nothing(), LONG), &cancel).await;
        assert_eq!(answer.unwrap().text(), "one\ntwo");
    }
    pool.close().await;
    assert!(place.marker.alive().is_empty());
}
