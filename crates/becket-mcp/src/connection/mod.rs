//! One server: its process, the messages over its pipes, and the handshake.
//!
//! ```text
//! process ── stdout ──► intake ──► lines ──► wire (message) ──► rmcp ──► live
//!    ▲  └─── stderr ──► tail                   │ in_flight
//!    └────── stdin ◄── becket_process::Control ┘
//! ```
//!
//! INVARIANT: whoever drops a `Process` has ended its process group by then; nothing here is left to run alone.

mod ask;
mod client;
mod handshake;
mod in_flight;
mod intake;
mod leftovers;
mod lines;
mod live;
mod message;
mod open;
mod process;
mod state;
mod tail;
mod wire;

pub(crate) use live::{Connection, Failed};
pub(crate) use open::open;
