//! Programs in the value of an option: `tar --to-command='…'`, `ssh -o ProxyCommand='…'` (rule P6).
//!
//! These commands have more options than are listed here, so their arguments are searched rather than parsed: a word
//! that may be the option counts as it. Treating too much as a program is harmless, since only its text decides what
//! matches.

use super::arg::Arg;
use super::context::Context;
use super::file_table;
use super::input::{Input, PathInput};
use super::open_options::candidates;
use super::option_table::{ProgramOption, Runs, options_of};
use super::options::Syntax;
use super::refusal::UnknownReason;
use super::walk::Walk;

impl Walk {
    /// Finds the programs in a command's options.
    pub(crate) fn option_programs(&mut self, name: &str, args: &[Arg], context: &Context) {
        for option in options_of(name) {
            for given in option.values(args) {
                if self.is_full() {
                    return self.unknown(UnknownReason::TooComplex, true);
                }
                self.option_value(option.runs, &given.value, context);
            }
        }
    }

    fn option_value(&mut self, runs: Runs, value: &Arg, context: &Context) {
        match runs {
            Runs::Text => self.shell_text(&value.text, value.dynamic, context),
            Runs::Words => self.words_of(&value.text, value, context),
            Runs::Commas => self.words_of(&value.text.replace(',', " "), value, context),
            Runs::Program => self.run(&[value.clone(), Arg::open()], context),
            Runs::Filter => {
                self.run(std::slice::from_ref(value), context);
                self.run(&[value.clone(), Arg::literal("-d")], context);
            }
            Runs::Settings => match context.inputs().of_file(value) {
                Input::Text(..) | Input::Opaque if !value.dynamic => {
                    self.unknown(UnknownReason::ProgramText(value.raw.clone()), false);
                }
                Input::Text(..) | Input::Opaque | Input::File | Input::Line => {}
            },
            Runs::Spliced => {
                if let Some(text) = runs.text(&value.text) {
                    self.shell_text(&format!("ssh {text}"), value.dynamic, context);
                }
            }
            Runs::Editor => {
                for text in editor_programs(&value.text) {
                    self.shell_text(text, value.dynamic, context);
                }
            }
            Runs::Keyed(_) | Runs::Marked(_) => match runs.text(&value.text) {
                Some(text) => self.shell_text(text, value.dynamic, context),
                None if value.dynamic
                    && matches!(runs, Runs::Keyed(_))
                    && !value.text.contains(['=', ' ']) =>
                {
                    self.unknown(UnknownReason::ProgramText(value.raw.clone()), false);
                }
                None => {}
            },
        }
    }

    /// Handles a text that a program splits at blanks, and to which it appends arguments.
    pub(crate) fn words_of(&mut self, text: &str, value: &Arg, context: &Context) {
        let mut words: Vec<Arg> = text.split_whitespace().map(|word| value.part(word)).collect();
        words.push(Arg::open());
        self.run(&words, context);
    }
}

impl Runs {
    /// Returns the program in an option's value, if it contains one.
    fn text(self, value: &str) -> Option<&str> {
        match self {
            Self::Text | Self::Words | Self::Commas | Self::Program | Self::Filter => Some(value),
            // `key=value`, `key value` and `key = value` are the same to ssh.
            Self::Keyed(keys) => {
                let (key, text) = value.trim_start().split_once(['=', ' ', '\t'])?;
                let key = key.to_ascii_lowercase();
                let text = text.trim_start();
                let text = text.strip_prefix('=').unwrap_or(text).trim_start_matches('!');
                let known = keys.iter().any(|known| key.contains(known));
                (known || (key == "proxyjump" && is_spliced(text))).then_some(text)
            }
            Self::Marked(marks) => marks.iter().find_map(|mark| value.strip_prefix(mark)),
            Self::Editor => editor_programs(value).next(),
            Self::Spliced => Some(value).filter(|value| is_spliced(value)),
            Self::Settings => {
                Some(value).filter(|value| PathInput::by(&Arg::literal(value)) != PathInput::File)
            }
        }
    }
}

/// Returns whether a text that becomes a part of a shell program contains characters of the shell.
fn is_spliced(text: &str) -> bool {
    text.contains(['$', '`', ';', '|', '&', '<', '>', '(', '\n', '\'', '"', '\\'])
}

/// Returns the texts that a shell may run in a command of an editor or a pager: after a `!`, or of `:terminal`.
fn editor_programs(text: &str) -> impl Iterator<Item = &str> {
    let command = text.trim_start_matches([':', ' ']);
    let terminal = command.split_once(' ').filter(|(name, _)| name.len() > 2 && "terminal".starts_with(name));
    let shell = text.split_once('!').map(|(_, text)| text).filter(|text| !text.trim().is_empty());
    let last = text.rsplit_once('!').map(|(_, text)| text).filter(|text| !text.trim().is_empty());
    terminal.map(|(_, text)| text).into_iter().chain(shell).chain(last.filter(|last| Some(*last) != shell))
}

/// A possible value of an option.
#[derive(Debug)]
struct GivenValue {
    /// The index of the argument that is the option.
    at: usize,
    value: Arg,
}

