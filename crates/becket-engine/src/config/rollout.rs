//! The staged rollout of a handler: whether its answers count, and from which day on they do (G5).

use becket_model::Enforcement;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::fmt;
use std::time::SystemTime;

/// The mode of a handler, and the last day of the observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rollout {
    enforcement: Enforcement,
    until: Option<Date>,
}

impl Rollout {
    /// Creates the rollout of a handler in a mode that ends with the day `until`.
    pub(crate) const fn new(enforcement: Enforcement, until: Option<Date>) -> Self {
        Rollout { enforcement, until }
    }

    /// Returns the configured mode.
    pub const fn written(self) -> Enforcement {
        self.enforcement
    }

    /// Returns the mode at a moment: enforced once the last day of the observation is over, in UTC, and at a moment
    /// that is outside the calendar.
    pub fn at(self, now: SystemTime) -> Enforcement {
        let Some(until) = self.until else { return self.enforcement };
        let is_over = || {
            let now = Timestamp::try_from(now).ok()?;
            let day = now.to_zoned(TimeZone::UTC).date();
            Some(now < Timestamp::UNIX_EPOCH || day > until)
        };
        if is_over().unwrap_or(true) { Enforcement::Enforce } else { self.enforcement }
    }

    /// Returns the rollout that is never weaker than either of the two.
    #[must_use]
    pub(crate) fn stricter(self, other: Self) -> Self {
        let until = match (self.until, other.until) {
            (Some(until), Some(other)) => Some(until.min(other)),
            (until, other) => until.or(other),
        };
        Rollout { enforcement: self.enforcement.stricter(other.enforcement), until }
    }
}

/// Formats the rollout as in the settings: `observe until 2026-12-31`.
impl fmt::Display for Rollout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.enforcement.as_str())?;
        match self.until {
            Some(until) => write!(f, " until {until}"),
            None => Ok(()),
        }
    }
}

/// Reads a day as `YYYY-MM-DD`.
pub(crate) fn day(text: &str) -> Option<Date> {
    let digits = |range: std::ops::Range<usize>| {
        text.get(range).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_plain =
        text.len() == 10 && text.as_bytes().get(4) == Some(&b'-') && text.as_bytes().get(7) == Some(&b'-');
    let (year, month, of_month) = (digits(0..4)?, digits(5..7)?, digits(8..10)?);
    is_plain
        .then(|| Date::new(year.parse().ok()?, month.parse().ok()?, of_month.parse().ok()?).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn moment(text: &str) -> SystemTime {
        text.parse::<Timestamp>().unwrap().into()
    }

    fn observe(until: Option<&str>) -> Rollout {
        Rollout::new(Enforcement::Observe, until.map(|until| day(until).unwrap()))
    }

    #[test]
    fn it_ends_with_its_last_day() {
        // rule: G5
        let rollout = observe(Some("2026-12-31"));
        assert_eq!(rollout.at(moment("2026-12-31T23:59:59.999Z")), Enforcement::Observe);
        assert_eq!(rollout.at(moment("2027-01-01T00:00:00Z")), Enforcement::Enforce);
        assert_eq!(observe(None).at(moment("2099-01-01T00:00:00Z")), Enforcement::Observe);
        assert_eq!(rollout.to_string(), "observe until 2026-12-31");
    }

    #[test]
    fn a_clock_that_makes_no_sense_enforces() {
        // rule: G5
        let rollout = observe(Some("2026-12-31"));
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        let never = SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 50);
        assert_eq!(rollout.at(before), Enforcement::Enforce);
        assert_eq!(rollout.at(never), Enforcement::Enforce);
    }

    #[test]
    fn of_two_the_stricter_and_the_earlier() {
        // rules: G5, H1
        let (early, late) = (observe(Some("2026-01-01")), observe(Some("2026-02-01")));
        assert_eq!(late.stricter(early), early);
        assert_eq!(observe(None).stricter(late), late);
        assert_eq!(observe(None).stricter(Rollout::default()).written(), Enforcement::Enforce);
        let warn = Rollout::new(Enforcement::Warn, None);
        assert_eq!(early.stricter(warn).written(), Enforcement::Warn);
    }

    #[test]
    fn a_day_is_written_in_one_way() {
        // rule: G5
        assert!(day("2026-12-31").is_some());
        for wrong in [
            "",
            "2026-13-01",
            "2026-02-30",
            "2026-1-1",
            "31.12.2026",
            "20261231",
            "2026-12-31T00:00:00Z",
            "+026-12-31",
            "2026_12_31",
        ] {
            assert_eq!(day(wrong), None, "{wrong}");
        }
    }
}
