//! Resolution of an entry: variables are expanded, and the result is checked.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use url::Url;

use super::address::{self, Address};
use super::grant::ClientMembers;
use super::headers;
use super::keys::Kind;
use super::raw::{RawEntry, RawIde, RawOAuth, RawRemote, RawStdio, RawTls, RawTransport};
use crate::config::error::ServerConfigError;
use crate::config::expand::Expander;
use crate::config::members::At;
use crate::config::place::Place;
use crate::config::server::{Ide, OAuth, Proxy, Remote, ServerConfig, Stdio, Tls, Transport};
use crate::config::warning::ServerWarning;

type Variables = [(OsString, OsString)];

impl RawEntry {
    /// Expands the variables; `own` are those of the scope, which take precedence and are set for processes. The
    /// options of its plugin are only expanded.
    pub(in crate::config) fn resolve(
        &self,
        variables: &Variables,
        own: &Variables,
        options: Option<&[(String, String)]>,
        warnings: &mut Vec<ServerWarning>,
    ) -> Result<ServerConfig, ServerConfigError> {
        warnings.extend(self.warnings.iter().cloned());
        let mut expander = Expander::new(variables, own, options);
        let transport = match &self.way {
            RawTransport::Stdio(written) => {
                let stdio = stdio(written, own, &mut expander);
                expander.finish(&self.place)?;
                Transport::Stdio(checked(stdio, written, &self.place)?)
            }
            RawTransport::Remote(kind, into, written) => {
                let written = expanded(written, &mut expander);
                expander.finish(&self.place)?;
                let mut remote = remote(written, *kind, warnings)?;
                if remote.headers_helper.is_some() {
                    remote.helper_env = own.to_vec();
                }
                into(remote)
            }
            RawTransport::Ide(kind, into, RawIde { url, name, token }) => {
                let token = token.as_ref().map(|token| at(token, &mut expander));
                let written = RawIde { url: at(url, &mut expander), name: name.clone(), token };
                expander.finish(&self.place)?;
                into(ide(written, *kind, warnings)?)
            }
            RawTransport::Proxy { url, id, needs_host } => {
                let (url, id) = (at(url, &mut expander), at(id, &mut expander));
                expander.finish(&self.place)?;
                let (url, id) = (address(&url, Kind::Proxy, warnings)?, proxy_id(id)?);
                Transport::Proxy(Proxy { url, id, needs_host: *needs_host })
            }
            RawTransport::InProcess => Transport::InProcess,
        };
        Ok(ServerConfig { transport, timeout: self.timeout })
    }
}

fn at(text: &At<String>, expander: &mut Expander<'_>) -> At<String> {
    At { value: expander.text(&text.value), place: text.place.clone() }
}

fn stdio(written: &RawStdio, own: &Variables, expander: &mut Expander<'_>) -> Stdio {
    let mut env: Vec<(OsString, OsString)> = written
        .env
        .iter()
        .map(|(name, value)| (OsString::from(name), expander.expand(&value.value)))
        .collect();
    let is_written = |name: &OsStr| written.env.iter().any(|(known, _)| name == OsStr::new(known));
    env.extend(own.iter().filter(|(name, _)| !is_written(name)).cloned());
    Stdio {
        command: expander.expand(&written.command.value),
        args: written.args.iter().map(|arg| expander.expand(arg)).collect(),
        env,
        cwd: written.cwd.as_ref().map(|cwd| PathBuf::from(expander.expand(&cwd.value))),
    }
}

fn checked(stdio: Stdio, written: &RawStdio, place: &Place) -> Result<Stdio, ServerConfigError> {
    if stdio.command.is_empty() {
        return Err(ServerConfigError::NoCommand { place: place.clone(), meant: None });
    }
    let has_nul = |text: &OsStr| text.as_encoded_bytes().contains(&0);
    let nul = |place: &Place, what: String| {
        Err(ServerConfigError::WrongValue { place: place.clone(), what: format!("{what} has a NUL in it") })
    };
    if has_nul(&stdio.command) {
        return nul(&written.command.place, "`command`".to_owned());
    }
    if stdio.args.iter().any(|arg| has_nul(arg)) {
        return nul(place, "an item of `args`".to_owned());
    }
    if let Some((name, _)) = stdio.env.iter().find(|(_, value)| has_nul(value)) {
        return nul(place, format!("the value of `{}` in `env`", name.display()));
    }
    match (&stdio.cwd, &written.cwd) {
        (Some(cwd), Some(at)) if has_nul(cwd.as_os_str()) => nul(&at.place, "`cwd`".to_owned()),
        _ => Ok(stdio),
    }
}

/// Returns the remote server with variables expanded.
fn expanded(written: &RawRemote, expander: &mut Expander<'_>) -> RawRemote {
    let headers = written.headers.iter().map(|(name, value)| (name.clone(), at(value, expander))).collect();
    RawRemote {
        url: at(&written.url, expander),
        headers,
        // A shell runs it, and expands variables itself.
        headers_helper: written.headers_helper.clone(),
        oauth: written.oauth.as_ref().map(|oauth| RawOAuth {
            client_id: oauth.client_id.as_ref().map(|id| expander.text(id)),
            client_secret: oauth.client_secret.as_ref().map(|secret| expander.text(secret)),
            client_metadata_url: oauth.client_metadata_url.as_ref().map(|url| at(url, expander)),
            callback_port: oauth.callback_port,
            scopes: oauth.scopes.clone(),
            metadata_url: oauth.metadata_url.as_ref().map(|url| at(url, expander)),
            grant: oauth.grant.expanded(expander),
        }),
        tls: written.tls.as_ref().map(|tls| RawTls {
            ca: tls.ca.as_ref().map(|path| expander.text(path)),
            cert: tls.cert.as_ref().map(|path| expander.text(path)),
            key: tls.key.as_ref().map(|path| expander.text(path)),
        }),
    }
}

