//! Notes for later sessions of a project: facts of a turn that a model found worth remembering (`protocol.md` L7).
//!
//! A [`Notes`] is a Markdown file that belongs to the user, with one note per line. It is stored next to the
//! transcripts of the project, never in its repository. The host asks the model in a task at the end of a turn;
//! [`crate::instructions::Instructions::with_notes`] shows the notes to later sessions.
//!
//! A note is a model's statement, possibly about a text from another author: it is marked as such, includes no other
//! file, and grants nothing. It is not checked for secrets.
//!
//! INVARIANT: the file is limited in size and number of notes; a note that is added twice occurs once. Lines that are
//! not notes belong to the user, and are never changed.

mod consolidation;
mod file;
mod text;

pub use consolidation::{Consolidation, ConsolidationGate};
pub use file::{Notes, NotesError};
pub(crate) use text::{MOST_BYTES, telling};
