//! Whether a line is nothing but plain commands, one after the other.
//!
//! The analysis of lines says which commands there are, not what stands around them: loops, functions, assignments,
//! here-documents. So the line is put together again from its commands and a few operators; what is left over is more
//! than a flat list.

use becket_rules::shell::Line;

/// What may stand between commands, longest first. The redirections throw output away or join it with errors.
const BETWEEN: [&str; 14] = [
    "2>/dev/null",
    "1>/dev/null",
    "&>/dev/null",
    ">/dev/null",
    "</dev/null",
    "2>&1",
    "1>&2",
    ">&2",
    "&&",
    "||",
    "|&",
    "|",
    ";",
    "&",
];

/// Whether the commands of the line, in their order, are all there is to it.
pub(super) fn is_flat(line: &Line) -> bool {
    let text = without_blanks(line.text());
    let mut rest = text.as_str();
    for command in line.commands() {
        let Some(after) = between(rest).strip_prefix(without_blanks(command.raw()).as_str()) else {
            return false;
        };
        rest = after;
    }
    between(rest).is_empty()
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, ' ' | '\t' | '\n')).collect()
}

fn between(mut text: &str) -> &str {
    while let Some(rest) = BETWEEN.iter().find_map(|operator| text.strip_prefix(operator)) {
        text = rest;
    }
    text
}
