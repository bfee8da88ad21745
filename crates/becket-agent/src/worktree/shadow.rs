//! A second repository next to the repository, with the same objects and a worktree's own index, but without its
//! configuration.
//!
//! Git looks into files only here. Only settings that change how the lines and bits of a file are read are copied from
//! the configuration, by name and by form; filters, monitors and servers that it names do not exist here. Those in the
//! user's own configuration do.

use super::error::WorktreeError;
use super::git::{At, Git, words};
use super::repository::{Repository, text};
use becket_engine::CancellationToken;
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The configuration keys that are copied.
const TAKEN: [&str; 10] = [
    "core.filemode",
    "core.symlinks",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.autocrlf",
    "core.eol",
    "core.longpaths",
    "core.protecthfs",
    "core.protectntfs",
    "extensions.objectformat",
];

/// A shadow of a repository, for one worktree. Removed on drop.
#[derive(Debug)]
pub(super) struct Shadow {
    directory: PathBuf,
    at: At,
}

impl Shadow {
    /// Creates a shadow below `private`, in which `commit` is checked out. `tree` is the worktree, `part` its own part
    /// of the repository.
    pub(super) async fn make(
        git: &Git,
        repository: &Repository,
        part: &Path,
        tree: &Path,
        commit: &str,
        private: &Path,
        cancel: &CancellationToken,
    ) -> Result<Self, WorktreeError> {
        let list =
            words(["config", "--local", "--no-includes", "-z", "--get-regexp", r"^(core|extensions)\."]);
        // Git fails if none of them is set.
        let settings = git.ask(&At::found(&repository.top), "read the configuration", list, cancel).await;
        let config = config(&String::from_utf8_lossy(&settings.unwrap_or_default()));
        let directory = private.join(uuid::Uuid::new_v4().simple().to_string());
        let env = [
            ("GIT_DIR", directory.clone()),
            ("GIT_WORK_TREE", tree.to_owned()),
            ("GIT_INDEX_FILE", part.join("index")),
            ("GIT_OBJECT_DIRECTORY", repository.common.join("objects")),
        ];
        let env = env.map(|(name, path)| (OsString::from(name), OsString::from(path))).to_vec();
        let shadow = Self { at: At { cwd: tree.to_owned(), env }, directory };
        shadow.write(&config, commit, &repository.common).map_err(WorktreeError::io(&shadow.directory))?;
        Ok(shadow)
    }

    fn write(&self, config: &str, commit: &str, common: &Path) -> std::io::Result<()> {
        let directory = &self.directory;
        for inner in ["objects", "refs/heads", "info"] {
            fs::create_dir_all(directory.join(inner))?;
        }
        fs::write(directory.join("config"), config)?;
        fs::write(directory.join("HEAD"), format!("{commit}\n"))?;
        for name in ["info/exclude", "info/attributes"] {
            if let Some(text) = text(&common.join(name)) {
                fs::write(directory.join(name), text)?;
            }
        }
        Ok(())
    }

    /// Returns the directories in which git examines the worktree's files.
    pub(super) fn at(&self) -> &At {
        &self.at
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.directory));
    }
}

/// Returns the configuration of a shadow, from that of the repository: for each entry a key, a newline, its value, a
/// NUL.
fn config(listed: &str) -> String {
    let mut config = String::from("[core]\n\tbare = false\n");
    let mut version = 0;
    for entry in listed.split('\0') {
        let (key, value) = entry.split_once('\n').unwrap_or((entry, "true"));
        let plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let Some((section, name)) = key.split_once('.').filter(|_| TAKEN.contains(&key) && plain) else {
            continue;
        };
        version = version.max(i32::from(section == "extensions"));
        let _ = write!(config, "[{section}]\n\t{name} = {value}\n");
    }
    let _ = write!(config, "[core]\n\trepositoryformatversion = {version}\n");
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_how_files_are_read_is_taken_over() {
        let listed = "core.filemode\nfalse\0core.fsmonitor\n./evil\0core.autocrlf\0core.eol\nlf\n[filter \"x\"]\0\
            core.worktree\n/\0core.attributesfile\n/x\0extensions.objectformat\nsha256\0extensions.partialclone\norigin\0";
        assert_eq!(
            config(listed),
            "[core]\n\tbare = false\n[core]\n\tfilemode = false\n[core]\n\tautocrlf = true\n[extensions]\n\t\
             objectformat = sha256\n[core]\n\trepositoryformatversion = 1\n"
        );
    }
}