fn remote(
    written: RawRemote,
    kind: Kind,
    warnings: &mut Vec<ServerWarning>,
) -> Result<Remote, ServerConfigError> {
    let RawRemote { url: at, headers, headers_helper, oauth, tls } = written;
    let url = address(&at, kind, warnings)?;
    let headers = headers::check(headers, warnings)?;
    let [secure, plain] = kind.schemes();
    if url.scheme() == plain {
        let is_credential = |(name, _): &(String, _)| name.eq_ignore_ascii_case("authorization");
        if oauth.is_some() || headers_helper.is_some() || headers.iter().any(is_credential) {
            unencrypted(&url, &at.place, secure, warnings);
        }
        if tls.is_some() {
            warnings.push(ServerWarning::TlsUnused { place: at.place, secure });
        }
    }
    let oauth = oauth.map(self::oauth).transpose()?;
    let path = |path: Option<String>| path.map(PathBuf::from);
    let tls = tls.map(|RawTls { ca, cert, key }| Tls { ca: path(ca), cert: path(cert), key: path(key) });
    Ok(Remote { headers, headers_helper, oauth, tls, ..Remote::new(url) })
}

fn oauth(written: RawOAuth) -> Result<OAuth, ServerConfigError> {
    let RawOAuth { client_id, client_secret, client_metadata_url, callback_port, .. } = written;
    let RawOAuth { scopes, metadata_url, grant, .. } = written;
    let is_there = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
    let grant =
        grant.resolve(&ClientMembers { id: is_there(&client_id), secret: is_there(&client_secret) })?;
    let text = client_metadata_url.as_ref().map(|at| at.value.clone());
    // Parsed only as a check; the text as written is the client's id.
    client_metadata_url.map(|at| metadata(&at, "clientMetadataUrl")).transpose()?;
    Ok(OAuth {
        client_id,
        client_secret: client_secret.map(Into::into),
        client_metadata_url: text,
        callback_port,
        scopes,
        auth_server_metadata_url: metadata_url
            .map(|at| metadata(&at, "authServerMetadataUrl"))
            .transpose()?,
        grant,
    })
}

/// Parses an address that decides the destination of credentials: encrypted, or on this machine.
pub(super) fn metadata(at: &At<String>, key: &'static str) -> Result<Url, ServerConfigError> {
    let wrong = |why| ServerConfigError::Url { place: at.place.clone(), key, why };
    let Address { url, had_fragment } = address::read(&at.value, ["https", "http"]).map_err(wrong)?;
    if had_fragment {
        return Err(wrong("has a `#` in it: write it without".to_owned()));
    }
    if url.scheme() == "https" || address::is_loopback(&url) {
        Ok(url)
    } else {
        Err(wrong("is not encrypted: use `https`".to_owned()))
    }
}

fn ide(written: RawIde, kind: Kind, warnings: &mut Vec<ServerWarning>) -> Result<Ide, ServerConfigError> {
    let RawIde { url: at, name: ide_name, token } = written;
    let url = address(&at, kind, warnings)?;
    let [secure, plain] = kind.schemes();
    if url.scheme() == plain && token.is_some() {
        unencrypted(&url, &at.place, secure, warnings);
    }
    if let Some(At { value, place }) = &token
        && value.chars().any(char::is_control)
    {
        let (place, what) = (place.clone(), "`authToken` has a control character in it".to_owned());
        return Err(ServerConfigError::WrongValue { place, what });
    }
    Ok(Ide { url, ide_name, auth_token: token.map(|token| token.value.into()) })
}

/// Checks an id that becomes one segment of an address.
fn proxy_id(id: At<String>) -> Result<String, ServerConfigError> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
    let At { value, place } = id;
    if value.chars().all(is_fine) && value.chars().any(|c| c != '.') {
        return Ok(value);
    }
    let what = "`id` has other characters than letters, digits and `-._~`, or nothing but dots".to_owned();
    Err(ServerConfigError::WrongValue { place, what })
}

fn address(at: &At<String>, kind: Kind, warnings: &mut Vec<ServerWarning>) -> Result<Url, ServerConfigError> {
    let wrong = |why| ServerConfigError::Url { place: at.place.clone(), key: "url", why };
    let Address { url, had_fragment } = address::read(&at.value, kind.schemes()).map_err(wrong)?;
    if had_fragment {
        warnings.push(ServerWarning::Fragment { place: at.place.clone() });
    }
    Ok(url)
}

fn unencrypted(url: &Url, place: &Place, secure: &'static str, warnings: &mut Vec<ServerWarning>) {
    if !address::is_loopback(url) {
        let host = url.host_str().unwrap_or_default().to_owned();
        warnings.push(ServerWarning::Unencrypted { place: place.clone(), host, secure });
    }
}
