//! The target of a URL, and the decision to connect to it for a model.
//!
//! - Public addresses, and this machine if the URL names it (`localhost`, `127.0.0.1`).
//! - Nothing private, link-local or reserved, no metadata service; a private network only if the host named it.
//! - A name is judged by all of its addresses; only judged addresses are connected to.
//!
//! INVARIANT: a name that is not `localhost` never leads to this machine.

use becket_base::address::{AddressClass, Network, is_localhost, is_loopback_host};
use becket_engine::Resolve;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolving};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use url::Host;

/// The maximum length of a URL, in bytes.
const LONGEST: usize = 2_000;

/// The reason why nothing is fetched from a URL, for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PlaceError {
    #[error("`{url}` is not a URL to fetch: {why}")]
    NoUrl { url: String, why: String },
    #[error("`{place}` is not fetched from: {why}")]
    Refused { place: String, why: &'static str },
    #[error("the name `{name}` can't be resolved: {why}")]
    Unknown { name: String, why: String },
}

/// Parses the URL of a call. `http` becomes `https`, except on this machine.
pub(crate) fn read(text: &str) -> Result<Url, PlaceError> {
    let wrong = |why: String| PlaceError::NoUrl { url: crate::schema::brief(text), why };
    if text.len() > LONGEST {
        return Err(wrong(format!("it is longer than {LONGEST} bytes")));
    }
    // Text that a URL parser would repair may mean one thing to a rule and another to a server.
    if text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
        return Err(wrong("there is a blank or a backslash in it".to_owned()));
    }
    let scheme = text.split_once("://").filter(|(_, rest)| !rest.starts_with('/')).map(|(scheme, _)| scheme);
    if !scheme.is_some_and(|s| s.eq_ignore_ascii_case("http") || s.eq_ignore_ascii_case("https")) {
        return Err(wrong("write `https://` and a host".to_owned()));
    }
    let mut url = Url::parse(text).map_err(|error| wrong(error.to_string()))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("there is a user name or a password in it".to_owned()));
    }
    url.set_fragment(None);
    if url.scheme() == "http" && !is_here(&url) {
        // The scheme of a URL with a host can be changed.
        let _ = url.set_scheme("https");
    }
    Ok(url)
}

/// Returns whether the URL itself names this machine.
pub(crate) fn is_here(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback_host)
}

/// Addresses that a model's calls may reach.
#[derive(Clone, Default)]
pub(crate) struct Reach {
    /// The private networks that the host allows.
    pub(crate) networks: Vec<Network>,
    /// The name of a proxy, which may have any address.
    pub(crate) proxy: Option<String>,
}

/// The origin of an address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// The URL contains the address.
    Itself,
    /// The name `localhost`.
    Localhost,
    /// Any other name.
    Name,
}

impl Reach {
    /// Judges a URL as far as possible before a name is resolved.
    pub(crate) fn judge(&self, url: &Url) -> Result<(), PlaceError> {
        let refused =
            |why| Err(PlaceError::Refused { place: url.host_str().unwrap_or_default().to_owned(), why });
        let literal = |address: IpAddr| self.refuses(address, By::Itself).map_or(Ok(()), refused);
        match url.host() {
            Some(Host::Domain(_)) => Ok(()),
            Some(Host::Ipv4(address)) => literal(address.into()),
            Some(Host::Ipv6(address)) => literal(address.into()),
            None => refused("it names no host"),
        }
    }

    fn refuses(&self, address: IpAddr, by: By) -> Option<&'static str> {
        match (AddressClass::of(address), by) {
            (AddressClass::Loopback, By::Itself | By::Localhost) => None,
            (_, By::Localhost) => Some("`localhost` leads to another machine"),
            (AddressClass::Public, By::Itself | By::Name) => None,
            (AddressClass::Loopback, By::Name) => Some("the name leads to this machine"),
            (AddressClass::Private, _) if self.networks.iter().any(|network| network.contains(address)) => {
                None
            }
            (AddressClass::Private, By::Itself | By::Name) => Some("its address is in a private network"),
            (AddressClass::Refused, By::Itself | By::Name) => {
                Some("its address is link-local, reserved or a cloud's metadata service")
            }
        }
    }

    /// Returns the addresses of a name that may be connected to.
    fn good(&self, name: &str, found: Vec<IpAddr>) -> Result<Vec<IpAddr>, PlaceError> {
        if self.proxy.as_deref() == Some(name) {
            return Ok(found);
        }
        let by = if is_localhost(name) { By::Localhost } else { By::Name };
        let why = found.iter().find_map(|address| self.refuses(*address, by));
        let good: Vec<IpAddr> =
            found.into_iter().filter(|address| self.refuses(*address, by).is_none()).collect();
        match why {
            _ if !good.is_empty() => Ok(good),
            Some(why) => Err(PlaceError::Refused { place: name.to_owned(), why }),
            None => Err(PlaceError::Unknown { name: name.to_owned(), why: "it has no address".to_owned() }),
        }
    }
}

