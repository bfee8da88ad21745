//! The directory of a session, and the directories that a line may move it to.

use super::report::ShellWas;
use crate::places::Places;
use std::path::{Path, PathBuf};

/// A host's directories for a session's shell, and the receiver of changes of the session's directory.
pub trait Whereabouts: Send + Sync {
    /// Returns the directory in which the session began: the project's root. A session that would end up outside
    /// returns there.
    fn root(&self) -> PathBuf;

    /// Returns the working directories besides the root, as they are now.
    fn directories(&self) -> Vec<PathBuf>;

    /// Called when a line has moved the session. From now on the session's cwd is `to`; the host has to fire
    /// CwdChanged.
    fn moved(&self, from: &Path, to: &Path);
}

/// Returns the working directories, including the root.
pub(super) fn directories(of: &dyn Whereabouts) -> Vec<PathBuf> {
    let mut all = vec![of.root()];
    all.extend(of.directories());
    all
}

/// Moves the session from `cwd` to the final directory of a line's shell. Returns the text for the model, if the
/// session ends up elsewhere.
pub(super) fn settle(of: &dyn Whereabouts, cwd: &Path, shell_was: &ShellWas) -> Option<String> {
    let why = match shell_was {
        ShellWas::At(there) if cwd.canonicalize().is_ok_and(|cwd| cwd == *there) => return None,
        ShellWas::At(there) if there.is_dir() => {
            if Places::new(&of.root(), &of.directories()).contain(there) {
                of.moved(cwd, there);
                return None;
            }
            format!("{} lies outside the working directories", there.display())
        }
        ShellWas::At(_) | ShellWas::Nowhere => "the directory that it was in is gone".to_owned(),
    };
    let root = of.root();
    if cwd != root {
        of.moved(cwd, &root);
    }
    Some(format!("Shell cwd was reset to {}: {why}", root.display()))
}

/// Moves a session whose directory is gone back to its root. Returns the text for the model; nothing has run then.
pub(super) fn recover(of: &dyn Whereabouts, cwd: &Path) -> Option<String> {
    if cwd.is_dir() {
        return None;
    }
    let (gone, root) = (cwd.display(), of.root());
    if root == cwd || !root.is_dir() {
        return Some(format!("the working directory {gone} is gone: the command was not run"));
    }
    of.moved(cwd, &root);
    let root = root.display();
    Some(format!(
        "the working directory {gone} is gone: the command was not run. The session is in {root} now"
    ))
}
