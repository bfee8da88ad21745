//! Hosts and ports that a program connects to, and the entries of `sandbox.network` (protocol.md E5).
//!
//! A name is compared as `WebFetch(domain:…)` compares it. An address is reached by its own entry alone: a pattern of
//! names, even `*`, never covers one.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use becket_base::address::{AddressClass, Network, is_localhost};

use crate::domain::{self, DomainPattern};

/// A host as a client names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name: lower case, without a dot at its end.
    Name(String),
    /// An address.
    Address(IpAddr),
}

impl Host {
    /// Reads a host; an IPv6 address may have brackets. `None` if it can't be read: letters beyond ASCII, an unusual
    /// form of an address (`0x7f.1`).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        if let Ok(address) = inner.parse::<Ipv6Addr>() {
            return Some(Self::Address(address.into()));
        }
        let name = domain::name(text)?;
        Some(name.parse().map_or(Self::Name(name), Self::Address))
    }

    /// Returns whether the host is this machine's own name (`localhost`, `*.localhost`).
    #[must_use]
    pub fn is_localhost(&self) -> bool {
        matches!(self, Self::Name(name) if is_localhost(name))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => address.fmt(f),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// The host.
    pub host: Host,
    /// The port.
    pub port: u16,
}

impl Endpoint {
    /// Reads `host:port`; a missing port is `default`. `None` if the text can't be read, or has a user name.
    #[must_use]
    pub fn parse(authority: &str, default: Option<u16>) -> Option<Self> {
        let (host, port) = split_port(authority)?;
        let port = port.map_or(Ok(default), |port| port.map(Some)).ok()??;
        Some(Self { host: Host::parse(host)?, port }).filter(|endpoint| endpoint.port != 0)
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// An entry of `allowedDomains` or `deniedDomains`: a name, a pattern of names, an address or a network, with a port or
/// for every port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointPattern {
    text: String,
    hosts: HostPattern,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum HostPattern {
    Names(DomainPattern),
    Addresses(Network),
}

/// The reason why an entry can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EndpointPatternError {
    /// The part after the colon is not a port.
    #[error("the part after `:` is not a port")]
    Port,
    /// The entry has letters beyond ASCII.
    #[error("it has letters beyond ASCII: write the name in its ASCII form (`xn--…`)")]
    NotAscii,
    /// The entry can match no host.
    #[error(
        "it is not a host: write a name without a scheme and a path, such as `*.example.com` or `example.com:443`"
    )]
    Host,
}

impl EndpointPattern {
    /// Returns whether the entry covers a connection to this endpoint by the name of its host. A name is not resolved.
    #[must_use]
    pub fn matches(&self, endpoint: &Endpoint) -> bool {
        self.has_port(endpoint.port)
            && match (&self.hosts, &endpoint.host) {
                (HostPattern::Names(pattern), Host::Name(name)) => pattern.matches(name),
                (HostPattern::Addresses(network), Host::Address(address)) => network.contains(*address),
                (HostPattern::Names(_), Host::Address(_)) | (HostPattern::Addresses(_), Host::Name(_)) => {
                    false
                }
            }
    }

    /// Returns whether the entry names an address that a host has: as an address or a network that contains it, and,
    /// for this machine, as `localhost`. An address that nothing connects to (cloud metadata, link-local) must be named
    /// as a single address.
    #[must_use]
    pub fn names_address(&self, address: IpAddr, endpoint: &Endpoint) -> bool {
        let class = AddressClass::of(address);
        self.has_port(endpoint.port)
            && match &self.hosts {
                HostPattern::Addresses(network) => {
                    network.contains(address) && (class != AddressClass::Refused || network.is_one_address())
                }
                HostPattern::Names(_) => {
                    class == AddressClass::Loopback && endpoint.host.is_localhost() && self.names_localhost()
                }
            }
    }

    /// Returns whether the entry is everything, on every port.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.port.is_none() && matches!(&self.hosts, HostPattern::Names(pattern) if pattern.is_everything())
    }

    /// Returns whether the entry names this machine, outside of the namespace of a program.
    #[must_use]
    pub fn names_this_machine(&self) -> bool {
        match &self.hosts {
            HostPattern::Names(_) => self.names_localhost(),
            HostPattern::Addresses(network) => ["127.0.0.1", "::1"]
                .iter()
                .filter_map(|text| text.parse().ok())
                .any(|own| network.contains(own)),
        }
    }

    fn names_localhost(&self) -> bool {
        let host = split_port(&self.text).map_or("", |(host, _)| host);
        host.eq_ignore_ascii_case("localhost")
    }

    fn has_port(&self, port: u16) -> bool {
        self.port.is_none_or(|own| own == port)
    }
}

impl FromStr for EndpointPattern {
    type Err = EndpointPatternError;

    fn from_str(text: &str) -> Result<Self, EndpointPatternError> {
        let text = text.trim();
        if !text.is_ascii() {
            return Err(EndpointPatternError::NotAscii);
        }
        if text.contains("://") {
            return Err(EndpointPatternError::Host);
        }
        let (host, port) = split_port(text).ok_or(EndpointPatternError::Host)?;
        let port = port.transpose().map_err(|()| EndpointPatternError::Port)?;
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let hosts = match bare.parse() {
            Ok(network) => HostPattern::Addresses(network),
            Err(_) => {
                let pattern = DomainPattern::of_host(host);
                if !pattern.is_possible() {
                    return Err(EndpointPatternError::Host);
                }
                HostPattern::Names(pattern)
            }
        };
        Ok(Self { text: text.to_owned(), hosts, port })
    }
}

