//! The git repository around a directory, and the files that its index tracks (C4, G3). It runs no `git` and changes
//! nothing.
//!
//! A `.git` that is a file (a worktree, a submodule) makes its directory a separate root. A doubtful answer is
//! [`TrackingState::Unknown`], which callers treat like yes.

use super::source::read;
use std::path::{Path, PathBuf};

/// A working tree and the directory of its git data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repository {
    pub(crate) root: PathBuf,
    git_dir: PathBuf,
    /// Set if the git data belongs to this working tree: it is inside it, or points back to it. Otherwise its index may
    /// be that of another tree, which an unpacked archive can borrow.
    is_own: bool,
}

/// The result of a lookup in the index of git.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrackingState {
    /// The index contains the file, or has an entry in place of one of its directories.
    Yes,
    /// The index does not contain the file.
    No,
    /// The index could not be read to its end, is split, or belongs to another tree.
    Unknown,
}

/// The largest index that is read, in bytes: about half a million files.
const MAX_INDEX: u64 = 64 * 1024 * 1024;

/// The largest of the other files of git that are read, in bytes.
const MAX_FILE: u64 = 64 * 1024;

impl Repository {
    /// Returns the repository that contains `start`: its nearest parent with a `.git`, as git itself would find it.
    pub(crate) fn around(start: &Path) -> Option<Self> {
        start.ancestors().find_map(|root| {
            let dot_git = root.join(".git");
            let is_link = dot_git.symlink_metadata().ok()?.is_symlink();
            let (git_dir, is_own) = if dot_git.is_dir() {
                (dot_git, !is_link)
            } else {
                let git_dir = git_file_target(root, &dot_git)?;
                let is_own = points_back(&git_dir, root);
                (git_dir, is_own && !is_link)
            };
            holds_git_data(&git_dir).then(|| Repository { root: root.to_owned(), git_dir, is_own })
        })
    }

    /// Returns whether the index contains the file at `path`, relative to the root, with `/` between its parts.
    pub(crate) fn tracks(&self, path: &str) -> TrackingState {
        if !self.is_own {
            return TrackingState::Unknown;
        }
        match read::bytes(&self.git_dir.join("index"), MAX_INDEX) {
            Ok(None) => TrackingState::No,
            Ok(Some(index)) => tracked_in(&index, path.as_bytes()),
            Err(_) => TrackingState::Unknown,
        }
    }
}

/// Returns the root of the git repository around a directory, as git itself would find it.
pub fn repository_root(start: &Path) -> Option<PathBuf> {
    Repository::around(start).map(|repository| repository.root)
}

/// Returns whether git itself would accept the directory; otherwise git searches further up.
fn holds_git_data(git_dir: &Path) -> bool {
    let is_worktree = || git_dir.join("commondir").is_file();
    git_dir.join("HEAD").is_file()
        && (is_worktree() || (git_dir.join("objects").is_dir() && git_dir.join("refs").is_dir()))
}

/// Returns the path that a `.git` file points to.
fn git_file_target(root: &Path, file: &Path) -> Option<PathBuf> {
    let text = small_text(file)?;
    Some(root.join(text.strip_prefix("gitdir:")?.trim()))
}

/// Returns whether git data outside of a tree names the tree: a worktree by its `gitdir` file, a submodule by
/// `core.worktree`.
fn points_back(git_dir: &Path, root: &Path) -> bool {
    let is = |named: &str, place: &Path| match (git_dir.join(named).canonicalize(), place.canonicalize()) {
        (Ok(named), Ok(place)) => named == place,
        (Ok(_) | Err(_), Ok(_) | Err(_)) => false,
    };
    if let Some(named) = small_text(&git_dir.join("gitdir")) {
        return is(named.trim(), &root.join(".git"));
    }
    let config = small_text(&git_dir.join("config")).unwrap_or_default();
    let mut values = config.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        key.trim().eq_ignore_ascii_case("worktree").then(|| value.trim().trim_matches('"'))
    });
    values.next_back().is_some_and(|named| is(named, root))
}

fn small_text(file: &Path) -> Option<String> {
    String::from_utf8(read::bytes(file, MAX_FILE).ok()??).ok()
}

/// Looks up a path. Object names have 20 or 32 bytes; only the right length leads exactly to the end of the index.
fn tracked_in(index: &[u8], path: &[u8]) -> TrackingState {
    [20, 32].into_iter().find_map(|hash| walk(index, path, hash)).unwrap_or(TrackingState::Unknown)
}

/// Searches the index; `None` if this is not an index with object names of `hash` bytes.
fn walk(index: &[u8], path: &[u8], hash: usize) -> Option<TrackingState> {
    let mut rest = index.strip_prefix(b"DIRC")?;
    let version = number(&mut rest)?;
    let count = number(&mut rest)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let (mut found, mut name) = (false, Vec::new());
    for _ in 0..count {
        rest = entry(rest, version, hash, &mut name)?;
        found |= reaches(&name, path);
    }
    let split = extensions(rest, hash)?;
    Some(match (found, split) {
        (true, _) => TrackingState::Yes,
        (false, false) => TrackingState::No,
        (false, true) => TrackingState::Unknown,
    })
}

/// Returns whether an entry of the index is the file at `path`, or replaces one of its directories: a link, a
/// submodule, or, in a sparse index, a whole directory. Some file systems ignore case.
fn reaches(entry: &[u8], path: &[u8]) -> bool {
    let covers = |entry: &[u8]| {
        let entry = entry.strip_suffix(b"/").unwrap_or(entry);
        let Some((start, rest)) = path.split_at_checked(entry.len()) else { return false };
        start.eq_ignore_ascii_case(entry) && matches!(rest.first(), None | Some(b'/')) && !entry.is_empty()
    };
    covers(entry) || (!entry.is_ascii() && covers(folded(entry).as_bytes()))
}

/// Returns a name as file systems compare it that ignore case and invisible characters.
fn folded(name: &[u8]) -> String {
    let is_skipped = |c: &char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let text = String::from_utf8_lossy(name);
    let seen = text.chars().filter(|c| !is_skipped(c));
    seen.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// Reads the name of an entry and returns the bytes after the entry.
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

/// Returns whether there is a `link` extension, which moves entries into another file. The checksum must follow the
/// last extension.
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

/// Reads a variable-length number of index version 4.
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
