//! Instructions from files, given to the model when they apply (L0): at the start of a conversation, after a
//! compaction, and with the result of the call that touched a file.

use super::agent_loop::AgentLoop;
use super::session_shared::error;
use crate::instructions::{Instructions, KnownInstructions, LoadResult, LoadTrigger, LoadedFile};
use crate::tool_call::{CallEnd, Report};
use becket_engine::CancellationToken;
use becket_tools::blocking::{BlockingError, Stop, blocking};
use std::path::{Path, PathBuf};

/// Returns the reason why a rule denies reading a file.
type ReadDenial<'a> = &'a dyn Fn(&Path) -> Option<String>;

impl AgentLoop {
    /// Loads the initial instructions, if this agent loop has not seen them yet; returns the text for the model.
    pub(crate) async fn instruct(&mut self, cancel: &CancellationToken) -> Vec<String> {
        if self.known.has_begun {
            return Vec::new();
        }
        let found =
            self.load(cancel, |files, denied, stop| files.begin(LoadTrigger::Start, denied, stop)).await;
        self.announced(found)
    }

    /// Loads the initial instructions for a subagent: hooks and user already know these files from the session.
    pub(crate) async fn instruct_silently(&mut self, cancel: &CancellationToken) -> Vec<String> {
        let found =
            self.load(cancel, |files, denied, stop| files.begin(LoadTrigger::Start, denied, stop)).await;
        found
            .map(|found| self.taken(found).iter().map(LoadedFile::text_for_model).collect())
            .unwrap_or_default()
    }

    /// Adds the instructions again, after a compaction has removed them.
    pub(super) async fn instruct_again(&mut self, cancel: &CancellationToken) {
        self.forget_instructions();
        let found =
            self.load(cancel, |files, denied, stop| files.begin(LoadTrigger::Again, denied, stop)).await;
        for text in self.announced(found) {
            self.remind(text);
        }
        self.store();
    }

    /// Forgets the instructions for a new conversation, which has seen none.
    pub(crate) fn forget_instructions(&mut self) {
        self.known = KnownInstructions::default();
    }

    /// Returns the file that a call has read or changed.
    pub(super) fn touched(&self, report: &Report) -> Option<PathBuf> {
        let CallEnd::Done { .. } = report.ended else { return None };
        self.toolbox.find(&report.call.name)?.touches(report.input.as_ref()?)
    }

    /// Adds the instructions for the file that a call has touched to its result.
    pub(super) async fn instruct_beside(
        &mut self,
        call: &str,
        touched: Option<PathBuf>,
        cancel: &CancellationToken,
    ) {
        let Some(file) = touched else { return };
        let known = self.known.clone();
        let found =
            self.load(cancel, move |files, denied, stop| files.touched(known, &file, denied, stop)).await;
        let texts = self.announced(found);
        if let Some(open) = self.conversation.open() {
            let added = texts.into_iter().map(|text| open.beside_call(call, text));
            if let Err(wrong) = added.collect::<Result<(), _>>() {
                self.updates.notice(error(format!("instructions could not be added: {wrong}")));
            }
        }
        self.store();
    }

    /// Searches for files, off the runtime's threads; `None` if there are none, or the caller no longer waits.
    async fn load(
        &self,
        cancel: &CancellationToken,
        work: impl FnOnce(&Instructions, ReadDenial<'_>, &Stop) -> Result<LoadResult, BlockingError>
        + Send
        + 'static,
    ) -> Option<LoadResult> {
        let files = self.shared.instructions.clone();
        if files.is_none() {
            return None;
        }
        let (engine, session) = (self.shared.engine.clone(), self.facts.session());
        let found = blocking(cancel, move |stop| {
            work(&files, &|path: &Path| engine.host().denies_read(&session, path), stop)
        });
        match found.await {
            Ok(found) => Some(found),
            Err(BlockingError::Cancelled) => None,
            Err(halted @ (BlockingError::TooLong | BlockingError::Lost)) => {
                self.updates.notice(error(format!("instructions were not loaded: {halted}")));
                None
            }
        }
    }

    /// Reports the files to hooks and user; returns the text for the model.
    fn announced(&mut self, found: Option<LoadResult>) -> Vec<String> {
        let Some(found) = found else { return Vec::new() };
        for notice in &found.notices {
            self.updates.notice(notice.clone());
        }
        let loaded = self.taken(found);
        for one in &loaded {
            self.shared.leave(&self.facts, one.event(), &self.updates);
        }
        loaded.iter().map(LoadedFile::text_for_model).collect()
    }

    fn taken(&mut self, found: LoadResult) -> Vec<LoadedFile> {
        self.known = found.known;
        found.loaded
    }
}
