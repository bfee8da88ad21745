//! Over real sockets, with a server of ours that does what each test wants.

mod auth;
mod ends;
mod eras;
mod faults;
mod meet;
mod streams;
mod tls;
