//! The services that a host may offer to servers: answers to their questions, a model, its directories.
//!
//! A host that offers nothing is `()`: capabilities that are not offered are not announced, and refused if a server
//! requests them anyway.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use becket_process::CancellationToken;
use serde_json::{Map, Value};

/// A host of servers. Each method is called from tasks of connections, possibly concurrently.
pub trait Host: Send + Sync + 'static {
    /// Returns the capabilities that are announced to servers; no others are used.
    fn offers(&self) -> Offers {
        Offers::default()
    }

    /// Answers a question of a server (`protocol.md` X6). The clock of its call pauses meanwhile; `cancel` fires when
    /// the answer is no longer needed.
    fn elicit<'a>(
        &'a self,
        server: &'a str,
        asked: Elicitation,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, ElicitationAnswer> {
        let _ = (server, asked, cancel);
        Box::pin(std::future::ready(ElicitationAnswer::Decline))
    }

    /// Samples a model for a server (`sampling/createMessage`): parameters and result as in the protocol.
    ///
    /// # Errors
    /// Returns the refusal, with a message for the server.
    fn sample<'a>(
        &'a self,
        server: &'a str,
        request: Map<String, Value>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Map<String, Value>, String>> {
        let _ = (server, request, cancel);
        Box::pin(std::future::ready(Err("this host provides no model".to_owned())))
    }

    /// Returns the directories that the host works in, as `file:` URIs with names.
    fn roots<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Vec<Root>> {
        let _ = server;
        Box::pin(std::future::ready(Vec::new()))
    }

    /// Handles a server's notification that the user has finished at an address
    /// (`notifications/elicitation/complete`);
    /// `id` is the id of its question, and may be unknown. Must not block.
    fn completed(&self, server: &str, id: &str) {
        let _ = (server, id);
    }

    /// Handles the progress of a call. Must not block.
    fn progress(&self, server: &str, progress: Progress) {
        let _ = (server, progress);
    }

    /// Handles a log message of a server. Must not block.
    fn log(&self, server: &str, logged: LogMessage) {
        let _ = (server, logged);
    }
}

impl Host for () {}

/// A boxed future of a host's service.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The capabilities that a host announces to servers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Offers {
    /// True if the host fills in forms.
    pub form: bool,
    /// True if the host opens addresses for its user.
    pub url: bool,
    /// True if the host offers a model.
    pub sampling: bool,
    /// True if the host names its directories.
    pub roots: bool,
}

/// A question of a server to the user (`protocol.md` X6).
#[derive(Debug, Clone, PartialEq)]
pub enum Elicitation {
    /// A form to fill in.
    Form {
        /// A message, in the server's words.
        message: String,
        /// The fields: a flat JSON Schema of an object, unchanged.
        schema: Map<String, Value>,
    },
    /// An address to visit.
    Url {
        /// A message, in the server's words.
        message: String,
        /// The complete address.
        url: String,
        /// The server's id of this question.
        id: String,
    },
}

/// The outcome of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitationAnswer {
    /// The user accepted, with the fields of the form.
    Accept(Map<String, Value>),
    /// The user declined.
    Decline,
    /// The user cancelled without a decision.
    Cancel,
}

/// A directory that the host works in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// A `file:` URI.
    pub uri: String,
    /// The name of the directory.
    pub name: Option<String>,
}

/// The progress of a call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The tool that was called.
    pub tool: String,
    /// The amount done.
    pub done: f64,
    /// The total amount, if it is known.
    pub total: Option<f64>,
    /// A description.
    pub message: Option<String>,
}

/// A listener to the progress of one call, for hosts that pass it on to the caller
/// ([`crate::Pool::call_with_progress`]).
#[derive(Clone)]
pub struct ProgressListener(Arc<dyn Fn(&Progress) + Send + Sync>);

impl ProgressListener {
    /// Creates a listener. It must not block.
    pub fn new(hear: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }

    pub(crate) fn notify(&self, progress: &Progress) {
        (self.0)(progress);
    }
}

impl fmt::Debug for ProgressListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgressListener").finish_non_exhaustive()
    }
}

/// A log message of a server.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LogMessage {
    /// `debug`, `info`, `warning`, `error`, or another level of the protocol.
    pub level: String,
    /// The part of the server that logged it.
    pub logger: Option<String>,
    /// The content.
    pub data: Value,
}
