//! The hooks of a plugin: its hooks file, those that its manifest contains or names, and those of its entry in the
//! marketplace (C9).
//!
//! A path that leads out of the plugin, as written or by a link, is refused.

use super::definitions::paths;
use super::fault::{Fault, Spot};
use super::path::{self, PathError};
use super::{Candidate, MissingPlugin, marketplace};
use crate::config::handler::Root;
use crate::config::load::{Layer, LayerKind, LoadedFiles};
use crate::config::request::Plugin;
use crate::config::source::json;
use crate::config::source::read::{self, ReadError};
use crate::config::source::tree::{Data, Node};
use becket_model::Source;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The path of a hooks file in a plugin.
const HOOKS: &str = "hooks/hooks.json";

/// Reads a plugin's files. A plugin without hooks adds nothing.
pub(super) fn load(candidate: &Candidate, nth: u16, loaded: &mut LoadedFiles) {
    let plugin = &candidate.plugin;
    let contents = Contents { candidate, root: Arc::new(root(plugin)), nth, source: candidate.source() };
    loaded.plugin_faults.extend(candidate.manifest.fault(contents.source.clone(), &plugin.name));
    contents.missing(loaded);
    contents.hooks_file(&plugin.directory.join(HOOKS), None, loaded);
    contents.manifest(loaded);
    contents.entry(loaded);
    contents.agents_with_hooks(loaded);
}

/// Returns the root and options that the handlers of a plugin see.
pub(super) fn root(plugin: &Plugin) -> Root {
    let options = plugin.options.iter().map(|option| (option.key.clone(), option.value.clone())).collect();
    Root { root: plugin.directory.clone(), data: plugin.data.clone(), options }
}

/// Returns the values of `hooks` in a manifest that are written in full: one, or those of a list; and the values that are
/// neither that nor paths.
pub(crate) fn inline(manifest: &Node) -> (Vec<&Node>, Vec<&Node>) {
    let Some(member) = manifest.get("hooks") else {
        return (Vec::new(), Vec::new());
    };
    let unwrapped = |node| Node::get(node, "hooks").map_or(node, |inner| &inner.value);
    let all: Vec<&Node> = match &member.value.data {
        Data::List(nodes) => nodes.iter().collect(),
        Data::Map(_) | Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) => vec![&member.value],
    };
    let hooks = all.iter().filter(|node| node.as_map().is_some()).map(|node| unwrapped(node)).collect();
    let is_other = |node: &&&Node| node.as_map().is_none() && node.as_text().is_none();
    (hooks, all.iter().filter(is_other).copied().collect())
}

struct Contents<'a> {
    candidate: &'a Candidate,
    root: Arc<Root>,
    nth: u16,
    source: Source,
}

