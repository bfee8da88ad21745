//! `@file` in a prompt: the files are added to it.
//!
//! A deny or ask rule for `Read` keeps a file out (`protocol.md` P7). A text by a repository or a model is limited to
//! the working directories and its own directory; the user's own text can mention any file that the user may read.
//!
//! INVARIANT: number and size of the files are limited, and files that are left out are reported.

use becket_tools::opened_file::{self, OpenedFile};
use becket_tools::places::Places;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The maximum number of mentions in one text that are followed.
const MOST: usize = 20;
/// The maximum size of a file, in bytes.
const LARGEST: u64 = 100 * 1024;

/// Returns the paths that a text mentions, without duplicates, in order.
pub(crate) fn mentions(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('@') {
        let opens = text.get(..at).is_some_and(|before| {
            before
                .chars()
                .next_back()
                .is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '"' | '\'' | '`'))
        });
        let rest = text.get(at + 1..).unwrap_or_default();
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ')' | '"' | '\'' | '`' | ',' | ';'));
        let word = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let word = word.trim_end_matches(['.', ':', '!', '?']);
        if opens && !word.is_empty() && !found.contains(&word) {
            found.push(word);
        }
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// The author of a text, which limits the files that it can mention.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reach<'a> {
    /// The user.
    Anywhere,
    /// Another author, limited to these places.
    Within(&'a Places),
}

/// Returns the text of a mentioned file for a prompt; `None` if the file does not exist, since many texts contain `@`.
/// `denied` returns the rule that keeps it out.
pub(crate) fn file(
    written: &str,
    cwd: &Path,
    home: Option<&Path>,
    reach: Reach<'_>,
    denied: impl FnOnce(&Path) -> Option<String>,
) -> Option<String> {
    let path = absolute(written, cwd, home);
    if !path.is_file() {
        return None;
    }
    let left_out = |why: &str| Some(format!("`@{written}` was not read: {why}"));
    if let Reach::Within(places) = reach
        && !places.contain(&path)
    {
        return left_out("it lies outside of the working directories");
    }
    if let Some(why) = denied(&path) {
        return left_out(&why);
    }
    match text_of(&path) {
        Ok((text, cut)) => {
            let more = if cut { "\n… the rest is left out: read it with the tool" } else { "" };
            Some(format!("Contents of {}:\n\n{text}{more}", path.display()))
        }
        Err(why) => left_out(&why),
    }
}

fn absolute(written: &str, cwd: &Path, home: Option<&Path>) -> PathBuf {
    match (written.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        (Some(_) | None, Some(_) | None) => cwd.join(written),
    }
}

/// Returns the text, and whether it was truncated.
fn text_of(path: &Path) -> Result<(String, bool), String> {
    let opened = opened_file::open(path).map_err(|error| error.to_string())?;
    let file = match opened {
        OpenedFile::Regular(file) => file,
        OpenedFile::Directory | OpenedFile::Special => return Err("it is not a regular file".to_owned()),
    };
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    let cut = bytes.len() as u64 > LARGEST;
    bytes.truncate(usize::try_from(LARGEST).unwrap_or(usize::MAX));
    if bytes.contains(&0) {
        return Err("it is not text".to_owned());
    }
    Ok((String::from_utf8_lossy(&bytes).into_owned(), cut))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_are_words_of_their_own() {
        for (text, expected) in [
            ("see @src/main.rs and (@a.txt), @src/main.rs.", vec!["src/main.rs", "a.txt"]),
            ("mail me@example.com", vec![]),
            ("@", vec![]),
            ("@~/notes.md!", vec!["~/notes.md"]),
            ("@a @a @b", vec!["a", "b"]),
        ] {
            assert_eq!(mentions(text), expected, "{text}");
        }
        let many: String = (0..100).map(|n| format!("@f{n} ")).collect();
        assert_eq!(mentions(&many).len(), MOST);
    }

    // rule: P7
    #[test]
    fn a_file_is_read_where_the_text_reaches_and_no_rule_denies_it() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().canonicalize().unwrap();
        std::fs::create_dir(dir.join("work")).unwrap();
        std::fs::write(dir.join("work/a.txt"), "inside\n").unwrap();
        std::fs::write(dir.join("secret"), "SECRET").unwrap();
        std::os::unix::fs::symlink(dir.join("secret"), dir.join("work/link")).unwrap();
        let work = dir.join("work");
        let places = Places::new(&work, []);
        let within = |written: &str| super::file(written, &work, None, Reach::Within(&places), |_| None);
        assert!(within("a.txt").unwrap().ends_with("a.txt:\n\ninside\n"));
        assert_eq!(within("nothing.txt"), None);
        assert_eq!(within("."), None);
        for outside in ["../secret", "link"] {
            let told = within(outside).unwrap();
            assert!(
                told.contains("outside of the working directories") && !told.contains("SECRET"),
                "{told}"
            );
            let user = super::file(outside, &work, None, Reach::Anywhere, |_| None).unwrap();
            assert!(user.contains("SECRET"), "{user}");
        }
        let denied = |path: &Path| Some(format!("no {}", path.file_name().unwrap().to_string_lossy()));
        let told = super::file("a.txt", &work, None, Reach::Anywhere, denied).unwrap();
        assert_eq!(told, "`@a.txt` was not read: no a.txt");
    }

    #[test]
    fn what_is_told_is_bounded() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("big"), "x".repeat(1 << 20)).unwrap();
        std::fs::write(root.path().join("bin"), [1, 0, 2]).unwrap();
        let told = |name: &str| super::file(name, root.path(), None, Reach::Anywhere, |_| None).unwrap();
        let big = told("big");
        assert!(big.len() < 110 * 1024 && big.ends_with("read it with the tool"), "{}", big.len());
        assert!(told("bin").ends_with("it is not text"));
    }
}
