//! Two paths of one file, and paths in a folder, with links resolved.

use std::path::{Path, PathBuf};

/// Returns true if the paths are equal, or lead to the same file or directory with links resolved.
#[must_use]
pub fn is_same_path(one: &Path, other: &Path) -> bool {
    let is_found_at_one_place =
        || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other);
    one == other || (may_be_same(one, other) && is_found_at_one_place())
}

/// Returns true if a path is below a folder, or is the folder: as it is written, or with links resolved.
#[must_use]
pub fn is_inside(path: &Path, folder: &Path) -> bool {
    path.starts_with(folder) || on_disk(path).starts_with(on_disk(folder))
}

/// Returns a path with the links resolved in the part of it that exists.
#[must_use]
pub fn on_disk(path: &Path) -> PathBuf {
    let mut ancestors = path.ancestors();
    let found = ancestors.find_map(|part| Some((part.canonicalize().ok()?, path.strip_prefix(part).ok()?)));
    found.map_or_else(|| path.to_owned(), |(real, rest)| real.join(rest))
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

    #[test]
    fn a_path_is_inside_of_a_folder_by_name_or_through_links_even_if_its_end_is_missing() {
        let directory = tempfile::tempdir().unwrap();
        let at = |path: &str| directory.path().join(path);
        std::fs::create_dir_all(at("folder/in")).unwrap();
        symlink(at("folder"), at("link")).unwrap();
        for (path, expected) in [
            ("folder", true),
            ("folder/in", true),
            ("folder/missing/file", true),
            ("link/missing/file", true),
            ("folders", false),
            ("other/file", false),
        ] {
            assert_eq!(is_inside(&at(path), &at("folder")), expected, "{path}");
            assert_eq!(is_inside(&at(path), &at("link")), expected, "{path}");
        }
        assert!(is_inside(&at("link/gone/file"), &at("folder/gone")));
    }
}
