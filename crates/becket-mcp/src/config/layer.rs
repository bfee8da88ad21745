//! The servers of one text, as written.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;

use super::entry::RawEntry;
use super::error::{ConfigError, ServerConfigError};
use super::file_directory::FileDirectory;
use super::fingerprint::Fingerprint;
use super::members::{Members, kind};
use super::name::{self, ServerName};
use super::pairs::Pairs;
use super::place::{Place, Text, words};
use super::scope::Scope;
use becket_base::suggest;

/// The key of the object of servers.
pub(super) const KEY: &str = "mcpServers";

/// The servers of one text, in order. Nothing is decided about them yet: see [`resolve`](super::resolve).
#[derive(Clone)]
pub struct Layer {
    pub(super) scope: Scope,
    /// The directory of the file, if that matters to its servers.
    pub(super) directory: Option<FileDirectory>,
    pub(super) entries: Vec<Entry>,
}

/// One server, as written.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) name: ServerName,
    pub(super) place: Place,
    pub(super) disabled: bool,
    pub(super) fingerprint: Fingerprint,
    pub(super) written: Result<RawEntry, ServerConfigError>,
}

impl Layer {
    /// Places the servers of a project's file in a directory: they start there instead of in the directory of the
    /// options, their relative paths are resolved against it, and an approval covers its path below the project's root.
    #[must_use]
    pub fn in_directory(mut self, directory: &Path, root: &Path) -> Self {
        self.directory = Some(FileDirectory::new(directory, root));
        self
    }

    /// Returns the origin of the layer's entries.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Returns the names of the layer's servers.
    pub fn names(&self) -> impl Iterator<Item = &ServerName> {
        self.entries.iter().map(|entry| &entry.name)
    }
}

/// Prints only names: the content of entries may be secret.
impl fmt::Debug for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.names().map(ToString::to_string).collect();
        f.debug_struct("Layer").field("scope", &self.scope).field("names", &names).finish_non_exhaustive()
    }
}

/// Reads a file of servers, like `.mcp.json`. Keys other than `mcpServers` are ignored.
///
/// `file` is for the messages; nothing is opened.
///
/// # Errors
/// Errors if the text is not JSON or has no `mcpServers`. An error in a single server is reported with that server.
pub fn read_file(text: &str, file: &Path, scope: Scope) -> Result<Layer, ConfigError> {
    let text = Text::new(text, file);
    let root = object(&text, text.text, "the file")?;
    match once(&text, &root, KEY)? {
        Some(servers) => Ok(Layer { entries: entries(&text, servers, &scope)?, directory: None, scope }),
        None => {
            let keys: Vec<&str> = root.0.iter().map(|(key, _)| key.as_str()).collect();
            let meant = suggest(KEY, &keys).map(str::to_owned);
            Err(ConfigError::NoServers { place: text.start(), meant })
        }
    }
}

/// Returns the value of a key, which may occur at most once.
pub(super) fn once<'a>(
    text: &Text<'_>,
    root: &Pairs<'a>,
    key: &str,
) -> Result<Option<&'a RawValue>, ConfigError> {
    let mut found = root.0.iter().filter(|(known, _)| known == key).map(|(_, value)| *value);
    match (found.next(), found.next()) {
        (value, None) => Ok(value),
        (_, Some(second)) => {
            let place = text.start_of(second.get());
            Err(ConfigError::DuplicateKey { place, key: key.to_owned(), effect: "" })
        }
    }
}

/// Reads an object; `what` names it in errors.
pub(super) fn object<'a>(text: &Text<'_>, part: &'a str, what: &str) -> Result<Pairs<'a>, ConfigError> {
    serde_json::from_str(part).map_err(|error| {
        // The parser quotes values of the wrong type, and any of them may be secret.
        if error.is_data() {
            let (place, is) = (text.start_of(part.trim_start()), kind(part.trim_start()));
            ConfigError::WrongKind { place, what: what.to_owned(), is, wanted: "an object", effect: "" }
        } else {
            ConfigError::NotRead { place: text.place_of(part, &error), what: words(&error) }
        }
    })
}

/// Reads the servers of an object.
pub(super) fn entries(text: &Text<'_>, servers: &RawValue, scope: &Scope) -> Result<Vec<Entry>, ConfigError> {
    let Pairs(pairs) = object(text, servers.get(), "`mcpServers`")?;
    let mut entries: Vec<Entry> = Vec::with_capacity(pairs.len());
    let mut known: HashMap<String, usize> = HashMap::with_capacity(pairs.len());
    for (plain, raw) in pairs {
        let place = text.start_of(raw.get());
        let twice = known.get(&plain).and_then(|index| entries.get_mut(*index));
        if let Some(first) = twice {
            first.written = Err(ServerConfigError::NameTwice { place, first: first.place.line });
        } else {
            known.insert(plain.clone(), entries.len());
            entries.push(entry(text, raw, name_in(scope, plain)));
        }
    }
    Ok(entries)
}

fn name_in(scope: &Scope, plain: String) -> ServerName {
    let plugin = match scope {
        Scope::Plugin { name, .. } => Some(name.clone()),
        Scope::Host | Scope::Managed | Scope::CommandLine | Scope::Local | Scope::Project | Scope::User => {
            None
        }
    };
    ServerName { plain, plugin }
}

fn entry(text: &Text<'_>, raw: &RawValue, name: ServerName) -> Entry {
    let place = text.start_of(raw.get());
    // Content that is nested too deeply is compared as text.
    let (fingerprint, too_deep) = match serde_json::from_str::<Value>(raw.get()) {
        Ok(value) => (Fingerprint::of(&value), None),
        Err(error) => (
            Fingerprint::of(&Value::from(raw.get())),
            Some(format!("the entry can't be read: {}", words(&error))),
        ),
    };
    let mut disabled = false;
    let written = Members::read(text, raw, "the entry of a server").and_then(|members| {
        disabled = members.boolean("disabled")?.unwrap_or(false);
        if let Some(what) = too_deep {
            return Err(ServerConfigError::WrongValue { place: place.clone(), what });
        }
        if let Some(why) = name::unfit(&name.plain) {
            let name = name.plain.clone();
            return Err(ServerConfigError::NameUnfit { place: place.clone(), name, why });
        }
        RawEntry::read(&members)
    });
    Entry { name, place, disabled, fingerprint, written }
}
