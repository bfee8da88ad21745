//! The outcome of a server's question.

use becket_engine::Outcome;
use becket_mcp::{Elicitation, ElicitationAnswer};
use std::fmt;

/// A question and its answer, for the user and for traces.
#[derive(Clone)]
pub struct ElicitationRecord {
    /// The server that asked.
    pub server: String,
    /// The question.
    pub asked: Elicitation,
    /// The answer to the server.
    pub answer: ElicitationAnswer,
    /// The origin of the answer.
    pub by: AnsweredBy,
    /// The answers that did not count, with the reasons; each must be shown to the user.
    pub failures: Vec<String>,
    /// Outcomes of Elicitation and ElicitationResult, if they were fired.
    pub outcomes: Vec<Outcome>,
    /// Set if the user has answered, even if that answer was not used.
    pub(super) has_heard_user: bool,
}

impl ElicitationRecord {
    /// Creates the record of a question without an answer.
    pub(super) fn open(server: &str, asked: &Elicitation) -> Self {
        Self {
            server: server.to_owned(),
            asked: asked.clone(),
            answer: ElicitationAnswer::Cancel,
            by: AnsweredBy::Nobody,
            failures: Vec::new(),
            outcomes: Vec::new(),
            has_heard_user: false,
        }
    }

    /// Returns the record of a question that is not asked because the server has too many open ones.
    pub(super) fn too_many(server: &str, asked: &Elicitation) -> Self {
        let why =
            format!("a question of the server `{server}` was cancelled: too many of its questions are open");
        Self { failures: vec![why], ..Self::open(server, asked) }
    }
}

/// The origin of an answer to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AnsweredBy {
    /// An Elicitation hook, or an ElicitationResult hook that changed the user's answer.
    Hook,
    /// The user.
    User,
    /// No one: there was no user, or no answer came in time.
    Nobody,
    /// No one: the question can't be shown.
    Refused,
}

/// The content of an answer may be secret: only its action is shown.
impl fmt::Debug for ElicitationRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Elicited")
            .field("server", &self.server)
            .field("asked", &self.asked)
            .field("answer", &self.answer.action())
            .field("by", &self.by)
            .field("failures", &self.failures)
            .finish_non_exhaustive()
    }
}
