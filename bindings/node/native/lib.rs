//! The engine in the process of a Node program, behind the JavaScript interface in `lib/`.
//!
//! - `native_engine`: the object that JavaScript holds; `inner`: its state, independent of the thread
//! - `firing`: an event in progress, on JavaScript's own thread if nothing else has to be awaited
//! - `executing`: a program in progress
//! - `questions`, `hook`, `person`: questions to JavaScript: hooks, and questions to its user
//! - `channel`: the message channel to JavaScript
//! - `opening`, `host`: opening a session from options
//! - `runtime`: the threads that all engines of a process share
//! - `ending`: cleanup at the end of a JavaScript thread
//!
//! It decides nothing. Data crosses as JSON, which both sides parse faster than they build objects of the other.
//!
//! INVARIANT: nothing here keeps a process alive, and no panic leaves it: a panic becomes an error, which fails closed.

mod channel;
mod ending;
mod executing;
mod firing;
mod hook;
mod host;
mod inner;
mod native_engine;
mod observer;
mod opening;
mod person;
mod questions;
mod runtime;
