//! `allowedHttpHookUrls`: the URLs that HTTP handlers may post to (H5).
//!
//! A pattern is a URL in which `*` matches any text. It is compared part by part with the URL as it will be sent
//! (credentials and fragment aside): scheme with scheme, host with host, port with port, path and query with path and
//! query. A `*` never reaches from one part into the next, so text after a host cannot pass for the host, nor can text
//! before an `@`, in a query, or in a path.
//!
//! - Hosts are compared without case and without a dot at the end, in the form that is looked up: `Bücher.example` is
//!   `xn--bcher-kva.example`, and `127.1` is `127.0.0.1`.
//! - A pattern without a port means the scheme's own. `http://localhost:*` means any, on every path.
//! - A `*` right after the last letter or digit of a host matches what may follow a host, a port and, where the
//!   pattern ends with it, a path; never for more of the host: `https://ok.example*` is not
//!   `https://ok.example.evil.example`.
//! - A host of digits, dots and `*`, such as `10.*`, matches addresses only, never names.
//! - `*` alone matches everything; a pattern that begins with `*` and has no `://` means every scheme.
//! - Nothing matches a pattern with an `@` in its host, or one that is not a URL.

use crate::config::url::{self, Host};
use ::url::Url;

/// The compiled list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AllowedUrls(Vec<Pattern>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    Everything,
    Nothing,
    Parts(Parts),
}

/// Texts in which `*` matches any text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Parts {
    scheme: String,
    host: String,
    /// The port; `None` is the scheme's own.
    port: Option<String>,
    rest: String,
}

impl AllowedUrls {
    /// Compiles the patterns; an empty list allows nothing.
    pub(crate) fn new(patterns: &[String]) -> Self {
        AllowedUrls(patterns.iter().map(|text| Pattern::of(text.trim())).collect())
    }

    /// Returns whether a handler may post to the URL. A text that is not a URL is not allowed.
    pub(crate) fn allows(&self, text: &str) -> bool {
        let Ok((url, host)) = url::read(text) else { return false };
        self.0.iter().any(|pattern| match pattern {
            Pattern::Everything => true,
            Pattern::Nothing => false,
            Pattern::Parts(parts) => parts.cover(&url, &host),
        })
    }
}

impl Pattern {
    fn of(text: &str) -> Self {
        if !text.is_empty() && text.chars().all(|c| c == '*') {
            return Pattern::Everything;
        }
        let (scheme, after) = match text.split_once("://") {
            Some(split) => split,
            None if text.starts_with('*') => ("*", text),
            None => return Pattern::Nothing,
        };
        let end = after.find(['/', '?', '#', '\\']).unwrap_or(after.len());
        let (authority, rest) = after.split_at(end);
        if authority.contains('@') || rest.starts_with('\\') {
            return Pattern::Nothing;
        }
        let is_open = rest.is_empty() && authority.ends_with('*');
        let (host, port) = split_port(authority);
        let whole = host.trim_end_matches('*');
        let (host, port) = match whole.len() < host.len() && ends_a_name(whole) {
            // `https://ok.example*`: one or several stars match what may follow the host.
            true => (whole, port.or(Some("*"))),
            false => (host, port.or(is_open.then_some("*"))),
        };
        let rest = if is_open { Some("*".to_owned()) } else { canonical_rest(rest) };
        match (canonical_host(host), rest) {
            (Some(host), Some(rest)) => Pattern::Parts(Parts {
                scheme: scheme.to_ascii_lowercase(),
                host,
                port: port.map(str::to_owned),
                rest,
            }),
            _ => Pattern::Nothing,
        }
    }
}

impl Parts {
    fn cover(&self, url: &Url, host: &Host) -> bool {
        let port = match &self.port {
            Some(port) => {
                let own = url.port_or_known_default().unwrap_or_default();
                matches(port, &own.to_string())
            }
            None => url.port().is_none(),
        };
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        port && matches(&self.scheme, url.scheme())
            && covers_host(&self.host, host)
            && matches(&self.rest, &format!("{}{query}", url.path()))
    }
}

