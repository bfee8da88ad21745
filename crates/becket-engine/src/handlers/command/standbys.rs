//! Commands that are started ahead of their events (H3).
//!
//! INVARIANT: a standby that can't be used is replaced by a start for the event: nothing depends on one.

use super::PreparedCommand;
use super::command_key::CommandKey;
use crate::config::handler::{Background, Handler, Warm};
use crate::config::nesting;
use crate::handlers::context::HandlerContext;
use crate::host::standby::{HookStandby, HookStandbyState, HookStandbys};
use becket_model::table::DecisionModel;
use becket_process::{Command, Standby};
use bytes::Bytes;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The number of runs of a command after which the next one is started ahead.
const RUNS: u32 = 2;
/// The time within which they have to follow one another.
const HOT: Duration = Duration::from_secs(300);
/// The shortest run that is worth it.
const SHORTEST: Duration = Duration::from_millis(3);
/// The number of processes in a row that could not be used, after which no more are started ahead.
const FAILURES: u32 = 3;
/// The largest number of commands whose runs are counted.
const MOST_COMMANDS: usize = 64;
/// The largest number of processes that wait.
const MOST_STANDBYS: usize = 8;
/// The largest amount of memory of the processes that wait, in bytes.
const MOST_MEMORY: u64 = 64 << 20;

/// The mark (H14) of a process that does not know its event yet: that of no event.
const NO_MARK: &str = "00000000000000000000000000000000";

/// The commands that run often, the least recently used first, with the processes that wait for their next events.
#[derive(Default)]
pub(crate) struct Standbys(Mutex<Vec<HotCommand>>);

/// A command that has run.
struct HotCommand {
    key: CommandKey,
    runs: u32,
    last_run: Instant,
    /// The processes in a row that could not be used.
    failures: u32,
    standby: Option<Box<dyn HookStandby>>,
}

/// A run of a command that may be started ahead.
pub(super) struct Candidate {
    key: CommandKey,
    /// The command without its input, and without the mark of its event.
    command: Command,
    host: Arc<dyn HookStandbys>,
}

impl Candidate {
    /// Returns the candidate for a run; `None` if it must be started for its event: in the background, with questions, an
    /// environment file or rights of its own, or as a worker.
    pub(super) fn of(
        context: &HandlerContext<'_>,
        handler: &Handler,
        prepared: &PreparedCommand,
    ) -> Option<Self> {
        let host = context.engine.host.standbys.as_ref()?;
        let spec = context.event.kind().spec();
        let is_suited = handler.warm == Warm::Auto
            && handler.background == Background::No
            && !handler.questions
            && !spec.env_file
            && spec.decision != DecisionModel::Path
            && prepared.command.confinement.is_none()
            && context.engine.host.interceptor.is_none();
        if !is_suited {
            return None;
        }
        let key = CommandKey::new(&context.snapshot.config, handler, &prepared.command);
        let mut command = Command { stdin: Bytes::new(), ..prepared.command.clone() };
        for (name, value) in &mut command.env {
            if name == nesting::VARIABLE {
                *value = NO_MARK.into();
            }
        }
        Some(Self { key, command, host: Arc::clone(host) })
    }
}

impl Standbys {
    /// Returns a process of the command that was started ahead, released with its input.
    pub(super) fn take(&self, candidate: &Candidate, input: &Bytes) -> Option<Standby> {
        let standby = {
            let mut commands = self.lock();
            let command = commands.iter_mut().find(|command| command.key.is_same(&candidate.key))?;
            if command.standby.as_ref()?.state() == HookStandbyState::Starting {
                return None;
            }
            command.standby.take()?
        };
        let released = standby.release(input.clone());
        let mut commands = self.lock();
        let command = commands.iter_mut().find(|command| command.key.is_same(&candidate.key));
        if let Some(command) = command {
            command.failures = match &released {
                Ok(_) => 0,
                Err(end) if end.is_lasting => FAILURES,
                Err(_) => command.failures.saturating_add(1),
            };
        }
        released.ok()
    }

    /// Counts a run, and starts the next process of a command that is hot. Processes of other configurations are ended.
    pub(super) fn ran(&self, candidate: Candidate, elapsed: Duration, was_ahead: bool) {
        let Candidate { key, command, host } = candidate;
        let now = Instant::now();
        let mut commands = self.lock();
        commands.retain(|command| command.key.has_config_of(&key));
        let mut hot = match commands.iter().position(|command| command.key.is_same(&key)) {
            Some(at) => commands.remove(at),
            None => HotCommand { key, runs: 0, last_run: now, failures: 0, standby: None },
        };
        hot.runs = if now.duration_since(hot.last_run) < HOT { hot.runs.saturating_add(1) } else { 1 };
        hot.last_run = now;
        let is_worth_it = was_ahead || elapsed >= SHORTEST;
        if hot.runs >= RUNS && is_worth_it && hot.failures < FAILURES && !hot.is_ready() {
            hot.standby = host.start(command).ok();
        }
        commands.push(hot);
        bound(&mut commands);
    }

    /// Returns the number of processes that wait for their events.
    pub(crate) fn waiting(&self) -> usize {
        let waits = |command: &&HotCommand| {
            let state = command.standby.as_ref().map(|standby| standby.state());
            matches!(state, Some(HookStandbyState::Waiting { .. }))
        };
        self.lock().iter().filter(waits).count()
    }

    /// Ends all processes, and waits until they are gone.
    pub(crate) fn end(&self) {
        let commands = std::mem::take(&mut *self.lock());
        for command in commands {
            if let Some(standby) = command.standby {
                standby.end();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<HotCommand>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HotCommand {
    /// Returns true if a process waits, or will.
    fn is_ready(&self) -> bool {
        self.standby.as_ref().is_some_and(|standby| match standby.state() {
            HookStandbyState::Starting | HookStandbyState::Waiting { .. } => true,
            HookStandbyState::Ended(_) => false,
        })
    }
}

/// Ends the processes of the commands that were used least recently, where there are too many, or they are too large.
fn bound(commands: &mut Vec<HotCommand>) {
    let excess = commands.len().saturating_sub(MOST_COMMANDS);
    commands.drain(..excess);
    let (mut number, mut total) = (0, 0);
    for command in commands.iter_mut().rev() {
        let Some(standby) = &command.standby else { continue };
        let memory = match standby.state() {
            HookStandbyState::Waiting { memory } => memory,
            HookStandbyState::Starting | HookStandbyState::Ended(_) => 0,
        };
        number += 1;
        total += memory;
        if number > MOST_STANDBYS || total > MOST_MEMORY {
            total -= memory;
            command.standby = None;
        }
    }
}

impl fmt::Debug for Standbys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Standbys").finish_non_exhaustive()
    }
}
