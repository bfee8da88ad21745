//! Classes of internet addresses (S1), and networks written as `10.0.0.0/8`.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// The class of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// Some machine on the internet.
    Public,
    /// A private or carrier-grade network.
    Private,
    /// This machine.
    Loopback,
    /// Link-local, cloud metadata and all else that no handler may post to.
    Refused,
}

impl Address {
    /// Sorts an address; one that carries another (mapped, NAT64, 6to4) counts as that one (S1).
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => of_v4(address),
            IpAddr::V6(address) => match carried(address) {
                Some(inner) => of_v4(inner),
                None => of_v6(address),
            },
        }
    }
}

/// Metadata services outside the link-local range: Alibaba's, and Azure's platform service.
const METADATA_V4: [Ipv4Addr; 2] = [Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(168, 63, 129, 16)];

/// The same in IPv6: Google's and Scaleway's.
const METADATA_V6: [Ipv6Addr; 2] =
    [Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254), Ipv6Addr::new(0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42)];

/// The network of Amazon's services on an instance: metadata, pod identity, DNS, time.
const AWS_V6: [u16; 2] = [0xfd00, 0xec2];

fn of_v4(address: Ipv4Addr) -> Address {
    let [a, b, c, _] = address.octets();
    let refused = METADATA_V4.contains(&address)
        || a == 0
        || a >= 224
        || address.is_link_local()
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (b & 0xfe) == 18)
        || address.is_documentation()
        || (a == 192 && b == 88 && c == 99);
    if refused {
        Address::Refused
    } else if address.is_loopback() {
        Address::Loopback
    } else if address.is_private() || (a == 100 && (b & 0xc0) == 64) {
        Address::Private
    } else {
        Address::Public
    }
}

fn of_v6(address: Ipv6Addr) -> Address {
    let segments = address.segments();
    let first = segments[0];
    if address == Ipv6Addr::LOCALHOST {
        Address::Loopback
    } else if segments[..2] == AWS_V6 || METADATA_V6.contains(&address) {
        Address::Refused
    } else if (first & 0xfe00) == 0xfc00 {
        Address::Private
    } else if (first & 0xe000) == 0x2000 && !is_special(segments) {
        Address::Public
    } else {
        // Unspecified, link-local, site-local, multicast, benchmarking and whatever is not handed out.
        Address::Refused
    }
}

/// Within 2000::/3: IETF assignments with Teredo and benchmarking, and documentation.
fn is_special(segments: [u16; 8]) -> bool {
    let [first, second, ..] = segments;
    (first == 0x2001 && (second < 0x200 || second == 0xdb8)) || (first == 0x3fff && second < 0x1000)
}

/// The IPv4 address inside an IPv6 one: mapped, compatible, NAT64, 6to4.
fn carried(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = address.segments();
    let tail = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match s {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] => Some(tail(high, low)),
        [0, 0, 0, 0, 0xffff, 0, high, low] => Some(tail(high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(tail(high, low)),
        // Of the local-use prefix only the longest form (RFC 6052): in the others the tail is not the address.
        [0x64, 0xff9b, 1, 0, 0, 0, high, low] => Some(tail(high, low)),
        [0x2002, high, low, ..] => Some(tail(high, low)),
        _ => None,
    }
}

/// A network, such as `10.1.0.0/16`; a bare address is the network of that one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    base: IpAddr,
    bits: u8,
}

impl Network {
    /// Returns whether an address is in the network; an IPv6 address that carries an IPv4 one counts as that.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = match address {
            IpAddr::V6(v6) => carried(v6).map_or(address, IpAddr::V4),
            IpAddr::V4(_) => address,
        };
        match (self.base, address) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                let differing = u32::from(base) ^ u32::from(address);
                self.bits == 0 || differing >> (32 - u32::from(self.bits)) == 0
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => {
                let differing = u128::from(base) ^ u128::from(address);
                self.bits == 0 || differing >> (128 - u32::from(self.bits)) == 0
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.base, self.bits)
    }
}

/// The reason for which a text is not a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The part before the slash is not an address.
    #[error("what stands before `/` is no IP address")]
    Address,
    /// The part after the slash is not a number of bits.
    #[error("what stands after `/` is no number of bits that the address has")]
    Bits,
}

impl FromStr for Network {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, NetworkError> {
        let (base, bits) = text.split_once('/').map_or((text, None), |(base, bits)| (base, Some(bits)));
        let base: IpAddr = base.trim().parse().map_err(|_| NetworkError::Address)?;
        let most = if base.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            None => most,
            Some(bits) => bits.trim().parse().ok().filter(|bits| *bits <= most).ok_or(NetworkError::Bits)?,
        };
        Ok(Network { base, bits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: S1
    #[test]
    fn addresses_are_what_they_lead_to() {
        let of = |text: &str| Address::of(text.parse().unwrap());
        for text in ["169.254.169.254", "100.100.100.200", "fd00:ec2::254", "0.0.0.0", "::", "224.0.0.1"] {
            assert_eq!(of(text), Address::Refused, "{text}");
        }
        for text in [
            "255.255.255.255",
            "198.18.0.1",
            "240.0.0.1",
            "fe80::1",
            "ff02::1",
            "64:ff9b:1:a9fe:a9:fe00:808:808",
        ] {
            assert_eq!(of(text), Address::Refused, "{text}");
        }
        for text in ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "fd12::1"] {
            assert_eq!(of(text), Address::Private, "{text}");
        }
        for text in ["127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(of(text), Address::Loopback, "{text}");
        }
        for text in ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1", "198.20.0.1"] {
            assert_eq!(of(text), Address::Public, "{text}");
        }
    }

    // rule: S1
    #[test]
    fn a_network_holds_its_addresses_and_no_other() {
        let net = |text: &str| text.parse::<Network>();
        let holds = |network: &str, address: &str| net(network).unwrap().contains(address.parse().unwrap());
        assert!(holds("10.1.0.0/16", "10.1.255.1") && !holds("10.1.0.0/16", "10.2.0.1"));
        assert!(holds("10.1.0.0/16", "::ffff:10.1.0.1"));
        assert!(holds("0.0.0.0/0", "1.2.3.4") && !holds("0.0.0.0/0", "2606::1"));
        assert!(
            holds("fd00::/8", "fd12::1") && holds("10.0.0.5", "10.0.0.5") && !holds("10.0.0.5", "10.0.0.6")
        );
        assert_eq!(net("10.0.0.0/33"), Err(NetworkError::Bits));
        assert_eq!(net("ten/8"), Err(NetworkError::Address));
    }
}
