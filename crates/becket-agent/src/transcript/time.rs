//! Timestamps of transcripts: `2026-01-31T12:00:00.000Z`.

use std::time::SystemTime;

use jiff::Timestamp;

/// Formats a time to the millisecond; a time before 1970 is replaced by the epoch.
pub fn text(moment: SystemTime) -> String {
    let moment = Timestamp::try_from(moment.max(SystemTime::UNIX_EPOCH)).unwrap_or(Timestamp::MAX);
    format!("{moment:.3}")
}

/// Parses a timestamp; `None` for any other format.
pub(super) fn moment(text: &str) -> Option<SystemTime> {
    let is_utc = text.ends_with('Z') && text.as_bytes().get(10) == Some(&b'T');
    let moment: Timestamp = text.parse().ok().filter(|_| is_utc)?;
    (moment >= Timestamp::UNIX_EPOCH).then(|| moment.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_moment_comes_back() {
        for (seconds, milli, expected) in [
            (0, 0, "1970-01-01T00:00:00.000Z"),
            (951_782_399, 999, "2000-02-28T23:59:59.999Z"),
            (951_782_400, 0, "2000-02-29T00:00:00.000Z"),
            (1_704_067_199, 1, "2023-12-31T23:59:59.001Z"),
            (1_709_251_200, 0, "2024-03-01T00:00:00.000Z"),
            (4_107_542_400, 0, "2100-03-01T00:00:00.000Z"),
        ] {
            let at = SystemTime::UNIX_EPOCH + Duration::from_millis(seconds * 1_000 + milli);
            assert_eq!(text(at), expected);
            let back = moment(expected).unwrap();
            assert!(back.duration_since(at).unwrap_or_default() < Duration::from_micros(1), "{expected}");
        }
        for wrong in [
            "",
            "2026-01-31",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:00+01:00",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00.-1Z",
            "99999999999-01-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
        ] {
            assert_eq!(moment(wrong), None, "{wrong}");
        }
    }
}
