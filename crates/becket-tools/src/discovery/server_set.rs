//! All servers of a configuration, with the decision whether each may be used.

use super::error::DiscoveryError;
use super::files::{self, NamedServers};
use becket_base::text_file::{Unread, read_if_there};
use becket_engine::config::{Request, trust};
use becket_mcp::config::{
    Approvals, ConfigError, ConfiguredServer, Gates, ResolvedServers, Scope, read_file, resolve,
};
use becket_mcp::{Names, Prompt, Tool};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The name of Becket's directory, below the user's directory.
const OWN: &str = "becket";
/// The name of the file of approvals by content.
const APPROVALS: &str = "mcp-approvals.json";

/// The servers of a configuration.
#[derive(Debug)]
pub struct ServerSet {
    /// The effective server of each name, and the others.
    pub resolved: ResolvedServers,
    /// The errors of files that can't be parsed.
    pub problems: Vec<ConfigError>,
    /// The key of the project in approvals.
    pub project: String,
    /// The directory of Becket's own files of this user; `None` without a home directory.
    pub own: Option<PathBuf>,
}

impl ServerSet {
    /// Reads all files that name servers. The request decides about trust in the folder; the workspace itself counts
    /// as trusted, since a session that works in it implies that, but none of its servers does.
    ///
    /// # Errors
    /// Errors if a file that may deny something can't be read.
    pub fn find(request: &Request, named: &NamedServers) -> Result<Self, DiscoveryError> {
        let project = trust::project_root(request).to_string_lossy().into_owned();
        let files = files::read_all(request, named, &project)?;
        Self::of_files(request, files, project)
    }

    /// Judges servers that are described elsewhere as those of the files are judged, and returns only them. `text` has
    /// the format of a file of servers, and `file` is used in messages.
    ///
    /// # Errors
    /// Errors if a file that may deny something can't be read, or the text can't be parsed.
    pub fn described(
        request: &Request,
        text: &str,
        file: &Path,
        scope: Scope,
    ) -> Result<Self, DiscoveryError> {
        let project = trust::project_root(request).to_string_lossy().into_owned();
        let mut files = files::read_all(request, &NamedServers::default(), &project)?;
        files.settings.layers = vec![files::in_its_directory(read_file(text, file, scope)?, file, request)];
        Self::of_files(request, files, project)
    }

    fn of_files(request: &Request, files: files::Files, project: String) -> Result<Self, DiscoveryError> {
        let files::Files { settings, exclusive } = files;
        let own = request.user_directory().map(|directory| directory.join(OWN));
        let approvals = match &own {
            Some(own) => read_approvals(&own.join(APPROVALS))?,
            None => Approvals::default(),
        };
        let gates = Gates {
            policy: &settings.policy,
            choices: &settings.choices,
            approvals: &approvals,
            project: &project,
            workspace_trusted: true,
            exclusive,
        };
        let variables = request.environment.vars();
        let variables: Vec<(OsString, OsString)> =
            variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let resolved = resolve(settings.layers, &variables, &gates);
        Ok(ServerSet { resolved, problems: settings.problems, project, own })
    }

    /// Returns the set with only this server.
    #[must_use]
    pub fn alone(&self, server: &ConfiguredServer) -> Self {
        ServerSet {
            resolved: ResolvedServers { servers: vec![server.clone()], others: Vec::new() },
            problems: Vec::new(),
            project: self.project.clone(),
            own: self.own.clone(),
        }
    }

    /// Returns the names of a server's tools in a session with all the others, whose names influence them.
    #[must_use]
    pub fn names(&self, server: &str, tools: &[Tool]) -> Names {
        let own = |name: &str| if name == server { tools } else { &[] };
        let all = self.server_names();
        Names::of_tools(all.iter().map(|name| (name.as_str(), own(name))))
    }

    /// Returns the servers with a similar prefix: a tool of one may have the name that a tool of another would have.
    pub(super) fn alike(&self, server: &str) -> Vec<String> {
        let names = self.names(server, &[]);
        let own = names.prefix(server).unwrap_or_default();
        let is_alike = |other: &String| {
            let prefix = names.prefix(other).unwrap_or_default();
            other != server && (prefix.starts_with(own) || own.starts_with(prefix))
        };
        self.server_names().into_iter().filter(is_alike).collect()
    }

    /// Returns the names of the server's prompts in such a session.
    #[must_use]
    pub fn prompt_names(&self, server: &str, prompts: &[Prompt]) -> Names {
        let own = |name: &str| if name == server { prompts } else { &[] };
        let all = self.server_names();
        Names::of_prompts(all.iter().map(|name| (name.as_str(), own(name))))
    }

    fn server_names(&self) -> Vec<String> {
        self.resolved.servers.iter().map(|server| server.name.to_string()).collect()
    }

    /// Returns the file of approvals; `None` without a home directory.
    #[must_use]
    pub fn approvals_file(&self) -> Option<PathBuf> {
        self.own.as_ref().map(|own| own.join(APPROVALS))
    }
}

/// Reads the existing approvals.
///
/// # Errors
/// Errors if the file exists and can't be read.
fn read_approvals(file: &Path) -> Result<Approvals, Unread> {
    let Some(text) = read_if_there(file)? else { return Ok(Approvals::default()) };
    let refused = |why: String| Unread::Refused { path: file.to_owned(), why };
    Approvals::parse(&text).map_err(|error| refused(error.to_string()))
}
