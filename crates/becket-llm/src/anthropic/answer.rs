//! Reads a response from the network: first the status, then events or one document, with limits on size and silence.

use super::retry::retry_after;
use super::wire::Decoder;
use crate::delta::Delta;
use crate::error::{ModelError, Refusal, refused, shown};
use crate::http::{is_in_answer, plain, unconnected};
use crate::judge::repeated_key;
use crate::rate_limit::RateLimit;
use becket_base::http::body;
use becket_base::secret::Redactor;
use becket_base::sse::EventReader;
use futures_util::stream::{self, BoxStream, StreamExt};
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, DATE, HeaderMap, HeaderName, RETRY_AFTER};
use serde_json::Value;
use std::collections::VecDeque;
use std::future::Future;
use std::time::Duration;

/// The maximum number of bytes read from an error body.
const ERROR_LIMIT: usize = 64 * 1024;

/// Limits and secrets shared by all requests to one endpoint.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    /// The name of the host in error messages.
    pub(super) from: String,
    pub(super) model: String,
    /// The secrets to remove from everything that the server returns.
    pub(super) redactor: Redactor,
    /// The maximum time without data.
    pub(super) idle: Duration,
    /// The maximum size of an answer, in bytes.
    pub(super) size: usize,
}

impl Limits {
    /// Runs a step of the exchange within the limit on silence.
    pub(super) async fn within<T>(
        &self,
        step: impl Future<Output = Result<T, reqwest::Error>>,
    ) -> Result<T, ModelError> {
        match tokio::time::timeout(self.idle, step).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(self.broken(error)),
            Err(_) => Err(ModelError::Idle { from: self.from.clone(), idle: self.idle }),
        }
    }

    fn broken(&self, error: reqwest::Error) -> ModelError {
        let from = self.from.clone();
        match is_in_answer(&error) {
            true => ModelError::Broken { from, message: self.scrubbed(&plain(error)) },
            false => unconnected(from, error, |text| self.scrubbed(text)),
        }
    }

    /// Returns a server's text with all secrets removed. rule: S3
    pub(super) fn scrubbed(&self, text: &str) -> String {
        self.redactor.redact(text)
    }
}

/// An error instead of an answer.
pub(super) struct Refused {
    pub(super) error: ModelError,
    /// The state of the limit on requests, if the response reports one.
    pub(super) limit: Option<RateLimit>,
}

impl From<ModelError> for Refused {
    fn from(error: ModelError) -> Self {
        Refused { error, limit: None }
    }
}

/// A response with a success status.
pub(super) struct Answer {
    response: reqwest::Response,
    limits: Limits,
}

impl Answer {
    /// Accepts a response, or returns the error it represents.
    pub(super) async fn accept(response: reqwest::Response, limits: Limits) -> Result<Self, Refused> {
        let answer = Self { response, limits };
        if !answer.response.status().is_success() {
            let limit = RateLimit::of(answer.response.headers());
            return Err(Refused { error: answer.refusal().await, limit });
        }
        if let Some(encoding) = header(answer.response.headers(), &CONTENT_ENCODING)
            && encoding != "identity"
        {
            let encoding = answer.limits.scrubbed(encoding);
            let message = format!("it is encoded as `{}`, which was not asked for", shown(&encoding));
            return Err(ModelError::BadAnswer { from: answer.limits.from, message }.into());
        }
        Ok(answer)
    }

    /// Returns the deltas of the answer, whether it is a stream of events or a single document.
    pub(super) fn deltas(self, decoder: Decoder) -> BoxStream<'static, Result<Delta, ModelError>> {
        let kind = header(self.response.headers(), &CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
        let size = self.limits.size;
        let limit = RateLimit::of(self.response.headers()).map(Delta::RateLimit);
        let reading = AnswerReader {
            whole: kind.contains("json"),
            answer: self,
            decoder,
            events: EventReader::new(size),
            ready: limit.into_iter().collect(),
            failed: None,
            read: 0,
            ended: false,
        };
        stream::unfold(reading, |mut reading| async move {
            let delta = reading.next().await?;
            Some((delta, reading))
        })
        .boxed()
    }

