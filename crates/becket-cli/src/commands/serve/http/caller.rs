//! One client over HTTP: a connection of the protocol, which HTTP requests write to and read from.
//!
//! INVARIANT: a message is accepted completely or not at all, even if the request that carried it has gone.

use super::super::connection::{Client, ConnectionEnd};
use super::body::ResponseBody;
use super::route::{self, Askers, LineStream, Reader};
use becket_engine::CancellationToken;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncWriteExt, DuplexStream, duplex};
use tokio::sync::watch;
use tokio::time::timeout;

/// The size of the pipe between HTTP requests and the connection, in bytes.
const PIPE: usize = 64 << 10;
/// The time limit for the last answers.
const FAREWELL: Duration = Duration::from_secs(1);

/// An HTTP client.
pub(super) struct Caller {
    /// The client's secret id.
    pub(super) id: String,
    pub(super) askers: Askers,
    to: tokio::sync::Mutex<DuplexStream>,
    reader: Reader,
    /// Ends the current stream when another one replaces it.
    reading: Mutex<CancellationToken>,
    /// The number of open HTTP requests.
    open: watch::Sender<usize>,
    cancel: CancellationToken,
    /// Cancelled once nothing of the client is left.
    over: CancellationToken,
}

/// Marks a client as present as long as it is held.
pub(super) struct Attendance(Arc<Caller>);

impl Drop for Attendance {
    fn drop(&mut self) {
        self.0.open.send_modify(|open| *open -= 1);
    }
}

impl Caller {
    /// Creates a client with this id, and the future that serves it: until `cancel` is cancelled, or until it has had
    /// no open requests for `linger`.
    pub(super) fn new(
        id: String,
        client: Client,
        linger: Duration,
        cancel: CancellationToken,
    ) -> (Arc<Self>, impl Future<Output = ConnectionEnd>) {
        let ((to, input), (output, from)) = (duplex(PIPE), duplex(PIPE));
        let (sender, reader) = route::stream();
        let caller = Arc::new(Caller {
            id,
            askers: Askers::default(),
            to: tokio::sync::Mutex::new(to),
            reader,
            reading: Mutex::default(),
            open: watch::Sender::new(0),
            cancel,
            over: CancellationToken::new(),
        });
        let served = caller.clone();
        let tended = async move {
            let routing = tokio::spawn(route::lines(from, served.askers.clone(), sender));
            let ended = served.serve(client.serve(input, output, &served.cancel), linger).await;
            let stop = routing.abort_handle();
            if timeout(FAREWELL, routing).await.is_err() {
                stop.abort();
            }
            served.askers.end();
            served.over.cancel();
            ended
        };
        (caller, tended)
    }

    async fn serve(&self, client: impl Future<Output = ConnectionEnd>, linger: Duration) -> ConnectionEnd {
        let mut client = std::pin::pin!(client);
        tokio::select! {
            ended = &mut client => return ended,
            () = self.is_left(linger) => self.cancel.cancel(),
        }
        client.await
    }

    /// Resolves once there have been no open requests for this long.
    async fn is_left(&self, linger: Duration) {
        let mut open = self.open.subscribe();
        loop {
            // The sender is in `self`, so the channel is open.
            drop(open.wait_for(|open| *open == 0).await);
            if timeout(linger, open.wait_for(|open| *open > 0)).await.is_err() {
                return;
            }
        }
    }

    /// Records an open request.
    pub(super) fn attend(self: &Arc<Self>) -> Attendance {
        self.open.send_modify(|open| *open += 1);
        Attendance(self.clone())
    }

    /// Sends lines to the connection, after earlier ones; returns true if it still accepts them.
    pub(super) async fn send(self: &Arc<Self>, lines: impl AsRef<[u8]> + Send + Sync + 'static) -> bool {
        let caller = self.clone();
        let written = tokio::spawn(async move {
            let mut to = caller.to.lock().await;
            tokio::select! {
                biased;
                () = caller.over.cancelled() => false,
                written = to.write_all(lines.as_ref()) => written.is_ok(),
            }
        });
        written.await.unwrap_or(false)
    }

    /// Returns the stream of becket's requests and notifications. An earlier stream ends.
    pub(super) async fn open_stream(self: &Arc<Self>, attendance: Attendance) -> ResponseBody {
        let ends = CancellationToken::new();
        std::mem::replace(&mut *self.reading.lock().unwrap_or_else(PoisonError::into_inner), ends.clone())
            .cancel();
        let lines = self.reader.clone().lock_owned().await;
        ResponseBody::Lines {
            told: LineStream::new(lines, Box::pin(ends.cancelled_owned())),
            _attendance: attendance,
        }
    }

    /// Returns true if the client accepts no more messages.
    pub(super) fn is_ending(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Ends the client, and waits until it has ended.
    pub(super) async fn end(&self) {
        self.cancel.cancel();
        self.over.cancelled().await;
    }
}
