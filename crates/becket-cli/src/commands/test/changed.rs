//! `becket test --changed`: the cases that changes since the last commit may affect.

use crate::error::CliError;
use becket_engine::Engine;
use becket_lab::Case;
use becket_lab::suite;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Keeps the cases whose own file, or the settings or scripts of a hook of their events, differ from the last commit.
///
/// # Errors
/// Errors if git can't list the changes.
pub(super) fn retain(cases: &mut Vec<Arc<Case>>, root: &Path, engine: &Engine) -> Result<(), CliError> {
    let changed = changed_files(root)?;
    let hooks = engine.host().hooks();
    cases.retain(|case| suite::is_concerned(case, &hooks, root, &changed));
    Ok(())
}

/// Returns the files that differ from the last commit, including untracked ones.
fn changed_files(root: &Path) -> Result<BTreeSet<PathBuf>, CliError> {
    let refused =
        |why: String| CliError::usage(format!("`--changed` needs a git repository with a commit: {why}"));
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root).args(arguments).output();
        let output = output.map_err(|error| refused(error.to_string()))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(refused(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
    };
    let top = git(&["rev-parse", "--show-toplevel"])?;
    let top = path_of(top.strip_suffix(b"\n").unwrap_or(&top));
    // Of a file with a new name, both names count: a hook may still name the old one.
    let tracked = git(&["diff", "--name-only", "--no-renames", "-z", "HEAD"])?;
    // Names are relative to the directory in which git runs here, and to the top of the repository there.
    let untracked = git(&["ls-files", "--others", "--exclude-standard", "-z", "--full-name"])?;
    let names = tracked.split(|byte| *byte == 0).chain(untracked.split(|byte| *byte == 0));
    Ok(names.filter(|name| !name.is_empty()).map(|name| top.join(path_of(name))).collect())
}

/// Returns the path that git has written. Its name need not be UTF-8.
fn path_of(name: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(std::ffi::OsStr::from_bytes(name))
    }
    #[cfg(not(unix))]
    PathBuf::from(String::from_utf8_lossy(name).into_owned())
}