/// Returns whether the host part of a pattern matches a host.
fn covers_host(pattern: &str, host: &Host) -> bool {
    let digits = |c: char| c.is_ascii_digit() || matches!(c, '.' | '*');
    let only_addresses = pattern.chars().all(digits) && pattern.contains(|c: char| c.is_ascii_digit());
    match host {
        Host::Name(_) if only_addresses => false,
        Host::Name(_) | Host::Address(_) => matches(pattern, &host.to_string()),
    }
}

/// Returns whether the host of a pattern with a trailing `*` is complete.
fn ends_a_name(host: &str) -> bool {
    let is_of_address = host.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '*'));
    host.ends_with(|c: char| c.is_alphanumeric() || c == ']') && !is_of_address
}

/// Splits `host:port`, where the host may be an address in brackets.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    let from = authority.rfind(']').unwrap_or(0);
    match authority[from..].rfind(':') {
        Some(colon) => (&authority[..from + colon], Some(&authority[from + colon + 1..])),
        None => (authority, None),
    }
}

/// Returns the host in the form that is looked up; a host with a `*` keeps its text.
fn canonical_host(host: &str) -> Option<String> {
    if host.contains('*') {
        let host = host.to_ascii_lowercase();
        let host = host.trim_end_matches('.');
        return (!host.is_empty()).then(|| host.to_owned());
    }
    url::host(&format!("http://{host}/")).ok().map(|host| host.to_string())
}

/// Returns path and query as they are sent; an empty text becomes `/`.
fn canonical_rest(rest: &str) -> Option<String> {
    let url = Url::parse(&format!("http://host{rest}")).ok()?;
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    Some(format!("{}{query}", url.path()))
}

