//! The public interface: an open session of the reference agent.

mod aside;
mod builder;
mod change;
mod context;
mod info;
mod news;
mod notify;
mod open;
mod switch;

pub use aside::AsideError;
pub use builder::AgentBuilder;
pub use change::SwitchBlocked;
pub use context::ContextUse;
pub use info::Info;
pub use open::Agent;
pub use switch::{ModelUsage, SessionUsage};
