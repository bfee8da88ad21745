//! Whole runs of `becket run`: settings, hooks that are real processes, and a model behind a loopback Messages API.
//!
//! A case is data (`cases/*.json`, a file for each family): what lies where, what each hook does, what the model says, and
//! what is wanted: what hooks were told, what the model was told, what the run printed and left behind. See [`case`] for
//! the form. `BECKET_CASE=part-of-a-name cargo test -p becket-cli --test run` runs the cases of that name alone.

#![cfg(target_os = "linux")]
#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod case;
mod coverage;
mod events;
mod hard;
mod judge;
mod pattern;
mod place;
mod seen;
mod suite;
