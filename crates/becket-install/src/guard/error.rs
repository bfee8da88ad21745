//! The reasons why a guard can't be read, added or removed.

use crate::document::DocumentError;
use becket_base::config_file::FileError;
use std::path::PathBuf;

/// The reason why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// No guard has the name.
    #[error("there is no guard `{name}`{}; `becket add --list` shows all", did_you_mean(.near))]
    Unknown {
        /// The name.
        name: String,
        /// The nearest name.
        near: Option<String>,
    },
    /// The guard was not added to this project.
    #[error("`{name}` was not added to this project{}", did_you_mean(.near))]
    NotAdded {
        /// The name.
        name: String,
        /// The nearest name.
        near: Option<String>,
    },
    /// A file of the guard can't be read.
    #[error("`{}` can't be read: {why}", path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: String,
    },
    /// The folder of the guard contains a link or a special file.
    #[error("`{}` is {what}: a guard holds regular files of its own folder only", path.display())]
    NotRegular {
        /// The file.
        path: PathBuf,
        /// Its kind.
        what: String,
    },
    /// The folder of the guard is too large.
    #[error("`{}` is not a guard: {why}", path.display())]
    TooLarge {
        /// The folder.
        path: PathBuf,
        /// The limit.
        why: String,
    },
    /// The manifest is wrong.
    #[error("the manifest `{}` is wrong: {why}", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// The cause.
        why: String,
    },
    /// A question has no answer.
    #[error("`{guard}` needs an answer ({text}): pass `--set {id}=VALUE`")]
    NoAnswer {
        /// The guard.
        guard: String,
        /// The question.
        id: String,
        /// Its text.
        text: String,
    },
    /// An answer has no question.
    #[error("`{guard}` has no question `{id}`; {}", questions(.known))]
    NoQuestion {
        /// The guard.
        guard: String,
        /// The name.
        id: String,
        /// The questions of the guard.
        known: Vec<String>,
    },
    /// An answer can't be written.
    #[error("the answer `{value}` to `{id}` can't be used: it must be one line of text")]
    BadAnswer {
        /// The question.
        id: String,
        /// The answer.
        value: String,
    },
    /// A file of the project can't be used.
    #[error("`{}`: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: FileError,
    },
    /// The settings can't be edited.
    #[error("`{}` was left alone: {why}", path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: DocumentError,
    },
    /// The record was not written by Becket.
    #[error("the record of guards `{}` is broken: {why}; bring it back from version control", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: String,
    },
    /// The file with this name is not the guard's.
    #[error("`{}` is there already, and `{guard}` did not write it: move it away first", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The guard.
        guard: String,
    },
    /// A link leads out of the project.
    #[error("a symbolic link in the path of `{}` leads out of the project: replace the link first", path.display())]
    Outside {
        /// The file.
        path: PathBuf,
    },
    /// A file of the guard was edited.
    #[error(
        "`{}` was edited since `{guard}` was added, and would be overwritten: take the edit back, or remove the guard first",
        path.display()
    )]
    Edited {
        /// The file.
        path: PathBuf,
        /// The guard.
        guard: String,
    },
    /// A hook of the guard was edited in the settings.
    #[error(
        "a hook of `{guard}` was edited in `{}`, so nothing was removed: take the edit back, or delete that hook by hand \
         and run the command again",
        path.display()
    )]
    EditedHook {
        /// The settings.
        path: PathBuf,
        /// The guard.
        guard: String,
    },
}

fn did_you_mean(near: &Option<String>) -> String {
    near.as_ref().map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default()
}

fn questions(known: &[String]) -> String {
    match known {
        [] => "it has none".to_owned(),
        known => format!("its questions are `{}`", known.join("`, `")),
    }
}
