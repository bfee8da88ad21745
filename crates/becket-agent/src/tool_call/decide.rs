//! The decision on a call by settlement and mode (`protocol.md` P11, P14, D3). One total function, without prompts.

use super::report::DeniedBy;
use crate::permission::ClassifierDecision;
use becket_engine::{Effect, Settlement};
use becket_model::event::PermissionMode;

/// The known facts about a call after hooks and rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facts<'a> {
    pub(crate) mode: &'a PermissionMode,
    pub(crate) effect: Effect,
    /// The hooks' own decision.
    pub(crate) hook: Hook,
    /// The reason why no mode and no classifier may answer for a person (D3).
    pub(crate) requires_user: Option<String>,
    /// Set if the host has a classifier for the mode `auto`.
    pub(crate) has_classifier: bool,
}

/// The decision of PreToolUse hooks, as far as it matters in addition to the settlement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hook {
    Allows,
    Asks,
    Denies,
    Silent,
}

/// The next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next {
    Run,
    /// A person is asked; `hooks_may_answer` says whether hooks may answer instead (D3).
    Ask {
        because: String,
        hooks_may_answer: bool,
    },
    Deny {
        by: DeniedBy,
        because: String,
    },
    Stop {
        because: String,
    },
    Defer,
    /// The classifier is asked; [`classified`] returns the step after that.
    Classify,
}

/// Returns the next step. Without a settlement nothing runs: the call was not allowed.
pub(crate) fn decide(settlement: Option<&Settlement>, facts: &Facts<'_>) -> Next {
    match settlement {
        None => nobody_judged(),
        Some(Settlement::Denied { because }) => {
            Next::Deny { by: denied_by(facts.hook), because: because.clone() }
        }
        Some(Settlement::Stopped { because }) => Next::Stop { because: because.clone() },
        Some(Settlement::Deferred) => Next::Defer,
        Some(Settlement::Asked { because }) => ask(because, facts),
        Some(Settlement::Allowed { because }) => allowed(because, facts),
        Some(Settlement::Undecided) => open(facts),
    }
}

/// Returns the next step after the classifier of the mode `auto`, which is asked only if [`decide`] says so: it decides
/// for the mode, and for nothing else (P14).
pub(crate) fn classified(ruling: &ClassifierDecision, facts: &Facts<'_>) -> Next {
    match ruling {
        ClassifierDecision::Allow => Next::Run,
        ClassifierDecision::Deny(because) => {
            Next::Deny { by: DeniedBy::Classifier, because: because.clone() }
        }
        ClassifierDecision::Unsure(why) => ask(&format!("the classifier is not sure: {why}"), facts),
        ClassifierDecision::Failed(why) => ask(&format!("the classifier gave no answer ({why})"), facts),
    }
}

/// Returns the next step for an input that a PermissionRequest hook wrote and allowed, after the guards of the call
/// have seen it: the allow counts unless one of them denies or asks.
pub(crate) fn after_rewrite(settlement: Option<Settlement>, hook: Hook) -> Next {
    match settlement {
        Some(Settlement::Undecided | Settlement::Allowed { .. }) => Next::Run,
        Some(Settlement::Asked { because }) => Next::Ask { because, hooks_may_answer: false },
        Some(Settlement::Denied { because }) => Next::Deny { by: denied_by(hook), because },
        Some(Settlement::Stopped { because }) => Next::Stop { because },
        Some(Settlement::Deferred) => Next::Defer,
        None => nobody_judged(),
    }
}

fn denied_by(hook: Hook) -> DeniedBy {
    match hook {
        Hook::Asks => DeniedBy::Nobody,
        Hook::Denies => DeniedBy::Hook,
        Hook::Allows | Hook::Silent => DeniedBy::Rule,
    }
}

fn nobody_judged() -> Next {
    Next::Deny { by: DeniedBy::Rule, because: "nobody has judged this call".to_owned() }
}

/// Returns the reason why the mode forbids a call that is otherwise allowed: an allow skips a prompt, and this is not
/// one.
pub(crate) fn forbidden(mode: &PermissionMode, effect: Effect) -> Option<String> {
    let edits = match effect {
        Effect::Edits | Effect::EditsElsewhere | Effect::EditsProtected | Effect::ActsAndEdits => true,
        Effect::Reads | Effect::Acts => false,
    };
    (edits && *mode == PermissionMode::Plan).then(|| "the mode `plan` makes no edits".to_owned())
}

fn ask(because: &str, facts: &Facts<'_>) -> Next {
    if let Some(why) = forbidden(facts.mode, facts.effect) {
        return Next::Deny { by: DeniedBy::Mode, because: why };
    }
    if *facts.mode == PermissionMode::DontAsk {
        let because = format!("the mode `dontAsk` asks nobody, and {because}");
        return Next::Deny { by: DeniedBy::Mode, because };
    }
    Next::Ask { because: because.to_owned(), hooks_may_answer: facts.hook != Hook::Asks }
}

fn allowed(because: &str, facts: &Facts<'_>) -> Next {
    if let Some(why) = forbidden(facts.mode, facts.effect) {
        return Next::Deny { by: DeniedBy::Mode, because: why };
    }
    match (facts.effect, facts.mode) {
        // Rules do not allow what is protected, except in the mode that never asks.
        (Effect::EditsProtected, mode)
            if facts.hook != Hook::Allows && *mode != PermissionMode::BypassPermissions =>
        {
            ask(&format!("this edits a protected file ({because})"), facts)
        }
        // The engine may not know the tool, so the tool itself is asked, too.
        (
            Effect::Reads
            | Effect::Edits
            | Effect::EditsElsewhere
            | Effect::EditsProtected
            | Effect::ActsAndEdits
            | Effect::Acts,
            _,
        ) => match &facts.requires_user {
            Some(why) if facts.hook == Hook::Allows => ask(why, facts),
            Some(_) | None => Next::Run,
        },
    }
}

/// Returns the decision of the mode, if neither hooks nor rules decide.
fn open(facts: &Facts<'_>) -> Next {
    let no_rule = "no rule allows it";
    match (facts.mode, facts.effect) {
        (_, Effect::Reads) => Next::Run,
        (PermissionMode::AcceptEdits, Effect::Edits) => Next::Run,
        (PermissionMode::BypassPermissions, _) => match &facts.requires_user {
            Some(why) => ask(why, facts),
            None => Next::Run,
        },
        (PermissionMode::Auto, Effect::EditsProtected) => ask("this edits a protected file", facts),
        (
            PermissionMode::Auto,
            Effect::Edits | Effect::EditsElsewhere | Effect::ActsAndEdits | Effect::Acts,
        ) => match (&facts.requires_user, facts.has_classifier) {
            (Some(why), _) => ask(why, facts),
            (None, true) => Next::Classify,
            (None, false) => ask(no_rule, facts),
        },
        (
            PermissionMode::Default
            | PermissionMode::Plan
            | PermissionMode::AcceptEdits
            | PermissionMode::DontAsk
            | PermissionMode::Other(_),
            Effect::Edits
            | Effect::EditsElsewhere
            | Effect::EditsProtected
            | Effect::ActsAndEdits
            | Effect::Acts,
        ) => ask(no_rule, facts),
    }
}

#[cfg(test)]
mod tests;
