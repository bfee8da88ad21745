//! A session at a real terminal, walked through as a person would: tmux presses the keys and reads the screen.

#![cfg(target_os = "linux")]
#![expect(clippy::expect_used, reason = "a test fails by panicking")]

mod asking;
mod basics;
mod dumb;
mod ends;
mod hooks;
mod permission;
mod place;
#[path = "../cli/tmux.rs"]
mod tmux;
mod trust;
mod width;
