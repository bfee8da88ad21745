//! Detects an idle prompt, and notifies hooks.

use super::handle::Terminal;
use super::person::UserNotification;
use std::time::{Duration, Instant};

/// The time until a prompt is idle.
const IDLE: Duration = Duration::from_secs(60);

/// Notifies hooks once that the prompt, which opens now, is idle; never ends.
pub(crate) async fn idle(terminal: &Terminal) {
    let opened = Instant::now();
    loop {
        let left = left(opened, terminal.touched(), Instant::now());
        if left.is_zero() {
            break;
        }
        tokio::time::sleep(left).await;
    }
    terminal.notify(UserNotification {
        kind: "idle_prompt",
        message: "Becket is waiting for your input".to_owned(),
    });
    std::future::pending().await
}

/// Returns the time until the prompt that was `opened`, with the last key at `touched`, is idle.
fn left(opened: Instant, touched: Option<Instant>, now: Instant) -> Duration {
    (touched.map_or(opened, |touched| opened.max(touched)) + IDLE).saturating_duration_since(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_left_alone_a_minute_after_the_last_key_or_since_it_opened() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        for (opened, touched, now, expected) in [
            (100, None, 100, 60),
            (100, Some(0), 159, 1),
            (100, Some(0), 160, 0),
            (100, Some(130), 160, 30),
            (100, Some(130), 500, 0),
        ] {
            let found = left(at(opened), touched.map(at), at(now));
            assert_eq!(found, Duration::from_secs(expected), "{opened} {touched:?} {now}");
        }
    }
}
