//! Classes of internet addresses, and networks written as `10.0.0.0/8`.
//!
//! There is one classification and no policy: HTTP hooks, WebFetch and logins each decide which classes they connect to.

use ipnet::IpNet;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// The kind of machine that an address leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressClass {
    /// A machine on the internet.
    Public,
    /// A machine of a private or carrier-grade network.
    Private,
    /// This machine.
    Loopback,
    /// An address that nothing connects to: link-local, cloud metadata, multicast, reserved, and all that is not assigned.
    Refused,
}

impl AddressClass {
    /// Returns the class of an address. An IPv6 address that carries an IPv4 one (mapped, compatible, NAT64, 6to4) has the
    /// class of that one.
    ///
    /// ```
    /// use becket_base::address::AddressClass;
    ///
    /// assert_eq!(AddressClass::of([8, 8, 8, 8].into()), AddressClass::Public);
    /// assert_eq!(AddressClass::of("::ffff:169.254.169.254".parse()?), AddressClass::Refused);
    /// # Ok::<(), std::net::AddrParseError>(())
    /// ```
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => of_v4(address),
            IpAddr::V6(address) => match embedded_ipv4(address) {
                Some(inner) => of_v4(inner),
                None => of_v6(address),
            },
        }
    }
}

/// Returns whether a host name means this machine: `localhost` or a name that ends with `.localhost`, with or without
/// the final dot.
#[must_use]
pub fn is_localhost(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name).as_bytes();
    let own = b"localhost";
    let Some(rest) = name.len().checked_sub(own.len()) else { return false };
    let (rest, last) = name.split_at(rest);
    last.eq_ignore_ascii_case(own) && (rest.is_empty() || rest.ends_with(b"."))
}

/// Returns whether the host of a URL is certainly this machine: a name as in [`is_localhost`] or a loopback address, an IPv6
/// address with or without brackets.
///
/// ```
/// use becket_base::address::is_loopback_host;
///
/// assert!(is_loopback_host("localhost") && is_loopback_host("127.0.0.1") && is_loopback_host("[::1]"));
/// assert!(!is_loopback_host("localhost.example.com"));
/// ```
#[must_use]
pub fn is_loopback_host(host: &str) -> bool {
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    match inner.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => is_localhost(host),
    }
}

/// Metadata services outside of the link-local range: Alibaba's, and Azure's platform service.
const METADATA_V4: [Ipv4Addr; 2] = [Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(168, 63, 129, 16)];

/// Metadata services with an IPv6 address: Google's and Scaleway's.
const METADATA_V6: [Ipv6Addr; 2] =
    [Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254), Ipv6Addr::new(0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42)];

/// The prefix of Amazon's services on an instance: metadata, pod identity, DNS, time.
const AWS_V6: [u16; 2] = [0xfd00, 0xec2];

fn of_v4(address: Ipv4Addr) -> AddressClass {
    match address.octets() {
        _ if METADATA_V4.contains(&address) => AddressClass::Refused,
        [127, ..] => AddressClass::Loopback,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] | [100, 64..=127, ..] => AddressClass::Private,
        // Unspecified, multicast and reserved; link-local; protocol assignments; benchmarking; the 6to4 relay.
        [0 | 224..=255, ..] | [169, 254, ..] | [192, 0, 0, _] | [198, 18..=19, ..] | [192, 88, 99, _] => {
            AddressClass::Refused
        }
        _ if address.is_documentation() => AddressClass::Refused,
        _ => AddressClass::Public,
    }
}

fn of_v6(address: Ipv6Addr) -> AddressClass {
    let segments = address.segments();
    let first = segments[0];
    if address == Ipv6Addr::LOCALHOST {
        AddressClass::Loopback
    } else if segments[..2] == AWS_V6 || METADATA_V6.contains(&address) {
        AddressClass::Refused
    } else if first & 0xfe00 == 0xfc00 {
        AddressClass::Private
    } else if first & 0xe000 == 0x2000 && !is_special(segments) {
        AddressClass::Public
    } else {
        // Unspecified, link-local, site-local, multicast, the local-use NAT64 prefix, and what is not assigned.
        AddressClass::Refused
    }
}

/// Returns whether an address within 2000::/3 is an IETF assignment (Teredo and benchmarking among them) or documentation.
fn is_special([first, second, ..]: [u16; 8]) -> bool {
    (first == 0x2001 && (second < 0x200 || second == 0xdb8)) || (first == 0x3fff && second < 0x1000)
}

/// Returns the IPv4 address embedded in an IPv6 address: mapped, compatible, translated, NAT64, 6to4.
///
/// ```
/// use becket_base::address::embedded_ipv4;
///
/// assert_eq!(embedded_ipv4("::ffff:127.0.0.1".parse()?), Some([127, 0, 0, 1].into()));
/// assert_eq!(embedded_ipv4("::1".parse()?), None);
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[must_use]
pub fn embedded_ipv4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => Some(v4(high, low)),
        _ => None,
    }
}

/// A network, such as `10.1.0.0/16`; an address alone is the network of that one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network(IpNet);

