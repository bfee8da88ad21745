//! The arguments that a word becomes, as far as its text shows: braces expanded, quotes removed.

use super::ast::{Expansion, ExpansionKind, Part, Word};
use super::brace::{self, Unit};

/// One argument of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arg {
    /// The argument as it is written.
    pub(crate) raw: String,
    /// The argument without its quotes; expansions, `~` and globs are kept as they are written.
    pub(crate) text: String,
    /// Contains an expansion: `text` is not the value.
    pub(crate) dynamic: bool,
    /// Contains an expansion other than `$HOME`: it may become no word, or several.
    pub(crate) open: bool,
    /// Contains an unquoted glob.
    pub(crate) glob: bool,
    /// Starts with an unquoted `~`.
    pub(crate) tilde: bool,
    /// Contains an expansion that may become several words: unquoted, or `"$@"` and similar ones.
    pub(crate) splits: bool,
}

impl Arg {
    /// Returns an argument that stands for any words.
    pub(crate) fn open() -> Self {
        let (raw, text) = (String::new(), String::new());
        Self { raw, text, dynamic: true, open: true, glob: false, tilde: false, splits: true }
    }

    /// Returns an argument with a fixed text.
    pub(crate) fn literal(text: &str) -> Self {
        let (raw, text) = (text.to_owned(), text.to_owned());
        Self { raw, text, dynamic: false, open: false, glob: false, tilde: false, splits: false }
    }

    /// Returns whether it stands for arguments that are appended at run time.
    pub(crate) fn is_open(&self) -> bool {
        self.dynamic && self.raw.is_empty()
    }

    /// Returns the end of the argument that is `text`, such as the value of an option.
    pub(crate) fn part(&self, text: &str) -> Self {
        Self { raw: text.to_owned(), text: text.to_owned(), tilde: false, ..self.clone() }
    }

    /// Returns the value, if the text alone determines it.
    pub(crate) fn value(&self) -> Option<&str> {
        if self.dynamic { None } else { Some(&self.text) }
    }

    /// Returns whether it could be one of `words` at run time.
    pub(crate) fn could_be(&self, words: &[&str]) -> bool {
        if !self.dynamic && !self.glob {
            return words.contains(&self.text.as_str());
        }
        let head = self.head();
        // What a glob matches ends as the glob does, and has a slash if it has one.
        let tail =
            if self.dynamic { "" } else { self.text.rsplit(['*', '?', ']']).next().unwrap_or_default() };
        let fits = |word: &&str| word.starts_with(head) && word.ends_with(tail);
        self.splits || (words.iter().any(fits) && (self.dynamic || !self.text.contains('/')))
    }

    /// Returns whether it, or one of the words that it becomes, could start with `start` at run time.
    pub(crate) fn could_start_with(&self, start: &str) -> bool {
        let head = self.head();
        let open = self.dynamic || self.glob;
        self.splits || head.starts_with(start) || (open && start.starts_with(head))
    }

    /// Returns whether it could be an option at run time.
    pub(crate) fn could_be_option(&self) -> bool {
        self.could_start_with("-")
    }

    /// Returns the text before the part that is known only at run time.
    pub(crate) fn head(&self) -> &str {
        let open: &[char] = match (self.dynamic, self.glob) {
            (false, false) => &[],
            (true, false) => &['$', '`'],
            (_, true) => &['$', '`', '*', '?', '['],
        };
        self.text.split(open).next().unwrap_or_default()
    }

    /// Returns the path that it names, if the text alone determines it.
    pub(crate) fn path(&self) -> Option<&str> {
        self.value().filter(|_| !self.glob && !self.tilde)
    }

    /// Returns the name of the command that it starts: the value without a leading path; `None` if only run time knows
    /// it.
    pub(crate) fn command_name(&self) -> Option<&str> {
        let value = self.value().filter(|_| !self.glob)?;
        match value.rsplit_once('/') {
            Some((_, name)) => Some(name),
            None => Some(value).filter(|_| !self.tilde),
        }
    }
}

/// Returns the arguments that a word becomes; an unknown one if its braces contain more than is followed here.
pub(crate) fn arguments(word: &Word) -> &[Arg] {
    word.arguments.get_or_init(|| expanded(word))
}

fn expanded(word: &Word) -> Vec<Arg> {
    let units = units(word);
    let Some(expanded) = brace::expand(units) else { return vec![unknown(word)] };
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
            Part::Expansion(expansion) => {
                units.push(Unit::Dynamic { raw: expansion.raw.clone(), splits: splits(expansion) });
            }
        }
    }
    units
}

/// Returns whether an expansion may become several words. A number is one word, and so is the name of a process's pipe.
fn splits(expansion: &Expansion) -> bool {
    let raw = expansion.raw.as_str();
    let list = raw == "$@" || raw.starts_with("${@") || raw.contains("[@]");
    let number = raw.starts_with("$((") || raw.starts_with("$[") || matches!(raw, "$#" | "$?" | "$$" | "$!");
    let one = match expansion.kind {
        ExpansionKind::Process { .. } | ExpansionKind::Opaque => true,
        ExpansionKind::Parameter
        | ExpansionKind::Home
        | ExpansionKind::Prompt
        | ExpansionKind::Command
        | ExpansionKind::Arithmetic { .. } => number || expansion.quoted,
    };
    !one || list
}

/// Returns the argument of a word; `None` if nothing of the word remains, not even quotes.
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
        splits: false,
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
            Unit::Dynamic { raw, splits } => {
                arg.dynamic = true;
                arg.splits |= splits;
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
    Arg { raw: word.raw.clone(), text, dynamic: true, open: true, glob: false, tilde: false, splits: true }
}
