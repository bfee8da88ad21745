//! Moments as transcripts write them: `2026-01-31T12:00:00.000Z`.

use std::time::{Duration, SystemTime};

const DAY: u64 = 86_400;

/// A moment in words, to the millisecond; one before 1970 is taken for its first.
pub fn text(moment: SystemTime) -> String {
    let since = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let (mut days, second) = (since.as_secs() / DAY, since.as_secs() % DAY);
    let mut year = 1970;
    while days >= days_of(year) {
        days -= days_of(year);
        year += 1;
    }
    let mut month = 0;
    while days >= MONTHS[month] + leap(year, month) {
        days -= MONTHS[month] + leap(year, month);
        month += 1;
    }
    let (hour, minute, second, milli) =
        (second / 3_600, second / 60 % 60, second % 60, since.subsec_millis());
    format!("{year:04}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z", month + 1, days + 1)
}

/// A moment from its words; `None` for any other form.
pub(super) fn moment(text: &str) -> Option<SystemTime> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time, ':')?;
    let month = usize::try_from(month.checked_sub(1)?).ok()?;
    let fits = (1970..=9_999).contains(&year) && month < 12 && hour < 24 && minute < 60 && second < 60;
    if !fits || !(1..=MONTHS[month] + leap(year, month)).contains(&day) {
        return None;
    }
    let days = (1970..year).map(days_of).sum::<u64>()
        + (0..month).map(|month| MONTHS[month] + leap(year, month)).sum::<u64>()
        + (day - 1);
    let fraction: f64 = format!("0.{fraction}").parse().ok().filter(|_| digits(fraction))?;
    let seconds = days * DAY + hour * 3_600 + minute * 60 + second;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds) + Duration::from_secs_f64(fraction))
}

const MONTHS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of(year: u64) -> u64 {
    365 + u64::from(is_leap(year))
}

/// The day that February has more.
fn leap(year: u64, month: usize) -> u64 {
    u64::from(month == 1 && is_leap(year))
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn numbers(text: &str, between: char) -> Option<[u64; 3]> {
    let numbers: Option<Vec<u64>> =
        text.split(between).map(|part| part.parse().ok().filter(|_| digits(part))).collect();
    numbers?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

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
