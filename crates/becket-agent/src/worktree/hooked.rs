//! Checks whether the worktree that a hook has created is usable.

use super::error::WorktreeError;
use std::path::{Path, PathBuf};

/// Returns the directory that a hook returned, as an absolute path. A relative one is below `cwd`, in which the hook
/// ran; `root` is the main working tree, or the session's start directory outside of one.
///
/// It must be a directory that can be entered, is reached without a link below `root`, and does not contain `root`:
/// work there would affect everything.
pub(super) fn usable(named: &Path, cwd: &Path, root: &Path) -> Result<PathBuf, WorktreeError> {
    let path = cwd.join(named);
    let refused = |because: String| WorktreeError::HookPath { path: path.clone(), because };
    let found = path.metadata().map_err(|error| refused(error.to_string()))?;
    if !found.is_dir() {
        return Err(refused("it is not a directory".to_owned()));
    }
    // A directory that can't be entered fails when its inside is accessed.
    path.join(".").metadata().map_err(|error| refused(format!("it can't be entered: {error}")))?;
    let root = root.canonicalize().map_err(WorktreeError::io(root))?;
    let real = path.canonicalize().map_err(WorktreeError::io(&path))?;
    if root.starts_with(&real) {
        return Err(refused(format!("it contains `{}`, of which it should be a copy", root.display())));
    }
    if let Some(link) = link_below(&path, &root) {
        return Err(refused(format!("`{}` is a link in the repository", link.display())));
    }
    Ok(path)
}

/// Returns the first link in `path` below `root`, regardless of how `root` itself is written.
fn link_below(path: &Path, root: &Path) -> Option<PathBuf> {
    let mut way: Vec<&Path> = path.ancestors().collect();
    way.reverse();
    let mut is_below = false;
    for place in way {
        let is_link = place.symlink_metadata().is_ok_and(|found| found.is_symlink());
        if is_below && is_link {
            return Some(place.to_owned());
        }
        is_below |= place.canonicalize().is_ok_and(|real| real == root);
    }
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    // rule: D11
    #[test]
    fn a_path_of_a_hook_is_checked_before_anybody_works_there() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let at = |path: &str| base.join(path);
        for directory in ["main/trees/a", "main/sub", "out/b", "closed", "outer"] {
            fs::create_dir_all(at(directory)).unwrap();
        }
        fs::write(at("main/file"), "").unwrap();
        symlink(at("out"), at("main/trees/link")).unwrap();
        symlink(at("main/trees/a"), at("main/inner")).unwrap();
        symlink(at("out/b"), at("alias")).unwrap();
        symlink(at("main"), at("main-alias")).unwrap();
        symlink("nowhere", at("dangling")).unwrap();
        fs::set_permissions(at("closed"), fs::Permissions::from_mode(0o600)).unwrap();
        for (named, good) in [
            ("main/trees/a", true),
            ("main-alias/trees/a", true),
            ("out/b", true),
            ("alias", true),
            ("main/trees/link", false),
            ("main/trees/link/b", false),
            ("main/inner", false),
            ("main-alias/inner", false),
            ("main-alias/trees/link/b", false),
            ("main", false),
            ("main-alias", false),
            ("", false),
            ("main/file", false),
            ("main/none", false),
            ("dangling", false),
        ] {
            let found = usable(&at(named), Path::new("/"), &at("main"));
            assert_eq!(found.is_ok(), good, "{named}: {found:?}");
        }
        assert!(usable(Path::new("/"), Path::new("/"), &at("main")).is_err());
        let relative = usable(Path::new("trees/a"), &at("main"), &at("main"));
        assert_eq!(relative.unwrap(), at("main/trees/a"));
        // Root can enter everything.
        if fs::read_dir(at("closed")).is_err() {
            assert!(usable(&at("closed"), Path::new("/"), &at("main")).is_err());
        }
    }
}
