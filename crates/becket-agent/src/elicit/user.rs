//! The user who answers the questions of servers.

use becket_engine::CancellationToken;
use becket_mcp::elicitation::{Address, FieldError, Form};
use becket_mcp::{Elicitation, ElicitationAnswer};
use futures_util::future::BoxFuture;

/// A user who answers the questions of servers: one at a time, in the order of arrival.
pub trait ElicitUser: Send + Sync {
    /// Asks the user, and returns the answer. `cancel` is cancelled once the answer is no longer wanted; the future is
    /// dropped at the same moment. A panic cancels the question.
    fn answer<'a>(
        &'a self,
        question: &'a UserQuestion,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, ElicitationAnswer>;
}

/// A question for the user.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct UserQuestion {
    /// The server that asks; must always be shown.
    pub server: String,
    /// The message, in the server's words, not the host's.
    pub message: String,
    /// The form or address that the server asks for.
    pub wanted: ElicitationRequest,
    /// The original question, for hosts that forward it.
    pub asked: Elicitation,
    /// The errors in the previous answer; empty if the question is new.
    pub wrong: Vec<FieldError>,
}

/// The kinds of requests that a server makes to a user.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitationRequest {
    /// A form to be filled in.
    Form(Form),
    /// A visit to an address, which must be shown in full, with its host and its warnings; accepting means that the
    /// user has opened it.
    Visit(Address),
}
