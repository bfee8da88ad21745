//! The texts that a word may become, as far as the line determines it: values of variables, of positional parameters,
//! and what a command substitution prints.

mod pieces;

use crate::path::Normal;
use crate::shell::{Arg, Command, Line, ansi, value_changes};
use pieces::{Piece, Pieces};
use std::cell::Cell;
use std::collections::BTreeSet;

pub(super) use pieces::is_unguarded;

/// The maximum number of texts that one word may become.
const MOST: usize = 64;
/// The depth to which values of values are followed.
const DEEPEST: u8 = 4;
/// The maximum number of parts of words that are examined for one line.
const MOST_STEPS: u32 = 20_000;

/// The values of the variables of the environment that a line will run with, by their names.
pub(super) type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The known values of the variables of a line.
pub(super) struct Values<'a> {
    line: &'a Line,
    home: Option<String>,
    directories: Vec<String>,
    /// The environment of the line.
    variables: Variables<'a>,
    /// The names that `declare -n` and similar commands make references to other variables.
    references: BTreeSet<&'a str>,
    steps: Cell<u32>,
}

/// One text that a word may become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PossibleText {
    pub(super) text: String,
    /// True if an unknown variable was assumed to be empty.
    pub(super) is_assumed: bool,
}

impl<'a> Values<'a> {
    pub(super) fn new(
        line: &'a Line,
        home: Option<&Normal>,
        directories: &[Normal],
        variables: Variables<'a>,
    ) -> Self {
        Self {
            line,
            home: home.map(|home| home.text().to_owned()),
            directories: directories.iter().map(|path| path.text().to_owned()).collect(),
            variables,
            references: line.commands().iter().flat_map(references).collect(),
            steps: Cell::new(0),
        }
    }

    /// Returns whether the line has more values than were followed.
    pub(super) fn is_too_complex(&self) -> bool {
        self.steps.get() >= MOST_STEPS
    }

    /// Counts a step, and returns whether it may be made.
    fn is_step_left(&self) -> bool {
        let is_left = !self.is_too_complex();
        self.steps.set(self.steps.get() + u32::from(is_left));
        is_left
    }

    /// Returns the texts that a word may become; `text` contains expansions as they are written.
    pub(super) fn readings(&self, text: &str) -> Vec<PossibleText> {
        self.read(text, 0)
    }

    /// Returns whether the first word of a text may be a command of such a name.
    pub(super) fn may_be(&self, text: &str, is_name: impl Fn(&str) -> bool) -> bool {
        self.readings(text).iter().any(|reading| {
            let first = reading.text.split_whitespace().next().unwrap_or_default();
            is_name(first.rsplit('/').next().unwrap_or(first))
        })
    }

    /// Returns everything that the line prints literally, and the text of its here-strings and here-documents.
    pub(super) fn printed(&self) -> Vec<String> {
        self.printed_by(self.line, 0)
    }

