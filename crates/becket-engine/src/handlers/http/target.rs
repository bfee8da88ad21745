//! The target of a handler's URL, and the check that its source may post there (S1, S2).

use super::proxy::{self, Proxy};
use crate::config::Policy;
use crate::config::handler::Http;
use crate::config::url;
use crate::config::{Reach, Refusal};
use crate::host::environment::Environment;
use becket_model::Source;
use reqwest::Url;

/// A URL that may be posted to, as far as that can be checked before its name is resolved.
pub(super) struct Target {
    pub(super) url: Url,
    pub(super) way: Route,
    /// The host and port, in the form that errors may show: `example.com:443`.
    pub(super) place: String,
}

/// The route to a target.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Route {
    /// The name is resolved here, and each address has to be allowed.
    Direct(Reach),
    /// A proxy resolves the name (S2).
    Proxy(Proxy),
}

impl Target {
    /// Checks a handler's URL.
    ///
    /// # Errors
    /// Returns the reason why it can't be posted to.
    pub(super) fn of(
        http: &Http,
        source: &Source,
        policy: &Policy,
        environment: &Environment,
    ) -> Result<Self, String> {
        let (url, host) = url::read(&http.url)
            .map_err(|why| format!("`{}` is not a URL to post to: {why}", url::shown(&http.url)))?;
        let reach = policy.reach(source);
        if let Some(refusal) = reach.refuses_host(&host) {
            return Err(refused(&host.to_string(), refusal));
        }
        let proxy = if policy.http_hook_proxy { proxy::of(&url, &host, environment)? } else { None };
        let place = match &proxy {
            Some(proxy) => proxy.to_string(),
            None => format!("`{host}:{}`", url.port_or_known_default().unwrap_or_default()),
        };
        let way = proxy.map_or(Route::Direct(reach), Route::Proxy);
        Ok(Target { url, way, place })
    }

    /// Returns whether TLS is used on the route.
    pub(super) fn is_encrypted(&self) -> bool {
        let by_proxy = matches!(&self.way, Route::Proxy(proxy) if proxy.is_encrypted());
        by_proxy || self.url.scheme() == "https"
    }
}

/// Returns the message that `what` can't be posted to.
pub(super) fn refused(what: &str, refusal: Refusal) -> String {
    let help = refusal.help.map(|help| format!("; {help}")).unwrap_or_default();
    format!("`{what}` can't be posted to: {}{help}", refusal.message)
}
