//! Copies the repository of a project without its remotes, its credentials and its hooks.
//!
//! The objects are not copied: the copy borrows them (`objects/info/alternates`), and adds its own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The maximum number of files of references.
const MOST_REFERENCES: usize = 20_000;
/// Sections of the configuration that a copy keeps.
const SECTIONS: [&str; 2] = ["[core", "[extensions"];
/// Keys of these sections that start programs or lead elsewhere.
const DROPPED: [&str; 10] = [
    "hookspath",
    "sshcommand",
    "fsmonitor",
    "editor",
    "pager",
    "askpass",
    "worktree",
    "gitproxy",
    "attributesfile",
    "excludesfile",
];

/// Copies the repository of the project in `from` to the copy in `to`; nothing if there is none.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let Some(own) = directory(from) else { return Ok(()) };
    let shared = match fs::read_to_string(own.join("commondir")) {
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
    if let Ok(packed) = fs::read_to_string(shared.join("packed-refs")) {
        let kept = packed.lines().filter(|line| !line.contains(" refs/remotes/"));
        fs::write(to.join("packed-refs"), kept.map(|line| format!("{line}\n")).collect::<String>())?;
    }
    for kind in ["heads", "tags"] {
        references(&shared.join("refs").join(kind), &to.join("refs").join(kind))?;
    }
    let config = fs::read_to_string(shared.join("config")).unwrap_or_default();
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
    let head = fs::read_to_string(git.join("HEAD")).ok()?;
    let Some(name) = head.trim().strip_prefix("ref: ") else { return Some(head.trim().to_owned()) };
    if let Ok(commit) = fs::read_to_string(git.join(name)) {
        return Some(commit.trim().to_owned());
    }
    let packed = fs::read_to_string(git.join("packed-refs")).ok()?;
    packed.lines().find_map(|line| line.strip_suffix(name)?.strip_suffix(' ').map(str::to_owned))
}

/// Returns the directory of the repository; for a worktree, a file names it.
fn directory(project: &Path) -> Option<PathBuf> {
    let git = project.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = fs::read_to_string(&git).ok()?;
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
    match fs::copy(from, to) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Returns a configuration without the settings that a copy must not have.
fn harmless(config: &str) -> String {
    let mut keeps = false;
    let mut kept = String::new();
    for line in config.lines() {
        let text = line.trim().to_ascii_lowercase();
        if text.starts_with('[') {
            keeps = SECTIONS.iter().any(|section| text.starts_with(section));
        }
        if keeps && !DROPPED.iter().any(|key| text.starts_with(key)) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn a_configuration_keeps_neither_remotes_nor_credentials_nor_programs() {
        let config = "[core]\n\tbare = false\n\thooksPath = /x\n\tsshCommand = ssh -i key\n[remote \"origin\"]\n\
                      \turl = https://u:p@x\n[credential]\n\thelper = store\n[extensions]\n\tobjectFormat = sha256\n";
        assert_eq!(harmless(config), "[core]\n\tbare = false\n[extensions]\n\tobjectFormat = sha256\n");
    }
}
