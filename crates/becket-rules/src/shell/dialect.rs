//! The shell that a program in text is for, and the parts of bash's grammar that it reads differently (rule P6).
//!
//! The syntax is always bash's. A text for another shell is read as bash would read it, and is *unknown* if it contains
//! anything that the other shell may parse differently.

use super::ast::{Part, Word};

/// A family of shells that read a program alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Bash,
    /// `sh`, `dash`, `ash` and similar shells: POSIX and no more.
    Posix,
    /// `ksh`, `mksh`: what bash took over from them is read alike.
    Korn,
    Zsh,
    /// `fish`, `csh`, `tcsh`: other languages that share simple commands.
    Foreign,
}

/// Shells: `-c` takes a program, no operand means the program comes from the input.
const SHELLS: &[(&str, Dialect)] = &[
    ("sh", Dialect::Posix),
    ("bash", Dialect::Bash),
    ("rbash", Dialect::Bash),
    // `/proc/self/exe` is the shell that reads the line.
    ("exe", Dialect::Bash),
    ("dash", Dialect::Posix),
    ("ash", Dialect::Posix),
    ("hush", Dialect::Posix),
    ("lash", Dialect::Posix),
    ("yash", Dialect::Posix),
    ("posh", Dialect::Posix),
    ("zsh", Dialect::Zsh),
    ("rzsh", Dialect::Zsh),
    ("ksh", Dialect::Korn),
    ("ksh93", Dialect::Korn),
    ("rksh", Dialect::Korn),
    ("mksh", Dialect::Korn),
    ("lksh", Dialect::Korn),
    ("oksh", Dialect::Korn),
    ("fish", Dialect::Foreign),
    ("csh", Dialect::Foreign),
    ("tcsh", Dialect::Foreign),
];

/// Words at the start of a command that mean more to zsh than a command's name.
const ZSH_WORDS: &[&str] = &[
    "repeat",
    "nocorrect",
    "-",
    "foreach",
    "end",
    "always",
    "emulate",
    "setopt",
    "unsetopt",
    "zpty",
    "sched",
    "zmodload",
    "print",
    "r",
];

/// Words at the start of a command that mean more to ksh than a command's name.
const KORN_WORDS: &[&str] = &["hist", "r"];

/// Words at the start of a command that mean more to fish or csh than a command's name.
const FOREIGN_WORDS: &[&str] = &[
    "and", "or", "not", "begin", "end", "if", "else", "switch", "case", "while", "for", "foreach", "repeat",
    "function", "alias", "abbr", "set", "@", "source", "goto", "onintr", "breaksw", "endif", "endsw", "nice",
    "nohup", "time", "exec", "command", "builtin",
];

impl Dialect {
    /// Returns the dialect of a shell; `None` for any other command.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let name = name.strip_prefix('-').unwrap_or(name);
        SHELLS.iter().find(|(shell, _)| *shell == name).map(|(_, dialect)| *dialect)
    }

    /// Returns whether it reads a construct of bash that POSIX does not have differently.
    pub(crate) fn differs(self) -> bool {
        match self {
            Self::Posix | Self::Foreign => true,
            Self::Bash | Self::Korn | Self::Zsh => false,
        }
    }

    /// Returns the first of a simple command's words that it may parse differently from bash.
    pub(crate) fn odd_word(self, words: &[Word]) -> Option<&str> {
        let first = words.first()?;
        let literal = first.literal().unwrap_or_default();
        let special = match self {
            Self::Bash | Self::Posix => &[],
            Self::Korn => KORN_WORDS,
            Self::Zsh => ZSH_WORDS,
            Self::Foreign => FOREIGN_WORDS,
        };
        if special.contains(&literal.as_str()) {
            return Some(&first.raw);
        }
        let odd = |word: &&Word| match self {
            Self::Bash | Self::Posix | Self::Korn => false,
            Self::Zsh => expands_in_zsh(word),
            Self::Foreign => word.raw.contains(['\\', '$', '%', '!', '`', '{', '^']),
        };
        words.iter().find(odd).map(|word| word.raw.as_str())
    }
}

/// Returns whether zsh expands a word that bash sees as plain text: `=name` is the path of a command, and `$=x` splits.
fn expands_in_zsh(word: &Word) -> bool {
    let plain = |part: &Part| match part {
        Part::Text { text, quoted } => !*quoted && text.contains(['$', '^']),
        Part::Expansion(_) => false,
    };
    word.raw.starts_with('=') || word.parts.iter().any(plain)
}
