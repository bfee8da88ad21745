//! Another session of the store takes the place of the one that is open.
//!
//! INVARIANT: the other one is opened before this one ends: where it can't be, nothing has changed.

use super::main_line::Main;
use super::start::{OpenError, Start, open};

impl Main {
    /// Ends this session (`resume`) and goes on with the one of that id where it ended. Mode, model, directory and rules stay
    /// those of now: they are what the user sees.
    ///
    /// # Errors
    /// There is no such session, it can't be read, or it is in use: in another process, or here.
    pub(crate) async fn resume(&mut self, id: &str) -> Result<(), OpenError> {
        let start = Start::Resume { id: id.to_owned() };
        let opened = open(self.store.as_ref(), &start, &self.start, None)?;
        self.end("resume").await;
        self.forget().await;
        self.replaced_by(opened).await;
        Ok(())
    }
}
