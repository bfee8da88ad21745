//! The way in over HTTP: who is let in, what goes over it, and what is left when its clients are gone.

mod caller;
mod gate;
mod hostile;
mod left;
mod library;
mod linger;
mod room;
mod spoken;
