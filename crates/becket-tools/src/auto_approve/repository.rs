//! The check that git, run in a directory, finds a repository that can't make it run anything.
//!
//! A plain repository has a `.git` directory beside the files, in a working directory, with objects of its own, a
//! configuration of harmless keys only, no hook for a refreshed index, no link among the files that git quotes, and no
//! submodule, which would have a configuration of its own. Worktrees, bare repositories and repositories above the
//! working directories need a question.

use super::git_config::is_harmless;
use super::git_index::has_only_files;
use crate::places::Places;
use std::fs::{DirEntry, File};
use std::io::{self, Read};
use std::path::Path;

/// The maximum length of a configuration or an index, in bytes. No sensible repository has a longer one.
const LONGEST: u64 = 8 << 20;

/// Directories of small files that git prints, as the state of a rebase or because it can't parse them.
const QUOTED: [&str; 5] = ["", "info", "rebase-merge", "rebase-apply", "sequencer"];

/// Returns whether the repository that git finds from `base` is plain.
pub(super) fn is_plain(base: &Path, places: &Places) -> bool {
    let Ok(base) = base.canonicalize() else { return false };
    for directory in base.ancestors() {
        let inner = directory.join(".git");
        if inner.symlink_metadata().is_ok() {
            return places.hold(directory) && is_plain_inside(&inner);
        }
        // Git treats a directory that looks like the inside of a repository as one. It needs at least a HEAD: the rest
        // may be elsewhere.
        if directory.join("HEAD").symlink_metadata().is_ok() {
            return false;
        }
    }
    false
}

fn is_plain_inside(inner: &Path) -> bool {
    // A name that ends with a slash would be followed.
    let directory = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());
    let absent = |name: &str| {
        inner.join(name).symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    };
    let own = ["refs", "objects", "objects/pack", "objects/info"]
        .into_iter()
        .all(|name| directory(&inner.join(name)));
    let quiet = ["commondir", "objects/info/alternates", "hooks/post-index-change"].into_iter().all(absent);
    directory(inner)
        && own
        && quiet
        && QUOTED.iter().all(|name| has_no_links(&inner.join(name)))
        && head_is_valid(inner)
        && config_is_harmless(inner)
        && index_is_plain(inner)
}

/// Returns whether the directory has no links. Git would quote the file that a link leads to, wherever it is.
fn has_no_links(directory: &Path) -> bool {
    let is_link = |entry: io::Result<DirEntry>| {
        entry.and_then(|entry| entry.file_type()).map_or(true, |kind| kind.is_symlink())
    };
    match directory.read_dir() {
        Ok(entries) => !entries.into_iter().any(is_link),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Returns whether HEAD can be parsed. Git ignores a directory whose HEAD is invalid, and continues in its parents.
fn head_is_valid(inner: &Path) -> bool {
    let text = contents(&inner.join("HEAD")).and_then(|bytes| String::from_utf8(bytes).ok());
    let Some(line) = text.as_deref().and_then(|text| text.strip_suffix('\n')) else { return false };
    match line.strip_prefix("ref: refs/") {
        Some(name) => !name.is_empty() && !name.contains(|c: char| c.is_control() || c.is_whitespace()),
        None => line.len() == 40 && line.bytes().all(|byte| byte.is_ascii_hexdigit()),
    }
}

fn config_is_harmless(inner: &Path) -> bool {
    let text = contents(&inner.join("config")).and_then(|bytes| String::from_utf8(bytes).ok());
    text.is_some_and(|text| is_harmless(&text))
}

/// Returns whether the index is plain. A repository without an index has nothing staged yet.
fn index_is_plain(inner: &Path) -> bool {
    let index = inner.join("index");
    match index.symlink_metadata() {
        Err(error) => error.kind() == io::ErrorKind::NotFound,
        Ok(_) => contents(&index).is_some_and(|bytes| has_only_files(&bytes)),
    }
}

fn contents(path: &Path) -> Option<Vec<u8>> {
    if !path.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(LONGEST + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= LONGEST).then_some(bytes)
}
