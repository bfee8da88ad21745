//! Reads a configuration again while a session runs (C8). Running handlers keep the old one; the engine checks the
//! change.

use super::config::Config;
use super::load::load;
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

/// Loads the files again, and keeps `old` if a file has become unreadable (C8). A deleted file counts as absent.
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
    match found {
        Some(error) => Reload::Rejected { why: error.to_string() },
        None => Reload::Accepted(Arc::new(new)),
    }
}
