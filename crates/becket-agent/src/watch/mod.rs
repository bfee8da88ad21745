//! Files that are watched while a session is open: those that FileChanged hooks request, and those of the configuration
//! (`protocol.md` M8, C8, D11).
//!
//! - FileChanged: files in the cwd that matchers name, and the paths that hooks have requested (`watchPaths`).
//! - ConfigChange: settings files and skills. The hooks of the old configuration judge a change; if they allow it, it
//!   applies at once, to the engine or to the session's commands. A running hook or command keeps its configuration.
//!
//! Memory is limited by the number of watched paths, however much changes: see `disk`. A hook that changes its own
//! watched files is run a few times, and then not until it stops: see `chain`.
//!
//! It reads no files except settings, watches only requested paths, and ends with its session.
//!
//! INVARIANT: everything ends with the session: no descriptor and no thread outlives it by more than a moment.

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
