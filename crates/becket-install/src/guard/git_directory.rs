//! The branches of a repository, as its files name them.

use std::fs;
use std::path::{Path, PathBuf};

/// Names of branches that are shared in most repositories.
const SHARED: [&str; 5] = ["main", "master", "trunk", "develop", "production"];

/// Returns the shared branches of the repository in `root`: the default one of `origin`, then those with usual names.
pub(super) fn shared_branches(root: &Path) -> Vec<String> {
    let Some(directory) = common_directory(root) else { return Vec::new() };
    let mut found: Vec<String> = Vec::new();
    let default = read(&directory.join("refs/remotes/origin/HEAD"));
    found.extend(
        default
            .as_deref()
            .and_then(|text| text.trim().strip_prefix("ref: refs/remotes/origin/"))
            .map(str::to_owned),
    );
    let packed = read(&directory.join("packed-refs")).unwrap_or_default();
    let head = read(&directory.join("HEAD")).unwrap_or_default();
    for name in SHARED {
        let reference = format!("refs/heads/{name}");
        let is_there = directory.join(&reference).is_file()
            || packed.lines().any(|line| line.ends_with(&format!(" {reference}")))
            || head.trim() == format!("ref: {reference}");
        if is_there && !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    }
    found
}

/// Returns the directory with the references, also for a worktree.
fn common_directory(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let own = root.join(read(&git)?.trim().strip_prefix("gitdir: ")?);
    let common = read(&own.join("commondir")).map(|common| own.join(common.trim()));
    Some(common.unwrap_or(own))
}

fn read(path: &Path) -> Option<String> {
    becket_base::text_file::read(path).ok()
}

/// Returns true if a directory is the root of a repository.
pub(super) fn is_repository(root: &Path) -> bool {
    fs::symlink_metadata(root.join(".git")).is_ok()
}
