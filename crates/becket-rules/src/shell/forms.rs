//! The texts of a line's commands, sorted, so that a pattern is compared only with those that begin as it does.

use super::line::Command;
use super::pattern::CommandPattern;
use crate::steps::{OutOfSteps, Steps};

/// A text of a command: the command, and which of its texts.
type Place = (usize, usize);

/// The steps that comparing a pattern with a text costs, however short it is.
const STEPS_PER_TEXT: usize = 64;

/// An index of the texts of commands, each text once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Forms {
    /// The texts that patterns are compared with, sorted.
    sorted: Vec<Place>,
    /// The texts to which run time adds arguments, in the order of their commands.
    open: Vec<Place>,
}

impl Forms {
    pub(crate) fn new(commands: &[Command]) -> Self {
        let sorted = unique(commands, |command| &command.forms);
        let mut open = unique(commands, |command| &command.open);
        open.sort_unstable();
        Self { sorted, open }
    }

    /// The first command that the pattern matches.
    pub(crate) fn find<'c>(
        &self,
        commands: &'c [Command],
        pattern: &CommandPattern,
        steps: &Steps,
    ) -> Result<Option<&'c Command>, OutOfSteps> {
        let form = |place: &Place| text(commands, *place, |command| &command.forms);
        let from = self.sorted.partition_point(|place| form(place) < pattern.head());
        let mut first: Option<usize> = None;
        for place in self.sorted.get(from..).unwrap_or_default() {
            let form = form(place);
            if !form.starts_with(pattern.head()) {
                break;
            }
            steps.take(form.len() + STEPS_PER_TEXT)?;
            if first.is_none_or(|first| place.0 < first) && pattern.matches_normal(form) {
                first = Some(place.0);
            }
        }
        Ok(first.and_then(|at| commands.get(at)))
    }

    /// The first command to which run time adds arguments that the pattern may name.
    pub(crate) fn find_open<'c>(
        &self,
        commands: &'c [Command],
        pattern: &CommandPattern,
        steps: &Steps,
    ) -> Result<Option<&'c Command>, OutOfSteps> {
        for place in &self.open {
            let head = text(commands, *place, |command| &command.open);
            steps.take(head.len() + STEPS_PER_TEXT)?;
            if pattern.could_continue(head) || pattern.matches_normal(head) {
                return Ok(commands.get(place.0));
            }
        }
        Ok(None)
    }
}

/// The places of all texts, sorted by text; of one text the first.
fn unique(commands: &[Command], texts: impl Fn(&Command) -> &Vec<String> + Copy) -> Vec<Place> {
    let each = |(at, command): (usize, &Command)| (0..texts(command).len()).map(move |index| (at, index));
    let mut places: Vec<Place> = commands.iter().enumerate().flat_map(each).collect();
    let text = |place: &Place| text(commands, *place, texts);
    places.sort_by(|a, b| (text(a), a.0).cmp(&(text(b), b.0)));
    places.dedup_by(|later, first| text(later) == text(first));
    places
}

fn text(commands: &[Command], (at, index): Place, texts: impl Fn(&Command) -> &Vec<String>) -> &str {
    commands.get(at).and_then(|command| texts(command).get(index)).map_or("", String::as_str)
}
