//! The walk over a parsed line: every command that may run, with where its input comes from.
//!
//! Invariant: a node is visited once, and what is kept is bounded ([`limits`](super::limits)); past the bound the line
//! is *unknown*.

use std::sync::OnceLock;

use super::allow::{allow_form, join};
use super::arg::{self, Arg};
use super::ast::{Assign, Expansion, ExpansionKind, Kind, Node, Part, Redirect, RedirectOp, Script, Word};
use super::context::Context;
use super::cursor::Parser;
use super::evaluation::Evaluations;
use super::filled::substitute;
use super::input::{Descriptors, Input, feeds, target};
use super::limits::{MAX_COMMANDS, MAX_DEPTH, MAX_TEXT};
use super::line::{Command, Line, Redirection, RedirectionKind, Target, Unknown};
use super::pattern::normalise;
use super::refusal::UnknownReason;
use super::values::Values;
use super::variables;
use super::wrapper;
use super::wrapper_table::{STARTUP_VARIABLES, STEERING_VARIABLES, is_plain_variable};

/// The results of the walk so far.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    commands: Vec<Command>,
    redirections: Vec<Redirection>,
    unknowns: Vec<Unknown>,
    expansion: Option<String>,
    kept: usize,
    /// The arithmetic of the line, for allow rules.
    evaluations: Evaluations,
    /// The values of variables.
    values: Values,
    /// A variable that is set without a command, and may be one that programs read.
    sets: Option<String>,
    /// Something that evaluates values as arithmetic, as it is written.
    pub(crate) evaluates: Option<String>,
    /// Quoted text that would run something if it were evaluated.
    loaded_text: bool,
    /// `cd` and its like: relative paths are not the line's own.
    pub(crate) moves: bool,
    /// `exec < …`: the input of later commands is not the line's.
    pub(crate) input_replaced: bool,
    /// A shell that reads the line's own input.
    pub(crate) shell_on_input: Option<String>,
    /// A variable is a reference to another one (`declare -n`).
    pub(crate) refers: bool,
    /// A text with the name of a variable that steers the shell.
    pub(crate) mentioned: Option<String>,
}

impl Walk {
    pub(crate) fn unknown(&mut self, reason: UnknownReason, direct: bool) {
        let unknown = Unknown { reason, direct };
        if !self.unknowns.contains(&unknown) {
            self.unknowns.push(unknown);
        }
    }

    /// Returns the analysed line.
    pub(crate) fn finish(mut self, text: &str) -> Line {
        if let (Some(shell), true) = (self.shell_on_input.take(), self.input_replaced) {
            self.unknown(UnknownReason::ProgramFromInput(shell), false);
        }
        if let (Some(word), true) = (self.evaluates.take(), self.loaded_text) {
            self.unknown(UnknownReason::Arithmetic(word), false);
        }
        if let (Some(text), true) = (self.mentioned.take(), self.refers) {
            self.unknown(UnknownReason::Redefinition(text), false);
        }
        if self.moves {
            for redirection in &mut self.redirections {
                if let Target::Literal(path) = &redirection.target
                    && !path.starts_with('/')
                {
                    redirection.target = Target::Dynamic(path.clone());
                }
            }
        }
        let Self { commands, redirections, unknowns, expansion, evaluations, sets, moves, values, .. } = self;
        let evaluated = evaluations.finish().map(UnknownReason::Arithmetic);
        let restricted = evaluated.or(sets.map(UnknownReason::Redefinition));
        Line {
            text: text.to_owned(),
            commands,
            redirections,
            unknowns,
            expansion,
            moves,
            values,
            restricted,
            forms: OnceLock::new(),
            words: OnceLock::new(),
        }
    }

    pub(crate) fn script(&mut self, script: &Script, context: &Context) {
        for pipeline in &script.pipelines {
            for (place, node) in pipeline.iter().enumerate() {
                let input = if place == 0 { context.input.clone() } else { Input::Opaque };
                self.node(node, &context.with_input(input));
            }
        }
    }

    /// A program in text: read and walked like the line, but no allow rule need cover it.
    pub(crate) fn program(&mut self, text: &str, dynamic: bool, context: &Context) {
        if context.depth >= MAX_DEPTH {
            return self.unknown(UnknownReason::TooComplex, true);
        }
        match Parser::new(text, context.depth).program() {
            Ok(script) => {
                if let Some(construct) = script.beyond.filter(|_| context.dialect.differs()) {
                    self.unknown(UnknownReason::Dialect(construct.to_owned()), false);
                }
                self.script(&script, context);
            }
            Err(reason) => self.unknown(reason, false),
        }
        if dynamic {
            self.unknown(UnknownReason::ProgramText(normalise(text)), false);
        }
    }

