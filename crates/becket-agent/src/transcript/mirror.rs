//! A second receiver of the lines of transcripts.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// Receives each line once it is in its file, with the path of that file. Must not block.
#[derive(Clone)]
pub struct Mirror(Arc<Receive>);

/// The function that is called with the path of a transcript and a line.
type Receive = dyn Fn(&Path, &str) + Send + Sync;

impl Mirror {
    /// Creates a mirror that calls this function.
    pub fn new(receive: impl Fn(&Path, &str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(receive))
    }

    /// Shows a line. A panic affects only the mirror: the line is stored.
    pub(super) fn show(&self, file: &Path, line: &str) {
        let _ = catch_unwind(AssertUnwindSafe(|| (self.0)(file, line.trim_end())));
    }
}

impl fmt::Debug for Mirror {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mirror").finish_non_exhaustive()
    }
}