/// Returns the index of the last argument that an allow rule must spell out, since a program is named there.
pub(crate) fn named_at(name: &str, args: &[Arg]) -> Option<usize> {
    let options = options_of(name).filter(|option| !option.is_launcher());
    let named = |option: &ProgramOption| {
        let runs = |given: &GivenValue| {
            given.value.dynamic || option.runs.text(&given.value.text).is_some_and(|text| !is_filter(text))
        };
        option.values(args).into_iter().rfind(runs).map(|given| given.at)
    };
    options.filter_map(named).max()
}

/// Returns the indexes of the arguments that may become such an option at run time.
pub(crate) fn open_at(name: &str, args: &[Arg]) -> Vec<usize> {
    let options: Vec<&ProgramOption> = options_of(name).filter(|option| !option.is_launcher()).collect();
    if options.is_empty() {
        return Vec::new();
    }
    let syntax = file_table::find(name).map(|usage| usage.syntax);
    let named = |at: &usize| options.iter().any(|option| option.could_be(&args[*at], syntax));
    candidates(name, args).into_iter().filter(named).collect()
}

/// Programs that only filter their input, or connect, as these options are mostly used.
const FILTERS: &[&str] = &[
    "brotli", "bzip2", "cat", "compress", "gzip", "lbzip2", "less", "lz4", "lzip", "lzma", "lzop", "more",
    "most", "pbzip2", "pigz", "pixz", "plzip", "ssh", "true", "xz", "zstd", "zstdmt",
];

/// Returns whether a text is one of the [`FILTERS`], alone or with a level (`zstd -19`, `ssh -p 22`).
pub(crate) fn is_filter(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let level =
        |word: &str| word.trim_start_matches(['-', 'T', 'p', 'e']).bytes().all(|byte| byte.is_ascii_digit());
    words.next().is_some_and(|name| FILTERS.contains(&name)) && words.all(level)
}

impl ProgramOption {
    /// Returns everything in `args` that may be the option's value.
    fn values(&self, args: &[Arg]) -> Vec<GivenValue> {
        let mut values = Vec::new();
        for (at, arg) in args.iter().enumerate().skip(1) {
            let text = arg.text.as_str();
            if text == "--" && self.ends() {
                break;
            }
            let next = || args.get(at + 1).map(|value| GivenValue { at, value: value.clone() });
            let attached = match (text.strip_prefix("--"), text.strip_prefix('+')) {
                (Some(long), _) => self.in_long(long),
                (None, Some(command)) => Some(command).filter(|_| self.short.contains('+')),
                (None, None) => self.behind_dash(text),
            };
            match attached {
                Some("") => values.extend(next()),
                Some(value) => {
                    let value = arg.part(value.strip_prefix('=').unwrap_or(value));
                    values.push(GivenValue { at, value });
                }
                None => {}
            }
            // `tar cIf program archive`: the values of a first argument without a dash follow in its order.
            let bundled = at == 1 && self.is_bundled() && text.contains(|c| self.short.contains(c));
            if bundled && !text.starts_with('-') {
                let given = |(at, value): (usize, &Arg)| GivenValue { at, value: value.clone() };
                values.extend(args.iter().enumerate().skip(2).map(given));
            }
        }
        values
    }

    /// Returns whether an argument that is known only at run time could be the option.
    fn could_be(&self, arg: &Arg, syntax: Option<Syntax>) -> bool {
        // The name of a file has no slash, so the end of a glob is the end of a program on the path.
        let tail = arg.text.rsplit(['*', '?', ']']).next().unwrap_or_default();
        if !arg.dynamic && matches!(self.runs, Runs::Filter | Runs::Program) && !tail.is_empty() {
            return false;
        }
        let takes_rest = |letters: &str| {
            syntax.is_some_and(|syntax| letters.chars().any(|letter| syntax.takes_value(letter)))
        };
        match (arg.head().strip_prefix("--"), arg.head().strip_prefix('-')) {
            _ if arg.splits => true,
            (Some(name), _) => self.long.iter().any(|long| long.starts_with(name)),
            (None, Some("")) => true,
            (None, Some(letters)) => !self.short.is_empty() && !takes_rest(letters),
            (None, None) => arg.head().is_empty(),
        }
    }

    /// Returns the text after the option's name and `=`; empty if the value is the next argument.
    fn in_long<'a>(&self, text: &'a str) -> Option<&'a str> {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        (!name.is_empty() && self.long.iter().any(|long| long.starts_with(name))).then_some(value)
    }

    /// Returns the same for an option after one dash: a long one that is written out, or a letter in a cluster.
    fn behind_dash<'a>(&self, text: &'a str) -> Option<&'a str> {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let letters = text.strip_prefix('-')?;
        if self.long.contains(&name) { Some(value) } else { self.in_cluster(letters) }
    }

    /// Returns the text after the option's letter in a cluster; empty if the value is the next argument.
    fn in_cluster<'a>(&self, letters: &'a str) -> Option<&'a str> {
        let at = letters.find(|letter| self.short.contains(letter) || self.valued.contains(letter))?;
        let letter = letters[at..].chars().next().filter(|letter| self.short.contains(*letter))?;
        // `zip -TT program`
        Some(letters[at..].trim_start_matches(letter))
    }
}
