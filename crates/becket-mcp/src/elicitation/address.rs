//! An address that a server sends its user to.
//!
//! INVARIANT: the address that is shown is the one that is opened: complete, in ASCII, without characters that a
//! terminal or a reader could mistake for others. An international host is shown as punycode, in which it is resolved.

use becket_base::address::is_loopback_host;
use url::{Host, Url};

use super::Unreadable;
use becket_base::text::cut;

/// The limit on an address, above that of any browser.
const LONGEST: usize = 8_192;
/// The limit on the quoted part of a rejected address.
const SHOWN: usize = 200;

/// An address that may be shown to the user and, if they agree, opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    url: Url,
    host: String,
    cautions: Vec<Caution>,
}

/// A caution for the user before they open an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Caution {
    /// The connection can be read and changed by others.
    #[error("the address is not encrypted (http)")]
    NotEncrypted,
    /// A part of the host's name may look like another name.
    #[error("the host's name has letters outside ASCII; it may look like another name")]
    OtherLetters,
    /// A user name before the host may look like the host.
    #[error("what stands before the `@` is not the host")]
    BeforeTheHost,
    /// The host is an IP address.
    #[error("the host is a number, not a name")]
    Number,
}

impl Address {
    /// Parses the `url` of a question.
    ///
    /// # Errors
    /// Errors if it is not an absolute `http` or `https` address, contains control characters or blanks, or is longer
    /// than 8,192 characters.
    pub fn read(url: &str) -> Result<Self, Unreadable> {
        let refused = |what: &str| Unreadable::Address { url: shown(url), what: what.to_owned() };
        // The parser would drop some of them silently.
        if url.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(refused("it has blanks or control characters in it"));
        }
        let parsed =
            Url::parse(url).map_err(|error| refused(&format!("it is not a whole address ({error})")))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(refused("only http and https are opened"));
        }
        if parsed.as_str().len() > LONGEST {
            return Err(refused("it is longer than 8192 characters"));
        }
        let Some(host) = parsed.host().map(|host| host.to_string()) else {
            return Err(refused("it has no host"));
        };
        let cautions = cautions(&parsed);
        Ok(Self { url: parsed, host, cautions })
    }

    /// Returns the whole address, in ASCII: to be shown, and to be opened.
    #[must_use]
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// Returns the host, in ASCII (punycode), to be shown beside the address.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the cautions for the user.
    #[must_use]
    pub fn cautions(&self) -> &[Caution] {
        &self.cautions
    }
}

fn cautions(url: &Url) -> Vec<Caution> {
    let host = url.host();
    let is_local = url.host_str().is_some_and(is_loopback_host);
    let number = matches!(&host, Some(Host::Ipv4(_) | Host::Ipv6(_)));
    let is_punycode =
        matches!(&host, Some(Host::Domain(name)) if name.split('.').any(|label| label.starts_with("xn--")));
    let has_user = !url.username().is_empty() || url.password().is_some();
    [
        (url.scheme() == "http" && !is_local, Caution::NotEncrypted),
        (is_punycode, Caution::OtherLetters),
        (has_user, Caution::BeforeTheHost),
        (number && !is_local, Caution::Number),
    ]
    .into_iter()
    .filter_map(|(holds, caution)| holds.then_some(caution))
    .collect()
}

/// Returns the beginning of a rejected address, without control and invisible characters.
fn shown(url: &str) -> String {
    cut(url, SHOWN).chars().map(|c| if c.is_control() || is_hidden(c) { '\u{FFFD}' } else { c }).collect()
}

/// Returns true for characters without width, or that change the direction of text.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}
