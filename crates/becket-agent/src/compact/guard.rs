//! A turn's record of its compactions, so that none is retried endlessly (`protocol.md` L5).

/// Decides whether a turn may compact again. It survives a continuation by a Stop hook, and ends with the turn.
///
/// ```
/// use becket_agent::compact::{GaveUp, Guard};
///
/// let mut guard = Guard::default();
/// assert_eq!(guard.may_try(), Ok(()));
/// guard.failed();
/// assert_eq!(guard.may_try(), Err(GaveUp::Failed));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guard {
    seen: LastAttempt,
}

/// The result of the last attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum LastAttempt {
    /// There was no attempt, or the model has answered since.
    #[default]
    Nothing,
    /// It succeeded, and the model has not answered since.
    Compacted,
    /// It failed, or a hook forbade it.
    Failed,
}

/// The reason why a turn does not compact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GaveUp {
    /// A compaction of this turn failed, or a hook forbade it.
    #[error("a compaction in this turn has already failed")]
    Failed,
    /// The conversation was just compacted, and is still too long.
    #[error("the conversation was compacted just now, and is still too long")]
    StillTooLong,
}

impl Guard {
    /// Checks whether a compaction may be tried, before PreCompact is fired.
    ///
    /// # Errors
    /// Errors with the reason why it would not help.
    pub fn may_try(&self) -> Result<(), GaveUp> {
        match self.seen {
            LastAttempt::Nothing => Ok(()),
            LastAttempt::Compacted => Err(GaveUp::StillTooLong),
            LastAttempt::Failed => Err(GaveUp::Failed),
        }
    }

    /// Records that the conversation was replaced by its summary.
    pub fn compacted(&mut self) {
        self.seen = LastAttempt::Compacted;
    }

    /// Records that there is no summary, or that a hook forbade it.
    pub fn failed(&mut self) {
        self.seen = LastAttempt::Failed;
    }

    /// Records that the model has answered a request of the turn.
    pub fn answered(&mut self) {
        if self.seen == LastAttempt::Compacted {
            self.seen = LastAttempt::Nothing;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: L5
    #[test]
    fn what_failed_is_not_tried_again_in_its_turn() {
        let mut guard = Guard::default();
        guard.failed();
        guard.answered();
        assert_eq!(guard.may_try(), Err(GaveUp::Failed), "an answer in between changes nothing");
        assert_eq!(Guard::default().may_try(), Ok(()), "the next turn may");
    }

    // rule: L5
    #[test]
    fn a_summary_that_is_too_long_itself_ends_it() {
        let mut guard = Guard::default();
        guard.compacted();
        assert_eq!(guard.may_try(), Err(GaveUp::StillTooLong));
        guard.answered();
        assert_eq!(guard.may_try(), Ok(()), "a long turn compacts as often as it fills up");
    }
}
