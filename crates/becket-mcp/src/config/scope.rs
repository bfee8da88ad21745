//! Where an entry comes from, and how much that weighs.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// The variables that name a plugin's directory to its servers.
const ROOTS: [&str; 2] = ["CLAUDE_PLUGIN_ROOT", "BECKET_PLUGIN_ROOT"];

/// Where an entry comes from. Of two of one name, that of the stronger scope counts; see [`Scope::rank`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The host's own program, not a file.
    Host,
    /// The files of an administrator.
    Managed,
    /// Files that are named on the command line.
    CommandLine,
    /// The user's own, for one project.
    Local,
    /// The project's, which everyone who clones it gets: `.mcp.json` and project settings.
    Project,
    /// The user's own, for every project.
    User,
    /// A plugin.
    Plugin {
        /// Its name.
        name: String,
        /// Its directory.
        root: PathBuf,
    },
}

impl Scope {
    /// How strong it is; 0 is the strongest.
    #[must_use]
    pub fn rank(&self) -> u8 {
        match self {
            Scope::Host => 0,
            Scope::Managed => 1,
            Scope::CommandLine => 2,
            Scope::Local => 3,
            Scope::Project => 4,
            Scope::User => 5,
            Scope::Plugin { .. } => 6,
        }
    }

    /// Variables that entries of this scope may use and their processes get: for a plugin, where it lies.
    #[must_use]
    pub fn variables(&self) -> Vec<(OsString, OsString)> {
        match self {
            Scope::Plugin { root, .. } => ROOTS.map(|name| (name.into(), root.into())).into(),
            Scope::Host
            | Scope::Managed
            | Scope::CommandLine
            | Scope::Local
            | Scope::Project
            | Scope::User => Vec::new(),
        }
    }

    /// Whether it lies within the workspace or is meant for it alone, so that nothing of it runs before the workspace
    /// is trusted.
    pub(super) fn is_of_the_workspace(&self) -> bool {
        match self {
            Scope::Local | Scope::Project => true,
            Scope::Host | Scope::Managed | Scope::CommandLine | Scope::User | Scope::Plugin { .. } => false,
        }
    }
}

/// A word or two: `user`, `plugin tools`.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scope::Host => f.write_str("host"),
            Scope::Managed => f.write_str("managed"),
            Scope::CommandLine => f.write_str("command line"),
            Scope::Local => f.write_str("local"),
            Scope::Project => f.write_str("project"),
            Scope::User => f.write_str("user"),
            Scope::Plugin { name, .. } => write!(f, "plugin {}", super::name::Visible(name)),
        }
    }
}
