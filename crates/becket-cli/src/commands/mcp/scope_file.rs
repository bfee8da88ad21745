//! The file that a scope's servers are written to.

use crate::args::McpScope;
use crate::error::CliError;
use crate::session::Session;
use becket_base::text_file::read_if_there;
use becket_engine::config::trust;
use becket_mcp::config::edit::Part;
use becket_tools::discovery::PROJECT_FILE;
use std::path::PathBuf;

/// The file in which a scope defines its servers.
#[derive(Debug)]
pub(super) struct ScopeFile {
    /// The file, which may not exist.
    pub(super) file: PathBuf,
    /// The key of the project, for the user's servers in one project.
    project: Option<String>,
    scope: McpScope,
}

/// Returns the file of a scope. A profile without a separate file of the user stores servers in its settings.
///
/// # Errors
/// Errors if there is no home directory.
pub(super) fn scope_file(scope: McpScope, session: &Session) -> Result<ScopeFile, CliError> {
    let request = session.request();
    let project = trust::project_root(&request);
    let own = trust::user_file(&request);
    let key = || Some(project.to_string_lossy().into_owned());
    let (file, project) = match (scope, own) {
        (McpScope::Project, _) => (project.join(PROJECT_FILE), None),
        (McpScope::User, Some(file)) => (file, None),
        (McpScope::Local, Some(file)) => (file, key()),
        (McpScope::User, None) => {
            (request.user_directory().ok_or(CliError::NoSessionDirectory)?.join("settings.json"), None)
        }
        (McpScope::Local, None) => {
            (project.join(&*request.profile.directory).join("settings.local.json"), None)
        }
    };
    Ok(ScopeFile { file, project, scope })
}

impl ScopeFile {
    /// Returns the text of the file; `None` if it does not exist.
    ///
    /// # Errors
    /// Errors if the file can't be read.
    pub(super) fn text(&self) -> Result<Option<String>, CliError> {
        Ok(read_if_there(&self.file)?)
    }

    /// Returns the part of the file that contains the servers.
    pub(super) fn part(&self) -> Part<'_> {
        self.project.as_deref().map_or(Part::Whole, Part::Project)
    }

    /// Returns true if a new file of this kind must be readable by its owner only: entries may contain keys.
    pub(super) fn is_private(&self) -> bool {
        match self.scope {
            McpScope::Local | McpScope::User => true,
            McpScope::Project => false,
        }
    }
}
