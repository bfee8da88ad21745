//! All agents of a session, with unique names.

use super::definition::Definition;
use super::read::{self, Place};
use super::{builtin, flag};
use crate::definitions::{self, Fields, Homes};
use becket_engine::config::{Diagnostic, read_text};
use becket_model::Source;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// The agents of a session. Cheap to clone, and immutable: a reload creates a new one.
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
    /// Reads all agents. If two have the same name, the stronger source wins: managed, the command line (`flag`, JSON),
    /// the project, the user, plugins, built-in.
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

    /// Creates a register of these definitions, strongest first, and the built-in ones.
    #[must_use]
    pub fn new(definitions: impl IntoIterator<Item = Definition>) -> Self {
        let mut names = HashSet::new();
        let all = definitions.into_iter().chain(builtin::all());
        let list =
            all.filter(|definition| names.insert(Arc::clone(&definition.name))).map(Arc::new).collect();
        Self { list }
    }

    /// Returns all agents, strongest source first.
    #[must_use]
    pub fn all(&self) -> &[Arc<Definition>] {
        &self.list
    }

    /// Returns the agent with this name, which is case-sensitive.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Arc<Definition>> {
        self.list.iter().find(|definition| *definition.name == *name)
    }

    /// Returns the agent with this name.
    ///
    /// # Errors
    /// Errors with the existing names and the nearest one if there is no such agent.
    pub fn get(&self, name: &str) -> Result<&Arc<Definition>, String> {
        self.find(name).ok_or_else(|| {
            let names: Vec<&str> = self.list.iter().map(|definition| &*definition.name).collect();
            definitions::unknown("agent", name, &names)
        })
    }
}

impl Default for Agents {
    /// Returns the built-in agents.
    fn default() -> Self {
        Self::new([])
    }
}

/// Reads the agents of a directory, or the agent of a file.
fn of_place(place: &Path, source: &Source, found: &mut Vec<Definition>, diagnostics: &mut Vec<Diagnostic>) {
    let files = definitions::markdown(place, source, definitions::is_markdown);
    diagnostics.extend(files.diagnostics);
    for file in files.files.iter().map(|file| files.root.join(file)) {
        let text = match read_text(&file) {
            // The file has been deleted in the meantime.
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
