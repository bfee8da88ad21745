//! The origin of an entry, and its rank.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// The variables that name a plugin's directory to its servers, and those that name its data directory.
const ROOTS: [&str; 2] = ["CLAUDE_PLUGIN_ROOT", "BECKET_PLUGIN_ROOT"];
const DATA: [&str; 2] = ["CLAUDE_PLUGIN_DATA", "BECKET_PLUGIN_DATA"];

/// The prefix of a plugin's option in an entry: `${user_config.KEY}`.
pub(super) const OPTION: &str = "user_config.";

/// The values that the entries of a plugin may use in addition to its directory. `Debug` prints no option's value: it
/// may be a key.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct PluginValues {
    /// The directory in which the plugin keeps data.
    pub data: Option<PathBuf>,
    /// The plugin's options by key.
    pub options: Vec<(String, String)>,
}

impl fmt::Debug for PluginValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<&str> = self.options.iter().map(|(key, _)| key.as_str()).collect();
        f.debug_struct("PluginValues").field("data", &self.data).field("options", &keys).finish()
    }
}

/// The origin of an entry. If two entries have one name, that of the stronger scope counts; see [`Scope::rank`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The host's own program, not a file.
    Host,
    /// The files of an administrator.
    Managed,
    /// Files named on the command line.
    CommandLine,
    /// The user's own entries, for one project.
    Local,
    /// The project's entries, shared by everyone that clones it: `.mcp.json` and project settings.
    Project,
    /// The user's own entries, for every project.
    User,
    /// A plugin.
    Plugin {
        /// The name of the plugin.
        name: String,
        /// The directory of the plugin.
        root: PathBuf,
        /// Further values that its entries may use.
        values: Box<PluginValues>,
    },
}

impl Scope {
    /// Returns the rank; 0 is the strongest.
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

    /// Returns the variables that entries of this scope may use and their processes receive: for a plugin, the
    /// directories of its files and its data.
    #[must_use]
    pub fn variables(&self) -> Vec<(OsString, OsString)> {
        match self {
            Scope::Plugin { root, values, .. } => {
                let of = |names: [&str; 2], path: &PathBuf| names.map(|name| (name.into(), path.into()));
                let data = values.data.as_ref().map(|data| of(DATA, data));
                of(ROOTS, root).into_iter().chain(data.into_iter().flatten()).collect()
            }
            Scope::Host
            | Scope::Managed
            | Scope::CommandLine
            | Scope::Local
            | Scope::Project
            | Scope::User => Vec::new(),
        }
    }

    /// Returns the options for `${user_config.KEY}` in entries of this scope; `None` if the scope has none.
    pub(super) fn options(&self) -> Option<&[(String, String)]> {
        match self {
            Scope::Plugin { values, .. } => Some(&values.options),
            Scope::Host
            | Scope::Managed
            | Scope::CommandLine
            | Scope::Local
            | Scope::Project
            | Scope::User => None,
        }
    }

    /// Returns whether it is part of the workspace or meant for it only, so that none of it runs before the workspace
    /// is trusted.
    pub(super) fn is_of_the_workspace(&self) -> bool {
        match self {
            Scope::Local | Scope::Project => true,
            Scope::Host | Scope::Managed | Scope::CommandLine | Scope::User | Scope::Plugin { .. } => false,
        }
    }
}

/// Prints a short label: `user`, `plugin tools`.
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
