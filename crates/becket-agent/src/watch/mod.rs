//! Files that are watched while a session is open: those that FileChanged hooks ask for, and the configuration's own
//! (`protocol.md` M8, C8, D11).
//!
//! - FileChanged: files of the cwd that the matchers name, and the paths that hooks have asked for (`watchPaths`).
//! - ConfigChange: settings files and skills. The hooks of the old configuration judge a change; one that they let pass
//!   applies at once, to the engine or to the session's commands. A running hook or command keeps its configuration.
//!
//! Memory is bounded by the number of watched paths, however much changes: see `disk`. A hook that changes its own
//! watched files is fired a few times, and then not until it rests: see `chain`.
//!
//! It reads no files except settings, watches only requested paths, and ends with its session.
//!
//! INVARIANT: all of it ends with the session: no descriptor and no thread of it outlives that by more than a moment.

mod chain;
mod disk;
mod eyes;
mod list;
mod path_state;
mod places;
mod session;

pub(crate) use eyes::WatchBaseline;
pub use places::FileWatch;
pub(crate) use session::{WatchContext, WatchHandle};