impl Contents<'_> {
    fn directory(&self) -> &Path {
        &self.candidate.plugin.directory
    }

    /// Reports a plugin whose directory is gone, or can't be entered: its guards are missing.
    fn missing(&self, loaded: &mut LoadedFiles) {
        let why = match std::fs::read_dir(self.directory()) {
            Ok(_) => return,
            Err(error) => error,
        };
        let message = format!("this plugin can't be read, so its hooks are missing: {why}");
        let at = Spot::whole(self.source.clone(), self.directory());
        loaded.plugin_faults.push(Fault::error(at, "missing-plugin", message));
        let (id, directory) = (self.candidate.plugin.id.clone(), Some(self.directory().to_owned()));
        loaded.missing_plugins.push(MissingPlugin { id, directory });
    }

    /// Adds a hooks file; `named` is the place that names it, `None` for the default one. Returns false if there is no
    /// such file.
    fn hooks_file(&self, file: &Path, named: Option<&Spot>, loaded: &mut LoadedFiles) -> bool {
        if let Err(why) = path::no_way_out(file, &self.candidate.boundary) {
            let at = named.cloned().unwrap_or_else(|| Spot::whole(self.source.clone(), file));
            loaded.plugin_faults.push(outside(at, &file.display().to_string(), why));
            return true;
        }
        let text = match read::text(file) {
            Ok(None) => return false,
            Ok(Some(text)) => Ok(text.into()),
            Err(error) => Err(error),
        };
        self.add(file, LayerKind::PluginHooks, text, loaded);
        true
    }

    /// Adds a text of this plugin that has not been added yet. Another plugin may have the same file, under another id:
    /// policy, options and data go by the id, so it counts for both.
    fn add(&self, file: &Path, kind: LayerKind, text: Result<Arc<str>, ReadError>, loaded: &mut LoadedFiles) {
        let is_same =
            |layer: &Layer| layer.source == self.source && *layer.file == *file && layer.kind == kind;
        if kind != LayerKind::MarketplaceEntry && loaded.layers.iter().any(is_same) {
            return;
        }
        let name = self.candidate.plugin.id.rsplit_once('@').map(|(name, _)| name);
        loaded.layers.push(Layer {
            source: self.source.clone(),
            file: file.into(),
            text,
            kind,
            anchor: self.directory().to_owned(),
            root: Some(self.root.clone()),
            nth: self.nth,
            is_untrusted: false,
            entry: name.filter(|_| kind == LayerKind::MarketplaceEntry).map(Arc::from),
        });
    }

    fn manifest(&self, loaded: &mut LoadedFiles) {
        let manifest = &self.candidate.manifest;
        if let Err(why) = path::no_way_out(&manifest.file, &self.candidate.boundary) {
            let at = Spot::whole(self.source.clone(), &manifest.file);
            loaded.plugin_faults.push(outside(at, &manifest.file.display().to_string(), why));
            return;
        }
        let Some(text) = manifest.text.clone() else { return };
        self.add(&manifest.file, LayerKind::PluginManifest, text.clone(), loaded);
        if let Ok(text) = text
            && let Ok(document) = json::parse(&text)
        {
            self.named(&document.root, &manifest.file, &text, loaded);
        }
    }

    /// Reads the plugin's hooks in the listing of the marketplace.
    fn entry(&self, loaded: &mut LoadedFiles) {
        let Some(marketplace) = &self.candidate.plugin.marketplace else { return };
        let file = marketplace::listing(marketplace);
        // Errors of the listing have been reported by the search for the plugin; most listings have no hooks.
        let Ok(Some(text)) = read::text(&file) else { return };
        let text: Arc<str> = text.into();
        if !text.contains("\"hooks\"") {
            return;
        }
        let Ok(document) = json::parse(&text) else { return };
        let Some((name, _)) = self.candidate.plugin.id.rsplit_once('@') else { return };
        let Some(entry) =
            marketplace::entry(&document.root, name).filter(|entry| entry.get("hooks").is_some())
        else {
            return;
        };
        self.add(&file, LayerKind::MarketplaceEntry, Ok(text.clone()), loaded);
        self.named(entry, &file, &text, loaded);
    }

    /// Adds the hooks files that a manifest or an entry names.
    fn named(&self, manifest: &Node, file: &Path, text: &Arc<str>, loaded: &mut LoadedFiles) {
        for (written, span) in paths(manifest, "hooks") {
            let at = Spot { source: self.source.clone(), file: file.into(), text: text.clone(), span };
            let below = match path::relative(written) {
                Ok(below) => below,
                Err(why) => {
                    loaded.plugin_faults.push(outside(at, written, why));
                    continue;
                }
            };
            if !self.hooks_file(&self.directory().join(below), Some(&at), loaded) {
                let message = format!("there is no file `{written}` in the plugin");
                let fault = Fault::error(at, "missing-hooks-file", message);
                loaded
                    .plugin_faults
                    .push(fault.help("paths in a manifest start from the plugin's directory"));
            }
        }
    }

    /// Reports hooks in the agents of a plugin, which are ignored (C9).
    fn agents_with_hooks(&self, loaded: &mut LoadedFiles) {
        let Ok(entries) = std::fs::read_dir(self.directory().join("agents")) else {
            return;
        };
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.sort();
        for file in files.into_iter().filter(|file| file.extension().is_some_and(|e| e == "md")) {
            let Ok(Some(text)) = read::text(&file) else {
                continue;
            };
            if let Some(span) = crate::config::frontmatter::hooks_span(&text) {
                let at = Spot { source: self.source.clone(), file: file.into(), text: text.into(), span };
                let message = "hooks in an agent that a plugin ships are ignored";
                let fault = Fault::warning(at, "hooks-in-plugin-agent", message);
                loaded.plugin_faults.push(fault.help("move them to the plugin's `hooks/hooks.json`"));
            }
        }
    }
}

pub(super) fn outside(at: Spot, written: &str, why: PathError) -> Fault {
    let message = match why {
        PathError::Outside => format!("`{written}` leads out of the plugin, so it is not read"),
        PathError::Link => format!("`{written}` leads out of the plugin by a link, so it is not read"),
        PathError::Backslash => format!("`{written}` has a backslash in it, so it is not read"),
    };
    let help = match why {
        PathError::Outside | PathError::Link => {
            "name a file below the plugin's directory, such as `./hooks/more.json`"
        }
        PathError::Backslash => "write it with `/`",
    };
    Fault::error(at, "path-outside-plugin", message).help(help)
}
