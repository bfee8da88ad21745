//! Plugins that settings enable and whose marketplace is a directory: found without an installation step (C9).
//!
//! `extraKnownMarketplaces` names a directory, its `.claude-plugin/marketplace.json` lists plugins by path, and
//! `enabledPlugins` says which are on. Marketplaces that are fetched from elsewhere are the host's business: it hands
//! their plugins in by [`super::Request::plugins`].
//!
//! INVARIANT: for a plugin that a managed file enables only marketplaces of managed files count, so that no other file
//! can put its own code under a forced id (G2). A path that leads out of its marketplace is refused.

use super::load::{Layer, LayerKind};
use super::request::Plugin;
use super::source::json;
use super::source::read;
use super::source::tree::{Data, Node};
use becket_model::Source;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

const ENABLED: &str = "enabledPlugins";
const MARKETPLACES: &str = "extraKnownMarketplaces";
const KEYS: [&str; 2] = [ENABLED, MARKETPLACES];

/// Where a marketplace lists its plugins.
const LISTING: &str = ".claude-plugin/marketplace.json";

/// The plugins that the layers enable and that lie in a directory, in the order of their ids; `known` ones are left
/// out.
pub(super) fn found<'l>(layers: impl IntoIterator<Item = &'l Layer>, known: &[Plugin]) -> Vec<Plugin> {
    let mut said = Said::default();
    let mut layers: Vec<&Layer> =
        layers.into_iter().filter(|layer| layer.kind == LayerKind::Settings).collect();
    // The last to speak wins (C5).
    layers.sort_by_key(|layer| weight(&layer.source));
    for layer in layers {
        said.hear(layer);
    }
    let enabled = said.enabled.iter().filter(|(_, switch)| switch.on);
    let unknown = enabled.filter(|(id, _)| !known.iter().any(|plugin| *plugin.id == ***id));
    unknown.filter_map(|(id, switch)| said.plugin(id, switch)).collect()
}

/// What all files say together.
#[derive(Default)]
struct Said {
    marketplaces: BTreeMap<String, PathBuf>,
    managed_marketplaces: BTreeMap<String, PathBuf>,
    enabled: BTreeMap<String, Switch>,
}

/// Whether a plugin is on, and whether a managed file has a say in it.
#[derive(Default)]
struct Switch {
    on: bool,
    managed: bool,
}

impl Said {
    fn hear(&mut self, layer: &Layer) {
        // Most files hold neither key: they are not read twice.
        let text = layer.text.as_deref().ok().filter(|text| KEYS.iter().any(|key| text.contains(key)));
        let Some(document) = text.and_then(|text| json::parse(text).ok()) else {
            return;
        };
        let managed = layer.source == Source::Policy;
        for (id, node) in map(&document.root, ENABLED) {
            let switch = self.enabled.entry(id.to_owned()).or_default();
            switch.on = matches!(node.data, Data::Bool(true) | Data::List(_));
            switch.managed |= managed;
        }
        for (name, node) in map(&document.root, MARKETPLACES) {
            let Some(directory) = directory(node) else { continue };
            // Without the `./` that people write, which would show in every place below it.
            let directory: PathBuf = layer.anchor.join(directory).components().collect();
            if managed {
                self.managed_marketplaces.insert(name.to_owned(), directory.clone());
            }
            self.marketplaces.insert(name.to_owned(), directory);
        }
    }

    fn plugin(&self, id: &str, switch: &Switch) -> Option<Plugin> {
        let (name, marketplace) = id.rsplit_once('@')?;
        let known = if switch.managed { &self.managed_marketplaces } else { &self.marketplaces };
        let root = known.get(marketplace)?;
        let text = read::text(&root.join(LISTING)).ok()??;
        let listing = json::parse(&text).ok()?;
        let entries = listing.root.get("plugins")?.value.as_list()?;
        let entry = entries.iter().find(|entry| text_of(entry, "name") == Some(name))?;
        Some(Plugin::new(id, root.join(inside(text_of(entry, "source")?)?)))
    }
}

/// The directory that a marketplace is read from, if it is one.
fn directory(marketplace: &Node) -> Option<&str> {
    let source = &marketplace.get("source")?.value;
    (text_of(source, "source") == Some("directory")).then(|| text_of(source, "path")).flatten()
}

