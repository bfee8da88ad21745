//! Whole runs of `becket run`: settings, hooks that are real processes, and a model behind a loopback Messages API.
//!
//! A case is data (`cases/*.json`, a file for each family): the files, the scripts of hooks, the answers of the model,
//! and the expectations: inputs of hooks, requests to the model, output and remaining files of the run. See [`case`]
//! for the format. `BECKET_CASE=part-of-a-name cargo test -p becket-cli --test run` runs only the cases with that name.

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
