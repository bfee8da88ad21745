//! The face: an open session of the reference agent.

mod builder;
mod change;
mod info;
mod open;

pub use builder::AgentBuilder;
pub use change::SwitchBlocked;
pub use info::Info;
pub use open::Agent;
