//! An entry as written, before any variable is expanded.
//!
//! It has no `Debug`: any part of it may be secret.

use std::time::Duration;

use serde_json::value::RawValue;

use super::grant::RawGrant;
use super::keys::{Kind, unknown_within};
use crate::config::error::{ServerConfigError, cut};
use crate::config::members::{At, Members, decode};
use crate::config::place::{Place, Text};
use crate::config::server::{Ide, Remote, Transport};
use crate::config::warning::ServerWarning;
use becket_base::suggest;

/// The type of servers behind a proxy that requires the host's credentials.
const NEEDS_HOST: &str = "claudeai-proxy";

/// An entry as written.
#[derive(Clone)]
pub(in crate::config) struct RawEntry {
    /// The position of its object.
    pub(super) place: Place,
    pub(super) timeout: Option<Duration>,
    pub(super) way: RawTransport,
    pub(super) warnings: Vec<ServerWarning>,
}

/// The transport of an entry.
#[derive(Clone)]
pub(super) enum RawTransport {
    Stdio(RawStdio),
    Remote(Kind, fn(Remote) -> Transport, Box<RawRemote>),
    Ide(Kind, fn(Ide) -> Transport, RawIde),
    Proxy { url: At<String>, id: At<String>, needs_host: bool },
    InProcess,
}

#[derive(Clone)]
pub(super) struct RawStdio {
    pub(super) command: At<String>,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, At<String>)>,
    pub(super) cwd: Option<At<String>>,
}

#[derive(Clone)]
pub(super) struct RawRemote {
    pub(super) url: At<String>,
    pub(super) headers: Vec<(String, At<String>)>,
    pub(super) headers_helper: Option<String>,
    pub(super) oauth: Option<RawOAuth>,
    pub(super) tls: Option<RawTls>,
}

#[derive(Clone)]
pub(super) struct RawIde {
    pub(super) url: At<String>,
    pub(super) name: Option<String>,
    pub(super) token: Option<At<String>>,
}

#[derive(Clone)]
pub(super) struct RawOAuth {
    pub(super) client_id: Option<String>,
    pub(super) client_secret: Option<String>,
    pub(super) client_metadata_url: Option<At<String>>,
    pub(super) callback_port: Option<u16>,
    pub(super) scopes: Vec<String>,
    pub(super) metadata_url: Option<At<String>>,
    pub(super) grant: RawGrant,
}

#[derive(Clone)]
pub(super) struct RawTls {
    pub(super) ca: Option<String>,
    pub(super) cert: Option<String>,
    pub(super) key: Option<String>,
}

const OAUTH: [&str; 10] = [
    "grant",
    "clientId",
    "clientSecret",
    "privateKey",
    "assertionFile",
    "identityProvider",
    "clientMetadataUrl",
    "callbackPort",
    "scopes",
    "authServerMetadataUrl",
];
const TLS: [&str; 3] = ["ca", "cert", "key"];

impl RawEntry {
    /// Reads the members of an entry.
    pub(in crate::config) fn read(members: &Members<'_, '_>) -> Result<Self, ServerConfigError> {
        let kind = Kind::of(members)?;
        let mut warnings = kind.warnings(members);
        let mut far =
            |into| Ok(RawTransport::Remote(kind, into, Box::new(remote(members, kind, &mut warnings)?)));
        let near = |into| Ok(RawTransport::Ide(kind, into, ide(members, kind)?));
        let way = match kind {
            Kind::Stdio => Ok(RawTransport::Stdio(stdio(members)?)),
            Kind::Http => far(Transport::Http),
            Kind::Sse => far(Transport::Sse),
            Kind::WebSocket => far(Transport::WebSocket),
            Kind::SseIde => near(Transport::SseIde),
            Kind::WsIde => near(Transport::WsIde),
            Kind::Proxy => Ok(RawTransport::Proxy {
                url: url(members, kind)?,
                id: needed(members.string("id")?, members, "id", kind)?,
                needs_host: members.string("type")?.is_some_and(|written| written.value == NEEDS_HOST),
            }),
            Kind::InProcess => Ok(RawTransport::InProcess),
        }?;
        Ok(Self { place: members.start.clone(), timeout: timeout(members)?, way, warnings })
    }
}

fn stdio(members: &Members<'_, '_>) -> Result<RawStdio, ServerConfigError> {
    let command = members.string("command")?.filter(|command| !command.value.is_empty());
    let Some(command) = command else {
        let meant = suggest("command", &members.keys()).map(str::to_owned);
        return Err(ServerConfigError::NoCommand { place: members.start.clone(), meant });
    };
    let env = members.table("env")?;
    if let Some((name, value)) = env.iter().find(|(name, _)| name.is_empty() || name.contains(['=', '\0'])) {
        return Err(ServerConfigError::VariableName { place: value.place.clone(), name: name.clone() });
    }
    Ok(RawStdio { command, args: members.strings("args")?, env, cwd: members.string("cwd")? })
}

