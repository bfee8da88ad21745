//! Copies the repository of a project without its remotes, its credentials and its hooks.
//!
//! The objects are not copied: the copy borrows them (`objects/info/alternates`), and adds its own. A pipe or a device
//! among the files of a repository is left out: git could not read it either.

use becket_base::text_file;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The maximum number of files of references.
const MOST_REFERENCES: usize = 20_000;
/// The section of the configuration with the keys that a repository can't be read without: a copy keeps all of them.
const FORMAT: &str = "extensions";
/// The keys of `core` that a copy keeps. None of them names a program or a path.
const OF_CORE: [&str; 16] = [
    "abbrev",
    "autocrlf",
    "bare",
    "bigfilethreshold",
    "checkstat",
    "commentchar",
    "eol",
    "filemode",
    "ignorecase",
    "logallrefupdates",
    "precomposeunicode",
    "quotepath",
    "repositoryformatversion",
    "safecrlf",
    "symlinks",
    "trustctime",
];

/// Copies the repository of the project in `from` to the copy in `to`; nothing if there is none.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let Some(own) = directory(from) else { return Ok(()) };
    let shared = match text_file::read(&own.join("commondir")) {
        Ok(path) => own.join(path.trim()),
        Err(_) => own.clone(),
    };
    let to = to.join(".git");
    fs::create_dir_all(to.join("objects/info"))?;
    fs::create_dir_all(to.join("refs/heads"))?;
    let objects = shared.canonicalize()?.join("objects");
    fs::write(to.join("objects/info/alternates"), format!("{}\n", objects.display()))?;
    for name in ["HEAD", "index"] {
        copy_if_there(&own.join(name), &to.join(name))?;
    }
    if let Ok(packed) = text_file::read(&shared.join("packed-refs")) {
        let kept = packed.lines().filter(|line| !line.contains(" refs/remotes/"));
        fs::write(to.join("packed-refs"), kept.map(|line| format!("{line}\n")).collect::<String>())?;
    }
    for kind in ["heads", "tags"] {
        references(&shared.join("refs").join(kind), &to.join("refs").join(kind))?;
    }
    let config = text_file::read(&shared.join("config")).unwrap_or_default();
    fs::write(to.join("config"), harmless(&config))
}

/// Creates variants of a repository: the same commit on other branches, the last one with an empty index.
pub(super) fn variants(of: &Path, below: &Path, branches: &[&str]) -> io::Result<Vec<PathBuf>> {
    let git = of.join(".git");
    let commit = head_commit(&git);
    let mut made = Vec::new();
    for (number, branch) in branches.iter().enumerate() {
        let to = below.join(number.to_string());
        fs::create_dir_all(to.join("objects/info"))?;
        fs::create_dir_all(to.join("refs/heads"))?;
        for name in ["objects/info/alternates", "packed-refs", "config"] {
            copy_if_there(&git.join(name), &to.join(name))?;
        }
        if number + 1 < branches.len() {
            copy_if_there(&git.join("index"), &to.join("index"))?;
        }
        fs::write(to.join("HEAD"), format!("ref: refs/heads/{branch}\n"))?;
        if let Some(commit) = &commit {
            fs::write(to.join("refs/heads").join(branch), format!("{commit}\n"))?;
        }
        made.push(to);
    }
    Ok(made)
}

fn head_commit(git: &Path) -> Option<String> {
    let head = text_file::read(&git.join("HEAD")).ok()?;
    let Some(name) = head.trim().strip_prefix("ref: ") else { return Some(head.trim().to_owned()) };
    if let Ok(commit) = text_file::read(&git.join(name)) {
        return Some(commit.trim().to_owned());
    }
    let packed = text_file::read(&git.join("packed-refs")).ok()?;
    packed.lines().find_map(|line| line.strip_suffix(name)?.strip_suffix(' ').map(str::to_owned))
}

/// Returns the directory of the repository; for a worktree, a file names it.
fn directory(project: &Path) -> Option<PathBuf> {
    let git = project.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = text_file::read(&git).ok()?;
    Some(project.join(text.trim().strip_prefix("gitdir: ")?)).filter(|directory| directory.is_dir())
}

fn references(from: &Path, to: &Path) -> io::Result<()> {
    let mut left = MOST_REFERENCES;
    let mut directories = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = directories.pop() {
        let Ok(entries) = from.read_dir() else { continue };
        fs::create_dir_all(&to)?;
        for entry in entries {
            let entry = entry?;
            let target = to.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                directories.push((entry.path(), target));
            } else {
                left = left.checked_sub(1).ok_or_else(|| io::Error::other("it has too many references"))?;
                copy_if_there(&entry.path(), &target)?;
            }
        }
    }
    Ok(())
}