    fn node(&mut self, node: &Node, context: &Context) {
        let mut inputs = context.inputs();
        for redirect in &node.redirects {
            self.redirect(redirect, context);
            inputs.redirect(redirect);
            // `{name}<` picks a number that any later command may use.
            self.input_replaced |=
                redirect.descriptor.as_deref().is_some_and(|name| name.starts_with(char::is_alphabetic));
        }
        let inner = Context { input: inputs.standard, descriptors: inputs.others, ..context.clone() };
        match &node.kind {
            Kind::Simple { assigns, words } => self.simple(assigns, words, node, &inner),
            Kind::Group(scripts) => scripts.iter().for_each(|script| self.script(script, &inner)),
            Kind::Loop { variable, words, body } => {
                let steering = variable.iter().find(|name| is_steering(name));
                if let Some(name) = steering {
                    self.unknown(UnknownReason::Redefinition(name.clone()), true);
                }
                if let Some(name) = variable {
                    self.set(name, &inner);
                    self.assigned(name, words);
                    // `select` keeps the answer there.
                    self.evaluations.set_text("REPLY");
                }
                self.words(words, &inner);
                self.script(body, &inner);
            }
            Kind::Case { words, bodies } => {
                self.words(words, &inner);
                bodies.iter().for_each(|body| self.script(body, &inner));
            }
            // Whoever calls it may pipe into it.
            Kind::Function(body) | Kind::Coproc(body) => {
                let called = Context { descriptors: Descriptors::Unknown, ..inner.with_input(Input::Opaque) };
                self.node(body, &called);
            }
            Kind::Test { words, arithmetic } => {
                if *arithmetic {
                    self.evaluates.get_or_insert_with(|| "[[".to_owned());
                }
                self.words(words, &inner);
                if inner.direct {
                    let one = |word: &Word| arg::arguments(word).iter().cloned().reduce(|_, _| Arg::open());
                    self.evaluations.condition(&words.iter().map(one).collect::<Vec<_>>());
                }
            }
        }
    }

    fn simple(&mut self, assigns: &[Assign], words: &[Word], node: &Node, context: &Context) {
        for assign in assigns {
            self.assign(assign, words.is_empty(), context);
        }
        self.words(words, context);
        let indexed = |assign: &Assign| !assign.subscripts().is_empty();
        if words.is_empty() && assigns.iter().any(indexed) {
            self.evaluates.get_or_insert_with(|| join(assigns.iter().map(|assign| assign.raw.as_str())));
        }
        let mut args: Vec<Arg> = words.iter().flat_map(arg::arguments).cloned().collect();
        if context.fills {
            args = substitute(&args, "{}");
        }
        self.note_dialect(words, &args, context);
        let raw = assigns
            .iter()
            .map(|assign| assign.raw.as_str())
            .chain(words.iter().map(|word| word.raw.as_str()));
        let raw = join(raw);
        if args.is_empty() && assigns.is_empty() && words.is_empty() {
            return;
        }
        self.input_replaced |= replaces_input(&args) && node.redirects.iter().any(feeds);
        self.command(&args, &raw, assigns, context);
    }

    /// Words that another shell than bash may parse differently.
    fn note_dialect(&mut self, words: &[Word], args: &[Arg], context: &Context) {
        let dialect = context.dialect;
        if let Some(word) = dialect.odd_word(words) {
            self.unknown(UnknownReason::Dialect(word.to_owned()), false);
            self.run(args.get(1..).unwrap_or_default(), &context.through(word));
        }
        let braces = |word: &&Word| dialect.differs() && arg::arguments(word).len() > 1;
        if let Some(word) = words.iter().find(braces) {
            self.unknown(UnknownReason::Dialect(word.raw.clone()), false);
        }
    }

    /// A variable is set to text, without a command that a rule would have to cover.
    fn set(&mut self, name: &str, context: &Context) {
        self.evaluations.set_text(name);
        if context.direct && !is_plain_variable(name) {
            self.sets.get_or_insert_with(|| name.to_owned());
        }
    }

