//! The answer of a guard that can't be asked, which must not look like one that has nothing to say.

use becket_base::text::visible;
use becket_model::EventKind;
use becket_model::table::OnFailureEffect;

/// The exit code that is not one of an answer: `becket exec` has run nothing, or an entry of `becket install` has to refuse in
/// the form of its agent.
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
    /// Holds the event back if it can be; `event` is `None` if it can't be told which it is, which holds back as well.
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

    /// Reports an error that holds nothing back: an exit code of 2 would.
    #[must_use]
    pub fn of_nothing(why: &str) -> Self {
        Refusal { exit: 1, stderr: format!("becket: {}\n", visible(why)) }
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
