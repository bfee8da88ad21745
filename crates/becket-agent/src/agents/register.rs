//! All agents of a session, each name once.

use super::definition::Definition;
use super::read::{self, Place};
use super::{builtin, flag};
use crate::definitions::{self, Fields, Homes};
use becket_engine::config::{Diagnostic, read_text};
use becket_model::Source;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// The agents of a session. Cheap to clone, and never changed: a reload makes another.
#[derive(Debug, Clone)]
pub struct Agents {
    list: Arc<[Arc<Definition>]>,
}

/// The definitions that were loaded, and the problems with the others.
#[derive(Debug)]
#[non_exhaustive]
pub struct LoadedAgents {
    /// The agents.
    pub agents: Agents,
    /// Errors and warnings, by file and position.
    pub diagnostics: Vec<Diagnostic>,
}

impl Agents {
    /// Reads them all. Of two with one name the stronger source counts: managed, the command line (`flag`, JSON), the
    /// project, the user, plugins, those that are built in.
    #[must_use]
    pub fn load(homes: &Homes, flag: Option<&str>) -> LoadedAgents {
        let (mut found, mut diagnostics) = (Vec::new(), homes.diagnostics.clone());
        let (managed, others): (Vec<_>, Vec<_>) =
            homes.list.iter().partition(|home| home.source == Source::Policy);
        for home in managed {
            for place in &home.agents {
                of_place(place, &home.source, &mut found, &mut diagnostics);
            }
        }
        if let Some(text) = flag {
            let (definitions, findings) = flag::read(text);
            found.extend(definitions);
            diagnostics.extend(findings);
        }
        for home in others {
            for place in &home.agents {
                of_place(place, &home.source, &mut found, &mut diagnostics);
            }
        }
        LoadedAgents { agents: Self::new(found), diagnostics }
    }

    /// These and those that are built in, the strongest first.
    #[must_use]
    pub fn new(definitions: impl IntoIterator<Item = Definition>) -> Self {
        let mut names = HashSet::new();
        let all = definitions.into_iter().chain(builtin::all());
        let list =
            all.filter(|definition| names.insert(Arc::clone(&definition.name))).map(Arc::new).collect();
        Self { list }
    }

    /// All of them, the strongest source first.
    #[must_use]
    pub fn all(&self) -> &[Arc<Definition>] {
        &self.list
    }

    /// The agent of that name, case-sensitive.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Arc<Definition>> {
        self.list.iter().find(|definition| *definition.name == *name)
    }

    /// The agent of that name.
    ///
    /// # Errors
    /// There is none: which ones there are, and the nearest.
    pub fn get(&self, name: &str) -> Result<&Arc<Definition>, String> {
        self.find(name).ok_or_else(|| {
            let names: Vec<&str> = self.list.iter().map(|definition| &*definition.name).collect();
            definitions::unknown("agent", name, &names)
        })
    }
}

impl Default for Agents {
    /// Those that are built in.
    fn default() -> Self {
        Self::new([])
    }
}

/// Reads the agents of a directory, or the one of a file.
fn of_place(place: &Path, source: &Source, found: &mut Vec<Definition>, diagnostics: &mut Vec<Diagnostic>) {
    let files = definitions::markdown(place, source, definitions::is_markdown);
    diagnostics.extend(files.diagnostics);
    for file in files.files.iter().map(|file| files.root.join(file)) {
        let text = match read_text(&file) {
            // It was there a moment ago.
            Ok(None) => continue,
            Ok(Some(text)) => text,
            Err(error) => {
                diagnostics.push(definitions::unreadable(&file, source, &error));
                continue;
            }
        };
        let mut fields = Fields::of(&text, &file, source);
        let place = Place { source, file: &file, namespace: definitions::namespace(source), text: &text };
        found.extend(read::definition(&mut fields, place));
        diagnostics.append(&mut fields.diagnostics);
    }
}
