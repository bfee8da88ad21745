//! The context that the parts of a run share.

use super::control::{Host, Initialize};
use super::job::Job;
use super::options::Output;
use super::shutdown::RunProcesses;
use super::terminal::Terminal;
use crate::args::{InputFormat, RunArgs};
use crate::env::Surroundings;
use crate::out::Out;
use crate::session::Session;
use becket_engine::CancellationToken;
use std::path::Path;

/// The context of a run.
#[derive(Clone, Copy)]
pub(super) struct RunContext<'a> {
    pub(super) args: &'a RunArgs,
    pub(super) session: &'a Session,
    pub(super) around: &'a Surroundings,
    pub(super) out: &'a Out,
    pub(super) output: Output,
    pub(super) cancel: &'a CancellationToken,
    pub(super) left: &'a RunProcesses,
    /// A directory for the private files of this run; its users create it.
    pub(super) private: &'a Path,
    /// The recorded state of the run, for the program that started it in the background.
    pub(super) job: &'a Job,
    /// The program that drives the session over stdin and stdout, if it may.
    pub(super) host: Option<&'a Host>,
    /// The host's `initialize` request, if there was one.
    pub(super) wants: Option<&'a Initialize>,
    /// The terminal of the user, if the session is interactive.
    pub(super) terminal: Option<&'a Terminal>,
}

impl RunContext<'_> {
    /// Returns true if the run has one prompt, after which it ends.
    pub(super) fn is_one_shot(&self) -> bool {
        self.args.format.input_format != Some(InputFormat::StreamJson) && self.terminal.is_none()
    }
}
