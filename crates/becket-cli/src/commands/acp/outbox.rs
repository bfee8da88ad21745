//! Lines for the editor, written one after another.

use becket_engine::CancellationToken;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// The time limit for writing the last lines.
const LAST: Duration = Duration::from_secs(2);

/// The queue of lines for the editor.
#[derive(Clone)]
pub(super) struct Outbox(mpsc::UnboundedSender<Vec<u8>>);

/// The task that writes the queue.
pub(super) struct Writing(JoinHandle<()>);

impl Outbox {
    /// Creates a queue to stdout. If the editor is gone, `cancel` is cancelled.
    pub(super) fn to_stdout(cancel: &CancellationToken) -> (Self, Writing) {
        let (sender, mut lines) = mpsc::unbounded_channel::<Vec<u8>>();
        let cancel = cancel.clone();
        let writing = tokio::spawn(async move {
            let mut stdout = tokio::io::stdout();
            while let Some(line) = lines.recv().await {
                let written = stdout.write_all(&line).await;
                if written.is_err() || stdout.flush().await.is_err() {
                    cancel.cancel();
                    return;
                }
            }
        });
        (Outbox(sender), Writing(writing))
    }

    /// Queues a line, with its line end.
    pub(super) fn send(&self, line: Vec<u8>) {
        // An editor that is gone reads nothing.
        let _ = self.0.send(line);
    }
}

impl Writing {
    /// Waits a short time until everything is written: the editor may no longer read. All senders must be dropped
    /// first.
    pub(super) async fn finish(self) {
        let _ = tokio::time::timeout(LAST, self.0).await;
    }
}
