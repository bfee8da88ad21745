//! The identity under which a token is stored: a server's name and its address, together.
//!
//! INVARIANT: a token is found only by the name and the exact address that it was issued for; a server that moves, or
//! another one that takes its name, gets nothing.

use becket_base::text::hex;
use sha2::{Digest, Sha256};
use url::Url;

/// The key of a server in token stores and caches. Scheme, host, port, path, query and credentials all count; case of
/// the host, a default port and the fragment don't.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    server: String,
    url: String,
    id: String,
}

impl Key {
    /// Creates the key of a server with this name at this address.
    #[must_use]
    pub fn new(server: &str, url: &Url) -> Self {
        let mut whole = url.clone();
        whole.set_fragment(None);
        let mut hash = Sha256::new();
        hash.update((server.len() as u64).to_be_bytes());
        hash.update(server);
        hash.update(whole.as_str());
        Self { server: server.to_owned(), url: shown(&whole), id: hex(&hash.finalize()) }
    }

    /// Returns the name of the server.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Returns the address, without the parts that may be secret: credentials and query.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns name and whole address as 64 hexadecimal digits.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }
}

/// Returns an address without credentials, query and fragment.
pub(crate) fn shown(url: &Url) -> String {
    let mut bare = url.clone();
    // Addresses without a host have neither.
    let _ = bare.set_username("");
    let _ = bare.set_password(None);
    bare.set_query(None);
    bare.set_fragment(None);
    bare.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(server: &str, url: &str) -> Key {
        Key::new(server, &url.parse().unwrap())
    }

    // rule: X3
    #[test]
    fn another_address_or_another_name_is_another_server() {
        let one = key("a", "https://mcp.example/x");
        for same in ["https://MCP.example:443/x", "https://mcp.example/x#top"] {
            assert_eq!(key("a", same), one);
        }
        for other in [
            "http://mcp.example/x",
            "https://mcp.example/x/",
            "https://mcp.example/",
            "https://mcp.example:8443/x",
            "https://mcp.example/x?key=1",
            "https://ann@mcp.example/x",
            "https://mcp.example.evil.example/x",
        ] {
            assert_ne!(key("a", other).id(), one.id(), "{other}");
        }
        assert_ne!(key("b", "https://mcp.example/x").id(), one.id());
    }

    #[test]
    fn what_may_be_secret_is_not_shown() {
        let key = key("a", "https://ann:pw1@mcp.example/x?key=pw2#pw3");
        assert_eq!(key.url(), "https://mcp.example/x");
        assert!(!format!("{key:?}").contains("pw"));
    }
}
