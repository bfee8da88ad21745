//! The limit on a user's requests, as Anthropic reports it in headers of each answer to a subscription's token. Servers between
//! a host and the API may report it, too.

use reqwest::header::HeaderMap;

/// The state of a limit on requests, in the provider's words.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct RateLimit {
    /// The state: `allowed`, `allowed_warning`, `rejected`.
    pub status: String,
    /// The time at which the limit is reset, in seconds of Unix time.
    pub resets_at: Option<u64>,
    /// The limit: `five_hour`, `seven_day`, and others.
    pub kind: Option<String>,
    /// The used part of the limit, from 0 to 1.
    pub utilization: Option<f64>,
    /// The state of use beyond the limit.
    pub overage_status: Option<String>,
    /// The time at which the use beyond the limit is reset, in seconds of Unix time.
    pub overage_resets_at: Option<u64>,
    /// The reason why no use beyond the limit is possible.
    pub overage_disabled_reason: Option<String>,
}

/// The common beginning of the headers.
const PREFIX: &str = "anthropic-ratelimit-unified-";

/// The limits, and the part of the names of their headers.
const WINDOWS: [(&str, &str); 2] = [("five_hour", "5h"), ("seven_day", "7d")];

/// The states of a limit. Others are unknown, and reported by no host.
const STATES: [&str; 3] = ["allowed", "allowed_warning", "rejected"];

/// The number of characters of a name that are kept.
const LONGEST: usize = 64;

impl RateLimit {
    /// Reads the headers of a response; `None` if they report no limit.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let text = |name: &str| {
            let value = headers.get(format!("{PREFIX}{name}"))?.to_str().ok()?;
            Some(value.chars().take(LONGEST).collect::<String>()).filter(|text| !text.is_empty())
        };
        let number = |name: &str| text(name)?.parse::<f64>().ok().filter(|number| number.is_finite());
        let seconds = |name: &str| text(name)?.parse().ok();
        let status = text("status").filter(|status| STATES.contains(&status.as_str()))?;
        let kind = text("representative-claim");
        let window = WINDOWS.iter().find(|(name, _)| kind.as_deref() == Some(*name)).map(|(_, part)| *part);
        Some(RateLimit {
            status,
            resets_at: seconds("reset"),
            utilization: window.and_then(|window| number(&format!("{window}-utilization"))),
            kind,
            overage_status: text("overage-status"),
            overage_resets_at: seconds("overage-reset"),
            overage_disabled_reason: text("overage-disabled-reason"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};

    fn read(fields: &[(&'static str, &'static str)]) -> Option<RateLimit> {
        let header = |(name, value): &(&'static str, &'static str)| {
            let name = format!("{PREFIX}{name}").parse::<HeaderName>().unwrap();
            (name, HeaderValue::from_static(value))
        };
        RateLimit::of(&fields.iter().map(header).collect())
    }

    #[test]
    fn headers_that_can_be_read_count() {
        let all = read(&[
            ("status", "allowed_warning"),
            ("reset", "1764554400"),
            ("representative-claim", "five_hour"),
            ("5h-utilization", "0.92"),
            ("7d-utilization", "0.1"),
            ("overage-status", "rejected"),
            ("overage-disabled-reason", "out_of_credits"),
        ]);
        let expected = RateLimit {
            status: "allowed_warning".to_owned(),
            resets_at: Some(1_764_554_400),
            kind: Some("five_hour".to_owned()),
            utilization: Some(0.92),
            overage_status: Some("rejected".to_owned()),
            overage_resets_at: None,
            overage_disabled_reason: Some("out_of_credits".to_owned()),
        };
        assert_eq!(all, Some(expected));
        let few = read(&[("status", "rejected"), ("reset", "soon"), ("5h-utilization", "NaN")]);
        assert_eq!(few, Some(RateLimit { status: "rejected".to_owned(), ..RateLimit::default() }));
        assert_eq!(read(&[("reset", "1764554400")]), None);
        assert_eq!(read(&[("status", "who knows")]), None);
    }
}
