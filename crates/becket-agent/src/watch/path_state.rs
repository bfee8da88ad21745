//! The state of a path, and its changes since then.

use becket_engine::config::read_text;
use sha2::{Digest, Sha256};
use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

/// The state of a path. Equal states mean the same file, unchanged; links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathState {
    /// Nothing exists at the path.
    Nothing,
    /// A file or a directory.
    Something {
        length: u64,
        modified: Option<SystemTime>,
        /// The identity of the file, on systems that report it.
        id: u64,
    },
}

impl PathState {
    /// Reads the state of a path.
    pub(super) fn at(path: &Path) -> Self {
        match path.metadata() {
            // A change inside a directory does not make it a different directory.
            Ok(found) if found.is_dir() => Self::Something { length: 0, modified: None, id: 0 },
            Ok(found) => {
                Self::Something { length: found.len(), modified: found.modified().ok(), id: id(&found) }
            }
            Err(_) => Self::Nothing,
        }
    }

    /// Returns the change since `before`, as in FileChanged.
    pub(super) fn since(self, before: Self) -> Option<&'static str> {
        match (before, self) {
            (Self::Nothing, Self::Nothing) => None,
            (Self::Nothing, Self::Something { .. }) => Some("add"),
            (Self::Something { .. }, Self::Nothing) => Some("unlink"),
            (before, now) => (before != now).then_some("change"),
        }
    }
}

#[cfg(unix)]
fn id(found: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    found.ino()
}

#[cfg(not(unix))]
fn id(_: &Metadata) -> u64 {
    0
}

/// The state of a settings file. A file that is rewritten with the same text has not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Nothing,
    Unreadable,
    Text([u8; 32]),
}

impl Content {
    /// Reads the state of a file.
    pub(super) fn of(path: &Path) -> Self {
        match read_text(path) {
            Ok(None) => Self::Nothing,
            Ok(Some(text)) => Self::Text(Sha256::digest(text.as_bytes()).into()),
            Err(_) => Self::Unreadable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_tells_what_has_happened_since() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("a");
        let nothing = PathState::at(&file);
        std::fs::write(&file, "one").unwrap();
        let one = PathState::at(&file);
        std::fs::write(&file, "longer").unwrap();
        let longer = PathState::at(&file);
        let other = root.path().join("b");
        std::fs::write(&other, "LONGER").unwrap();
        std::fs::rename(&other, &file).unwrap();
        let replaced = PathState::at(&file);
        for (before, now, event) in [
            (nothing, nothing, None),
            (nothing, one, Some("add")),
            (one, longer, Some("change")),
            (longer, longer, None),
            (longer, replaced, Some("change")),
            (longer, nothing, Some("unlink")),
        ] {
            assert_eq!(now.since(before), event);
        }
        let directory = PathState::at(root.path());
        std::fs::write(root.path().join("more"), "").unwrap();
        assert_eq!(PathState::at(root.path()).since(directory), None);
    }
}
