//! The host of an HTTP handler's URL, as far as a configuration can judge it (H5, S1). It resolves no name.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Where a URL leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Host {
    Name(String),
    Address(IpAddr),
}

/// Reads the host of an absolute `http` or `https` URL.
///
/// # Errors
/// What is wrong with it, in words.
pub(crate) fn host(url: &str) -> Result<Host, &'static str> {
    if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("there is a blank in it");
    }
    let (scheme, rest) = url.split_once("://").ok_or("it has no `://`")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Err("only `http` and `https` are posted to");
    }
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let host_port = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if let Some(bracketed) = host_port.strip_prefix('[') {
        let (inside, _) = bracketed.split_once(']').ok_or("its `[` is not closed")?;
        let address: Ipv6Addr = inside.parse().map_err(|_| "what stands in `[ ]` is no IPv6 address")?;
        return Ok(Host::Address(IpAddr::V6(address)));
    }
    let (name, port) = host_port.split_once(':').unwrap_or((host_port, ""));
    if !port.is_empty() && port.parse::<u16>().is_err() {
        return Err("its port is no number up to 65535");
    }
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    if name.is_empty() {
        return Err("it names no host");
    }
    match ipv4(&decoded(&name)) {
        Some(Ok(address)) => Ok(Host::Address(IpAddr::V4(address))),
        Some(Err(why)) => Err(why),
        None => Ok(Host::Name(name)),
    }
}

/// `%31` and full-width digits count as what they mean.
fn decoded(name: &str) -> String {
    let bytes = name.as_bytes();
    let mut text = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let hex = name.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match hex {
            Some(value) if *byte == b'%' => {
                text.push(value);
                at += 3;
            }
            Some(_) | None => {
                text.push(*byte);
                at += 1;
            }
        }
    }
    let wide = |c: char| match c {
        '\u{ff10}'..='\u{ff19}' => char::from_u32(u32::from(c) - 0xff10 + u32::from('0')).unwrap_or(c),
        '\u{ff0e}' | '\u{3002}' | '\u{ff61}' => '.',
        other => other,
    };
    String::from_utf8_lossy(&text).chars().map(wide).collect()
}

/// Decimal, octal and hexadecimal spellings, and shortened ones, as browsers and `inet_aton` read them.
fn ipv4(name: &str) -> Option<Result<Ipv4Addr, &'static str>> {
    const WRONG: &str = "it ends in a number but is no IPv4 address";
    let parts: Vec<&str> = name.trim_end_matches('.').split('.').collect();
    let last = parts.last()?;
    if !last.starts_with(|c: char| c.is_ascii_digit()) || number(last).is_none() {
        return None;
    }
    let numbers: Option<Vec<u64>> = parts.iter().map(|part| number(part)).collect();
    let Some(numbers) = numbers.filter(|numbers| numbers.len() <= 4) else {
        return Some(Err(WRONG));
    };
    let (last, heads) = numbers.split_last()?;
    let mut value: u64 = 0;
    for head in heads {
        if *head > 255 {
            return Some(Err(WRONG));
        }
        value = (value << 8) | head;
    }
    let bits = 8 * (4 - heads.len() as u32);
    if *last >= 1_u64 << bits {
        return Some(Err(WRONG));
    }
    Some(u32::try_from((value << bits) | last).map(Ipv4Addr::from).map_err(|_| WRONG))
}

fn number(part: &str) -> Option<u64> {
    let hex = part.strip_prefix("0x").or_else(|| part.strip_prefix("0X"));
    match hex {
        Some("") => Some(0),
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if part.len() > 1 && part.starts_with('0') => u64::from_str_radix(part, 8).ok(),
        None => part.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Host, host};
    use crate::config::cidr::Address;

    fn literal(url: &str) -> Option<Address> {
        match host(url).unwrap() {
            Host::Address(address) => Some(Address::of(address)),
            Host::Name(_) => None,
        }
    }

    // rule: S1
    #[test]
    fn every_spelling_of_an_address_counts_as_what_it_means() {
        for (url, meant) in [
            ("http://127.0.0.1:80/x", Some(Address::Loopback)),
            ("http://0x7f.1/", Some(Address::Loopback)),
            ("http://017700000001", Some(Address::Loopback)),
            ("http://2130706433/", Some(Address::Loopback)),
            ("http://127.1.", Some(Address::Loopback)),
            ("http://%31%32%37.0.0.1/", Some(Address::Loopback)),
            ("http://[::1]:8080/", Some(Address::Loopback)),
            ("http://[::ffff:10.0.0.1]/", Some(Address::Private)),
            ("http://[64:ff9b::a9fe:a9fe]/", Some(Address::Refused)),
            ("http://[2002:a9fe:a9fe::1]/", Some(Address::Refused)),
            ("http://user@169.254.169.254/", Some(Address::Refused)),
            ("http://169.254.169.254\\@example.com/", Some(Address::Refused)),
            ("http://2852039166/latest", Some(Address::Refused)),
            ("https://8.8.8.8/", Some(Address::Public)),
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
            ("http://1.2.3.4.5/", "no IPv4"),
            ("http://256.1.1.1/", "no IPv4"),
        ] {
            assert!(host(url).unwrap_err().contains(why), "{url}");
        }
        assert_eq!(host("HTTPS://Example.COM./x"), Ok(Host::Name("example.com".to_owned())));
    }
}
