//! Tests over real sockets, with a server whose behaviour each test defines.

mod auth;
mod ends;
mod eras;
mod faults;
mod meet;
mod streams;
mod tls;
