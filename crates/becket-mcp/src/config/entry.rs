//! One server's entry: from raw values to what can be started.
//!
//! Keys that are not known stay unread: other readers of the same file have theirs.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::error::ServerConfigError;
use super::expand::Expander;
use super::pairs::Pairs;
use super::place::{Text, words};
use crate::suggest::suggest;

/// A server that is run as a process and spoken to over its stdin and stdout (`protocol.md` X1, X7).
#[derive(Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// The program: a path, or a name that is looked up on the `PATH` of the environment.
    pub command: OsString,
    /// The arguments after the program's own name.
    pub args: Vec<OsString>,
    /// Variables on top of the environment that every server gets; of two of one name, these count.
    pub env: Vec<(OsString, OsString)>,
    /// The directory it starts in, from that of the options; `None`: that one.
    pub cwd: Option<PathBuf>,
    /// The longest a call may take, whatever its caller allows; written in milliseconds.
    pub timeout: Option<Duration>,
}

/// The program and names of variables only: arguments and values may hold secrets.
impl fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("ServerConfig")
            .field("command", &self.command)
            .field("args", &self.args.len())
            .field("env", &names)
            .field("cwd", &self.cwd)
            .field("timeout", &self.timeout)
            .finish()
    }
}

/// The members of an entry that mean something here, as they were written.
#[derive(Default)]
struct Raw {
    transport: Option<String>,
    url: bool,
    command: Option<String>,
    args: Vec<String>,
    env: Vec<(String, String)>,
    cwd: Option<String>,
    timeout: Option<u64>,
}

/// Reads one entry.
pub(super) fn read(
    text: &Text<'_>,
    entry: &RawValue,
    variables: &[(OsString, OsString)],
) -> Result<ServerConfig, ServerConfigError> {
    let members: Pairs<'_> = decode(text, entry)?;
    let raw = raw(text, &members)?;
    let place = || text.start_of(entry.get());
    if let Some(transport) = other_transport(&raw) {
        return Err(ServerConfigError::NotStdio { place: place(), transport: transport.to_owned() });
    }
    let Some(command) = raw.command.as_deref().filter(|command| !command.is_empty()) else {
        let keys: Vec<&str> = members.0.iter().map(|(key, _)| key.as_str()).collect();
        let meant = suggest("command", &keys).map(str::to_owned);
        return Err(ServerConfigError::NoCommand { place: place(), meant });
    };
    let mut expander = Expander::new(variables);
    let config = expanded(command, &raw, &mut expander);
    if let Some(unclear) = expander.unclear.into_iter().next() {
        return Err(ServerConfigError::VariableUnclear { place: place(), text: unclear });
    }
    if !expander.missing.is_empty() {
        let names = expander.missing.into_iter().collect();
        return Err(ServerConfigError::VariableMissing { place: place(), names });
    }
    if config.command.is_empty() {
        return Err(ServerConfigError::NoCommand { place: place(), meant: None });
    }
    Ok(config)
}

/// How the server is reached, where that is not over stdio.
fn other_transport(raw: &Raw) -> Option<&str> {
    match raw.transport.as_deref() {
        Some("stdio") => None,
        Some(other) => Some(other),
        // An address without a type is one of the types that have an address.
        None if raw.url && raw.command.is_none() => Some("url"),
        None => None,
    }
}

fn expanded(command: &str, raw: &Raw, expander: &mut Expander<'_>) -> ServerConfig {
    ServerConfig {
        command: expander.expand(command),
        args: raw.args.iter().map(|arg| expander.expand(arg)).collect(),
        env: raw.env.iter().map(|(name, value)| (name.into(), expander.expand(value))).collect(),
        cwd: raw.cwd.as_deref().map(|cwd| PathBuf::from(expander.expand(cwd))),
        timeout: raw.timeout.map(Duration::from_millis),
    }
}

fn raw(text: &Text<'_>, members: &Pairs<'_>) -> Result<Raw, ServerConfigError> {
    let mut raw = Raw::default();
    let mut seen: Vec<&str> = Vec::new();
    for (key, value) in &members.0 {
        if seen.contains(&key.as_str()) {
            return Err(ServerConfigError::KeyTwice { place: text.start_of(value.get()), key: key.clone() });
        }
        seen.push(key);
        match key.as_str() {
            "type" => raw.transport = decode(text, value)?,
            "url" => raw.url = true,
            "command" => raw.command = decode(text, value)?,
            "args" => raw.args = decode(text, value)?,
            "env" => raw.env = env(text, value)?,
            "cwd" => raw.cwd = decode(text, value)?,
            "timeout" => raw.timeout = timeout(text, value)?,
            _ => {}
        }
    }
    Ok(raw)
}

fn timeout(text: &Text<'_>, value: &RawValue) -> Result<Option<u64>, ServerConfigError> {
    let place = || text.start_of(value.get());
    match serde_json::from_str(value.get()) {
        Ok(Some(0)) => Err(ServerConfigError::NoTime { place: place() }),
        Ok(milliseconds) => Ok(milliseconds),
        Err(_) => {
            let what = format!("a `timeout` of `{}` is no whole number of milliseconds", value.get());
            Err(ServerConfigError::WrongValue { place: place(), what })
        }
    }
}

fn env(text: &Text<'_>, value: &RawValue) -> Result<Vec<(String, String)>, ServerConfigError> {
    let members: Pairs<'_> = decode(text, value)?;
    let mut env: Vec<(String, String)> = Vec::with_capacity(members.0.len());
    for (name, value) in members.0 {
        let place = || text.start_of(value.get());
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(ServerConfigError::VariableName { place: place(), name });
        }
        if env.iter().any(|(known, _)| *known == name) {
            return Err(ServerConfigError::KeyTwice { place: place(), key: name });
        }
        let value = decode(text, value)?;
        env.push((name, value));
    }
    Ok(env)
}

fn decode<'a, T: Deserialize<'a>>(text: &Text<'_>, value: &'a RawValue) -> Result<T, ServerConfigError> {
    serde_json::from_str(value.get()).map_err(|error| ServerConfigError::WrongValue {
        place: text.place_of(value.get(), &error),
        what: words(&error),
    })
}
