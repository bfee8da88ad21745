//! `Retry-After`: seconds, or a date.

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use std::time::Duration;

/// The maximum wait that is reported.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Returns the wait that a `Retry-After` header requests. A date is compared with the response's own `Date`, so that a
/// wrong local clock does no harm; without one, with the local clock.
pub(crate) fn retry_after(value: &str, date: Option<&str>) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        let wait = Duration::try_from_secs_f64(seconds).ok()?;
        return Some(wait.min(LONGEST));
    }
    let until = unix_seconds(value)?;
    let now = date.and_then(unix_seconds).unwrap_or_else(|| Timestamp::now().as_second().unsigned_abs());
    Some(Duration::from_secs(until.saturating_sub(now)).min(LONGEST))
}

/// Returns the Unix time of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`, the only format that HTTP still generates.
fn unix_seconds(date: &str) -> Option<u64> {
    let date = date.trim();
    let moment = DateTimeParser::new().relaxed_weekday(true).parse_timestamp(date).ok()?;
    date.ends_with("GMT").then(|| u64::try_from(moment.as_second()).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_counted_as_the_calendar_does() {
        for (date, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
            ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
            ("Thu, 31 Dec 2026 23:59:59 GMT", 1_798_761_599),
        ] {
            assert_eq!(unix_seconds(date), Some(seconds), "{date}");
        }
    }

    #[test]
    fn seconds_and_dates_are_read_and_nothing_else() {
        let date = Some("Sat, 21 Nov 2026 07:00:00 GMT");
        let wait = |value: &str| retry_after(value, date).map(|wait| wait.as_millis());
        assert_eq!(wait("12"), Some(12_000));
        assert_eq!(wait(" 0.5 "), Some(500));
        assert_eq!(wait("Sat, 21 Nov 2026 07:01:30 GMT"), Some(90_000));
        assert_eq!(wait("Sat, 21 Nov 2026 06:00:00 GMT"), Some(0));
        assert_eq!(wait("1e300"), None);
        assert_eq!(wait("99999999"), Some(LONGEST.as_millis()));
        for nonsense in
            ["", "soon", "-1", "nan", "Sat, 99 Nov 2026 07:00:00 GMT", "Sat, 21 Nov 2026 07:00:00 CET"]
        {
            assert_eq!(wait(nonsense), None, "{nonsense}");
        }
    }
}
