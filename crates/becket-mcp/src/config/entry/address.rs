//! The address of a server, checked with the parser that the request uses.
//!
//! Text that the parser would silently correct (blanks, backslashes, missing slashes) is rejected: an address has to
//! mean the same to a person and to every program. No error quotes any part of one.

use becket_base::address::is_loopback_host;
use url::{Host, ParseError, Url};

/// A valid address, and whether a part that is never sent was dropped.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) url: Url,
    pub(super) had_fragment: bool,
}

/// Parses an absolute address with one of two schemes.
///
/// # Errors
/// Returns the problem, and what to do.
pub(super) fn read(text: &str, schemes: [&str; 2]) -> Result<Address, String> {
    let why = |why: &str| Err(why.to_owned());
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return why("has a blank in it: write it without");
    }
    if text.contains('\\') {
        return why("has a backslash in it: write `/`");
    }
    let [secure, plain] = schemes;
    let Some((scheme, rest)) = text.split_once("://") else {
        return Err(format!("has no `://`: write it in full, as in `{secure}://example.org/mcp`"));
    };
    if !schemes.iter().any(|known| known.eq_ignore_ascii_case(scheme)) {
        return Err(format!("begins with neither `{secure}://` nor `{plain}://`: correct it, or the `type`"));
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return why("has a user or a password in it: remove them, and use `headers`");
    }
    if authority.is_empty() {
        return why(NO_HOST);
    }
    let mut url = Url::parse(text).map_err(describe)?;
    if url.port() == Some(0) {
        return why(BAD_PORT);
    }
    if !has_host(&url) {
        return why(NO_HOST);
    }
    let had_fragment = url.fragment().is_some();
    url.set_fragment(None);
    Ok(Address { url, had_fragment })
}

/// Returns whether requests to this address stay on this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback_host)
}

const NO_HOST: &str = "names no host: write one";
const BAD_PORT: &str = "has a port that is not a number from 1 to 65535: correct it";

fn has_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => !name.trim_end_matches('.').is_empty(),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
        None => false,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the parser's errors that such a text can't cause")]
fn describe(error: ParseError) -> String {
    let why = match error {
        ParseError::EmptyHost => NO_HOST,
        ParseError::InvalidPort => BAD_PORT,
        ParseError::InvalidIpv4Address => "ends in a number but is not an IPv4 address: correct the host",
        ParseError::InvalidIpv6Address => "has in `[ ]` what is not an IPv6 address: correct the host",
        ParseError::InvalidDomainCharacter | ParseError::IdnaError => {
            "has a host that is not valid name: correct it"
        }
        _ => "can't be read: correct it",
    };
    why.to_owned()
}
