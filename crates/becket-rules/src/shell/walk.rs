//! The walk over a parsed line: every command that may run, with where its input comes from.
//!
//! Invariant: a node is visited once, and what is kept is bounded ([`limits`](super::limits)); past the bound the line
//! is *unknown*.

use std::rc::Rc;

use super::allow::{allow_form, join};
use super::arg::{self, Arg};
use super::ast::{Assign, Expansion, ExpansionKind, Kind, Node, Part, Redirect, RedirectOp, Script, Word};
use super::cursor::Parser;
use super::input::{Input, feeds_input, redirected, target};
use super::limits::{MAX_COMMANDS, MAX_DEPTH, MAX_TEXT};
use super::line::{Command, Line, Redirection, RedirectionKind, Target, Unknown};
use super::pattern::normalise;
use super::refusal::UnknownReason;
use super::wrapper;
use super::wrapper_table::{STARTUP_VARIABLES, STEERING_VARIABLES};

/// Where the walk is.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    /// Reached by P4's walk alone, not through a wrapper or a program in text.
    pub(crate) direct: bool,
    pub(crate) via: Option<Rc<str>>,
    pub(crate) input: Input,
    pub(crate) depth: u32,
}

impl Context {
    pub(crate) fn line() -> Self {
        Self { direct: true, via: None, input: Input::Line, depth: 0 }
    }

    fn with_input(&self, input: Input) -> Self {
        Self { input, depth: self.depth + 1, ..self.clone() }
    }

    /// Behind `name`; the outermost wrapper is the one that is shown.
    pub(crate) fn through(&self, name: &str) -> Self {
        let via = self.via.clone().unwrap_or_else(|| Rc::from(name));
        Self { direct: false, via: Some(via), input: self.input.clone(), depth: self.depth + 1 }
    }
}

/// What the walk has found so far.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    commands: Vec<Command>,
    redirections: Vec<Redirection>,
    unknowns: Vec<Unknown>,
    expansion: Option<String>,
    kept: usize,
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
}

impl Walk {
    pub(crate) fn unknown(&mut self, reason: UnknownReason, direct: bool) {
        let unknown = Unknown { reason, direct };
        if !self.unknowns.contains(&unknown) {
            self.unknowns.push(unknown);
        }
    }

    /// What the whole line amounts to.
    pub(crate) fn finish(mut self, text: &str) -> Line {
        if let (Some(shell), true) = (self.shell_on_input.take(), self.input_replaced) {
            self.unknown(UnknownReason::ProgramFromInput(shell), false);
        }
        if let (Some(word), true) = (self.evaluates.take(), self.loaded_text) {
            self.unknown(UnknownReason::Arithmetic(word), true);
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
        let Self { commands, redirections, unknowns, expansion, .. } = self;
        Line { text: text.to_owned(), commands, redirections, unknowns, expansion, moves: self.moves }
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
            Ok(script) => self.script(&script, context),
            Err(reason) => self.unknown(reason, false),
        }
        if dynamic {
            self.unknown(UnknownReason::ProgramText(normalise(text)), false);
        }
    }

    fn node(&mut self, node: &Node, context: &Context) {
        let mut input = context.input.clone();
        for redirect in &node.redirects {
            self.redirect(redirect, context);
            input = redirected(redirect, input);
        }
        let inner = Context { input, ..context.clone() };
        match &node.kind {
            Kind::Simple { assigns, words } => self.simple(assigns, words, node, &inner),
            Kind::Group(scripts) => scripts.iter().for_each(|script| self.script(script, &inner)),
            Kind::Loop { variable, words, body } => {
                let steering = variable.iter().find(|name| is_steering(name));
                if let Some(name) = steering {
                    self.unknown(UnknownReason::Redefinition(name.clone()), true);
                }
                self.words(words, &inner);
                self.script(body, &inner);
            }
            Kind::Case { words, bodies } => {
                self.words(words, &inner);
                bodies.iter().for_each(|body| self.script(body, &inner));
            }
            // Whoever calls it may pipe into it.
            Kind::Function(body) | Kind::Coproc(body) => self.node(body, &inner.with_input(Input::Opaque)),
            Kind::Test { words, arithmetic } => {
                if *arithmetic {
                    self.evaluates.get_or_insert_with(|| "[[".to_owned());
                }
                self.words(words, &inner);
            }
        }
    }

