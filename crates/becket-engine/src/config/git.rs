//! Which git repository a directory lies in, and whether git tracks a file of it (C4, G3). It runs no `git` and
//! changes nothing.
//!
//! A `.git` that is a file (a worktree, a submodule) makes its directory a root of its own. What the index can't
//! say for certain is [`Tracked::Unknown`], and whoever asks holds back as if the answer were yes.

use super::source::read;
use std::path::{Path, PathBuf};

/// A working tree and where its git data lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repository {
    pub(crate) root: PathBuf,
    git_dir: PathBuf,
}

/// Whether git tracks a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tracked {
    /// It stands in the index.
    Yes,
    /// It does not.
    No,
    /// The index could not be read to its end, or is split.
    Unknown,
}

/// The largest index that is read, in bytes: about half a million files.
const MAX_INDEX: u64 = 64 * 1024 * 1024;

impl Repository {
    /// The repository that `start` lies in: its nearest parent with a `.git`.
    pub(crate) fn around(start: &Path) -> Option<Self> {
        start.ancestors().find_map(|root| {
            let dot_git = root.join(".git");
            let git_dir = if dot_git.is_dir() { dot_git } else { pointed_to(root, &dot_git)? };
            git_dir.join("HEAD").exists().then(|| Repository { root: root.to_owned(), git_dir })
        })
    }

    /// Whether the index has the file at `path`, relative to the root, with `/` between its parts.
    pub(crate) fn tracks(&self, path: &str) -> Tracked {
        match read::bytes(&self.git_dir.join("index"), MAX_INDEX) {
            Ok(None) => Tracked::No,
            Ok(Some(index)) => tracked_in(&index, path.as_bytes()),
            Err(_) => Tracked::Unknown,
        }
    }
}

/// Where a `.git` file points.
fn pointed_to(root: &Path, file: &Path) -> Option<PathBuf> {
    let text = String::from_utf8(read::bytes(file, 64 * 1024).ok()??).ok()?;
    Some(root.join(text.strip_prefix("gitdir:")?.trim()))
}

/// Object names have 20 bytes, in newer repositories 32; only the right length leads exactly to the end.
fn tracked_in(index: &[u8], path: &[u8]) -> Tracked {
    [20, 32].into_iter().find_map(|hash| walk(index, path, hash)).unwrap_or(Tracked::Unknown)
}

/// `None`: this is no index with object names of `hash` bytes.
fn walk(index: &[u8], path: &[u8], hash: usize) -> Option<Tracked> {
    let mut rest = index.strip_prefix(b"DIRC")?;
    let version = number(&mut rest)?;
    let count = number(&mut rest)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let (mut found, mut name) = (false, Vec::new());
    for _ in 0..count {
        rest = entry(rest, version, hash, &mut name)?;
        // A sparse index holds whole directories, with a slash at the end.
        found |= name == path || (name.ends_with(b"/") && path.starts_with(&name));
    }
    let split = extensions(rest, hash)?;
    Some(match (found, split) {
        (true, _) => Tracked::Yes,
        (false, false) => Tracked::No,
        (false, true) => Tracked::Unknown,
    })
}

/// Reads one entry's name; what follows it.
fn entry<'i>(from: &'i [u8], version: u32, hash: usize, name: &mut Vec<u8>) -> Option<&'i [u8]> {
    let flags_at = 40 + hash;
    let flags = u16::from_be_bytes([*from.get(flags_at)?, *from.get(flags_at + 1)?]);
    let extended = version >= 3 && flags & 0x4000 != 0;
    let head = flags_at + if extended { 4 } else { 2 };
    let mut rest = from.get(head..)?;
    if version == 4 {
        let drop = offset(&mut rest)?;
        name.truncate(name.len().checked_sub(drop)?);
    } else {
        name.clear();
    }
    let end = rest.iter().position(|byte| *byte == 0)?;
    name.extend_from_slice(rest.get(..end)?);
    if version == 4 {
        return rest.get(end + 1..);
    }
    // Padded with one to eight zero bytes to a multiple of eight.
    from.get((head + end) / 8 * 8 + 8..)
}

/// Whether there is a `link` extension, which moves entries into another file. The checksum must follow the last.
fn extensions(mut rest: &[u8], hash: usize) -> Option<bool> {
    let mut split = false;
    while rest.len() > hash {
        split |= rest.starts_with(b"link");
        rest = rest.get(4..)?;
        let length = usize::try_from(number(&mut rest)?).ok()?;
        rest = rest.get(length..)?;
    }
    (rest.len() == hash).then_some(split)
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    let (bytes, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(u32::from_be_bytes(*bytes))
}

/// The variable-length number of index version 4.
fn offset(rest: &mut &[u8]) -> Option<usize> {
    let mut value = 0_usize;
    loop {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        value = value.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?;
    }
}
