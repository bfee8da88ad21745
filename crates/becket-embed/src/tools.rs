//! The tools of agent hooks (H8): Read, Grep, Glob and Bash, under the deny rules of the configuration.
//!
//! They are created before the configuration is read, since the engine reads it; until [`AgentsTools::ready`] there are none.
//! The engine announces a new configuration; a call in progress keeps the one that it started with (C8).

use becket_agent::{HostTools, Surroundings};
use becket_engine::config::{Config, RuleList, RuleSource};
use becket_engine::{AgentTools, CancellationToken, Environment, ToolAnswer};
use becket_llm::ToolSpec;
use becket_model::Session;
use becket_rules::tools::Access;
use becket_rules::{Links, RuleOrigin, RuleSet, Scope};
use serde_json::{Map, Value};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockWriteGuard};

/// The tools, created on first use after [`AgentsTools::ready`]. Clones share them.
#[derive(Clone, Default)]
pub struct AgentsTools(Arc<RwLock<Option<Arc<ToolSet>>>>);

/// The configuration that the tools follow, and the tools.
struct ToolSet {
    config: Arc<Config>,
    environment: Environment,
    tools: OnceLock<HostTools>,
}

impl AgentsTools {
    /// Sets the configuration that they follow; only the first call has an effect.
    pub fn ready(&self, config: Arc<Config>, environment: Environment) {
        self.lent_by()
            .get_or_insert_with(|| Arc::new(ToolSet { config, environment, tools: OnceLock::new() }));
    }

    fn lent_by(&self) -> RwLockWriteGuard<'_, Option<Arc<ToolSet>>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self) -> Option<HostTools> {
        let lent = self.0.read().unwrap_or_else(PoisonError::into_inner).clone()?;
        let made = || HostTools::new(surroundings(&lent.config, &lent.environment));
        Some(lent.tools.get_or_init(made).clone())
    }
}

impl AgentTools for AgentsTools {
    fn configured(&self, config: &Arc<Config>) {
        if let Some(lent) = &mut *self.lent_by() {
            let (config, environment) = (config.clone(), lent.environment.clone());
            *lent = Arc::new(ToolSet { config, environment, tools: OnceLock::new() });
        }
    }

    fn tools(&self) -> Vec<ToolSpec> {
        self.get().map(|tools| tools.tools()).unwrap_or_default()
    }

    fn runs_unasked(&self, session: &Session, tool: &str, input: &Map<String, Value>) -> bool {
        self.get().is_some_and(|tools| tools.runs_unasked(session, tool, input))
    }

    fn run<'a>(
        &'a self,
        session: &'a Session,
        tool: &'a str,
        input: &'a Map<String, Value>,
        cancel: &'a CancellationToken,
    ) -> Pin<Box<dyn Future<Output = ToolAnswer> + Send + 'a>> {
        match self.get() {
            Some(tools) => Box::pin(async move { tools.run(session, tool, input, cancel).await }),
            None => Box::pin(std::future::ready(not_ready())),
        }
    }

    fn text_of(&self, tool: &str, response: &Value) -> Option<String> {
        self.get().and_then(|tools| tools.text_of(tool, response))
    }
}

fn not_ready() -> ToolAnswer {
    let text = "the tools are not ready".to_owned();
    ToolAnswer { response: Value::String(text.clone()), text, is_error: true }
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

/// The deny rules that may keep a file from being read.
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

/// Links as in the file system. Files that do not exist have none, since no search finds them.
struct OnDisk;

impl Links for OnDisk {
    fn target(&self, path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok().filter(|real| real != path)
    }
}

#[cfg(test)]
mod tests;
