//! The causes of a broken connection, and the server's output until then.

use std::fmt;
use std::sync::Arc;

use becket_process::{End, SpawnError};

use crate::auth::{HeadersError, NoHeaders};
use crate::challenge::Challenge;

/// The cause of a broken connection. A connection has only one: the first.
#[derive(Debug, Clone)]
pub enum Fault {
    /// The process could not be started.
    Spawn(Arc<SpawnError>),
    /// The process ended.
    Ended(End),
    /// The server wrote a line over the limit on messages, in bytes.
    LineTooLong(usize),
    /// The server wrote more than the queue may contain, in bytes.
    Flood(usize),
    /// The server did not read its input; the limit in bytes.
    NotReading(usize),
    /// The server closed its stdin.
    StdinClosed,
    /// The connection was closed from this side.
    Closed,
    /// The server can't be reached: unknown host, connection refused, TLS failure.
    Unreachable(String),
    /// The server answered with an HTTP status other than success, with the beginning of the body.
    Status {
        /// The status.
        status: u16,
        /// The body.
        body: String,
    },
    /// The server demands authentication (`protocol.md` X3).
    AuthNeeded(Challenge),
    /// The session has expired (`protocol.md` X4).
    SessionExpired,
    /// The answer exceeds the limit on messages, in bytes.
    TooLarge(usize),
    /// The answer, or its stream, broke off.
    BrokenOff(String),
    /// The answer is not MCP.
    NotMcp(String),
    /// There are no headers for the request.
    Headers(Arc<HeadersError>),
    /// The server redirects messages to another origin: scheme, host and port of both, its own first.
    OtherOrigin(String, String),
    /// An editor is not on this machine; its host.
    NotLocal(String),
}

impl From<HeadersError> for Fault {
    fn from(error: HeadersError) -> Self {
        Self::Headers(Arc::new(error))
    }
}

impl From<NoHeaders> for Fault {
    fn from(reason: NoHeaders) -> Self {
        match reason {
            NoHeaders::AuthNeeded(challenge) => Self::AuthNeeded(challenge),
            NoHeaders::Failed(error) => Self::Headers(error),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spawn(error) => error.fmt(f),
            Self::Ended(End::Exited(code)) => write!(f, "it exited with {code}"),
            Self::Ended(End::Signaled(signal)) => write!(f, "signal {signal} ended it"),
            Self::Ended(End::TimedOut | End::Cancelled) => f.write_str("it was ended"),
            Self::Ended(End::Lost) => f.write_str(
                "it ended, and its exit status was taken by other code in the host: that code must not wait for every child",
            ),
            Self::LineTooLong(cap) => {
                write!(f, "it wrote a line of more than {cap} bytes, the most that a message may have")
            }
            Self::Flood(cap) => {
                write!(f, "it wrote faster than its messages could be handled: more than {cap} bytes wait")
            }
            Self::NotReading(cap) => write!(f, "it does not read what is sent to it: {cap} bytes wait"),
            Self::StdinClosed => f.write_str("it has closed its stdin"),
            Self::Closed => f.write_str("the connection was closed"),
            Self::Unreachable(why) => write!(f, "it can't be reached: {why}"),
            Self::Status { status, body } if body.is_empty() => write!(f, "it answers with HTTP {status}"),
            Self::Status { status, body } => write!(f, "it answers with HTTP {status}: {body}"),
            Self::AuthNeeded(_) => f.write_str("it needs authentication"),
            Self::SessionExpired => f.write_str("it has forgotten the session"),
            Self::TooLarge(cap) => {
                write!(f, "it answered with more than {cap} bytes, the most that a message may have")
            }
            Self::BrokenOff(how) => write!(f, "its answer broke off: {how}"),
            Self::NotMcp(what) => write!(f, "its response is not MCP: {what}"),
            Self::Headers(why) => why.fmt(f),
            Self::OtherOrigin(own, other) => {
                write!(
                    f,
                    "it sends us from `{own}` to `{other}`, where nothing of ours is sent: configure that one"
                )
            }
            Self::NotLocal(host) => write!(
                f,
                "`{host}` is not this machine: what is sent to an editor goes to loopback addresses only, such as `127.0.0.1`"
            ),
        }
    }
}

impl Fault {
    /// Returns whether a request with this fault can't have been executed (`protocol.md` X4).
    pub(crate) fn is_before_execution(&self) -> bool {
        match self {
            Self::Spawn(_)
            | Self::Unreachable(_)
            | Self::AuthNeeded(_)
            | Self::Headers(_)
            | Self::SessionExpired => true,
            Self::Ended(_)
            | Self::LineTooLong(_)
            | Self::Flood(_)
            | Self::NotReading(_)
            | Self::StdinClosed
            | Self::Closed
            | Self::Status { .. }
            | Self::TooLarge(_)
            | Self::BrokenOff(_)
            | Self::NotMcp(_)
            | Self::OtherOrigin(..)
            | Self::NotLocal(_) => false,
        }
    }
}

/// The limit on the lines of stderr in an error message.
const LINES: usize = 10;

/// A server's output other than messages, as far as it was kept. Displays as the tail of an error message, with the
/// last ten lines of stderr; empty if there was no output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerOutput {
    /// The end of stderr, at most 8 KiB, with replacement characters for invalid UTF-8.
    pub stderr: String,
    /// The beginning of the first invalid line on stdout.
    pub no_message: Option<String>,
}

impl fmt::Display for ServerOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = &self.no_message {
            write!(f, "; its stdout has `{line}`, which is not a message")?;
        }
        let stderr = self.stderr.trim();
        if stderr.is_empty() {
            return Ok(());
        }
        let cut = stderr.rmatch_indices('\n').nth(LINES - 1).map_or(0, |(newline, _)| newline + 1);
        write!(f, "; its stderr ends with: {}", &stderr[cut..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ten_lines_of_stderr_are_shown() {
        let shown = |stderr: &str| ServerOutput { stderr: stderr.into(), no_message: None }.to_string();
        assert_eq!(shown(" \n"), "");
        assert_eq!(shown("a\nb\n"), "; its stderr ends with: a\nb");
        let lines = |from: u32| (from..=20).map(|n| n.to_string()).collect::<Vec<_>>().join("\n");
        assert_eq!(shown(&lines(11)), format!("; its stderr ends with: {}", lines(11)));
        assert_eq!(shown(&lines(1)), format!("; its stderr ends with: {}", lines(11)));
    }
}
