//! Markdown for the terminal, line by line as it streams: headings, lists, quotes, code, emphasis. The meaning of a
//! line depends only on earlier lines, so it can be shown as soon as it is complete.
//!
//! INVARIANT: no control character of the text is written; styles are the only sequences, and they end with their line.

use crate::report::style::{FAINT, HEAD, NONE, SOURCE, plain, styled};
use anstyle::Style;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The line at the start and end of code.
const FENCE: &str = "────";

/// The state between lines.
#[derive(Debug, Default)]
pub(super) struct Markdown {
    /// The open fence.
    fence: Option<Fence>,
}

/// A fence around a block of code.
#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
}

impl Markdown {
    /// Returns a whole line, styled, without its line break.
    pub(super) fn line(&mut self, line: &str) -> String {
        let body = line.trim_start();
        if let Some(fence) = self.fence {
            if closes(body, fence) {
                self.fence = None;
                return styled(FAINT, FENCE);
            }
            return styled(SOURCE, line);
        }
        if let Some(fence) = opens(body) {
            self.fence = Some(fence);
            return styled(FAINT, format!("{FENCE} {}", body[fence.length..].trim()).trim_end());
        }
        let indent = plain(&line[..line.len() - body.len()]);
        format!("{indent}{}", block(body))
    }
}

fn opens(body: &str) -> Option<Fence> {
    let mark = body.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = body.chars().take_while(|c| *c == mark).count();
    let info = &body[length..];
    (length >= 3 && !(mark == '`' && info.contains('`'))).then_some(Fence { mark, length })
}

fn closes(body: &str, fence: Fence) -> bool {
    let count = body.chars().take_while(|c| *c == fence.mark).count();
    count >= fence.length && body[count..].trim().is_empty()
}

fn block(body: &str) -> String {
    let level = body.chars().take_while(|c| *c == '#').count();
    if (1..=6).contains(&level) && body[level..].starts_with(' ') {
        return inline(body[level..].trim().trim_end_matches('#').trim_end(), HEAD);
    }
    if let Some(quoted) = body.strip_prefix('>') {
        return format!("{} {}", styled(FAINT, "│"), inline(quoted.trim_start(), FAINT));
    }
    let is_rule = |mark| {
        body.chars().filter(|c| *c == mark).count() >= 3 && body.chars().all(|c| c == mark || c == ' ')
    };
    if ['-', '*', '_'].into_iter().any(is_rule) {
        return styled(FAINT, &"─".repeat(20));
    }
    if let Some(item) = ["- ", "* ", "+ "].iter().find_map(|mark| body.strip_prefix(mark)) {
        return format!("• {}", inline(item, NONE));
    }
    if body.starts_with('|') {
        // The columns of a table keep their width.
        return inline(body, NONE);
    }
    match body.split_once(". ").or_else(|| body.split_once(") ")) {
        Some((number, item)) if !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) => {
            format!("{}. {}", number, inline(item, NONE))
        }
        Some(_) | None => inline(body, NONE),
    }
}

/// Styles emphasis, code and links within a line.
#[expect(clippy::wildcard_enum_match_arm, reason = "another crate's enum")]
fn inline(text: &str, base: Style) -> String {
    let mut shown = String::new();
    let mut styles = vec![base];
    let mut links = Vec::new();
    // Only the inline content matters here; a line that starts like a block would be parsed as one.
    let guarded = format!("\u{2060}{text}");
    for event in Parser::new_ext(&guarded, Options::ENABLE_STRIKETHROUGH) {
        let style = styles.last().copied().unwrap_or(base);
        match event {
            Event::Start(Tag::Emphasis) => styles.push(style.italic()),
            Event::Start(Tag::Strong) => styles.push(style.bold()),
            Event::Start(Tag::Strikethrough) => styles.push(style.strikethrough()),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                links.push((dest_url.into_string(), shown.len()));
                styles.push(style.underline());
            }
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) => drop(styles.pop()),
            Event::End(TagEnd::Link | TagEnd::Image) => {
                styles.pop();
                shown.push_str(&address(links.pop(), &shown));
            }
            Event::Code(code) => shown.push_str(&styled(SOURCE, &code)),
            Event::Text(words) | Event::Html(words) | Event::InlineHtml(words) => {
                shown.push_str(&styled(style, words.trim_start_matches('\u{2060}')));
            }
            _ => {}
        }
    }
    shown
}

/// Returns the target of a link, unless its text is the target.
fn address(link: Option<(String, usize)>, shown: &str) -> String {
    match link {
        Some((to, at)) if !shown.get(at..).is_some_and(|words| words.contains(to.as_str())) => {
            styled(FAINT, &format!(" ({to})"))
        }
        Some(_) | None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut markdown = Markdown::default();
        let lines: Vec<String> = text.lines().map(|line| markdown.line(line)).collect();
        lines.join("\n")
    }

    fn words(text: &str) -> String {
        anstream::adapter::strip_str(&shown(text)).to_string()
    }

    #[test]
    fn marks_become_styles_and_what_is_no_mark_stays() {
        for (text, expected) in [
            ("# One **two**", "One two"),
            ("a *b* `c*d*` ~~e~~", "a b c*d* e"),
            ("- one\n  * two", "• one\n  • two"),
            ("12. twelve\n3) three", "12. twelve\n3. three"),
            ("> said", "│ said"),
            ("---", "────────────────────"),
            ("[here](https://a.example)", "here (https://a.example)"),
            ("<https://a.example>", "https://a.example"),
            ("2 * 3 * 4 and a_b_c", "2 * 3 * 4 and a_b_c"),
            ("#hashtag", "#hashtag"),
            ("    four blanks", "    four blanks"),
            ("| a | b |", "| a | b |"),
            ("1.5 is not an item", "1.5 is not an item"),
            ("a < b && c > d <tag>", "a < b && c > d <tag>"),
            ("", ""),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
        assert!(shown("**b**").starts_with("\u{1b}[1m"), "{:?}", shown("**b**"));
    }

    #[test]
    fn code_stands_as_it_is_until_its_fence_closes() {
        let text = "```rust\nlet a = **b**;\n``\n# no heading\n```\n**bold**";
        assert_eq!(words(text), "──── rust\nlet a = **b**;\n``\n# no heading\n────\nbold");
        assert_eq!(words("~~~~\n~~~\n*a*\n~~~~\n*a*"), "────\n~~~\n*a*\n────\na");
    }

    #[test]
    fn an_answer_commands_no_terminal() {
        for text in
            ["a\u{1b}[2Jb", "`\u{1b}]0;t\u{7}`", "# \u{1b}c", "```\n\u{9b}31m\n```", "[\u{1b}c](\u{1b}c)"]
        {
            let shown = anstream::adapter::strip_str(&shown(text)).to_string();
            assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
        }
    }
}
