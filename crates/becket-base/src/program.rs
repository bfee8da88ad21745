//! Programs on a search path.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Returns true for a regular file that its owner, its group or others may execute, links resolved.
#[cfg(unix)]
#[must_use]
pub fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Returns true for a regular file: the system has no mode that says more.
#[cfg(not(unix))]
#[must_use]
pub fn is_executable(file: &Path) -> bool {
    file.is_file()
}

/// Returns the first program of a name in the directories of `search_path`, which is written as `PATH` is.
///
/// Relative directories are skipped: what they name changes with the working directory. On Windows the name is also tried
/// with the ends `.exe`, `.cmd` and `.bat`.
#[must_use]
pub fn find_program(name: &str, search_path: &OsStr) -> Option<PathBuf> {
    const ENDS: &[&str] = if cfg!(windows) { &["", ".exe", ".cmd", ".bat"] } else { &[""] };
    std::env::split_paths(search_path)
        .filter(|directory| directory.is_absolute())
        .flat_map(|directory| ENDS.iter().map(move |end| directory.join(format!("{name}{end}"))))
        .find(|file| is_executable(file))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn the_first_file_that_may_be_executed_is_found() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        for directory in ["text", "folder/tool", "link", "last"] {
            fs::create_dir_all(path(directory)).unwrap();
        }
        fs::write(path("text/tool"), "").unwrap();
        fs::write(path("last/tool"), "").unwrap();
        fs::set_permissions(path("last/tool"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink(path("last/tool"), path("link/tool")).unwrap();
        let find =
            |directories: &[PathBuf]| find_program("tool", &std::env::join_paths(directories).unwrap());
        let skipped = [path("missing"), path("text"), path("folder")];
        assert_eq!(find(&skipped), None);
        for wanted in ["link", "last"] {
            let directories = [&skipped[..], &[path(wanted), path("last")]].concat();
            assert_eq!(find(&directories), Some(path(wanted).join("tool")));
        }
    }

    #[test]
    fn relative_directories_are_skipped() {
        assert!(find_program("sh", OsStr::new("/usr/bin:/bin")).is_some());
        assert_eq!(find_program("sh", OsStr::new("../../../../../../../../../bin:bin:")), None);
        assert_eq!(find_program("sh", OsStr::new("")), None);
    }
}
