//! Words and redirections: the expansions in them, and the files that they name.

use super::super::arg;
use super::super::ast::{Expansion, ExpansionKind, Part, Redirect, RedirectOp, Word};
use super::super::context::Context;
use super::super::input::{Input, target};
use super::super::line::{Redirection, RedirectionKind};
use super::super::refusal::UnknownReason;
use super::super::variables;
use super::{Walk, is_steering};

impl Walk {
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
            self.sets_default = true;
        }
        if expansion.kind == ExpansionKind::Prompt {
            self.unknown(UnknownReason::Redefinition(expansion.raw.clone()), true);
        }
        let inner = context.with_input(input);
        expansion.scripts.iter().for_each(|script| self.script(script, &inner));
        self.words(&expansion.words, &inner);
    }

    pub(super) fn redirect(&mut self, redirect: &Redirect, context: &Context) {
        self.words(std::slice::from_ref(&redirect.target), context);
        if let Some(name) = redirect.descriptor.as_ref().filter(|name| is_steering(name)) {
            self.unknown(UnknownReason::Redefinition(name.clone()), true);
        }
        if let Some(body) = redirect.body.get() {
            self.words(std::slice::from_ref(body), context);
            self.record_stdin_text(body);
        }
        if redirect.op == RedirectOp::Text {
            self.record_stdin_text(&redirect.target);
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

/// Returns whether text runs a command if it is evaluated, or if `printf` or the text after it turns it into such text.
fn could_run(text: &str) -> bool {
    text.contains('`')
        || ["$(", "${"].iter().any(|start| text.contains(start))
        || text.ends_with('$')
        || text.split('\\').skip(1).any(|escape| {
            let code = escape.trim_start_matches(['0', 'x', 'u', 'U']);
            ["44", "24", "140", "60"].iter().any(|known| code.starts_with(known))
        })
}
