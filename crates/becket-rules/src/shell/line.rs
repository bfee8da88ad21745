//! An analysed command line, and the queries on it.

use std::sync::OnceLock;

use super::arg::Arg;
use super::context::Context;
use super::cursor::Parser;
use super::forms::Forms;
use super::limits::MAX_CHARS;
use super::open_options::OpenOption;
use super::refusal::UnknownReason;
use super::values::Values;
use super::walk::Walk;
use super::words_scan::FlatText;

/// A command line and everything it may run. Never fails: unknown parts are kept as such.
///
/// ```
/// use becket_rules::shell::{Applies, CommandPattern, Line};
///
/// let line = Line::parse("cd /srv && sudo -u deploy git push");
/// assert!(matches!(line.condition(&CommandPattern::new("git push *")), Applies::Match { .. }));
/// assert_eq!(line.condition(&CommandPattern::new("rm *")), Applies::NoMatch);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub(crate) text: String,
    pub(crate) commands: Vec<Command>,
    pub(crate) redirections: Vec<Redirection>,
    pub(crate) unknowns: Vec<Unknown>,
    /// The first expansion that isn't `$HOME`, as it is written (P6 d).
    pub(crate) expansion: Option<String>,
    /// True if the line changes its directory, so that relative paths are not its own.
    pub(crate) moves: bool,
    /// The commands by their texts, computed on first use.
    pub(crate) forms: OnceLock<Forms>,
    /// Programs in the line that could not be read.
    pub(crate) unread: Vec<String>,
    /// The words, for patterns that are tried on each of them.
    pub(crate) words: OnceLock<FlatText>,
    /// The values to which the line sets variables, and its here-strings.
    pub(crate) values: Values,
    /// The reason why only a rule without `*`, or one for every command, covers the line (P4): it evaluates or sets
    /// something.
    pub(crate) restricted: Option<UnknownReason>,
}

/// One command that a line may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The command as it is written, blanks normalised, leading assignments included.
    pub(crate) raw: String,
    /// The texts that deny, ask and `if` patterns are compared with, blanks normalised.
    pub(crate) forms: Vec<String>,
    /// The text for allow rules; `None` if the command was found in a wrapper or in the text of a program, so that no
    /// allow rule need cover it.
    pub(crate) allow: Option<AllowForm>,
    pub(crate) args: Vec<Arg>,
    pub(crate) via: Option<String>,
    /// The text before the first word that is known or appended only at run time, in every form; empty if there is no
    /// such word.
    pub(crate) open: Vec<String>,
}

/// The text that an allow rule must cover (P5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AllowForm {
    /// The texts without wrappers and harmless assignments.
    pub(crate) stripped: Vec<String>,
    /// The whole command, which only a rule without `*` covers, if it is more than `stripped`.
    pub(crate) whole: Vec<String>,
    /// True if no rule with a `*` covers it.
    pub(crate) exact_only: bool,
    /// True if only a rule with a `*` covers it: arguments are appended at run time.
    pub(crate) open: bool,
    /// For each text in `stripped`, the number of bytes before a name of a program: a rule covers the command only if
    /// it has no `*` before that position.
    pub(crate) spelled: Vec<usize>,
    /// For each text in `stripped`, the number of bytes that a rule with an option has to spell out: the option that
    /// makes a command write the files which it reads otherwise.
    pub(crate) in_place: Vec<usize>,
    /// The arguments that count in `spelled` if they may become an option.
    pub(crate) open_options: Vec<OpenOption>,
}

/// An unknown part; `direct` if P4's own walk found it, so that no allow rule covers the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unknown {
    pub(crate) reason: UnknownReason,
    pub(crate) direct: bool,
}

impl Command {
    /// Returns the command without its quotes and leading assignments, blanks normalised.
    #[must_use]
    pub fn text(&self) -> &str {
        self.forms.first().map_or(&self.raw, |form| form)
    }

