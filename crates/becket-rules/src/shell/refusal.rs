//! Reasons why a line, or a part of it, can't be known from its text.

use std::fmt;

/// The reason why the analysis can't determine what a line runs (rules P4 and P6). Shown to users by `explain`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownReason {
    /// The line is longer than 10,000 characters (P4).
    TooLong,
    /// The line nests deeper, or contains more commands, than the analysis follows.
    TooComplex,
    /// The line can't be read as bash (P6 e): the position in the text that was read, and the obstacle.
    Unparsable {
        /// Byte offset in the line, or in the nested text that was being read.
        at: usize,
        /// The construct that was found.
        what: &'static str,
    },
    /// The name of a command is known only at run time (P6 b): the word as it is written.
    CommandWord(String),
    /// A shell or `eval` is given a text that contains an expansion: the text as far as it is written.
    ProgramText(String),
    /// A shell takes its program from a pipe or a file descriptor (P6 c): the shell's name.
    ProgramFromInput(String),
    /// The line changes what later words mean (`alias`, `hash -p`, a startup file, `${x@P}`): the word that does so.
    Redefinition(String),
    /// Values are evaluated as arithmetic, which runs `$( )` in a subscript: the word concerned.
    Arithmetic(String),
    /// A program is for another shell than bash, which may read this construct or word differently.
    Dialect(String),
    /// A shell option changes how the rest is read (`set -o keyword`): the option.
    Mode(String),
    /// Commands from the history are run again (`fc`, `!!`): the word that does so.
    History(String),
    /// The pattern names words, and the line contains an expansion (P6 d): the expansion as it is written.
    Expansion(String),
    /// Arguments that are known only at run time are appended to a command that the pattern may name (`xargs git`).
    Arguments(String),
}

impl UnknownReason {
    /// Returns whether a part of the line was not read, so that any file may be used there.
    pub(crate) fn ends_reading(&self) -> bool {
        match self {
            Self::TooLong | Self::TooComplex | Self::Unparsable { .. } => true,
            Self::CommandWord(_) | Self::Redefinition(_) | Self::ProgramFromInput(_) => false,
            Self::ProgramText(_) | Self::Arithmetic(_) | Self::Dialect(_) | Self::Mode(_) => false,
            Self::History(_) | Self::Expansion(_) | Self::Arguments(_) => false,
        }
    }

    /// Returns whether the words of the whole line have to be tried as commands, since no command was found for them
    /// (P4).
    pub(crate) fn hides_commands(&self) -> bool {
        match self {
            Self::TooLong | Self::TooComplex | Self::Unparsable { .. } => true,
            Self::CommandWord(_) | Self::Redefinition(_) => true,
            Self::ProgramFromInput(_) | Self::ProgramText(_) | Self::Arithmetic(_) => true,
            Self::Dialect(_) | Self::Mode(_) | Self::History(_) => true,
            Self::Expansion(_) | Self::Arguments(_) => false,
        }
    }
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "the line is longer than {} characters", super::limits::MAX_CHARS),
            Self::TooComplex => f.write_str("the line nests too deep or holds too many commands"),
            Self::Unparsable { at, what } => write!(f, "the line can't be read as bash: {what} at byte {at}"),
            Self::CommandWord(word) => write!(f, "only run time knows which command `{word}` is"),
            Self::ProgramText(text) => write!(f, "only run time knows all of the program `{text}`"),
            Self::ProgramFromInput(shell) => write!(f, "`{shell}` takes its program from its input"),
            Self::Redefinition(word) => write!(f, "`{word}` changes what other words mean"),
            Self::Arithmetic(word) => {
                write!(f, "`{word}` is evaluated as arithmetic, which can run commands")
            }
            Self::Dialect(word) => {
                write!(f, "the shell that runs `{word}` may read it differently than bash")
            }
            Self::Mode(option) => write!(f, "`{option}` changes how the rest of the line is read"),
            Self::History(word) => write!(f, "`{word}` runs commands from the history"),
            Self::Expansion(text) => write!(f, "only run time knows the value of `{text}`"),
            Self::Arguments(command) => write!(f, "only run time knows all arguments of `{command}`"),
        }
    }
}
