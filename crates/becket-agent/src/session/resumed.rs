//! Replaces the open session with another one of the store.
//!
//! INVARIANT: the other session is opened before this one ends: if it can't be opened, nothing has changed.

use super::main_line::Main;
use super::start::{OpenError, Start, open};

impl Main {
    /// Ends this session (`resume`) and continues the one with that id. Mode, model, directory and rules stay the
    /// current ones, which the user sees.
    ///
    /// # Errors
    /// Errors if the session does not exist, can't be read, or is in use, in another process or here.
    pub(crate) async fn resume(&mut self, id: &str) -> Result<(), OpenError> {
        let start = Start::Resume { id: id.to_owned() };
        let opened = open(self.store.as_ref(), &start, &self.start, None, None)?;
        self.end("resume").await;
        self.forget().await;
        self.replaced_by(opened).await;
        Ok(())
    }
}