    /// Keeps the values that a variable may have.
    fn assigned(&mut self, name: &str, words: &[Word]) {
        for arg in words.iter().flat_map(arg::arguments) {
            self.kept += name.len() + arg.text.len();
            self.values.set(name, &arg.text);
        }
    }

    /// Keeps the text of a here-string or a here-document.
    fn given(&mut self, word: &Word) {
        for arg in arg::arguments(word) {
            self.kept += arg.text.len();
            self.values.give(&arg.text);
        }
    }

    /// An assignment; `lasts` unless it is for one command.
    fn assign(&mut self, assign: &Assign, lasts: bool, context: &Context) {
        self.words(&assign.words, context);
        self.assigned(&assign.name, &assign.words);
        if context.direct {
            for subscript in assign.subscripts() {
                self.evaluations.evaluate(&subscript, &assign.raw);
            }
        }
        self.evaluations.assign(&assign.name, assign.value().as_deref(), lasts && context.direct);
        if STARTUP_VARIABLES.contains(&assign.name.as_str()) {
            self.unknown(UnknownReason::Redefinition(assign.name.clone()), false);
        }
        if assign.words.iter().any(|word| word.rendered().0.contains('[')) {
            self.loaded_text = true;
        }
    }

    /// Keeps a command, and looks through it.
    pub(crate) fn command(&mut self, args: &[Arg], raw: &str, assigns: &[Assign], context: &Context) {
        if self.is_full() || context.depth >= MAX_DEPTH {
            return self.unknown(UnknownReason::TooComplex, true);
        }
        let text = join(args.iter().map(|arg| arg.text.as_str()));
        let mut forms = vec![text.clone(), join(args.iter().map(|arg| arg.raw.as_str())), normalise(raw)];
        forms.extend(named(args));
        forms.dedup();
        self.kept += forms.iter().map(String::len).sum::<usize>() + std::mem::size_of_val(args);
        let allow = if context.direct { allow_form(args, raw, assigns) } else { None };
        if context.direct {
            self.evaluations.builtin(wrapper::strip(args).0);
        }
        let open = args.iter().position(|arg| arg.open).map(|at| heads(&args[..at])).unwrap_or_default();
        let via = context.via.as_deref().map(str::to_owned);
        let raw = normalise(raw);
        self.commands.push(Command { raw, forms, allow, args: args.to_vec(), via, open });
        for (name, value) in args.iter().filter_map(|arg| arg.text.split_once('=')) {
            self.values.set(name, value);
        }
        self.dynamic_names(args, context);
        self.look_through(args, context);
    }

    /// No more is kept: the line is too complex.
    pub(crate) fn is_full(&self) -> bool {
        self.commands.len() >= MAX_COMMANDS || self.kept >= MAX_TEXT
    }

    /// The command word, the wrappers that P5 strips aside, must be known for an allow rule to cover the line.
    fn dynamic_names(&mut self, args: &[Arg], context: &Context) {
        let named = |arg: &Arg| arg.command_name().is_none();
        let (left, _) = wrapper::strip(args);
        let stripped = left.first().filter(|arg| named(arg)).or_else(|| hidden_start(left));
        if let Some(arg) = stripped.or_else(|| args.first().filter(|arg| named(arg))) {
            self.unknown_start(arg, context.direct);
        }
    }

    /// The commands from `index` on get more arguments at run time.
    pub(crate) fn mark_open(&mut self, index: usize) {
        for command in self.commands.iter_mut().skip(index).filter(|command| command.open.is_empty()) {
            command.open.clone_from(&command.forms);
        }
    }

    /// Returns the number of commands found so far.
    pub(crate) fn found(&self) -> usize {
        self.commands.len()
    }

    pub(crate) fn words(&mut self, words: &[Word], context: &Context) {
        for word in words {
            self.word(word, context);
        }
    }

    fn word(&mut self, word: &Word, context: &Context) {
        for part in &word.parts {
            match part {
                Part::Text { text, quoted } => {
                    self.loaded_text |= *quoted && could_run(text);
                    self.note_text(text);
                }
                Part::Expansion(expansion) => self.expand(expansion, context),
            }
        }
        if arg::arguments(word).iter().any(|arg| arg.dynamic) && word.literal().is_some() {
            self.expansion.get_or_insert_with(|| word.raw.clone());
        }
    }

