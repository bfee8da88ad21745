//! Redaction of secrets that were sent to a server: they are removed from server text in errors and states.
//!
//! Servers quote what they receive: an error page that shows all headers, "invalid key `sk-…`".
//!
//! The answer of a tool is not redacted, nor is a [`Challenge`](crate::Challenge), which a login has to parse
//! unchanged; a challenge is not shown at all.

use std::ffi::OsString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::live::OperationError;
use super::target::Target;
use crate::auth::{HeaderAttempt, HeaderSource, Headers, NoHeaders};
use crate::connect_error::ConnectError;
use crate::fault::{Fault, ServerOutput};
use crate::host::BoxFuture;
use becket_base::secret::{Redactor, is_secret_variable};

/// The minimum length of a variable's value that counts as secret: `true` and `none` do not.
const SHORTEST_VALUE: usize = 6;

/// The secrets of one connection. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct ConnectionRedactor(Arc<Mutex<Redactor>>);

impl ConnectionRedactor {
    /// Collects the values of the variables whose names mark them as secret; other values are often needed to
    /// understand an error.
    pub(super) fn of_variables(variables: &[(OsString, OsString)]) -> Self {
        let is_secret = |name: &OsString| is_secret_variable(&name.to_string_lossy());
        let secret = variables.iter().filter(|(name, _)| is_secret(name));
        let values = secret.map(|(_, value)| value.to_string_lossy().into_owned());
        Self::new(Redactor::new(values.filter(|value| value.len() >= SHORTEST_VALUE)))
    }

    fn new(redactor: Redactor) -> Self {
        Self(Arc::new(Mutex::new(redactor)))
    }

    /// Redacts the secrets in a text.
    pub(super) fn clean(&self, text: &str) -> String {
        self.lock().redact(text)
    }

    pub(super) fn fault(&self, fault: Fault) -> Fault {
        match fault {
            Fault::Unreachable(why) => Fault::Unreachable(self.clean(&why)),
            Fault::Status { status, body } => Fault::Status { status, body: self.clean(&body) },
            Fault::BrokenOff(how) => Fault::BrokenOff(self.clean(&how)),
            Fault::NotMcp(what) => Fault::NotMcp(self.clean(&what)),
            Fault::OtherOrigin(own, other) => Fault::OtherOrigin(own, self.clean(&other)),
            Fault::NotLocal(_)
            | Fault::Spawn(_)
            | Fault::Ended(_)
            | Fault::LineTooLong(_)
            | Fault::Flood(_)
            | Fault::NotReading(_)
            | Fault::StdinClosed
            | Fault::Closed
            | Fault::AuthNeeded(_)
            | Fault::SessionExpired
            | Fault::TooLarge(_)
            | Fault::Headers(_) => fault,
        }
    }

    pub(super) fn output(&self, output: ServerOutput) -> ServerOutput {
        let ServerOutput { stderr, no_message } = output;
        ServerOutput { stderr: self.clean(&stderr), no_message: no_message.map(|line| self.clean(&line)) }
    }

    pub(super) fn failed(&self, failed: OperationError) -> OperationError {
        match failed {
            OperationError::Gone { fault, output, unseen } => {
                OperationError::Gone { fault: self.fault(fault), output: self.output(output), unseen }
            }
            OperationError::Refused { code, message, data } => {
                OperationError::Refused { code, message: self.clean(&message), data }
            }
            OperationError::Unexpected(what) => OperationError::Unexpected(self.clean(&what)),
            OperationError::NoSuchTool(_) | OperationError::TooManyRounds(_) => failed,
        }
    }

    pub(super) fn connect_error(&self, error: ConnectError) -> ConnectError {
        match error {
            ConnectError::NoWay(fault) => ConnectError::NoWay(self.fault(fault)),
            ConnectError::Broken { request, fault, output } => {
                ConnectError::Broken { request, fault: self.fault(fault), output: self.output(output) }
            }
            ConnectError::TimedOut { request, limit, output } => {
                ConnectError::TimedOut { request, limit, output: self.output(output) }
            }
            ConnectError::Refused { request, code, message, output } => ConnectError::Refused {
                request,
                code,
                message: self.clean(&message),
                output: self.output(output),
            },
            ConnectError::Unexpected { request, what, output } => {
                ConnectError::Unexpected { request, what: self.clean(&what), output: self.output(output) }
            }
            ConnectError::Lost { fault, output } => {
                ConnectError::Lost { fault: self.fault(fault), output: self.output(output) }
            }
            ConnectError::Config(_)
            | ConnectError::Disabled(_)
            | ConnectError::NotProvided
            | ConnectError::NoProxy { .. }
            | ConnectError::Spawn(_)
            | ConnectError::NotYet
            | ConnectError::Cancelled => error,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Redactor> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A header source that records the secrets of every header that it returns.
#[derive(Debug)]
struct HeaderRecorder {
    source: Arc<dyn HeaderSource>,
    redactor: ConnectionRedactor,
}

impl HeaderSource for HeaderRecorder {
    fn headers(&self, attempt: HeaderAttempt) -> BoxFuture<'_, Result<Headers, NoHeaders>> {
        Box::pin(async move {
            let headers = self.source.headers(attempt).await?;
            for (_, value) in &headers {
                let value = value.expose().trim();
                self.redactor.lock().add(value);
                // Only the part after `Bearer` is the secret.
                value.split_once(' ').into_iter().for_each(|(_, token)| self.redactor.lock().add(token));
            }
            Ok(headers)
        })
    }
}

impl Target {
    /// Wraps a header source, and records its secrets.
    pub(super) fn watched(self) -> (Self, ConnectionRedactor) {
        let redactor = ConnectionRedactor::new(Redactor::of_url(&self.url));
        let headers = Arc::new(HeaderRecorder { source: self.headers, redactor: redactor.clone() });
        (Self { headers, ..self }, redactor)
    }
}
