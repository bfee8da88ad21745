//! Builtins that evaluate an argument as arithmetic, or set a variable by name (rule P4).
//!
//! The value of an argument at run time counts: `printf $x` takes an option from `$x`, and `[ $x ]` an operator.

use super::arg::Arg;
use super::cursor::in_name;
use super::evaluation::{Evaluations, is_number};
use super::wrapper::is_assignment;

/// Operators of `[[` whose operands are evaluated.
const COMPARISONS: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

/// Operators of `[` between two operands or two tests. A word before them is not an operator.
const BINARY: [&str; 20] = [
    "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef", "-a", "-o",
    "]", "!", "(", ")",
];

impl Evaluations {
    /// Handles a command of the shell itself, after wrappers are stripped.
    pub(crate) fn builtin(&mut self, args: &[Arg]) {
        let Some((name, args)) = args.split_first().and_then(|(name, args)| Some((name.value()?, args)))
        else {
            return;
        };
        match name {
            "let" => args.iter().for_each(|arg| self.expression(arg)),
            "test" | "[" => self.test(args),
            "printf" => self.printf(args),
            "read" | "unset" | "getopts" => self.names(args),
            "mapfile" | "readarray" => self.mapfile(args),
            "wait" => self.wait(args),
            "declare" | "typeset" | "local" => self.declare(args, &['i', 'n', 'a', 'A']),
            // `export -n` only removes the export attribute.
            "export" | "readonly" => self.declare(args, &['a', 'A']),
            "eval" | "source" | "." => self.set_any(),
            _ => {}
        }
    }

    /// Handles `[[ … ]]`, as its words. Its operators are known from the text alone.
    pub(crate) fn condition(&mut self, words: &[Option<Arg>]) {
        let text = |at: usize| words.get(at).and_then(Option::as_ref);
        for (at, word) in words.iter().enumerate() {
            let Some(operator) = word.as_ref().and_then(Arg::value) else { continue };
            let before = at.checked_sub(1).map(|before| words.get(before));
            if COMPARISONS.contains(&operator) {
                for operand in [before.flatten(), words.get(at + 1)].into_iter().flatten() {
                    match operand {
                        Some(operand) => self.expression(operand),
                        None => self.uncertain(operator),
                    }
                }
            } else if operator == "-v" {
                match text(at + 1) {
                    Some(operand) => self.name(operand),
                    None => self.uncertain(operator),
                }
            }
        }
    }

    fn expression(&mut self, arg: &Arg) {
        // A quoted expansion means the same to arithmetic as an unquoted one.
        if arg.glob { self.uncertain(&arg.raw) } else { self.evaluate(&arg.text, &arg.raw) }
    }

    /// Handles a variable by its name: a subscript is evaluated.
    fn name(&mut self, arg: &Arg) {
        match arg.value().filter(|_| !arg.glob || arg.text.ends_with(']')) {
            Some(text) => match text.split_once('[') {
                None => {}
                Some((name, subscript)) if name.bytes().all(in_name) && subscript.ends_with(']') => {
                    self.evaluate(subscript.trim_end_matches(']'), &arg.raw);
                }
                Some(_) => self.uncertain(&arg.raw),
            },
            None => self.uncertain(&arg.raw),
        }
    }

    /// Handles a variable that is set to text.
    fn target(&mut self, arg: &Arg) {
        self.name(arg);
        match arg.value() {
            Some(text) => self.set_text(text.split(['[', '=', '+']).next().unwrap_or_default()),
            None => self.set_any(),
        }
    }

    fn test(&mut self, args: &[Arg]) {
        for (at, arg) in args.iter().enumerate() {
            let next = args.get(at + 1);
            if arg.splits {
                // Only a number is certainly one word, and not an operator.
                self.evaluate(&arg.text, &arg.raw);
            } else if arg.glob && arg.could_be(&["-v"]) {
                self.uncertain(&arg.raw);
            } else if arg.value() == Some("-v") {
                next.into_iter().for_each(|next| self.name(next));
            } else if let Some(next) = next.filter(|_| arg.could_be(&["-v"]))
                && !next.value().is_some_and(|text| BINARY.contains(&text) || !text.contains('['))
            {
                self.uncertain(&arg.raw);
            }
        }
    }

