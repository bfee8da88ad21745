//! Assembles a complete session from a configuration: what `becket run` offers, for any host.
//!
//! [`Assembly`] describes a session; [`Assembly::engine`] adds its services to the builder of an engine, and
//! [`Assembly::session`] puts tools, agents, skills, instructions and watched files under that engine. The result is an
//! [`crate::AgentBuilder`] that the host completes and opens.
//!
//! The parts can be used on their own:
//!
//! - [`SystemPrompt`]: the instructions of the model
//! - [`ToolFilter`]: the selection of tools
//! - protected files, which no mode edits without a prompt, hook scripts among them (`protocol.md` P14)
//! - [`SessionTools`]: the tools of a session, and those of its servers as they change
//! - [`Definitions`]: agents and skills (`protocol.md` C10)
//! - [`SessionPlugins`]: the plugins, which can be read again
//! - [`wants_notes`], [`team`], [`turn_options`]: settings and variables that enable features
//!
//! Variables and home come from the request; nothing here reads those of the process.

mod assembly;
mod definitions;
mod error;
mod notes_setting;
mod plugins;
mod protected_files;
mod session;
mod system_prompt;
mod team_setting;
mod tool_factory;
mod tool_filter;
mod tools;
mod turn_options;

pub use assembly::Assembly;
pub use definitions::Definitions;
pub use error::AssemblyError;
pub use notes_setting::wants_notes;
pub use plugins::SessionPlugins;
pub use session::AssembledSession;
pub use system_prompt::SystemPrompt;
pub use team_setting::team;
pub use tool_filter::ToolFilter;
pub use tools::SessionTools;
pub use turn_options::{InvalidNumber, turn_options};
