//! The tools of the agents of hooks (H8): Read, Grep, Glob and Bash.

use crate::files::reading_tools;
use crate::shell::StatelessBash;
use crate::surroundings::Surroundings;
use becket_engine::config::{Config, RuleList, RuleSource};
use becket_engine::{Environment, Tool, ToolSet};
use becket_rules::tools::Access;
use becket_rules::{Links, RuleOrigin, RuleSet, Scope};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns Read, Grep, Glob and Bash for [`becket_engine::Builder::agent_tools`] (`protocol.md` H8). A call runs
/// without a permission rule if it only reads inside the working directories (P14).
#[must_use]
pub fn hook_tools(host: Surroundings) -> ToolSet {
    let host = Arc::new(host);
    let bash = Arc::new(StatelessBash { host: Arc::clone(&host) }) as Arc<dyn Tool>;
    reading_tools(host).chain([bash]).collect()
}

/// Returns these tools under the deny rules of a configuration, for [`becket_engine::Builder::agent_tools`].
pub fn configured_hook_tools(
    environment: Environment,
) -> impl Fn(&Arc<Config>) -> ToolSet + Send + Sync + 'static {
    move |config| hook_tools(surroundings(config, &environment))
}

/// Returns the environment of tools that read: the working directories and deny rules of a configuration.
fn surroundings(config: &Config, environment: &Environment) -> Surroundings {
    let mut surroundings = Surroundings::new(environment.clone());
    for directory in &config.additional_directories {
        surroundings = surroundings.with_directory(&directory.path);
    }
    let denied = denied(config);
    if denied.list(RuleList::Deny).is_empty() {
        return surroundings;
    }
    let home = environment.home().map(Path::to_owned);
    surroundings.with_denied_reads(move |session, path| {
        let scope = Scope { cwd: &session.cwd, home: home.as_deref(), anchor: &session.cwd, links: &OnDisk };
        denied.path_denied(Access::Read, &path.to_string_lossy(), &scope).is_some()
    })
}

/// Returns the deny rules that may keep a file from being read.
fn denied(config: &Config) -> RuleSet {
    let mut set = RuleSet::default();
    let is_about_files = |rule: &&RuleSource| rule.list == RuleList::Deny && !rule.text.starts_with("Bash");
    for rule in config.permissions.iter().filter(is_about_files) {
        let origin = RuleOrigin { label: rule.source.to_string(), anchor: rule.anchor.clone() };
        // INVARIANT: the configuration keeps only rules that have parsed.
        drop(set.add(rule.list, &rule.text, origin));
    }
    set
}

/// Links in the file system. Files that do not exist have none, since no search finds them.
struct OnDisk;

impl Links for OnDisk {
    fn target(&self, path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok().filter(|real| real != path)
    }
}
