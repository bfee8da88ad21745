//! The extension module behind the Python package `becket`.
//!
//! It converts values and waits; a `becket_embed::Session` makes all decisions, and the public interface is the pure
//! Python around it (`python/becket`).
//!
//! - `env`: the variables and the home of the process, the one place that reads them
//! - `attach`: access to the interpreter for our threads, closed at its exit
//! - `process`: state shared by all sessions of a process: the runtime, the models, private files; recreated after a fork
//! - `values`: Python values as JSON
//! - `objects`: our types as Python objects
//! - `session`, `firing`, `outcome`: one session, one firing of an event or one program, its result
//! - `results`: results of firings, delivered to the loop that awaits them
//! - `hook`, `reply`: Python functions as hooks, and their answers
//! - `person`, `observer`: functions that answer questions and observe events
//! - `errors`: the package's exceptions
//!
//! INVARIANTS: every call of the engine releases the interpreter first, so no thread waits for a lock of the engine
//! while holding it. None of our threads enters an interpreter that is shutting down. Nothing here forks.

mod attach;
mod env;
mod errors;
mod firing;
mod hook;
mod objects;
mod observer;
mod outcome;
mod person;
mod process;
mod reply;
mod results;
mod session;
mod values;

use pyo3::prelude::*;

/// The module `becket._becket`.
#[pymodule]
mod _becket {
    #[pymodule_export]
    use super::attach::close_interpreter;
    #[pymodule_export]
    use super::firing::PendingOutcome;
    #[pymodule_export]
    use super::outcome::Outcome;
    #[pymodule_export]
    use super::reply::Reply;
    #[pymodule_export]
    use super::results::Ends;
    #[pymodule_export]
    use super::session::Session;
}
