//! Errors of requests to a model: one named variant per cause.
//!
//! Errors name the host of a base URL, never its path, user or key. A server's text arrives here with secrets and
//! control characters removed and is truncated.

use std::time::Duration;

/// The maximum number of characters of a server's text that an error shows.
const SHOWN: usize = 400;

/// A failed request to a model. `from` is the host, or the model's name if there is no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The key is missing, wrong, or not allowed to do this (401, 403).
    #[error("`{from}` refused the key (status {status}): {message}; check the key of this provider")]
    Unauthorized {
        /// The host that rejected the key.
        from: String,
        /// The HTTP status.
        status: u16,
        /// The host's message.
        message: String,
    },
    /// Too many requests or tokens (429).
    #[error("`{from}` limits the rate of requests: {message}{}", wait(*.retry_after))]
    RateLimited {
        /// The host that limits requests.
        from: String,
        /// The wait that the host requests, if any.
        retry_after: Option<Duration>,
        /// The host's message.
        message: String,
    },
    /// The provider is overloaded (503, 529).
    #[error("`{from}` is overloaded: {message}{}", wait(*.retry_after))]
    Overloaded {
        /// The overloaded host.
        from: String,
        /// The wait that the host requests, if any.
        retry_after: Option<Duration>,
        /// The host's message.
        message: String,
    },
    /// The request is wrong or too large (400, 413, 422).
    #[error("`{from}` refused the request: {message}")]
    BadRequest {
        /// The host that rejected the request.
        from: String,
        /// The host's message.
        message: String,
    },
    /// The model or URL does not exist (404).
    #[error("`{from}` knows no model `{model}`: {message}; check the model's name and the base URL")]
    NotFound {
        /// The host.
        from: String,
        /// The name of the model.
        model: String,
        /// The host's message.
        message: String,
    },
    /// The connection broke during the answer.
    #[error("the connection to `{from}` broke in the middle of its answer: {message}")]
    Broken {
        /// The host that answered.
        from: String,
        /// The network error.
        message: String,
    },
    /// Nothing listens at a local address.
    #[error("nothing listens at `{from}`: is the server running?")]
    NothingListens {
        /// The address of the request.
        from: String,
    },
    /// The connection could not be established.
    #[error("can't reach `{from}`: {message}")]
    Connection {
        /// The host.
        from: String,
        /// The network error.
        message: String,
    },
    /// No data arrived for too long.
    #[error("`{from}` sent nothing for {} s", .idle.as_secs_f32())]
    Idle {
        /// The silent host.
        from: String,
        /// The limit on silence.
        idle: Duration,
    },
    /// The answer ended early.
    #[error("the answer of `{from}` ended early")]
    Truncated {
        /// The host that answered.
        from: String,
    },
    /// The answer does not follow the API.
    #[error("can't read the answer of `{from}`: {message}")]
    BadAnswer {
        /// The host that answered.
        from: String,
        /// The error in the answer.
        message: String,
    },
    /// The answer exceeds the size limit.
    #[error("the answer of `{from}` is longer than {limit} bytes")]
    TooLarge {
        /// The host that answered.
        from: String,
        /// The limit, in bytes.
        limit: usize,
    },
    /// Any other error that the provider reported.
    #[error("`{from}` failed{}: {message}", status_suffix(*.status, .kind))]
    Provider {
        /// The host that failed.
        from: String,
        /// The HTTP status; `None` for an error inside a stream.
        status: Option<u16>,
        /// The provider's name for the error; may be empty.
        kind: String,
        /// The wait before a retry that the provider requests, if any.
        retry_after: Option<Duration>,
        /// The host's message.
        message: String,
    },
    /// The name does not resolve to a model.
    #[error("no model `{name}`: {message}")]
    UnknownModel {
        /// The name as it was written.
        name: String,
        /// The correction that the user can make.
        message: String,
    },
    /// The host has no key for a provider that needs one.
    #[error("no key for provider `{provider}`: the host has to provide one")]
    NoKey {
        /// The provider.
        provider: String,
    },
    /// No model was named, and the host has no small fast model.
    #[error("no model: name one in the hook, or set `ANTHROPIC_SMALL_FAST_MODEL` (`fire` takes `--model`)")]
    NoModel,
    /// The client can't be built with the host's settings.
    #[error("can't set up the model client: {message}")]
    Setup {
        /// The error in the settings.
        message: String,
    },
    /// The script of a scripted model does not cover the request.
    #[error("script `{name}`: {message}")]
    Script {
        /// The name of the script.
        name: String,
        /// The expected and the actual request.
        message: String,
    },
}

