//! Parts of HTTP clients: bodies up to a cap, TLS roots, transport errors in words.

pub mod body;
pub mod tls;
mod transport_error;

pub use transport_error::{Peer, causes, deepest, io_error, tls_error};
