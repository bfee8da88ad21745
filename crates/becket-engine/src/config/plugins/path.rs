//! Paths that a plugin or a marketplace may name: relative, and inside their directory, both as written and through
//! links.

use std::path::{Component, Path, PathBuf};

/// The reason why a path is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum PathError {
    /// It is absolute, or climbs with `..`.
    #[error("leads out of it")]
    Outside,
    /// A link on the way leads out.
    #[error("leads out of it by a link")]
    Link,
    /// A separator of Windows, which names another file elsewhere.
    #[error("has a backslash in it")]
    Backslash,
}

/// Returns a relative path without `..`, cleaned of `./`.
pub(super) fn relative(path: &str) -> Result<PathBuf, PathError> {
    if !cfg!(windows) && path.contains('\\') {
        return Err(PathError::Backslash);
    }
    let mut clean = PathBuf::new();
    for component in Path::new(path).components() {
        match component {
            Component::CurDir => {}
            Component::Normal(part) => clean.push(part),
            Component::Prefix(_) | Component::RootDir | Component::ParentDir => {
                return Err(PathError::Outside);
            }
        }
    }
    Ok(clean)
}

/// Checks that no link takes `path` out of `boundary`. A path that does not exist leads nowhere.
pub(super) fn no_way_out(path: &Path, boundary: &Path) -> Result<(), PathError> {
    match (path.canonicalize(), boundary.canonicalize()) {
        (Ok(real), Ok(boundary)) if !real.starts_with(&boundary) => Err(PathError::Link),
        _ => Ok(()),
    }
}

/// Resolves a directory as settings and records write it: absolute, below the home (`~/`), or from `anchor`.
pub(super) fn directory(written: &str, anchor: &Path, home: Option<&Path>) -> PathBuf {
    let path = match (written.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        (Some(_), None) | (None, _) => anchor.join(written),
    };
    // Without the `./` that people write, which would show in every path below it.
    path.components().collect()
}
