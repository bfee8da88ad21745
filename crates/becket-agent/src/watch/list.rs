//! The files that FileChanged watches. Pure.

use std::path::{Path, PathBuf};

/// The maximum number of paths that a session watches for its hooks.
pub(super) const MOST: usize = 1000;

/// The watched paths, and messages about those that are not watched.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct List {
    pub(super) paths: Vec<PathBuf>,
    pub(super) warnings: Vec<String>,
}

impl List {
    /// Combines the static list, which matchers name in the cwd (M8), and the dynamic one, which hooks returned last
    /// (D11).
    pub(super) fn of(names: &[&str], cwd: &Path, dynamic: &[PathBuf]) -> Self {
        let mut list = Self::default();
        // A name that contains a directory is still a name: the matcher is tested against base names.
        for name in names {
            list.add(becket_engine::absolute(name, cwd, None));
        }
        for path in dynamic {
            match path.is_absolute() {
                true => list.add(becket_engine::absolute(&path.to_string_lossy(), cwd, None)),
                false => list.warnings.push(format!(
                    "`watchPaths` has to hold absolute paths: `{}` is not watched",
                    path.display()
                )),
            }
        }
        if list.paths.len() > MOST {
            let left_out = list.paths.len() - MOST;
            list.warnings.push(format!("hooks want more than {MOST} paths watched: {left_out} are not"));
            list.paths.truncate(MOST);
        }
        list
    }

    fn add(&mut self, path: PathBuf) {
        if path.parent().is_some() && !self.paths.contains(&path) {
            self.paths.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rules: M8, D11
    #[test]
    fn names_lie_in_the_cwd_and_paths_are_absolute() {
        let dynamic = ["/etc/hosts", "relative", "/work/.env", "/a/../b", "/"].map(PathBuf::from);
        let list = List::of(&[".env", "Cargo.toml", "*", "sub/x"], Path::new("/work"), &dynamic);
        let expected = ["/work/.env", "/work/Cargo.toml", "/work/*", "/work/sub/x", "/etc/hosts", "/b"];
        assert_eq!(list.paths, expected.map(PathBuf::from));
        assert!(list.warnings.len() == 1 && list.warnings[0].contains("`relative`"), "{:?}", list.warnings);
        let many: Vec<PathBuf> = (0..MOST + 5).map(|n| PathBuf::from(format!("/f{n}"))).collect();
        let list = List::of(&[], Path::new("/work"), &many);
        assert_eq!(list.paths.len(), MOST);
        assert!(list.warnings[0].ends_with(": 5 are not"), "{:?}", list.warnings);
    }
}
