//! The hooks of a plugin: its hooks file, and what its manifest names (C9).
//!
//! A path in a manifest that leads out of the plugin is refused.

use super::diagnostic::Severity;
use super::load::{Layer, LayerKind, Loaded};
use super::request::Plugin;
use super::source::json;
use super::source::read;
use super::source::tree::{Data, Node, Span};
use crate::handler::Root;
use becket_model::Source;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Something about a plugin that only its directory can tell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    pub(crate) source: Source,
    pub(crate) file: Arc<Path>,
    pub(crate) text: Arc<str>,
    pub(crate) span: Span,
    pub(crate) severity: Severity,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) help: String,
}

/// Where a manifest and a hooks file lie in a plugin.
const MANIFEST: &str = ".claude-plugin/plugin.json";
const HOOKS: &str = "hooks/hooks.json";

/// Reads a plugin's files. A plugin without hooks adds nothing.
pub(crate) fn load(plugin: &Plugin, nth: u16, loaded: &mut Loaded) {
    let root = Arc::new(Root {
        root: plugin.directory.clone(),
        data: plugin.data.clone(),
        options: plugin.options.clone(),
    });
    let place = Place { plugin, root, nth };
    place.add(&plugin.directory.join(HOOKS), LayerKind::PluginHooks, loaded);
    let manifest = plugin.directory.join(MANIFEST);
    if place.add(&manifest, LayerKind::PluginManifest, loaded) {
        place.named_in_manifest(&manifest, loaded);
    }
    place.agents_with_hooks(loaded);
}

/// The value of `hooks` in a manifest that stands there in full: one, or those of a list.
pub(crate) fn inline(manifest: &Node) -> Vec<&Node> {
    let Some(member) = manifest.get("hooks") else {
        return Vec::new();
    };
    let unwrapped = |node| Node::get(node, "hooks").map_or(node, |inner| &inner.value);
    match &member.value.data {
        Data::Map(_) => vec![unwrapped(&member.value)],
        Data::List(nodes) => nodes.iter().filter(|node| node.as_map().is_some()).map(unwrapped).collect(),
        Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) => Vec::new(),
    }
}

/// The values of `hooks` in a manifest that are paths.
fn paths(manifest: &Node) -> Vec<(&str, Span)> {
    let nodes = manifest.get("hooks").map(|member| match &member.value.data {
        Data::List(nodes) => nodes.iter().collect(),
        Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::Map(_) => vec![&member.value],
    });
    nodes.unwrap_or_default().into_iter().filter_map(|node| Some((node.as_text()?, node.span))).collect()
}

struct Place<'a> {
    plugin: &'a Plugin,
    root: Arc<Root>,
    nth: u16,
}

impl Place<'_> {
    fn source(&self) -> Source {
        Source::Plugin(self.plugin.id.clone())
    }

    /// Adds a file that has not been added yet; false where there is none.
    fn add(&self, file: &Path, kind: LayerKind, loaded: &mut Loaded) -> bool {
        if loaded.layers.iter().any(|layer| *layer.file == *file) {
            return true;
        }
        let text = match read::text(file) {
            Ok(None) => return false,
            Ok(Some(text)) => Ok(text.into()),
            Err(error) => Err(error),
        };
        loaded.layers.push(Layer {
            source: self.source(),
            file: file.into(),
            text,
            kind,
            anchor: self.plugin.directory.clone(),
            root: Some(self.root.clone()),
            nth: self.nth,
        });
        true
    }

    fn named_in_manifest(&self, manifest: &Path, loaded: &mut Loaded) {
        let Some(text) = loaded.text(manifest).map(Arc::<str>::from) else {
            return;
        };
        let Ok(document) = json::parse(&text) else {
            return;
        };
        for (path, span) in paths(&document.root) {
            let fault = |code, message, help: &str| Fault {
                source: self.source(),
                file: manifest.into(),
                text: text.clone(),
                span,
                severity: Severity::Error,
                code,
                message,
                help: help.to_owned(),
            };
            let Some(inside) = inside(path) else {
                let message = format!("`{path}` leads out of the plugin, so it is not read");
                let help = "name a file below the plugin's directory, such as `./hooks/more.json`";
                loaded.plugin_faults.push(fault("path-outside-plugin", message, help));
                continue;
            };
            if !self.add(&self.plugin.directory.join(inside), LayerKind::PluginHooks, loaded) {
                let message = format!("there is no file `{path}` in the plugin");
                let help = "paths in a manifest start from the plugin's directory";
                loaded.plugin_faults.push(fault("missing-hooks-file", message, help));
            }
        }
    }

    /// Hooks in the agents that a plugin ships are ignored, and that is said (C9).
    fn agents_with_hooks(&self, loaded: &mut Loaded) {
        let Ok(entries) = std::fs::read_dir(self.plugin.directory.join("agents")) else {
            return;
        };
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.sort();
        for file in files.into_iter().filter(|file| file.extension().is_some_and(|e| e == "md")) {
            let Ok(Some(text)) = read::text(&file) else {
                continue;
            };
            if let Some(span) = super::frontmatter::hooks_span(&text) {
                loaded.plugin_faults.push(Fault {
                    source: self.source(),
                    file: file.into(),
                    text: text.into(),
                    span,
                    severity: Severity::Warning,
                    code: "hooks-in-plugin-agent",
                    message: "hooks in an agent that a plugin ships are ignored".to_owned(),
                    help: "move them to the plugin's `hooks/hooks.json`".to_owned(),
                });
            }
        }
    }
}

/// A relative path without `..`, cleaned of `./`.
fn inside(path: &str) -> Option<PathBuf> {
    let mut clean = PathBuf::new();
    for component in Path::new(path).components() {
        match component {
            Component::CurDir => {}
            Component::Normal(part) => clean.push(part),
            Component::Prefix(_) | Component::RootDir | Component::ParentDir => return None,
        }
    }
    Some(clean)
}
