//! The answer of a guard that can't run, which must not look like one without a decision.

use becket_base::text::visible;
use becket_dialects::Answer;
use becket_model::EventKind;
use becket_model::table::OnFailureEffect;

/// The exit code that is not one of an answer: `becket exec` has run nothing, or an entry of `becket install` has to
/// refuse in the form of its agent.
pub const NO_ANSWER: u8 = 125;

/// An exit code and its reason for stderr.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    /// 2 if the event is held back, else 1.
    pub exit: u8,
    /// The text for stderr.
    pub stderr: String,
}

impl Refusal {
    /// Blocks the event if that is possible; `event` is `None` if the event is unknown, which blocks as well.
    #[must_use]
    pub fn of(event: Option<EventKind>, why: &str) -> Self {
        match event.is_none_or(|event| event.spec().on_failure == OnFailureEffect::Block) {
            true => Refusal {
                exit: 2,
                stderr: format!("becket can't run the hooks, so the action is blocked: {}\n", visible(why)),
            },
            false => Refusal::of_nothing(why),
        }
    }

    /// Reports an error that blocks nothing: exit code 2 would block.
    #[must_use]
    pub fn of_nothing(why: &str) -> Self {
        Refusal { exit: 1, stderr: format!("becket: {}\n", visible(why)) }
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Self {
        Answer { stderr: refusal.stderr, exit: refusal.exit, ..Answer::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FiringError;

    // rules: O10, H9
    #[test]
    fn a_panic_holds_the_host_back() {
        let ended = FiringError::unless_it_panics::<u8, FiringError>(|| panic!("a bug"));
        let why = ended.expect_err("no answer").to_string();
        for (event, exit) in [(Some(EventKind::PreToolUse), 2), (None, 2), (Some(EventKind::Notification), 1)]
        {
            let refusal = Refusal::of(event, &why);
            assert_eq!(refusal.exit, exit, "{event:?}");
            assert!(refusal.stderr.contains("internal error"), "{refusal:?}");
        }
        assert_eq!(FiringError::unless_it_panics::<u8, FiringError>(|| Ok(0)).expect("an answer"), 0);
    }
}
