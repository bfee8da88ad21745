//! The effect of a model's answer to a `prompt` or `agent` handler (H7, H8).

use super::BLOCKED;
use crate::reply::{DecidedBy, Decision, Notice, Reply, Stop};
use crate::table::{Audience, EventSpec, ModelNotOk};

/// A model's structured answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelAnswer {
    /// The verdict: true if the model agrees.
    pub ok: bool,
    /// The reason for a no.
    pub reason: Option<String>,
    /// The request can't be fulfilled at all: a stopping turn may end anyway.
    pub impossible: bool,
}

/// Turns a model's answer into a reply, as the event's row says.
///
/// `continue_on_block` is the handler's `continueOnBlock`; for an `agent` handler it is always true. A TaskCompleted
/// that a stopping teammate fired is judged with TeammateIdle's row.
pub fn judged(spec: &EventSpec, answer: ModelAnswer, continue_on_block: bool) -> Reply {
    let Some(effect) = spec.model_not_ok.filter(|_| !answer.ok) else {
        return Reply::default();
    };
    let reason = answer.reason.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| BLOCKED.to_owned());
    match effect {
        ModelNotOk::Ignored => Reply::default(),
        ModelNotOk::DenyAndEndTurn if continue_on_block => block(spec, reason),
        ModelNotOk::DenyAndEndTurn => {
            Reply { stop: Some(Stop { reason: Some(reason.clone()) }), ..block(spec, reason) }
        }
        ModelNotOk::EndTurnWithWarning | ModelNotOk::StopTeammate if continue_on_block => block(spec, reason),
        ModelNotOk::EndTurnWithWarning | ModelNotOk::StopTeammate | ModelNotOk::EndTurnAlways => end(reason),
        ModelNotOk::ToolError => block(spec, reason),
        ModelNotOk::ContinueTurnWithReason if answer.impossible => {
            Reply { notices: vec![Notice::new(Audience::User, reason)], ..Reply::default() }
        }
        ModelNotOk::ContinueTurnWithReason => block(spec, reason),
    }
}

fn end(reason: String) -> Reply {
    Reply { stop: Some(Stop { reason: Some(reason) }), ..Reply::default() }
}

fn block(spec: &EventSpec, reason: String) -> Reply {
    Reply { decision: Decision::block(spec, reason, DecidedBy::Answer), ..Reply::default() }
}
