//! Hosts of URLs, and the patterns of `WebFetch(domain:host)` (protocol.md P9).
//!
//! The host is read as a browser reads it: user names, ports, backslashes, doubled slashes and percent signs do not
//! hide it. A URL whose host can't be read has no host, and no allow rule covers it.

use crate::path::MatchMode;
use becket_base::address::embedded_ipv4;
use std::net::{Ipv4Addr, Ipv6Addr};

/// A compiled `domain:` pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DomainPattern {
    labels: Vec<String>,
    /// The IPv4 address that is embedded in the pattern, if this is an IPv6 address.
    embedded: Option<String>,
    /// Starts with `*.`: one label or more in front.
    subdomains: bool,
    everything: bool,
}

impl DomainPattern {
    /// Parses the pattern of a specifier; returns `None` unless it starts with `domain:`.
    pub(crate) fn new(specifier: &str) -> Option<Self> {
        specifier.trim().strip_prefix("domain:").map(Self::of_host)
    }

    /// Reads the pattern of a host: a name whose labels may have `*`, or an address.
    pub(crate) fn of_host(text: &str) -> Self {
        let host = text.trim().trim_end_matches('.').to_lowercase();
        let (subdomains, rest) = host.strip_prefix("*.").map_or((false, host.as_str()), |rest| (true, rest));
        let rest = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(rest);
        let address: Option<Ipv6Addr> = rest.parse().ok();
        let text = address.map_or_else(|| rest.to_owned(), |address| address.to_string());
        Self {
            labels: text.split('.').map(str::to_owned).collect(),
            embedded: address.and_then(embedded_ipv4).map(|address| address.to_string()),
            subdomains,
            everything: host == "*",
        }
    }

    /// Returns whether the pattern can match a host at all: it contains no scheme, port or path.
    pub(crate) fn is_possible(&self) -> bool {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '*');
        let name = self.labels.iter().all(|label| !label.is_empty() && label.chars().all(plain));
        self.everything || name || self.labels.join(".").parse::<Ipv6Addr>().is_ok()
    }

    pub(crate) fn is_everything(&self) -> bool {
        self.everything
    }

    /// Returns whether the pattern covers the host of a URL. An IPv6 address that embeds an IPv4 one is both: an allow
    /// must cover each, a rule that restricts either.
    pub(crate) fn covers(&self, host: &UrlHost, reading: MatchMode) -> bool {
        let address = host.embedded.as_ref().unwrap_or(&host.name);
        let matches_address =
            || self.embedded.as_ref().map_or_else(|| self.matches(address), |own| own == address);
        match reading {
            MatchMode::Allow => self.matches(&host.name) && matches_address(),
            MatchMode::Restrict | MatchMode::If => self.matches(&host.name) || matches_address(),
        }
    }

    /// Returns whether a name, or an address in its usual form, matches as it is written.
    pub(crate) fn matches(&self, host: &str) -> bool {
        let labels: Vec<&str> = host.split('.').collect();
        let Some(skipped) = labels.len().checked_sub(self.labels.len()) else { return self.everything };
        let fits = if self.subdomains { skipped > 0 } else { skipped == 0 };
        let same = |(pattern, label): (&String, &&str)| crate::wildcard::matches(pattern, label);
        self.everything || (fits && self.labels.iter().zip(labels.iter().skip(skipped)).all(same))
    }
}

/// The host of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UrlHost {
    /// The name, or an address in its usual form.
    name: String,
    /// The IPv4 address that is embedded in an IPv6 address.
    embedded: Option<String>,
}

/// Returns the host of a URL: lower case, without its port and trailing dot, addresses in their usual form. Returns
/// `None` if it can't be read: another scheme than `http` and `https`, letters beyond ASCII, an unusual form of an
/// address.
pub(crate) fn host(url: &str) -> Option<UrlHost> {
    let blank = |c: char| c.is_whitespace() || c.is_control();
    let url: String = url.trim_matches(blank).chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    let rest = after_scheme(&url)?.trim_start_matches(['/', '\\']);
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    if let Some(address) = host.strip_prefix('[') {
        let (address, port) = address.split_once(']')?;
        let address: Ipv6Addr = address.parse().ok().filter(|_| port.is_empty() || port.starts_with(':'))?;
        let embedded = embedded_ipv4(address).map(|address| address.to_string());
        return Some(UrlHost { name: address.to_string(), embedded });
    }
    let host = decoded(host.split(':').next().unwrap_or_default())?.to_ascii_lowercase();
    let host = host.strip_suffix('.').unwrap_or(&host);
    is_readable(host).then(|| UrlHost { name: host.to_owned(), embedded: None })
}

/// Returns a host that is not part of a URL in the form of [`host`]: a name, or an IPv4 address.
pub(crate) fn name(text: &str) -> Option<String> {
    let name = text.to_ascii_lowercase();
    let name = name.strip_suffix('.').unwrap_or(&name);
    is_readable(name).then(|| name.to_owned())
}

/// Returns whether the host is a name of plain labels, or an address of four plain numbers.
fn is_readable(host: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let labels = |label: &str| !label.is_empty() && label.bytes().all(plain);
    let last = host.rsplit('.').next().unwrap_or_default();
    let number = last.starts_with("0x") || last.bytes().all(|byte| byte.is_ascii_digit());
    host.split('.').all(labels) && (!number || host.parse::<Ipv4Addr>().is_ok())
}

/// Returns the text after `http:` or `https:`; `None` for any other scheme. `host:80` has no scheme.
fn after_scheme(url: &str) -> Option<&str> {
    match url.split_once(':') {
        Some((scheme, rest)) if ["http", "https"].iter().any(|own| scheme.eq_ignore_ascii_case(own)) => {
            Some(rest)
        }
        Some((scheme, rest)) if is_scheme(scheme) && !rest.starts_with(|c: char| c.is_ascii_digit()) => None,
        Some(_) | None => Some(url),
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

fn decoded(text: &str) -> Option<String> {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        bytes.push(u8::from_str_radix(piece.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(piece.get(2..)?.as_bytes());
    }
    String::from_utf8(bytes).ok()
}