impl ModelError {
    /// Returns whether the same request may succeed on a retry.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::RateLimited { .. }
            | Self::Overloaded { .. }
            | Self::NothingListens { .. }
            | Self::Connection { .. }
            | Self::Broken { .. }
            | Self::Idle { .. }
            | Self::Truncated { .. } => true,
            Self::Provider { status, kind, .. } => match status {
                Some(status) => *status >= 500 || *status == 408,
                None => kind != "invalid_request_error",
            },
            Self::Unauthorized { .. }
            | Self::BadRequest { .. }
            | Self::NotFound { .. }
            | Self::BadAnswer { .. }
            | Self::TooLarge { .. }
            | Self::UnknownModel { .. }
            | Self::NoKey { .. }
            | Self::NoModel
            | Self::Setup { .. }
            | Self::Script { .. } => false,
        }
    }

    /// Returns whether the request was rejected because it exceeds the model's context window. There is no code for it,
    /// so this looks for the wordings that providers are known to use.
    #[must_use]
    pub fn is_too_long(&self) -> bool {
        const WORDS: [&str; 6] = [
            "prompt is too long",
            "context_length_exceeded",
            "maximum context length",
            "context window",
            "exceeds the available context size",
            "input token count",
        ];
        let Self::BadRequest { message, .. } = self else { return false };
        let message = message.to_ascii_lowercase();
        WORDS.iter().any(|words| message.contains(words))
    }

    /// Returns the HTTP status of the rejection, as far as the variant determines it; `None` if nothing was rejected.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Unauthorized { status, .. } => Some(*status),
            Self::Provider { status, .. } => *status,
            Self::BadRequest { .. } => Some(400),
            Self::NotFound { .. } => Some(404),
            Self::RateLimited { .. } => Some(429),
            Self::Overloaded { .. } => Some(529),
            Self::NothingListens { .. }
            | Self::Connection { .. }
            | Self::Broken { .. }
            | Self::Idle { .. }
            | Self::Truncated { .. }
            | Self::BadAnswer { .. }
            | Self::TooLarge { .. }
            | Self::UnknownModel { .. }
            | Self::NoKey { .. }
            | Self::NoModel
            | Self::Setup { .. }
            | Self::Script { .. } => None,
        }
    }

    /// Returns the wait before a retry that the provider requests.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. }
            | Self::Overloaded { retry_after, .. }
            | Self::Provider { retry_after, .. } => *retry_after,
            Self::Unauthorized { .. }
            | Self::BadRequest { .. }
            | Self::NotFound { .. }
            | Self::NothingListens { .. }
            | Self::Connection { .. }
            | Self::Broken { .. }
            | Self::Idle { .. }
            | Self::Truncated { .. }
            | Self::BadAnswer { .. }
            | Self::TooLarge { .. }
            | Self::UnknownModel { .. }
            | Self::NoKey { .. }
            | Self::NoModel
            | Self::Setup { .. }
            | Self::Script { .. } => None,
        }
    }
}

fn wait(retry_after: Option<Duration>) -> String {
    match retry_after {
        Some(wait) => format!("; try again in {} s", wait.as_secs_f32()),
        None => "; try again later".to_owned(),
    }
}

fn status_suffix(status: Option<u16>, kind: &str) -> String {
    match (status, kind) {
        (None, "") => String::new(),
        (Some(status), "") => format!(" (status {status})"),
        (None, kind) => format!(" (`{kind}`)"),
        (Some(status), kind) => format!(" (status {status}, `{kind}`)"),
    }
}

