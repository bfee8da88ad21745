//! The address policy of logins. Remote documents name the addresses, so they must not lead to machines that only this
//! one can reach, and no secret is sent unencrypted.
//!
//! - `https`, or `http` on this machine for a server that is on this machine itself.
//! - The server's own host, which the user has named, at any address; every other host depending on its address:
//!   public ones; loopback addresses for a server on this machine; private ones if the host of this crate allows them.
//! - Never the special-purpose addresses, such as those of cloud metadata services.

use std::net::IpAddr;

use becket_base::address::{AddressClass, is_loopback_host};
use url::{Host, Url};

use crate::auth::AuthError;
use crate::auth::key::shown;

/// The addresses that logins may lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Network {
    /// Public addresses only.
    #[default]
    Public,
    /// Private addresses too, for the authorisation server of a company.
    Private,
}

/// The address policy of one server's logins.
#[derive(Debug, Clone)]
pub(crate) struct UrlPolicy {
    own: String,
    is_local: bool,
    network: Network,
}

impl UrlPolicy {
    pub(crate) fn new(server: &Url, network: Network) -> Self {
        let own = server.host_str().unwrap_or_default().to_owned();
        Self { own, is_local: is_loopback(server), network }
    }

    /// Checks an address before any request to it.
    pub(crate) fn check(&self, what: &'static str, url: &Url) -> Result<(), AuthError> {
        let wrong = |why: &str| AuthError::Address { what, url: shown(url), why: why.to_owned() };
        match url.scheme() {
            "https" => {}
            "http" if self.is_local && is_loopback(url) => {}
            "http" => return Err(AuthError::Insecure { what, url: shown(url) }),
            _ => return Err(wrong("it is not a web address")),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("it has credentials in it"));
        }
        if url.fragment().is_some() {
            return Err(wrong("it has a `#` in it"));
        }
        let good = match url.host() {
            Some(Host::Ipv4(address)) => self.allows(&address.to_string(), address.into()),
            Some(Host::Ipv6(address)) => self.allows(&format!("[{address}]"), address.into()),
            Some(Host::Domain(_)) => !is_loopback(url) || self.is_local,
            None => false,
        };
        if good { Ok(()) } else { Err(wrong("logins for this server may not lead there")) }
    }

    /// Returns whether connecting to this address of a host is allowed.
    pub(crate) fn allows(&self, host: &str, address: IpAddr) -> bool {
        if host.trim_end_matches('.').eq_ignore_ascii_case(self.own.trim_end_matches('.')) {
            return true;
        }
        match AddressClass::of(address) {
            AddressClass::Public => true,
            AddressClass::Private => self.network == Network::Private,
            AddressClass::Loopback => self.is_local,
            AddressClass::Refused => false,
        }
    }
}

/// Returns whether the host name of a URL is a loopback one.
pub(crate) fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback_host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(server: &str, network: Network, url: &str) -> String {
        let policy = UrlPolicy::new(&server.parse().unwrap(), network);
        policy.check("page", &url.parse().unwrap()).map_or_else(|error| error.to_string(), |()| "good".into())
    }

    // rule: X3
    #[test]
    fn nothing_secret_goes_out_in_the_clear_or_to_machines_that_only_this_one_reaches() {
        let (far, near) = ("https://mcp.example/x", "http://localhost:3000/x");
        let (public, private) = (Network::Public, Network::Private);
        for (server, network, url, expected) in [
            (far, public, "https://as.example/a", "good"),
            (far, public, "https://1.1.1.1/a", "good"),
            (near, public, "http://127.0.0.1:9/a", "good"),
            (near, public, "https://as.example/a", "good"),
            (far, private, "https://10.0.0.9/a", "good"),
            ("https://10.0.0.9/x", public, "https://10.0.0.9:8443/a", "good"),
            (far, public, "http://as.example/a", "is not encrypted"),
            (near, public, "http://as.example/a", "is not encrypted"),
            (far, public, "http://127.0.0.1/a", "is not encrypted"),
            ("http://mcp.example/x", public, "http://mcp.example/a", "is not encrypted"),
            (far, public, "https://localhost/a", "may not lead there"),
            (far, public, "https://10.0.0.9/a", "may not lead there"),
            (far, private, "https://169.254.169.254/a", "may not lead there"),
            (far, public, "https://[::ffff:10.0.0.9]/a", "may not lead there"),
            (far, public, "https://[fd00::1]/a", "may not lead there"),
            (far, private, "https://[::1]/a", "may not lead there"),
            (far, public, "javascript:alert(1)", "not a web address"),
            (far, public, "file:///etc/passwd", "not a web address"),
            (far, public, "https://ann:pw@as.example/a", "credentials"),
            (far, public, "https://as.example/a#b", "`#`"),
        ] {
            let message = message(server, network, url);
            assert!(message.contains(expected), "{server} {url}: {message}");
            assert!(!message.contains("pw"), "{message}");
        }
    }

    #[test]
    fn a_name_is_judged_by_the_address_that_it_leads_to() {
        let policy = UrlPolicy::new(&"https://mcp.example/x".parse().unwrap(), Network::Public);
        let allows = |host: &str, address: &str| policy.allows(host, address.parse().unwrap());
        assert!(allows("as.example", "1.1.1.1") && allows("as.example", "2606:4700::1111"));
        assert!(allows("mcp.example.", "10.0.0.1"));
        for address in
            ["10.0.0.1", "127.0.0.1", "169.254.169.254", "0.0.0.0", "::1", "fe80::1", "::127.0.0.1"]
        {
            assert!(!allows("as.example", address), "{address}");
        }
        for address in ["64:ff9b::a00:1", "2002:a00:1::", "168.63.129.16", "100.100.100.200", "fd00:ec2::254"]
        {
            assert!(!allows("as.example", address), "{address}");
        }
    }
}
