//! A server that is a process, over its stdin and stdout (`protocol.md` X1, X7).
//!
//! ```text
//! process ── stdout ──► intake ──► lines ──► wire ──► rmcp
//!    ▲  └─── stderr ──► state                 │
//!    └────── stdin ◄── becket_process::Control ┘
//! ```
//!
//! INVARIANT: dropping a `Process` ends its process group first; no task here outlives it.

mod intake;
mod leftovers;
mod lines;
mod link;
mod process;
mod wire;

pub(crate) use link::StdioLink;
