//! The working directories, and the check that a path really is in one of them (`protocol.md` P8, P14).
//!
//! Links are followed before anything is compared, `..` is resolved as by the file system, and a path that can't be
//! followed is in no directory. Changes to a path after it was judged are not seen here.

use std::io;
use std::path::{Path, PathBuf};

/// The length of a path in bytes beyond which every system call fails.
const LONGEST: usize = 4_096;

/// The working directories by their real paths.
#[derive(Debug, Clone)]
pub struct Places {
    roots: Vec<PathBuf>,
}

impl Places {
    /// Creates the places from the session's cwd and the directories that the host added. One that does not exist
    /// contains nothing.
    pub fn new<'a>(cwd: &'a Path, more: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        let named = std::iter::once(cwd).chain(more.into_iter().map(PathBuf::as_path));
        let roots = named.filter(|path| path.is_absolute()).filter_map(|path| path.canonicalize().ok());
        Self { roots: roots.collect() }
    }

    /// Creates the places from these directories alone.
    pub fn of(directories: &[PathBuf]) -> Self {
        let real =
            directories.iter().filter(|path| path.is_absolute()).filter_map(|path| path.canonicalize().ok());
        Self { roots: real.collect() }
    }

    /// Returns whether an absolute path leads into a working directory, or is one.
    pub fn contain(&self, path: &Path) -> bool {
        path.is_absolute() && real(path).is_some_and(|real| self.hold(&real))
    }

    /// Returns the same for a path that is already resolved.
    pub fn hold(&self, real: &Path) -> bool {
        self.roots.iter().any(|root| real.starts_with(root))
    }
}

/// Returns the real path, even of a file that does not exist yet; `None` for links to nothing or in a circle, for `..`
/// after a name that does not exist, and for paths that can't be examined.
pub fn real(path: &Path) -> Option<PathBuf> {
    if path.as_os_str().len() >= LONGEST {
        return None;
    }
    let (mut existing, mut missing) = (path, Vec::new());
    loop {
        match existing.canonicalize() {
            Ok(real) => return Some(missing.iter().rev().fold(real, |path, name| path.join(name))),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return None,
            Err(_) => {
                let (parent, name) = (existing.parent()?, existing.file_name()?);
                // It exists, but leads nowhere. Checked without a trailing slash, which would be followed.
                if parent.join(name).symlink_metadata().is_ok() {
                    return None;
                }
                missing.push(name);
                existing = parent;
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    // rules: P8, P14
    #[test]
    fn a_path_lies_where_it_leads() {
        let root = tempfile::tempdir().unwrap();
        let base = root.path().canonicalize().unwrap();
        for dir in ["work/sub", "more", "out"] {
            fs::create_dir_all(base.join(dir)).unwrap();
        }
        fs::write(base.join("out/secret"), "").unwrap();
        let link = |to: &str, at: &str| symlink(base.join(to), base.join("work").join(at)).unwrap();
        link("out", "away");
        link("out/none", "dangling");
        link("work/sub", "home");
        symlink("circle", base.join("work/circle")).unwrap();
        symlink(base.join("work"), base.join("alias")).unwrap();
        let places = Places::new(&base.join("alias"), &[base.join("more"), base.join("gone")]);
        for (path, inside) in [
            ("work", true),
            ("work/sub/new/deep.txt", true),
            ("alias/sub", true),
            ("more/x", true),
            ("work/home/x", true),
            ("work/home/../../out/secret", false),
            ("work/sub/../../work/x", true),
            ("work/away", false),
            ("work/away/secret", false),
            ("work/away/../out/secret", false),
            ("work/away/../work/sub", true),
            ("work/dangling", false),
            ("work/dangling/", false),
            ("work/dangling/.", false),
            ("work/dangling/x", false),
            ("work/new/", true),
            ("work/circle", false),
            ("work/none/../../out/secret", false),
            ("working", false),
            ("out/secret", false),
            ("gone/x", false),
            (".", false),
        ] {
            assert_eq!(places.contain(&base.join(path)), inside, "{path}");
        }
        assert!(!places.contain(Path::new("work")), "a relative path is nobody's");
        assert!(!places.contain(&base.join("work").join("x/".repeat(3000))));
    }
}
