//! The check that a line is a flat list of plain commands.
//!
//! The analysis of lines reports commands, but not the text around them: loops, functions, assignments,
//! here-documents. So the line is reassembled from its commands and a few operators; if anything is left over, it is
//! more than a flat list.

use std::collections::VecDeque;

use becket_rules::shell::{Command, Line, RedirectionKind, Target};

/// Wrappers whose command is judged from their own words; the analysis also reports that command after them.
const LOOKED_THROUGH: [&str; 2] = ["timeout", "xargs"];

/// Texts allowed between commands, longest first. The redirections discard output or merge it with errors.
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

/// Returns the commands of the line in order, and the files that it redirects input from; `None` if it has other
/// parts. `is_own` returns whether a command is in the line itself: the others are in the text of those.
pub(super) fn flat(line: &Line, is_own: impl Fn(&Command) -> bool) -> Option<(Vec<&Command>, Vec<&str>)> {
    let mut inputs = Vec::new();
    for redirection in line.redirections() {
        match (&redirection.kind, &redirection.target) {
            (RedirectionKind::Input, Target::Literal(path)) => inputs.push(path.as_str()),
            (RedirectionKind::Input, Target::Dynamic(_)) | (RedirectionKind::Output, _) => return None,
        }
    }
    let commands: Vec<&Command> = line.commands().iter().filter(|command| is_own(command)).collect();
    let text = without_blanks(line.text());
    let mut rest = Rest { text: &text, inputs: inputs.iter().map(|path| without_blanks(path)).collect() };
    for command in &commands {
        rest.pass();
        rest.text = rest.text.strip_prefix(without_blanks(command.raw()).as_str())?;
    }
    rest.pass();
    (rest.text.is_empty() && rest.inputs.is_empty()).then_some((commands, inputs))
}

/// Returns whether a command was found in a wrapper that is judged with it.
pub(super) fn is_looked_through(command: &Command) -> bool {
    command.via().is_some_and(|via| LOOKED_THROUGH.contains(&via))
}

/// The rest of a line.
struct Rest<'t> {
    text: &'t str,
    /// The targets of input redirections that have not been passed yet.
    inputs: VecDeque<String>,
}

impl Rest<'_> {
    /// Skips the texts allowed between commands.
    fn pass(&mut self) {
        loop {
            let input =
                self.inputs.front().and_then(|path| self.text.strip_prefix('<')?.strip_prefix(path.as_str()));
            if let Some(rest) = input {
                self.inputs.pop_front();
                self.text = rest;
            } else if let Some(rest) = BETWEEN.iter().find_map(|operator| self.text.strip_prefix(operator)) {
                self.text = rest;
            } else {
                return;
            }
        }
    }
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, ' ' | '\t' | '\n')).collect()
}