impl Network {
    /// Returns whether the network contains an address. An IPv6 address that carries an IPv4 one counts as that one.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = match address {
            IpAddr::V6(v6) => embedded_ipv4(v6).map_or(address, IpAddr::V4),
            IpAddr::V4(_) => address,
        };
        self.0.contains(&address)
    }

    /// Returns whether the network consists of one address.
    pub fn is_one_address(&self) -> bool {
        self.0.prefix_len() == self.0.max_prefix_len()
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An error in the text of a [`Network`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The part before the slash is not an address.
    #[error("the part before `/` is not an IP address")]
    Address,
    /// The part after the slash is not a length that the address can have.
    #[error("the part after `/` is not a prefix length that the address can have")]
    PrefixLength,
}

impl FromStr for Network {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, NetworkError> {
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let address: IpAddr = address.trim().parse().map_err(|_| NetworkError::Address)?;
        let Some(length) = length else { return Ok(Network(address.into())) };
        let length = length.trim().parse().map_err(|_| NetworkError::PrefixLength)?;
        IpNet::new(address, length).map(Network).map_err(|_| NetworkError::PrefixLength)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Addresses and their classes, the disputed ones first: each has the stricter of the classes that are argued for.
    const CLASSES: &[(&str, AddressClass)] = &[
        ("168.63.129.16", AddressClass::Refused),
        ("100.100.100.200", AddressClass::Refused),
        ("fd00:ec2::254", AddressClass::Refused),
        ("fd00:ec2::23", AddressClass::Refused),
        ("fd20:ce::254", AddressClass::Refused),
        ("fd00:42::42", AddressClass::Refused),
        ("192.88.99.1", AddressClass::Refused),
        ("192.0.2.1", AddressClass::Refused),
        ("198.51.100.7", AddressClass::Refused),
        ("203.0.113.9", AddressClass::Refused),
        ("fec0::1", AddressClass::Refused),
        ("2001:db8::1", AddressClass::Refused),
        ("3fff::1", AddressClass::Refused),
        ("64:ff9b:1::808:808", AddressClass::Refused),
        ("64:ff9b:1:a9fe:a9:fe00:808:808", AddressClass::Refused),
        ("4000::1", AddressClass::Refused),
        ("2001::1", AddressClass::Refused),
        ("169.254.169.254", AddressClass::Refused),
        ("0.0.0.0", AddressClass::Refused),
        ("::", AddressClass::Refused),
        ("224.0.0.1", AddressClass::Refused),
        ("255.255.255.255", AddressClass::Refused),
        ("198.18.0.1", AddressClass::Refused),
        ("198.19.255.255", AddressClass::Refused),
        ("240.0.0.1", AddressClass::Refused),
        ("192.0.0.8", AddressClass::Refused),
        ("fe80::1", AddressClass::Refused),
        ("ff02::1", AddressClass::Refused),
        ("::ffff:169.254.169.254", AddressClass::Refused),
        ("2002:a9fe:a9fe::", AddressClass::Refused),
        ("10.0.0.1", AddressClass::Private),
        ("172.16.0.1", AddressClass::Private),
        ("172.31.255.255", AddressClass::Private),
        ("192.168.1.1", AddressClass::Private),
        ("100.64.0.1", AddressClass::Private),
        ("fd12::1", AddressClass::Private),
        ("64:ff9b::a00:1", AddressClass::Private),
        ("2002:a00:1::", AddressClass::Private),
        ("::ffff:0:10.0.0.1", AddressClass::Private),
        ("127.0.0.1", AddressClass::Loopback),
        ("127.255.0.9", AddressClass::Loopback),
        ("::1", AddressClass::Loopback),
        ("::127.0.0.1", AddressClass::Loopback),
        ("::ffff:127.0.0.1", AddressClass::Loopback),
        ("8.8.8.8", AddressClass::Public),
        ("172.32.0.1", AddressClass::Public),
        ("100.128.0.1", AddressClass::Public),
        ("198.20.0.1", AddressClass::Public),
        ("2606:4700::1", AddressClass::Public),
        ("64:ff9b::808:808", AddressClass::Public),
    ];

    // rule: S1
    #[test]
    fn each_address_has_its_class() {
        for (text, class) in CLASSES {
            assert_eq!(AddressClass::of(text.parse().unwrap()), *class, "{text}");
        }
    }

    // rule: S1
    #[test]
    fn a_network_contains_its_addresses_and_no_other() {
        let net = |text: &str| text.parse::<Network>();
        let contains =
            |network: &str, address: &str| net(network).unwrap().contains(address.parse().unwrap());
        assert!(contains("10.1.0.0/16", "10.1.255.1") && !contains("10.1.0.0/16", "10.2.0.1"));
        assert!(contains("10.1.0.0/16", "::ffff:10.1.0.1"));
        assert!(contains("0.0.0.0/0", "1.2.3.4") && !contains("0.0.0.0/0", "2606::1"));
        assert!(contains("fd00::/8", "fd12::1"));
        assert!(contains("10.0.0.5", "10.0.0.5") && !contains("10.0.0.5", "10.0.0.6"));
        assert!(contains(" 10.0.0.9/8 ", "10.200.0.1"), "host bits and blanks are not an error");
        assert_eq!(net("10.0.0.0/33"), Err(NetworkError::PrefixLength));
        assert_eq!(net("10.0.0.0/"), Err(NetworkError::PrefixLength));
        assert_eq!(net("ten/8"), Err(NetworkError::Address));
        assert_eq!(net("10.1.0.0/16").unwrap().to_string(), "10.1.0.0/16");
    }
}
