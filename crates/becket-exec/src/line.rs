//! A line of a host that a second process supervises: the supervisor needs a process for itself, and a host does other
//! things meanwhile.
//!
//! The host starts the second process with one end of a socket, and sends [`LineRules`] as a line of JSON. It receives
//! [`Report`]s, and sends an [`Answer`] to each [`HeldProgram`]. The end of the host's end of the socket is the end of
//! everything that the line has started. The line itself never has the socket.

mod messages;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod supervise;

pub use messages::{
    Answer, DeniedProgram, HeldProgram, LineRules, LineStreams, Refusal, RefusedRight, Report, RuleText,
};
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub use supervise::{LineError, channel, supervise};
