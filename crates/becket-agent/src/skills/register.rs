//! All skills and commands of a session, with unique names.

use super::read::{self, Place};
use super::skill::{Kind, Skill};
use crate::definitions::{self, Fields, Home, Homes};
use becket_engine::config::{Diagnostic, read_text};
use becket_model::Source;
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The file that makes a directory a skill.
const SKILL: &str = "SKILL.md";

/// The skills and commands of a session. Cheap to clone, and immutable: a reload creates a new one.
#[derive(Debug, Clone, Default)]
pub struct Skills {
    list: Arc<[Arc<Skill>]>,
}

/// The definitions that were loaded, and the problems with the others.
#[derive(Debug)]
#[non_exhaustive]
pub struct LoadedSkills {
    /// The skills.
    pub skills: Skills,
    /// Errors and warnings, by file and position.
    pub diagnostics: Vec<Diagnostic>,
}

impl Skills {
    /// Reads all skills and commands. If two have the same name, the stronger source wins: managed, the user, the
    /// project, plugins; within one source a skill beats a command. A project's file can't replace a skill that the
    /// user knows.
    #[must_use]
    pub fn load(homes: &Homes) -> LoadedSkills {
        let mut homes: Vec<&Home> = homes.list.iter().collect();
        homes.sort_by_key(|home| home.source.list_rank());
        homes.sort_by_key(|home| rank(&home.source));
        let mut reading = SkillReader::default();
        for home in homes {
            reading.home(home);
        }
        LoadedSkills { skills: Self::new(reading.found), diagnostics: reading.diagnostics }
    }

    /// Creates a register of these skills, strongest first.
    #[must_use]
    pub fn new(skills: impl IntoIterator<Item = Skill>) -> Self {
        let mut names = HashSet::new();
        let kept = skills.into_iter().filter(|skill| names.insert(Arc::clone(&skill.name)));
        Self { list: kept.map(Arc::new).collect() }
    }

    /// Returns the commands, and only those skills that have these names.
    #[must_use]
    pub(crate) fn without_skills_except(&self, names: &[String]) -> Self {
        let is_kept =
            |skill: &&Arc<Skill>| skill.kind != Kind::Skill || names.iter().any(|name| *name == *skill.name);
        Self { list: self.list.iter().filter(is_kept).cloned().collect() }
    }

    /// Returns all skills and commands, strongest source first.
    #[must_use]
    pub fn all(&self) -> &[Arc<Skill>] {
        &self.list
    }

    /// Returns the skill or command with this name; a leading `/` is ignored.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Arc<Skill>> {
        let name = name.trim().trim_start_matches('/');
        self.list.iter().find(|skill| *skill.name == *name)
    }

    /// Returns the skills and commands that the user may type.
    pub fn for_user(&self) -> impl Iterator<Item = &Arc<Skill>> {
        self.list.iter().filter(|skill| skill.for_user)
    }

    /// Returns the skills and commands that the model may use.
    pub fn for_model(&self) -> impl Iterator<Item = &Arc<Skill>> {
        self.list.iter().filter(|skill| skill.for_model)
    }
}

/// Returns the rank of a source; lower is stronger.
fn rank(source: &Source) -> u8 {
    match source {
        Source::Policy => 0,
        Source::Flag => 1,
        Source::User => 2,
        Source::Project | Source::Local => 3,
        Source::Plugin(_) => 4,
        Source::Skill(_) | Source::Agent(_) | Source::Callback | Source::Function => 5,
    }
}

#[derive(Default)]
struct SkillReader {
    found: Vec<Skill>,
    diagnostics: Vec<Diagnostic>,
}

impl SkillReader {
    fn home(&mut self, home: &Home) {
        let is_skill = |path: &Path| path.file_name().is_some_and(|name| name == SKILL);
        for place in &home.skills {
            self.place(home, place, Kind::Skill, is_skill);
        }
        for place in &home.commands {
            self.place(home, place, Kind::Command, definitions::is_markdown);
        }
    }

    fn place(&mut self, home: &Home, place: &Path, kind: Kind, wanted: impl Fn(&Path) -> bool) {
        let files = definitions::markdown(place, &home.source, wanted);
        self.diagnostics.extend(files.diagnostics);
        for below in files.files {
            self.file(home, &files.root, &below, kind);
        }
    }

    fn file(&mut self, home: &Home, directory: &Path, below: &Path, kind: Kind) {
        let (source, file) = (&home.source, directory.join(below));
        let text = match read_text(&file) {
            // The file has been deleted in the meantime.
            Ok(None) => return,
            Ok(Some(text)) => text,
            Err(error) => {
                self.diagnostics.push(definitions::unreadable(&file, source, &error));
                return;
            }
        };
        let mut fields = Fields::of(&text, &file, source);
        let path_name = path_name(directory, below, kind);
        let namespace = definitions::namespace(source);
        let root = namespace.map(|_| home.directory.as_path());
        let place = Place { source, file: &file, kind, path_name: &path_name, namespace, root, text: &text };
        self.found.extend(read::skill(&mut fields, place));
        self.diagnostics.append(&mut fields.diagnostics);
    }
}

/// Returns the name of a definition from its path: `git/tidy.md` is `git:tidy`; a skill is named after its directory.
fn path_name(directory: &Path, below: &Path, kind: Kind) -> String {
    let path = match kind {
        Kind::Command => below.with_extension(""),
        Kind::Skill => {
            directory.join(below).parent().and_then(Path::file_name).map(PathBuf::from).unwrap_or_default()
        }
    };
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
    });
    names.collect::<Vec<_>>().join(":")
}
