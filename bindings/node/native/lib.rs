//! The engine in the process of a Node program. The JavaScript in `lib/` is the face; this is what it stands on.
//!
//! - `native_engine`: the object that JavaScript holds; `inner`: what it is made of, on whichever thread
//! - `firing`: an event on its way, on JavaScript's own thread where only that has to be waited for
//! - `asked`, `hook`, `person`: what is asked of JavaScript: hooks, and questions to its user
//! - `line`: the one way to JavaScript
//! - `opening`, `host`: from options to a session
//! - `runtime`: the threads that all engines of a process share
//! - `ending`: what is ended when its thread of JavaScript ends
//!
//! It decides nothing. What crosses is JSON, which both sides read faster than they build objects of each other.
//!
//! INVARIANT: nothing here keeps a process alive, and no panic leaves it: one becomes an error, which lets nothing pass.

mod asked;
mod ending;
mod firing;
mod hook;
mod host;
mod inner;
mod line;
mod native_engine;
mod opening;
mod person;
mod runtime;
mod told;
