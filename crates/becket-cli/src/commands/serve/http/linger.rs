//! A stream that is not closed while its client still writes.
//!
//! If a socket is closed with unread data, the system resets the connection, and a client that is rejected halfway
//! through its body may lose the response with the reason. So the write side is closed first, and further data is read
//! and discarded: until the client closes its end, or a limit of time or size is reached.
//!
//! INVARIANT: no such data is kept, and reading it is limited.

use becket_engine::CancellationToken;
use std::io::{IoSlice, Result};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// The limit on discarded bytes: the rest of a body, which may have any length.
const MOST: usize = super::super::lines::LIMIT;
/// The time limit for discarding input.
const LONG: Duration = Duration::from_secs(5);
/// The size of one read, in bytes.
const CHUNK: usize = 16 << 10;

/// A stream that closes gracefully, unless `cancel` is cancelled.
pub(super) struct LingerStream {
    stream: TcpStream,
    cancel: CancellationToken,
    rest: Option<Rest>,
}

/// The input that is discarded after the write side is closed.
struct Rest {
    bytes: usize,
    end: Pin<Box<Sleep>>,
}

impl LingerStream {
    pub(super) fn new(stream: TcpStream, cancel: CancellationToken) -> Self {
        LingerStream { stream, cancel, rest: None }
    }

    /// Closes the write side, once.
    fn poll_closed(&mut self, context: &mut Context<'_>) -> Poll<Result<&mut Rest>> {
        if self.rest.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        }
        let rest = || Rest { bytes: MOST, end: Box::pin(sleep(LONG)) };
        Poll::Ready(Ok(self.rest.get_or_insert_with(rest)))
    }

    /// Discards some of the input; returns true if more may arrive.
    fn poll_dropped(&mut self, context: &mut Context<'_>) -> Poll<Result<bool>> {
        let is_over = self.cancel.is_cancelled();
        let rest = ready!(self.poll_closed(context))?;
        if is_over || rest.bytes == 0 || rest.end.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ok(false));
        }
        let mut bytes = [MaybeUninit::uninit(); CHUNK];
        let most = rest.bytes.min(CHUNK);
        let mut read = ReadBuf::uninit(&mut bytes[..most]);
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut read))?;
        let read = read.filled().len();
        if let Some(rest) = &mut self.rest {
            rest.bytes -= read;
        }
        Poll::Ready(Ok(read > 0))
    }
}

impl AsyncRead for LingerStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, bytes)
    }
}

impl AsyncWrite for LingerStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let lingering = self.get_mut();
        while ready!(lingering.poll_dropped(context))? {}
        Poll::Ready(Ok(()))
    }
}
