//! A resolved server: its transport, with every variable expanded.
//!
//! `Debug` prints nothing that may be secret: no arguments, values of variables and headers, queries of URLs, or
//! tokens.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use super::grant::Grant;
use becket_base::secret::Secret;

/// One server (`protocol.md` X1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// The transport of the server.
    pub transport: Transport,
    /// The time limit on a call, whatever its caller allows; written in milliseconds.
    pub timeout: Option<Duration>,
}

/// The transport of a server (`protocol.md` X1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// `stdio`: a process that communicates over its stdin and stdout.
    Stdio(Stdio),
    /// `http` or `streamable-http`: streamable HTTP.
    Http(Remote),
    /// `sse`: HTTP with server-sent events, the older transport.
    Sse(Remote),
    /// `ws`: WebSocket.
    WebSocket(Remote),
    /// `sse-ide`: an editor on this machine, over server-sent events.
    SseIde(Ide),
    /// `ws-ide`: an editor on this machine, over WebSocket.
    WsIde(Ide),
    /// `proxy` or `claudeai-proxy`: a server behind a proxy for which the host has credentials.
    Proxy(Proxy),
    /// `sdk`: a server within the host's own process, which the host provides under the same name.
    InProcess,
}

/// A server that is run as a process (`protocol.md` X7).
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Stdio {
    /// The program: a path, or a name that is looked up on the `PATH` of the environment.
    pub command: OsString,
    /// The arguments after the program's own name.
    pub args: Vec<OsString>,
    /// Variables in addition to the environment that every server gets; these override variables of the same name.
    pub env: Vec<(OsString, OsString)>,
    /// The directory in which it starts, relative to that of the options; `None` for that directory itself.
    pub cwd: Option<PathBuf>,
}

/// A server that is reached over a network.
#[derive(Clone, PartialEq, Eq)]
pub struct Remote {
    /// The address: `http` or `https`, for WebSocket `ws` or `wss`. It has a host, and neither credentials nor a
    /// fragment.
    pub url: Url,
    /// Headers of every request, in the order of the text; each name occurs once and is not a header of the transport.
    pub headers: Vec<(String, Secret)>,
    /// A command line that prints more headers as a JSON object.
    pub headers_helper: Option<String>,
    /// Additional variables for that command line: for a plugin, its directories.
    pub helper_env: Vec<(OsString, OsString)>,
    /// The directory in which that command line starts; `None` for that of the options.
    pub helper_cwd: Option<PathBuf>,
    /// The user's OAuth configuration.
    pub oauth: Option<OAuth>,
    /// TLS roots and a client certificate.
    pub tls: Option<Tls>,
}

/// The OAuth configuration of a server.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct OAuth {
    /// The id of the client, if it is already registered at the authorisation server.
    pub client_id: Option<String>,
    /// The secret of the client.
    pub client_secret: Option<Secret>,
    /// An `https` address that describes this client and serves as its id.
    pub client_metadata_url: Option<String>,
    /// The port of the loopback callback; `None` for any free port.
    pub callback_port: Option<u16>,
    /// The scopes to request, instead of those that the server names.
    pub scopes: Vec<String>,
    /// The address of the authorisation server's metadata, instead of discovery.
    pub auth_server_metadata_url: Option<Url>,
    /// The grant. One that needs no person requires a client id.
    pub grant: Grant,
}

/// PEM files for TLS. Paths are relative to the directory of the host.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tls {
    /// Certificates of authorities to trust instead of the platform's.
    pub ca: Option<PathBuf>,
    /// The client certificate.
    pub cert: Option<PathBuf>,
    /// The private key of the certificate; without it, the key is in the file of the certificate. Requires the
    /// certificate.
    pub key: Option<PathBuf>,
}

/// An editor on this machine.
#[derive(Clone, PartialEq, Eq)]
pub struct Ide {
    /// The address: `http(s)` for `sse-ide`, `ws(s)` for `ws-ide`.
    pub url: Url,
    /// The name of the editor.
    pub ide_name: Option<String>,
    /// The token by which the editor recognises this client.
    pub auth_token: Option<Secret>,
}

