//! Where a session is, and where a line may leave it.

use crate::places::Places;
use std::path::{Path, PathBuf};

/// What a host lends a session's shell: its directories, and an ear for moves.
pub trait Whereabouts: Send + Sync {
    /// Where the session began: the project's root. A session that would end up outside goes back there.
    fn root(&self) -> PathBuf;

    /// The working directories beside the root, as they are now.
    fn directories(&self) -> Vec<PathBuf>;

    /// A line has moved the session. From now on the session's cwd is `to`; CwdChanged is the host's to fire.
    fn moved(&self, from: &Path, to: &Path);
}

/// The working directories, with the root.
pub(super) fn directories(of: &dyn Whereabouts) -> Vec<PathBuf> {
    let mut all = vec![of.root()];
    all.extend(of.directories());
    all
}

/// Moves the session from `cwd` to where a line's shell was at its end. Gives what the model is told, if that is elsewhere
/// than the line left it.
pub(super) fn settle(of: &dyn Whereabouts, cwd: &Path, shell_was: &Path) -> Option<String> {
    let stays = cwd.canonicalize().is_ok_and(|real| real == shell_was);
    if stays {
        return None;
    }
    let inside = Places::new(&of.root(), &of.directories()).contain(shell_was);
    if inside && shell_was.is_dir() {
        of.moved(cwd, shell_was);
        return None;
    }
    let root = of.root();
    if cwd != root {
        of.moved(cwd, &root);
    }
    let why = if shell_was.is_dir() { "lies outside the working directories" } else { "is gone" };
    Some(format!("Shell cwd was reset to {}: {} {why}", root.display(), shown(shell_was, cwd).display()))
}

/// A session whose directory is gone goes back to its root. Gives what the model is told; nothing has run then.
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

/// A shell that could not say where it is was where it began.
fn shown<'a>(shell_was: &'a Path, cwd: &'a Path) -> &'a Path {
    if shell_was.as_os_str().is_empty() { cwd } else { shell_was }
}
