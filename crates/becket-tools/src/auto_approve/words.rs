//! The words of a command that may run unasked: known texts, globs whose matches are looked up, and variables with
//! harmless values.

use becket_rules::shell::{Argument, Command};

/// Variables whose values any command may show. None of them contains a secret.
const SHOWN: [&str; 14] = [
    "HOME", "PWD", "OLDPWD", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "TERM", "TMPDIR", "HOSTNAME", "UID",
    "EUID", "RANDOM",
];

/// The words of one plain command.
#[derive(Debug)]
pub(super) struct Words<'a> {
    /// All words; a glob is its pattern, a variable only its name.
    pub(super) texts: Vec<&'a str>,
    /// The patterns among them.
    pub(super) globs: Vec<&'a str>,
    /// The names of variables among them.
    pub(super) variables: Vec<&'a str>,
}

impl<'a> Words<'a> {
    /// Returns the words of a command in the line itself: no `~`, no assignment or quotes before its name, and no
    /// expansion other than a glob of `*` and `?` or one of the listed variables, each a separate word.
    pub(super) fn of(command: &'a Command) -> Option<Self> {
        let mut words = Self { texts: Vec::new(), globs: Vec::new(), variables: Vec::new() };
        for argument in command.arguments() {
            let text = match argument {
                Argument::Literal(text) => text,
                Argument::Glob(text) => {
                    words.globs.push(text);
                    text
                }
                Argument::Variable(name) if SHOWN.contains(&name) => {
                    words.variables.push(name);
                    name
                }
                Argument::Variable(_) | Argument::Unknown => return None,
            };
            words.texts.push(text);
        }
        let Some(Argument::Literal(name)) = command.arguments().next() else { return None };
        let bare =
            command.raw().strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
        let tilde = |word: &&str| word.starts_with('~') || word.contains("=~") || word.contains(":~");
        let plain =
            bare && command.is_subcommand() && command.via().is_none() && !words.texts.iter().any(tilde);
        plain.then_some(words)
    }

    /// Returns the directory that a plain `cd` changes to.
    pub(super) fn directory(&self) -> Option<&'a str> {
        match self.texts.as_slice() {
            ["cd", target] if self.are_literal() => Some(target),
            _ => None,
        }
    }

    /// Returns whether all words are known from the text.
    pub(super) fn are_literal(&self) -> bool {
        self.globs.is_empty() && self.variables.is_empty()
    }

    /// Returns whether this word is known from the text.
    pub(super) fn is_literal(&self, word: &str) -> bool {
        !self.globs.contains(&word) && !self.variables.contains(&word)
    }

    /// Returns the command that a wrapper runs, whose words are the last of its own; `None` if its name, or a word
    /// before it, is not known: at run time it may become several words, or none.
    pub(super) fn behind(&self, command: &[&'a str]) -> Option<Self> {
        let before = self.texts.len().checked_sub(command.len())?;
        let known = self.texts.iter().take(before + 1).all(|word| self.is_literal(word));
        known.then(|| Self {
            texts: command.to_vec(),
            globs: self.globs.clone(),
            variables: self.variables.clone(),
        })
    }
}
