//! Conversion of `genai` errors.
//!
//! The messages of `genai` contain URLs and whole bodies: only the server's text is extracted from them, with secrets
//! removed.

use crate::anthropic::retry_after;
use crate::error::{ModelError, Refusal, refused, shown};
use crate::http::{is_in_answer, plain, unconnected};
use becket_base::secret::Redactor;
use genai::Error;
use genai::webc::StreamTimeout;
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};
use serde_json::Value;
use std::time::Duration;

/// Context shared by the errors of one model.
#[derive(Debug, Clone)]
pub(super) struct FailureContext {
    /// The name of the host in error messages.
    pub(super) from: String,
    pub(super) model: String,
    pub(super) redactor: Redactor,
    pub(super) idle: Duration,
}

impl FailureContext {
    #[expect(clippy::wildcard_enum_match_arm, reason = "an enum of another crate")]
    pub(super) fn error(&self, error: Error) -> ModelError {
        if let Some(status) = error.status() {
            return self.refusal(status.as_u16(), error.headers(), body_of(&error));
        }
        match error {
            Error::WebStream { error, .. } => self.stream_error(error),
            Error::ChatResponse { body, .. } => {
                let kind = text_of(&body, "type").or(text_of(&body, "code")).unwrap_or_default();
                let message = text_of(&body, "message").unwrap_or_else(|| body.to_string());
                self.model_error(None, &kind, &message, None)
            }
            Error::StreamParse { serde_error, .. } => self.bad(&serde_error.to_string()),
            Error::WebModelCall { webc_error: genai::webc::Error::Reqwest(error), .. } => self.network(error),
            other => self.bad(&other.to_string()),
        }
    }

    fn stream_error(&self, error: genai::BoxError) -> ModelError {
        let error = match error.downcast::<Error>() {
            Ok(error) => return self.error(*error),
            Err(error) => error,
        };
        let error = match error.downcast::<reqwest::Error>() {
            Ok(error) => return self.network(*error),
            Err(error) => error,
        };
        if error.is::<StreamTimeout>() {
            return ModelError::Idle { from: self.from.clone(), idle: self.idle };
        }
        self.bad(&error.to_string())
    }

    fn network(&self, error: reqwest::Error) -> ModelError {
        let (from, scrubbed) = (self.from.clone(), |text: &str| shown(&self.scrubbed(text)));
        match is_in_answer(&error) {
            true => ModelError::Broken { from, message: scrubbed(&plain(error)) },
            false => unconnected(from, error, scrubbed),
        }
    }

    fn refusal(&self, status: u16, headers: Option<&HeaderMap>, body: &str) -> ModelError {
        let header = |name: &HeaderName| headers.and_then(|headers| headers.get(name)?.to_str().ok());
        let wait = header(&RETRY_AFTER).and_then(|value| retry_after(value, header(&DATE)));
        if (300..400).contains(&status) {
            return self.bad("it answers with a redirect, which is not followed: check the base URL");
        }
        let document: Value = serde_json::from_str(body).unwrap_or_default();
        // Some providers wrap the document in a list.
        let document = document.get(0).unwrap_or(&document);
        let error = &document["error"];
        let kind = text_of(error, "type").or(text_of(error, "status")).unwrap_or_default();
        let message = text_of(error, "message").or(error.as_str().map(str::to_owned));
        self.model_error(Some(status), &kind, message.as_deref().unwrap_or(body), wait)
    }

    fn model_error(
        &self,
        status: Option<u16>,
        kind: &str,
        message: &str,
        wait: Option<Duration>,
    ) -> ModelError {
        refused(&Refusal {
            from: &self.from,
            model: &self.model,
            status,
            kind: &self.scrubbed(kind),
            message: &self.scrubbed(message),
            retry_after: wait,
        })
    }

    pub(super) fn bad(&self, message: &str) -> ModelError {
        ModelError::BadAnswer { from: self.from.clone(), message: shown(&self.scrubbed(message)) }
    }

    fn scrubbed(&self, text: &str) -> String {
        self.redactor.redact(text)
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "an enum of another crate")]
fn body_of(error: &Error) -> &str {
    match error {
        Error::HttpError { body, .. } => body,
        Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => match webc_error
        {
            genai::webc::Error::ResponseFailedStatus { body, .. } => body,
            _ => "",
        },
        _ => "",
    }
}

/// Returns a text field, or a number as text.
fn text_of(value: &Value, key: &str) -> Option<String> {
    match value.get(key)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
