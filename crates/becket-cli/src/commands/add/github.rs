//! A guard in a GitHub repository, fetched with git at one commit.
//!
//! Nothing is checked out: files are read from git's objects, so no filter, hook or link of a repository has an effect.

use super::project::guard_error;
use crate::env::Surroundings;
use crate::error::CliError;
use becket_install::guard::{Guard, GuardFile};
use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The host of repositories.
const HOST: &str = "https://github.com";
/// The maximum number of files in a guard, and the maximum size of one, in bytes.
const MOST_FILES: usize = 64;
const MOST_BYTES: u64 = 1 << 20;

/// A folder of a repository at a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GithubSource {
    repository: String,
    /// The folder, with slashes; empty for the whole repository.
    folder: String,
    commit: String,
}

impl fmt::Display for GithubSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.folder.is_empty() { "" } else { "/" };
        write!(f, "github:{}{slash}{}@{}", self.repository, self.folder, self.commit)
    }
}

impl GithubSource {
    /// Reads `OWNER/REPO[/DIR]@COMMIT`.
    ///
    /// # Errors
    /// Errors if it has another form, or the commit is not a full hash: branches and tags change.
    pub(super) fn parse(given: &str) -> Result<Self, String> {
        let wanted = "write `github:OWNER/REPO@COMMIT`, with all 40 digits of the commit";
        let Some((path, commit)) = given.rsplit_once('@') else {
            return Err(format!("`github:{given}` names no commit: {wanted}"));
        };
        if !matches!(commit.len(), 40 | 64) || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(format!(
                "`{commit}` is not a full commit, and what a branch, a tag or a short one means can change: {wanted}"
            ));
        }
        let parts: Vec<&str> = path.split('/').collect();
        let is_name = |part: &&str| {
            !part.is_empty()
                && !part.starts_with(['.', '-'])
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        };
        match parts.as_slice() {
            [owner, name, folder @ ..] if parts.iter().all(is_name) => Ok(GithubSource {
                repository: format!("{owner}/{name}"),
                folder: folder.join("/"),
                commit: commit.to_ascii_lowercase(),
            }),
            _ => Err(format!("`github:{given}` is not a repository: {wanted}")),
        }
    }

    /// Fetches the guard.
    ///
    /// # Errors
    /// Errors if git fails, the fetched commit is another one, or the folder is not a guard.
    pub(super) fn fetch(&self, around: &Surroundings) -> Result<Guard, CliError> {
        let failed =
            |why: String| CliError::guard(format!("nothing was added: {self} can't be fetched: {why}"));
        let directory = tempfile::Builder::new().prefix("becket-guard-").tempdir_in(&around.process.temp);
        let directory = directory.map_err(|error| failed(error.to_string()))?;
        let git = Git { directory: directory.path() };
        let files = self.files(&git).map_err(failed)?;
        Guard::of(files, Path::new(&self.to_string())).map_err(guard_error)
    }

    fn files(&self, git: &Git<'_>) -> Result<Vec<GuardFile>, String> {
        let url = format!("{HOST}/{}", self.repository);
        git.run(&["init", "--quiet", "--bare", "--template=", "."])?;
        git.run(&["fetch", "--quiet", "--depth", "1", "--no-tags", &url, &self.commit])?;
        let fetched = git.text(&["rev-parse", "FETCH_HEAD^{commit}"])?;
        if fetched.trim() != self.commit {
            return Err(format!("the commit that came is {}", fetched.trim()));
        }
        let tree = format!("{}:{}", self.commit, self.folder);
        let listed = git.text(&["ls-tree", "-r", "-z", "--long", &tree])?;
        let entries: Vec<&str> = listed.split('\0').filter(|entry| !entry.is_empty()).collect();
        if entries.len() > MOST_FILES {
            return Err(format!("it has more than {MOST_FILES} files: name the folder of a guard"));
        }
        entries.into_iter().map(|entry| file(entry, git)).collect()
    }
}

/// Reads a file, given its line of `git ls-tree`: mode, type, object, size and path.
fn file(entry: &str, git: &Git<'_>) -> Result<GuardFile, String> {
    let (facts, path) = entry.split_once('\t').ok_or("git has listed no files")?;
    let facts: Vec<&str> = facts.split_ascii_whitespace().collect();
    let [mode, _, object, size] = *facts.as_slice() else {
        return Err("git has listed no files".to_owned());
    };
    if !matches!(mode, "100644" | "100755") {
        let what = if mode == "120000" { "a link" } else { "another repository" };
        return Err(format!("`{path}` is {what}: a guard holds regular files of its own folder only"));
    }
    if size.parse::<u64>().is_ok_and(|size| size > MOST_BYTES) {
        return Err(format!("`{path}` is larger than {} MiB", MOST_BYTES >> 20));
    }
    let bytes = git.run(&["cat-file", "blob", object])?;
    Ok(GuardFile { path: path.to_owned(), bytes, executable: mode == "100755" })
}

/// Runs git in a directory, without prompts and isolated from any repository that this process is in.
struct Git<'a> {
    directory: &'a Path,
}

impl Git<'_> {
    fn run(&self, arguments: &[&str]) -> Result<Vec<u8>, String> {
        let mut git = Command::new("git");
        git.args(["-c", "core.hooksPath=/dev/null", "-c", "fetch.fsckObjects=true", "-c", "gc.auto=0"]);
        git.args(arguments).current_dir(self.directory).stdin(Stdio::null()).env("GIT_TERMINAL_PROMPT", "0");
        for variable in
            ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"]
        {
            git.env_remove(variable);
        }
        let ended = git.output().map_err(|error| format!("git can't be run: {error}"))?;
        match ended.status.success() {
            true => Ok(ended.stdout),
            false => Err(format!("git says: {}", String::from_utf8_lossy(&ended.stderr).trim())),
        }
    }

    fn text(&self, arguments: &[&str]) -> Result<String, String> {
        String::from_utf8(self.run(arguments)?).map_err(|_| "a path is not UTF-8".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    #[test]
    fn a_source_is_pinned_by_a_whole_commit() {
        let whole = GithubSource::parse(&format!("example/guards/a/b@{COMMIT}"));
        assert_eq!(whole.map(|source| source.to_string()), Ok(format!("github:example/guards/a/b@{COMMIT}")));
        for (given, expected) in [
            ("example/guards".to_owned(), "names no commit"),
            ("example/guards@main".to_owned(), "is not a full commit"),
            (format!("example/guards@{}", &COMMIT[..12]), "is not a full commit"),
            (format!("example@{COMMIT}"), "is not a repository"),
            (format!("example/guards/../x@{COMMIT}"), "is not a repository"),
            (format!("-c/guards@{COMMIT}"), "is not a repository"),
            (format!("example/a b@{COMMIT}"), "is not a repository"),
        ] {
            let error = GithubSource::parse(&given).expect_err(&given);
            assert!(error.contains(expected), "{error}");
        }
    }
}
