//! The extension module behind the Python package `becket`.
//!
//! It moves values and waits; what is decided is decided by a `becket_embed::Session`, and what Python's users see is the
//! pure Python around it (`python/becket`).
//!
//! - `env`: the variables and the home of the process, the one place that reads them
//! - `attach`: the way into the interpreter for threads of ours, closed for good at its exit
//! - `process`: what all sessions of a process share: the runtime, the models, private files; made anew after a fork
//! - `values`: values of Python as JSON
//! - `objects`: what is data of ours, as objects of Python
//! - `session`, `firing`, `outcome`: one session, one firing of an event, what it came to
//! - `ends`: how the loop that awaits a firing hears of its end
//! - `hook`, `reply`: functions of Python as hooks, and how they answer
//! - `person`, `told`: who is asked, and who is told what happens
//! - `errors`: the package's exceptions
//!
//! INVARIANTS: whoever calls the engine has let go of the interpreter first, so nobody waits for a lock of the engine while
//! holding it. No thread of ours enters an interpreter that is going down. Nothing here forks.

mod attach;
mod ends;
mod env;
mod errors;
mod firing;
mod hook;
mod objects;
mod outcome;
mod person;
mod process;
mod reply;
mod session;
mod told;
mod values;

use pyo3::prelude::*;

/// The module `becket._becket`.
#[pymodule]
mod _becket {
    #[pymodule_export]
    use super::attach::close_interpreter;
    #[pymodule_export]
    use super::ends::Ends;
    #[pymodule_export]
    use super::firing::Firing;
    #[pymodule_export]
    use super::outcome::Outcome;
    #[pymodule_export]
    use super::reply::Reply;
    #[pymodule_export]
    use super::session::Session;
}
