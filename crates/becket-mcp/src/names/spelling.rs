//! The spelling of a name with the characters and the length that models allow.

use sha2::{Digest, Sha256};

/// The maximum number of characters of a name.
pub(super) const LONGEST: usize = 64;
/// The length of a mark: `_` and eight hexadecimal digits.
pub(super) const MARK: usize = 9;

/// Replaces each character that is not allowed in a name with `_`. The names of a server's tools contain its name in
/// this form.
#[must_use]
pub fn sanitised(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect()
}

/// Returns `_` and a short hash of the names before they were sanitised.
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
    let rest = sanitised(name);
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
