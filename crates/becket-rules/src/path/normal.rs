//! Paths as normal text: absolute, without `.`, `..`, `~` and doubled slashes.
//!
//! Windows forms are read too: `C:\a\b`, `C:/a/b` and `\\?\C:\a` are `/c/a/b`.

use std::path::Path;

/// An absolute, lexically normal path with `/` between its parts; the root is `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Normal(String);

/// The directories in which agents keep their worktrees.
const WORK_TREES: [&str; 3] = ["/.claude/worktrees/", "/.becket/worktrees/", "/.agent/worktrees/"];

impl Normal {
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    pub(crate) fn of(path: &Path) -> Self {
        normalise(&path.to_string_lossy())
    }

    /// Returns the parts below `base`; `None` if the path is not `base` or below it.
    pub(crate) fn below<'a>(&'a self, base: &Self) -> Option<&'a str> {
        let base = base.0.trim_end_matches('/');
        let rest = self.0.strip_prefix(base)?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
    }

    /// Returns the path that a file of an agent's worktree (`.claude/worktrees/NAME`) has in the main working tree.
    pub(crate) fn in_main_tree(&self) -> Option<Self> {
        WORK_TREES.iter().find_map(|trees| {
            let (main, below) = self.0.rsplit_once(trees)?;
            let (_, rest) = below.split_once('/').unwrap_or((below, ""));
            Some(normalise(&format!("{main}/{rest}")))
        })
    }

    /// Returns the directory that is `levels` above; the root is above itself.
    pub(crate) fn up(&self, levels: usize) -> Self {
        let mut text = self.0.as_str();
        for _ in 0..levels {
            text = text.rsplit_once('/').map_or("", |(above, _)| above);
        }
        Self(if text.is_empty() { "/".to_owned() } else { text.to_owned() })
    }

    /// Returns `other` below this path, or alone if it is absolute.
    pub(crate) fn join(&self, other: &str) -> Self {
        if is_absolute(other) { normalise(other) } else { normalise(&format!("{}/{other}", self.0)) }
    }
}

/// Returns the path that `text` names, relative to `cwd`; `None` if it starts with a `~` that can't be resolved (no
/// home, or another user's).
pub(crate) fn lexical(text: &str, cwd: &Normal, home: Option<&Normal>) -> Option<Normal> {
    match text.strip_prefix('~') {
        Some("") => home.cloned(),
        Some(rest) if rest.starts_with(['/', '\\']) => home.map(|home| home.join(&format!("./{rest}"))),
        Some(_) => None,
        None => Some(cwd.join(text)),
    }
}

fn is_absolute(text: &str) -> bool {
    text.starts_with('/') || text.starts_with("\\\\") || drive(text).is_some()
}

/// Returns the drive letter of `C:\…` or `C:/…`, and the rest from the slash.
fn drive(text: &str) -> Option<(char, &str)> {
    let letter = text.chars().next().filter(char::is_ascii_alphabetic)?;
    let rest = text.get(1..)?.strip_prefix(':')?;
    rest.starts_with(['/', '\\']).then_some((letter.to_ascii_lowercase(), rest))
}

fn normalise(text: &str) -> Normal {
    let text = text.strip_prefix("\\\\?\\").unwrap_or(text);
    let windows = text.starts_with("\\\\");
    let (root, rest, windows) = match drive(text) {
        Some((letter, rest)) => (Some(letter.to_string()), rest, true),
        None => (None, text, windows || cfg!(windows)),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in rest.split(|c| c == '/' || (windows && c == '\\')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let parts = root.as_deref().into_iter().chain(parts);
    let mut normal = String::with_capacity(text.len() + 1);
    for part in parts {
        normal.push('/');
        normal.push_str(part);
    }
    Normal(if normal.is_empty() { "/".to_owned() } else { normal })
}
