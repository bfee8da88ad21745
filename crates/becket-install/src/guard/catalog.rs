//! The guards that are part of Becket.

use crate::guard::error::GuardError;
use crate::guard::folder::{Guard, GuardFile};
use include_dir::{Dir, include_dir};
use std::path::Path;

static GUARDS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/guards");

/// Returns the names of all guards, in order.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = GUARDS.dirs().filter_map(|guard| guard.path().to_str()).collect();
    names.sort_unstable();
    names
}

/// Returns the guard with this name.
///
/// # Errors
/// Errors if there is no such guard.
pub fn guard(name: &str) -> Result<Guard, GuardError> {
    let Some(folder) = GUARDS.get_dir(name).filter(|folder| folder.path() == Path::new(name)) else {
        let near = becket_base::suggest(name, &names()).map(str::to_owned);
        return Err(GuardError::Unknown { name: name.to_owned(), near });
    };
    let files = folder.files().map(|file| GuardFile {
        path: file.path().file_name().unwrap_or_default().to_string_lossy().into_owned(),
        bytes: file.contents().to_vec(),
        executable: false,
    });
    Guard::of(files.collect(), folder.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_guard_can_be_read_and_has_the_name_of_its_folder() {
        assert_eq!(names().len(), 12);
        for name in names() {
            let guard = guard(name).unwrap();
            assert_eq!(guard.manifest.name, name);
            assert!(guard.files.iter().any(|file| file.path == "cases.toml"), "{name}");
        }
    }
}
