//! Integration tests of embedded sessions, in one binary, so that the crate is linked once.

mod begins;
mod hook_tools;
#[cfg(target_os = "linux")]
mod servers;
#[cfg(unix)]
mod sessions;
