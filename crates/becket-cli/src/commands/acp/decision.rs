//! Combines the decisions about the parts of a call into one. Pure.

use crate::hook_gate::CallResolution;
use becket_dialects::Action;
use serde_json::Value;

/// The decision about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallDecision {
    /// The call does not run.
    Reject { reason: String },
    /// The user is asked, and no hook answers instead.
    Ask { reason: String },
    /// The call runs without a question.
    Allow,
    /// No hook or rule has decided: the user is asked, if the agent asks.
    Open,
}

impl CallDecision {
    /// Returns the strictest of the parts; a call without parts is open.
    pub(super) fn of(parts: &[CallResolution]) -> Self {
        let refused = parts.iter().filter_map(|part| match &part.resolution.action {
            Action::Refuse { reason } => Some(with_context(reason, part)),
            Action::Proceed | Action::Allow | Action::Ask { .. } => None,
        });
        let refused: Vec<String> = refused.collect();
        if !refused.is_empty() {
            return CallDecision::Reject { reason: refused.join("\n") };
        }
        if let Some(input) = parts.iter().find_map(|part| part.resolution.rewrite.clone()) {
            let hint = Value::Object(input);
            return CallDecision::Reject {
                reason: format!("a hook of this project rewrites this call; make this one instead: {hint}"),
            };
        }
        let asks = parts.iter().filter_map(|part| match &part.resolution.action {
            Action::Ask { reason } => Some(reason.clone()),
            Action::Proceed | Action::Allow | Action::Refuse { .. } => None,
        });
        let asks: Vec<String> = asks.collect();
        if !asks.is_empty() {
            return CallDecision::Ask { reason: asks.join("\n") };
        }
        let is_allowed = !parts.is_empty() && parts.iter().all(|part| part.is_allowed);
        if is_allowed { CallDecision::Allow } else { CallDecision::Open }
    }
}

fn with_context(reason: &str, part: &CallResolution) -> String {
    let context = part.resolution.context.iter().map(String::as_str);
    std::iter::once(reason).chain(context).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_dialects::Resolution;

    fn part(action: Action, is_allowed: bool) -> CallResolution {
        CallResolution { resolution: Resolution { action, ..Resolution::default() }, is_allowed }
    }

    // rule: D2
    #[test]
    fn the_strictest_part_decides() {
        let (refuse, ask) = (Action::Refuse { reason: "no".into() }, Action::Ask { reason: "hm".into() });
        let reject = CallDecision::Reject { reason: "no".to_owned() };
        let asks = CallDecision::Ask { reason: "hm".to_owned() };
        for (parts, expected) in [
            (vec![part(Action::Allow, true), part(refuse.clone(), false)], reject.clone()),
            (vec![part(ask.clone(), false), part(refuse, false)], reject),
            (vec![part(Action::Allow, true), part(ask, false)], asks),
            (vec![part(Action::Allow, true), part(Action::Proceed, true)], CallDecision::Allow),
            (vec![part(Action::Allow, true), part(Action::Proceed, false)], CallDecision::Open),
            (vec![], CallDecision::Open),
        ] {
            assert_eq!(CallDecision::of(&parts), expected);
        }
        let mut rewritten = part(Action::Allow, true);
        rewritten.resolution.rewrite =
            Some(serde_json::Map::from_iter([("command".to_owned(), "ls".into())]));
        let decision = CallDecision::of(&[rewritten]);
        assert!(
            matches!(decision, CallDecision::Reject { reason } if reason.contains(r#"{"command":"ls"}"#))
        );
    }
}
