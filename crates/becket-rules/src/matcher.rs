//! Matchers (protocol.md M1–M8): the text of a group's `matcher`, compiled once, run often.
//!
//! Text that is not a valid ECMAScript expression is an error and never a matcher (M4).
//!
//! INVARIANT: no text and no value makes a matcher run long. Regular expressions in the strict sense, lookaround
//! included, run on an automaton in linear time; back-references run on `regress`, on values so short that even its
//! worst case is small. A value past a bound is [`Verdict::Unknown`], never a silent *no match*.

mod bounded;
mod deferred;
mod error;
mod first_units;
mod program;
mod renames;
mod run;
mod syntax;
mod units;
mod watch;

use std::sync::Arc;

pub use error::MatcherError;
pub use renames::Renames;
pub use watch::watch_names;

use bounded::BoundedRegex;
use deferred::DeferredProgram;
use program::Program;

/// The characters that make a matcher a list of names rather than an expression (M2, M5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    /// ASCII letters, digits, `_`, `-`, blank, `,` and `|`: every event but two.
    Wide,
    /// ASCII letters, digits, `_` and `|`: `FileChanged` and `StopFailure`.
    Narrow,
}

/// The result of a matcher for one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The value matches.
    Match,
    /// The value does not match.
    NoMatch,
    /// The value is too long for this expression to be decided in bounded time. A guard runs.
    Unknown,
}

/// The reading of a matcher's text: everything, names or an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatcherKind<'a> {
    /// Absent, empty or `*` (M1).
    Everything,
    /// Exact names, trimmed, in the order written (M2); an empty list matches nothing.
    Names(&'a [String]),
    /// An ECMAScript expression without flags (M3).
    Expression(&'a str),
}

/// A compiled matcher. Cloning is cheap: clones share the compiled form.
///
/// ```
/// use becket_rules::{Alphabet, Matcher, Renames};
/// let matcher = Matcher::compile(Some("Task|mcp__git"), Alphabet::Wide, &Renames::tools())?;
/// assert!(matcher.matches("Agent"));
/// assert!(!matcher.matches("mcp__git__push"));
/// # Ok::<(), becket_rules::MatcherError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Matcher(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    text: String,
    test: Test,
    renames: Renames,
}

#[derive(Debug)]
enum Test {
    Everything,
    Names(Vec<String>),
    Linear(Program),
    Deferred(DeferredProgram),
    Bounded(Box<BoundedRegex>),
}

impl Matcher {
    /// Compiles `text` under M1–M3; `renames` are the other names under which a value matches (M5, M7).
    ///
    /// # Errors
    /// Errors with [`MatcherError`] if the text is not a valid expression (M4), or its cost can't be bounded.
    pub fn compile(text: Option<&str>, alphabet: Alphabet, renames: &Renames) -> Result<Self, MatcherError> {
        let text = text.unwrap_or_default();
        let test = match text {
            "" | "*" => Test::Everything,
            _ if alphabet.holds(text) => Test::Names(names(text)),
            _ if deferred::is_plain(text) => Test::Deferred(DeferredProgram::default()),
            _ => expression(text)?,
        };
        Ok(Self(Arc::new(Inner { text: text.to_owned(), test, renames: renames.clone() })))
    }

    /// Returns whether `value`, or another name of it, matches; unknown counts as a match (see [`Matcher::judge`]).
    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        self.judge(value) != Verdict::NoMatch
    }

    /// Compares `value`, and its other names, with the matcher.
    #[must_use]
    pub fn judge(&self, value: &str) -> Verdict {
        let mut verdict = self.judge_one(value);
        if !self.0.renames.concerns(value) {
            return verdict;
        }
        for other in self.0.renames.also(value) {
            match verdict {
                Verdict::Match => return Verdict::Match,
                Verdict::NoMatch => verdict = self.judge_one(other),
                Verdict::Unknown => match self.judge_one(other) {
                    Verdict::Match => return Verdict::Match,
                    Verdict::NoMatch | Verdict::Unknown => {}
                },
            }
        }
        verdict
    }

    /// Returns how the text was read.
    #[must_use]
    pub fn kind(&self) -> MatcherKind<'_> {
        match &self.0.test {
            Test::Everything => MatcherKind::Everything,
            Test::Names(names) => MatcherKind::Names(names),
            Test::Linear(_) | Test::Deferred(_) | Test::Bounded(_) => MatcherKind::Expression(&self.0.text),
        }
    }

    /// Returns the text as the user wrote it; empty if there was none.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Returns the length of the longest value that this matcher decides, in UTF-16 units; `None` if it decides values
    /// of any sensible length. `check` warns of a small one: longer values are [`Verdict::Unknown`].
    #[must_use]
    pub fn longest_judged(&self) -> Option<usize> {
        match &self.0.test {
            Test::Everything | Test::Names(_) | Test::Linear(_) | Test::Deferred(_) => None,
            Test::Bounded(bounded) => Some(bounded.longest()),
        }
    }

    /// Returns whether a value of the maximum length of a tool name (256 units) is too long for this expression.
    #[must_use]
    pub fn is_risky(&self) -> bool {
        self.longest_judged().is_some_and(|longest| longest < 256)
    }

    fn judge_one(&self, value: &str) -> Verdict {
        match &self.0.test {
            Test::Everything => Verdict::Match,
            Test::Names(names) if names.iter().any(|name| name == value) => Verdict::Match,
            Test::Names(_) => Verdict::NoMatch,
            Test::Linear(program) => program.judge(value),
            Test::Deferred(program) => program.judge(&self.0.text, value),
            Test::Bounded(bounded) => bounded.judge(value),
        }
    }
}

impl Alphabet {
    fn holds(self, text: &str) -> bool {
        text.bytes().all(|byte| match (self, byte) {
            (_, b'_' | b'|') => true,
            (Self::Wide, b'-' | b' ' | b',') => true,
            (Self::Wide | Self::Narrow, other) => other.is_ascii_alphanumeric(),
        })
    }
}

fn names(text: &str) -> Vec<String> {
    text.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Compiles an expression: `regress` validates it, the automaton runs everything but back-references.
fn expression(text: &str) -> Result<Test, MatcherError> {
    let parsed = syntax::parse(text);
    if let Err(syntax::ParseFailure::TooDeep | syntax::ParseFailure::TooLong) = parsed {
        return Err(MatcherError::TooLarge { text: error::shown(text) });
    }
    let judge = bounded::compile(text)?;
    let pattern = parsed.map_err(|unread| MatcherError::unread(text, &unread))?;
    if pattern.has_back_reference {
        return Ok(Test::Bounded(Box::new(BoundedRegex::new(judge, &pattern.node))));
    }
    let program =
        Program::compile(&pattern.node).ok_or_else(|| MatcherError::TooLarge { text: error::shown(text) })?;
    Ok(Test::Linear(program))
}