    fn simple(&mut self, assigns: &[Assign], words: &[Word], node: &Node, context: &Context) {
        for assign in assigns {
            self.assign(assign, context);
        }
        self.words(words, context);
        let args: Vec<Arg> = words.iter().flat_map(arg::arguments).collect();
        let raw = assigns
            .iter()
            .map(|assign| assign.raw.as_str())
            .chain(words.iter().map(|word| word.raw.as_str()));
        let raw = join(raw);
        if args.is_empty() && assigns.is_empty() && words.is_empty() {
            return;
        }
        let replaces = args.len() == 1 && args[0].command_name() == Some("exec");
        self.input_replaced |=
            replaces && node.redirects.iter().any(|redirect| feeds_input(redirect).is_some());
        self.command(&args, &raw, assigns, context);
    }

    fn assign(&mut self, assign: &Assign, context: &Context) {
        self.words(&assign.words, context);
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
        if let Some((first, name)) = args.first().and_then(|first| Some((first, first.command_name()?)))
            && name != first.text
        {
            forms.push(normalise(&format!(
                "{name}{}",
                text.strip_prefix(&normalise(&first.text)).unwrap_or_default()
            )));
        }
        forms.dedup();
        self.kept += forms.iter().map(String::len).sum::<usize>() + std::mem::size_of_val(args);
        let allow = if context.direct { allow_form(args, raw, assigns) } else { None };
        let open = args.iter().position(|arg| arg.open);
        let open = open.map(|at| join(args[..at].iter().map(|arg| arg.text.as_str())));
        let via = context.via.as_deref().map(str::to_owned);
        let raw = normalise(raw);
        self.commands.push(Command { raw, forms, allow, args: args.to_vec(), via, open });
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
            self.unknown(UnknownReason::CommandWord(arg.raw.clone()), context.direct);
        }
    }

    /// The commands from `index` on get more arguments at run time.
    pub(crate) fn mark_open(&mut self, index: usize) {
        for command in self.commands.iter_mut().skip(index).filter(|command| command.open.is_none()) {
            command.open = Some(command.text().to_owned());
        }
    }

    /// How many commands were found so far.
    pub(crate) fn found(&self) -> usize {
        self.commands.len()
    }

    fn words(&mut self, words: &[Word], context: &Context) {
        for word in words {
            self.word(word, context);
        }
    }

    fn word(&mut self, word: &Word, context: &Context) {
        for part in &word.parts {
            match part {
                Part::Text { text, quoted } => {
                    self.loaded_text |= *quoted && (text.contains("$(") || text.contains('`'))
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
        }
        let kind = match redirect.op {
            RedirectOp::Read => RedirectionKind::Input,
            RedirectOp::Write | RedirectOp::ReadWrite | RedirectOp::DuplicateOutput => {
                RedirectionKind::Output
            }
            RedirectOp::DuplicateInput | RedirectOp::Document | RedirectOp::Text => return,
        };
        if let Some(target) = target(redirect) {
            self.redirections.push(Redirection { kind, target });
        }
    }
}

/// The word that keeps the start of a wrapped command from being known, where P5 would strip the wrapper.
fn hidden_start(args: &[Arg]) -> Option<&Arg> {
    let entry = wrapper::lookup(args.first()?.value()?).filter(|entry| entry.stripped)?;
    let dynamic = args.iter().find(|arg| arg.dynamic)?;
    if entry.locate(args).certain { None } else { Some(dynamic) }
}

fn is_steering(name: &str) -> bool {
    STEERING_VARIABLES.contains(&name) || STARTUP_VARIABLES.contains(&name)
}
