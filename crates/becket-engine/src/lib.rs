//! The embeddable hook engine.
//!
//! An event is matched to a [`Plan`]; the plan runs handlers; their replies and failures are folded into one
//! verdict; everything that happened is one ordered stream of [`RunEvent`]s. Planning and folding do no I/O;
//! loading a configuration and running handlers are the only effects. The library reads no environment and no home
//! directory: it knows what the caller hands in as an [`Environment`].

pub mod config;
pub mod handler;
pub mod hookset;

mod environment;
mod profile;

pub use environment::Environment;
pub use profile::Profile;
