//! The bodies of HTTP requests, with their limits, and of responses.

use super::super::lines::LIMIT;
use super::super::memory_budget::{MemoryBudget, Reservation, SHORT};
use super::caller::Attendance;
use super::refusal::Refusal;
use super::route::LineStream;
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::timeout;

/// The time limit for a body.
const LONG: Duration = Duration::from_secs(30);

/// Returns a complete response.
pub(super) fn whole(status: StatusCode, bytes: Bytes) -> Response<ResponseBody> {
    of_lines(status, ResponseBody::Whole(Some(bytes)))
}

/// Returns a response that consists of lines.
pub(super) fn of_lines(status: StatusCode, sent: ResponseBody) -> Response<ResponseBody> {
    let mut answer = Response::new(sent);
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    answer
}

/// The body of a response.
pub(super) enum ResponseBody {
    Whole(Option<Bytes>),
    /// Lines as they arrive. The client counts as present as long as they are open.
    Lines {
        told: LineStream,
        _attendance: Attendance,
    },
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = match self.get_mut() {
            ResponseBody::Whole(bytes) => bytes.take(),
            ResponseBody::Lines { told, .. } => std::task::ready!(told.poll_next(context)),
        };
        Poll::Ready(next.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        match self {
            ResponseBody::Whole(bytes) => {
                hyper::body::SizeHint::with_exact(bytes.as_ref().map_or(0, |b| b.len() as u64))
            }
            ResponseBody::Lines { .. } => hyper::body::SizeHint::default(),
        }
    }
}

/// The bytes that were read, and the memory reserved for them.
pub(super) struct BodyBuffer {
    bytes: Vec<u8>,
    room: Reservation,
}

impl BodyBuffer {
    /// Ends the last line.
    pub(super) fn end_line(&mut self) {
        self.bytes.push(b'\n');
    }
}

impl AsRef<[u8]> for BodyBuffer {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Reads a whole body, once there is memory for it.
///
/// # Errors
/// Errors if the body is longer than a message may be, gets no memory, takes too long, or breaks off.
pub(super) async fn read(body: Incoming, room: &MemoryBudget) -> Result<BodyBuffer, Refusal> {
    let hint = body.size_hint();
    if hint.lower() > LIMIT as u64 {
        return Err(Refusal::TooLong);
    }
    let announced = hint.exact().and_then(|bytes| usize::try_from(bytes).ok());
    let room_taken = room.take(announced.unwrap_or(SHORT)).await.ok_or(Refusal::Full)?;
    let held = BodyBuffer { bytes: Vec::new(), room: room_taken };
    timeout(LONG, read_to_limit(body, held, room)).await.unwrap_or(Err(Refusal::Slow))
}

async fn read_to_limit(
    mut body: Incoming,
    mut held: BodyBuffer,
    room: &MemoryBudget,
) -> Result<BodyBuffer, Refusal> {
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let Ok(bytes) = frame.map_err(|_| Refusal::CutOff)?.into_data() else { continue };
        let length = held.bytes.len() + bytes.len();
        if length > LIMIT {
            return Err(Refusal::TooLong);
        }
        if length > held.room.bytes() {
            // The length was not announced, so the body may reach the limit.
            held.room = room.take(LIMIT).await.ok_or(Refusal::Full)?;
        }
        held.bytes.extend_from_slice(&bytes);
    }
    held.room.shrink(held.bytes.len());
    Ok(held)
}
