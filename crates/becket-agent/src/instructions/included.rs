//! The target of an included path.

use std::path::{Path, PathBuf};

/// Extensions that mark an `@word` as a file path.
const ENDS: [&str; 2] = [".md", ".txt"];
/// Prefixes that mark an `@word` as a file path.
const BEGINS: [&str; 4] = ["./", "../", "~/", "/"];

/// Returns the file that `written` refers to in the file `parent`; `None` if it is relative to a missing home
/// directory.
pub(super) fn at(written: &str, parent: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let is_homeless = written.starts_with("~/") && home.is_none();
    let directory = parent.parent().unwrap_or(parent);
    (!is_homeless).then(|| becket_engine::absolute(written, directory, home))
}

/// Returns whether the author certainly meant a file, so that a missing one is reported.
pub(super) fn is_surely_a_path(written: &str) -> bool {
    BEGINS.iter().any(|begin| written.starts_with(begin)) || ENDS.iter().any(|end| written.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_seen_from_the_file_that_includes_it() {
        let parent = Path::new("/work/docs/a.md");
        for (written, expected) in [
            ("b.md", Some("/work/docs/b.md")),
            ("../b.md", Some("/work/b.md")),
            ("/etc/x", Some("/etc/x")),
            ("~/x", Some("/home/ada/x")),
            ("~x", Some("/work/docs/~x")),
        ] {
            assert_eq!(at(written, parent, Some(Path::new("/home/ada"))), expected.map(PathBuf::from));
        }
        assert_eq!(at("~/x", parent, None), None);
        assert!(["./x", "a/b.md", "~/x", "/x", "../x", "n.txt"].iter().all(|path| is_surely_a_path(path)));
        assert!(!["ada", "types/node", "README"].iter().any(|path| is_surely_a_path(path)));
    }
}
