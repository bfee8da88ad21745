//! Counts the bytes through a socket, so that a slow message is not mistaken for a dead server.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The number of bytes read and written.
#[derive(Debug, Clone, Default)]
pub(super) struct Meter(Arc<[AtomicU64; 2]>);

impl Meter {
    pub(super) fn read(&self) -> u64 {
        self.0[0].load(Ordering::Relaxed)
    }

    pub(super) fn written(&self) -> u64 {
        self.0[1].load(Ordering::Relaxed)
    }

    #[cfg(test)]
    pub(super) fn count(&self, read: u64, written: u64) {
        self.0[0].fetch_add(read, Ordering::Relaxed);
        self.0[1].fetch_add(written, Ordering::Relaxed);
    }
}

/// A socket with or without TLS.
pub(super) trait Socket: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Socket for S {}

/// A socket whose traffic is counted.
pub(super) struct MeteredSocket {
    socket: Box<dyn Socket>,
    meter: Meter,
}

impl MeteredSocket {
    pub(super) fn new(socket: impl Socket + 'static) -> Self {
        Self { socket: Box::new(socket), meter: Meter::default() }
    }

    pub(super) fn meter(&self) -> Meter {
        self.meter.clone()
    }
}

impl AsyncRead for MeteredSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.socket).poll_read(context, buffer))?;
        let read = buffer.filled().len() - before;
        self.meter.0[0].fetch_add(read as u64, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for MeteredSocket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.socket).poll_write(context, bytes))?;
        self.meter.0[1].fetch_add(written as u64, Ordering::Relaxed);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}
