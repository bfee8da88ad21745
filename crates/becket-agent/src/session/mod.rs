//! An open session: its facts, and what happens at its beginning and its end (`protocol.md` L0).

mod expand;
mod facts;
mod main_line;
mod prompt;
mod resumed;
mod start;

pub use expand::{CommandKind, Expand, PromptKind, TypedCommand, Words};
pub use facts::Facts;
pub use main_line::SetupTrigger;
pub use prompt::Prompt;
pub use start::{OpenError, Start};

pub(crate) use main_line::Main;
pub(crate) use start::{OpenedTranscript, open};
