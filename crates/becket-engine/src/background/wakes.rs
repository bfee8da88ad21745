//! The stream that a host reads to be woken (A4).

use super::Wake;
use super::book::Book;
use std::sync::Arc;

/// The wakes of an engine, oldest first. A queue, not a broadcast: each wake goes to the first who awaits one, and to
/// nobody else, so a host that starts to listen late gets all that was not taken before.
///
/// Keeps no engine alive. For each session 1,024 wakes wait; then the oldest goes, and the next says how many did.
#[derive(Debug, Clone)]
pub struct Wakes {
    book: Arc<Book>,
}

impl Wakes {
    pub(super) fn new(book: Arc<Book>) -> Self {
        Wakes { book }
    }

    /// Waits for a wake; `None` once the engine is gone. Cancel-safe: what is not returned is not taken.
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
