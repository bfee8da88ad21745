//! What an agent keeps, weakens and loses of the answers of a hook, by its table: the same decisions as in `answer`, in
//! words.

use crate::{AskForm, Dialect};
use becket_model::EventKind;
use becket_model::table::DecisionModel;

/// A part of a hook's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ability {
    /// The hook runs at all.
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
        }
    }
}

/// What becomes of an ability.
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
    let (takes, spec) = (row.takes, kind.spec());
    let kept = |is_kept: bool, otherwise: Fate| if is_kept { Fate::Kept } else { otherwise };
    let mut fates = Vec::new();
    match spec.decision {
        DecisionModel::Permission | DecisionModel::PermissionRequest => {
            fates.push((Ability::Deny, kept(takes.refusal, Fate::Lost("the agent makes the call"))));
            let becomes_rewrite = Fate::Weakened("a denial that names the corrected input");
            fates.push((Ability::Rewrite, kept(takes.rewrite, becomes_rewrite)));
        }
        DecisionModel::Block | DecisionModel::Task => {
            let otherwise = match takes.context {
                true => Fate::Weakened("text for the model"),
                false => Fate::Lost("the agent ignores it"),
            };
            fates.push((Ability::Block, kept(takes.refusal, otherwise)));
        }
        DecisionModel::None
        | DecisionModel::Context
        | DecisionModel::Retry
        | DecisionModel::ContinueOnly
        | DecisionModel::Display
        | DecisionModel::Path
        | DecisionModel::Elicitation => {}
    }
    if spec.decision == DecisionModel::Permission {
        fates.push((
            Ability::Ask,
            match takes.ask {
                AskForm::Kept | AskForm::KeptWithRewrite => Fate::Kept,
                AskForm::EndsRun => Fate::Weakened("a denial with the reason, unless `--asks pass`"),
                AskForm::None => Fate::Weakened("a denial with the reason"),
            },
        ));
    }
    if spec.has_output("additionalContext") {
        let after = dialect.row_of(EventKind::PostToolUse).is_some_and(|after| after.takes.context);
        let otherwise = match kind == EventKind::PreToolUse && after {
            true => Fate::Weakened("text beside the result of the call"),
            false => Fate::Lost("the agent takes none"),
        };
        fates.push((Ability::Context, kept(takes.context, otherwise)));
    }
    if spec.honours.stop {
        let otherwise = match spec.decision == DecisionModel::Permission {
            true => Fate::Weakened("a denial of the call"),
            false => Fate::Lost("the agent goes on"),
        };
        fates.push((Ability::Stop, kept(takes.stop, otherwise)));
    }
    if spec.honours.system_message {
        fates.push((
            Ability::Message,
            kept(takes.message, Fate::Weakened("a line on the stderr of the hook")),
        ));
    }
    fates
}
