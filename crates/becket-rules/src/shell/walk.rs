//! The walk over a parsed line: every command that may run, with the source of its input.
//!
//! Invariant: a node is visited once, and the results are bounded ([`limits`](super::limits)); past the bound the line
//! is *unknown*.

mod command;
mod words;

use std::sync::OnceLock;

use super::arg::{self, Arg};
use super::ast::{Kind, Node, Script, Word};
use super::context::Context;
use super::cursor::Parser;
use super::evaluation::Evaluations;
use super::input::{Descriptors, Input};
use super::limits::MAX_DEPTH;
use super::line::{Command, Line, Redirection, Target, Unknown};
use super::open_options::settle;
use super::pattern::normalise;
use super::refusal::UnknownReason;
use super::values::{ARGUMENTS, Values};
use super::wrapper_table::{STARTUP_VARIABLES, STEERING_VARIABLES};

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
    pub(crate) values: Values,
    /// A variable that is set without a command, and that programs may read.
    sets: Option<String>,
    /// True after `${x:=…}`, whose value is not recorded.
    sets_default: bool,
    /// A construct that evaluates values as arithmetic, as it is written.
    pub(crate) evaluates: Option<String>,
    /// Quoted text that would run something if it were evaluated.
    loaded_text: bool,
    /// True after `cd` and similar commands: relative paths are not the line's own.
    pub(crate) moves: bool,
    /// True after `exec < …`: the input of later commands is not the line's.
    pub(crate) input_replaced: bool,
    /// A shell that reads the line's own input.
    pub(crate) shell_on_input: Option<String>,
    /// True if a variable is a reference to another one (`declare -n`).
    pub(crate) refers: bool,
    /// Programs in text that could not be read: their words may be commands.
    unread: Vec<String>,
    /// A text with the name of a variable that controls the shell.
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
        // Analysis stops silently when the limits are reached; it is reported here.
        if self.is_full() {
            self.unknown(UnknownReason::TooComplex, true);
        }
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
        let Self {
            mut commands,
            redirections,
            unknowns,
            expansion,
            evaluations,
            sets,
            sets_default,
            moves,
            values,
            unread,
            ..
        } = self;
        settle(&mut commands, &values, !sets_default);
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
            unread,
            forms: OnceLock::new(),
            words: OnceLock::new(),
        }
    }

    pub(crate) fn script(&mut self, script: &Script, context: &Context) {
        for pipeline in &script.pipelines {
            for (place, node) in pipeline.nodes.iter().enumerate() {
                let input = if place == 0 { context.input.clone() } else { Input::Opaque };
                self.node(node, &context.with_input(input));
            }
        }
    }

    /// Parses and walks a program in text like the line, but no allow rule need cover it.
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
            Err(reason) => {
                self.kept += text.len();
                self.unread.push(text.to_owned());
                self.unknown(reason, false);
            }
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
            // `{name}<` chooses a number that any later command may use.
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
                    if words.is_empty() {
                        // `for x; do`
                        self.values.set(name, ARGUMENTS);
                    }
                    // `select` stores the answer there.
                    self.evaluations.set_text("REPLY");
                }
                self.words(words, &inner);
                self.script(body, &inner);
            }
            Kind::Case { words, bodies } => {
                self.words(words, &inner);
                bodies.iter().for_each(|body| self.script(body, &inner));
            }
            // A caller may pipe into it.
            Kind::Function(body) | Kind::Coproc(body) => {
                let called = Context { descriptors: Descriptors::Unknown, ..inner.with_input(Input::Opaque) };
                self.node(body, &called);
            }
            Kind::Test { words, arithmetic, .. } => {
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
}

fn is_steering(name: &str) -> bool {
    STEERING_VARIABLES.contains(&name) || STARTUP_VARIABLES.contains(&name)
}
