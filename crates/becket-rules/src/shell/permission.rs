//! Permission rules for Bash (rules P4 and P5): deny and ask need one command, allow must cover all.

use super::line::{Command, Line, Unknown};
use super::pattern::{CommandPattern, normalise};
use super::refusal::UnknownReason;
use super::words_scan::FlatText;
use super::wrapper::is_assignment;
use crate::steps::{OutOfSteps, Steps};

/// The command that a deny or ask rule matched.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hit {
    /// The command, as it is written; the whole line if commands can't be separated.
    pub command: String,
    /// The wrapper that runs it (`sudo`, `sh -c`).
    pub via: Option<String>,
}

/// The coverage of a line by allow rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coverage {
    /// Every subcommand is covered. Redirections are judged apart.
    Covered,
    /// The first subcommand that no rule covers, as it is written.
    Uncovered {
        /// The subcommand.
        command: String,
    },
    /// No rule can cover the line: it asks.
    Unknown {
        /// The reason.
        why: UnknownReason,
    },
}

impl Line {
    /// Returns the command that a deny or ask rule matches, if any (protocol.md P4, P5). One command is enough. If
    /// commands are hidden (the line can't be read, is too long, or has a command word known only at run time), every
    /// word of the line is tried as the start of one.
    #[must_use]
    pub fn hit(&self, pattern: &CommandPattern) -> Option<Hit> {
        self.hit_within(pattern, &Steps::unbounded()).ok().flatten()
    }

    /// Does the same within the remaining steps.
    pub(crate) fn hit_within(
        &self,
        pattern: &CommandPattern,
        steps: &Steps,
    ) -> Result<Option<Hit>, OutOfSteps> {
        if let Some(command) = self.find_within(pattern, steps)? {
            return Ok(Some(Hit { command: command.raw.clone(), via: command.via.clone() }));
        }
        let hidden = self.unknowns.iter().any(|unknown| unknown.reason.hides_commands());
        let hit = pattern.is_everything()
            || (hidden && self.flat_text().hit(pattern, steps)?)
            || self.hit_between_assignments(pattern, steps)?;
        Ok(hit.then(|| Hit { command: self.text.clone(), via: None }))
    }

