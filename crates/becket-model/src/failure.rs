//! Every way in which a handler can fail to answer, each by name.
//!
//! A failure decides nothing on its own. [`crate::OnFailure`] and the table define its consequence; the verdict always
//! records it.

use std::time::Duration;

/// The reason why a handler gave no usable answer (O10), or ended with a plain error (O4).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Failure {
    /// It could not be started.
    #[error("could not start: {message}")]
    CannotStart {
        /// The reason, and what to do.
        message: String,
    },
    /// A signal ended it.
    #[error("was ended by signal {signal}{}", signal_name(*.signal))]
    Signaled {
        /// The signal's number.
        signal: i32,
    },
    /// The handler ended with a code that shells use when there is no real answer: 126, 127, 255 or 129–192.
    #[error("ended with exit code {code} ({}){}", reserved_exit(*.code), after(.stderr_line))]
    NoVerdictExit {
        /// The code.
        code: i32,
        /// The first line of stderr.
        stderr_line: Option<String>,
    },
    /// It ran out of time.
    #[error("ran out of time after {}", seconds(*.limit))]
    TimedOut {
        /// Its limit.
        limit: Duration,
    },
    /// The host cancelled it.
    #[error("was cancelled")]
    Cancelled,
    /// Its end could not be determined; never counts as success.
    #[error("ended in a way that could not be learnt: {message}")]
    Lost {
        /// The reason.
        message: String,
    },
    /// Its output begins like a JSON object and is not one (O1).
    #[error("printed invalid JSON: {message} at line {line} column {column}")]
    InvalidJson {
        /// The parser's message.
        message: String,
        /// Line in its stdout, from 1.
        line: usize,
        /// Column in that line, from 1.
        column: usize,
    },
    /// A field of its JSON has the wrong type or value (O5).
    #[error("printed JSON with a wrong `{field}`: expected {expected}, got {got}")]
    WrongField {
        /// The field's path, as in `hookSpecificOutput.permissionDecision`.
        field: String,
        /// The values or types that it may have.
        expected: String,
        /// The value or type that it has.
        got: String,
    },
    /// Under `onFailure: "block"`: its output is not one JSON object (O1).
    #[error(
        "printed something other than one JSON object: `{begins}`; print the answer alone, and messages to stderr"
    )]
    NotOneObject {
        /// The beginning of the output, escaped.
        begins: String,
    },
    /// Under `onFailure: "block"`: it printed more than is kept, so its answer is not known (O1).
    #[error("printed more than the {kept} bytes that are kept, so its answer is not known")]
    OutputCut {
        /// The number of bytes that are kept.
        kept: usize,
    },
    /// Under `onFailure: "block"`: its output is not UTF-8 (O1).
    #[error("printed bytes that are not UTF-8, at byte {at}: its answer can't be told for certain")]
    NotUtf8 {
        /// The first byte that is not UTF-8, from 0.
        at: usize,
    },
    /// Under `onFailure: "block"`: a key that decides occurs twice in its answer (O1).
    #[error("answered with `{field}` more than once: write it once")]
    RepeatedKey {
        /// The key's path.
        field: String,
    },
    /// Under `onFailure: "block"`: its answer blocks by a field that has no effect there (O7).
    #[error("answered with `{field}`, which decides nothing there: {help}")]
    Misplaced {
        /// The field's path.
        field: String,
        /// The place where it belongs.
        help: &'static str,
    },
    /// Under `onFailure: "block"`: it printed an answer that refuses to stderr (O10).
    #[error("answered on stderr, which is not read: print the JSON object to stdout")]
    AnswerOnStderr,
    /// Under `onFailure: "block"`: it ended with an error next to an answer that does not block (O10).
    #[error("ended with exit code {code} beside an answer that does not block{}", after(.stderr_line))]
    ExitBesideAnswer {
        /// The code.
        code: i32,
        /// The first line of stderr.
        stderr_line: Option<String>,
    },
    /// Its `hookEventName` is not the event's name (O6).
    #[error(
        "answered for `{got}`, but the event is `{expected}`: set `hookSpecificOutput.hookEventName` to `{expected}`"
    )]
    WrongEvent {
        /// The event.
        expected: &'static str,
        /// The value as written; `nothing` if the field is missing.
        got: String,
    },
    /// It ended with a code other than 0 and 2 and no JSON: a plain error (O4).
    #[error("ended with exit code {code}{}", after(.stderr_line))]
    PlainError {
        /// The code.
        code: i32,
        /// The first line of stderr.
        stderr_line: Option<String>,
    },
    /// WorktreeCreate: it named no path, or one that can't be used.
    #[error("named no usable worktree path: {message}")]
    NoPath {
        /// The error.
        message: String,
    },
    /// Its HTTP request brought no usable answer (H5).
    #[error("its request failed: {message}")]
    Request {
        /// The error; the URL without user name, password and query.
        message: String,
    },
    /// Its MCP tool can't be called, or failed (H6).
    #[error("its MCP tool failed: {message}")]
    McpTool {
        /// The error.
        message: String,
    },
    /// Its model gave no usable answer (H7, H8).
    #[error("its model gave no usable answer: {message}")]
    Model {
        /// The error.
        message: String,
    },
    /// The engine is built without a feature that it needs.
    #[error(
        "needs the feature `{feature}` of `becket-engine`, which this program is built without: enable it"
    )]
    MissingFeature {
        /// The feature.
        feature: &'static str,
    },
    /// The handler asked the user a question without `questions: true` (Q1).
    #[error("asked `{id}` without being allowed to: set `questions: true` on the handler")]
    QuestionNotAsked {
        /// The question's id.
        id: String,
    },
    /// Its event encloses itself, or too many enclose it (H14): it was not started.
    #[error("was not run: {message}")]
    Nested {
        /// The hook that fired the event again, and what to do.
        message: String,
    },
    /// The handler has to be contained and its rights can't be restricted (E5), so it was not started. Always blocks
    /// where a hook can block.
    #[error("was not run, since it can't be contained: {message}")]
    NotContained {
        /// The reason.
        message: String,
    },
    /// The handler's worker gave no recognizable answer.
    #[error("its worker failed: {message}")]
    Worker {
        /// The error.
        message: String,
    },
    /// An in-process handler failed.
    #[error("failed: {message}")]
    Callback {
        /// The message of the host.
        message: String,
    },
}