    async fn refusal(mut self) -> ModelError {
        let status = self.response.status().as_u16();
        let headers = self.response.headers();
        let wait = header(headers, &RETRY_AFTER).and_then(|value| retry_after(value, header(headers, &DATE)));
        if self.response.status().is_redirection() {
            let message = "it answers with a redirect, which is not followed: check the base URL";
            return ModelError::BadAnswer { from: self.limits.from, message: message.to_owned() };
        }
        let body = self.some_of_the_body().await;
        let text = String::from_utf8_lossy(&body);
        let document: Value = serde_json::from_str(&text).unwrap_or_default();
        let error = &document["error"];
        let message = error["message"].as_str().or(error.as_str()).unwrap_or(&text);
        refused(&Refusal {
            from: &self.limits.from,
            model: &self.limits.model,
            status: Some(status),
            kind: &self.limits.scrubbed(error["type"].as_str().unwrap_or_default()),
            message: &self.limits.scrubbed(message),
            retry_after: wait,
        })
    }

    /// Reads as much of an error body as possible; the status is already known.
    async fn some_of_the_body(&mut self) -> Vec<u8> {
        let mut body = Vec::new();
        // The status is what matters: an unreadable body is ignored.
        let _ = self.limits.within(body::read_up_to(&mut self.response, ERROR_LIMIT, &mut body)).await;
        body
    }

    /// Returns the next bytes, counted against the size limit.
    async fn chunk(&mut self, read: &mut usize) -> Result<Option<Vec<u8>>, ModelError> {
        let Some(chunk) = self.limits.within(self.response.chunk()).await? else { return Ok(None) };
        *read += chunk.len();
        if *read > self.limits.size {
            return Err(self.too_large());
        }
        Ok(Some(chunk.to_vec()))
    }

    fn too_large(&self) -> ModelError {
        ModelError::TooLarge { from: self.limits.from.clone(), limit: self.limits.size }
    }
}

/// Reads an answer and emits its deltas.
struct AnswerReader {
    answer: Answer,
    /// True if the answer is a single document.
    whole: bool,
    decoder: Decoder,
    events: EventReader,
    ready: VecDeque<Delta>,
    /// An error to report after everything that arrived before it.
    failed: Option<ModelError>,
    /// The number of bytes read so far.
    read: usize,
    /// True after an error or the stop: nothing follows.
    ended: bool,
}

impl AnswerReader {
    async fn next(&mut self) -> Option<Result<Delta, ModelError>> {
        loop {
            if let Some(delta) = self.ready.pop_front() {
                return Some(Ok(delta));
            }
            if let Some(error) = self.failed.take() {
                return Some(Err(error));
            }
            if self.ended {
                return None;
            }
            if let Err(error) = self.read_on().await {
                self.ended = true;
                self.failed = Some(error);
            }
        }
    }

    async fn read_on(&mut self) -> Result<(), ModelError> {
        if self.whole {
            return self.read_whole().await;
        }
        let Some(chunk) = self.answer.chunk(&mut self.read).await? else {
            return Err(ModelError::Truncated { from: self.answer.limits.from.clone() });
        };
        let mut events = Vec::new();
        self.events.push(&chunk, |event| events.push(event)).map_err(|_| self.answer.too_large())?;
        for event in events.into_iter().filter(|event| !event.data.is_empty()) {
            self.ready.extend(self.decoder.event(&String::from_utf8_lossy(&event.data))?);
            if matches!(self.ready.back(), Some(Delta::Stop(_))) {
                self.ended = true;
                break;
            }
        }
        Ok(())
    }

    async fn read_whole(&mut self) -> Result<(), ModelError> {
        let mut body = Vec::new();
        while let Some(chunk) = self.answer.chunk(&mut self.read).await? {
            body.extend_from_slice(&chunk);
        }
        let message = serde_json::from_slice(&body).map_err(|error| match error.is_eof() {
            true => ModelError::Truncated { from: self.answer.limits.from.clone() },
            false => {
                ModelError::BadAnswer { from: self.answer.limits.from.clone(), message: error.to_string() }
            }
        })?;
        if let Some(key) = repeated_key(&body) {
            let message = format!("an object that says `{key}` twice");
            return Err(ModelError::BadAnswer { from: self.answer.limits.from.clone(), message });
        }
        self.ready.extend(self.decoder.whole(message)?);
        self.ended = true;
        Ok(())
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
