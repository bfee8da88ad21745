//! The twelve mutants, each of which breaks a handler in any language.

use std::fmt;

/// One way to break a handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mutant {
    /// It exits with 0 and prints nothing.
    AlwaysPass,
    /// It exits with 2.
    AlwaysDeny,
    /// It exits with 1 after its usual output.
    Exit1,
    /// It exits with 1 instead of 2.
    Exit2To1,
    /// A signal ends it.
    Killed,
    /// It runs until its limit.
    TimesOut,
    /// It is not in the configuration.
    Deleted,
    /// The matcher of its group matches nothing.
    MatcherNever,
    /// The matcher of its group matches everything.
    MatcherWidened,
    /// It has no `if`.
    IfDropped,
    /// It prints on stderr instead of stdout.
    AnswerOnStderr,
    /// Its stdin is empty.
    EmptyStdin,
}

impl Mutant {
    /// All mutants, in the order of reports.
    pub const ALL: [Mutant; 12] = [
        Mutant::AlwaysPass,
        Mutant::AlwaysDeny,
        Mutant::Exit1,
        Mutant::Exit2To1,
        Mutant::Killed,
        Mutant::TimesOut,
        Mutant::Deleted,
        Mutant::MatcherNever,
        Mutant::MatcherWidened,
        Mutant::IfDropped,
        Mutant::AnswerOnStderr,
        Mutant::EmptyStdin,
    ];

    /// Returns its name, as case files and reports write it.
    pub const fn name(self) -> &'static str {
        match self {
            Mutant::AlwaysPass => "always-pass",
            Mutant::AlwaysDeny => "always-deny",
            Mutant::Exit1 => "exit-1",
            Mutant::Exit2To1 => "exit-2-to-1",
            Mutant::Killed => "killed",
            Mutant::TimesOut => "times-out",
            Mutant::Deleted => "deleted",
            Mutant::MatcherNever => "matcher-never",
            Mutant::MatcherWidened => "matcher-widened",
            Mutant::IfDropped => "if-dropped",
            Mutant::AnswerOnStderr => "answer-on-stderr",
            Mutant::EmptyStdin => "empty-stdin",
        }
    }

    /// Finds a mutant by its name.
    pub fn from_name(name: &str) -> Option<Mutant> {
        Mutant::ALL.into_iter().find(|mutant| mutant.name() == name)
    }

    /// Returns whether it changes the configuration rather than the answer of a handler.
    pub(crate) const fn changes_plan(self) -> bool {
        match self {
            Mutant::Deleted | Mutant::MatcherNever | Mutant::MatcherWidened | Mutant::IfDropped => true,
            Mutant::AlwaysPass
            | Mutant::AlwaysDeny
            | Mutant::Exit1
            | Mutant::Exit2To1
            | Mutant::Killed
            | Mutant::TimesOut
            | Mutant::AnswerOnStderr
            | Mutant::EmptyStdin => false,
        }
    }
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
