//! The bodies of HTTP: what is read, with its limits, and what is written.

use super::super::lines::LIMIT;
use super::caller::Attendance;
use super::refusal::Refusal;
use super::route::Told;
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::timeout;

/// For how long a body may be on its way.
const LONG: Duration = Duration::from_secs(30);

/// An answer that is known to its end.
pub(super) fn whole(status: StatusCode, bytes: Bytes) -> Response<Sent> {
    of_lines(status, Sent::Whole(Some(bytes)))
}

/// An answer of lines.
pub(super) fn of_lines(status: StatusCode, sent: Sent) -> Response<Sent> {
    let mut answer = Response::new(sent);
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    answer
}

/// What is written.
pub(super) enum Sent {
    Whole(Option<Bytes>),
    /// Lines as they come. The client counts as there as long as they are open.
    Lines {
        told: Told,
        _attendance: Attendance,
    },
}

impl Body for Sent {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = match self.get_mut() {
            Sent::Whole(bytes) => bytes.take(),
            Sent::Lines { told, .. } => std::task::ready!(told.poll_next(context)),
        };
        Poll::Ready(next.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        match self {
            Sent::Whole(bytes) => {
                hyper::body::SizeHint::with_exact(bytes.as_ref().map_or(0, |b| b.len() as u64))
            }
            Sent::Lines { .. } => hyper::body::SizeHint::default(),
        }
    }
}

/// Reads a body to its end.
///
/// # Errors
/// It is longer than a message may be, takes too long, or breaks off.
pub(super) async fn read(body: Incoming) -> Result<Vec<u8>, Refusal> {
    if body.size_hint().lower() > LIMIT as u64 {
        return Err(Refusal::TooLong);
    }
    timeout(LONG, read_to_limit(body)).await.unwrap_or(Err(Refusal::Slow))
}

async fn read_to_limit(mut body: Incoming) -> Result<Vec<u8>, Refusal> {
    let mut read = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let Ok(bytes) = frame.map_err(|_| Refusal::CutOff)?.into_data() else { continue };
        if read.len() + bytes.len() > LIMIT {
            return Err(Refusal::TooLong);
        }
        read.extend_from_slice(&bytes);
    }
    Ok(read)
}
