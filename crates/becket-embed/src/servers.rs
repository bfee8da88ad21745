//! The MCP servers that `mcp_tool` hooks may call (`protocol.md` H6): those that a host names, and no others.
//!
//! - [`Named`], [`Configured`]: where they stand, and what was read there; nothing is connected by reading
//! - [`Connected`]: servers that were connected, and what keeps the others from it
//! - `kept`: those of one session, connected when a hook calls the first of them, and ended with the session
//!
//! It looks for no file: what a project brings along is read only where the host names it. Whether a server is the right one
//! is up to whoever names it: nothing is asked about it but what its entry says.
//!
//! INVARIANT: a server that is started is ended, whoever was waiting for it and however the session ends.

mod connected;
mod kept;
mod named;

pub use connected::Connected;
pub(crate) use kept::Kept;
pub use named::{Configured, Named, Unusable};
