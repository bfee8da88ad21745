//! The URL of an HTTP handler: parsed once, by the parser that the request uses, so that the host that is checked is
//! the host that is posted to (H5, S1). It resolves no name.
//!
//! Anything that this parser would silently correct (blanks, backslashes, missing slashes) is refused: a URL has to
//! mean the same to a person and to every program. User name, password and query are sent and never shown.

use becket_base::address::is_localhost;
use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use url::{ParseError, Url};

/// The host of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Host {
    /// A name in lower case, as in DNS, without a dot at its end.
    Name(String),
    Address(IpAddr),
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Name(name) => f.write_str(name),
            Host::Address(IpAddr::V4(address)) => address.fmt(f),
            Host::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

impl Host {
    /// Returns whether it is the name of this machine.
    pub(crate) fn is_localhost(&self) -> bool {
        matches!(self, Host::Name(name) if is_localhost(name))
    }
}

/// Parses an absolute `http` or `https` URL.
///
/// # Errors
/// Returns a message that says what is wrong with it.
pub(crate) fn read(text: &str) -> Result<(Url, Host), &'static str> {
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("there is a blank in it");
    }
    if text.contains('\\') {
        return Err("there is a backslash in it");
    }
    let (scheme, rest) = text.split_once("://").ok_or("it has no `://`")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Err("only `http` and `https` are supported");
    }
    if rest.starts_with('/') {
        return Err(NO_HOST);
    }
    let url = Url::parse(text).map_err(|error| describe(error, rest))?;
    if url.port() == Some(0) {
        return Err(BAD_PORT);
    }
    let host = host_of(&url).ok_or(NO_HOST)?;
    Ok((url, host))
}

/// Returns the host of such a URL.
///
/// # Errors
/// Errors in the same cases as [`read`].
pub(crate) fn host(text: &str) -> Result<Host, &'static str> {
    read(text).map(|(_, host)| host)
}

/// Returns the URL as it may be shown: without user name, password and query (S3). If it is not a URL, everything that
/// could be one of them is left out.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    let Some(mut url) = Url::parse(text).ok().filter(Url::has_host) else {
        let (before, text) = text.rsplit_once('@').unwrap_or(("", text));
        // The text before it may be a password, and the text after it a part of the query.
        let is_either = before.contains(['?', '#']);
        return Cow::Borrowed(if is_either {
            "…"
        } else {
            text.split(['?', '#']).next().unwrap_or_default()
        });
    };
    let bare = url.username().is_empty() && url.password().is_none();
    if bare && url.query().is_none() && url.fragment().is_none() {
        return Cow::Borrowed(text);
    }
    let query = if url.query().is_some() { "?…" } else { "" };
    // A URL that can't have a user name has none to remove.
    let _ = (url.set_username(""), url.set_password(None));
    url.set_query(None);
    url.set_fragment(None);
    Cow::Owned(format!("{url}{query}"))
}

const NO_HOST: &str = "it names no host";
const BAD_PORT: &str = "its port is not a number from 1 to 65535";

fn host_of(url: &Url) -> Option<Host> {
    match url.host()? {
        url::Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            (!name.is_empty()).then(|| Host::Name(name.to_owned()))
        }
        url::Host::Ipv4(address) => Some(Host::Address(address.into())),
        url::Host::Ipv6(address) => Some(Host::Address(address.into())),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the parser's errors that such a text can't cause")]
fn describe(error: ParseError, rest: &str) -> &'static str {
    match error {
        ParseError::EmptyHost => NO_HOST,
        ParseError::InvalidPort => BAD_PORT,
        ParseError::InvalidIpv4Address => "it ends in a number but is not an IPv4 address",
        ParseError::InvalidIpv6Address if !rest.contains(']') => "its `[` is not closed",
        ParseError::InvalidIpv6Address => "the text in `[ ]` is not an IPv6 address",
        ParseError::InvalidDomainCharacter | ParseError::IdnaError => "its host is not a valid name",
        _ => "it can't be read",
    }
}

#[cfg(test)]
mod tests {
    use super::{Host, host, shown};
    use becket_base::address::AddressClass;

    fn literal(url: &str) -> Option<AddressClass> {
        match host(url).unwrap() {
            Host::Address(address) => Some(AddressClass::of(address)),
            Host::Name(_) => None,
        }
    }