impl fmt::Display for EndpointPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Splits the port off. An IPv6 address with a port has brackets.
fn split_port(text: &str) -> Option<(&str, Option<Result<u16, ()>>)> {
    let (host, port) = match text.rfind(']') {
        Some(end) => match text.get(end + 1..)? {
            "" => (text, None),
            rest => (text.get(..=end)?, Some(rest.strip_prefix(':')?)),
        },
        None if text.matches(':').count() == 1 => {
            text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port)))
        }
        None => (text, None),
    };
    let number = |port: &str| {
        let plain = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        if plain { port.parse().map_err(drop) } else { Err(()) }
    };
    Some((host, port.map(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(entry: &str, authority: &str) -> bool {
        let entry: EndpointPattern = entry.parse().unwrap();
        Endpoint::parse(authority, Some(443)).is_some_and(|endpoint| entry.matches(&endpoint))
    }

    // rule: E5
    #[test]
    fn an_entry_covers_the_hosts_that_it_names() {
        for (entry, authority, covered) in [
            ("example.com", "example.com", true),
            ("example.com", "EXAMPLE.com.", true),
            ("Example.COM.", "example.com:80", true),
            ("example.com", "a.example.com", false),
            ("example.com", "example.com.evil.test", false),
            ("example.com", "notexample.com", false),
            ("*.example.com", "a.example.com", true),
            ("*.example.com", "a.b.example.com", true),
            ("*.example.com", "example.com", false),
            ("*.example.com", "a.example.com.", true),
            ("api-*.example.com", "api-1.example.com", true),
            ("api-*.example.com", "x.api-1.example.com", false),
            ("example.com:8443", "example.com:8443", true),
            ("example.com:8443", "example.com", false),
            ("*", "anything.test", true),
            ("*:443", "anything.test:443", true),
            ("*:443", "anything.test:80", false),
            ("*", "93.184.216.34", false),
            ("*.34", "93.184.216.34", false),
            ("93.184.216.34", "93.184.216.34", true),
            ("93.184.216.34", "[::ffff:93.184.216.34]", true),
            ("10.0.0.0/8", "10.1.2.3", true),
            ("10.0.0.0/8", "11.1.2.3", false),
            ("[::1]:8080", "[::1]:8080", true),
            ("::1", "[::1]:8080", true),
            ("[2606::/16]:443", "[2606:4700::1]", true),
            ("xn--bcher-kva.test", "XN--BCHER-KVA.test", true),
            ("xn--bcher-kva.test", "bücher.test", false),
        ] {
            assert_eq!(covers(entry, authority), covered, "{entry} {authority}");
        }
    }

    // rule: E5
    #[test]
    fn an_authority_that_can_not_be_read_is_no_endpoint() {
        for authority in [
            "",
            ":443",
            "a.test:",
            "a.test:0",
            "a.test:65536",
            "a.test:+80",
            "a.test:8x",
            "user@a.test",
            "a b.test",
            "a.test\0.evil.test",
            "a..test",
            "0x7f.1",
            "127.1",
            "2130706433",
            "0177.0.0.1",
            "[::1",
            "::1]:80",
            "[::1]80",
            "[fe80::1%eth0]",
            "a.test/x",
            "a%2etest",
            "bücher.test",
            "a.test\\@b.test",
        ] {
            assert_eq!(Endpoint::parse(authority, Some(443)), None, "{authority}");
        }
        assert_eq!(Endpoint::parse("a.test", None), None);
        assert_eq!(Endpoint::parse("[::1]", Some(80)).unwrap().to_string(), "[::1]:80");
    }

    // rule: E5
    #[test]
    fn an_entry_that_can_match_nothing_is_an_error() {
        for (entry, error) in [
            ("https://example.com", EndpointPatternError::Host),
            ("example.com/path", EndpointPatternError::Host),
            ("", EndpointPatternError::Host),
            ("a..b", EndpointPatternError::Host),
            ("example.com:https", EndpointPatternError::Port),
            ("example.com:99999", EndpointPatternError::Port),
            ("bücher.test", EndpointPatternError::NotAscii),
        ] {
            assert_eq!(entry.parse::<EndpointPattern>(), Err(error), "{entry}");
        }
    }

    // rule: E5
    #[test]
    fn an_address_that_is_not_public_is_named_by_itself() {
        let names = |entry: &str, address: &str, host: &str| {
            let entry: EndpointPattern = entry.parse().unwrap();
            entry.names_address(address.parse().unwrap(), &Endpoint::parse(host, Some(80)).unwrap())
        };
        for (entry, address, host, named) in [
            ("10.0.0.0/8", "10.1.2.3", "git.corp.test", true),
            ("10.1.2.3:80", "10.1.2.3", "git.corp.test", true),
            ("10.1.2.3:81", "10.1.2.3", "git.corp.test", false),
            ("git.corp.test", "10.1.2.3", "git.corp.test", false),
            ("*", "127.0.0.1", "localhost", false),
            ("localhost", "127.0.0.1", "localhost", true),
            ("localhost:80", "::1", "localhost", true),
            ("localhost", "127.0.0.1", "evil.test", false),
            ("localhost", "10.0.0.1", "localhost", false),
            ("169.254.169.254", "169.254.169.254", "meta.test", true),
            ("169.254.0.0/16", "169.254.169.254", "meta.test", false),
            ("0.0.0.0/0", "169.254.169.254", "meta.test", false),
            ("0.0.0.0/0", "::ffff:10.0.0.1", "meta.test", true),
        ] {
            assert_eq!(names(entry, address, host), named, "{entry} {address} {host}");
        }
    }
}
