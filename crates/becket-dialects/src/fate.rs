//! The parts of a hook's answers that an agent keeps, weakens and loses, by its table: the same decisions as in
//! `answer`, as text.

use crate::answer::ends_turn;
use crate::{AnswerSupport, AskForm, Dialect, OutputForm};
use becket_model::EventKind;
use becket_model::table::DecisionModel;

/// A part of a hook's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ability {
    /// The hook's execution.
    Fires,
    /// A denial of a call.
    Deny,
    /// A block of another event.
    Block,
    /// A question to the user.
    Ask,
    /// A rewritten input.
    Rewrite,
    /// Text for the model.
    Context,
    /// `continue: false`.
    Stop,
    /// Text for the user.
    Message,
    /// An output that replaces the tool's.
    Output,
}

impl Ability {
    /// Returns the ability as messages name it.
    pub const fn name(self) -> &'static str {
        match self {
            Ability::Fires => "event",
            Ability::Deny => "deny",
            Ability::Block => "block",
            Ability::Ask => "ask",
            Ability::Rewrite => "rewrite",
            Ability::Context => "context",
            Ability::Stop => "stop",
            Ability::Message => "message to the user",
            Ability::Output => "rewritten output",
        }
    }
}

/// The effect of an ability under an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It has its effect.
    Kept,
    /// It has another effect, which is safe.
    Weakened(&'static str),
    /// It has none.
    Lost(&'static str),
}

/// Returns the fate of each ability of the hooks of an event.
pub fn fates(dialect: &Dialect, kind: EventKind) -> Vec<(Ability, Fate)> {
    let Some(row) = dialect.row_of(kind) else {
        return vec![(Ability::Fires, Fate::Lost("the agent has no such event"))];
    };
    let (supports, spec) = (row.supports, kind.spec());
    let mut fates = Vec::new();
    if matches!(spec.decision, DecisionModel::Permission | DecisionModel::PermissionRequest) {
        fates.push((Ability::Deny, kept_or(supports.refusal, Fate::Lost("the agent makes the call"))));
        let denial = Fate::Weakened("a denial that names the corrected input");
        fates.push((Ability::Rewrite, kept_or(supports.rewrite, denial)));
    }
    if matches!(spec.decision, DecisionModel::Block | DecisionModel::Task) {
        fates.push((Ability::Block, block(supports)));
    }
    if spec.decision == DecisionModel::Permission {
        fates.push((Ability::Ask, ask(supports.ask)));
    }
    if spec.has_output("additionalContext") {
        fates.push((Ability::Context, kept_or(supports.context, context(dialect, kind))));
    }
    if spec.honours.stop {
        fates.push((Ability::Stop, kept_or(supports.stop, stop(kind, supports))));
    }
    if spec.honours.system_message {
        let stderr = Fate::Weakened("a line on the stderr of the hook");
        fates.push((Ability::Message, kept_or(supports.message, stderr)));
    }
    if spec.has_output("updatedToolOutput") {
        let original = Fate::Lost("the model reads the original");
        fates.push((Ability::Output, kept_or(supports.output != OutputForm::None, original)));
    }
    fates
}

/// Returns the fate of `continue: false` on an event on which the agent does not accept it.
fn stop(kind: EventKind, supports: AnswerSupport) -> Fate {
    let is_call =
        matches!(kind.spec().decision, DecisionModel::Permission | DecisionModel::PermissionRequest);
    match (supports.refusal, supports.context) {
        // Without an answer the turn ends.
        _ if ends_turn(kind) => Fate::Kept,
        (true, _) if is_call => Fate::Weakened("a denial of the call"),
        (true, _) => Fate::Weakened("a block"),
        (false, true) => Fate::Weakened("text for the model"),
        (false, false) => Fate::Lost("the agent goes on"),
    }
}

fn kept_or(is_kept: bool, otherwise: Fate) -> Fate {
    if is_kept { Fate::Kept } else { otherwise }
}

fn block(supports: AnswerSupport) -> Fate {
    match (supports.refusal, supports.context) {
        (true, _) => Fate::Kept,
        (false, true) => Fate::Weakened("text for the model"),
        (false, false) => Fate::Lost("the agent ignores it"),
    }
}

fn ask(form: AskForm) -> Fate {
    match form {
        AskForm::Kept | AskForm::KeptWithRewrite => Fate::Kept,
        AskForm::EndsRun => Fate::Weakened("a denial with the reason, unless `--asks pass`"),
        AskForm::None => Fate::Weakened("a denial with the reason"),
    }
}

/// Returns the fate of context that the agent does not accept on its own event.
fn context(dialect: &Dialect, kind: EventKind) -> Fate {
    let after = dialect.row_of(EventKind::PostToolUse).is_some_and(|after| after.supports.context);
    match kind == EventKind::PreToolUse && after {
        true => Fate::Weakened("text beside the result of the call"),
        false => Fate::Lost("the agent takes none"),
    }
}
