//! The output and the end of a line, as its leader reports them.

use super::mark::MarkedStream;
use becket_exec::line::{DeniedProgram, Refusal};
use becket_process::{Chunk, End, Stream};
use becket_rules::shell::Line;
use serde_json::{Value, json};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Commands that print nothing on success.
const SILENT: [&str; 13] =
    ["mv", "cp", "rm", "mkdir", "rmdir", "chmod", "chown", "chgrp", "touch", "ln", "cd", "export", "unset"];

/// A sink for the output of a line.
pub(crate) trait Keep: Send {
    /// Adds the next bytes.
    fn keep(&mut self, stream: Stream, bytes: &[u8]);
}

/// The output of a line, up to the leader's report on both streams.
#[derive(Debug)]
pub(crate) struct LineOutput<K> {
    mark: String,
    stdout: MarkedStream,
    stderr: MarkedStream,
    pub(crate) kept: K,
}

impl<K: Keep> LineOutput<K> {
    pub(crate) fn new(kept: K) -> Self {
        // Unguessable: two hashes with keys from the system's random numbers.
        let mark = format!("{:016x}{:016x}", RandomState::new().hash_one(0), RandomState::new().hash_one(1));
        let (stdout, stderr) = (MarkedStream::new(&mark), MarkedStream::new(&mark));
        Self { mark, stdout, stderr, kept }
    }

    pub(crate) fn mark(&self) -> &str {
        &self.mark
    }

    pub(crate) fn push(&mut self, chunk: Chunk<'_>) {
        let stream = match chunk.stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        stream.push(chunk.bytes, |bytes| self.kept.keep(chunk.stream, bytes));
    }

    /// Ends both streams: nothing more comes.
    pub(crate) fn finish(&mut self) {
        self.stdout.finish(|bytes| self.kept.keep(Stream::Stdout, bytes));
        self.stderr.finish(|bytes| self.kept.keep(Stream::Stderr, bytes));
    }

    /// Returns the line's exit code, once both streams have ended.
    pub(crate) fn code(&self) -> Option<i32> {
        self.stdout.code().filter(|code| self.stderr.code() == Some(*code))
    }
}

/// The end of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LineEnd {
    Well,
    Code(i32),
    /// Ended by a signal to its whole group, with a message.
    Killed(String),
    /// Ended by its deadline, with a message.
    TooLong(String),
    /// Ended by the host.
    Cancelled,
}

impl LineEnd {
    /// Returns the end of a line with this time limit.
    pub(crate) fn of(code: Option<i32>, end: End, limit: Duration) -> Self {
        match (code, end) {
            (Some(0), _) => Self::Well,
            (Some(code), _) => Self::Code(code),
            (None, End::TimedOut) => {
                Self::TooLong(format!("Command timed out after {} ms", limit.as_millis()))
            }
            (None, End::Cancelled) => Self::Cancelled,
            (None, End::Signaled(signal)) => Self::Killed(format!("Command was ended by signal {signal}")),
            (None, End::Exited(_) | End::Lost) => {
                Self::Killed("Command ended without an exit code".to_owned())
            }
        }
    }

    pub(crate) fn words(&self) -> String {
        match self {
            Self::Well => String::new(),
            Self::Code(code) => format!("Exit code {code}"),
            Self::Killed(words) | Self::TooLong(words) => words.clone(),
            Self::Cancelled => "Command was interrupted".to_owned(),
        }
    }

    /// Returns whether the line was ended from outside.
    pub(crate) fn is_interrupted(&self) -> bool {
        match self {
            Self::TooLong(_) | Self::Cancelled => true,
            Self::Well | Self::Code(_) | Self::Killed(_) => false,
        }
    }
}

/// Adds the denied programs and the refused accesses to a response, if there are any (E3, E5).
pub(crate) fn add_refused(response: &mut Value, denied: &[DeniedProgram], refusals: &[Refusal]) {
    if !denied.is_empty() {
        response["deniedPrograms"] = json!(denied);
    }
    if !refusals.is_empty() {
        response["refusals"] = json!(refusals);
    }
}

/// Joins texts, one per line, without empty ones.
pub(crate) fn joined(parts: &[&str]) -> String {
    let texts: Vec<&str> = parts.iter().copied().filter(|part| !part.trim().is_empty()).collect();
    if texts.is_empty() { "(no output)".to_owned() } else { texts.join("\n") }
}

/// Returns whether every command of the line prints nothing on success.
pub(crate) fn is_silent(line: &str) -> bool {
    let line = Line::parse(line);
    let silent = |command: &becket_rules::shell::Command| {
        command.words().next().flatten().is_some_and(|name| SILENT.contains(&name))
    };
    !line.commands().is_empty() && line.unknowns().next().is_none() && line.commands().iter().all(silent)
}
