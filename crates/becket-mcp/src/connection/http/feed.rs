//! A response that is a stream of events, event by event.

use std::collections::VecDeque;
use std::time::Duration;

use becket_base::sse::{Event, EventReader};
use reqwest::Response;

use super::requests::Requests;
use crate::fault::Fault;

/// The position from which a stream can be resumed, and the delay before that.
#[derive(Debug, Clone, Default)]
pub(super) struct Mark {
    pub(super) id: Option<Vec<u8>>,
    pub(super) retry: Option<Duration>,
}

/// An open stream.
#[derive(Debug)]
pub(super) struct Feed {
    response: Response,
    events: EventReader,
    ready: VecDeque<Event>,
    cap: usize,
}

impl Feed {
    pub(super) fn new(response: Response, cap: usize) -> Self {
        Self { response, events: EventReader::new(cap), ready: VecDeque::new(), cap }
    }

    /// Returns the text of the next message; `None` when the stream has ended. Each event, message or not, updates
    /// `mark`.
    pub(super) async fn next(
        &mut self,
        requests: &Requests,
        mark: &mut Mark,
    ) -> Result<Option<String>, Fault> {
        loop {
            while let Some(event) = self.ready.pop_front() {
                if let Some(text) = message(event) {
                    return Ok(Some(text));
                }
            }
            let piece = self.response.chunk().await.map_err(|error| requests.broken_off(error))?;
            let Some(piece) = piece else { return Ok(None) };
            let ready = &mut self.ready;
            let pushed = self.events.push(&piece, |event| ready.push_back(event));
            if let Some(id) = self.events.last_id() {
                mark.id = Some(id.to_vec());
            }
            mark.retry = self.events.retry().or(mark.retry);
            if pushed.is_err() {
                return Err(Fault::TooLarge(self.cap));
            }
        }
    }
}

/// Returns the data of an event that carries a message.
fn message(event: Event) -> Option<String> {
    let is_message = event.name.is_empty() || event.name == b"message";
    let text = String::from_utf8(event.data).ok().filter(|_| is_message)?;
    if text.trim_ascii().is_empty() { None } else { Some(text) }
}
