//! The stored session: one JSON object per line, in files below a root that the host passes in.
//!
//! [`Store`] creates, finds, forks and lists them. A [`Log`] writes one: the entries of a
//! [`Conversation`](crate::conversation::Conversation), which documents when to store them, and [`Note`]s with further
//! facts for a resumed session. [`StoredSession`] is the result of reading one.
//!
//! - A line is one write to a file opened for appending. The operating system has it when [`Log::append`] returns, so
//!   the process may be killed at any moment after that. It is not synced to the disk: a power loss may lose the last
//!   lines.
//! - Any remaining part of the file gives a valid conversation. Lines that had to be skipped are in
//!   [`StoredSession::damage`].
//! - Calls that were open when the process ended are answered with an error, and deferred ones keep waiting (D10). None
//!   runs twice: a call is stored before it is started.
//! - A file has one writer: a second one gets [`StoreError::InUse`]. Readers are not blocked.
//! - Files are private to their owner: 0600, in directories of 0700.
//!
//! [`becket_engine::Transcripts`] reads these files for hooks that ask a model about the session (H7).
//!
//! A root may be shared with another program that stores its sessions in the same layout. Its files are read, but never
//! changed: such a session is resumed in a copy. Lines written by Becket say so in `version`.
//!
//! It does not read environment variables or look up a home directory, and deletes nothing except its own empty files.

mod agent_metadata;
mod blocks;
mod clock;
mod file;
mod line;
mod list;
mod load;
mod log;
mod mirror;
mod place;
mod rewind;
mod store;
mod time;

pub(crate) use agent_metadata::AgentMetadata;
pub use clock::ClockAndIds;
pub use line::Note;
pub use list::ResumableSession;
pub use load::{Damage, Flaw, StoredSession};
pub use log::{AppendError, Log};
pub use mirror::Mirror;
pub use rewind::RewindPoint;
pub use store::{Store, StoreError};

pub use time::text as timestamp;
pub(crate) use time::text as time_text;
