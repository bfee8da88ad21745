//! Styles by meaning, and the text that they apply to.

use anstyle::{AnsiColor, Style};

pub(crate) use becket_base::text::visible as plain;

/// The style of something that is blocked or broken.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// The style of something that waits, or may be wrong.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// The style of success.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// The style of a headline.
pub(crate) const HEAD: Style = Style::new().bold();
/// The style of the source of an entry.
pub(crate) const SOURCE: Style = AnsiColor::Cyan.on_default();
/// The style of less important text.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// No style.
pub(crate) const NONE: Style = Style::new();

/// Returns `text` in `style`, with control characters made visible.
pub(crate) fn styled(style: Style, text: &str) -> String {
    format!("{style}{}{style:#}", plain(text))
}

/// Returns text without control characters on one line, cut after `width` characters.
pub(crate) fn one_line(text: &str, width: usize) -> String {
    let mut line = plain(text.trim()).replace('\n', "⏎").replace('\t', " ");
    if let Some((end, _)) = line.char_indices().nth(width) {
        let kept = line[..end].chars().count().saturating_sub(1);
        let end = line.char_indices().nth(kept).map_or(end, |(at, _)| at);
        line.truncate(end);
        line.push('…');
    }
    line
}

/// Returns the text with `indent` blanks in front of each line; lines longer than [`WIDTH`] are wrapped between words.
pub(crate) fn indented(text: &str, indent: usize) -> String {
    running(text, indent, None)
}

/// Indents the text like [`indented`], in lines that are at most as wide as the terminal.
pub(crate) fn running(text: &str, indent: usize, width: Option<usize>) -> String {
    let blanks = " ".repeat(indent);
    let plain = plain(text.trim_end());
    let width = width.unwrap_or(WIDTH).min(WIDTH);
    let lines = plain.lines().flat_map(|line| broken(line, width.saturating_sub(indent)));
    lines.map(|line| format!("{blanks}{line}\n")).collect()
}

/// The maximum width of running text, in characters.
const WIDTH: usize = 100;

fn broken(line: &str, width: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = line;
    while let Some((end, _)) = rest.char_indices().nth(width) {
        let Some(blank) = rest[..end].rfind(' ').filter(|at| !rest[..*at].trim().is_empty()) else { break };
        lines.push(&rest[..blank]);
        rest = &rest[blank + 1..];
    }
    lines.push(rest);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_hook_says_reaches_the_terminal_as_a_command() {
        assert_eq!(plain("a\x1b[2Jb\rc\u{202e}d\x07\n\te"), "a\\u{1b}[2Jb\\rc\\u{202e}d\\u{7}\n\te");
        assert_eq!(plain("a\u{61c}b\u{ad}c\u{e0041}\u{3164}"), "a\\u{61c}b\\u{ad}c\\u{e0041}\\u{3164}");
        assert_eq!(one_line(" two\nlines\x1b ", 80), "two⏎lines\\u{1b}");
    }

    #[test]
    fn long_lines_are_cut_at_a_character() {
        assert_eq!(one_line("äöüß", 4), "äöüß");
        assert_eq!(one_line("äöüß", 3), "äö…");
        assert_eq!(indented("a\nb\n\n", 2), "  a\n  b\n");
        assert_eq!(broken("one two three", 8), ["one two", "three"]);
        assert_eq!(broken("onetwothreefour five", 8), ["onetwothreefour five"]);
        assert_eq!(broken("ää öö üü", 5), ["ää", "öö üü"]);
    }
}
