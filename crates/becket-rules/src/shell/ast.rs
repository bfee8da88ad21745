//! The tree of a parsed line: which commands there are, from which words, and where their input comes from. For the walk
//! a command that may run counts as one that runs; operators are kept for the structure of a text.

use std::cell::OnceCell;
use std::rc::Rc;

use super::arg::Arg;
use super::cursor::Parser;

/// A list of pipelines, in order.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) pipelines: Vec<Pipeline>,
    /// The first construct of a whole program that POSIX does not have.
    pub(crate) beyond: Option<&'static str>,
    /// Set if it is the list behind `if`, `elif`, `while` or `until`.
    pub(crate) is_condition: bool,
}

/// Commands joined by `|`.
#[derive(Debug, Default)]
pub(crate) struct Pipeline {
    pub(crate) nodes: Vec<Node>,
    /// Set if `!` reverses its exit code.
    pub(crate) is_negated: bool,
    pub(crate) join: Join,
}

/// The operator behind a pipeline.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Join {
    /// `;`, a newline, or the end of the list.
    #[default]
    Sequence,
    /// `&`
    Background,
    /// `&&`
    And,
    /// `||`
    Or,
}

/// One command of a pipeline, with its redirections.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) redirects: Vec<Redirect>,
}

/// The kind of a command.
#[derive(Debug)]
pub(crate) enum Kind {
    /// Assignments and words.
    Simple { assigns: Vec<Assign>, words: Vec<Word> },
    /// `( )`, `{ }`, `if`, `while`, `until`: every list inside.
    Group(Vec<Script>),
    /// `for` and `select`: the variable, the words, the body. `for ((…))` has no variable.
    Loop { variable: Option<String>, words: Vec<Word>, body: Script },
    /// `case`: the subject and the patterns, the lists.
    Case { words: Vec<Word>, bodies: Vec<Script> },
    /// The body of a function definition.
    Function(Box<Node>),
    /// `[[ … ]]` or `(( … ))`: words that are expanded and run nothing by themselves.
    Test { words: Vec<Word>, arithmetic: bool, raw: String },
    /// `coproc`.
    Coproc(Box<Node>),
}

/// `name=value`, `name+=value`, `name[subscript]=value`, `name=( … )`.
#[derive(Debug)]
pub(crate) struct Assign {
    pub(crate) name: String,
    /// The subscript, the value, or the elements.
    pub(crate) words: Vec<Word>,
    pub(crate) raw: String,
}

/// A word before expansion.
#[derive(Debug, Clone, Default)]
pub(crate) struct Word {
    pub(crate) raw: String,
    pub(crate) parts: Vec<Part>,
    /// The arguments that it becomes, computed on first use.
    pub(crate) arguments: OnceCell<Vec<Arg>>,
}

/// A piece of a word.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    /// Fixed text; unquoted text may still contain globs, braces and a tilde.
    Text { text: String, quoted: bool },
    /// Text that is known only at run time.
    Expansion(Rc<Expansion>),
}

/// An expansion, as it is written, and its contents.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    pub(crate) raw: String,
    /// Commands that it runs.
    pub(crate) scripts: Vec<Script>,
    /// Text inside it that is itself expanded (`${x:-…}`, `$((…))`).
    pub(crate) words: Vec<Word>,
    pub(crate) kind: ExpansionKind,
    /// Texts that are evaluated as arithmetic: an expression, a subscript, an offset, the name of `${!x}`.
    pub(crate) evaluated: Vec<String>,
    /// The variable that `${x:=…}` sets.
    pub(crate) sets: Option<String>,
    /// Between double quotes, so that it stays one word.
    pub(crate) quoted: bool,
}

/// The kind of an expansion, as far as the analysis needs it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpansionKind {
    /// A variable or a parameter with an operator.
    #[default]
    Parameter,
    /// `$HOME` or `${HOME}`.
    Home,
    /// `${x@P}`: the value is expanded like a prompt, commands included.
    Prompt,
    /// `$(…)` or backticks.
    Command,
    /// `<(…)` or `>(…)`.
    Process { output: bool },
    /// Arithmetic, or a parameter with a subscript or an offset; `names` when it evaluates variables.
    Arithmetic { names: bool },
    /// Text whose bytes are not known here (`$'\xff'`).
    Opaque,
}

/// A redirection.
#[derive(Debug)]
pub(crate) struct Redirect {
    pub(crate) descriptor: Option<String>,
    pub(crate) op: RedirectOp,
    /// The file, the descriptor, the here-string, or the here-document's delimiter.
    pub(crate) target: Word,
    /// The here-document's body; set once it has been parsed.
    pub(crate) body: Rc<OnceCell<Word>>,
}

/// The operator of a redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectOp {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`, `&>`, `&>>`
    Write,
    /// `<>`
    ReadWrite,
    /// `<&`
    DuplicateInput,
    /// `>&`
    DuplicateOutput,
    /// `<<`, `<<-`
    Document,
    /// `<<<`
    Text,
}

impl Script {
    /// Parses a text; returns `None` if it can't be read, or is too long.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        let fits = text.chars().nth(super::limits::MAX_CHARS).is_none() && !text.contains('\0');
        fits.then(|| Parser::new(text, 0).program().ok())?
    }
}

impl Word {
    /// Returns the text, if nothing in the word is an expansion. Globs, braces and tildes are kept.
    pub(crate) fn literal(&self) -> Option<String> {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Text { text, .. } => out.push_str(text),
                Part::Expansion(_) => return None,
            }
        }
        Some(out)
    }

    /// Returns the word as the shell would see it in a text that is parsed again: fixed text without its quotes,
    /// expansions as they are written. The flag is true if there are any.
    pub(crate) fn rendered(&self) -> (String, bool) {
        let (mut out, mut dynamic) = (String::new(), false);
        for part in &self.parts {
            match part {
                Part::Text { text, .. } => out.push_str(text),
                Part::Expansion(expansion) => {
                    out.push_str(&expansion.raw);
                    dynamic = true;
                }
            }
        }
        (out, dynamic)
    }
}
