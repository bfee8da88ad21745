//! Two paths of one file.

use std::path::Path;

/// Returns true if the paths are equal, or lead to the same file or directory with links resolved.
#[must_use]
pub fn is_same_path(one: &Path, other: &Path) -> bool {
    let is_found_at_one_place =
        || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other);
    one == other || (may_be_same(one, other) && is_found_at_one_place())
}

/// Returns false if the paths certainly differ, which is cheaper to find out than resolving them.
#[cfg(unix)]
fn may_be_same(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let file = |path: &Path| path.metadata().ok().map(|found| (found.dev(), found.ino()));
    file(one).is_some_and(|one| file(other) == Some(one))
}

#[cfg(not(unix))]
fn may_be_same(_: &Path, _: &Path) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_lead_to_the_same_file_and_copies_do_not() {
        let directory = tempfile::tempdir().unwrap();
        let [file, link, hard, copy, missing] =
            ["file", "link", "hard", "copy", "missing"].map(|name| directory.path().join(name));
        std::fs::write(&file, "text").unwrap();
        symlink(&file, &link).unwrap();
        std::fs::hard_link(&file, &hard).unwrap();
        std::fs::copy(&file, &copy).unwrap();
        assert!(is_same_path(&file, &link) && is_same_path(&link, &file) && is_same_path(&file, &file));
        assert!(is_same_path(&missing, &missing));
        for other in [hard, copy, missing] {
            assert!(!is_same_path(&file, &other) && !is_same_path(&other, &link), "{other:?}");
        }
    }
}
