//! The agent's input, whose end cancels everything: a call whose caller is gone is not worth finishing.

use becket_engine::CancellationToken;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};

/// A reader that cancels a token at the end of its input.
pub(super) struct WatchedReader<R> {
    from: R,
    gone: CancellationToken,
}

impl<R> WatchedReader<R> {
    /// Watches a reader.
    pub(super) fn new(from: R, gone: CancellationToken) -> Self {
        WatchedReader { from, gone }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for WatchedReader<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (before, has_room) = (buffer.filled().len(), buffer.remaining() > 0);
        let read = ready!(Pin::new(&mut self.from).poll_read(context, buffer));
        if read.is_err() || (has_room && buffer.filled().len() == before) {
            self.gone.cancel();
        }
        Poll::Ready(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn the_end_cancels_and_nothing_before_it() {
        let gone = CancellationToken::new();
        let mut reader = WatchedReader::new(&b"ab"[..], gone.clone());
        assert_eq!(reader.read(&mut [0; 8]).await.unwrap(), 2);
        assert!(!gone.is_cancelled());
        assert_eq!(reader.read(&mut [0; 8]).await.unwrap(), 0);
        assert!(gone.is_cancelled());
    }
}
