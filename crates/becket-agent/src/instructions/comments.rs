//! HTML comments in block position: notes between authors, which no model sees.
//!
//! A comment in the middle of a line is kept, and so is one in fenced code, and one that is never closed: silently
//! losing the rest of the instructions would be worse.

use super::fences::Fences;

const BEGINS: &str = "<!--";
const ENDS: &str = "-->";
/// The maximum indentation of a line that still begins a block.
const INDENT: usize = 3;

/// Returns the text without its block comments, and without the lines that they leave blank.
pub(super) fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut fences = Fences::default();
    let mut rest = text;
    // If no end was found once, it is not searched for again.
    let mut may_end = true;
    while !rest.is_empty() {
        if may_end && !fences.is_open() && begins_comment(rest) {
            match rest.find(ENDS) {
                Some(at) => {
                    rest = behind(rest, at + ENDS.len());
                    continue;
                }
                None => may_end = false,
            }
        }
        let line = rest.split_inclusive('\n').next().unwrap_or(rest);
        fences.take(line);
        kept.push_str(line);
        rest = rest.get(line.len()..).unwrap_or_default();
    }
    kept
}

fn begins_comment(rest: &str) -> bool {
    let text = rest.trim_start_matches(' ');
    rest.len() - text.len() <= INDENT && text.starts_with(BEGINS)
}

/// Returns the text after a comment; drops the rest of its line if that is blank.
fn behind(rest: &str, end: usize) -> &str {
    let rest = rest.get(end..).unwrap_or_default();
    let (line, next) = rest.split_once('\n').unwrap_or((rest, ""));
    if line.trim().is_empty() { next } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_comments_in_block_position_are_left_out() {
        for (text, kept) in [
            ("a\n<!-- note -->\nb", "a\nb"),
            ("<!-- one\ntwo\n```\n-->\nb\n", "b\n"),
            ("   <!-- in -->\nb", "b"),
            ("    <!-- code -->\nb", "    <!-- code -->\nb"),
            ("a <!-- inline --> b", "a <!-- inline --> b"),
            ("```\n<!-- code -->\n```\n", "```\n<!-- code -->\n```\n"),
            ("<!-- a --> text\nb", " text\nb"),
            ("<!-- never closed\nb\n<!-- nor this\nc", "<!-- never closed\nb\n<!-- nor this\nc"),
            ("<!-- a --><!-- b -->\nc", "c"),
            ("", ""),
        ] {
            assert_eq!(without_comments(text), kept, "{text}");
        }
    }
}