    /// Returns the commands of the line.
    pub(super) fn commands(&self) -> &'a [Command] {
        self.line.commands()
    }

    /// Returns the directories that `cd` or `pushd` changes to through a variable.
    pub(super) fn changes_to(&self, command: &Command) -> Vec<String> {
        let mut args = command.args.iter();
        if !args.next().and_then(Arg::command_name).is_some_and(|name| matches!(name, "cd" | "pushd")) {
            return Vec::new();
        }
        let target = args.find(|arg| arg.dynamic);
        let readings = target.map(|arg| self.readings(&arg.text)).unwrap_or_default();
        readings.into_iter().filter(|reading| !reading.is_assumed).map(|reading| reading.text).collect()
    }

    fn read(&self, text: &str, depth: u8) -> Vec<PossibleText> {
        let mut readings = vec![PossibleText { text: String::new(), is_assumed: false }];
        for piece in (Pieces { text }) {
            if !self.is_step_left() {
                return readings;
            }
            let options = match piece {
                Piece::Text(c) => {
                    readings.iter_mut().for_each(|reading| reading.text.push(c));
                    continue;
                }
                Piece::Variable { name, default, change } => {
                    self.changed(self.variable(name, default, depth), change)
                }
                Piece::Indirect(name) => {
                    let names = self.variable(name, None, depth);
                    names.iter().flat_map(|name| self.named(&name.text, depth + 1)).take(MOST).collect()
                }
                Piece::Positional { default } => {
                    let mut values = self.positional(depth);
                    values.extend(self.default_value(default, depth));
                    values
                }
                Piece::Substitution(text) if depth < DEEPEST => {
                    known(self.printed_by(&Line::parse(text), depth + 1))
                }
                Piece::Substitution(_) | Piece::Unknown => Vec::new(),
            };
            let empty = [PossibleText { text: String::new(), is_assumed: true }];
            let options = if options.is_empty() { &empty[..] } else { &options };
            let joined = readings.iter().flat_map(|before| {
                options.iter().map(move |after| PossibleText {
                    text: format!("{}{}", before.text, after.text),
                    is_assumed: before.is_assumed || after.is_assumed,
                })
            });
            readings = joined.take(MOST).collect();
        }
        readings
    }

    /// Returns values after an operator, as far as it can be followed.
    fn changed(&self, mut values: Vec<PossibleText>, change: Option<&str>) -> Vec<PossibleText> {
        let Some(change) = change else { return values };
        for value in &mut values {
            let steps = u32::try_from(value_changes::steps(change)).unwrap_or(u32::MAX);
            self.steps.set(self.steps.get().saturating_add(steps));
            if self.is_too_complex() {
                break;
            }
            if let Some(text) = value_changes::changed(&value.text, change) {
                value.text = text;
            }
        }
        values
    }

    /// Returns the possible values of a variable, as far as they are known.
    fn variable(&self, name: &str, default: Option<&str>, depth: u8) -> Vec<PossibleText> {
        let mut values = match name {
            "HOME" => known(self.home.clone()),
            "PWD" | "OLDPWD" | "DIRSTACK" => known(self.directories.clone()),
            // The last word of the command before.
            "_" if depth < DEEPEST => {
                let last = self.line.commands().iter().filter_map(|command| command.args.last());
                last.take(MOST).flat_map(|arg| self.read(&arg.text, depth + 1)).collect()
            }
            "IFS" => known([" ".to_owned()]),
            "USER" | "LOGNAME" => {
                known(self.home.as_deref().and_then(|home| home.rsplit('/').next()).map(str::to_owned))
            }
            _ => Vec::new(),
        };
        if depth < DEEPEST {
            values.extend(self.assigned(name, depth));
            values.extend(self.referred(name, depth));
            values.extend(self.read_from_input(name, depth + 1));
            values.extend(self.assigned_by_default(name, depth));
            values.extend(self.default_value(default, depth));
        }
        values.truncate(MOST);
        values.extend(self.inherited(name, values.is_empty()));
        values
    }

    /// Returns the value of a variable in the environment of the line. The line may still remove the variable, which is
    /// empty then; `alone` is true if no other value of it is known.
    fn inherited(&self, name: &str, alone: bool) -> Vec<PossibleText> {
        // The shell sets these itself.
        let value = Some(name).filter(|name| !matches!(*name, "PWD" | "IFS" | "_"));
        let Some(value) = value.and_then(self.variables) else { return Vec::new() };
        let empty = alone.then(|| PossibleText { text: String::new(), is_assumed: true });
        known([value]).into_iter().chain(empty).collect()
    }

    fn assigned(&self, name: &str, depth: u8) -> impl Iterator<Item = PossibleText> {
        self.line.values.of(name).iter().flat_map(move |text| self.read(text, depth + 1))
    }

    /// Returns the values of the variables that a reference stands for, and those that a variable gets through its
    /// references: with `declare -n ref=name`, each of the two has the values of the other.
    fn referred(&self, name: &str, depth: u8) -> Vec<PossibleText> {
        let mut values = Vec::new();
        for reference in &self.references {
            if !self.is_step_left() {
                break;
            }
            let targets: Vec<_> = self.assigned(reference, depth).take(MOST).collect();
            if *reference == name {
                values.extend(targets.iter().flat_map(|target| self.named(&target.text, depth + 1)));
            } else if targets.iter().any(|target| target.text == name) {
                values.extend(targets);
            }
        }
        values
    }

    /// Returns the possible values of a parameter whose name is a value itself.
    fn named(&self, name: &str, depth: u8) -> Vec<PossibleText> {
        if depth >= DEEPEST {
            Vec::new()
        } else if name.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '@' | '*')) {
            self.positional(depth)
        } else {
            self.variable(name, None, depth)
        }
    }

    fn default_value(&self, default: Option<&str>, depth: u8) -> Vec<PossibleText> {
        let text = default.filter(|_| depth < DEEPEST);
        text.into_iter().flat_map(|text| self.read(text.trim_matches(['"', '\'']), depth + 1)).collect()
    }

    /// Returns the values of `${NAME:=value}` and `${NAME=value}`, wherever in the line.
    fn assigned_by_default(&self, name: &str, depth: u8) -> Vec<PossibleText> {
        let args = self.line.commands().iter().flat_map(|command| command.args.iter());
        let texts = args.map(|arg| arg.text.as_str()).chain(self.line.values.all());
        let mut values = Vec::new();
        for text in texts.filter(|text| text.contains("${")) {
            for opening in [format!("${{{name}:="), format!("${{{name}=")] {
                let places = text.match_indices(&opening).map(|(at, _)| Pieces { text: &text[at..] }.next());
                for piece in places.take(MOST - values.len().min(MOST)) {
                    let Some(Piece::Variable { default, .. }) = piece else { continue };
                    values.extend(self.default_value(default, depth));
                }
            }
        }
        values
    }

    /// Returns the values of `read NAME` and similar commands: anything that the line prints.
    fn read_from_input(&self, name: &str, depth: u8) -> Vec<PossibleText> {
        let reads = |command: &&Command| {
            let own = command.args.first().and_then(Arg::command_name).unwrap_or_default();
            matches!(own, "read" | "mapfile" | "readarray" | "printf" | "getopts")
                && command.args.iter().skip(1).any(|arg| arg.text == name)
        };
        match self.line.commands().iter().find(reads) {
            Some(_) => {
                let printed = self.printed_by(self.line, depth);
                let separators: Vec<char> =
                    self.line.values.of("IFS").iter().flat_map(|value| value.chars()).collect();
                let fields = printed.iter().filter(|_| !separators.is_empty());
                let fields = fields.flat_map(|text| text.split(&separators[..]).map(str::to_owned));
                let fields: Vec<String> = fields.take(MOST).collect();
                known(printed.into_iter().chain(fields))
            }
            None => Vec::new(),
        }
    }

    /// Returns the arguments of a function, or of a program in text: any word of the line.
    fn positional(&self, depth: u8) -> Vec<PossibleText> {
        if depth >= DEEPEST {
            return Vec::new();
        }
        let args = self.line.commands().iter().flat_map(|command| command.args.iter().skip(1));
        let all = args.filter(|arg| !arg.text.starts_with(['-', '$'])).take(MOST);
        known(all.map(|arg| arg.text.clone()))
    }

    fn printed_by(&self, line: &Line, depth: u8) -> Vec<String> {
        let mut printed = Vec::new();
        let texts = |text: &str| -> Vec<String> {
            if depth >= DEEPEST {
                return Vec::new();
            }
            let readings = self.read(text, depth + 1).into_iter().filter(|reading| !reading.is_assumed);
            readings
                .flat_map(|reading| reading.text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
                .collect()
        };
        for command in line.commands() {
            let Some((first, rest)) = command.args.split_first() else { continue };
            let operands =
                rest.iter().filter(|arg| !arg.text.starts_with('-')).flat_map(|arg| texts(&arg.text));
            match first.command_name() {
                Some("pwd" | "dirs") => printed.extend(self.directories.iter().cloned()),
                Some("git") if rest.iter().any(|arg| arg.text == "--show-toplevel") => {
                    printed.extend(self.directories.iter().cloned());
                }
                Some("printenv") => {
                    let values = rest.iter().flat_map(|arg| self.variable(&arg.text, None, depth + 1));
                    printed.extend(values.filter(|value| !value.is_assumed).map(|value| value.text));
                }
                Some("ls") => printed.extend(listed(operands.collect(), rest)),
                Some("echo" | "printf" | "realpath" | "readlink") => {
                    printed.extend(operands.map(|text| printed_text(&text)));
                }
                Some("dirname") => printed.extend(operands.map(|text| format!("{text}/.."))),
                Some(_) | None => (),
            }
            if printed.len() >= MOST {
                break;
            }
        }
        printed.extend(line.values.stdin_texts().iter().flat_map(|text| texts(text)));
        printed.truncate(MOST);
        printed
    }
}

