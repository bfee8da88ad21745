//! One server's entry, in two steps: what was written, and what it means once its variables are filled in.
//!
//! - `written` reads the members and tells which type of server they describe; `keys` knows which type has which.
//! - `resolve` fills in the variables and checks what only then can be checked; `address`,
//!   `headers` and `grant` judge their part.
//!
//! It refuses to quote values, and to guess: an entry that could be read in two ways is an error.

mod address;
mod grant;
mod headers;
mod keys;
mod provider;
mod resolve;
mod written;

pub(super) use written::Written;
