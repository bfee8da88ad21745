//! The spelling of a name with the characters and the length that models allow.

use becket_model::as_tool_name;
use sha2::{Digest, Sha256};

/// The maximum number of characters of a name.
pub(super) const LONGEST: usize = 64;
/// The length of a mark: `_` and eight hexadecimal digits.
pub(super) const MARK: usize = 9;

/// Returns whether the full name of a tool contains a mark, so that it may have been shortened: at its end, or at the end
/// of its server's part.
///
/// ```
/// assert!(becket_mcp::has_mark("mcp__files__read_all_0f1e2d3c"));
/// assert!(!becket_mcp::has_mark("mcp__files__read_all"));
/// ```
#[must_use]
pub fn has_mark(name: &str) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_mark = |tail: &[u8]| {
        tail.split_first().is_some_and(|(first, rest)| *first == b'_' && rest.iter().all(is_digit))
    };
    let ends_with_mark = |part: &str| part.as_bytes().rchunks_exact(MARK).next().is_some_and(is_mark);
    let parts = name.match_indices("__").filter_map(|(at, _)| name.get(..at));
    name.starts_with("mcp__") && parts.chain([name]).any(ends_with_mark)
}

/// Returns `_` and a short hash of the names before their characters were replaced.
pub(super) fn mark(words: &[&str], attempt: u32) -> String {
    let mut hash = Sha256::new();
    for word in words {
        hash.update(word.len().to_le_bytes());
        hash.update(word.as_bytes());
    }
    if attempt > 0 {
        hash.update(attempt.to_le_bytes());
    }
    let mut mark = String::with_capacity(MARK);
    mark.push('_');
    for byte in hash.finalize().iter().take((MARK - 1) / 2) {
        mark.extend([byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16).unwrap_or('0')));
    }
    mark
}

/// Returns the prefix, the beginning of the name and a mark: the first combination that is not taken. The prefix
/// leaves room for a mark.
pub(super) fn distinguish(prefix: &str, server: &str, name: &str, taken: impl Fn(&str) -> bool) -> String {
    let rest = as_tool_name(name);
    let room = LONGEST.saturating_sub(prefix.len() + MARK).min(rest.len());
    let mut attempt = 0;
    loop {
        let full = format!("{prefix}{}{}", &rest[..room], mark(&[server, name], attempt));
        if !taken(&full) {
            return full;
        }
        attempt += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{has_mark, mark};
    use crate::names::Names;

    #[test]
    fn a_mark_is_recognised_where_names_have_one() {
        for attempt in 0..50 {
            let mark = mark(&["server", "tool"], attempt);
            for marked in
                [format!("mcp__s__tool{mark}"), format!("mcp__s_{mark}__t"), format!("mcp__s__t_{mark}")]
            {
                assert!(has_mark(&marked), "{marked}");
            }
        }
        let plain = [
            "mcp__s__tool",
            "mcp__s__t_0123456",
            "mcp__s__t_0123456G",
            "Bash_0123abcd",
            "mcp__s__0123abcd_t",
            "",
        ];
        for plain in plain {
            assert!(!has_mark(plain), "{plain}");
        }
    }

    #[test]
    fn a_name_has_a_mark_if_it_is_not_the_written_one() {
        let (long, server) = ("t".repeat(70), "s".repeat(70));
        let names = Names::build([
            ("files", vec!["read.all", "read_all", "", long.as_str()]),
            (server.as_str(), vec!["read"]),
        ]);
        let marked = names.iter().filter(|name| name.written.is_some()).count();
        assert_eq!(marked, 4);
        for name in names.iter() {
            assert_eq!(has_mark(&name.full), name.written.is_some(), "{name:?}");
        }
    }
}
