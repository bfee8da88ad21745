//! The parts of a skill's text: plain text, and commands that are replaced by their output.
//!
//! INVARIANT: the parts are those of the text as its author wrote it: no argument creates another one.

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part<'t> {
    /// Text.
    Text(&'t str),
    /// A command line: `` !`git status` ``, or a fenced block that opens with ```` ```! ````.
    Shell(&'t str),
}

const FENCE: &str = "```!";
const INLINE: &str = "!`";

/// Returns the parts of a text, in order.
pub(crate) fn parts(text: &str) -> Vec<Part<'_>> {
    let (mut parts, mut told, mut at) = (Vec::new(), 0, 0);
    while let Some(found) = next(text, at) {
        match found.command(text) {
            Some((command, end)) => {
                parts.push(Part::Text(text.get(told..found.start).unwrap_or_default()));
                parts.push(Part::Shell(command.trim()));
                (told, at) = (end, end);
            }
            None => at = found.start + found.mark.len(),
        }
    }
    parts.push(Part::Text(text.get(told..).unwrap_or_default()));
    parts.retain(|part| !matches!(part, Part::Text("")));
    parts
}

/// A mark that may start a command.
struct Mark {
    start: usize,
    mark: &'static str,
}

/// Returns the next mark in a valid position: a fence at the start of a line, the other one also after a space.
fn next(text: &str, from: usize) -> Option<Mark> {
    let find = |mark: &'static str, counts: fn(char) -> bool| {
        let rest = text.get(from..)?;
        let mut places = rest.match_indices(mark).map(|(at, _)| at + from);
        let start = places
            .find(|at| text.get(..*at).is_some_and(|before| before.chars().next_back().is_none_or(counts)))?;
        Some(Mark { start, mark })
    };
    let fence = find(FENCE, |before| before == '\n');
    let inline = find(INLINE, char::is_whitespace);
    fence.into_iter().chain(inline).min_by_key(|mark| mark.start)
}

impl Mark {
    /// Returns the command after the mark, and the position of its end.
    fn command<'t>(&self, text: &'t str) -> Option<(&'t str, usize)> {
        let start = self.start + self.mark.len();
        let rest = text.get(start..)?;
        let (command, end) = if self.mark == FENCE {
            let command = rest.get(..rest.find("\n```")?)?;
            (command, start + command.len() + "\n```".len())
        } else {
            let command = rest.get(..rest.find('`')?)?;
            (command, start + command.len() + 1)
        };
        let is_one = self.mark == FENCE || !command.contains('\n');
        (is_one && !command.trim().is_empty()).then_some((command, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Part::{Shell, Text};

    #[test]
    fn commands_are_found_where_they_are_meant() {
        for (text, expected) in [
            ("plain", vec![Text("plain")]),
            ("- status: !`git status`\n", vec![Text("- status: "), Shell("git status"), Text("\n")]),
            ("!`a`!`b`", vec![Shell("a"), Text("!`b`")]),
            ("!`a` !`b`", vec![Shell("a"), Text(" "), Shell("b")]),
            ("wow!`code` stays", vec![Text("wow!`code` stays")]),
            ("!`open", vec![Text("!`open")]),
            ("!`a\nb`", vec![Text("!`a\nb`")]),
            ("!` `", vec![Text("!` `")]),
            (
                "x\n```!\ngit log\ngit diff\n```\ny",
                vec![Text("x\n"), Shell("git log\ngit diff"), Text("\ny")],
            ),
            ("```!\nopen", vec![Text("```!\nopen")]),
            ("é !`ls` é", vec![Text("é "), Shell("ls"), Text(" é")]),
        ] {
            assert_eq!(parts(text), expected, "{text}");
        }
    }
}
