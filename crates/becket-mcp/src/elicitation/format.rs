//! The formats of text that a form may ask for.
//!
//! INVARIANT: what is rejected here is invalid by every reading of the format; in doubt the server decides.

use std::fmt;

use url::Url;

/// The format of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// An email address.
    Email,
    /// An absolute URI.
    Uri,
    /// A date: `2026-01-31`.
    Date,
    /// A date and time: `2026-01-31T12:00:00Z` (RFC 3339).
    DateTime,
}

/// The name of the format, for the user that has to write it.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Email => "an address of mail, such as `name@example.org`",
            Self::Uri => "a whole address, such as `https://example.org/`",
            Self::Date => "a day, such as `2026-01-31`",
            Self::DateTime => "a moment, such as `2026-01-31T12:00:00Z`",
        })
    }
}

impl Format {
    pub(super) fn of(name: &str) -> Option<Self> {
        match name {
            "email" => Some(Self::Email),
            "uri" => Some(Self::Uri),
            "date" => Some(Self::Date),
            "date-time" => Some(Self::DateTime),
            _ => None,
        }
    }

    pub(super) fn holds(self, text: &str) -> bool {
        match self {
            Self::Email => is_email(text),
            Self::Uri => {
                !text.contains(|c: char| c.is_whitespace() || c.is_control()) && Url::parse(text).is_ok()
            }
            Self::Date => is_date(text.as_bytes()),
            Self::DateTime => is_moment(text.as_bytes()),
        }
    }
}

fn is_email(text: &str) -> bool {
    let Some((name, host)) = text.rsplit_once('@') else { return false };
    let is_quoted = name.len() > 2 && name.starts_with('"') && name.ends_with('"');
    let is_blank = |c: char| c.is_whitespace() || c.is_control();
    let name_is_one = is_quoted
        || !(name.is_empty() || name.contains('@') || name.contains(is_blank))
            && name.split('.').all(|part| !part.is_empty());
    let label = |label: &str| {
        let letters = label.chars().all(|c| c.is_alphanumeric() || c == '-' || !c.is_ascii());
        !label.is_empty() && letters && !label.starts_with('-') && !label.ends_with('-')
    };
    let host_is_one = host.starts_with('[') && host.ends_with(']') || host.split('.').all(label);
    name_is_one && host_is_one && !host.contains(is_blank)
}

/// Checks for `YYYY-MM-DD`, an existing day.
fn is_date(text: &[u8]) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text else { return false };
    let (Some(year), Some(month), Some(day)) =
        (digits(&[*y1, *y2, *y3, *y4]), digits(&[*m1, *m2]), digits(&[*d1, *d2]))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// Checks for a date, `T`, a time, and the offset from UTC.
fn is_moment(text: &[u8]) -> bool {
    let Some((date, [b'T' | b't' | b' ', rest @ ..])) = text.split_at_checked(10) else { return false };
    let Some((time, rest)) = rest.split_at_checked(8) else { return false };
    let [h1, h2, b':', m1, m2, b':', s1, s2] = time else { return false };
    let below = |a: u8, b: u8, most: u32| digits(&[a, b]).is_some_and(|number| number <= most);
    // A minute may have a leap second.
    let time_is_one = below(*h1, *h2, 23) && below(*m1, *m2, 59) && below(*s1, *s2, 60);
    let zone = match rest {
        [b'.', fraction @ ..] => {
            let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 {
                return false;
            }
            &fraction[digits..]
        }
        _ => rest,
    };
    let zone_is_one = match zone {
        [b'Z' | b'z'] => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => below(*h1, *h2, 23) && below(*m1, *m2, 59),
        _ => false,
    };
    is_date(date) && time_is_one && zone_is_one
}

fn digits(text: &[u8]) -> Option<u32> {
    text.iter()
        .try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0')))
}
