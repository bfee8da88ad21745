//! The memory of an agent: a directory that outlives its sessions.
//!
//! The agent's system prompt contains the beginning of the main file and names the directory. The agent reads and
//! writes the files with its own tools, as rules and mode allow: a memory grants no permission.

use super::definition::Definition;
use crate::update::Notice;
use becket_engine::Engine;
use becket_model::Session;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The main file of a memory.
const MAIN_FILE: &str = "MEMORY.md";
/// The maximum part of the main file in a system prompt, in bytes and in lines.
const MOST_BYTES: u64 = 25_000;
const MOST_LINES: usize = 200;
/// The tools that an agent with a memory has, unless its definition takes them away.
pub(super) const TOOLS: [&str; 3] = ["Read", "Write", "Edit"];

/// The sessions that share a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryScope {
    /// All sessions of the user, in all projects.
    User,
    /// All sessions in the project, of everyone who works on it.
    Project,
    /// The user's sessions in the project.
    Local,
}

impl MemoryScope {
    /// All scope names, as used in definitions.
    pub const NAMES: [&str; 3] = ["user", "project", "local"];

    /// Returns the scope with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "user" => Some(MemoryScope::User),
            "project" => Some(MemoryScope::Project),
            "local" => Some(MemoryScope::Local),
            _ => None,
        }
    }
}

/// The settings directories that contain the memories.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryHomes {
    /// The user's settings directory.
    pub user: Option<PathBuf>,
    /// The project's settings directory.
    pub project: Option<PathBuf>,
}

/// The memory of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentMemory {
    /// The settings directory that contains it.
    home: PathBuf,
    directory: PathBuf,
}

impl AgentMemory {
    /// Returns the memory that a definition requests, if it requests one and there is a directory for it.
    pub(crate) fn of(definition: &Definition, homes: &MemoryHomes) -> Option<Self> {
        let (home, parent) = match definition.memory? {
            MemoryScope::User => (homes.user.clone()?, "agent-memory"),
            MemoryScope::Project => (homes.project.clone()?, "agent-memory"),
            MemoryScope::Local => (homes.project.clone()?, "agent-memory-local"),
        };
        // The name of a plugin's agent has a colon.
        let directory = home.join(parent).join(definition.name.replace(':', "-"));
        Some(AgentMemory { home, directory })
    }

    /// Returns the memory's part of the system prompt, and the reason why the main file is left out, if it is.
    pub(crate) fn prompt(&self, engine: &Engine, session: &Session) -> (String, Option<Notice>) {
        let file = self.directory.join(MAIN_FILE);
        let denied = engine.host().denies_read(session, &file);
        let read = match denied {
            Some(why) => Err(why),
            None => self.beginning(&file).map_err(|error| error.to_string()),
        };
        let (kept, notice) = match read {
            Ok(text) => (text, None),
            Err(why) => {
                let what = format!("the memory `{}` of an agent is not read: {why}", file.display());
                (None, Some(Notice::warning(what)))
            }
        };
        let directory = self.directory.display();
        let mut prompt = format!(
            "You have a memory that outlasts this session: the directory `{directory}`. Its main file is \
             `{MAIN_FILE}`; the first {MOST_LINES} lines of it are part of this prompt. Write down what will help you \
             in later sessions, correct what has turned out to be wrong, and move details to files of their own that \
             `{MAIN_FILE}` names."
        );
        match kept {
            Some(text) => prompt.push_str(&format!("\n\n`{MAIN_FILE}`:\n\n{text}")),
            None => prompt.push_str(&format!(" There is no `{MAIN_FILE}` yet.")),
        }
        (prompt, notice)
    }

    /// Returns the beginning of the main file; `None` if there is none.
    fn beginning(&self, file: &Path) -> io::Result<Option<String>> {
        let real = match file.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if !real.starts_with(self.home.canonicalize()?) {
            return Err(io::Error::other(format!("it is a link out of `{}`", self.home.display())));
        }
        if !real.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        let mut bytes = Vec::new();
        File::open(real)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(Some(text.lines().take(MOST_LINES).collect::<Vec<_>>().join("\n")))
    }
}
