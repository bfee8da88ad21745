//! Copies of files as they were before tools edited them, so that a session's edits can be undone.
//!
//! A prompt opens a checkpoint. Before a tool edits a file for the first time after it, the file is copied. A rewind to a
//! prompt restores each file that was edited since.
//!
//! - Edits by tools with a path in their input count. What a command line changes is not known, and not undone.
//! - A rewind first copies what it replaces, under a checkpoint of its own, by which it can be undone.
//! - Nothing is written through a link: a file that is one now, or not a regular file, is skipped and counted.
//! - The copies are private files of Becket's; the index is appended to, and a torn last line is passed over.

mod history;
mod index;

pub use history::{Checkpoints, RewindError, Rewound};