/// A resolver that judges its answers: the only one that the client uses.
pub(crate) struct CheckedResolver {
    pub(crate) resolver: Arc<dyn Resolve>,
    pub(crate) reach: Reach,
}

impl reqwest::dns::Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (resolver, reach) = (Arc::clone(&self.resolver), self.reach.clone());
        Box::pin(async move {
            let name = name.as_str();
            let found = resolver
                .resolve(name)
                .await
                .map_err(|why| PlaceError::Unknown { name: name.to_owned(), why: why.to_string() })?;
            let good = reach.good(name, found)?;
            let addresses: Addrs = Box::new(good.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_url_is_read_as_it_is_sent() {
        for (text, url) in [
            ("http://a.example/x?y#z", "https://a.example/x?y"),
            ("http://a.example:80/", "https://a.example/"),
            ("http://a.example:8080/", "https://a.example:8080/"),
            ("HTTPS://A.Example", "https://a.example/"),
            ("http://localhost:8/x", "http://localhost:8/x"),
            ("http://app.localhost/", "http://app.localhost/"),
            ("http://127.1:8/", "http://127.0.0.1:8/"),
            ("http://[::1]/", "http://[::1]/"),
            ("https://localhost/", "https://localhost/"),
            ("http://localhost.a.example/", "https://localhost.a.example/"),
        ] {
            assert_eq!(read(text).unwrap().as_str(), url, "{text}");
        }
        for text in [
            "a.example",
            "ftp://a.example/",
            "file:///etc/passwd",
            "https:a.example",
            "https:///a.example",
            "https://a.example\\@b.example/",
            "https://u:p@a.example/",
            "https://u@a.example/",
            "https://a.example/ b",
            "https://a\n.example/",
            "https://",
            "javascript:alert(1)",
            "",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read(&format!("https://a.example/{}", "x".repeat(2_000))).is_err());
    }

    // rule: S1
    #[test]
    fn an_address_is_judged_by_who_names_it() {
        let reach =
            Reach { networks: vec!["10.1.0.0/16".parse().unwrap()], proxy: Some("proxy.corp".into()) };
        for (url, good) in [
            ("https://93.184.216.34/", true),
            ("http://127.0.0.1:8/", true),
            ("http://[::1]/", true),
            ("https://10.1.2.3/", true),
            ("https://10.2.2.3/", false),
            ("https://192.168.1.1/", false),
            ("https://169.254.169.254/latest/meta-data", false),
            ("https://0x7f.1/", true),
            ("https://2852039166/", false),
            ("https://[::ffff:169.254.169.254]/", false),
            ("https://[::ffff:10.2.2.3]/", false),
            ("https://[fe80::1]/", false),
            ("https://0.0.0.0/", false),
            ("https://100.100.100.200/", false),
        ] {
            assert_eq!(reach.judge(&read(url).unwrap()).is_ok(), good, "{url}");
        }
        for (name, found, good) in [
            ("a.example", vec!["93.184.216.34"], vec!["93.184.216.34"]),
            ("a.example", vec!["127.0.0.1"], vec![]),
            ("a.example", vec!["::1"], vec![]),
            ("a.example", vec!["10.2.0.1", "93.184.216.34"], vec!["93.184.216.34"]),
            ("a.example", vec!["10.1.0.1"], vec!["10.1.0.1"]),
            ("a.example", vec![], vec![]),
            ("localhost", vec!["127.0.0.1"], vec!["127.0.0.1"]),
            ("app.localhost", vec!["::1"], vec!["::1"]),
            ("localhost", vec!["93.184.216.34"], vec![]),
            ("localhost", vec!["10.1.0.1"], vec![]),
            ("proxy.corp", vec!["10.9.9.9"], vec!["10.9.9.9"]),
            ("a.proxy.corp", vec!["10.9.9.9"], vec![]),
        ] {
            let found = found.into_iter().map(address).collect();
            let good: Vec<IpAddr> = good.into_iter().map(address).collect();
            assert_eq!(reach.good(name, found).unwrap_or_default(), good, "{name}");
        }
    }
}
