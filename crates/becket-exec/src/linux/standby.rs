//! A command that is started ahead of its input, and waits before the first system call whose result or effect could
//! differ from that of a later start.
//!
//! A thread of its own traces it (ptrace), with all that it starts. System calls that only concern the process itself
//! are made; files that it reads, looks at or finds missing are remembered as they are; at any other call (the input is
//! read, something is written, a program's own code looks at the clock) the thread that makes it is held. When the input
//! is there, and the files are still as they were, the process is released and runs on without a tracer: what it has done
//! so far is what it would have done if it had been started now.
//!
//! INVARIANT: a process that is not released is killed, with everything that it has started, also if this process or
//! the thread that traces it ends.

mod calls;
mod descriptors;
mod observations;
mod program_facts;
mod trace;

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use becket_process::Command;
use bytes::Bytes;

use crate::standby::{StandbyEnd, StandbyLimits, StandbyState};
use observations::Observations;
use trace::Trace;

/// The stack size of the thread that traces.
const STACK: usize = 1 << 18;

/// A command that is started ahead of its input. Dropping it ends the command.
#[derive(Debug)]
pub struct Standby {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// The state that an owner shares with the thread that traces.
#[derive(Debug)]
struct Shared {
    phase: Mutex<Phase>,
    changed: Condvar,
}

#[derive(Debug)]
enum Phase {
    Starting,
    Waiting {
        observations: Observations,
        memory: u64,
    },
    /// The owner compares the observations.
    Checked,
    /// The owner wants it to run with this input.
    Wanted(Bytes),
    Released(becket_process::Standby),
    Ended(StandbyEnd),
}

impl Standby {
    /// Starts a command without its input, on a thread of its own.
    ///
    /// # Errors
    /// Errors if there is no thread. Whether the command can be started and traced is reported by
    /// [`Standby::state`].
    pub fn start(command: Command, limits: StandbyLimits) -> io::Result<Self> {
        let shared = Arc::new(Shared { phase: Mutex::new(Phase::Starting), changed: Condvar::new() });
        let own = Arc::clone(&shared);
        let work = move || {
            let why = match supervise(&command, limits, &own) {
                Ok(()) => return,
                Err(why) => why,
            };
            own.set(Phase::Ended(why));
        };
        let thread = thread::Builder::new().name("becket-standby".into()).stack_size(STACK).spawn(work)?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Returns its present state.
    #[must_use]
    pub fn state(&self) -> StandbyState {
        match &*self.shared.lock() {
            Phase::Starting => StandbyState::Starting,
            Phase::Waiting { memory, .. } => StandbyState::Waiting { memory: *memory },
            Phase::Ended(why) => StandbyState::Ended(why.clone()),
            Phase::Checked | Phase::Wanted(_) | Phase::Released(_) => {
                StandbyState::Ended(StandbyEnd::Cancelled)
            }
        }
    }

    /// Releases the process with its input, to be run by [`becket_process::Runner::run_standby`]. Blocks for a fraction
    /// of a millisecond: the files that the process has read are compared with what it has seen.
    ///
    /// # Errors
    /// Errors if the process can't be used; then it is ended, and has had no effect.
    pub fn release(self, input: Bytes) -> Result<becket_process::Standby, StandbyEnd> {
        let observations = {
            let mut phase = self.shared.lock();
            match std::mem::replace(&mut *phase, Phase::Checked) {
                Phase::Waiting { observations, .. } => observations,
                Phase::Ended(why) => return Err(why),
                Phase::Starting | Phase::Checked | Phase::Wanted(_) | Phase::Released(_) => {
                    return Err(StandbyEnd::TooSlow);
                }
            }
        };
        if let Some(path) = observations.changed() {
            return Err(StandbyEnd::Changed(path.display().to_string()));
        }
        self.shared.set(Phase::Wanted(input));
        let mut phase = self.shared.lock();
        loop {
            match std::mem::replace(&mut *phase, Phase::Checked) {
                Phase::Released(process) => return Ok(process),
                Phase::Ended(why) => return Err(why),
                before @ (Phase::Starting | Phase::Waiting { .. } | Phase::Checked | Phase::Wanted(_)) => {
                    *phase = before;
                    phase = self.shared.changed.wait(phase).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

impl Standby {
    /// Ends the command, and waits until all of its processes are gone: a few milliseconds.
    pub fn end(mut self) {
        let thread = self.thread.take();
        drop(self);
        if let Some(thread) = thread {
            // A panic there has killed the processes as well.
            let _ = thread.join();
        }
    }
}

impl Drop for Standby {
    fn drop(&mut self) {
        self.shared.set(Phase::Ended(StandbyEnd::Cancelled));
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, phase: Phase) {
        let before = std::mem::replace(&mut *self.lock(), phase);
        self.changed.notify_all();
        drop(before);
    }

    /// Waits for at most this long; returns an error if the process is not needed any more.
    fn pause(&self, pause: Duration) -> Result<(), StandbyEnd> {
        let phase = self.lock();
        let (phase, _) = self.changed.wait_timeout(phase, pause).unwrap_or_else(PoisonError::into_inner);
        match &*phase {
            Phase::Starting => Ok(()),
            Phase::Ended(why) => Err(why.clone()),
            Phase::Waiting { .. } | Phase::Checked | Phase::Wanted(_) | Phase::Released(_) => {
                Err(StandbyEnd::Cancelled)
            }
        }
    }

    /// Waits until the process is wanted, and returns its input.
    fn input(&self, until: Instant) -> Result<Bytes, StandbyEnd> {
        let mut phase = self.lock();
        loop {
            match &mut *phase {
                Phase::Wanted(input) => {
                    let input = std::mem::take(input);
                    return Ok(input);
                }
                Phase::Ended(why) => return Err(why.clone()),
                Phase::Waiting { .. } if Instant::now() >= until => return Err(StandbyEnd::Aged),
                Phase::Starting | Phase::Waiting { .. } | Phase::Checked | Phase::Released(_) => (),
            }
            let rest = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(10));
            (phase, _) = self.changed.wait_timeout(phase, rest).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Starts, traces and releases the process. If an error is returned, nothing is left of it.
fn supervise(command: &Command, limits: StandbyLimits, shared: &Shared) -> Result<(), StandbyEnd> {
    let started = Instant::now();
    let process =
        becket_process::Standby::spawn(command).map_err(|error| StandbyEnd::NotStarted(error.to_string()))?;
    let mut trace = Trace::begin(process)?;
    trace.until_it_waits(|pause| shared.pause(pause), started + limits.start)?;
    let memory = trace.memory();
    shared.set_waiting(Phase::Waiting { observations: trace.take_observations(), memory })?;
    let input = shared.input(started + limits.age)?;
    shared.set(Phase::Released(trace.release(input)?));
    Ok(())
}

impl Shared {
    /// Sets the phase, unless the process is not needed any more.
    fn set_waiting(&self, waiting: Phase) -> Result<(), StandbyEnd> {
        let mut phase = self.lock();
        if let Phase::Ended(why) = &*phase {
            return Err(why.clone());
        }
        *phase = waiting;
        Ok(())
    }
}
