//! Variables that control the shell itself, and the builtins that set a variable by its name.

use super::arg::Arg;
use super::evaluation::is_integer;
use super::options::Syntax;
use super::refusal::UnknownReason;
use super::values::ARGUMENTS;
use super::walk::Walk;
use super::wrapper_table::STARTUP_VARIABLES;

/// The way in which a builtin names the variables that it sets.
#[derive(Debug, Clone, Copy)]
enum Names {
    /// `NAME=value` as arguments; after `-n` the value is a name, too.
    Declared,
    /// `NAME=value` before a command.
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

/// Variables that `read`, `mapfile` and `getopts` set without being given their names.
const UNNAMED: [&str; 3] = ["REPLY", "MAPFILE", "OPTARG"];

/// Returns whether the command takes `NAME=value` as arguments, and sets the variable.
pub(crate) fn sets_variables(name: &str) -> bool {
    let sets = |names: &Names| matches!(names, Names::Declared | Names::Environment);
    SETTERS.iter().any(|(setter, names)| *setter == name && sets(names))
}

/// Returns whether a builtin sets the variables that its operands name, to values that are not followed: `read`.
pub(crate) fn sets_operands(name: &str) -> bool {
    let sets = |names: &Names| matches!(names, Names::Options { operands: true, .. });
    SETTERS.iter().any(|(setter, names)| *setter == name && sets(names))
}

impl Names {
    /// Returns the arguments that may name a variable.
    fn targets(&self, args: &[Arg]) -> Vec<Arg> {
        match self {
            Self::Declared | Self::Environment | Self::Expression => args.iter().skip(1).cloned().collect(),
            Self::Options { syntax, named, operands } => {
                let options = syntax.read(args, 1);
                let from = if *operands { options.operand } else { args.len() };
                options.values(named).chain(&args[from..]).cloned().collect()
            }
        }
    }
}

impl Walk {
    /// Records a builtin that may set a variable that controls the shell, or one that evaluates its text.
    pub(crate) fn note_variables(&mut self, name: &str, args: &[Arg], direct: bool) {
        let Some((_, names)) = SETTERS.iter().find(|(setter, _)| *setter == name) else { return };
        // `declare -f` and `-p` print.
        let prints = matches!(names, Names::Declared)
            && args.iter().skip(1).any(|arg| has_letter(arg, &['f', 'F', 'p']));
        if prints {
            return;
        }
        let refers = matches!(name, "declare" | "typeset" | "local")
            && args.iter().skip(1).any(|arg| has_letter(arg, &['n']));
        self.refers |= refers;
        let targets = names.targets(args);
        if let Names::Options { operands, .. } = names {
            let unnamed: &[&str] = if *operands { &UNNAMED } else { &[] };
            for name in targets.iter().map(name_of).chain(unnamed.iter().copied()) {
                self.values.set(name, ARGUMENTS);
            }
        }
        let steers = |arg: &&Arg| match names {
            Names::Declared => {
                names_steering(arg) || hides_name(arg) || (refers && (arg.dynamic || mentions(&arg.text)))
            }
            Names::Environment => names_steering(arg),
            Names::Options { .. } => hides_name(arg) || mentions(&arg.text),
            Names::Expression => mentions(&arg.text),
        };
        if let Some(arg) = targets.iter().find(|arg| steers(arg)) {
            let direct = direct && targets.iter().any(names_steering);
            self.unknown(UnknownReason::Redefinition(arg.raw.clone()), direct);
        }
        if let Some(arg) = targets.iter().find(|arg| is_integer(name_of(arg))) {
            self.evaluates.get_or_insert_with(|| arg.raw.clone());
        }
    }

    /// Records text that may become the name of a reference's target (`declare -n`).
    pub(crate) fn note_text(&mut self, text: &str) {
        if self.mentioned.is_none() && mentions(text) {
            self.mentioned = Some(text.to_owned());
        }
    }
}

/// Returns whether a name that controls the shell is one of the words in `text`.
pub(crate) fn mentions(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !word(c)).any(|token| STARTUP_VARIABLES.contains(&token)) || text.contains("BASH_FUNC_")
}

/// Returns the name in `NAME=value`, `NAME+=value` or `NAME[subscript]=value`.
fn name_of(arg: &Arg) -> &str {
    arg.text.split(['=', '+', '[']).next().unwrap_or_default()
}

/// Returns whether the name that is set controls the shell.
fn names_steering(arg: &Arg) -> bool {
    let name = name_of(arg);
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