/// A server's error response.
#[derive(Debug, Clone)]
pub(crate) struct Refusal<'a> {
    pub(crate) from: &'a str,
    pub(crate) model: &'a str,
    pub(crate) status: Option<u16>,
    /// The provider's name for the error; may be empty.
    pub(crate) kind: &'a str,
    /// The message, with secrets already removed.
    pub(crate) message: &'a str,
    pub(crate) retry_after: Option<Duration>,
}

/// Returns the error for a failed request, by status, or by the provider's own error name if there is no status.
pub(crate) fn refused(refusal: &Refusal<'_>) -> ModelError {
    let from = refusal.from.to_owned();
    let message = shown(refusal.message);
    let retry_after = refusal.retry_after;
    let status = refusal.status.unwrap_or_else(|| status_of(refusal.kind));
    match status {
        401 | 403 => ModelError::Unauthorized { from, status, message },
        429 => ModelError::RateLimited { from, retry_after, message },
        503 | 529 => ModelError::Overloaded { from, retry_after, message },
        400 | 413 | 422 => ModelError::BadRequest { from, message },
        404 => ModelError::NotFound { from, model: refusal.model.to_owned(), message },
        _ => {
            let (status, kind) = (refusal.status, shown(refusal.kind));
            ModelError::Provider { from, status, kind, retry_after, message }
        }
    }
}

/// Returns the status for the name of an error inside a stream, which has no status of its own.
fn status_of(kind: &str) -> u16 {
    match kind {
        "invalid_request_error" | "request_too_large" => 400,
        "authentication_error" | "permission_error" => 401,
        "not_found_error" => 404,
        "rate_limit_error" => 429,
        "overloaded_error" => 529,
        _ => 500,
    }
}

/// Returns a foreign error text on one line, without control characters, and truncated.
pub(crate) fn shown(text: &str) -> String {
    let line = becket_base::text::one_line(text, SHOWN);
    match line.trim_end_matches('.') {
        "" => "no message".to_owned(),
        line => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal<'a>(status: Option<u16>, kind: &'a str) -> Refusal<'a> {
        Refusal { from: "h", model: "m", status, kind, message: "x", retry_after: None }
    }

    #[test]
    fn each_status_has_its_cause() {
        for (status, transient) in
            [(400, false), (401, false), (403, false), (404, false), (413, false), (402, false)]
                .into_iter()
                .chain([(429, true), (500, true), (503, true), (529, true), (504, true), (408, true)])
        {
            assert_eq!(refused(&refusal(Some(status), "")).is_transient(), transient, "{status}");
        }
    }

    #[test]
    fn an_error_inside_a_stream_is_known_by_its_name() {
        assert!(matches!(refused(&refusal(None, "overloaded_error")), ModelError::Overloaded { .. }));
        assert!(matches!(refused(&refusal(None, "invalid_request_error")), ModelError::BadRequest { .. }));
        assert!(matches!(refused(&refusal(None, "whatever")), ModelError::Provider { status: None, .. }));
    }

    #[test]
    fn a_prompt_that_is_too_long_is_known_by_the_words_of_each_provider() {
        let rejected = |message: &str| ModelError::BadRequest { from: "h".into(), message: message.into() };
        for message in [
            "prompt is too long: 210000 tokens > 200000 maximum",
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
            "the request exceeds the available context size, try increasing it",
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)",
        ] {
            assert!(rejected(message).is_too_long(), "{message}");
        }
        assert!(!rejected("max_tokens: must be at least 1").is_too_long());
        let slow = refused(&Refusal { message: "prompt is too long", ..refusal(Some(429), "") });
        assert!(!slow.is_too_long(), "a limit of the rate is none of the size");
    }

    #[test]
    fn words_of_others_are_one_short_line() {
        assert_eq!(shown("a\r\n\u{1b}[31mb \t c."), "a \\u{1b}[31mb c");
        assert_eq!(shown(" \n"), "no message");
        assert_eq!(shown(&"é".repeat(1000)).chars().count(), SHOWN + 1);
    }
}
