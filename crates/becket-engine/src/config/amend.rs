//! Permissions that change while a session runs, over what was read at its start (`protocol.md` P13, C8).
//!
//! A change goes into the captured text of its file, or into a layer of the session's own, and the resolver merges all
//! texts again. So the rules for a file's grants apply to these as well: any deny beats them (C5), and a broken guard
//! of the file (C7b) or a folder without trust (G3) holds them back. Other edits on disk meanwhile are not picked up.
//!
//! Settings that a host sets meanwhile are a layer of their own, behind those of the command line.
//!
//! INVARIANT: nothing but `permissions` of a captured text is ever changed, so handlers and switches stay.

use super::edit::edit_settings;
use super::load::{Layer, LoadedFiles, local_root, user_directory};
use super::request::Request;
use becket_base::is_same_path;
use becket_base::json_edit::EMPTY;
use becket_model::Source;
use becket_rules::{Change, Destination};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the session's own layer.
pub(crate) const SESSION: &str = "<session>";

/// The name of the layer of settings that the host has set while the session is open.
pub(crate) const HOST: &str = "<apply_flag_settings>";

/// Changes that are applied to a configuration each time it is read.
#[derive(Debug, Clone)]
pub(crate) struct Amendments {
    /// Rules and directories of the session, as settings.
    session: String,
    /// The settings of the host, if it has set any.
    host: Option<Arc<str>>,
    /// Changes that could not be written to their file, in order.
    unwritten: Vec<(Destination, Change)>,
}

/// The result of editing a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditOutcome {
    Changed,
    /// The change was already in the text.
    AsBefore,
    /// The session does not read that file, or could not read it.
    NotRead,
}

impl Default for Amendments {
    fn default() -> Self {
        Self { session: "{}".to_owned(), host: None, unwritten: Vec::new() }
    }
}

impl Amendments {
    /// Changes the session's own rules and directories.
    pub(crate) fn in_session(&mut self, change: &Change) -> EditOutcome {
        match edited(&self.session, change) {
            (EditOutcome::Changed, new) => {
                self.session = new;
                EditOutcome::Changed
            }
            (same @ (EditOutcome::AsBefore | EditOutcome::NotRead), _) => same,
        }
    }

    /// Replaces the settings of the host.
    pub(crate) fn set_host(&mut self, settings: Option<&str>) {
        self.host = settings.map(Arc::from);
    }

    /// Returns the changes that are not in their file yet.
    pub(crate) fn waiting(&self, destination: Destination) -> impl Iterator<Item = &Change> {
        self.unwritten.iter().filter(move |(at, _)| *at == destination).map(|(_, change)| change)
    }

    /// Keeps a change that could not be written: it applies anyway.
    pub(crate) fn keep(&mut self, destination: Destination, change: &Change) {
        let entry = (destination, change.clone());
        if self.unwritten.last() != Some(&entry) {
            self.unwritten.push(entry);
        }
    }

    /// Forgets the changes of a file that contains them now.
    pub(crate) fn written(&mut self, destination: Destination) {
        self.unwritten.retain(|(at, _)| *at != destination);
    }

    /// Returns the loaded texts with all of these changes applied.
    pub(crate) fn over(&self, mut loaded: LoadedFiles) -> LoadedFiles {
        let is_own = |layer: &Layer| [SESSION, HOST].iter().any(|name| *layer.file == *Path::new(name));
        loaded.layers.retain(|layer| !is_own(layer));
        for (destination, change) in &self.unwritten {
            edit_layer(&mut loaded, *destination, change);
        }
        let start = loaded.request.start.clone();
        let own = |name: &str, text: Arc<str>| Layer {
            text: Ok(text),
            ..Layer::unwritten(Source::Flag, Path::new(name), &start)
        };
        loaded.layers.extend(self.host.clone().map(|text| own(HOST, text)));
        if self.session != Self::default().session {
            loaded.layers.push(own(SESSION, self.session.as_str().into()));
        }
        loaded
    }

    /// Returns whether a removal finds anything at its destination.
    pub(crate) fn is_effective(
        &self,
        loaded: &LoadedFiles,
        destination: Destination,
        change: &Change,
    ) -> bool {
        let text = match destination {
            Destination::Session => Some(self.session.as_str()),
            Destination::LocalSettings | Destination::ProjectSettings | Destination::UserSettings => {
                let layer = layer_of(loaded, destination).and_then(|at| loaded.layers.get(at));
                layer.and_then(|layer| layer.text.as_deref().ok())
            }
        };
        text.is_some_and(|text| edited(text, change).0 == EditOutcome::Changed)
    }
}

/// Changes the captured text of a file in the same way as the file itself.
pub(crate) fn edit_layer(loaded: &mut LoadedFiles, destination: Destination, change: &Change) -> EditOutcome {
    let Some(at) = layer_of(loaded, destination).or_else(|| new_layer(loaded, destination)) else {
        return EditOutcome::NotRead;
    };
    let Some(layer) = loaded.layers.get_mut(at) else { return EditOutcome::NotRead };
    let Ok(text) = &layer.text else { return EditOutcome::NotRead };
    let (what, new) = edited(text, change);
    if what == EditOutcome::Changed {
        layer.text = Ok(Arc::from(new));
    }
    what
}

fn edited(text: &str, change: &Change) -> (EditOutcome, String) {
    let before = if text.trim().is_empty() { EMPTY } else { text };
    match edit_settings(before, std::slice::from_ref(change)) {
        Ok(new) if new == before => (EditOutcome::AsBefore, new),
        Ok(new) => (EditOutcome::Changed, new),
        Err(_) => (EditOutcome::NotRead, String::new()),
    }
}

/// Returns the layer that was read from a destination's file, whatever its source: the project's file may be the
/// user's.
fn layer_of(loaded: &LoadedFiles, destination: Destination) -> Option<usize> {
    let file = loaded.request.settings_file(destination)?;
    loaded.layers.iter().position(|layer| layer.source != Source::Flag && is_same_path(&layer.file, &file))
}

/// Adds a layer for a file that did not exist, at its place among the others.
fn new_layer(loaded: &mut LoadedFiles, destination: Destination) -> Option<usize> {
    let file = loaded.request.settings_file(destination)?;
    let (source, anchor) = source_and_anchor(&loaded.request, destination, &file)?;
    let rank = source.list_rank();
    let after = |layer: &Layer| layer.source.list_rank() > rank;
    let at = loaded.layers.iter().position(after).unwrap_or(loaded.layers.len());
    let is_trusted = source != Source::Project || loaded.request.trust.this_folder_trusted;
    loaded.layers.insert(at, Layer::unwritten(source, &file, &anchor).in_folder(is_trusted));
    Some(at)
}

/// Returns the source of a file and the directory at which `/p` starts in it; `None` if the session does not read the
/// file.
fn source_and_anchor(request: &Request, destination: Destination, file: &Path) -> Option<(Source, PathBuf)> {
    let users = request.settings_file(Destination::UserSettings);
    let is_users = users.is_some_and(|users| is_same_path(&users, file));
    let (read, source, anchor) = match destination {
        Destination::Session => return None,
        Destination::LocalSettings => (request.sources.local, Source::Local, local_root(request).0),
        Destination::ProjectSettings if !is_users => {
            (request.sources.project, Source::Project, request.start.clone())
        }
        Destination::ProjectSettings | Destination::UserSettings => {
            (request.sources.user, Source::User, user_directory(request)?)
        }
    };
    read.then_some((source, anchor))
}
