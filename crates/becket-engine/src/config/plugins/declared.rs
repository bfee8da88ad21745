//! Plugins in settings: those that are on, the places of marketplaces, the options that the user has set (C9).
//!
//! `enabledPlugins` is merged key by key: the highest source that names a plugin decides (C5). Options are read from
//! files that can't come with a repository, since hooks are run with them.
//!
//! INVARIANT: a folder that is not trusted has no influence on plugins (G3): it can neither turn on its own nor turn
//! off a guard of the user.

use super::fault::{Fault, Spot};
use super::path;
use crate::config::load::{Layer, LayerKind, LoadedFiles, local_may_come_with_folder};
use crate::config::policy::is_of_the_user;
use crate::config::request::Request;
use crate::config::source::json;
use crate::config::source::tree::{Data, Member, Node, Span};
use becket_model::Source;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

const ENABLED: &str = "enabledPlugins";
const MARKETPLACES: &str = "extraKnownMarketplaces";
const CONFIGS: &str = "pluginConfigs";
const KEYS: [&str; 3] = [ENABLED, MARKETPLACES, CONFIGS];

/// The declarations of all settings files together.
#[derive(Debug, Default)]
pub(super) struct PluginDeclarations {
    /// The plugins that are on or off, by id.
    pub(super) switches: BTreeMap<String, Switch>,
    /// The marketplaces that are in a directory.
    pub(super) marketplaces: Vec<DeclaredMarketplace>,
    /// The options that the user has set, by id and key.
    pub(super) options: BTreeMap<String, BTreeMap<String, String>>,
    pub(super) faults: Vec<Fault>,
}

/// The switch of a plugin, with the source that sets it.
#[derive(Debug, Clone)]
pub(super) struct Switch {
    pub(super) on: bool,
    /// The entry that decides.
    pub(super) at: Spot,
    /// Set if a file that can't come with a repository turns it on, whatever the project sets.
    pub(super) wanted_by_owner: bool,
    /// Set if a managed file decides.
    pub(super) is_managed: bool,
}

/// A marketplace in a directory, as a settings file declares it.
#[derive(Debug, Clone)]
pub(super) struct DeclaredMarketplace {
    pub(super) name: String,
    pub(super) root: PathBuf,
    pub(super) by: Declarer,
}

/// The declarer of a marketplace, the most trusted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Declarer {
    Policy,
    Flag,
    User,
    Local,
    Project,
}

impl PluginDeclarations {
    /// Reads the settings files among `layers`, of a configuration that is being loaded.
    pub(super) fn read<'l>(layers: impl IntoIterator<Item = &'l Layer>, loaded: &LoadedFiles) -> Self {
        let mut declared = PluginDeclarations::default();
        let mut layers: Vec<&Layer> =
            layers.into_iter().filter(|layer| layer.kind == LayerKind::Settings).collect();
        // The last one wins (C5).
        layers.sort_by_key(|layer| strength(&layer.source));
        for layer in layers {
            declared.layer(layer, loaded);
        }
        declared
    }

    fn layer(&mut self, layer: &Layer, loaded: &LoadedFiles) {
        // Most files contain none of the keys: they are not read twice.
        let text = layer.text.as_ref().ok().filter(|text| KEYS.iter().any(|key| text.contains(key)));
        let Some((text, document)) = text.and_then(|text| Some((text, json::parse(text).ok()?))) else {
            return;
        };
        let Some(by) = declarer(layer, &loaded.request) else { return };
        let reading = DeclarationReader { layer, text, by, loaded };
        for member in members(&document.root, ENABLED) {
            reading.switch(member, self);
        }
        for member in members(&document.root, MARKETPLACES) {
            reading.marketplace(member, self);
        }
        for member in members(&document.root, CONFIGS) {
            reading.options(member, self);
        }
    }
}

/// One settings file that is being read.
struct DeclarationReader<'a> {
    layer: &'a Layer,
    text: &'a Arc<str>,
    by: Declarer,
    loaded: &'a LoadedFiles,
}

