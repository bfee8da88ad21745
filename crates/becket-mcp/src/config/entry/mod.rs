//! One server's entry, in two steps: as written, and with its variables expanded.
//!
//! - `raw` reads the members and determines the type of the server; `keys` lists the keys of each type.
//! - `resolve` expands the variables and checks everything that depends on them; `address`, `headers` and `grant`
//!   check their parts.
//!
//! Errors do not quote values, and nothing is guessed: an entry that could be read in two ways is an error.

mod address;
mod grant;
mod headers;
mod keys;
mod provider;
mod raw;
mod resolve;

pub(super) use raw::RawEntry;
