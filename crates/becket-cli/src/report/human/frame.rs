//! The frame of source lines around a finding, on a terminal that is narrower than they are.

use crate::wrap::{Piece, columns, pieces};
use anstyle::Reset;
use unicode_width::UnicodeWidthChar;

/// Returns a rendered finding whose frame has no line wider than `width`: long source lines are cut on both sides of
/// the underlined part.
pub(super) fn fitted(finding: &str, width: usize) -> String {
    let lines: Vec<&str> = finding.lines().collect();
    let bare: Vec<String> = lines.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect();
    let begins = bare.iter().position(|line| line.trim_start().starts_with("╭─["));
    let ends = bare.iter().rposition(|line| line.trim_start().starts_with("╰──"));
    let (Some(begins), Some(ends)) = (begins, ends) else { return finding.to_owned() };
    let frame = begins + 1..ends;
    let is_wide = bare[frame.clone()].iter().any(|line| columns(line) > width);
    // A mark that spans lines has its own columns in front of them.
    let spans_lines = bare[frame.clone()].iter().any(|line| line.contains('▶'));
    let Some(underlined) = bare[frame.clone()].iter().find_map(|line| Underline::of(line)) else {
        return finding.to_owned();
    };
    if !is_wide || spans_lines {
        return finding.to_owned();
    }
    let window = Window::around(&underlined, width);
    let shown = lines.iter().enumerate().map(|(at, line)| match frame.contains(&at) {
        true => window.of(line, &bare[at]) + "\n",
        false => format!("{line}\n"),
    });
    shown.collect()
}

/// The underlined columns.
struct Underline {
    /// The column at which source lines begin.
    gutter: usize,
    start: usize,
    end: usize,
}

impl Underline {
    /// Parses the line below a source line; `None` if it is a different kind of line.
    fn of(bare: &str) -> Option<Self> {
        let mark = bare.find('·').filter(|at| bare[..*at].trim().is_empty())?;
        let gutter = columns(&bare[..mark]) + 2;
        let marks = bare[mark + '·'.len_utf8()..].trim_end();
        let blanks = marks.len() - marks.trim_start().len();
        let start = gutter - 1 + blanks;
        Some(Underline { gutter, start, end: start + columns(marks.trim_start()) })
    }
}

/// The visible columns of source lines.
struct Window {
    gutter: usize,
    /// The number of omitted columns after the gutter.
    left_out: usize,
    width: usize,
}

impl Window {
    fn around(underlined: &Underline, width: usize) -> Self {
        let &Underline { gutter, start, end } = underlined;
        let room = width.saturating_sub(gutter);
        let left_out = if end < width { 0 } else { start.saturating_sub(gutter + room / 4) };
        Window { gutter, left_out, width }
    }

    /// Returns the visible part of a line, with an ellipsis for omitted text.
    fn of(&self, line: &str, bare: &str) -> String {
        let is_source = bare.trim_start().starts_with(|c: char| c.is_ascii_digit());
        let ends = columns(bare) - self.left_out.min(columns(bare).saturating_sub(self.gutter));
        let (mut text, mut column, mut shown) = (String::new(), 0, 0);
        for piece in pieces(line) {
            let c = match piece {
                Piece::Char(c) => c,
                Piece::Sequence(sequence) => {
                    text.push_str(sequence);
                    continue;
                }
            };
            let wide = c.width().unwrap_or(0);
            column += wide;
            if column > self.gutter && column <= self.gutter + self.left_out {
                continue;
            }
            if shown + wide > self.width - usize::from(is_source && ends > self.width) {
                break;
            }
            // The first column after the gutter marks omitted text before it.
            let is_first = is_source && self.left_out > 0 && shown == self.gutter && wide > 0;
            if is_first {
                text.push('…');
                text.push_str(&" ".repeat(wide - 1));
            } else {
                text.push(c);
            }
            shown += wide;
        }
        if is_source && ends > self.width {
            text.push('…');
        }
        format!("{text}{Reset}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(source: &str, start: usize, length: usize) -> String {
        let underline = format!("{}{}", " ".repeat(start), "─".repeat(length));
        format!(
            "code\n\n  × what is wrong\n   ╭─[a.json:1:{start}]\n 1 │ {source}\n   · {underline}\n   ╰────\n  help: x\n"
        )
    }

    fn frame(text: &str) -> Vec<String> {
        let bare = anstream::adapter::strip_str(text).to_string();
        bare.lines().skip(4).take(2).map(|line| line.trim_end().to_owned()).collect()
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        let short = finding("{\"a\": 1}", 1, 3);
        assert_eq!(fitted(&short, 40), short);
        assert_eq!(fitted("code\n\n  × a.json: no frame\n", 10), "code\n\n  × a.json: no frame\n");
    }

    #[test]
    fn a_long_line_is_cut_around_what_is_underlined() {
        let long = "x".repeat(50) + "BAD" + &"y".repeat(50);
        assert_eq!(
            frame(&fitted(&finding(&long, 50, 3), 25)),
            [" 1 │ …xxxxBADyyyyyyyyyyy…", "   ·      ───"]
        );
        let early = "BAD".to_owned() + &"y".repeat(50);
        assert_eq!(frame(&fitted(&finding(&early, 0, 3), 25)), [" 1 │ BADyyyyyyyyyyyyyyyy…", "   · ───"]);
        let wide = "日本".repeat(20) + "BAD";
        for width in 20..60 {
            let text = fitted(&finding(&wide, 80, 3), width);
            assert!(frame(&text).iter().all(|line| columns(line) <= width), "{width}: {text}");
            assert!(text.contains("BAD"), "{width}: {text}");
        }
    }

    #[test]
    fn styles_survive_and_no_line_is_wider_than_the_terminal() {
        let source = format!("\u{1b}[31m{}\u{1b}[0m", "z".repeat(90));
        for (width, start) in (12..80).flat_map(|width| [(width, 0), (width, 40), (width, 89)]) {
            let text = fitted(&finding(&source, start, 1), width);
            let frame = frame(&text);
            assert!(frame.iter().all(|line| columns(line) <= width), "{width}: {frame:?}");
            assert!(frame[1].ends_with('─'), "{width} {start}: {frame:?}");
        }
    }
}