    // rule: S1
    #[test]
    fn every_spelling_of_an_address_counts_as_what_it_means() {
        for (url, meant) in [
            ("http://127.0.0.1:80/x", Some(AddressClass::Loopback)),
            ("http://0x7f.1/", Some(AddressClass::Loopback)),
            ("http://017700000001", Some(AddressClass::Loopback)),
            ("http://2130706433/", Some(AddressClass::Loopback)),
            ("http://127.1.", Some(AddressClass::Loopback)),
            ("http://%31%32%37.0.0.1/", Some(AddressClass::Loopback)),
            ("http://[::1]:8080/", Some(AddressClass::Loopback)),
            ("http://[::ffff:10.0.0.1]/", Some(AddressClass::Private)),
            ("http://[64:ff9b::a9fe:a9fe]/", Some(AddressClass::Refused)),
            ("http://[2002:a9fe:a9fe::1]/", Some(AddressClass::Refused)),
            ("http://user@169.254.169.254/", Some(AddressClass::Refused)),
            ("http://169.254.169.254?@example.com/", Some(AddressClass::Refused)),
            ("http://example.com@169.254.169.254/", Some(AddressClass::Refused)),
            ("http://\u{ff11}\u{ff12}\u{ff17}\u{3002}0\u{ff0e}0\u{ff61}1/", Some(AddressClass::Loopback)),
            ("http://①⑥⑨.254.169.254/", Some(AddressClass::Refused)),
            ("http://127%2e0%2E0%2e1/", Some(AddressClass::Loopback)),
            ("http://0251.0376.0251.0376/", Some(AddressClass::Refused)),
            ("http://0xA9.0XFE.0xa9.0xfe/", Some(AddressClass::Refused)),
            ("http://169.16689662/", Some(AddressClass::Refused)),
            ("http://[0:0:0:0:0:ffff:7f00:1]/", Some(AddressClass::Loopback)),
            ("http://[::127.0.0.1]/", Some(AddressClass::Loopback)),
            ("http://2852039166/latest", Some(AddressClass::Refused)),
            ("https://8.8.8.8/", Some(AddressClass::Public)),
            ("https://example.com/10.0.0.1", None),
            ("https://10.0.0.1.example.com/", None),
        ] {
            assert_eq!(literal(url), meant, "{url}");
        }
    }

    // rule: H5
    #[test]
    fn what_is_no_url_to_post_to_says_why() {
        for (url, why) in [
            ("example.com/x", "://"),
            ("ftp://example.com", "only"),
            ("http://", "no host"),
            ("http://exa mple.com", "blank"),
            ("http://example.com:99999", "port"),
            ("http://[::1", "closed"),
            ("http://1.2.3.4.5/", "not an IPv4"),
            ("http://256.1.1.1/", "not an IPv4"),
            ("http://0x100000000/", "not an IPv4"),
            ("http:///example.com/", "no host"),
            ("http:example.com", "://"),
            ("http://./", "no host"),
            ("http://:80/", "no host"),
            ("http://@/", "no host"),
            ("http://example.com:0/", "port"),
            ("http://exa\tmple.com/", "blank"),
            ("http://example.com/\n", "blank"),
            ("http://example.com\0.evil.com/", "blank"),
            ("http://example.com\\@evil.com/", "backslash"),
            ("http://a%00b.com/", "valid name"),
            ("http://a%2fb.com/", "valid name"),
            ("http://exa<mple.com/", "valid name"),
            ("http://xn--a/", "valid name"),
            ("http://[fe80::1%25eth0]/", "not an IPv6"),
            ("http://[::1]x/", ""),
        ] {
            assert!(host(url).unwrap_err().contains(why), "{url}");
        }
        assert_eq!(host("HTTPS://Example.COM./x"), Ok(Host::Name("example.com".to_owned())));
    }

    // rule: S1
    #[test]
    fn a_name_is_the_one_that_is_looked_up() {
        for (url, name) in [
            ("http://BÜCHER.example/", "xn--bcher-kva.example"),
            ("http://ok.example%2eevil.example/", "ok.example.evil.example"),
            ("http://ok.example@evil.example/", "evil.example"),
            ("http://evil.example?@ok.example", "evil.example"),
            ("http://evil.example#@ok.example", "evil.example"),
            ("http://LOCALHOST..", "localhost"),
            ("http://ⓛocalhost/", "localhost"),
        ] {
            assert_eq!(host(url), Ok(Host::Name(name.to_owned())), "{url}");
        }
    }

    // rule: S3
    #[test]
    fn what_is_shown_of_a_url_holds_no_secret() {
        for (url, text) in [
            ("https://example.com/x", "https://example.com/x"),
            ("https://example.com", "https://example.com"),
            ("https://ann:hush@example.com/x", "https://example.com/x"),
            ("https://hush@example.com/x?key=hush#hush", "https://example.com/x?…"),
            ("https://example.com/x#hush", "https://example.com/x"),
            ("http:ann:hush@example.com/x", "http://example.com/x"),
            ("https://ann:hu/sh@example.com:99999/x?hush", "example.com:99999/x"),
            ("ann:hush@example.com?hush", "example.com"),
            ("hush@", ""),
            ("https://example.com:99999/x?mail=a@hush&key=hush", "…"),
            ("https://ann:hu?sh@example.com:99999/x", "…"),
            ("https://example.com:99999/#a@hush", "…"),
        ] {
            assert_eq!(shown(url), text, "{url}");
        }
    }
}
