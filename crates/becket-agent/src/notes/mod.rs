//! Notes for later sessions of a project: what a model found worth remembering of a turn (`protocol.md` L7).
//!
//! A [`Notes`] is a Markdown file of the user's own, a line a note, that lies with the transcripts of the project and never
//! in its repository. Who asks the model is the host, in a task at the end of a turn;
//! [`crate::instructions::Instructions::with_notes`] has later sessions told of them.
//!
//! A note is what a model said, maybe about a text that somebody else has written: it is told as such, includes no other
//! file, and grants nothing. Whether something secret stands in it is not looked at.
//!
//! INVARIANT: the file is bounded in size and number of notes; what is added twice stands in it once. Lines that are no notes
//! are the user's, and are never changed.

mod consolidation;
mod file;
mod text;

pub use consolidation::{Consolidation, ConsolidationGate};
pub use file::{Notes, NotesError};
pub(crate) use text::{MOST_BYTES, telling};
