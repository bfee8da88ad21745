//! The texts of a line's commands, sorted, so that a pattern is compared only with those that begin in the same way.

use super::line::Command;
use super::pattern::CommandPattern;
use crate::steps::{OutOfSteps, Steps};

/// The index of a command, and of one of its texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct TextIndex {
    command: usize,
    text: usize,
}

/// The minimum number of steps for comparing a pattern with a text.
const STEPS_PER_TEXT: usize = 64;

/// An index of the texts of commands, each text once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Forms {
    /// The texts that patterns are compared with, sorted.
    sorted: Vec<TextIndex>,
    /// The texts to which run time adds arguments, in the order of their commands.
    open: Vec<TextIndex>,
}

impl Forms {
    pub(crate) fn new(commands: &[Command]) -> Self {
        let sorted = unique(commands, |command| &command.forms);
        let mut open = unique(commands, |command| &command.open);
        open.sort_unstable();
        Self { sorted, open }
    }

    /// Returns the first command that the pattern matches.
    pub(crate) fn find<'c>(
        &self,
        commands: &'c [Command],
        pattern: &CommandPattern,
        steps: &Steps,
    ) -> Result<Option<&'c Command>, OutOfSteps> {
        let form = |index: &TextIndex| text(commands, *index, |command| &command.forms);
        let from = self.sorted.partition_point(|index| form(index) < pattern.head());
        let mut first: Option<usize> = None;
        for index in self.sorted.get(from..).unwrap_or_default() {
            let form = form(index);
            if !form.starts_with(pattern.head()) {
                break;
            }
            steps.take(form.len() + STEPS_PER_TEXT)?;
            if first.is_none_or(|first| index.command < first) && pattern.matches_normal(form) {
                first = Some(index.command);
            }
        }
        Ok(first.and_then(|at| commands.get(at)))
    }

    /// Returns the first command to which run time adds arguments that the pattern may name.
    pub(crate) fn find_open<'c>(
        &self,
        commands: &'c [Command],
        pattern: &CommandPattern,
        steps: &Steps,
    ) -> Result<Option<&'c Command>, OutOfSteps> {
        for index in &self.open {
            let head = text(commands, *index, |command| &command.open);
            steps.take(head.len() + STEPS_PER_TEXT)?;
            if pattern.could_continue(head) || pattern.matches_normal(head) {
                return Ok(commands.get(index.command));
            }
        }
        Ok(None)
    }
}

/// Returns the indexes of all texts, sorted by text; of equal texts the first.
fn unique(commands: &[Command], texts: impl Fn(&Command) -> &Vec<String> + Copy) -> Vec<TextIndex> {
    let mut indexes = Vec::new();
    for (at, command) in commands.iter().enumerate() {
        indexes.extend((0..texts(command).len()).map(|text| TextIndex { command: at, text }));
    }
    let text = |index: &TextIndex| text(commands, *index, texts);
    indexes.sort_by(|a, b| (text(a), a.command).cmp(&(text(b), b.command)));
    indexes.dedup_by(|later, first| text(later) == text(first));
    indexes
}

fn text(commands: &[Command], index: TextIndex, texts: impl Fn(&Command) -> &Vec<String>) -> &str {
    let command = commands.get(index.command);
    command.and_then(|command| texts(command).get(index.text)).map_or("", String::as_str)
}
