//! Patterns of addresses, such as `https://*.example.com/*`, compared part by part with a parsed address.
//!
//! - Scheme: `http`, `https`, `ws`, `wss`, or `*`. Denying `https` denies `wss` too, and `http` denies `ws`.
//! - Host: a name or an address; `*.` before a name matches everything below it, `*` alone any host. Case, dots at the
//!   end and spelling (IDN, IPv4) make no difference.
//! - Port: a number or `*`. Without one, an allow pattern matches the scheme's own port, a deny pattern every port.
//! - Path: `*` matches any characters. Without one, or with `/` alone, every path matches. Escapes and doubled slashes
//!   make no difference; an ambiguous path, which servers may read in two ways, matches no allow pattern and every
//!   deny pattern.
//!
//! Queries are not compared, and neither are texts: `https://good.com@evil.com` is at `evil.com`.

use url::{Host, Url};

use super::pattern::List;

/// A parsed pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UrlPattern {
    /// The scheme; `None` matches any.
    scheme: Option<String>,
    host: HostPattern,
    port: Port,
    /// The path; `None` matches any.
    path: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum HostPattern {
    Any,
    Below(String),
    Is(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Port {
    Any,
    Unsaid,
    Is(u16),
}

const SCHEMES: [&str; 4] = ["http", "https", "ws", "wss"];

impl UrlPattern {
    /// Parses a pattern.
    ///
    /// # Errors
    /// Returns the problem, and what to do.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        if text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
            return Err("has a blank or a backslash in it: write it without");
        }
        if text.contains(['?', '#']) {
            return Err("has a `?` or `#` in it, but queries are not compared: end it before that");
        }
        let (scheme, rest) = text
            .split_once("://")
            .ok_or("has no `://`: write it in full, as in `https://*.example.com/*`")?;
        let scheme = scheme.to_ascii_lowercase();
        if scheme != "*" && !SCHEMES.contains(&scheme.as_str()) {
            return Err("begins with none of `https`, `http`, `wss`, `ws` and `*`: correct that");
        }
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err("has a user in it, and no server's address may: remove that");
        }
        let (host, port) = host_and_port(authority)?;
        Ok(Self {
            scheme: (scheme != "*").then_some(scheme),
            host: host_pattern(host)?,
            port,
            path: path_pattern(path)?,
        })
    }

    /// Returns whether an address matches the pattern, as interpreted in a list of this kind.
    pub(super) fn matches(&self, url: &Url, list: List) -> bool {
        self.is_scheme(url.scheme(), list)
            && self.is_host(url)
            && self.is_port(url, list)
            && self.is_path(url, list)
    }

    fn is_scheme(&self, scheme: &str, list: List) -> bool {
        let Some(pattern) = &self.scheme else { return true };
        pattern == scheme
            || list == List::Deny && matches!((pattern.as_str(), scheme), ("https", "wss") | ("http", "ws"))
    }

    fn is_host(&self, url: &Url) -> bool {
        match (&self.host, url.host().map(|host| normal(&host))) {
            (_, None) => false,
            (HostPattern::Any, Some(_)) => true,
            (HostPattern::Is(pattern), Some(host)) => *pattern == host,
            (HostPattern::Below(pattern), Some(host)) => host
                .strip_suffix(pattern.as_str())
                .and_then(|below| below.strip_suffix('.'))
                .is_some_and(|below| !below.is_empty()),
        }
    }

    fn is_port(&self, url: &Url, list: List) -> bool {
        match self.port {
            Port::Any => true,
            Port::Is(port) => url.port_or_known_default() == Some(port),
            // The parser drops the scheme's default port.
            Port::Unsaid => list == List::Deny || url.port().is_none(),
        }
    }

    fn is_path(&self, url: &Url, list: List) -> bool {
        let Some(pattern) = &self.path else { return true };
        match normal_path(url.path()) {
            Some(path) => is_like(path.as_bytes(), pattern.as_bytes()),
            None => list == List::Deny,
        }
    }
}

