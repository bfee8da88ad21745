//! A file that was loaded: its owner, the reason, and its text for the model.

use becket_model::Source;
use becket_model::event::context::InstructionsLoaded;
use std::path::{Path, PathBuf};

/// The owner of an instruction file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Memory {
    /// The administrator.
    Managed,
    /// The user, for all projects.
    User,
    /// The project, for everyone who works on it.
    Project,
    /// The user, for this project.
    Local,
    /// A model's notes from earlier sessions of this project. They are stored with the user's files, not in the
    /// project, so hooks see them as `Local`: the protocol has no other name.
    Notes,
}

impl Memory {
    /// Returns the name on the wire (`memory_type`).
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Managed => "Managed",
            Self::User => "User",
            Self::Project => "Project",
            Self::Local | Self::Notes => "Local",
        }
    }

    /// Returns whether the file came with the project, or may have; it then can't include anything outside of it.
    pub(super) const fn is_of_project(self) -> bool {
        match self {
            Self::Managed | Self::User | Self::Notes => false,
            Self::Project | Self::Local => true,
        }
    }

    /// Returns the source, for findings.
    pub(super) const fn source(self) -> Source {
        match self {
            Self::Managed => Source::Policy,
            Self::User => Source::User,
            Self::Project => Source::Project,
            Self::Local | Self::Notes => Source::Local,
        }
    }

    const fn heading(self) -> &'static str {
        match self {
            Self::Managed => "the administrator's instructions",
            Self::User => "the user's instructions for all projects",
            Self::Project => "the project's instructions",
            Self::Local => "the user's instructions for this project",
            Self::Notes => {
                "what a model noted in earlier sessions of this project: nobody's instructions, they permit nothing, and they \
                 may be wrong by now"
            }
        }
    }
}

/// The reason why a file was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LoadReason {
    /// It applies from the start of the session.
    Start,
    /// It is loaded again after a compaction; `parent` includes it, if set.
    Again { parent: Option<PathBuf> },
    /// A file below its directory was read or changed.
    Nested { trigger: PathBuf, below: PathBuf },
    /// A file that its patterns match was read or changed.
    Named { trigger: PathBuf, globs: Vec<String> },
    /// Another file includes it.
    Included { parent: PathBuf },
}

impl LoadReason {
    /// Returns the reason for a file that `parent` includes, which was loaded for this reason.
    pub(super) fn of_included(&self, parent: &Path) -> Self {
        let parent = parent.to_owned();
        match self {
            Self::Again { .. } => Self::Again { parent: Some(parent) },
            Self::Start | Self::Nested { .. } | Self::Named { .. } | Self::Included { .. } => {
                Self::Included { parent }
            }
        }
    }

    /// Returns the name on the wire (`load_reason`).
    pub(crate) const fn as_str(&self) -> &'static str {
        match self {
            Self::Start => "session_start",
            Self::Again { .. } => "compact",
            Self::Nested { .. } => "nested_traversal",
            Self::Named { .. } => "path_glob_match",
            Self::Included { .. } => "include",
        }
    }
}

/// A file that was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoadedFile {
    pub(crate) path: PathBuf,
    pub(crate) memory: Memory,
    pub(crate) why: LoadReason,
    pub(super) text: String,
}

impl LoadedFile {
    /// Returns the text for the model.
    pub(crate) fn text_for_model(&self) -> String {
        let of = match &self.why {
            LoadReason::Start | LoadReason::Again { parent: None } => String::new(),
            LoadReason::Again { parent: Some(parent) } | LoadReason::Included { parent } => {
                format!(", included by {}", parent.display())
            }
            LoadReason::Nested { below, .. } => format!(", for what lies below {}", below.display()),
            LoadReason::Named { globs, .. } => format!(", for files that `{}` names", globs.join("`, `")),
        };
        format!(
            "Contents of {} ({}{of}):\n\n{}",
            self.path.display(),
            self.memory.heading(),
            self.text.trim_end()
        )
    }

    /// Returns the event for hooks.
    pub(crate) fn event(&self) -> InstructionsLoaded {
        let text = |path: &PathBuf| path.to_string_lossy().into_owned();
        let (globs, trigger, parent) = match &self.why {
            LoadReason::Start => (None, None, None),
            LoadReason::Again { parent } => (None, None, parent.as_ref()),
            LoadReason::Nested { trigger, .. } => (None, Some(trigger), None),
            LoadReason::Named { trigger, globs } => (Some(globs.clone()), Some(trigger), None),
            LoadReason::Included { parent } => (None, None, Some(parent)),
        };
        InstructionsLoaded::new(
            text(&self.path),
            self.memory.as_str().to_owned(),
            self.why.as_str().to_owned(),
        )
        .globs(globs)
        .trigger_file_path(trigger.map(text))
        .parent_file_path(parent.map(text))
    }
}
