//! Becket as the one hook of an agent with a dialect of its own (`fire --dialect`): the input, and the refusal if
//! there is no answer.
//!
//! INVARIANT: exactly one answer is written, in the agent's form. Every failure on an event that can be blocked is a
//! refusal, including an unknown name of a dialect.

mod mcp_servers;
mod payload_run;
pub(crate) mod unknown_tool;

pub use payload_run::{IncomingPayload, PayloadDecision, PayloadOptions, PayloadRun};

use crate::{ENDED, FiringError, NO_ANSWER, ProcessContext};
use becket_base::suggest;
use becket_base::text::visible;
use becket_dialects::{ALL, Answer, Dialect, detect, dialect, refuse};
use becket_model::table::OnFailureEffect;
use serde_json::Value;
use std::ffi::OsString;

/// The name for a dialect that is recognised by the input.
const AUTO: &str = "auto";

/// The input of a hook, and the dialect as soon as it is known.
#[derive(Debug, Default)]
pub struct DialectInput {
    payload: Value,
    dialect: Option<&'static Dialect>,
}

impl DialectInput {
    /// Creates input that is not read yet: even then a refusal is in the form of the named agent.
    pub fn unread(name: &str) -> Self {
        DialectInput { payload: Value::Null, dialect: dialect(name) }
    }

    /// Returns the payload; null as long as it is not read.
    pub fn payload(&self) -> &Value {
        &self.payload
    }

    /// Reads the payload.
    ///
    /// # Errors
    /// Errors if the input is not JSON.
    pub fn read(&mut self, bytes: &[u8]) -> Result<(), FiringError> {
        // A byte-order mark is not part of the JSON.
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        self.payload =
            serde_json::from_slice(text).map_err(|error| FiringError::Payload { why: error.to_string() })?;
        Ok(())
    }

    /// Returns the dialect with this name, which may be `auto`.
    ///
    /// # Errors
    /// Errors if there is no such dialect, if the input is not that of exactly one agent, or if it is that of another
    /// one.
    pub fn recognise(
        &mut self,
        name: &str,
        process: &ProcessContext,
    ) -> Result<&'static Dialect, FiringError> {
        let detected = || detect(&self.payload, |variable| process.var(variable).is_some());
        if name == AUTO {
            let found = detected().map_err(|error| FiringError::Payload { why: error.to_string() })?;
            self.dialect = Some(found);
            return Ok(found);
        }
        let Some(given) = dialect(name) else {
            // An unknown name is refused in the form of the agent that the input comes from.
            self.dialect = detected().ok();
            return find(name);
        };
        let other = self.other_agent(given, process);
        self.dialect = other.or(Some(given));
        match other {
            Some(other) => Err(FiringError::OtherDialect {
                title: given.title,
                name: given.name,
                other: other.title,
                other_name: other.name,
            }),
            None => Ok(given),
        }
    }

    /// Returns the agent that a payload comes from, if it is another one than the entry names and waits for a decision:
    /// it would not understand the answer.
    fn other_agent(&self, given: &Dialect, process: &ProcessContext) -> Option<&'static Dialect> {
        let is_readable = given
            .event_name(&self.payload)
            .is_some_and(|name| given.event(name).is_some() || given.informative.contains(&name));
        // A variable may be that of an outer agent: it counts only for a payload that can't be read.
        let found = detect(&self.payload, |name| !is_readable && process.var(name).is_some()).ok()?;
        (found.name != given.name && waits(found, &self.payload)).then_some(found)
    }

    /// Returns the answer if a signal ends the process; an entry of `becket install` turns its code into a refusal.
    pub fn answer_to_signal(&self, is_installed: bool) -> Answer {
        if is_installed { Answer { exit: NO_ANSWER, ..Answer::default() } } else { self.refusal(ENDED) }
    }

    /// Returns the refusal in the form of the agent, as far as it is known.
    pub fn refusal(&self, why: &str) -> Answer {
        let reason = format!("becket can't run the hooks, so this is refused: {}", visible(why));
        match self.dialect {
            Some(dialect) => refuse(dialect, &self.payload, &reason),
            // The form that most agents understand.
            None => Answer { exit: 2, stderr: format!("{reason}\n"), ..Answer::default() },
        }
    }
}

/// Returns true if an agent waits for a decision about the event of a payload.
fn waits(dialect: &Dialect, payload: &Value) -> bool {
    let Some(name) = dialect.event_name(payload) else { return true };
    match dialect.event(name) {
        Some(row) => row.kind.spec().on_failure == OnFailureEffect::Block,
        None => !dialect.informative.contains(&name),
    }
}

/// Returns the refusal in the form of the agent that some bytes come from; `None` if they are the input of no agent.
pub fn refusal_of_agent(bytes: &[u8], process: &ProcessContext, why: &str) -> Option<Answer> {
    let mut input = DialectInput::default();
    input.read(bytes).ok()?;
    input.recognise(AUTO, process).ok()?;
    Some(input.refusal(why))
}

/// Returns the name of the dialect in arguments that may otherwise be wrong.
pub fn name_in(arguments: &[OsString]) -> Option<String> {
    const OPTION: &str = "--dialect";
    let mut words = arguments.iter().map(|argument| argument.to_string_lossy());
    let option = words.find(|word| word.split('=').next() == Some(OPTION))?;
    match option.split_once('=') {
        Some((_, name)) => Some(name.to_owned()),
        None => Some(words.next().unwrap_or_default().into_owned()),
    }
}

/// Returns the dialect with this name.
///
/// # Errors
/// Errors with [`FiringError::UnknownDialect`] if there is none.
pub fn find(name: &str) -> Result<&'static Dialect, FiringError> {
    dialect(name).ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|dialect| dialect.name).chain([AUTO]).collect();
        FiringError::UnknownDialect {
            name: name.to_owned(),
            near: suggest(name, &names).map(str::to_owned),
            all: names.join(", "),
        }
    })
}

/// Checks the major version for which `install` has written an entry.
///
/// # Errors
/// Errors with [`FiringError::OtherVersion`] if it is another one.
pub fn check_version(installed: Option<&str>) -> Result<(), FiringError> {
    match installed.filter(|major| *major != env!("CARGO_PKG_VERSION_MAJOR")) {
        Some(major) => Err(FiringError::OtherVersion { installed: major.to_owned() }),
        None => Ok(()),
    }
}
