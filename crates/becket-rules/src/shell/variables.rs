//! Variables that steer the shell itself, and the builtins that set a variable by its name.

use super::arg::Arg;
use super::options::Syntax;
use super::refusal::UnknownReason;
use super::walk::Walk;
use super::wrapper_table::STARTUP_VARIABLES;

/// The way in which a builtin names the variables that it sets.
#[derive(Debug, Clone, Copy)]
enum Names {
    /// `NAME=value` as arguments; after `-n` the value is a name, too.
    Declared,
    /// `NAME=value` in front of a command.
    Environment,
    /// The values of some options, and the operands if `operands`.
    Options { syntax: Syntax, named: &'static [&'static str], operands: bool },
    /// Anywhere in an expression.
    Expression,
}

const fn operands(short: &'static str, named: &'static [&'static str]) -> Names {
    Names::Options { syntax: Syntax { short, long: "" }, named, operands: true }
}

const fn values(short: &'static str, named: &'static [&'static str]) -> Names {
    Names::Options { syntax: Syntax { short, long: "" }, named, operands: false }
}

const SETTERS: &[(&str, Names)] = &[
    ("declare", Names::Declared),
    ("typeset", Names::Declared),
    ("local", Names::Declared),
    ("export", Names::Declared),
    ("readonly", Names::Declared),
    ("env", Names::Environment),
    ("sudo", Names::Environment),
    ("doas", Names::Environment),
    ("read", operands("a:d:ei:n:N:p:rst:u:", &["a"])),
    ("mapfile", operands("C:c:d:n:O:s:tu:", &[])),
    ("readarray", operands("C:c:d:n:O:s:tu:", &[])),
    ("getopts", operands("", &[])),
    ("wait", values("fnp:", &["p"])),
    ("printf", values("v:", &["v"])),
    ("let", Names::Expression),
];

impl Walk {
    /// A builtin that may set a variable that steers the shell.
    pub(crate) fn note_variables(&mut self, name: &str, args: &[Arg]) {
        let Some((_, names)) = SETTERS.iter().find(|(setter, _)| *setter == name) else { return };
        let found = match names {
            Names::Declared => {
                // `-f` and `-p` print.
                if args.iter().skip(1).any(|arg| has_letter(arg, &['f', 'F', 'p'])) {
                    return;
                }
                let refers = matches!(name, "declare" | "typeset" | "local")
                    && args.iter().skip(1).any(|arg| has_letter(arg, &['n']));
                self.refers |= refers;
                let steers = |arg: &&Arg| names_steering(arg) || hides_name(arg);
                let target = |arg: &&Arg| refers && (arg.dynamic || mentions(&arg.text));
                args.iter().skip(1).find(|arg| steers(arg) || target(arg))
            }
            Names::Environment => args.iter().skip(1).find(|arg| names_steering(arg)),
            Names::Expression => args.iter().skip(1).find(|arg| mentions(&arg.text)),
            Names::Options { syntax, named, operands } => {
                let options = syntax.read(args, 1);
                let from = if *operands { options.operand } else { args.len() };
                let hides = |arg: &&Arg| hides_name(arg) || mentions(&arg.text);
                let found = options.values(named).chain(&args[from..]).find(hides);
                if let Some(arg) = found {
                    self.unknown(UnknownReason::Redefinition(arg.raw.clone()), false);
                }
                None
            }
        };
        if let Some(arg) = found {
            self.unknown(UnknownReason::Redefinition(arg.raw.clone()), false);
        }
    }

    /// Text that may become the name behind a reference (`declare -n`).
    pub(crate) fn note_text(&mut self, text: &str) {
        if self.mentioned.is_none() && mentions(text) {
            self.mentioned = Some(text.to_owned());
        }
    }
}

/// Returns whether a name that steers the shell is one of the words in `text`.
pub(crate) fn mentions(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !word(c)).any(|token| STARTUP_VARIABLES.contains(&token)) || text.contains("BASH_FUNC_")
}

/// Returns whether the name in `NAME=value`, `NAME+=value` or `NAME[subscript]=value` steers the shell.
fn names_steering(arg: &Arg) -> bool {
    let name = arg.text.split(['=', '+', '[']).next().unwrap_or_default();
    STARTUP_VARIABLES.contains(&name) || name.starts_with("BASH_FUNC_")
}

/// Returns whether the name that is set is known only at run time, and may be one that controls the shell.
pub(crate) fn hides_name(arg: &Arg) -> bool {
    let name = arg.text.split('=').next().unwrap_or_default();
    let fits = |known: &&str| arg.could_start_with(known);
    arg.is_open() || (arg.dynamic && name.contains(['$', '`']) && STARTUP_VARIABLES.iter().any(fits))
}

/// Returns whether one of the letters is in a cluster of options.
fn has_letter(arg: &Arg, letters: &[char]) -> bool {
    arg.text.starts_with('-') && !arg.text.starts_with("--") && arg.text.contains(letters)
}
