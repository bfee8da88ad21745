//! Reads a configuration again while a session runs (C8). Running handlers keep the old one; the engine checks the
//! change.

use super::config::Config;
use super::load::load;
use super::plugins::MissingPlugin;
use super::request::Request;
use super::resolve::resolve;
use std::sync::Arc;

/// The result of reading the configuration again.
#[derive(Debug)]
pub enum Reload {
    /// The new configuration is in force from now on.
    Accepted(Arc<Config>),
    /// The old configuration stays: a file can't be read any more that could be before, or no session may start with
    /// the new one.
    Rejected {
        /// The file and its error.
        why: String,
    },
}

/// Loads the files again, and keeps `old` if a file has become unreadable, or a plugin that is on is gone (C8). A deleted
/// file counts as absent.
pub fn reload(old: &Config, request: &Request) -> Reload {
    judge(old, resolve(&load(request)))
}

/// Decides whether a configuration that is already loaded may replace `old`. One that would stop a start does not take
/// effect in a running session either: a broken managed guard must not be weaker here than there (C7, C7b).
pub fn judge(old: &Config, new: Config) -> Reload {
    if let Some(stop) = &new.stops_start {
        return Reload::Rejected { why: stop.to_string() };
    }
    let newly = new.unreadable.iter().find(|file| !old.unreadable.contains(file));
    let found = newly.and_then(|file| new.errors().find(|error| error.file == *file));
    // The guards of a plugin that was there must not go without a word.
    let was_there = |missing: &&MissingPlugin| {
        let is_new = !old.missing_plugins.contains(missing);
        is_new && old.plugins.iter().any(|plugin| missing.is(plugin))
    };
    if let Some(MissingPlugin { id, .. }) = new.missing_plugins.iter().find(was_there) {
        return Reload::Rejected { why: format!("the plugin `{id}` is on and can't be found any more") };
    }
    match found {
        Some(error) => Reload::Rejected { why: error.to_string() },
        None => Reload::Accepted(Arc::new(new)),
    }
}