    /// Does the same for a line that may treat an assignment after the name of a command as one before it (`set -k`).
    fn hit_between_assignments(&self, pattern: &CommandPattern, steps: &Steps) -> Result<bool, OutOfSteps> {
        let moves = |unknown: &Unknown| matches!(unknown.reason, UnknownReason::Mode(_));
        if !self.unknowns.iter().any(moves) {
            return Ok(false);
        }
        for command in &self.commands {
            let words = command.args.iter().map(|arg| arg.text.as_str()).filter(|text| !is_assignment(text));
            let text = normalise(&words.collect::<Vec<_>>().join(" "));
            steps.take(text.len())?;
            if pattern.matches_normal(&text) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the words of the line, and of the programs in it that could not be read.
    fn flat_text(&self) -> &FlatText {
        self.words.get_or_init(|| {
            let texts = [self.text.as_str()].into_iter().chain(self.unread.iter().map(String::as_str));
            FlatText::new(&texts.collect::<Vec<_>>().join("\n"))
        })
    }

    /// Returns why the line itself was not read to its end, if it was not.
    pub(crate) fn unread_reason(&self) -> Option<&UnknownReason> {
        let ends = |unknown: &&Unknown| unknown.direct && unknown.reason.ends_reading();
        self.unknowns.iter().find(ends).map(|unknown| &unknown.reason)
    }

    /// Returns the words of a line that was not read to its end: any of them may be the name of a file (protocol.md P4).
    pub(crate) fn unread_words(&self) -> Option<impl Iterator<Item = &str>> {
        let unread = self.unknowns.iter().any(|unknown| unknown.reason.ends_reading());
        unread.then(|| self.flat_text().words())
    }

    /// Checks that allow rules cover the line (protocol.md P4, P5).
    #[must_use]
    pub fn uncovered(&self, allows: &[&CommandPattern]) -> Coverage {
        self.uncovered_within(allows, &Steps::unbounded())
    }

    /// Does the same within the remaining steps. Without any, the line is not covered.
    pub(crate) fn uncovered_within(&self, allows: &[&CommandPattern], steps: &Steps) -> Coverage {
        let steps_for = |command: &Command| match &command.allow {
            Some(allow) => allow.stripped.iter().map(String::len).sum::<usize>() / 4 + 32,
            None => 1,
        };
        let subcommands = self.commands.iter().filter(|command| command.is_subcommand());
        let cost = subcommands.map(steps_for).sum::<usize>().saturating_mul(allows.len());
        if steps.take(cost).is_err() {
            return Coverage::Unknown { why: UnknownReason::TooComplex };
        }
        let covered = |command: &Command| allows.iter().any(|pattern| command.covered_by(pattern));
        match &self.restricted {
            None => self.coverage(covered),
            Some(_) if allows.iter().any(|pattern| pattern.is_everything()) => self.coverage(|_| true),
            // A line is one command, and the rule is its text; otherwise the values set beside the command would count.
            Some(why) => {
                let whole = normalise(&self.text);
                let exact =
                    |pattern: &&&CommandPattern| !pattern.is_prefix() && pattern.matches_normal(&whole);
                match allows.iter().find(exact) {
                    Some(pattern) => self.coverage(|command| command.covered_by(pattern)),
                    None => Coverage::Unknown { why: why.clone() },
                }
            }
        }
    }

    /// Checks that allow rules cover the line except for its harmless commands, which are given by their indices in
    /// [`Line::commands`]. A line that evaluates or sets something has none.
    pub(crate) fn uncovered_beside(
        &self,
        allows: &[&CommandPattern],
        harmless: &[usize],
        steps: &Steps,
    ) -> Coverage {
        match self.uncovered_within(allows, steps) {
            Coverage::Uncovered { .. } if self.restricted.is_none() && !harmless.is_empty() => {
                let covered = |command: &Command| allows.iter().any(|pattern| command.covered_by(pattern));
                self.coverage_at(|index, command| harmless.contains(&index) || covered(command))
            }
            coverage @ (Coverage::Covered | Coverage::Uncovered { .. } | Coverage::Unknown { .. }) => {
                coverage
            }
        }
    }

    /// Checks that every subcommand satisfies `covers`: by an allow rule, a mode, or both.
    pub fn coverage(&self, covers: impl Fn(&Command) -> bool) -> Coverage {
        self.coverage_at(|_, command| covers(command))
    }

    fn coverage_at(&self, covers: impl Fn(usize, &Command) -> bool) -> Coverage {
        if let Some(unknown) = self.unknowns.iter().find(|unknown| unknown.direct) {
            return Coverage::Unknown { why: unknown.reason.clone() };
        }
        let commands = self.commands.iter().enumerate();
        let mut subcommands = commands.filter(|(_, command)| command.is_subcommand()).peekable();
        if subcommands.peek().is_none() {
            return Coverage::Uncovered { command: self.text.clone() };
        }
        match subcommands.find(|(index, command)| !covers(*index, command)) {
            Some((_, command)) => Coverage::Uncovered { command: command.raw.clone() },
            None => Coverage::Covered,
        }
    }
}

impl Command {
    /// Returns whether an allow rule covers this subcommand (protocol.md P5); `false` for anything that is not a
    /// subcommand.
    #[must_use]
    pub(crate) fn covered_by(&self, pattern: &CommandPattern) -> bool {
        let Some(allow) = &self.allow else { return false };
        if pattern.is_everything() {
            return true;
        }
        let matches = |forms: &[String]| forms.iter().any(|form| pattern.matches_normal(form));
        if pattern.is_prefix() {
            let spelled = pattern.head().len();
            let narrow = pattern.head().contains(" -");
            let least = allow.spelled.iter().zip(&allow.in_place);
            let least = least.map(|(named, in_place)| if narrow { *named.max(in_place) } else { *named });
            let texts = allow.stripped.iter().zip(least);
            let mut left_open = texts.filter(|(_, least)| spelled >= *least).map(|(text, _)| text);
            return !allow.exact_only && left_open.any(|text| pattern.matches_normal(text));
        }
        !allow.open && (matches(&allow.stripped) || matches(&allow.whole))
    }
}
