//! The configuration that a session captured: compiled once, immutable, replaced as a whole (C8).

use crate::config::placeholders::Places;
use crate::config::{AuditMode, Config, LoadedFiles, RuleSource, SESSION, Trust};
use crate::host::environment::Environment;
use crate::host::tool_set::ToolSet;
use crate::plan::candidates::Part;
use crate::plan::gates::{Gates, Start};
use crate::plan::variables::BaseEnv;
use becket_base::text::hex;
use becket_rules::{RuleOrigin, RuleSet};
use sha2::{Digest as _, Sha256};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The configuration in force. Work in progress keeps its snapshot.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) config: Arc<Config>,
    /// The texts of the configuration; after a change of one source, the rest is reused from here (C8).
    pub(crate) loaded: Arc<LoadedFiles>,
    pub(crate) part: Arc<Part>,
    pub(crate) rules: RuleSet,
    pub(crate) gates: Gates,
    pub(crate) places: Arc<Places>,
    pub(crate) base_env: BaseEnv,
    /// The tools of `agent` handlers, once one has run (H8).
    #[cfg_attr(not(feature = "models"), expect(dead_code, reason = "agents are a feature"))]
    pub(crate) agent_tools: OnceLock<ToolSet>,
    /// The digest of the configuration, once a verdict is recorded.
    policy_digest: OnceLock<String>,
    trust: Trust,
}

impl Snapshot {
    pub(crate) fn new(
        loaded: Arc<LoadedFiles>,
        config: Arc<Config>,
        environment: &Environment,
        places: Arc<Places>,
        start: Start,
        trust: Trust,
    ) -> Self {
        let gates = Gates::new(&config.policy, start, trust).of_profile(&places.profile.name);
        let part = Arc::new(Part::new(config.hooks.clone(), gates.clone(), places.clone()));
        let base_env = BaseEnv::new(environment, &config.settings_env, &places);
        Snapshot {
            loaded,
            rules: rules(&config),
            config,
            part,
            gates,
            places,
            base_env,
            agent_tools: OnceLock::new(),
            policy_digest: OnceLock::new(),
            trust,
        }
    }

    /// Returns whether verdicts are recorded.
    pub(crate) fn is_audited(&self) -> bool {
        self.config.policy.audit.mode != AuditMode::Off
    }

    /// Returns the digest of the configuration: of each file its source, its path, and its text or the reason why there
    /// is none.
    pub(crate) fn policy_digest(&self) -> &str {
        self.policy_digest.get_or_init(|| {
            let mut hash = Sha256::new();
            for layer in self.loaded.layers() {
                let text = layer.text.as_ref().map_or_else(ToString::to_string, ToString::to_string);
                for part in [&layer.source.to_string(), &layer.file.display().to_string(), &text] {
                    hash.update((part.len() as u64).to_be_bytes());
                    hash.update(part.as_bytes());
                }
            }
            hex(&hash.finalize())
        })
    }

    /// Returns the same snapshot with another configuration (C8).
    pub(crate) fn with_config(
        &self,
        loaded: Arc<LoadedFiles>,
        config: Arc<Config>,
        environment: &Environment,
    ) -> Self {
        Snapshot::new(loaded, config, environment, self.places.clone(), self.gates.start, self.trust)
    }

    /// Returns the same hooks and switches with other permissions (P13), and with their caches.
    pub(crate) fn with_permissions(&self, loaded: Arc<LoadedFiles>, new: Config) -> Self {
        let hooks = self.config.hooks.clone();
        let config = Arc::new(Config { hooks, next_sequence: self.config.next_sequence, ..new });
        Snapshot {
            loaded,
            rules: rules(&config),
            config,
            part: self.part.clone(),
            gates: self.gates.clone(),
            places: self.places.clone(),
            base_env: self.base_env.clone(),
            agent_tools: OnceLock::new(),
            policy_digest: OnceLock::new(),
            trust: self.trust,
        }
    }
}

/// Compiles the permission rules of all files.
fn rules(config: &Config) -> RuleSet {
    let mut set = RuleSet::default();
    for rule in &config.permissions {
        let label = label(rule);
        // INVARIANT: the configuration keeps only rules that have parsed; one that has not is a diagnostic.
        let _ = set.add(rule.list, &rule.text, RuleOrigin { label, anchor: rule.anchor.clone() });
    }
    set
}

/// Returns the place of a rule in the form that people read.
pub(crate) fn label(rule: &RuleSource) -> String {
    let file = &rule.location.file;
    if **file == *Path::new(SESSION) {
        return "this session".to_owned();
    }
    // A layer made from an argument has no line numbers that mean anything to a person.
    match file.to_str().and_then(|name| name.strip_prefix("<--")?.strip_suffix('>')) {
        Some(argument) if argument != "settings" => format!("{} (`--{argument}`)", rule.source),
        Some(_) | None => format!("{} ({})", rule.source, rule.location),
    }
}
