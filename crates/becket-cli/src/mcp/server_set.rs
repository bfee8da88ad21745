//! All servers of a configuration, and whether each may be used.

use super::files::{self, CommandLineServers};
use crate::args::McpServersArgs;
use crate::error::CliError;
use crate::session::Session;
use becket_base::text_file::read_if_there;
use becket_engine::config::trust;
use becket_mcp::config::{Approvals, ConfigError, ConfiguredServer, Gates, ResolvedServers, resolve};
use becket_mcp::{Names, Prompt, Tool};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Becket's directory, below the user's directory.
const OWN: &str = "becket";
/// Approvals by content.
const APPROVALS: &str = "mcp-approvals.json";

/// The servers of a configuration.
#[derive(Debug)]
pub(crate) struct ServerSet {
    /// The effective server of each name, and the others.
    pub(crate) resolved: ResolvedServers,
    /// The files that can't be read.
    pub(crate) problems: Vec<ConfigError>,
    /// The project's name in approvals.
    pub(crate) project: String,
    /// The directory of Becket's own files of this user; `None` without a home.
    pub(crate) own: Option<PathBuf>,
}

impl ServerSet {
    /// Reads all files that name servers. Running a command in a workspace implies trust in it, but not in each of its
    /// servers.
    ///
    /// # Errors
    /// Errors if a file that may deny something can't be read.
    pub(crate) fn new(session: &Session, args: &McpServersArgs) -> Result<Self, CliError> {
        let is_trusted = args.trust_project || trust::is_recorded(&session.request());
        let session = &session.clone().trusting(is_trusted);
        let request = session.request();
        let project = trust::project_root(&request).to_string_lossy().into_owned();
        let named = CommandLineServers {
            files: &args.mcp_config,
            alone: args.strict_mcp_config,
            approved: args.approve_all,
        };
        let found = files::read_all(session, named, &project)?;
        let own = request.user_directory().map(|directory| directory.join(OWN));
        let approvals = match &own {
            Some(own) => approvals(&own.join(APPROVALS))?,
            None => Approvals::default(),
        };
        let files::Files { settings, exclusive } = found;
        let gates = Gates {
            policy: &settings.policy,
            choices: &settings.choices,
            approvals: &approvals,
            project: &project,
            workspace_trusted: true,
            exclusive,
        };
        let variables: Vec<(OsString, OsString)> = variables(session);
        let resolved = resolve(settings.layers, &variables, &gates);
        Ok(ServerSet { resolved, problems: settings.problems, project, own })
    }

    /// The same with this one server.
    pub(crate) fn alone(&self, server: &ConfiguredServer) -> Self {
        ServerSet {
            resolved: ResolvedServers { servers: vec![server.clone()], others: Vec::new() },
            problems: Vec::new(),
            project: self.project.clone(),
            own: self.own.clone(),
        }
    }

    /// Returns the names of a server's tools in a session with all the others, whose names influence them.
    pub(crate) fn names(&self, server: &str, tools: &[Tool]) -> Names {
        let own = |name: &str| if name == server { tools } else { &[] };
        let all = self.server_names();
        Names::of_tools(all.iter().map(|name| (name.as_str(), own(name))))
    }

    /// Returns the servers whose names begin alike: a tool of one may have the name that a tool of another would have.
    pub(crate) fn alike(&self, server: &str) -> Vec<String> {
        let names = self.names(server, &[]);
        let own = names.prefix(server).unwrap_or_default();
        let is_alike = |other: &String| {
            let prefix = names.prefix(other).unwrap_or_default();
            other != server && (prefix.starts_with(own) || own.starts_with(prefix))
        };
        self.server_names().into_iter().filter(is_alike).collect()
    }

    /// Returns the names of its prompts in such a session.
    pub(crate) fn prompt_names(&self, server: &str, prompts: &[Prompt]) -> Names {
        let own = |name: &str| if name == server { prompts } else { &[] };
        let all = self.server_names();
        Names::of_prompts(all.iter().map(|name| (name.as_str(), own(name))))
    }

    fn server_names(&self) -> Vec<String> {
        self.resolved.servers.iter().map(|server| server.name.to_string()).collect()
    }

    /// Returns the file of approvals.
    ///
    /// # Errors
    /// Errors if there is no home directory to store it in.
    pub(crate) fn approvals_file(&self) -> Result<PathBuf, CliError> {
        self.own.as_ref().map(|own| own.join(APPROVALS)).ok_or(CliError::NoSessionDirectory)
    }
}

/// The variables of the session.
pub(crate) fn variables(session: &Session) -> Vec<(OsString, OsString)> {
    session.environment().vars().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Returns the existing approvals.
///
/// # Errors
/// Errors if the file exists and can't be read.
pub(crate) fn approvals(file: &Path) -> Result<Approvals, CliError> {
    let Some(text) = read_if_there(file)? else { return Ok(Approvals::default()) };
    Approvals::parse(&text).map_err(|error| CliError::unread(file.to_owned(), &error))
}
