//! The text between the parentheses of `Bash(…)` (rule P3).
//!
//! `*` matches any text, blanks included. A trailing ` *`, or its old spelling `:*`, is a word boundary: `ls *` matches
//! `ls` and `ls -la` but not `lsof`. Without a `*` the match is exact. Runs of blanks count as one.
//!
//! Matching is linear: the fixed pieces between the stars are found leftmost, one after the other.

/// A compiled command pattern (protocol.md P3).
///
/// ```
/// use becket_rules::shell::CommandPattern;
///
/// let pattern = CommandPattern::new("ls *");
/// assert!(pattern.matches("ls") && pattern.matches("ls  -la"));
/// assert!(!pattern.matches("lsof"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPattern {
    text: String,
    /// The fixed pieces between stars; `["ls"]` for `ls`, `["ls", ""]` for `ls*`.
    pieces: Vec<String>,
    /// Ends in ` *` or `:*`, which is not part of `pieces`.
    boundary: bool,
    /// The bytes of all pieces: no shorter text matches.
    shortest: usize,
}

impl CommandPattern {
    /// Compiles a pattern. Every text is valid.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let normal = normalise(text);
        let (core, boundary) = match normal.strip_suffix(":*").or_else(|| normal.strip_suffix(" *")) {
            Some(core) => (core, true),
            None => (normal.as_str(), false),
        };
        let pieces: Vec<String> = core.split('*').map(str::to_owned).collect();
        let shortest = pieces.iter().map(String::len).sum();
        Self { text: text.to_owned(), pieces, boundary, shortest }
    }

    /// Returns whether the pattern matches one command, given as text; runs of blanks count as one blank.
    #[must_use]
    pub fn matches(&self, command: &str) -> bool {
        self.matches_normal(&normalise(command))
    }

    /// Returns whether the pattern matches every command (`*`, or nothing at all).
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.pieces.iter().all(String::is_empty) && (self.pieces.len() > 1 || normalise(&self.text).len() < 2)
    }

    /// Returns the pattern as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the literal text that every match begins with.
    pub(crate) fn head(&self) -> &str {
        self.pieces.first().map_or("", String::as_str)
    }

    /// Returns whether it contains a `*`, the trailing ones included.
    pub(crate) fn is_prefix(&self) -> bool {
        self.boundary || self.pieces.len() > 1
    }

    /// Returns whether nothing but a trailing ` *` or `:*` follows its fixed text.
    pub(crate) fn ends_at_word(&self) -> bool {
        self.boundary && self.pieces.len() == 1
    }

    /// Returns whether it names more than one word (P6 d): it has a blank, or a `*` that may match one, before its end.
    pub(crate) fn names_words(&self) -> bool {
        let core = self.pieces.join("*");
        core.trim_end_matches('*').trim_end().contains([' ', '*'])
    }

    /// Does the same as [`matches`](Self::matches), for text whose blanks are already normalised.
    pub(crate) fn matches_normal(&self, text: &str) -> bool {
        if text.len() < self.shortest {
            return false;
        }
        if self.matches_pieces(text, false) {
            return true;
        }
        self.boundary && self.matches_pieces(text, true)
    }

    /// Returns whether some text that starts with `head` and a blank could match.
    pub(crate) fn could_continue(&self, head: &str) -> bool {
        let Some(first) = self.pieces.first() else { return true };
        // The text is `head` and a blank; nothing is allocated, since this runs for each command and each rule.
        let continues = |text: &str, start: &str| text.strip_prefix(start).map(|rest| rest.starts_with(' '));
        let starts = head.starts_with(first.as_str()) || first.strip_suffix(' ') == Some(head);
        if self.pieces.len() > 1 && starts {
            return true;
        }
        continues(first, head) == Some(true)
            || (self.boundary && (head == first || continues(head, first) == Some(true)))
    }

    /// Returns whether the pattern matches `text` from the start of some word on, with any text after it (P4,
    /// unreadable lines). `starts` are byte offsets of `text`, ascending.
    pub(crate) fn found_from(&self, text: &str, starts: &[usize]) -> bool {
        let Some((first, rest)) = self.pieces.split_first() else { return false };
        let next = |from: usize| text.get(from..)?.find(first.as_str()).map(|at| from + at);
        let after = |at: &usize| next(at + text[*at..].chars().next().map_or(1, char::len_utf8));
        let places = std::iter::successors(next(0), after);
        let mut heads = places.filter(|at| starts.binary_search(at).is_ok()).map(|at| at + first.len());
        if rest.is_empty() {
            return heads.any(|end| ends_word(text, end));
        }
        // The earliest head leaves the most room for the rest.
        heads.next().is_some_and(|end| follows(text, end, rest))
    }

    fn matches_pieces(&self, text: &str, tail: bool) -> bool {
        let Some((first, rest)) = self.pieces.split_first() else { return false };
        let Some(mut left) = text.strip_prefix(first.as_str()) else { return false };
        let Some((last, middle)) = rest.split_last() else {
            return if tail { left.starts_with(' ') } else { left.is_empty() };
        };
        for piece in middle {
            let Some(at) = left.find(piece.as_str()) else { return false };
            left = &left[at + piece.len()..];
        }
        if tail {
            left.match_indices(' ').any(|(at, _)| left[..at].ends_with(last.as_str()))
        } else {
            left.ends_with(last.as_str())
        }
    }
}

/// Normalises text: drops blanks at the ends, and makes every run of them one blank.
pub(crate) fn normalise(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_normal(&mut out, text);
    out
}

/// Adds text to normal text, with one blank between them.
pub(crate) fn push_normal(out: &mut String, text: &str) {
    for word in text.split([' ', '\t', '\n']).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
}

fn ends_word(text: &str, at: usize) -> bool {
    text[at..].chars().next().is_none_or(|next| next == ' ')
}

fn follows(text: &str, mut at: usize, pieces: &[String]) -> bool {
    let Some((last, middle)) = pieces.split_last() else { return true };
    for piece in middle {
        let Some(found) = text[at..].find(piece.as_str()) else { return false };
        at += found + piece.len();
    }
    let left = &text[at..];
    let mut ends = left.match_indices(' ').map(|(end, _)| end).chain([left.len()]);
    last.is_empty() || ends.any(|end| left[..end].ends_with(last.as_str()))
}
