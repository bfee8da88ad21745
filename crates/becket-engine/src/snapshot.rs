//! What a session captured of its configuration: compiled once, immutable, replaced whole (C8).

use crate::candidates::Part;
use crate::config::{Config, Loaded, Trust};
use crate::environment::Environment;
use crate::gates::{Gates, Start};
use crate::placeholders::Places;
use crate::variables;
use becket_rules::{RuleOrigin, RuleSet};
use std::ffi::OsString;
use std::sync::Arc;

/// The configuration in force. Work in flight keeps the one that it started with.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) config: Arc<Config>,
    /// What the configuration was made from; a later change of one source is read beside the rest of it (C8).
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) part: Part,
    pub(crate) rules: RuleSet,
    pub(crate) gates: Gates,
    pub(crate) places: Arc<Places>,
    pub(crate) base_env: Vec<(OsString, OsString)>,
    trust: Trust,
}

impl Snapshot {
    pub(crate) fn new(
        (loaded, config): (Arc<Loaded>, Arc<Config>),
        environment: &Environment,
        places: Arc<Places>,
        (start, trust): (Start, Trust),
    ) -> Self {
        let gates = Gates::new(&config.policy, start, trust);
        let part = Part::new(config.hooks.clone(), gates.clone(), places.clone());
        let base_env = variables::base(environment, &config.settings_env, &places);
        Snapshot { loaded, rules: rules(&config), config, part, gates, places, base_env, trust }
    }

    /// The same surroundings with another configuration (C8).
    pub(crate) fn with_config(&self, new: (Arc<Loaded>, Arc<Config>), environment: &Environment) -> Self {
        Snapshot::new(new, environment, self.places.clone(), (self.gates.start, self.trust))
    }
}

/// The permission rules of all files, compiled.
fn rules(config: &Config) -> RuleSet {
    let mut set = RuleSet::default();
    for rule in &config.permissions {
        let label = format!("{} ({})", rule.source, rule.location);
        // INVARIANT: the configuration keeps only rules that have parsed; one that has not is a diagnostic.
        let _ = set.add(rule.list, &rule.text, RuleOrigin { label, anchor: rule.anchor.clone() });
    }
    set
}