impl Failure {
    /// Returns whether the action went *unchecked* because of the failure (O10). A plain error is shown too, but is an
    /// answer.
    pub const fn is_unchecked(&self) -> bool {
        match self {
            Failure::PlainError { .. } => false,
            Failure::CannotStart { .. }
            | Failure::Signaled { .. }
            | Failure::NoVerdictExit { .. }
            | Failure::TimedOut { .. }
            | Failure::Cancelled
            | Failure::Lost { .. }
            | Failure::InvalidJson { .. }
            | Failure::WrongField { .. }
            | Failure::NotOneObject { .. }
            | Failure::OutputCut { .. }
            | Failure::NotUtf8 { .. }
            | Failure::RepeatedKey { .. }
            | Failure::Misplaced { .. }
            | Failure::AnswerOnStderr
            | Failure::ExitBesideAnswer { .. }
            | Failure::WrongEvent { .. }
            | Failure::NoPath { .. }
            | Failure::Request { .. }
            | Failure::McpTool { .. }
            | Failure::Model { .. }
            | Failure::MissingFeature { .. }
            | Failure::QuestionNotAsked { .. }
            | Failure::Nested { .. }
            | Failure::NotContained { .. }
            | Failure::Worker { .. }
            | Failure::Callback { .. } => true,
        }
    }
}

fn after(line: &Option<String>) -> String {
    line.as_ref().map(|line| format!(": {line}")).unwrap_or_default()
}

fn seconds(limit: Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}

fn reserved_exit(code: i32) -> &'static str {
    match code {
        126 => "found but not executable",
        127 => "command not found",
        255 => "out of range or lost connection",
        _ => "a signal, as shells report it",
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => " (HUP)",
        2 => " (INT)",
        6 => " (ABRT)",
        9 => " (KILL)",
        11 => " (SEGV)",
        13 => " (PIPE)",
        15 => " (TERM)",
        _ => "",
    }
}