/// A server behind a proxy of the host.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    /// The base address, `http` or `https`, to which the id is appended.
    pub url: Url,
    /// The server's id at the proxy: letters, digits and `-._~`, not only dots.
    pub id: String,
    /// True if the proxy requires the host's credentials: `claudeai-proxy`.
    pub needs_host: bool,
}

impl ServerConfig {
    /// Creates a server that is run as a process, without a time limit of its own.
    #[must_use]
    pub fn stdio(command: impl Into<OsString>, args: Vec<OsString>) -> Self {
        let stdio = Stdio { command: command.into(), args, ..Stdio::default() };
        Self { transport: Transport::Stdio(stdio), timeout: None }
    }
}

impl Transport {
    /// Returns the value of `type` for this transport.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Transport::Stdio(_) => "stdio",
            Transport::Http(_) => "http",
            Transport::Sse(_) => "sse",
            Transport::WebSocket(_) => "ws",
            Transport::SseIde(_) => "sse-ide",
            Transport::WsIde(_) => "ws-ide",
            Transport::Proxy(_) => "proxy",
            Transport::InProcess => "sdk",
        }
    }

    /// Returns whether the server runs on this machine as a process or within ours: it counts in the lane of local
    /// servers (`protocol.md` X2).
    #[must_use]
    pub(crate) fn is_local(&self) -> bool {
        match self {
            Transport::Stdio(_) | Transport::InProcess => true,
            Transport::Http(_)
            | Transport::Sse(_)
            | Transport::WebSocket(_)
            | Transport::SseIde(_)
            | Transport::WsIde(_)
            | Transport::Proxy(_) => false,
        }
    }

    /// Returns the address, for a server that has one.
    #[must_use]
    pub fn url(&self) -> Option<&Url> {
        match self {
            Transport::Http(remote) | Transport::Sse(remote) | Transport::WebSocket(remote) => {
                Some(&remote.url)
            }
            Transport::SseIde(ide) | Transport::WsIde(ide) => Some(&ide.url),
            Transport::Proxy(proxy) => Some(&proxy.url),
            Transport::Stdio(_) | Transport::InProcess => None,
        }
    }
}

impl Remote {
    /// Creates a server at an address, without other settings.
    #[must_use]
    pub fn new(url: Url) -> Self {
        Self {
            url,
            headers: Vec::new(),
            headers_helper: None,
            helper_env: Vec::new(),
            helper_cwd: None,
            oauth: None,
            tls: None,
        }
    }
}

/// Returns a URL in a form that may be shown: without the query, which may contain a key, and without credentials,
/// which no URL parsed here has.
pub(crate) fn shown_url(url: &Url) -> String {
    let mut bare = url.clone();
    // A URL that can't contain credentials has none.
    let _ = (bare.set_username(""), bare.set_password(None));
    bare.set_query(None);
    bare.set_fragment(None);
    let query = if url.query().is_some() { "?…" } else { "" };
    format!("{bare}{query}")
}

impl fmt::Debug for Stdio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Stdio")
            .field("command", &self.command)
            .field("args", &self.args.len())
            .field("env", &names)
            .field("cwd", &self.cwd)
            .finish()
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.headers.iter().map(|(name, _)| name).collect();
        let variables: Vec<&OsString> = self.helper_env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Remote")
            .field("url", &shown_url(&self.url))
            .field("headers", &names)
            .field("headers_helper", &self.headers_helper.as_ref().map(|_| "…"))
            .field("helper_env", &variables)
            .field("helper_cwd", &self.helper_cwd)
            .field("oauth", &self.oauth)
            .field("tls", &self.tls)
            .finish()
    }
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth")
            .field("client_id", &self.client_id)
            .field("client_secret", &self.client_secret)
            .field("client_metadata_url", &self.client_metadata_url.as_ref().map(|_| "…"))
            .field("callback_port", &self.callback_port)
            .field("scopes", &self.scopes)
            .field("auth_server_metadata_url", &self.auth_server_metadata_url.as_ref().map(shown_url))
            .field("grant", &self.grant)
            .finish()
    }
}

impl fmt::Debug for Ide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ide")
            .field("url", &shown_url(&self.url))
            .field("ide_name", &self.ide_name)
            .field("auth_token", &self.auth_token)
            .finish()
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy")
            .field("url", &shown_url(&self.url))
            .field("id", &self.id)
            .field("needs_host", &self.needs_host)
            .finish()
    }
}
