//! The user who answers servers.

use becket_engine::CancellationToken;
use becket_mcp::elicitation::{Address, FieldError, Form};
use becket_mcp::{Elicitation, ElicitationAnswer};
use futures_util::future::BoxFuture;

/// A user who answers the questions of servers: one at a time, in the order in which they came.
pub trait ElicitUser: Send + Sync {
    /// The answer. `cancel` is cancelled once it is not wanted any more; the future is dropped at the same moment. A panic
    /// in here cancels the question.
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
    /// The server that asks; always to be shown.
    pub server: String,
    /// Its words. They are the server's, not the host's.
    pub message: String,
    /// The form or address that the server asks for.
    pub wanted: ElicitationRequest,
    /// The question as it came, for hosts that hand it on.
    pub asked: Elicitation,
    /// Errors of the previous answer; empty if the question is new.
    pub wrong: Vec<FieldError>,
}

/// The kinds of requests that a server makes of a user.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitationRequest {
    /// A form to be filled in.
    Form(Form),
    /// A visit to an address, which is to be shown whole, with its host and its warnings; accepting means having opened
    /// it.
    Visit(Address),
}
