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
mod programs;
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

/// The longest time that a process may need to be stopped for its release.
const RELEASE: Duration = Duration::from_millis(500);

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
    /// The process gets its input, and is detached.
    Releasing,
    Released(becket_process::Standby),
    Ended(StandbyEnd),
}

impl Standby {
    /// Starts a command without its input, on a thread of its own. `kept` is dropped once the process is released or
    /// ended.
    ///
    /// # Errors
    /// Errors if there is no thread. Whether the command can be started and traced is reported by
    /// [`Standby::state`].
    pub fn start(command: Command, limits: StandbyLimits, kept: impl Send + 'static) -> io::Result<Self> {
        let shared = Arc::new(Shared { phase: Mutex::new(Phase::Starting), changed: Condvar::new() });
        let own = Arc::clone(&shared);
        let work = move || {
            let _kept = kept;
            let end = EndOfThread(own);
            if let Err(why) = supervise(&command, limits, &end.0) {
                end.0.end(why);
            }
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
            Phase::Checked | Phase::Wanted(_) | Phase::Releasing | Phase::Released(_) => {
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
                Phase::Starting
                | Phase::Checked
                | Phase::Wanted(_)
                | Phase::Releasing
                | Phase::Released(_) => return Err(StandbyEnd::Cancelled),
            }
        };
        if let Some(path) = observations.changed() {
            return Err(StandbyEnd::Changed(path.display().to_string()));
        }
        let mut phase = self.shared.lock();
        match &*phase {
            Phase::Checked => *phase = Phase::Wanted(input),
            Phase::Ended(why) => return Err(why.clone()),
            Phase::Starting
            | Phase::Waiting { .. }
            | Phase::Wanted(_)
            | Phase::Releasing
            | Phase::Released(_) => {
                return Err(StandbyEnd::Cancelled);
            }
        }
        self.shared.changed.notify_all();
        let until = Instant::now() + RELEASE;
        loop {
            match std::mem::replace(&mut *phase, Phase::Releasing) {
                Phase::Released(process) => return Ok(process),
                Phase::Ended(why) => {
                    *phase = Phase::Ended(why.clone());
                    return Err(why);
                }
                // The input has not been written: the command can still be started for it.
                Phase::Wanted(_) if Instant::now() >= until => {
                    *phase = Phase::Ended(StandbyEnd::TooSlow);
                    return Err(StandbyEnd::TooSlow);
                }
                before @ (Phase::Starting
                | Phase::Waiting { .. }
                | Phase::Checked
                | Phase::Wanted(_)
                | Phase::Releasing) => *phase = before,
            }
            (phase, _) =
                self.shared.changed.wait_timeout(phase, RELEASE).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Ends the state of a thread that ends, also by a panic.
struct EndOfThread(Arc<Shared>);

impl Drop for EndOfThread {
    fn drop(&mut self) {
        self.0.end(StandbyEnd::Exited);
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
        self.shared.end(StandbyEnd::Cancelled);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the state, unless the process has been released, or the state has ended for another reason.
    fn end(&self, why: StandbyEnd) {
        let mut phase = self.lock();
        if !matches!(*phase, Phase::Released(_) | Phase::Ended(_)) {
            *phase = Phase::Ended(why);
        }
        drop(phase);
        self.changed.notify_all();
    }

    /// Waits for at most this long; returns an error if the process is not needed any more.
    fn pause(&self, pause: Duration) -> Result<(), StandbyEnd> {
        let phase = self.lock();
        let (phase, _) = self.changed.wait_timeout(phase, pause).unwrap_or_else(PoisonError::into_inner);
        match &*phase {
            Phase::Starting => Ok(()),
            Phase::Ended(why) => Err(why.clone()),
            Phase::Waiting { .. }
            | Phase::Checked
            | Phase::Wanted(_)
            | Phase::Releasing
            | Phase::Released(_) => Err(StandbyEnd::Cancelled),
        }
    }

    /// Waits until the process is wanted.
    fn until_wanted(&self, until: Instant) -> Result<(), StandbyEnd> {
        let mut phase = self.lock();
        loop {
            match &*phase {
                Phase::Wanted(_) => return Ok(()),
                Phase::Ended(why) => return Err(why.clone()),
                Phase::Waiting { .. } if Instant::now() >= until => {
                    *phase = Phase::Ended(StandbyEnd::Aged);
                    return Err(StandbyEnd::Aged);
                }
                Phase::Starting
                | Phase::Waiting { .. }
                | Phase::Checked
                | Phase::Releasing
                | Phase::Released(_) => (),
            }
            let rest = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(10));
            (phase, _) = self.changed.wait_timeout(phase, rest).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes the input of a process that is ready to be detached, if it is still wanted.
    fn take_input(&self) -> Result<Bytes, StandbyEnd> {
        let mut phase = self.lock();
        match std::mem::replace(&mut *phase, Phase::Releasing) {
            Phase::Wanted(input) => Ok(input),
            Phase::Ended(why) => {
                *phase = Phase::Ended(why.clone());
                Err(why)
            }
            before @ (Phase::Starting
            | Phase::Waiting { .. }
            | Phase::Checked
            | Phase::Releasing
            | Phase::Released(_)) => {
                *phase = before;
                Err(StandbyEnd::Cancelled)
            }
        }
    }

    fn released(&self, process: becket_process::Standby) {
        *self.lock() = Phase::Released(process);
        self.changed.notify_all();
    }

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

/// Starts, traces and releases the process. If an error is returned, nothing is left of it.
fn supervise(command: &Command, limits: StandbyLimits, shared: &Shared) -> Result<(), StandbyEnd> {
    let started = Instant::now();
    let mut observations = Observations::default();
    programs::observe_command(command, &mut observations)?;
    let process =
        becket_process::Standby::spawn(command).map_err(|error| StandbyEnd::NotStarted(error.to_string()))?;
    let mut trace = Trace::begin(process, observations)?;
    trace.until_it_waits(|pause| shared.pause(pause), started + limits.start)?;
    let memory = trace.memory();
    let observations = trace.take_observations();
    shared.set_waiting(Phase::Waiting { observations, memory })?;
    shared.until_wanted(started + limits.age)?;
    trace.stop_all()?;
    let input = shared.take_input()?;
    shared.released(trace.release(input)?);
    Ok(())
}
