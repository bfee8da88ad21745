//! Integration tests of embedded sessions, in one binary: a crate is linked once for all of them.

mod begins;
mod hook_tools;
#[cfg(target_os = "linux")]
mod servers;
#[cfg(unix)]
mod sessions;
