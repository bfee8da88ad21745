//! Copies of files from before tools edited them, so that a session's edits can be undone.
//!
//! A prompt opens a checkpoint. Before a tool first edits a file after it, the file is copied. A rewind to a prompt
//! restores each file that was edited since.
//!
//! - Only edits by tools with a path in their input count. Changes by command lines are not known, and not undone.
//! - A rewind first copies what it replaces, under a checkpoint of its own, so that it can be undone.
//! - Nothing is written through a link: a file that has become one, or is not a regular file, is skipped and counted.
//! - The copies are Becket's private files; the index is append-only, and an incomplete last line is skipped.

mod history;
mod index;
mod line_counts;

pub use history::{Checkpoints, RewindError, Rewound};
pub use line_counts::LineCounts;
