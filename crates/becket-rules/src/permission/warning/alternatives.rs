//! Alternatives in one rule, which mean one rule for each.

use std::ops::Range;

/// The character that stands for each quoted byte of a text.
pub(super) const QUOTED: char = '\u{1}';

/// Brackets, and the character between the alternatives in them.
pub(super) struct Brackets {
    open: char,
    close: char,
    pub(super) separator: char,
}

/// `{a,b}`
pub(super) const BRACES: Brackets = Brackets { open: '{', close: '}', separator: ',' };

/// `(a|b)`
pub(super) const PARENTHESES: Brackets = Brackets { open: '(', close: ')', separator: '|' };

impl Brackets {
    /// Returns the position of the first brackets with alternatives; not of the value of a variable (`${a,b}`), and not
    /// of brackets with a quoted part.
    pub(super) fn find(&self, text: &str) -> Option<Range<usize>> {
        text.match_indices(self.open).find_map(|(start, _)| {
            let inner = text.get(start + 1..)?;
            let inner = inner.get(..inner.find(self.close)?)?;
            let is_value = text.get(..start).is_some_and(|before| before.ends_with('$'));
            let is_apart = inner.contains(self.separator) && !inner.contains([self.open, QUOTED]);
            (is_apart && !is_value).then(|| start..start + inner.len() + 2)
        })
    }
}

/// The maximum number of rules that a message spells out.
const MOST_WRITTEN: usize = 4;

/// Returns rules with each of these parts in `range` of the text, as a list in words.
pub(super) fn written_apart(tool: &str, text: &str, range: Range<usize>, parts: &[&str]) -> String {
    let (before, after) =
        (text.get(..range.start).unwrap_or_default(), text.get(range.end..).unwrap_or_default());
    let rules: Vec<String> = parts
        .iter()
        .take(MOST_WRITTEN)
        .map(|part| format!("`{tool}({before}{}{after})`", part.trim()))
        .collect();
    let more = if parts.len() > MOST_WRITTEN { " and so on" } else { "" };
    format!("{}{more}", rules.join(", "))
}
