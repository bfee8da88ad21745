//! The types of servers by name, and the members of each type.

use crate::config::error::ServerConfigError;
use crate::config::members::Members;
use crate::config::warning::ServerWarning;
use becket_base::suggest;

/// A type of server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Stdio,
    Http,
    Sse,
    WebSocket,
    SseIde,
    WsIde,
    Proxy,
    InProcess,
}

/// Every value of `type`; if two name one type, messages use the first one.
const KINDS: [(&str, Kind); 10] = [
    ("stdio", Kind::Stdio),
    ("http", Kind::Http),
    ("streamable-http", Kind::Http),
    ("sse", Kind::Sse),
    ("ws", Kind::WebSocket),
    ("sse-ide", Kind::SseIde),
    ("ws-ide", Kind::WsIde),
    ("proxy", Kind::Proxy),
    ("claudeai-proxy", Kind::Proxy),
    ("sdk", Kind::InProcess),
];

/// Members that every type has.
const COMMON: [&str; 3] = ["type", "timeout", "disabled"];
const STDIO: [&str; 4] = ["command", "args", "env", "cwd"];
const REMOTE: [&str; 5] = ["url", "headers", "headersHelper", "oauth", "tls"];
const IDE: [&str; 3] = ["url", "ideName", "authToken"];
const PROXY: [&str; 2] = ["url", "id"];
/// The name of the in-process server in the host; the name of the entry is the one that counts.
const IN_PROCESS: [&str; 1] = ["name"];

impl Kind {
    pub(super) fn name(self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    fn keys(self) -> &'static [&'static str] {
        match self {
            Kind::Stdio => &STDIO,
            Kind::Http | Kind::Sse | Kind::WebSocket => &REMOTE,
            Kind::SseIde | Kind::WsIde => &IDE,
            Kind::Proxy => &PROXY,
            Kind::InProcess => &IN_PROCESS,
        }
    }

    /// Returns the schemes of its address, the encrypted one first.
    pub(super) fn schemes(self) -> [&'static str; 2] {
        match self {
            Kind::WebSocket | Kind::WsIde => ["wss", "ws"],
            Kind::Stdio | Kind::Http | Kind::Sse | Kind::SseIde | Kind::Proxy | Kind::InProcess => {
                ["https", "http"]
            }
        }
    }

    /// Returns the type of an entry: the value of `type`, else a process if there is a `command`.
    pub(super) fn of(members: &Members<'_, '_>) -> Result<Self, ServerConfigError> {
        let place = || members.start.clone();
        if let Some(written) = members.string("type")? {
            let known = KINDS.iter().find(|(name, _)| *name == written.value);
            return known.map(|(_, kind)| *kind).ok_or_else(|| unknown(written.value, written.place));
        }
        match (members.get("command").is_some(), members.string("url")?) {
            (true, None) => Ok(Kind::Stdio),
            (true, Some(_)) => Err(ServerConfigError::TypeUnclear { place: place() }),
            (false, Some(url)) => {
                let likely = if url.value.starts_with("ws") { "ws" } else { "http" };
                Err(ServerConfigError::TypeMissing { place: place(), likely })
            }
            (false, None) => {
                let meant = suggest("command", &members.keys()).map(str::to_owned);
                Err(ServerConfigError::NoCommand { place: place(), meant })
            }
        }
    }

    /// Returns the members that this type does not have.
    pub(super) fn warnings(self, members: &Members<'_, '_>) -> Vec<ServerWarning> {
        let own = [self.keys(), &COMMON].concat();
        let odd = members.pairs.iter().filter(|(key, _)| !own.contains(&key.as_str()));
        odd.map(|(key, value)| {
            let (key, place) = (key.clone(), members.text.start_of(value.get()));
            if KINDS.iter().any(|(_, kind)| kind.keys().contains(&key.as_str())) {
                ServerWarning::KeyUnused { place, key, kind: self.name() }
            } else {
                let meant = suggest(&key, &own).map(str::to_owned);
                ServerWarning::KeyUnknown { place, key, meant }
            }
        })
        .collect()
    }
}

fn unknown(kind: String, place: crate::config::Place) -> ServerConfigError {
    let names = KINDS.map(|(name, _)| name);
    let known = names.map(|name| format!("`{name}`")).join(", ");
    let meant = suggest(&kind, &names).map(str::to_owned);
    ServerConfigError::TypeUnknown { place, kind, meant, known }
}

/// Returns unknown members within `oauth` and `tls`.
pub(super) fn unknown_within(members: &Members<'_, '_>, known: &[&'static str]) -> Vec<ServerWarning> {
    let odd = members.pairs.iter().filter(|(key, _)| !known.contains(&key.as_str()));
    odd.map(|(key, value)| ServerWarning::KeyUnknown {
        place: members.text.start_of(value.get()),
        key: key.clone(),
        meant: suggest(key, known).map(str::to_owned),
    })
    .collect()
}