    fn expand(&mut self, expansion: &Expansion, context: &Context) {
        let input = match expansion.kind {
            ExpansionKind::Home => context.input.clone(),
            ExpansionKind::Process { output } => {
                if output {
                    Input::Opaque
                } else {
                    context.input.clone()
                }
            }
            ExpansionKind::Arithmetic { names } => {
                if expansion.raw.starts_with("${") {
                    self.expansion.get_or_insert_with(|| expansion.raw.clone());
                }
                if names {
                    self.evaluates.get_or_insert_with(|| expansion.raw.clone());
                }
                context.input.clone()
            }
            ExpansionKind::Parameter
            | ExpansionKind::Prompt
            | ExpansionKind::Command
            | ExpansionKind::Opaque => {
                self.expansion.get_or_insert_with(|| expansion.raw.clone());
                context.input.clone()
            }
        };
        if context.direct {
            expansion.evaluated.iter().for_each(|text| self.evaluations.evaluate(text, &expansion.raw));
        }
        if let Some(name) = &expansion.sets {
            if variables::mentions(name) {
                self.unknown(UnknownReason::Redefinition(expansion.raw.clone()), true);
            }
            self.set(name, context);
        }
        if expansion.kind == ExpansionKind::Prompt {
            self.unknown(UnknownReason::Redefinition(expansion.raw.clone()), true);
        }
        let inner = context.with_input(input);
        expansion.scripts.iter().for_each(|script| self.script(script, &inner));
        self.words(&expansion.words, &inner);
    }

    fn redirect(&mut self, redirect: &Redirect, context: &Context) {
        self.words(std::slice::from_ref(&redirect.target), context);
        if let Some(name) = redirect.descriptor.as_ref().filter(|name| is_steering(name)) {
            self.unknown(UnknownReason::Redefinition(name.clone()), true);
        }
        if let Some(body) = redirect.body.get() {
            self.words(std::slice::from_ref(body), context);
            self.given(body);
        }
        if redirect.op == RedirectOp::Text {
            self.given(&redirect.target);
        }
        let kind = match redirect.op {
            RedirectOp::Read => RedirectionKind::Input,
            RedirectOp::Write | RedirectOp::ReadWrite | RedirectOp::DuplicateOutput => {
                RedirectionKind::Output
            }
            RedirectOp::DuplicateInput | RedirectOp::Document | RedirectOp::Text => return,
        };
        if let Some(target) = target(redirect) {
            self.redirections.push(Redirection {
                kind,
                target,
                words: arg::arguments(&redirect.target).to_vec(),
            });
        }
    }
}

/// The word that keeps the start of a wrapped command from being known, where P5 would strip the wrapper.
fn hidden_start(args: &[Arg]) -> Option<&Arg> {
    let entry = wrapper::lookup(args.first()?.value()?).filter(|entry| entry.stripped)?;
    let dynamic = args.iter().find(|arg| arg.dynamic)?;
    if entry.locate(args).options.certain { None } else { Some(dynamic) }
}

/// Returns the text of a command with the bare name of its program, if it was called by a path.
fn named(args: &[Arg]) -> Option<String> {
    let (first, rest) = args.split_first()?;
    let name = first.command_name().filter(|name| *name != first.text)?;
    Some(join(std::iter::once(name).chain(rest.iter().map(|arg| arg.text.as_str()))))
}

/// The texts of the words in front of what run time fills in.
fn heads(args: &[Arg]) -> Vec<String> {
    let text = join(args.iter().map(|arg| arg.text.as_str()));
    std::iter::once(text).chain(named(args)).collect()
}

/// `exec` without a command: its redirections last.
fn replaces_input(args: &[Arg]) -> bool {
    let (left, _) = wrapper::strip(args);
    let Some(entry) =
        left.first().and_then(Arg::value).filter(|name| *name == "exec").and_then(wrapper::lookup)
    else {
        return false;
    };
    let start = entry.locate(left).start;
    left[start..].iter().all(|arg| arg.open)
}

/// Text that runs a command if it is evaluated, or that may be made such text by `printf` or by what follows it.
fn could_run(text: &str) -> bool {
    text.contains('`')
        || ["$(", "${"].iter().any(|start| text.contains(start))
        || text.ends_with('$')
        || text.split('\\').skip(1).any(|escape| {
            let code = escape.trim_start_matches(['0', 'x', 'u', 'U']);
            ["44", "24", "140", "60"].iter().any(|known| code.starts_with(known))
        })
}

fn is_steering(name: &str) -> bool {
    STEERING_VARIABLES.contains(&name) || STARTUP_VARIABLES.contains(&name)
}
