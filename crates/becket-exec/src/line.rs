//! A line of a host that a second process supervises: the supervisor needs a process for itself, and the host has
//! other work to do.
//!
//! The host starts the second process with one end of a socket, and sends [`LineRules`] as a line of JSON. It receives
//! [`Report`]s, and sends an [`Answer`] to each [`HeldProgram`]. When the host closes its end of the socket,
//! everything that the line has started is ended. The line itself never has access to the socket.

mod messages;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod supervise;

pub use messages::{
    Answer, DeniedProgram, HeldProgram, LineRules, LineStreams, Refusal, RefusedRight, Report, RuleText,
};
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub use supervise::{LineError, channel, supervise};