fn text_of<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    node.get(key)?.value.as_text()
}

fn map<'n>(root: &'n Node, key: &str) -> impl Iterator<Item = (&'n str, &'n Node)> {
    let members = root.get(key).and_then(|member| member.value.as_map()).unwrap_or_default();
    members.iter().map(|member| (member.key.as_str(), &member.value))
}

/// A relative path that stays where it starts, cleaned of `./`.
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

/// Who wins where two files disagree; higher wins (C5).
fn weight(source: &Source) -> u8 {
    match source {
        Source::Policy => 4,
        Source::Flag => 3,
        Source::Local => 2,
        Source::Project => 1,
        Source::User
        | Source::Plugin(_)
        | Source::Skill(_)
        | Source::Agent(_)
        | Source::Callback
        | Source::Function => 0,
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{FlagSettings, Request, load, resolve};
    use crate::{Environment, Profile};
    use std::fs;
    use std::path::Path;

    const HOOKS: &str = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories can be made");
        fs::write(path, text).expect("files can be written");
    }

    fn marketplace(root: &Path, source: &str) {
        let listing = format!(r#"{{"name": "m", "plugins": [{{"name": "kit", "source": "{source}"}}]}}"#);
        write(&root.join("market/.claude-plugin/marketplace.json"), &listing);
        write(&root.join("market/kit/hooks/hooks.json"), HOOKS);
    }

    fn settings(path: &str, enabled: &str) -> String {
        format!(
            r#"{{"extraKnownMarketplaces": {{"m": {{"source": {{"source": "directory", "path": "{path}"}}}}}},
               "enabledPlugins": {enabled}}}"#
        )
    }

    fn sources(root: &Path, flag: Option<&str>) -> Vec<String> {
        let mut request = Request::new(Profile::claude(), Environment::empty(), root);
        request.managed = Some(root.join("managed"));
        request.flag = flag.map(|text| FlagSettings::Text(text.to_owned()));
        let config = resolve(&load(&request));
        config.hooks.all().map(|handler| handler.place.source.to_string()).collect()
    }

    // rule: C9
    #[test]
    fn an_enabled_plugin_of_a_directory_brings_its_hooks() {
        let root = tempfile::tempdir().expect("a directory");
        marketplace(root.path(), "./kit");
        let project = root.path().join(".claude/settings.json");
        write(&project, &settings("./market", r#"{"kit@m": true, "gone@m": true, "kit@elsewhere": true}"#));
        assert_eq!(sources(root.path(), None), ["plugin:kit@m"]);
        assert!(sources(root.path(), Some(r#"{"enabledPlugins": {"kit@m": false}}"#)).is_empty());
        write(&project, &settings("./market", r#"{"kit@m": false}"#));
        assert!(sources(root.path(), None).is_empty());
        assert_eq!(sources(root.path(), Some(r#"{"enabledPlugins": {"kit@m": true}}"#)), ["plugin:kit@m"]);
    }

    // rule: C9
    #[test]
    fn a_path_out_of_the_marketplace_is_refused() {
        let root = tempfile::tempdir().expect("a directory");
        marketplace(root.path(), "../market/kit");
        write(&root.path().join(".claude/settings.json"), &settings("./market", r#"{"kit@m": true}"#));
        assert!(sources(root.path(), None).is_empty());
    }

    // rules: G2, C9
    #[test]
    fn no_project_puts_its_code_under_an_id_that_managed_settings_force() {
        let root = tempfile::tempdir().expect("a directory");
        marketplace(root.path(), "./kit");
        write(&root.path().join(".claude/settings.json"), &settings("./market", "{}"));
        let managed = root.path().join("managed/managed-settings.json");
        write(&managed, r#"{"allowManagedHooksOnly": true, "enabledPlugins": {"kit@m": true}}"#);
        assert!(sources(root.path(), None).is_empty());
        let market = root.path().join("market");
        write(&managed, &settings(&market.to_string_lossy().replace('\\', "/"), r#"{"kit@m": true}"#));
        assert_eq!(sources(root.path(), None), ["plugin:kit@m"]);
    }
}
