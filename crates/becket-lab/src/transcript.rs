//! Recorded sessions of agents, as events: transcripts of Claude Code and of Becket's own agent, rollouts
//! of Codex.
//!
//! A transcript is read line by line, whatever its size. A line that is cut, of an unknown kind or not UTF-8 is counted
//! ([`ReadCounts`]), never an error. An event is returned once the recorded answers of its hooks have had time to
//! follow it.
//!
//! Not in any transcript: the settings in force, the environment, the files as they were, and hooks that passed
//! silently.

mod call;
mod claude;
mod codex;
mod find;
mod line;
mod reader;
mod recorded;
mod window;

pub use call::events_of_call;
pub use find::find;
pub use reader::{ReadCounts, Transcript};
pub use recorded::{RecordedAnswer, RecordedEvent, RecordedOutput};