/// Returns whether `text` matches `pattern`, in which `*` matches any text. Linear apart from backtracking at stars.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            star = Some((p, t));
            p += 1;
        } else if pattern.get(p) == text.get(t) {
            (p, t) = (p + 1, t + 1);
        } else if let Some((at, taken)) = star {
            star = Some((at, taken + 1));
            (p, t) = (at + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn allows(pattern: &str, url: &str) -> bool {
        AllowedUrls::new(&[pattern.to_owned()]).allows(url)
    }

    // rule: H5
    #[test]
    fn a_pattern_stands_for_what_it_says() {
        for (pattern, url) in [
            ("https://ok.example/*", "https://OK.example./hooks?x=1"),
            ("https://OK.Example.:443/*", "https://ok.example/"),
            ("https://ok.example/a/*", "https://ok.example/a/b/../c"),
            ("https://ok.example/x", "https://ann:pw@ok.example/x#f"),
            ("https://*.ok.example/*", "https://a.b.ok.example/x"),
            ("http*://ok.example/", "http://ok.example"),
            ("http://localhost:*", "http://localhost:8080/any/path"),
            ("http://localhost:*", "http://localhost/any/path"),
            ("http://localhost:80*/x", "http://localhost:8080/x"),
            ("http://localhost*", "http://localhost:8080/x"),
            ("https://ok.example*", "https://ok.example/x?y"),
            ("http://10.*", "http://10.1.2.3:8/x"),
            ("http://192.168.1*", "http://192.168.17.1/x"),
            ("http://127.0.0.1:*", "http://0x7f.1:9/"),
            ("http://127.1/", "http://127.0.0.1/"),
            ("http://[::1]:*", "http://[0:0::1]:9/"),
            ("http://[::1]/*", "http://[::1]/x"),
            ("https://Bücher.example/*", "https://xn--bcher-kva.example/x"),
            ("https://ok.example/ä*", "https://ok.example/%C3%A4/x"),
            ("https://ok.example?a=*", "https://ok.example/?a=b"),
            ("*", "http://any.example:1/x"),
            ("*.ok.example/*", "https://a.ok.example/x"),
            ("*://ok.example/*", "https://ok.example/x"),
            ("https://*", "https://any.example/x"),
        ] {
            assert!(allows(pattern, url), "{pattern} {url}");
        }
    }

    // rule: H5
    #[test]
    fn nothing_behind_or_before_a_host_passes_for_it() {
        for (pattern, url) in [
            ("https://ok.example/*", "https://ok.example@evil.example/"),
            ("https://ok.example/*", "https://evil.example/?https://ok.example/"),
            ("https://ok.example/*", "https://evil.example/#https://ok.example/"),
            ("https://ok.example/*", "https://ok.example.evil.example/"),
            ("https://ok.example/*", "https://ok.example%2eevil.example/"),
            ("https://ok.example/*", "https://ok.example:8443/"),
            ("https://ok.example/*", "http://ok.example/"),
            ("https://ok.example*", "https://ok.example.evil.example/"),
            ("https://ok.example*", "https://ok.examples/"),
            ("https://ok.example**", "https://ok.examples/"),
            ("https://ok.example**", "https://ok.example.evil.example/"),
            ("https://ok.example*/*", "https://ok.example.evil.example/"),
            ("https://ok.example*:*", "https://ok.example.evil.example/"),
            ("https://ok.example*", "https://ok.example@evil.example/"),
            ("https://*.ok.example/*", "https://evil.example/.ok.example/"),
            ("https://*.ok.example/*", "https://evil.example?.ok.example/"),
            ("https://*.ok.example/*", "https://evil.example#.ok.example/"),
            ("https://*.ok.example/*", "https://evil.example:1/.ok.example/"),
            ("https://*.ok.example/*", "https://ok.example/"),
            ("*://ok.example/*", "https://evil.example/http://ok.example/"),
            ("*ok.example/*", "https://evil.example/ok.example/"),
            ("http://10.*", "http://10.evil.example/"),
            ("http://192.168.1*", "http://192.168.1.evil.example/"),
            ("http://127.0.0.1*", "http://127.0.0.1.evil.example/"),
            ("https://ok.example/a/*", "https://ok.example/a/../b"),
            ("https://ok.example/a/*", "https://ok.example/a/%2e%2e/b"),
            ("https://ok.example@evil.example/*", "https://evil.example/"),
            ("https://ok.example", "https://ok.example/x"),
            ("https://ok.example/x", "https://ok.example/x?y"),
            ("ok.example/*", "https://ok.example/x"),
            ("", "https://ok.example/"),
            ("*", "ftp://ok.example/"),
            ("*", "https://ok.example\\x"),
        ] {
            assert!(!allows(pattern, url), "{pattern} {url}");
        }
        assert!(!AllowedUrls::new(&[]).allows("https://ok.example/"));
    }

    // rule: H5
    proptest! {
        #[test]
        fn the_host_of_an_allowed_url_is_one_that_the_patterns_host_stands_for(
            scheme in "(https?|http\\*|\\*)",
            fixed in "[a-z]{1,3}(\\.[a-z]{1,3}){1,2}",
            wide in any::<bool>(),
            tail in "(|:\\*|:[0-9]{1,2}|\\*)(|/|/\\*|\\?\\*|\\*)",
            noise in proptest::collection::vec("[a-c.@:/?#%\\[\\]\\*\\\\]{0,4}", 4),
            order in 0_usize..4,
        ) {
            let pattern = format!("{scheme}://{}{fixed}{tail}", if wide { "*." } else { "" });
            let [a, b, c, d] = &noise[..] else { unreachable!() };
            let url = match order {
                0 => format!("http://{fixed}{a}{b}{c}{d}"),
                1 => format!("http://{a}{fixed}{b}{c}"),
                2 => format!("https://{a}{b}{fixed}{c}/{d}"),
                _ => format!("https://{a}.{fixed}{b}{c}{fixed}"),
            };
            if allows(&pattern, &url) {
                let real = Url::parse(&url).unwrap();
                let real = real.host_str().unwrap().trim_end_matches('.');
                let stands_for =
                    if wide { real.ends_with(&format!(".{fixed}")) } else { real == fixed };
                prop_assert!(stands_for, "{} allows {}, which leads to {}", pattern, url, real);
            }
        }

        #[test]
        fn stars_match_as_an_expression_does(pattern in "[ab*]{0,8}", text in "[ab]{0,10}") {
            fn slow(pattern: &[u8], text: &[u8]) -> bool {
                match pattern.split_first() {
                    None => text.is_empty(),
                    Some((b'*', rest)) => (0..=text.len()).any(|at| slow(rest, &text[at..])),
                    Some((byte, rest)) => text.first() == Some(byte) && slow(rest, &text[1..]),
                }
            }
            prop_assert_eq!(matches(&pattern, &text), slow(pattern.as_bytes(), text.as_bytes()));
        }
    }
}
