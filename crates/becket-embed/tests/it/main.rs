//! Integration tests of embedded sessions, in one binary: a crate is linked once for all of them.

mod begins;
#[cfg(target_os = "linux")]
mod servers;
#[cfg(unix)]
mod sessions;
