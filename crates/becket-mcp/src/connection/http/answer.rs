//! The stream that contains the answer to a request.
//!
//! INVARIANT: it ends with an answer. If the server's does not arrive, one that names the fault replaces it.

use rmcp::model::{JsonRpcMessage, RequestId};
use sse_stream::Sse;
use tokio::time::sleep;

use super::super::message::{self, Line};
use super::client::{Client, SessionHeaders};
use super::feed::{Feed, Mark};
use super::meaning::{Message, answer_to};
use super::pause::{TRIES, pause};
use crate::fault::Fault;

/// A stream with a pending answer.
pub(super) struct Answer {
    client: Client,
    session: SessionHeaders,
    id: RequestId,
    feed: Feed,
    mark: Mark,
    /// The number of reconnections since the last event.
    tries: u32,
    is_over: bool,
}

impl Answer {
    pub(super) fn new(client: Client, session: SessionHeaders, id: RequestId, feed: Feed) -> Self {
        Self { client, session, id, feed, mark: Mark::default(), tries: 0, is_over: false }
    }

    /// Returns the next message; `None` after the answer.
    pub(super) async fn next(&mut self) -> Option<Sse> {
        if self.is_over {
            return None;
        }
        loop {
            let fault = match self.read().await {
                Ok(event) => return Some(event),
                Err(fault) => fault,
            };
            if let Err(fault) = self.take_up(fault).await {
                self.is_over = true;
                return Some(event(&self.client.lost_answers().broken_off(self.id.clone(), fault)));
            }
        }
    }

    async fn read(&mut self) -> Result<Sse, Fault> {
        loop {
            let text = self.feed.next(self.client.requests(), &mut self.mark).await?;
            let text = text.ok_or_else(|| Fault::BrokenOff("it ended without an answer".into()))?;
            self.tries = 0;
            match message::read(text.as_bytes()) {
                Line::Message(message) => return self.take(text, *message),
                Line::Unreadable(_, why) => {
                    self.is_over = true;
                    return Ok(event(&self.client.lost_answers().unreadable(self.id.clone(), why)));
                }
                // A notification of an unknown kind, or something other than a message, has no receiver.
                Line::Ignored | Line::NoMessage => {}
            }
        }
    }

    /// Passes a message on; an answer gets the id of the request, as no other answer arrives here.
    fn take(&mut self, text: String, message: Message) -> Result<Sse, Fault> {
        match &message {
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => return Ok(sse(text)),
            JsonRpcMessage::Response(response) if response.id == self.id => {
                self.is_over = true;
                return Ok(sse(text));
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        let answer = answer_to(&self.id, message)?;
        self.is_over = true;
        Ok(event(&answer))
    }

    /// Resumes the stream after the last event, if the server supports this. The request itself is not sent again.
    async fn take_up(&mut self, fault: Fault) -> Result<(), Fault> {
        let Fault::BrokenOff(_) = &fault else { return Err(fault) };
        while self.mark.id.is_some() && self.tries < TRIES {
            sleep(pause(self.tries, self.mark.retry)).await;
            self.tries += 1;
            match self.client.open(&self.session, self.mark.id.as_deref()).await {
                Ok(feed) => {
                    self.feed = feed;
                    return Ok(());
                }
                Err(Fault::Unreachable(_) | Fault::BrokenOff(_)) => {}
                Err(Fault::Status { status: 500.., .. }) => {}
                Err(_) => break,
            }
        }
        Err(fault)
    }
}

fn sse(text: String) -> Sse {
    Sse { data: Some(text), ..Sse::default() }
}

/// Encodes a message as an event. A message that was parsed or created here can always be encoded.
fn event(message: &Message) -> Sse {
    Sse { data: serde_json::to_string(message).ok(), ..Sse::default() }
}