    /// Handles `printf -v name`: an option, if there is one, is the first argument.
    fn printf(&mut self, args: &[Arg]) {
        let Some(first) = args.first() else { return };
        match first.value().filter(|_| !first.glob).map(|text| text.strip_prefix("-v")) {
            Some(Some("")) => {
                args.get(1).into_iter().for_each(|name| self.target(name));
                self.printf(args.get(2..).unwrap_or_default());
            }
            Some(Some(name)) => {
                self.target(&Arg { text: name.to_owned(), ..first.clone() });
                self.printf(args.get(1..).unwrap_or_default());
            }
            Some(None) => {}
            None if first.could_start_with("-v") => {
                self.uncertain(&first.raw);
                self.set_any();
            }
            None => {}
        }
    }

    /// Handles operands that are names. A value after `=` is text, and so is the value of an option.
    fn names(&mut self, args: &[Arg]) {
        for arg in args {
            let name = arg.text.split_once('=').map(|(name, _)| name);
            match (name, arg.value()) {
                (Some(name), None) if !name.contains(['$', '`']) => {
                    self.target(&Arg { text: name.to_owned(), dynamic: false, ..arg.clone() });
                }
                (_, Some(text)) if text.starts_with('-') => {}
                (Some(name), Some(_)) => {
                    self.target(&Arg { text: name.trim_end_matches('+').to_owned(), ..arg.clone() })
                }
                (_, _) => self.target(arg),
            }
        }
    }

    /// Records the program that `mapfile -C` evaluates, even under an allow rule for `mapfile`.
    fn mapfile(&mut self, args: &[Arg]) {
        if let Some(arg) = args.iter().find(|arg| arg.could_start_with("-") && arg.text.contains('C')) {
            self.uncertain(&arg.raw);
        }
        self.names(args);
    }

    fn wait(&mut self, args: &[Arg]) {
        for (at, arg) in args.iter().enumerate() {
            match arg.value() {
                Some(text) if text.starts_with('-') && text.ends_with('p') => {
                    args.get(at + 1).into_iter().for_each(|name| self.target(name));
                }
                Some(text) if text.starts_with('-') && text.contains('p') => {
                    self.target(&Arg {
                        text: text.split_once('p').map_or("", |(_, name)| name).to_owned(),
                        ..arg.clone()
                    });
                }
                Some(_) => {}
                None if arg.could_be_option() => self.uncertain(&arg.raw),
                None => {}
            }
        }
    }

    /// Handles `declare`: `-i` and `-n` make later assignments run text, and with `-a` or `-A` a value in parentheses
    /// is parsed again.
    fn declare(&mut self, args: &[Arg], attributes: &[char]) {
        for arg in args {
            let attribute = |text: &str| text.starts_with(['-', '+']) && text.contains(attributes);
            let value = arg.text.split_once('=').map_or("", |(_, value)| value);
            // An array that `export` sets to a text also parses it again; but most texts are not for an array.
            let hidden = attributes.contains(&'i') && value.starts_with(['$', '`']);
            let compound = value.starts_with('(') || hidden || arg.raw.contains("=(");
            let option = arg.could_be_option() && !is_assignment(&arg.text);
            if (option && arg.value().is_none_or(attribute)) || compound {
                self.uncertain(&arg.raw);
            }
        }
        self.names(args);
    }

    /// Handles an assignment before a command or alone.
    pub(crate) fn assign(&mut self, name: &str, value: Option<&str>, lasts: bool) {
        match value.filter(|value| is_number(value)) {
            Some(_) if lasts => self.set_number(name),
            Some(_) => {}
            None => self.set_text(name),
        }
    }
}
