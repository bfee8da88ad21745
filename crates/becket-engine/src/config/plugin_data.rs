//! The directory in which a plugin keeps data, `…_PLUGIN_DATA`: made when a handler of it first runs (C9).

use std::path::Path;

/// Makes the directory, for the user alone. Where it can't be made the handler runs all the same and finds it missing: a
/// guard that runs is stricter than one that does not.
pub(crate) fn make(directory: &Path) {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    private(&mut builder);
    drop(builder.create(directory));
}

#[cfg(unix)]
fn private(builder: &mut std::fs::DirBuilder) {
    use std::os::unix::fs::DirBuilderExt as _;
    builder.mode(0o700);
}

#[cfg(not(unix))]
fn private(_: &mut std::fs::DirBuilder) {}