fn remote(
    members: &Members<'_, '_>,
    kind: Kind,
    warnings: &mut Vec<ServerWarning>,
) -> Result<RawRemote, ServerConfigError> {
    let text = members.text;
    Ok(RawRemote {
        url: url(members, kind)?,
        headers: members.table("headers")?,
        headers_helper: members.string("headersHelper")?.map(|helper| helper.value),
        oauth: members.get("oauth").map(|raw| oauth(text, raw, warnings)).transpose()?,
        tls: members.get("tls").map(|raw| tls(text, raw, warnings)).transpose()?,
    })
}

fn ide(members: &Members<'_, '_>, kind: Kind) -> Result<RawIde, ServerConfigError> {
    Ok(RawIde {
        url: url(members, kind)?,
        name: members.string("ideName")?.map(|name| name.value),
        token: members.string("authToken")?,
    })
}

fn oauth(
    text: &Text<'_>,
    raw: &RawValue,
    warnings: &mut Vec<ServerWarning>,
) -> Result<RawOAuth, ServerConfigError> {
    let members = Members::read(text, raw, "`oauth`")?;
    warnings.extend(unknown_within(&members, &OAUTH));
    let string = |key| Ok(members.string(key)?.map(|value| value.value));
    Ok(RawOAuth {
        client_id: string("clientId")?,
        client_secret: string("clientSecret")?,
        client_metadata_url: members.string("clientMetadataUrl")?,
        callback_port: members.get("callbackPort").map(|raw| port(text, raw)).transpose()?,
        scopes: scopes(&members)?,
        metadata_url: members.string("authServerMetadataUrl")?,
        grant: RawGrant::read(&members, warnings)?,
    })
}

/// Reads a list, or one string with items between blanks.
fn scopes(members: &Members<'_, '_>) -> Result<Vec<String>, ServerConfigError> {
    match members.get("scopes") {
        Some(raw) if raw.get().starts_with('"') => {
            let all = members.string("scopes")?.map(|all| all.value).unwrap_or_default();
            Ok(all.split_whitespace().map(str::to_owned).collect())
        }
        Some(_) | None => members.strings("scopes"),
    }
}

fn port(text: &Text<'_>, raw: &RawValue) -> Result<u16, ServerConfigError> {
    let wrong = || ServerConfigError::WrongValue {
        place: text.start_of(raw.get()),
        what: "`callbackPort` is not a number from 1 to 65535".to_owned(),
    };
    serde_json::from_str(raw.get()).ok().filter(|port| *port != 0).ok_or_else(wrong)
}

fn tls(
    text: &Text<'_>,
    raw: &RawValue,
    warnings: &mut Vec<ServerWarning>,
) -> Result<RawTls, ServerConfigError> {
    let members = Members::read(text, raw, "`tls`")?;
    warnings.extend(unknown_within(&members, &TLS));
    let path = |key| Ok(members.string(key)?.map(|path| path.value).filter(|path| !path.is_empty()));
    let tls = RawTls { ca: path("ca")?, cert: path("cert")?, key: path("key")? };
    if tls.key.is_some() && tls.cert.is_none() {
        return Err(ServerConfigError::KeyAlone { place: text.start_of(raw.get()) });
    }
    Ok(tls)
}

fn url(members: &Members<'_, '_>, kind: Kind) -> Result<At<String>, ServerConfigError> {
    needed(members.string("url")?, members, "url", kind)
}

fn needed(
    value: Option<At<String>>,
    members: &Members<'_, '_>,
    key: &'static str,
    kind: Kind,
) -> Result<At<String>, ServerConfigError> {
    value.filter(|value| !value.value.is_empty()).ok_or_else(|| {
        let keys = members.keys();
        // Other programs call it `serverUrl` or `httpUrl`.
        let alike =
            || keys.iter().copied().find(|known| *known != key && known.to_lowercase().ends_with(key));
        let meant = suggest(key, &keys).or_else(alike).map(str::to_owned);
        ServerConfigError::Missing { place: members.start.clone(), key, kind: kind.name(), meant }
    })
}

fn timeout(members: &Members<'_, '_>) -> Result<Option<Duration>, ServerConfigError> {
    let Some(raw) = members.get("timeout") else { return Ok(None) };
    let place = || members.text.start_of(raw.get());
    match decode(members.text, raw, "`timeout`", "a whole number of milliseconds") {
        Ok(0) => Err(ServerConfigError::NoTime { place: place() }),
        Ok(milliseconds) => Ok(Some(Duration::from_millis(milliseconds))),
        Err(error) if !raw.get().starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) => {
            Err(error)
        }
        Err(_) => {
            let what = format!("a `timeout` of `{}` is not a whole number of milliseconds", cut(raw.get()));
            Err(ServerConfigError::WrongValue { place: place(), what })
        }
    }
}
