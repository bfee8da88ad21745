//! The skills, commands and agents of a plugin: the default directories, and the paths that its manifest and its entry
//! in the marketplace name. All of them are used (C9).

use super::fault::{Fault, Spot};
use super::manifest::MANIFEST;
use super::{contents, marketplace, path};
use crate::config::diagnostic::Diagnostic;
use crate::config::request::Plugin;
use crate::config::source::tree::{Data, Node, Span};
use crate::config::source::{json, read};
use becket_model::Source;
use std::path::{Path, PathBuf};

/// The places where a plugin has skills, commands and agents.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct PluginDefinitions {
    /// Directories of skills, and directories that are a skill.
    pub skills: Vec<PathBuf>,
    /// Directories of commands, and files that are a command.
    pub commands: Vec<PathBuf>,
    /// Directories of agents, and files that are an agent.
    pub agents: Vec<PathBuf>,
    /// Findings about paths that lead out of the plugin or nowhere.
    pub diagnostics: Vec<Diagnostic>,
}

impl Plugin {
    /// Reads the places where it has skills, commands and agents.
    #[must_use]
    pub fn definitions(&self) -> PluginDefinitions {
        let of = |name| vec![self.directory.join(name)];
        let mut found = PluginDefinitions {
            skills: of("skills"),
            commands: of("commands"),
            agents: of("agents"),
            diagnostics: Vec::new(),
        };
        self.named(&self.directory.join(MANIFEST), |manifest| Some(manifest), &mut found);
        if let Some(marketplace) = &self.marketplace
            && let Some((name, _)) = self.id.rsplit_once('@')
        {
            let listing = marketplace::listing(marketplace);
            self.named(&listing, |listing| marketplace::entry(listing, name), &mut found);
        }
        found
    }

    /// Returns the directory that none of its paths may leave: its marketplace if it is in one, else its own.
    fn boundary(&self) -> &Path {
        let around =
            self.marketplace.as_deref().filter(|marketplace| self.directory.starts_with(marketplace));
        around.unwrap_or(&self.directory)
    }

    /// Adds the paths that a file names. A file that can't be read is reported where its hooks are read.
    fn named(&self, file: &Path, part: impl Fn(&Node) -> Option<&Node>, found: &mut PluginDefinitions) {
        let Ok(Some(text)) = read::text(file) else { return };
        let Ok(document) = json::parse(&text) else { return };
        let Some(node) = part(&document.root) else { return };
        let at = Spot { text: text.into(), ..Spot::whole(Source::Plugin(self.source()), file) };
        for (key, places) in
            [("skills", &mut found.skills), ("commands", &mut found.commands), ("agents", &mut found.agents)]
        {
            for (written, span) in paths(node, key) {
                match self.place(written) {
                    Ok(place) if places.contains(&place) => {}
                    Ok(place) => places.push(place),
                    Err(why) => found.diagnostics.extend(why.fault(&at, span, written).diagnostics()),
                }
            }
        }
    }

    fn place(&self, written: &str) -> Result<PathBuf, PlaceError> {
        let place = self.directory.join(path::relative(written)?);
        path::no_way_out(&place, self.boundary())?;
        if place.exists() { Ok(place) } else { Err(PlaceError::Missing) }
    }
}

/// Returns the texts of a member: one, or those of a list.
pub(super) fn paths<'n>(node: &'n Node, key: &str) -> Vec<(&'n str, Span)> {
    let Some(member) = node.get(key) else { return Vec::new() };
    let nodes: Vec<&Node> = match &member.value.data {
        Data::List(nodes) => nodes.iter().collect(),
        Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::Map(_) => vec![&member.value],
    };
    nodes.into_iter().filter_map(|node| Some((node.as_text()?, node.span))).collect()
}

/// The reason why a path names nothing.
enum PlaceError {
    Path(path::PathError),
    Missing,
}

impl From<path::PathError> for PlaceError {
    fn from(error: path::PathError) -> Self {
        PlaceError::Path(error)
    }
}

impl PlaceError {
    fn fault(self, file: &Spot, span: Span, written: &str) -> Fault {
        let at = Spot { span, ..file.clone() };
        match self {
            PlaceError::Path(why) => contents::outside(at, written, why),
            PlaceError::Missing => {
                let message = format!("there is no `{written}` in the plugin");
                Fault::error(at, "missing-plugin-file", message)
                    .help("paths in a manifest start from the plugin's directory")
            }
        }
    }
}
