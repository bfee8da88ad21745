//! Expansion of globs in the current state of the tree.
//!
//! The matches include all that bash would find, and possibly more, which does no harm: letter case and leading dots
//! don't count, and a `?` is any text. A glob with brackets, which depend on the locale, is not expanded.

use std::path::Path;

/// The maximum number of directory entries that are examined for one glob.
const MOST: usize = 10_000;

/// The expansion of a glob.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// The directories that are listed.
    pub(super) listed: Vec<String>,
    /// The words that the glob may expand to, including itself.
    pub(super) words: Vec<String>,
}

/// Expands a glob in a directory; `None` if the result is uncertain or too large.
pub(super) fn expand(base: &Path, glob: &str) -> Option<Matches> {
    let unknown = |c: char| matches!(c, '[' | ']' | '\\' | '(' | '\0');
    if glob.contains(unknown) || glob.contains("**") || glob.starts_with(['-', '~']) {
        return None;
    }
    let (mut matches, mut looked) = (Matches::default(), 0);
    let mut found = vec![String::new()];
    for (at, part) in glob.split('/').enumerate() {
        let slash = if at == 0 { "" } else { "/" };
        if !part.contains(['*', '?']) {
            found.iter_mut().for_each(|word| *word = format!("{word}{slash}{part}"));
            continue;
        }
        let mut next = Vec::new();
        for word in found {
            let prefix = format!("{word}{slash}");
            matches.listed.push(if prefix.is_empty() { ".".to_owned() } else { prefix.clone() });
            // Some versions of bash match these two with `.*`.
            let own = [".", ".."].iter().filter(|_| part.starts_with('.')).map(|name| (*name).to_owned());
            for name in names(&base.join(&prefix))?.into_iter().chain(own) {
                looked += 1;
                if looked > MOST {
                    return None;
                }
                if may_match(part, &name) {
                    next.push(format!("{prefix}{name}"));
                }
            }
        }
        found = next;
    }
    found.push(glob.to_owned());
    matches.words = found;
    Some(matches)
}

/// Returns the names in a directory; none if it is not a directory, `None` if it can't be read.
fn names(directory: &Path) -> Option<Vec<String>> {
    if !directory.is_dir() {
        return Some(Vec::new());
    }
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
    directory.read_dir().ok()?.take(MOST + 1).map(name).collect()
}

fn may_match(part: &str, name: &str) -> bool {
    let (part, name) = (part.to_lowercase(), name.to_lowercase());
    let pieces: Vec<&str> = part.split(['*', '?']).collect();
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return true };
    let Some(mut remaining) = name.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else {
        return false;
    };
    for piece in &pieces[1..pieces.len() - 1] {
        let Some(at) = remaining.find(piece) else { return false };
        remaining = &remaining[at + piece.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: P14
    #[test]
    fn a_glob_becomes_whatever_it_may_match() {
        let root = tempfile::tempdir().unwrap();
        for file in ["a.txt", "B.TXT", ".c.txt", "d.md", "sub/e.txt", "sub/f.md"] {
            std::fs::create_dir_all(root.path().join(file).parent().unwrap()).unwrap();
            std::fs::write(root.path().join(file), "").unwrap();
        }
        for (glob, words, listed) in [
            ("*.txt", &["*.txt", ".c.txt", "B.TXT", "a.txt"][..], &["."][..]),
            ("?.txt", &[".c.txt", "?.txt", "B.TXT", "a.txt"], &["."]),
            ("s*/*.txt", &["s*/*.txt", "sub/e.txt"], &[".", "sub/"]),
            ("sub/*", &["sub/*", "sub/e.txt", "sub/f.md"], &["sub/"]),
            (
                "*/e.txt",
                &["*/e.txt", ".c.txt/e.txt", "B.TXT/e.txt", "a.txt/e.txt", "d.md/e.txt", "sub/e.txt"],
                &["."],
            ),
            ("./d*", &["./d*", "./d.md"], &["./"]),
            ("none*", &["none*"], &["."]),
            (".*", &[".", ".*", "..", ".c.txt"], &["."]),
        ] {
            let mut matches = expand(root.path(), glob).unwrap();
            matches.words.sort();
            assert_eq!(matches.words, words, "{glob}");
            assert_eq!(matches.listed, listed, "{glob}");
        }
        for glob in ["[a].txt", "-*", "**/x", "a\\*", "~*"] {
            assert!(expand(root.path(), glob).is_none(), "{glob}");
        }
    }
}
