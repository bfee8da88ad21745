//! The answer of a server, and the check that it can be used: 2xx with an empty body or with a JSON object, and nothing
//! else (H5).
//!
//! INVARIANT: no more than the cap is ever kept, however much arrives.

use super::excerpt::excerpt;
use super::trouble;
use crate::config::url;
use becket_base::http::body::{self, BodyError};
use becket_model::EventKind;
use becket_model::interpret::JsonAnswer;
use reqwest::header::{CONTENT_ENCODING, HeaderMap, HeaderName, LOCATION};
use reqwest::{Response, StatusCode};
use std::time::Duration;

/// The number of bytes of a refusal that are read, to be quoted.
const BEGINNING: usize = 4 << 10;

/// The time for which a refusal is read: the status already decides.
const MOMENT: Duration = Duration::from_secs(1);

/// An answer that has been read.
pub(super) struct Answer {
    status: StatusCode,
    location: Option<String>,
    packed: Option<String>,
    /// The body, up to the cap; only the beginning if the server refused.
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// Reads an answer to its end, or until it can't be used any more.
    ///
    /// # Errors
    /// Errors if it breaks off, or is longer than `cap` bytes.
    pub(super) async fn read(mut response: Response, place: &str, cap: usize) -> Result<Self, String> {
        let (status, headers) = (response.status(), response.headers());
        let (location, packed) = (text_of(headers, LOCATION), text_of(headers, CONTENT_ENCODING));
        let mut body = Vec::new();
        if status.is_success() {
            body = body::read(&mut response, cap).await.map_err(|error| match error {
                BodyError::TooLong(cap) => {
                    format!("the answer is longer than {cap} bytes, so it was not read")
                }
                BodyError::Transport(error) => trouble::describe(error, place),
            })?;
        } else {
            // An error in its text changes nothing.
            let reading = body::read_up_to(&mut response, cap.min(BEGINNING), &mut body);
            let _ = tokio::time::timeout(MOMENT, reading).await;
        }
        Ok(Answer { status, location, packed, body })
    }

    /// Returns the JSON object in the body; an empty body is an empty object. `shown` is the body in the form that may
    /// be quoted.
    ///
    /// # Errors
    /// Returns a description of the body if it is something else.
    pub(super) fn object(&self, event: EventKind, shown: &[u8]) -> Result<JsonAnswer, String> {
        if !self.status.is_success() {
            return Err(self.refusal(shown));
        }
        let text = String::from_utf8_lossy(&self.body);
        let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let status = self.status;
        if text.is_empty() {
            return Ok(JsonAnswer::default());
        }
        if !text.starts_with('{') {
            let packed = self.packed.as_deref().map(excerpt_of).map(|packed| {
                format!("; it is packed (`Content-Encoding: {packed}`), which was not asked for")
            });
            let packed = packed.unwrap_or_default();
            return Err(format!(
                "the server answered {status} with something other than a JSON object: `{}`{packed}; {EXPECTED}",
                excerpt(shown)
            ));
        }
        JsonAnswer::parse(event, text).map_err(|error| {
            format!("the server answered {status} with invalid JSON: {error}: `{}`", excerpt(shown))
        })
    }

    fn refusal(&self, shown: &[u8]) -> String {
        let status = self.status;
        if let Some(location) = self.location.as_deref().filter(|_| status.is_redirection()) {
            let location = excerpt_of(&url::shown(location));
            return format!(
                "the server answered {status}, a redirect to `{location}`; redirects are not followed: write the URL that answers into the settings"
            );
        }
        let quote = excerpt(shown);
        let quote = if quote.is_empty() { quote } else { format!(": `{quote}`") };
        format!("the server answered {status}{quote}; {EXPECTED}")
    }
}

const EXPECTED: &str = "a hook's server answers 2xx with nothing or with a JSON object";

fn text_of(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn excerpt_of(text: &str) -> String {
    excerpt(text.as_bytes())
}
