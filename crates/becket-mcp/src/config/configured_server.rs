//! A configured server: its entry, its origin, and its status.

use std::ffi::OsString;
use std::path::Path;

use super::error::{ConfigError, ServerConfigError};
use super::file_directory::FileDirectory;
use super::fingerprint::Fingerprint;
use super::layer::{Entry, read_file};
use super::name::ServerName;
use super::place::Place;
use super::scope::Scope;
use super::server::ServerConfig;
use super::status::{DisabledReason, Status};
use super::warning::ServerWarning;

/// A configured server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfiguredServer {
    /// The name of the server.
    pub name: ServerName,
    /// The origin of the entry.
    pub scope: Scope,
    /// The position of the entry; `None` for a server without a file.
    pub place: Option<Place>,
    /// The resolved configuration, or the error in it.
    pub config: Result<ServerConfig, ServerConfigError>,
    /// The status: allowed or disabled.
    pub status: Status,
    /// Warnings about the entry.
    pub warnings: Vec<ServerWarning>,
    /// The fingerprint of the entry; `None` for a server without a file.
    pub fingerprint: Option<Fingerprint>,
}

impl ConfiguredServer {
    /// Creates a server of the host's own program. No policy applies to it.
    #[must_use]
    pub fn of_host(name: impl Into<ServerName>, config: ServerConfig) -> Self {
        Self {
            name: name.into(),
            scope: Scope::Host,
            place: None,
            config: Ok(config),
            status: Status::Allowed,
            warnings: Vec::new(),
            fingerprint: None,
        }
    }

    /// Resolves an entry. Only its own content can disable it.
    pub(super) fn of_entry(entry: Entry, scope: &Scope, variables: &[(OsString, OsString)]) -> Self {
        let Entry { name, place, disabled, fingerprint, written } = entry;
        let mut warnings = Vec::new();
        let config = written.and_then(|written| {
            written.resolve(variables, &scope.variables(), scope.options(), &mut warnings)
        });
        Self {
            name,
            scope: scope.clone(),
            place: Some(place),
            config,
            status: if disabled { Status::Disabled(DisabledReason::ByEntry) } else { Status::Allowed },
            warnings,
            fingerprint: Some(fingerprint),
        }
    }

    /// Places the server in the directory of its file.
    pub(super) fn place_in(&mut self, directory: &FileDirectory) {
        if let Ok(config) = &mut self.config {
            directory.apply(&mut config.transport);
        }
        self.fingerprint = self.fingerprint.as_ref().map(|entry| directory.fingerprint(entry));
    }
}

/// Reads the servers of a text like `.mcp.json`, in its order, for a host that has only this text: no policy applies.
/// [`resolve`](super::resolve) is for hosts with more sources.
///
/// `file` is for the messages; nothing is opened. `variables` expand `${VAR}` and `${VAR:-default}`.
///
/// # Errors
/// Errors as [`read_file`] does.
///
/// ```
/// use becket_mcp::config::{self, Transport};
///
/// let text = r#"{"mcpServers": {
///   "time": {"command": "${BIN}/mcp-server-time"},
///   "far": {"url": "https://example.org/mcp"}
/// }}"#;
/// let servers = config::read(text, ".mcp.json".as_ref(), &[("BIN".into(), "/opt/bin".into())])?;
/// let Transport::Stdio(time) = &servers[0].config.as_ref().unwrap().transport else { panic!() };
/// assert_eq!(time.command, "/opt/bin/mcp-server-time");
/// let why = servers[1].config.as_ref().unwrap_err().to_string();
/// assert!(why.starts_with(".mcp.json:3:10: there is a `url` and no `type`: write `\"type\": \"http\"` beside it"));
/// # Ok::<(), config::ConfigError>(())
/// ```
pub fn read(
    text: &str,
    file: &Path,
    variables: &[(OsString, OsString)],
) -> Result<Vec<ConfiguredServer>, ConfigError> {
    let layer = read_file(text, file, Scope::CommandLine)?;
    let configured = layer.entries.into_iter();
    Ok(configured.map(|entry| ConfiguredServer::of_entry(entry, &layer.scope, variables)).collect())
}
