//! Plugins that a session has read, when another file changes (C8).
//!
//! Their texts stay as they were, and so does a plugin that is not found any more, or is found elsewhere although its
//! directory is still there. A change of a plugin's own files, which no hook judges, must not come in with the change of a
//! settings file, and must not take a guard away.

use super::fault::Fault;
use super::manifest::Manifest;
use super::{Candidate, contents};
use crate::config::load::{Layer, LayerKind, LoadedFiles};
use crate::config::request::{Plugin, PluginOrigin};
use becket_model::Source;
use std::sync::Arc;

/// The plugins of the configuration that is being replaced; none at the start of a session.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeptPlugins<'a>(pub(super) Option<&'a LoadedFiles>);

/// The findings and texts of a plugin as they were read.
#[derive(Debug)]
pub(super) struct PluginReading {
    layers: Vec<Layer>,
    faults: Vec<Fault>,
}

impl KeptPlugins<'_> {
    /// Returns the plugin of an id that settings had turned on, wherever it is now.
    pub(super) fn installed(&self, id: &str) -> Option<Plugin> {
        let is_meant =
            |plugin: &&Plugin| *plugin.id == *id && matches!(plugin.origin, PluginOrigin::Installed { .. });
        let known = self.0?.plugins.iter().find(is_meant)?;
        // Options are those of the new settings.
        Some(Plugin { options: Vec::new(), ..known.clone() })
    }

    /// Returns the plugins in directories of skills; `None` at the start of a session.
    pub(super) fn of_skills(&self) -> Option<Vec<Candidate>> {
        let is_meant = |plugin: &&Plugin| matches!(plugin.origin, PluginOrigin::SkillsDirectory { .. });
        let known = self.0?.plugins.iter().filter(is_meant);
        Some(known.map(|plugin| Candidate::new(Plugin { options: Vec::new(), ..plugin.clone() })).collect())
    }

    /// Gives a plugin the name, the manifest and the texts with which it was read before. Returns false if it was not.
    pub(super) fn restore(&self, candidate: &mut Candidate) -> bool {
        let Some(before) = self.0 else { return false };
        let Some(known) = before.plugins.iter().find(|known| is_same(known, &candidate.plugin)) else {
            return false;
        };
        candidate.plugin.name = known.name.clone();
        candidate.plugin.id = known.id.clone();
        let source = Source::Plugin(known.source());
        let layers: Vec<Layer> =
            before.layers.iter().filter(|layer| layer.source == source).cloned().collect();
        let manifest = layers.iter().find(|layer| layer.kind == LayerKind::PluginManifest);
        candidate.manifest = manifest
            .map(|layer| Manifest::of_text(layer.file.to_path_buf(), Some(layer.text.clone())))
            .unwrap_or_default();
        let faults = before.plugin_faults.iter().filter(|fault| fault.is_about_content_of(&source)).cloned();
        candidate.kept = Some(PluginReading { layers, faults: faults.collect() });
        true
    }
}

/// Returns whether two plugins are the same one in the same directory. One that is named by its directory has its id from
/// its manifest, which may have changed.
fn is_same(known: &Plugin, plugin: &Plugin) -> bool {
    let is_by_directory = |plugin: &Plugin| match plugin.origin {
        PluginOrigin::Directory | PluginOrigin::SkillsDirectory { .. } => true,
        PluginOrigin::Host | PluginOrigin::Installed { .. } => false,
    };
    known.directory == plugin.directory
        && (known.id == plugin.id || (is_by_directory(known) && is_by_directory(plugin)))
}

impl PluginReading {
    /// Adds the texts and findings to a configuration, for a plugin that may have other options now.
    pub(super) fn add(&self, plugin: &Plugin, nth: u16, loaded: &mut LoadedFiles) {
        let root = Arc::new(contents::root(plugin));
        let layers = self.layers.iter().map(|layer| Layer { nth, root: Some(root.clone()), ..layer.clone() });
        loaded.layers.extend(layers);
        loaded.plugin_faults.extend(self.faults.iter().cloned());
    }
}
