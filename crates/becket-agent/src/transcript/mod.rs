//! The stored session: one JSON object a line, in files below a root that the host passes in.
//!
//! [`Store`] makes, finds, forks and lists them. A [`Log`] writes one: the entries of a
//! [`Conversation`](crate::conversation::Conversation), which says when, and [`Note`]s of further facts for a resumed
//! session. [`StoredSession`] is the result of reading one.
//!
//! - A line is one write to a file opened for appending. It is in the hands of the system when [`Log::append`] returns:
//!   the process may be killed at any moment after. It is not forced to the disk: a loss of power may cost the last
//!   lines.
//! - Whatever part of the file is left makes a valid conversation. Lines that had to be skipped are in
//!   [`StoredSession::damage`].
//! - Calls that were open when the process ended are answered with an error, and those that were put off wait on (D10).
//!   None runs twice: a call is stored before it is started.
//! - A file has one writer: a second one gets [`StoreError::InUse`]. Readers are not held up.
//! - Files are their owner's alone: 0600, in directories of 0700.
//!
//! [`becket_engine::Transcripts`] reads these files for hooks that ask a model about the session (H7).
//!
//! A root may be shared with another program that keeps its sessions in the same layout. Its files are read, and never
//! changed: such a session is resumed in a copy. A line of Becket says so in `version`.
//!
//! It does not read the environment or look up a home directory, and deletes nothing but an empty file of its own.

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
