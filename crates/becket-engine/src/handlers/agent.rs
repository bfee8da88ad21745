//! Agent handlers: a model with the host's tools, under the session's rules, ending in a structured answer (H8).
//!
//! An agent sees the same as a prompt handler's model, and may look further. Each of its calls is treated like every
//! tool call: hooks, rules, the mode `dontAsk`. It starts no other agent, runs in no separate task, and ends with the
//! event: at its limit, on cancellation, or when a hook stops it; then it has no verdict, and never `ok`.

mod calls;
mod hooks;
mod run;
mod talk;
mod tool_protocol;
mod turns;

pub(crate) use run::run;
