//! All servers of a host: one connection to each, shared by all callers (`protocol.md` X2, X4).
//!
//! ```text
//! Pool ─► Table ─► Slot (a configured server) ─► Attempt (a connection, from trying to its end) ─► Connection
//!   │                                               └─ publishes to ─► StateBroadcast ─► Changes
//!   └─► DrainingConnections (connections that were replaced)
//! ```
//!
//! INVARIANT: nothing here outlives the pool: attempts, connections and drains are owned by it, not by the callers that
//! wait for them, and none of them owns the pool.

mod attempt;
mod auth_needed;
mod call;
mod common;
mod draining;
mod face;
mod lanes;
mod listing;
mod logins;
mod operate;
mod slot;
mod state;
mod state_broadcast;
mod table;

pub use call::{Connect, PromptCall, ToolCall};
pub use face::Pool;
pub use state::{ServerState, ServerView};
pub use state_broadcast::Changes;
