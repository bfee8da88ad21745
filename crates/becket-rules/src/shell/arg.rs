//! What a word becomes before the command sees it, as far as its text says: braces expanded, quotes removed.

use super::ast::{Part, Word};
use super::brace::{self, Unit};

/// One argument of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arg {
    /// As it is written.
    pub(crate) raw: String,
    /// Without its quotes; expansions as they are written, `~` and globs as they are.
    pub(crate) text: String,
    /// Holds an expansion: `text` is not the value.
    pub(crate) dynamic: bool,
    /// Holds an expansion other than `$HOME`: it may be no word, or several.
    pub(crate) open: bool,
    /// Holds an unquoted glob.
    pub(crate) glob: bool,
    /// Starts with an unquoted `~`.
    pub(crate) tilde: bool,
}

impl Arg {
    /// The value, if the text alone says it.
    pub(crate) fn value(&self) -> Option<&str> {
        if self.dynamic { None } else { Some(&self.text) }
    }

    /// The path that it names, if the text alone says it.
    pub(crate) fn path(&self) -> Option<&str> {
        self.value().filter(|_| !self.glob && !self.tilde)
    }

    /// The name of the command that it starts: the value without a path in front. `None`: only run time knows.
    pub(crate) fn command_name(&self) -> Option<&str> {
        let value = self.value().filter(|_| !self.glob)?;
        match value.rsplit_once('/') {
            Some((_, name)) => Some(name),
            None => Some(value).filter(|_| !self.tilde),
        }
    }
}

/// The arguments that a word becomes. The flag says that braces hold more than is followed here.
pub(crate) fn arguments(word: &Word) -> Vec<Arg> {
    let units = units(word);
    let Some(expanded) = brace::expand(&units) else { return vec![unknown(word)] };
    let whole = expanded.len() == 1;
    let mut args: Vec<Arg> = expanded.iter().filter_map(|units| argument(units, word)).collect();
    if let (true, Some(arg)) = (whole, args.first_mut()) {
        arg.raw.clone_from(&word.raw);
    }
    args
}

fn units(word: &Word) -> Vec<Unit> {
    let mut units = Vec::new();
    for part in &word.parts {
        match part {
            Part::Text { text, quoted: false } => units.extend(text.chars().map(Unit::Plain)),
            Part::Text { text, quoted: true } => {
                units.push(Unit::Quote);
                units.extend(text.chars().map(Unit::Quoted));
            }
            Part::Expansion(expansion) => units.push(Unit::Dynamic(expansion.raw.clone())),
        }
    }
    units
}

/// `None`: nothing is left of the word, not even quotes.
fn argument(units: &[Unit], word: &Word) -> Option<Arg> {
    if units.is_empty() && !word.parts.is_empty() {
        return None;
    }
    let mut arg = Arg {
        raw: String::new(),
        text: String::new(),
        dynamic: false,
        open: false,
        glob: false,
        tilde: false,
    };
    let mut bracket = false;
    arg.tilde = matches!(units.first(), Some(Unit::Plain('~')));
    for unit in units {
        match unit {
            Unit::Plain(c) => {
                bracket |= *c == '[';
                arg.glob |= matches!(c, '*' | '?') || (bracket && *c == ']');
                arg.text.push(*c);
            }
            Unit::Quoted(c) => arg.text.push(*c),
            Unit::Quote => {}
            Unit::Dynamic(raw) => {
                arg.dynamic = true;
                arg.open |= !matches!(raw.as_str(), "$HOME" | "${HOME}");
                arg.text.push_str(raw);
            }
        }
    }
    arg.raw.clone_from(&arg.text);
    Some(arg)
}

fn unknown(word: &Word) -> Arg {
    let (text, _) = word.rendered();
    Arg { raw: word.raw.clone(), text, dynamic: true, open: true, glob: false, tilde: false }
}