/// Returns what `printf` prints of a text. A NUL and the end of a line separate paths.
fn printed_text(text: &str) -> String {
    let mut bare = text.replace("\\n", "").replace("\\c", "").replace('\'', "\\'");
    while let Some(at) = bare.match_indices("\\0").map(|(at, _)| at).find(|at| {
        // `\057` is a character.
        !bare[at + 2..].starts_with(|next: char| next.is_digit(8))
    }) {
        bare.replace_range(at..at + 2, "");
    }
    let decoded = ansi::decode(&format!("{bare}'")).and_then(|(decoded, _)| decoded);
    decoded.unwrap_or(bare)
}

/// Returns the names that a command makes references, if it does.
fn references(command: &Command) -> impl Iterator<Item = &str> {
    let name = command.args.first().and_then(Arg::command_name);
    let has_option = || command.args.iter().any(|arg| arg.text.starts_with('-') && arg.text.contains('n'));
    let declares = matches!(name, Some("declare" | "typeset" | "local")) && has_option();
    let args = command.args.iter().skip(1).filter(move |arg| declares && !arg.text.starts_with('-'));
    args.map(|arg| arg.text.split_once('=').map_or(arg.text.as_str(), |(name, _)| name))
}

/// Returns the paths that `ls` prints, given its operands: names in the directory of the line, and operands that are not
/// directories. Names in another directory say nothing about the place from which they are removed.
fn listed(operands: Vec<String>, args: &[Arg]) -> Vec<String> {
    if args.iter().any(names_directories) {
        return operands;
    }
    let is_here = operands.is_empty() || operands.iter().any(|operand| operand.trim_end_matches('/') == ".");
    let globs = operands.into_iter().filter(|operand| operand.contains(['*', '?', '[']));
    is_here.then(|| "./*".to_owned()).into_iter().chain(globs).collect()
}

/// Returns whether the argument makes `ls` print the names of directories, as they are given.
fn names_directories(arg: &Arg) -> bool {
    match arg.text.strip_prefix("--") {
        Some(long) => !long.is_empty() && "directory".starts_with(long),
        None => arg.text.strip_prefix('-').is_some_and(|cluster| cluster.contains('d')),
    }
}

fn known(texts: impl IntoIterator<Item = String>) -> Vec<PossibleText> {
    texts.into_iter().map(|text| PossibleText { text, is_assumed: false }).collect()
}