impl DeclarationReader<'_> {
    fn spot(&self, span: Span) -> Spot {
        let (source, file) = (self.layer.source.clone(), self.layer.file.clone());
        Spot { source, file, text: self.text.clone(), span }
    }

    fn switch(&self, member: &Member, declared: &mut PluginDeclarations) {
        let (id, at) = (&member.key, self.spot(member.key_span));
        let on = match &member.value.data {
            Data::Bool(on) => *on,
            // A list of versions turns the plugin on in those versions.
            Data::List(_) => true,
            Data::Null => return,
            Data::Number(_) | Data::Text(_) | Data::Map(_) => {
                let message =
                    format!("`{id}` must be true or false, not {}; it is left as it is", member.value.kind());
                declared.faults.push(Fault::error(self.spot(member.value.span), "wrong-type", message));
                return;
            }
        };
        if self.layer.is_untrusted {
            let message = match on {
                true => format!("the plugin `{id}` is held back until this folder is trusted"),
                false => {
                    format!(
                        "the plugin `{id}`, which this file turns off, stays on until this folder is trusted"
                    )
                }
            };
            declared.faults.push(Fault::warning(at, "withheld-untrusted", message).rule("G3"));
            return;
        }
        let before = declared.switches.get(id).is_some_and(|switch| switch.wanted_by_owner);
        let wanted_by_owner = before || (on && self.by != Declarer::Project);
        let is_managed = self.by == Declarer::Policy;
        declared.switches.insert(id.clone(), Switch { on, at, wanted_by_owner, is_managed });
    }

    fn marketplace(&self, member: &Member, declared: &mut PluginDeclarations) {
        let Some(written) = directory(&member.value).filter(|_| !self.layer.is_untrusted) else { return };
        let home = self.loaded.request.environment.home();
        let root = match written {
            MarketplaceLocation::Directory(path) => path::directory(path, &self.layer.anchor, home),
            // `.claude-plugin/marketplace.json` is two levels below the root.
            MarketplaceLocation::Listing(path) => {
                let file = path::directory(path, &self.layer.anchor, home);
                match file.ancestors().nth(2) {
                    Some(root) => root.to_owned(),
                    None => return,
                }
            }
        };
        declared.marketplaces.push(DeclaredMarketplace { name: member.key.clone(), root, by: self.by });
    }

    fn options(&self, member: &Member, declared: &mut PluginDeclarations) {
        let Some(options) = member.value.get("options").and_then(|options| options.value.as_map()) else {
            return;
        };
        if !is_of_the_user(&self.layer.source) {
            let message = format!(
                "options of `{}` count in managed settings, the user's and those of the command line only",
                member.key
            );
            let fault = Fault::warning(self.spot(member.key_span), "setting-without-effect", message);
            declared.faults.push(fault.rule("H2"));
            return;
        }
        let of_plugin = declared.options.entry(member.key.clone()).or_default();
        for option in options {
            match option_text(&option.value) {
                Some(text) if !text.contains('\0') => {
                    of_plugin.insert(option.key.clone(), text);
                }
                Some(_) | None if option.value.data == Data::Null => {}
                Some(_) | None => {
                    let message = format!(
                        "the option `{}` is not a string, number, flag or list of strings",
                        option.key
                    );
                    let fault = Fault::error(self.spot(option.value.span), "wrong-type", message);
                    declared.faults.push(fault.rule("H2"));
                }
            }
        }
    }
}

/// Returns the declarer of a settings file; `None` for a file that can't declare plugins. A local file that may have come
/// with the folder is the project's.
fn declarer(layer: &Layer, request: &Request) -> Option<Declarer> {
    match layer.source {
        Source::Policy => Some(Declarer::Policy),
        Source::Flag => Some(Declarer::Flag),
        Source::User => Some(Declarer::User),
        Source::Local if layer.is_untrusted || local_may_come_with_folder(request, layer) => {
            Some(Declarer::Project)
        }
        Source::Local => Some(Declarer::Local),
        Source::Project => Some(Declarer::Project),
        Source::Plugin(_) | Source::Skill(_) | Source::Agent(_) | Source::Callback | Source::Function => None,
    }
}

/// Returns the precedence of a source if two files disagree; higher wins (C5).
fn strength(source: &Source) -> u8 {
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

/// Returns the value of an option as a process sees it: the items of a list are joined by commas.
pub(super) fn option_text(node: &Node) -> Option<String> {
    match &node.data {
        Data::Text(text) => Some(text.clone()),
        Data::Number(number) => Some(number.to_string()),
        Data::Bool(flag) => Some(flag.to_string()),
        Data::List(nodes) => {
            let texts: Option<Vec<String>> = nodes.iter().map(option_text).collect();
            texts.map(|texts| texts.join(","))
        }
        Data::Null | Data::Map(_) => None,
    }
}

/// The location of a marketplace on this machine.
enum MarketplaceLocation<'n> {
    Directory(&'n str),
    Listing(&'n str),
}

/// Returns the place of a marketplace that is not fetched.
fn directory(marketplace: &Node) -> Option<MarketplaceLocation<'_>> {
    let source = &marketplace.get("source")?.value;
    let path = source.get("path").and_then(|path| path.value.as_text());
    match source.get("source")?.value.as_text()? {
        "directory" => path.map(MarketplaceLocation::Directory),
        "file" => path.map(MarketplaceLocation::Listing),
        _ => None,
    }
}

fn members<'n>(root: &'n Node, key: &str) -> &'n [Member] {
    root.get(key).and_then(|member| member.value.as_map()).unwrap_or_default()
}
