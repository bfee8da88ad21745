//! Linux and macOS: pipes, sessions, signals, exit statuses.
//!
//! The face is the same as that of `windows`: [`spawn`], [`Input`], [`Output`], [`Leader`], [`Ending`].

mod ending;
mod exec;
mod ffi;
mod kin;
mod leader;
mod pipes;
mod refusal;
mod spawn;

pub(crate) use ending::Ending;
pub(crate) use leader::Leader;
pub(crate) use pipes::{Input, Output};
pub(crate) use spawn::spawn;

#[cfg(test)]
mod tests;