fn copy_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match text_file::open(from) {
        Ok(mut file) => io::copy(&mut file, &mut File::create(to)?).map(drop),
        // Missing, or a pipe, a device or a directory.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidInput) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Returns the part of a configuration that a copy needs: the format of the repository and of its files.
fn harmless(config: &str) -> String {
    let mut section = String::new();
    let mut kept = String::new();
    let mut continues = false;
    for line in config.trim_start_matches('\u{feff}').lines() {
        let is_rest = std::mem::replace(&mut continues, line.ends_with('\\'));
        if is_rest {
            continue;
        }
        let mut text = line.trim();
        // Keys may follow on the line of the header.
        while let Some((name, rest)) = header(text) {
            section = name.to_ascii_lowercase();
            text = rest;
        }
        let key = text.split(['=', ' ', '\t']).next().unwrap_or_default().to_ascii_lowercase();
        let is_needed = section == FORMAT && key.starts_with(|c: char| c.is_ascii_alphabetic())
            || section == "core" && OF_CORE.contains(&key.as_str());
        if is_needed && !continues {
            kept.push_str(&format!("[{section}]\n\t{text}\n"));
        }
    }
    kept
}

/// Returns the name of the section that begins here, and the text after its header.
fn header(text: &str) -> Option<(&str, &str)> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let inside = text.strip_prefix('[')?;
    let end = inside.find(|c: char| {
        let is_literal = is_escaped;
        is_escaped = is_quoted && c == '\\' && !is_literal;
        is_quoted ^= c == '"' && !is_literal;
        c == ']' && !is_quoted
    })?;
    let (name, rest) = inside.split_at(end);
    Some((name.trim(), rest.trim_start_matches(']').trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_keeps_neither_remotes_nor_credentials_nor_programs_nor_paths() {
        for (config, expected) in [
            (
                "[core]\n\tbare = false\n\thooksPath = /x\n\tsshCommand = ssh -i key\n",
                "[core]\n\tbare = false\n",
            ),
            ("[remote \"origin\"]\n\turl = https://u:p@x\n[credential]\n\thelper = store\n", ""),
            ("[Extensions]\n\tobjectFormat = sha256\n", "[extensions]\n\tobjectFormat = sha256\n"),
            ("[core] hooksPath = /x\n[core] worktree = /x\n", ""),
            ("[core]eol = lf\n", "[core]\n\teol = lf\n"),
            ("[remote \"x\"] [core] bare\n", "[core]\n\tbare\n"),
            ("[core \"a]b\\\"]\"] bare = true\n[corefoo]\n\tbare = true\n[core.x]\nbare = 1\n", ""),
            ("\u{feff}[core]\r\n\tfilemode = true\r\n", "[core]\n\tfilemode = true\n"),
            ("[core]\n\thooksPath = /x\\\nbare = true\n\tabbrev = 7\n", "[core]\n\tabbrev = 7\n"),
        ] {
            assert_eq!(harmless(config), expected, "{config:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_among_the_files_of_a_repository_is_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let (from, to) = (directory.path().join("from"), directory.path().join("to"));
        for part in ["objects", "refs/heads", "refs/tags"] {
            fs::create_dir_all(from.join(".git").join(part)).unwrap();
        }
        fs::write(from.join(".git/refs/heads/main"), "0123\n").unwrap();
        for name in
            ["HEAD", "index", "config", "packed-refs", "commondir", "refs/heads/pipe", "refs/tags/pipe"]
        {
            let made =
                std::process::Command::new("mkfifo").arg(from.join(".git").join(name)).status().unwrap();
            assert!(made.success(), "{name}");
        }
        copy(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join(".git/refs/heads/main")).unwrap(), "0123\n");
        for name in ["HEAD", "index", "packed-refs", "refs/heads/pipe", "refs/tags/pipe"] {
            assert!(!to.join(".git").join(name).exists(), "{name}");
        }
        fs::remove_file(to.join(".git/config")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(to.join(".git/config")).status().unwrap();
        assert!(made.success());
        let made = variants(&to, &directory.path().join("states"), &["main", "master"]).unwrap();
        assert_eq!(made.len(), 2);
        let git = directory.path().join("of-a-pipe");
        fs::create_dir(&git).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(git.join(".git")).status().unwrap().success());
        assert_eq!(super::directory(&git), None);
    }
}