    /// Returns the command as it is written, blanks normalised.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// Returns the wrapper that it was found in (`sudo`, `sh -c`); `None` for a subcommand of the line itself, which
    /// allow rules must cover (P4).
    #[must_use]
    pub fn via(&self) -> Option<&str> {
        self.via.as_deref()
    }

    /// Returns whether its program runs the code, or types the keys, in its arguments: `python -c`, `tmux send-keys`.
    #[must_use]
    pub fn runs_code(&self) -> bool {
        self.args.first().and_then(Arg::command_name).is_some_and(super::program::runs_code)
    }

    /// Returns whether an allow rule has to cover it.
    #[must_use]
    pub fn is_subcommand(&self) -> bool {
        self.allow.is_some()
    }

    /// Returns its words without quotes; `None` for a word that is known only at run time, globs included.
    pub fn words(&self) -> impl Iterator<Item = Option<&str>> {
        self.args.iter().map(|arg| arg.value().filter(|_| !arg.glob))
    }

    /// Returns its words without quotes, each with the effect of run time on it.
    pub fn arguments(&self) -> impl Iterator<Item = Argument<'_>> {
        self.args.iter().map(|arg| match (arg.value(), arg.glob) {
            (Some(text), false) => Argument::Literal(text),
            (Some(text), true) => Argument::Glob(text),
            (None, _) => match plain_variable(&arg.raw) {
                Some(name) if !arg.glob => Argument::Variable(name),
                Some(_) | None => Argument::Unknown,
            },
        })
    }
}

/// A word of a command, as far as the text determines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument<'l> {
    /// The value.
    Literal(&'l str),
    /// A text that contains a glob, quotes removed: quoted wildcards look like others.
    Glob(&'l str),
    /// The name of a single variable, `$NAME` or `${NAME}`, quoted or not.
    Variable(&'l str),
    /// Any other expansion.
    Unknown,
}

/// Returns the name of the variable that a word consists of, as it is written.
fn plain_variable(raw: &str) -> Option<&str> {
    let unquoted = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(raw);
    let name = unquoted.strip_prefix('$')?;
    let name = name.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(name);
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some(name)
}

/// A redirection of a file (protocol.md P4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirection {
    /// The direction: read or written.
    pub kind: RedirectionKind,
    /// The file.
    pub target: Target,
    /// The words that the target becomes: several if it contains braces.
    pub(crate) words: Vec<Arg>,
}

/// The direction of a redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectionKind {
    /// `>`, `>>`, `>|`, `&>`, `<>`, `>& file`: counts as an `Edit` of the target.
    Output,
    /// `<`: counts as a `Read`.
    Input,
}

/// The file of a redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The path as the shell will open it, relative to the line's own directory unless it is absolute.
    Literal(String),
    /// A path that is known only at run time, as it is written: it contains `~`, a glob or a variable, or is relative
    /// in a line that changes its directory. Asks.
    Dynamic(String),
}

impl Line {
    /// Analyses a line. Takes time linear in its length; never fails.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut walk = Walk::default();
        if text.chars().nth(MAX_CHARS).is_some() {
            walk.unknown(UnknownReason::TooLong, true);
        } else if let Some(at) = text.find('\0') {
            walk.unknown(UnknownReason::Unparsable { at, what: "a NUL character" }, true);
        } else {
            match Parser::new(text, 0).program() {
                Ok(script) => walk.script(&script, &Context::line()),
                Err(reason) => walk.unknown(reason, true),
            }
        }
        walk.finish(text)
    }

    /// Returns the line as it was given.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns every command that the line may run, in the order they were found; those in wrappers and in the text of
    /// programs follow the command that they were found in.
    #[must_use]
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// Returns the parts that can't be known from the text.
    pub fn unknowns(&self) -> impl Iterator<Item = &UnknownReason> {
        self.unknowns.iter().map(|unknown| &unknown.reason)
    }

    /// Returns all redirections of files. `/dev/null` and descriptors are left out.
    #[must_use]
    pub fn redirections(&self) -> &[Redirection] {
        &self.redirections
    }
}
