//! The stream of unsolicited server messages.
//!
//! INVARIANT: it is opened at most `TRIES` times in a row without an event; then it ends, and the connection
//! continues: only notifications are missed.

use std::time::Duration;

use sse_stream::Sse;
use tokio::time::{Instant, sleep};

use super::client::{Client, SessionHeaders};
use super::feed::{Feed, Mark};
use super::pause::{TRIES, pause};
use crate::fault::Fault;

/// The minimum lifetime of a stream that counts as successful, even without events: proxies cut idle ones.
const LONG: Duration = Duration::from_secs(10);

/// A stream that is reopened when it breaks.
pub(super) struct ServerStream {
    client: Client,
    session: SessionHeaders,
    feed: Option<Feed>,
    mark: Mark,
    tries: u32,
    since: Instant,
}

impl ServerStream {
    pub(super) fn new(client: Client, session: SessionHeaders, feed: Feed) -> Self {
        client.listens(true);
        Self { client, session, feed: Some(feed), mark: Mark::default(), tries: 0, since: Instant::now() }
    }

    /// Returns the next message; `None` when the server ends the stream.
    pub(super) async fn next(&mut self) -> Option<Sse> {
        loop {
            let Some(feed) = &mut self.feed else {
                self.reopen().await?;
                continue;
            };
            if let Ok(Some(text)) = feed.next(self.client.requests(), &mut self.mark).await {
                self.tries = 0;
                return Some(Sse { data: Some(text), ..Sse::default() });
            }
            self.feed = None;
            self.client.listens(false);
            if self.since.elapsed() >= LONG {
                self.tries = 0;
            }
        }
    }

    async fn reopen(&mut self) -> Option<()> {
        if self.tries >= TRIES {
            return None;
        }
        sleep(pause(self.tries, self.mark.retry)).await;
        self.tries += 1;
        match self.client.open(&self.session, self.mark.id.as_deref()).await {
            Ok(feed) => {
                (self.feed, self.since) = (Some(feed), Instant::now());
                self.client.listens(true);
            }
            Err(Fault::Unreachable(_) | Fault::BrokenOff(_) | Fault::Status { status: 500.., .. }) => {}
            // The server no longer has such a stream, or denies access.
            Err(_) => return None,
        }
        Some(())
    }
}

impl Drop for ServerStream {
    fn drop(&mut self) {
        self.client.listens(false);
    }
}
