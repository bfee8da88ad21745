//! The difference of two texts by lines, in hunks with unchanged lines around each change.
//!
//! The time is nearly linear in the size of both texts: for texts that repeat few lines the hunks get longer than they need be,
//! never wrong.

use imara_diff::{Algorithm, Diff, Hunk, InternedInput, sources::lines};
use std::fmt::Write;

/// Marks a last line without a line end.
const NO_LINE_END: &str = "\\ No newline at end of file";

/// Changes that are close to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffHunk<'a> {
    /// The index of the first line in the old text, from 0.
    pub old_start: usize,
    /// The number of lines in the old text.
    pub old_lines: usize,
    /// The index of the first line in the new text, from 0.
    pub new_start: usize,
    /// The number of lines in the new text.
    pub new_lines: usize,
    /// The lines in order.
    pub lines: Vec<DiffLine<'a>>,
}

/// A line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffLine<'a> {
    /// A space, `-` for a line of the old text alone, `+` for one of the new text alone.
    pub sign: char,
    /// The line with its line end.
    pub text: &'a str,
}

impl DiffLine<'_> {
    /// Returns the line as unified diffs show it, without its line end.
    pub fn marked(&self) -> String {
        format!("{}{}", self.sign, self.text.strip_suffix('\n').unwrap_or(self.text))
    }

    /// Returns the note that a unified diff puts after a line without a line end.
    pub fn note(&self) -> Option<&'static str> {
        (!self.text.ends_with('\n')).then_some(NO_LINE_END)
    }
}

/// Returns the hunks from one text to the other, with up to `around` unchanged lines before and after each change; none if
/// the texts are equal.
pub fn hunks<'a>(old: &'a str, new: &'a str, around: usize) -> Vec<DiffHunk<'a>> {
    let input = InternedInput::new(lines(old), lines(new));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let changes: Vec<Hunk> = diff.hunks().collect();
    let texts = Texts { old: old.split_inclusive('\n').collect(), new: new.split_inclusive('\n').collect() };
    let is_close = |one: &Hunk, next: &Hunk| (next.before.start - one.before.end) as usize <= 2 * around;
    changes.chunk_by(is_close).filter_map(|changes| texts.hunk(changes, around)).collect()
}

/// The lines of both texts.
struct Texts<'a> {
    old: Vec<&'a str>,
    new: Vec<&'a str>,
}

impl<'a> Texts<'a> {
    fn hunk(&self, changes: &[Hunk], around: usize) -> Option<DiffHunk<'a>> {
        let (first, last) = (changes.first()?, changes.last()?);
        let before = around.min(first.before.start as usize);
        let after = around.min(self.old.len() - last.before.end as usize);
        let (old_start, new_start) =
            (first.before.start as usize - before, first.after.start as usize - before);
        let (old_end, new_end) = (last.before.end as usize + after, last.after.end as usize + after);
        let mut lines = Vec::new();
        let mut push = |sign: char, from: &[&'a str]| {
            lines.extend(from.iter().map(|&text| DiffLine { sign, text }));
        };
        let mut at = old_start;
        for change in changes {
            push(' ', self.old.get(at..change.before.start as usize).unwrap_or_default());
            push(
                '-',
                self.old.get(change.before.start as usize..change.before.end as usize).unwrap_or_default(),
            );
            push(
                '+',
                self.new.get(change.after.start as usize..change.after.end as usize).unwrap_or_default(),
            );
            at = change.before.end as usize;
        }
        push(' ', self.old.get(at..old_end).unwrap_or_default());
        Some(DiffHunk {
            old_start,
            old_lines: old_end - old_start,
            new_start,
            new_lines: new_end - new_start,
            lines,
        })
    }
}

/// Returns the unified diff of two texts; `names` are those of its header.
pub fn unified(old: &str, new: &str, around: usize, names: Option<[&str; 2]>) -> String {
    let mut text = String::new();
    let mut line = |line: std::fmt::Arguments<'_>| {
        // INVARIANT: writing to a `String` can't fail.
        let _ = writeln!(text, "{line}");
    };
    let hunks = hunks(old, new, around);
    if let Some([old, new]) = names.filter(|_| !hunks.is_empty()) {
        line(format_args!("--- {old}"));
        line(format_args!("+++ {new}"));
    }
    for hunk in hunks {
        let (old, new) = (range(hunk.old_start, hunk.old_lines), range(hunk.new_start, hunk.new_lines));
        line(format_args!("@@ -{old} +{new} @@"));
        for changed in &hunk.lines {
            line(format_args!("{}", changed.marked()));
            if let Some(note) = changed.note() {
                line(format_args!("{note}"));
            }
        }
    }
    text
}

/// Returns a range of lines as the header of a hunk names it.
fn range(start: usize, lines: usize) -> String {
    match lines {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        lines => format!("{},{lines}", start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_unified_diff_has_the_usual_form() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n";
        let new = old.replace("5\n", "five\nand a half\n");
        let text = unified(old, &new, 3, Some(["a", "b"]));
        let expected = "--- a\n+++ b\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+and a half\n 6\n 7\n 8\n";
        assert_eq!(text, expected);
        assert_eq!(unified("a\n", "a\nb", 3, None), "@@ -1 +1,2 @@\n a\n+b\n\\ No newline at end of file\n");
        assert_eq!(unified("", "a\n", 3, None), "@@ -0,0 +1 @@\n+a\n");
        assert_eq!(unified(old, old, 3, Some(["a", "b"])), "");
    }

    #[test]
    fn far_changes_are_hunks_of_their_own() {
        let old: String = (0..40).map(|n| format!("{n}\n")).collect();
        let new = old.replace("\n3\n", "\nx\n").replace("\n30\n", "\n");
        let found = hunks(&old, &new, 3);
        assert_eq!(found.len(), 2);
        assert_eq!((found[1].old_lines, found[1].new_lines), (7, 6));
    }

    /// Applies the hunks to a text.
    fn patched(old: &str, hunks: &[DiffHunk<'_>]) -> String {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let (mut out, mut done) = (String::new(), 0);
        for hunk in hunks {
            out.extend(old[done..hunk.old_start].iter().copied());
            out.extend(hunk.lines.iter().filter(|line| line.sign != '-').map(|line| line.text));
            done = hunk.old_start + hunk.old_lines;
        }
        out.extend(old[done..].iter().copied());
        out
    }

    proptest! {
        #[test]
        fn the_hunks_lead_from_one_to_the_other(old in "([ab]{0,2}\n){0,20}[ab]?", new in "([ab]{0,2}\n){0,20}[ab]?") {
            prop_assert_eq!(patched(&old, &hunks(&old, &new, 3)), new);
        }
    }
}
