//! The HTTP client that all providers share.
//!
//! TLS is rustls with ring, passed to the client as a complete configuration: no process-wide crypto provider is needed
//! or set, so a host may use its own. Root certificates come from the platform, so that those a company installs are
//! trusted; a bundled list would lack them, and become outdated. On Linux that means the files of the `ca-certificates`
//! package, or those that `SSL_CERT_FILE` and `SSL_CERT_DIR` name.
//!
//! It refuses redirects (a key must not follow them), compressed answers (a limit on bytes would be meaningless), and
//! any proxy that the host did not configure.

use crate::error::ModelError;
use becket_base::address::is_loopback_host;
use becket_base::http::tls::{self, TlsError, TlsRoots};
use becket_base::http::{causes, io_error};
use rustls::ClientConfig;
use std::fmt;
use std::io::ErrorKind;
use std::time::Duration;

/// The HTTP settings of a host.
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpOptions {
    /// The trusted root certificates.
    pub roots: Roots,
    /// The proxy for every request, such as `http://proxy:3128`.
    pub proxy: Option<String>,
    /// Hosts that are reached without the proxy, in the format of `NO_PROXY`: names (including their subdomains),
    /// addresses, networks. Local addresses never use it.
    pub no_proxy: Option<String>,
    /// The value of `user-agent`; `None` sends no such header.
    pub user_agent: Option<String>,
    /// The time limit for connecting, including name lookup and TLS.
    pub connect_timeout: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            roots: Roots::Platform,
            proxy: None,
            no_proxy: None,
            user_agent: None,
            connect_timeout: Duration::from_secs(10),
        }
    }
}

impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The proxy URL may contain a password.
        f.debug_struct("HttpOptions")
            .field("roots", &self.roots)
            .field("proxy", &self.proxy.as_ref().map(|_| "…"))
            .field("no_proxy", &self.no_proxy)
            .field("user_agent", &self.user_agent)
            .field("connect_timeout", &self.connect_timeout)
            .finish()
    }
}

/// The local addresses, in the format of `NO_PROXY`.
const HERE: &str = "localhost,127.0.0.0/8,::1";

/// The root certificates that are trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Roots {
    /// The platform's certificates.
    Platform,
    /// The platform's certificates, and those in this PEM text.
    PlatformAnd(String),
    /// Only the certificates in this PEM text.
    Only(String),
}

/// An error while building the client.
#[derive(Debug, thiserror::Error)]
pub enum HttpClientError {
    /// The text is not PEM, or contains no certificate.
    #[error("can't read the root certificates: {0}")]
    Roots(String),
    /// The proxy URL is invalid.
    #[error("can't use the proxy: {0}; write a URL such as `http://proxy:3128`")]
    Proxy(String),
    /// TLS or the client rejects the configuration.
    #[error("can't build the HTTP client: {0}")]
    Build(String),
}

/// Builds a client for all providers. Clones share its connections.
///
/// # Errors
/// See [`HttpClientError`]. A platform without root certificates is not an error here: plain HTTP still works, and
/// every TLS handshake fails.
pub fn http_client(options: &HttpOptions) -> Result<reqwest::Client, HttpClientError> {
    http_client_builder(options)?.build().map_err(|error| HttpClientError::Build(plain(error)))
}

/// Returns the builder of such a client, for a host that changes more settings.
///
/// # Errors
/// See [`http_client`].
pub fn http_client_builder(options: &HttpOptions) -> Result<reqwest::ClientBuilder, HttpClientError> {
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls_config(&options.roots)?)
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .no_proxy()
        .connect_timeout(options.connect_timeout);
    if let Some(agent) = &options.user_agent {
        builder = builder.user_agent(agent);
    }
    if let Some(proxy) = &options.proxy {
        // The URL may contain a password: no error repeats it.
        let proxy = reqwest::Proxy::all(proxy).map_err(|error| HttpClientError::Proxy(plain(error)))?;
        let direct = format!("{HERE},{}", options.no_proxy.as_deref().unwrap_or_default());
        builder = builder.proxy(proxy.no_proxy(reqwest::NoProxy::from_string(&direct)));
    }
    Ok(builder)
}

fn tls_config(roots: &Roots) -> Result<ClientConfig, HttpClientError> {
    let certificates = |pem: &str| {
        tls::certificates(pem.as_bytes()).map_err(|error| HttpClientError::Roots(error.to_string()))
    };
    let (extra, is_platform) = match roots {
        Roots::Platform => (Vec::new(), true),
        Roots::PlatformAnd(pem) => (certificates(pem)?, true),
        Roots::Only(pem) => (certificates(pem)?, false),
    };
    let verifier = if is_platform { tls::platform_verifier(extra.clone()).ok() } else { None };
    let roots = match verifier {
        Some(verifier) => TlsRoots::Verifier(verifier),
        None if extra.is_empty() => TlsRoots::Nothing,
        None => TlsRoots::Only(extra),
    };
    let builder = tls::client_config(roots).map_err(|error| match error {
        TlsError::Unusable(_) => HttpClientError::Roots(error.to_string()),
        TlsError::NoRoots(_) | TlsError::NoCertificate | TlsError::Setup(_) => {
            HttpClientError::Build(error.to_string())
        }
    })?;
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// Returns whether the error occurred while an answer was received, so the server was reached.
pub(crate) fn is_in_answer(error: &reqwest::Error) -> bool {
    error.is_body() || error.is_decode()
}

/// Returns the error for a connection to `from` that could not be established.
pub(crate) fn unconnected(from: String, error: reqwest::Error, scrub: impl Fn(&str) -> String) -> ModelError {
    // There is no proxy, so the server itself is not running.
    if is_here(&from) && is_refused(&error) {
        return ModelError::NothingListens { from };
    }
    ModelError::Connection { from, message: scrub(&plain(error)) }
}

/// Returns whether a host, with or without a port, is a local address.
fn is_here(from: &str) -> bool {
    let host =
        from.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(from, |(host, _)| host);
    is_loopback_host(host)
}

fn is_refused(error: &reqwest::Error) -> bool {
    io_error(error).is_some_and(|error| error.kind() == ErrorKind::ConnectionRefused)
}

/// Returns the network error with its causes, without the URL.
pub(crate) fn plain(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    for cause in causes(&error).skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    if text.contains("UnknownIssuer") {
        text.push_str(
            "; install the system's root certificates, or hand in the one that signed the server's",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known_by_its_names_and_addresses() {
        for (from, expected) in [
            ("127.0.0.1:9", true),
            ("127.3.2.1", true),
            ("localhost:11434", true),
            ("localhost", true),
            ("[::1]:80", true),
            ("[::1]", true),
            ("192.168.0.7:80", false),
            ("api.example:443", false),
            ("localhost.example", false),
        ] {
            assert_eq!(is_here(from), expected, "{from}");
        }
    }
}
