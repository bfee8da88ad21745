//! The answers that were only observed, as a verdict records them (G5).

use super::{Attributed, continued};
use crate::source::Enforcement;
use std::fmt;

/// The answer of a handler in observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedAnswer {
    /// The mode of the handler: [`Enforcement::Observe`] or [`Enforcement::Warn`].
    pub enforcement: Enforcement,
    /// The effect that the answer would have had, if no other handler had answered.
    pub effect: ObservedEffect,
    /// Its reason, or that of its failure.
    pub reason: Option<String>,
}

/// The effect that an observed answer would have had; of several, the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObservedEffect {
    /// A denial of the call or of the permission.
    Deny,
    /// A block.
    Block,
    /// The end of the turn.
    Stop,
    /// A deferral.
    Defer,
    /// A question to the user.
    Ask,
    /// An allow.
    Allow,
    /// None: the handler gave no usable answer, or ended with an error.
    Fail,
    /// Less than all rights for the call.
    Restrict,
    /// Another input or output.
    Rewrite,
    /// Anything else: a context, a message, the answer to a form.
    Answer,
}

impl ObservedEffect {
    /// Returns the effect in one word.
    pub const fn as_str(self) -> &'static str {
        match self {
            ObservedEffect::Deny => "deny",
            ObservedEffect::Block => "block",
            ObservedEffect::Stop => "stop",
            ObservedEffect::Defer => "defer",
            ObservedEffect::Ask => "ask",
            ObservedEffect::Allow => "allow",
            ObservedEffect::Fail => "fail",
            ObservedEffect::Restrict => "restrict",
            ObservedEffect::Rewrite => "rewrite",
            ObservedEffect::Answer => "answer",
        }
    }

    /// Returns the effect as a phrase, as in "would have denied this".
    pub const fn describe(self) -> &'static str {
        match self {
            ObservedEffect::Deny => "would have denied this",
            ObservedEffect::Block => "would have blocked this",
            ObservedEffect::Stop => "would have stopped the turn",
            ObservedEffect::Defer => "would have deferred this",
            ObservedEffect::Ask => "would have asked about this",
            ObservedEffect::Allow => "would have allowed this",
            ObservedEffect::Fail => "would not have checked this",
            ObservedEffect::Restrict => "would have taken rights away from this",
            ObservedEffect::Rewrite => "would have rewritten this",
            ObservedEffect::Answer => "would have added to this",
        }
    }

    /// Returns whether the effect would have held back the action.
    pub const fn holds_back(self) -> bool {
        match self {
            ObservedEffect::Deny
            | ObservedEffect::Block
            | ObservedEffect::Stop
            | ObservedEffect::Defer
            | ObservedEffect::Ask => true,
            ObservedEffect::Allow
            | ObservedEffect::Fail
            | ObservedEffect::Restrict
            | ObservedEffect::Rewrite
            | ObservedEffect::Answer => false,
        }
    }
}

impl fmt::Display for Attributed<ObservedAnswer> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ObservedAnswer { enforcement, effect, reason } = &self.what;
        write!(
            f,
            "`{}` ({}, mode `{}`) {}",
            self.label,
            self.source,
            enforcement.as_str(),
            effect.describe()
        )?;
        match reason {
            Some(reason) => write!(f, ": {}", continued(reason)),
            None => Ok(()),
        }
    }
}
