//! The delay before a stream is requested again.

use std::time::Duration;

/// The limit on requests for a stream without an event.
pub(super) const TRIES: u32 = 5;

const FIRST: Duration = Duration::from_secs(1);
const LEAST: Duration = Duration::from_millis(50);
const MOST: Duration = Duration::from_secs(30);

/// Returns the delay after `tries` without an event; the server may set the first one.
pub(super) fn pause(tries: u32, wanted: Option<Duration>) -> Duration {
    let first = wanted.unwrap_or(FIRST).clamp(LEAST, MOST);
    first.saturating_mul(2u32.saturating_pow(tries)).min(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: X1
    #[test]
    fn pauses_grow_and_have_bounds() {
        let millis = |wanted: Option<u64>| -> Vec<u128> {
            let wanted = wanted.map(Duration::from_millis);
            (0..TRIES + 2).map(|tries| pause(tries, wanted).as_millis()).collect()
        };
        assert_eq!(millis(None), [1000, 2000, 4000, 8000, 16000, 30000, 30000]);
        assert_eq!(millis(Some(0)), [50, 100, 200, 400, 800, 1600, 3200]);
        assert_eq!(millis(Some(3000)), [3000, 6000, 12000, 24000, 30000, 30000, 30000]);
        assert_eq!(millis(Some(u64::MAX)), [30000; 7]);
    }
}
