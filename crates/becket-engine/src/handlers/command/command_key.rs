//! The identity of a command beyond one event.

use crate::config::handler::Handler;
use crate::config::{Config, nesting};
use becket_model::EventKind;
use becket_process::{Command, Program};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// The properties that two events share if they may have the same process: one that answers both, or one that was
/// started before the second.
#[derive(Debug)]
pub(super) struct CommandKey {
    /// The configuration under which it was started: another one may grant it other rights.
    config: Arc<Config>,
    event: EventKind,
    program: Program,
    env: Vec<(OsString, OsString)>,
    cwd: PathBuf,
}

impl CommandKey {
    /// Creates the key. The mark of the event (H14) and a private directory differ between events.
    pub(super) fn new(config: &Arc<Config>, handler: &Handler, command: &Command) -> Self {
        let differs = |name: &OsString| {
            name == nesting::VARIABLE || (command.confinement.is_some() && name == "TMPDIR")
        };
        let env = command.env.iter().filter(|(name, _)| !differs(name)).cloned().collect();
        let (program, cwd) = (command.program.clone(), command.cwd.clone());
        Self { config: Arc::clone(config), event: handler.event, program, env, cwd }
    }

    /// Returns true if both were made under the same configuration.
    pub(super) fn has_config_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.config, &other.config)
    }

    /// Returns true if a process of one command may run for the other.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.config, &other.config)
            && (self.event, &self.program, &self.cwd) == (other.event, &other.program, &other.cwd)
            && self.env == other.env
    }
}
