//! Patterns for texts: `*` stands for any characters, everything else for itself.

use std::fmt;

/// A pattern that a whole text has to match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// Creates a pattern; every text is one.
    pub fn new(text: impl Into<String>) -> Self {
        Pattern(text.into())
    }

    /// Returns whether the text matches. Takes at most time proportional to the product of both lengths.
    pub fn matches(&self, text: &str) -> bool {
        let (pattern, text) = (self.0.as_bytes(), text.trim_end_matches('\n').as_bytes());
        let (mut at, mut seen) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        while seen < text.len() {
            if pattern.get(at) == Some(&b'*') {
                star = Some((at + 1, seen));
                at += 1;
            } else if pattern.get(at) == Some(&text[seen]) {
                at += 1;
                seen += 1;
            } else if let Some((after, from)) = star {
                star = Some((after, from + 1));
                (at, seen) = (after, from + 1);
            } else {
                return false;
            }
        }
        pattern[at..].iter().all(|byte| *byte == b'*')
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn a_star_is_any_text_and_the_whole_text_counts() {
        for (pattern, text, matches) in [
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("a*c", "abc", true),
            ("a*c", "acbc", true),
            ("a*c", "abcd", false),
            ("*protected*", "the protected branch", true),
            ("no", "no\n", true),
            ("no", "no!", false),
            ("a**b*", "ab", true),
            ("*ä*", "für ältere", true),
        ] {
            assert_eq!(Pattern::new(pattern).matches(text), matches, "{pattern:?} on {text:?}");
        }
    }
}
