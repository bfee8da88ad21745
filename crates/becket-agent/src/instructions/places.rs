//! The directories of a project.
//!
//! In a repository, these are the directories from its root down to the start directory. Outside of one, they are those
//! between the home directory and the start directory, which no other user of the machine can write to; elsewhere, only
//! the start directory: a file in `/tmp` is not an instruction. The home directory itself belongs to the user, not to a
//! project.

use std::path::{Path, PathBuf};

/// Directories of installed packages, which do not belong to the project.
const INSTALLED: [&str; 2] = ["node_modules", "site-packages"];

/// Returns the topmost directory of the project that a session works on.
pub(super) fn top<'s>(start: &'s Path, home: Option<&Path>, is_root: impl Fn(&Path) -> bool) -> &'s Path {
    if let Some(root) = start.ancestors().find(|directory| is_root(directory)) {
        return root;
    }
    let below_home =
        |directory: &&Path| home.is_some_and(|home| directory.starts_with(home) && *directory != home);
    start.ancestors().take_while(below_home).last().unwrap_or(start)
}

/// Returns the directories from `top` down to `below`, both included.
pub(super) fn down(top: &Path, below: &Path) -> Vec<PathBuf> {
    let mut directories: Vec<PathBuf> =
        below.ancestors().take_while(|directory| directory.starts_with(top)).map(Path::to_owned).collect();
    directories.reverse();
    directories
}

/// Returns a path relative to a directory that contains it.
pub(super) fn below<'p>(directory: &Path, path: &'p Path) -> Option<&'p Path> {
    path.strip_prefix(directory).ok()
}

/// Returns whether a directory is the root of a repository.
pub(super) fn is_root(directory: &Path) -> bool {
    directory.join(".git").symlink_metadata().is_ok()
}

/// Returns whether a directory contains installed packages.
pub(super) fn is_installed(directory: &Path) -> bool {
    directory.file_name().is_some_and(|name| INSTALLED.iter().any(|installed| name == *installed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_reaches_up_to_its_repository_or_below_the_home() {
        for (start, root, expected) in [
            ("/home/ada/work/app/src", Some("/home/ada/work/app"), "/home/ada/work/app"),
            ("/home/ada/work/app", None, "/home/ada/work"),
            ("/home/ada", None, "/home/ada"),
            ("/home/adam/app", None, "/home/adam/app"),
            ("/tmp/a/b", None, "/tmp/a/b"),
            ("/srv/repo/a", Some("/srv/repo"), "/srv/repo"),
            ("/", None, "/"),
        ] {
            let is_root = |directory: &Path| root.is_some_and(|root| directory == Path::new(root));
            let found = top(Path::new(start), Some(Path::new("/home/ada")), is_root);
            assert_eq!(found, Path::new(expected), "{start}");
        }
        assert_eq!(top(Path::new("/home/ada/x"), None, |_| false), Path::new("/home/ada/x"));
    }

    #[test]
    fn directories_are_listed_from_the_top() {
        let of = |top: &str, below: &str| down(Path::new(top), Path::new(below));
        assert_eq!(of("/a", "/a/b/c"), ["/a", "/a/b", "/a/b/c"].map(PathBuf::from));
        assert_eq!(of("/a", "/a"), ["/a"].map(PathBuf::from));
        assert!(of("/a", "/b").is_empty());
    }
}
