//! HTTP: access, messages, and the state after the clients are gone.

mod caller;
mod gate;
mod hostile;
mod left;
mod library;
mod linger;
mod room;
mod spoken;
