//! The proxy of a request, if settings of the user or above allow one (S2).
//!
//! Only variables of the [`Environment`] count: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, in lower or
//! upper case, lower case first. This machine is never posted to through a proxy. A proxy's own address is not checked:
//! the owner of the environment chose it.

use crate::config::url::{self, Host};
use crate::host::environment::Environment;
use becket_base::address::{AddressClass, Network};
use reqwest::Url;
use std::fmt;
use std::net::IpAddr;

/// A proxy. Its URL may contain a password and is never shown.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Proxy {
    url: Url,
    variable: &'static str,
}

impl Proxy {
    /// Returns its URL, with its password.
    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// Returns whether the connection to it uses TLS.
    pub(super) fn is_encrypted(&self) -> bool {
        self.url.scheme() == "https"
    }
}

impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the proxy `{}` of `{}`", url::shown(self.url.as_str()), self.variable)
    }
}

/// Returns the proxy for a URL; `None` if it is posted to directly.
///
/// # Errors
/// Errors if the variable does not contain the URL of a proxy.
pub(super) fn of(url: &Url, host: &Host, environment: &Environment) -> Result<Option<Proxy>, String> {
    let names: &[&'static str] = match url.scheme() {
        "https" => &["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
        _ => &["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
    };
    let Some((variable, text)) = first(environment, names) else { return Ok(None) };
    if is_here(host) || is_exempt(host, &first(environment, &["no_proxy", "NO_PROXY"]).unwrap_or_default().1)
    {
        return Ok(None);
    }
    let text = if text.contains("://") { text } else { format!("http://{text}") };
    let (url, _) = url::read(&text).map_err(|why| {
        format!("the proxy in `{variable}` can't be used: {why}; write `http://host:port`, or leave `{variable}` empty")
    })?;
    Ok(Some(Proxy { url, variable }))
}

/// Returns the first of the variables that is not empty.
fn first(environment: &Environment, names: &[&'static str]) -> Option<(&'static str, String)> {
    names.iter().find_map(|name| {
        let value = environment.var(name)?.to_string_lossy();
        let value = value.trim();
        (!value.is_empty()).then(|| (*name, value.to_owned()))
    })
}

fn is_here(host: &Host) -> bool {
    match host {
        Host::Address(address) => AddressClass::of(*address) == AddressClass::Loopback,
        Host::Name(_) => host.is_localhost(),
    }
}

/// Returns whether `no_proxy` names the host: `*`, a name with all names below it, an address, a network.
fn is_exempt(host: &Host, list: &str) -> bool {
    list.split([',', ' ']).map(str::trim).filter(|entry| !entry.is_empty()).any(|entry| {
        entry == "*"
            || match host {
                Host::Address(address) => holds(entry, *address),
                Host::Name(name) => is_below(entry, name),
            }
    })
}

fn holds(entry: &str, address: IpAddr) -> bool {
    let entry = entry.trim_start_matches('[').trim_end_matches(']');
    entry.parse::<Network>().is_ok_and(|network| network.contains(address))
}

fn is_below(entry: &str, name: &str) -> bool {
    let entry = entry.split(':').next().unwrap_or_default().trim_start_matches("*.").trim_matches('.');
    let entry = entry.to_ascii_lowercase();
    !entry.is_empty()
        && name.strip_suffix(&entry).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(url: &str, vars: &[(&str, &str)]) -> Result<Option<String>, String> {
        let (url, host) = url::read(url).unwrap();
        let environment = vars
            .iter()
            .fold(Environment::empty(), |environment, (name, value)| environment.with_var(name, value));
        of(&url, &host, &environment).map(|proxy| proxy.map(|proxy| proxy.to_string()))
    }

    // rule: S2
    #[test]
    fn the_variable_of_the_scheme_names_the_proxy() {
        let http = ("http_proxy", "http://ann:hush@one:1/");
        let all = ("ALL_PROXY", "two:2");
        let one = Some("the proxy `http://one:1/` of `http_proxy`".to_owned());
        let two = Some("the proxy `http://two:2/` of `ALL_PROXY`".to_owned());
        assert_eq!(chosen("http://a.example/", &[http, all]), Ok(one));
        assert_eq!(chosen("https://a.example/", &[http, all]), Ok(two));
        assert_eq!(chosen("https://a.example/", &[http]), Ok(None));
        let wrong = chosen("https://a.example/", &[("HTTPS_PROXY", "socks5://ann:hush@x:1")]).unwrap_err();
        assert!(wrong.contains("`HTTPS_PROXY`") && wrong.contains("only `http`") && !wrong.contains("hush"));
    }

    // rule: S2
    #[test]
    fn this_machine_and_what_no_proxy_names_is_reached_directly() {
        let all = ("all_proxy", "http://one:1/");
        for (url, none) in [
            ("http://localhost:8/", ""),
            ("http://127.1.2.3/", ""),
            ("http://[::1]/", ""),
            ("http://b.a.example/", "x, .A.example"),
            ("http://a.example/", ".a.example"),
            ("http://a.example:8/", "a.example:8"),
            ("http://b.a.example/", "*.a.example"),
            ("http://10.1.2.3/", "10.0.0.0/8"),
            ("http://10.1.2.3/", "10.1.2.3"),
            ("http://a.example/", "*"),
        ] {
            assert_eq!(chosen(url, &[all, ("NO_PROXY", none)]), Ok(None), "{url} {none}");
        }
        for (url, none) in [
            ("http://ba.example/", "a.example"),
            ("http://11.1.2.3/", "10.0.0.0/8"),
            ("http://a.example/", "."),
        ] {
            assert!(chosen(url, &[all, ("NO_PROXY", none)]).unwrap().is_some(), "{url} {none}");
        }
    }
}