fn host_and_port(authority: &str) -> Result<(&str, Port), &'static str> {
    // An IPv6 address contains colons, within brackets.
    let colon = authority.rfind(':').filter(|colon| authority.rfind(']').is_none_or(|end| end < *colon));
    let Some(colon) = colon else { return Ok((authority, Port::Unsaid)) };
    let (host, port) = (&authority[..colon], &authority[colon + 1..]);
    if port == "*" {
        return Ok((host, Port::Any));
    }
    let digits = port.bytes().all(|byte| byte.is_ascii_digit());
    match port.parse() {
        Ok(port) if digits && port != 0 => Ok((host, Port::Is(port))),
        Ok(_) | Err(_) => Err("has a port that is neither `*` nor a number from 1 to 65535: correct it"),
    }
}

fn host_pattern(host: &str) -> Result<HostPattern, &'static str> {
    const WRONG: &str = "has no host that can be one: write a name, an address, `*.` and a name, or `*`";
    if host == "*" {
        return Ok(HostPattern::Any);
    }
    let (below, name) = host.strip_prefix("*.").map_or((false, host), |name| (true, name));
    if name.contains(['*', '%']) {
        return Err(WRONG);
    }
    let parsed = Host::parse(name).map_err(|_| WRONG)?;
    let host = normal(&parsed);
    match (below, parsed) {
        _ if host.is_empty() => Err(WRONG),
        (false, _) => Ok(HostPattern::Is(host)),
        (true, Host::Domain(_)) => Ok(HostPattern::Below(host)),
        (true, Host::Ipv4(_) | Host::Ipv6(_)) => Err(WRONG),
    }
}

/// Normalizes a host.
fn normal<S: AsRef<str>>(host: &Host<S>) -> String {
    match host {
        Host::Domain(name) => name.as_ref().trim_end_matches('.').to_ascii_lowercase(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_canonical().to_string(),
    }
}

fn path_pattern(path: &str) -> Result<Option<String>, &'static str> {
    if path.is_empty() || path == "/" {
        return Ok(None);
    }
    let is_dots = |segment: &str| segment == "." || segment == "..";
    let normal = normal_path(path).filter(|path| !path.split('/').any(is_dots));
    normal.map(Some).ok_or("has a path that can be read in two ways: write it without `..`, `;` and `%`")
}

/// Normalizes escapes and doubled slashes of a path; `None` if servers may disagree about its meaning.
fn normal_path(path: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(path.len()), path.as_bytes());
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        let byte = match byte {
            b'%' => {
                let (digits, after) = rest.split_at_checked(2)?;
                rest = after;
                escaped(digits)?
            }
            b';' => return None,
            byte => *byte,
        };
        if byte != b'/' || bytes.last() != Some(&b'/') {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// Returns the byte of an escape, unless decoding it makes a different path.
fn escaped(digits: &[u8]) -> Option<u8> {
    let value = |digit: u8| char::from(digit).to_digit(16);
    let &[high, low] = digits else { return None };
    let byte = u8::try_from(value(high)? << 4 | value(low)?).ok()?;
    (!byte.is_ascii_control() && !b"/\\%;.*?#".contains(&byte)).then_some(byte)
}

/// Matches a text against a pattern, in which `*` matches any characters.
fn is_like(text: &[u8], pattern: &[u8]) -> bool {
    let (mut at, mut in_pattern) = (0, 0);
    // The position after the last `*`, and the length of the text it matches so far.
    let mut last: Option<(usize, usize)> = None;
    while let Some(byte) = text.get(at) {
        match (pattern.get(in_pattern), last) {
            (Some(b'*'), _) => {
                last = Some((in_pattern + 1, at));
                in_pattern += 1;
            }
            (Some(wanted), _) if wanted == byte => (at, in_pattern) = (at + 1, in_pattern + 1),
            (_, Some((after, stands_to))) => {
                last = Some((after, stands_to + 1));
                (at, in_pattern) = (stands_to + 1, after);
            }
            (_, None) => return false,
        }
    }
    pattern[in_pattern..].iter().all(|byte| *byte == b'*')
}
