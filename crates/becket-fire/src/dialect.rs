//! Becket as the one hook of an agent that has a dialect of its own (`fire --dialect`): the input, and the refusal where
//! there is no answer.
//!
//! INVARIANT: exactly one answer is written, in the agent's form. Every failure on an event that can be held back is a
//! refusal, a name that is not a dialect included.

mod payload_run;
mod unknown_tool;

pub use payload_run::{IncomingPayload, PayloadOptions, PayloadRun};

use crate::{FiringError, ProcessContext};
use becket_base::suggest;
use becket_base::text::visible;
use becket_dialects::{ALL, Answer, Dialect, detect, dialect, refuse};
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
    /// Input that is not read yet: even then a refusal is in the form of the named agent.
    pub fn named(name: &str) -> Self {
        DialectInput { payload: Value::Null, dialect: dialect(name) }
    }

    /// Returns the payload; null as long as it is not read.
    pub fn payload(&self) -> &Value {
        &self.payload
    }

    /// Reads the payload.
    ///
    /// # Errors
    /// Errors if it is not JSON.
    pub fn read(&mut self, bytes: &[u8]) -> Result<(), FiringError> {
        // A byte-order mark is not part of the JSON.
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        self.payload =
            serde_json::from_slice(text).map_err(|error| FiringError::Payload { why: error.to_string() })?;
        Ok(())
    }

    /// Returns the dialect of a name, which may be `auto`.
    ///
    /// # Errors
    /// Errors if there is none of that name, or if the input is not that of exactly one agent.
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
        // An unknown name is refused in the form of the agent that the input comes from.
        self.dialect = dialect(name).or_else(|| detected().ok());
        named(name)
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

/// Returns the name of the dialect in arguments, which may be wrong otherwise.
pub fn name_in(arguments: &[OsString]) -> Option<String> {
    const OPTION: &str = "--dialect";
    let mut words = arguments.iter().map(|argument| argument.to_string_lossy());
    let option = words.find(|word| word.split('=').next() == Some(OPTION))?;
    match option.split_once('=') {
        Some((_, name)) => Some(name.to_owned()),
        None => Some(words.next().unwrap_or_default().into_owned()),
    }
}

/// Returns the dialect of a name.
///
/// # Errors
/// [`FiringError::UnknownDialect`].
pub fn named(name: &str) -> Result<&'static Dialect, FiringError> {
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
/// [`FiringError::OtherVersion`].
pub fn check_version(installed: Option<&str>) -> Result<(), FiringError> {
    match installed.filter(|major| *major != env!("CARGO_PKG_VERSION_MAJOR")) {
        Some(major) => Err(FiringError::OtherVersion { installed: major.to_owned() }),
        None => Ok(()),
    }
}
