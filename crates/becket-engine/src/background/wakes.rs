//! The stream that a host reads to be woken (A4).

use super::Wake;
use super::book::Book;
use std::sync::Arc;

/// The wakes of an engine, oldest first. A queue, not a broadcast: each wake goes to the first caller that awaits one,
/// and to no other, so a host that starts to listen late gets all wakes that were not taken before.
///
/// It does not keep the engine alive. Up to 1,024 wakes wait for each session; then the oldest is dropped, and the next
/// one carries the number of those lost.
#[derive(Debug, Clone)]
pub struct Wakes {
    book: Arc<Book>,
}

impl Wakes {
    pub(super) fn new(book: Arc<Book>) -> Self {
        Wakes { book }
    }

    /// Waits for a wake; returns `None` once the engine is gone. Cancel-safe: a wake that is not returned is not taken.
    pub async fn next(&self) -> Option<Wake> {
        self.book
            .until(|book| {
                let mut ledger = book.open();
                match ledger.take_wake() {
                    Some(wake) => Some(Some(wake)),
                    None => ledger.is_closed().then_some(None),
                }
            })
            .await
    }
}
