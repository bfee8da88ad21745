//! The formats of text that a form may require.
//!
//! INVARIANT: a text that is rejected here is invalid by every reading of the format; in doubt the server decides.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
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

/// Prints a description of the format, for the user who has to write it.
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

    pub(super) fn matches(self, text: &str) -> bool {
        match self {
            Self::Email => is_email(text),
            Self::Uri => {
                !text.contains(|c: char| c.is_whitespace() || c.is_control()) && Url::parse(text).is_ok()
            }
            Self::Date => is_date(text),
            Self::DateTime => is_moment(text),
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

/// Checks for `YYYY-MM-DD`, an existing day; `jiff` also accepts other forms of ISO 8601.
fn is_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<Date>().is_ok()
}

/// Checks for a date, `T`, a time with seconds, and the offset from UTC.
fn is_moment(text: &str) -> bool {
    let Some((date, time)) = text.split_at_checked(10) else { return false };
    let has_seconds = time.as_bytes().get(6) == Some(&b':');
    // An offset is less than a day, and no zone name follows it.
    let offset = time.rsplit_once(['+', '-']).map_or("", |(_, offset)| offset);
    let is_plain = has_seconds && offset < "24:00" && !time.ends_with(']');
    is_date(date) && is_plain && text.parse::<Timestamp>().is_ok()
}
