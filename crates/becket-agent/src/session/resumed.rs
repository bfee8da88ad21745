//! Another session of the store takes the place of the one that is open.
//!
//! INVARIANT: the other one is opened before this one ends: where it can't be, nothing has changed.

use super::main_line::Main;
use super::start::{OpenError, Start, open};
use crate::conversation::{Conversation, Stored};
use crate::transcript::Note;
use crate::update::Notice;
use becket_model::Session;

impl Main {
    /// Ends this session (`resume`) and goes on with the one of that id where it ended. Mode, model, directory and rules stay
    /// those of now: they are what the user sees.
    ///
    /// # Errors
    /// There is no such session, it can't be read, or it is in use: in another process, or here.
    pub(crate) async fn resume(&mut self, id: &str) -> Result<(), OpenError> {
        let start = Start::Resume { id: id.to_owned() };
        let mut opened = open(self.store.as_ref(), &start, &self.start, None)?;
        self.end("resume").await;
        self.forget().await;
        let log = opened.log.take();
        let old = self.work.facts.session();
        self.work.facts.replace(Session {
            id: opened.id.clone().into(),
            transcript_path: log.as_ref().map(|log| log.path().to_owned()).unwrap_or_default(),
            prompt_id: None,
            permission_mode: None,
            ..old
        });
        let stored = opened.restored.as_mut().map_or_else(empty, |restored| {
            for damage in &restored.damage {
                self.work.updates.notice(Notice::warning(damage.to_string()));
            }
            self.work.core.put_title(restored.title.clone());
            std::mem::replace(&mut restored.stored, empty())
        });
        self.work.talk.go_on_with(stored, log);
        self.pending.clear();
        self.instructions.clear();
        self.work.forget_instructions();
        let cwd = self.work.facts.cwd();
        let work = &mut self.work;
        for note in [Note::Model(work.model.name().to_owned()), Note::Mode(work.facts.mode())] {
            work.talk.note(&note, &cwd, &work.updates);
        }
        self.begin(&opened, None).await;
        self.work.store();
        Ok(())
    }
}

fn empty() -> Stored {
    Stored::Whole(Conversation::default())
}
