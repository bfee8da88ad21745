//! The mode `auto` of a session: its classifier, the classifier's context, and the number of denials.
//!
//! INVARIANT: the memory used is limited.

use super::classifier::{Classification, Classifier, ToClassify};
use becket_engine::{CancellationToken, catch_panic};
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The number of the user's prompts that a classifier sees.
const PROMPTS: usize = 5;
/// The maximum number of characters of each.
const LONGEST_PROMPT: usize = 4_000;
/// The maximum number of characters of all notes together (D11).
const NOTES: usize = 2_000;
/// The number of denials in a row that end a turn without a person.
const IN_A_ROW: u32 = 3;
/// The total number of denials that end a turn.
const IN_ALL: u32 = 20;
/// The time limit for the classifier, if the host sets none.
const LIMIT: Duration = Duration::from_secs(60);

/// The mode `auto` of a session (P14). Cheap to clone; all clones belong to the same session.
#[derive(Clone)]
pub struct AutoMode {
    classifier: Arc<dyn Classifier>,
    limit: Duration,
    memory: Arc<Mutex<Memory>>,
}

#[derive(Debug, Default)]
struct Memory {
    prompts: VecDeque<String>,
    notes: VecDeque<String>,
    denied_in_a_row: u32,
    denied_in_all: u32,
}

/// The result of asking the classifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ClassifierDecision {
    Allow,
    Deny(String),
    Unsure(String),
    /// The classifier failed.
    Failed(String),
}

impl AutoMode {
    /// Creates the mode `auto` with this classifier.
    #[must_use]
    pub fn new(classifier: impl Classifier + 'static) -> Self {
        Self { classifier: Arc::new(classifier), limit: LIMIT, memory: Arc::default() }
    }

    /// Sets the time limit for the classifier; 60 s by default.
    #[must_use]
    pub fn with_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Adds the user's next prompt: the classifier sees the last five, truncated to 4,000 characters each. Resets the
    /// count of denials, since a person has seen where the last turn ended.
    pub fn user_said(&self, prompt: &str) {
        self.change(|memory| {
            memory.denied_in_a_row = 0;
            memory.denied_in_all = 0;
            memory.prompts.push_back(prompt.chars().take(LONGEST_PROMPT).collect());
            while memory.prompts.len() > PROMPTS {
                memory.prompts.pop_front();
            }
        });
    }

    /// Adds a note of a PostToolUse hook (D11); the last 2,000 characters of all notes are kept.
    pub(crate) fn noted(&self, note: &str) {
        self.change(|memory| {
            memory.notes.push_back(note.chars().take(NOTES).collect());
            let length =
                |notes: &VecDeque<String>| notes.iter().map(|note| note.chars().count()).sum::<usize>();
            while length(&memory.notes) > NOTES {
                memory.notes.pop_front();
            }
        });
    }

    /// Asks the classifier. A failure counts as no decision.
    pub(crate) async fn ask(&self, mut call: ToClassify, cancel: &CancellationToken) -> ClassifierDecision {
        self.change(|memory| {
            call.prompts.extend(memory.prompts.iter().cloned());
            call.notes.extend(memory.notes.iter().cloned());
        });
        let cancel = cancel.child_token();
        let _told_when_dropped = cancel.clone().drop_guard();
        let work = catch_panic(async { self.classifier.classify(&call, &cancel).await });
        let judged = tokio::select! {
            biased;
            () = cancel.cancelled() => return ClassifierDecision::Failed("the call was cancelled".to_owned()),
            judged = tokio::time::timeout(self.limit, work) => judged,
        };
        match judged {
            Ok(Ok(Ok(Classification::Allow))) => {
                self.change(|memory| memory.denied_in_a_row = 0);
                ClassifierDecision::Allow
            }
            Ok(Ok(Ok(Classification::Deny { reason }))) => ClassifierDecision::Deny(reason),
            Ok(Ok(Ok(Classification::Unsure { reason }))) => ClassifierDecision::Unsure(reason),
            Ok(Ok(Err(why))) => ClassifierDecision::Failed(why),
            Ok(Err(said)) => ClassifierDecision::Failed(format!("the classifier panicked: {said}")),
            Err(_) => {
                ClassifierDecision::Failed(format!("it took longer than {} s", self.limit.as_secs_f64()))
            }
        }
    }

    /// Counts a denial; returns the number of denials if it ends a turn without a person.
    pub(crate) fn denied(&self) -> Option<u32> {
        self.change(|memory| {
            memory.denied_in_a_row += 1;
            memory.denied_in_all += 1;
            let row = (memory.denied_in_a_row >= IN_A_ROW).then_some(memory.denied_in_a_row);
            row.or((memory.denied_in_all >= IN_ALL).then_some(memory.denied_in_all))
        })
    }

    fn change<T>(&self, change: impl FnOnce(&mut Memory) -> T) -> T {
        change(&mut self.memory.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for AutoMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AutoMode").field("limit", &self.limit).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::BoxFuture;

    struct Never;

    impl Classifier for Never {
        fn classify<'a>(
            &'a self,
            _: &'a ToClassify,
            _: &'a CancellationToken,
        ) -> BoxFuture<'a, Result<Classification, String>> {
            Box::pin(std::future::pending())
        }
    }

    // rule: P14
    #[test]
    fn denials_are_counted_in_a_row_and_in_all_until_the_user_speaks() {
        let auto = AutoMode::new(Never);
        assert_eq!([auto.denied(), auto.denied(), auto.denied()], [None, None, Some(3)]);
        auto.user_said("go on");
        for round in 0..9 {
            assert_eq!([auto.denied(), auto.denied()], [None, None], "{round}");
            auto.change(|memory| memory.denied_in_a_row = 0);
        }
        assert_eq!([auto.denied(), auto.denied()], [None, Some(20)]);
        auto.user_said("go on");
        assert_eq!(auto.denied(), None);
    }

    // rules: P14, D11
    #[test]
    fn what_is_remembered_is_bounded() {
        let auto = AutoMode::new(Never);
        for number in 0..10 {
            auto.user_said(&format!("{number}{}", "é".repeat(10_000)));
            auto.noted(&format!("{number}{}", "é".repeat(900)));
        }
        auto.change(|memory| {
            assert_eq!(memory.prompts.len(), PROMPTS);
            assert!(memory.prompts.iter().all(|prompt| prompt.chars().count() == LONGEST_PROMPT));
            assert!(memory.prompts[0].starts_with('5'));
            let starts: String = memory.notes.iter().filter_map(|note| note.chars().next()).collect();
            assert_eq!(starts, "89");
        });
    }

    // rule: P14
    #[tokio::test(start_paused = true)]
    async fn a_classifier_that_never_answers_is_given_up() {
        let auto = AutoMode::new(Never).with_limit(Duration::from_secs(5));
        let call = ToClassify {
            tool: "Bash".into(),
            input: serde_json::Map::new(),
            cwd: "/".into(),
            directories: Vec::new(),
            prompts: Vec::new(),
            notes: Vec::new(),
        };
        let ruling = auto.ask(call, &CancellationToken::new()).await;
        assert_eq!(ruling, ClassifierDecision::Failed("it took longer than 5 s".into()));
    }
}
