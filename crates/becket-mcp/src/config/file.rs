//! The whole text: which servers it names, each with what it says or what is wrong with it.

use std::ffi::OsString;
use std::path::Path;

use serde_json::value::RawValue;

use super::entry::{self, ServerConfig};
use super::error::{ConfigError, ServerConfigError};
use super::pairs::Pairs;
use super::place::{Place, Text, words};
use crate::suggest::suggest;

const KEY: &str = "mcpServers";

/// A server that a file names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configured {
    /// Its name, as `mcp_tool` handlers use it.
    pub name: String,
    /// What to start, or why nothing can be.
    pub config: Result<ServerConfig, ServerConfigError>,
}

/// Reads the servers of a `.mcp.json`, in the order of the text. Keys beside `mcpServers` are not looked at.
///
/// `file` is for the messages; nothing is opened. `variables` fill `${VAR}` and `${VAR:-default}` in `command`, `args`,
/// the values of `env`, and `cwd`.
///
/// # Errors
/// The text is no JSON or has no `mcpServers`. What is wrong with a single server is in its [`Configured::config`].
///
/// ```
/// use becket_mcp::config;
///
/// let text = r#"{"mcpServers": {
///   "time": {"command": "${BIN}/mcp-server-time"},
///   "far": {"type": "http", "url": "https://example.org/mcp"}
/// }}"#;
/// let servers = config::read(text, ".mcp.json".as_ref(), &[("BIN".into(), "/opt/bin".into())])?;
/// assert_eq!(servers[0].config.as_ref().unwrap().command, "/opt/bin/mcp-server-time");
/// let why = servers[1].config.as_ref().unwrap_err().to_string();
/// assert_eq!(why, ".mcp.json:3:10: a server of type `http`: this version connects stdio servers only");
/// # Ok::<(), config::ConfigError>(())
/// ```
pub fn read(
    text: &str,
    file: &Path,
    variables: &[(OsString, OsString)],
) -> Result<Vec<Configured>, ConfigError> {
    let text = Text { text: text.strip_prefix('\u{feff}').unwrap_or(text), file };
    let root: Pairs<'_> = decode(&text, text.text)?;
    let entries: Pairs<'_> = decode(&text, servers(&text, &root)?.get())?;
    let mut servers: Vec<(Place, Configured)> = Vec::with_capacity(entries.0.len());
    for (name, value) in entries.0 {
        let place = text.start_of(value.get());
        match servers.iter_mut().find(|(_, known)| known.name == name) {
            Some((first, known)) => {
                known.config = Err(ServerConfigError::NameTwice { place, first: first.line });
            }
            None => {
                let config = entry::read(&text, value, variables);
                servers.push((place, Configured { name, config }));
            }
        }
    }
    Ok(servers.into_iter().map(|(_, configured)| configured).collect())
}

fn servers<'a>(text: &Text<'_>, root: &Pairs<'a>) -> Result<&'a RawValue, ConfigError> {
    let mut found = root.0.iter().filter(|(key, _)| key == KEY).map(|(_, value)| *value);
    match (found.next(), found.next()) {
        (Some(servers), None) => Ok(servers),
        (Some(_), Some(second)) => Err(ConfigError::Twice { place: text.start_of(second.get()) }),
        (None, _) => {
            let keys: Vec<&str> = root.0.iter().map(|(key, _)| key.as_str()).collect();
            let meant = suggest(KEY, &keys).map(str::to_owned);
            Err(ConfigError::NoServers { place: text.start_of(text.text.trim_start()), meant })
        }
    }
}

fn decode<'a>(text: &Text<'_>, part: &'a str) -> Result<Pairs<'a>, ConfigError> {
    serde_json::from_str(part)
        .map_err(|error| ConfigError::NotRead { place: text.place_of(part, &error), what: words(&error) })
}
