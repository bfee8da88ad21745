//! Digests of contents: of an entry as written, for approvals, and of a resolved configuration, for shared
//! connections.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::grant::{Algorithm, Grant, IdentityProvider, PrivateKey};
use super::server::{Ide, OAuth, Proxy, Remote, ServerConfig, Stdio, Tls, Transport};

/// The fingerprint of an entry as written: `sha256:` and 64 hexadecimal digits.
///
/// Every member counts, including unknown ones; their order and the blanks between them do not. Variables are not
/// expanded, so that it is the same for everyone, and changes with the entry and not with a token. For an entry below
/// the root of a project, its directory counts, too.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

/// The key of a configuration with every variable expanded. Two servers with equal keys may share a connection
/// (`protocol.md` X2).
///
/// It is never shown: with the rest of a configuration, a short secret could be guessed from it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConfigKey([u8; 32]);

const PREFIX: &str = "sha256:";

impl Fingerprint {
    /// Returns the fingerprint of a JSON value.
    pub(super) fn of(value: &Value) -> Self {
        let mut digest = Sha256::new();
        write_value(value, &mut digest);
        Self(digest.finalize().into())
    }

    /// Returns the fingerprint of the entry in this directory: its relative paths mean other files in another one.
    pub(super) fn in_directory(&self, directory: &Path) -> Self {
        let mut parts = Parts(Sha256::new());
        parts.bytes(&self.0);
        directory.components().for_each(|part| parts.bytes(part.as_os_str().as_encoded_bytes()));
        Self(parts.0.finalize().into())
    }

    /// Parses the output of [`fmt::Display`].
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX).filter(|digits| digits.len() == 64)?.as_bytes();
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair.iter().try_fold(0, |byte, digit| Some(byte << 4 | value_of(*digit)?))?;
        }
        Some(Self(bytes))
    }
}

fn value_of(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

impl fmt::Debug for ConfigKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ConfigKey(…)")
    }
}

/// Writes the canonical form: keys sorted, no blanks. The recursion is bounded by the parser's limit on nesting.
fn write_value(value: &Value, digest: &mut Sha256) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            digest.update(value.to_string());
        }
        Value::Array(values) => {
            digest.update("[");
            for value in values {
                write_value(value, digest);
                digest.update(",");
            }
            digest.update("]");
        }
        Value::Object(members) => {
            let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
            sorted.sort_by_key(|(key, _)| *key);
            digest.update("{");
            for (key, value) in sorted {
                digest.update(Value::from(key.as_str()).to_string());
                digest.update(":");
                write_value(value, digest);
                digest.update(",");
            }
            digest.update("}");
        }
    }
}

impl ServerConfig {
    /// Returns the key of the configuration, with every variable expanded.
    #[must_use]
    pub fn key(&self) -> ConfigKey {
        let ServerConfig { transport, timeout } = self;
        let mut parts = Parts(Sha256::new());
        parts.text(transport.kind());
        match transport {
            Transport::Stdio(stdio) => parts.stdio(stdio),
            Transport::Http(remote) | Transport::Sse(remote) | Transport::WebSocket(remote) => {
                parts.remote(remote);
            }
            Transport::SseIde(ide) | Transport::WsIde(ide) => {
                let Ide { url, ide_name, auth_token } = ide;
                parts.text(url.as_str());
                parts.option(ide_name.as_deref());
                parts.option(auth_token.as_ref().map(becket_base::secret::Secret::expose));
            }
            Transport::Proxy(Proxy { url, id, needs_host }) => {
                parts.text(url.as_str());
                parts.text(id);
                parts.text(if *needs_host { "host" } else { "" });
            }
            Transport::InProcess => {}
        }
        parts.option(timeout.map(|timeout| timeout.as_nanos().to_string()).as_deref());
        ConfigKey(parts.0.finalize().into())
    }
}

/// A hash of parts, each preceded by its length: different sequences have different hashes.
struct Parts(Sha256);

impl Parts {
    fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.update(bytes);
    }

    fn count(&mut self, count: usize) {
        self.0.update((count as u64).to_be_bytes());
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn option(&mut self, text: Option<&str>) {
        self.count(usize::from(text.is_some()));
        self.text(text.unwrap_or_default());
    }

    fn stdio(&mut self, stdio: &Stdio) {
        let Stdio { command, args, env, cwd } = stdio;
        self.bytes(command.as_encoded_bytes());
        self.count(args.len());
        args.iter().for_each(|arg| self.bytes(arg.as_encoded_bytes()));
        self.variables(env);
        self.path(cwd.as_deref());
    }

    fn variables(&mut self, variables: &[(OsString, OsString)]) {
        let mut sorted: Vec<_> = variables.iter().collect();
        sorted.sort();
        self.count(sorted.len());
        for (name, value) in sorted {
            self.bytes(name.as_encoded_bytes());
            self.bytes(value.as_encoded_bytes());
        }
    }

    fn remote(&mut self, remote: &Remote) {
        let Remote { url, headers, headers_helper, helper_env, helper_cwd, oauth, tls } = remote;
        self.text(url.as_str());
        let mut headers: Vec<(String, &str)> =
            headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.expose())).collect();
        headers.sort();
        self.count(headers.len());
        for (name, value) in headers {
            self.text(&name);
            self.text(value);
        }
        self.option(headers_helper.as_deref());
        self.variables(helper_env);
        self.path(helper_cwd.as_deref());
        self.count(usize::from(oauth.is_some()));
        if let Some(oauth) = oauth {
            self.oauth(oauth);
        }
        self.count(usize::from(tls.is_some()));
        if let Some(Tls { ca, cert, key }) = tls {
            [ca, cert, key].into_iter().for_each(|path| self.path(path.as_deref()));
        }
    }

    fn oauth(&mut self, oauth: &OAuth) {
        let OAuth {
            client_id,
            client_secret,
            client_metadata_url,
            callback_port,
            scopes,
            auth_server_metadata_url,
            grant,
        } = oauth;
        self.option(client_id.as_deref());
        self.option(client_secret.as_ref().map(becket_base::secret::Secret::expose));
        self.option(client_metadata_url.as_deref());
        self.count(callback_port.map_or(0, usize::from));
        self.count(scopes.len());
        scopes.iter().for_each(|scope| self.text(scope));
        self.option(auth_server_metadata_url.as_ref().map(url::Url::as_str));
        self.text(grant.name());
        match grant {
            Grant::Code | Grant::Secret => self.path(None),
            Grant::Assertion(file) => self.path(Some(file)),
            Grant::Exchange(IdentityProvider { token_endpoint, client_id, client_secret, id_token }) => {
                self.path(Some(id_token));
                self.text(token_endpoint.as_str());
                self.text(client_id);
                self.option(client_secret.as_ref().map(becket_base::secret::Secret::expose));
            }
            Grant::Key(PrivateKey { file, algorithm, id }) => {
                self.path(Some(file));
                self.option(algorithm.map(Algorithm::name));
                self.option(id.as_deref());
            }
        }
    }

    fn path(&mut self, path: Option<&Path>) {
        self.count(usize::from(path.is_some()));
        self.bytes(path.map_or(&[], |path| path.as_os_str().as_encoded_bytes()));
    }
}
