//! The provenance of a project's file: whether it may have come with its folder, as in a clone or an unpacked archive,
//! instead of being its user's own (G3). It looks at the file system and runs nothing.
//!
//! INVARIANT: a file that can't be examined counts as one that came with the folder.

use super::git::{Repository, TrackingState};
use std::fs::Metadata;
use std::path::{Component, Path};

/// Returns whether the file at `path`, relative to `root`, may have come with the folder. Without a repository nothing
/// distinguishes the two cases.
pub(super) fn may_come_with_folder(root: &Path, path: &Path, repository: Option<&Repository>) -> bool {
    let Some(repository) = repository else { return true };
    reached_by_detour(root, path) || is_tracked(root, path, repository)
}

/// Returns whether a component of the path is a link or the root of another repository, or the file has a second name:
/// a file of the repository may then be tracked under any name, or by another repository.
fn reached_by_detour(root: &Path, path: &Path) -> bool {
    let mut place = root.to_owned();
    for component in path.components() {
        let Component::Normal(name) = component else { return true };
        place.push(name);
        let Ok(found) = place.symlink_metadata() else { return true };
        let is_another_root = || place.join(".git").symlink_metadata().is_ok();
        if found.is_symlink()
            || (found.is_dir() && is_another_root())
            || (found.is_file() && has_names(&found))
        {
            return true;
        }
    }
    false
}

/// Returns whether the real path of the file is tracked; it leaves the repository only if the root itself is not in
/// one.
fn is_tracked(root: &Path, path: &Path, repository: &Repository) -> bool {
    let (Ok(real), Ok(top)) = (root.join(path).canonicalize(), repository.root.canonicalize()) else {
        return true;
    };
    let Some(name) = real.strip_prefix(&top).ok().and_then(Path::to_str) else { return true };
    let name = if cfg!(windows) { name.replace('\\', "/") } else { name.to_owned() };
    repository.tracks(&name) != TrackingState::No
}

/// Returns whether a file has more names than one.
#[cfg(unix)]
fn has_names(file: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.nlink() > 1
}

#[cfg(not(unix))]
fn has_names(_: &Metadata) -> bool {
    false
}
