//! Systems on which no process is started ahead of its input.

/// A process that has been started, and waits for its input. Linux only: elsewhere there is none.
#[derive(Debug)]
pub enum Standby {}
