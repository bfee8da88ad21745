//! The prompts that have started and ended, so that a task knows whether its turn is over, even if it runs late.

use becket_model::PromptId;
use std::collections::VecDeque;
use tokio::sync::watch;

/// The number of ended prompts whose ids are kept: a task that runs even later reports nothing.
const KNOWN: usize = 64;

/// The prompts. Cheap to clone; all clones are the same.
#[derive(Debug, Clone)]
pub(super) struct PromptProgress(watch::Sender<PromptCounts>);

#[derive(Debug, Clone, Default)]
struct PromptCounts {
    started: u64,
    ended: u64,
    /// The last ended prompts; `None` for those without a request to the model.
    last: VecDeque<Option<PromptId>>,
}

impl Default for PromptProgress {
    fn default() -> Self {
        PromptProgress(watch::Sender::new(PromptCounts::default()))
    }
}

impl PromptProgress {
    /// Records the start of a prompt.
    pub(super) fn started(&self) {
        self.0.send_modify(|seen| seen.started += 1);
    }

    /// Records that the result of a prompt was reported.
    pub(super) fn ended(&self, prompt: Option<PromptId>) {
        self.0.send_modify(|seen| {
            seen.ended += 1;
            if seen.last.len() == KNOWN {
                seen.last.pop_front();
            }
            seen.last.push_back(prompt);
        });
    }

    /// Returns true if no other prompt has ended before this one.
    pub(super) fn is_first(&self, prompt: &PromptId) -> bool {
        let seen = self.0.borrow();
        let at = seen.last.iter().position(|known| known.as_ref() == Some(prompt));
        let before = at.map_or(seen.ended, |at| seen.ended - seen.last.len() as u64 + at as u64);
        before == 0
    }

    /// Waits until this prompt has ended. Returns true if no other has started by then.
    pub(super) async fn over(&self, prompt: &PromptId) -> bool {
        let mut news = self.0.subscribe();
        let is_it = |known: &Option<PromptId>| known.as_ref() == Some(prompt);
        // INVARIANT: `self` holds the sender, so the channel can't close while this waits.
        let seen = news.wait_for(|seen| seen.last.iter().any(is_it)).await;
        seen.is_ok_and(|seen| seen.started == seen.ended && seen.last.back().is_some_and(is_it))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: L7
    #[tokio::test]
    async fn a_turn_is_over_with_its_result_and_not_any_more_once_another_has_begun() {
        let (pulse, one, two) =
            (PromptProgress::default(), PromptId::from("one".to_owned()), PromptId::from("two".to_owned()));
        pulse.started();
        assert!(pulse.is_first(&one));
        let waits = pulse.over(&one);
        tokio::pin!(waits);
        assert!(futures_util::poll!(&mut waits).is_pending());
        pulse.ended(Some(one.clone()));
        assert!(waits.await && pulse.is_first(&one));
        assert!(!pulse.is_first(&two));
        pulse.started();
        assert!(!pulse.over(&one).await);
        pulse.ended(None);
        assert!(!pulse.over(&one).await, "a command has come in between");
        pulse.started();
        pulse.ended(Some(two.clone()));
        assert!(pulse.over(&two).await && !pulse.is_first(&two));
    }
}
