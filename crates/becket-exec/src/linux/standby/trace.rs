//! The trace of one process and all that it starts: from the first instruction until all threads are held or wait for
//! one another, and the release.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::calls::{Call, Judgement};
use super::observations::Observations;
use super::program_facts::ProgramFacts;
use crate::linux::memory::{self, Memory};
use crate::linux::process_path::group;
use crate::linux::ptrace::{self, CallStop, Report, WaitOutcome};
use crate::linux::registers;
use crate::standby::StandbyEnd;

/// The pauses between two looks at threads of which none has reported anything.
const PAUSES: [Duration; 2] = [Duration::from_micros(200), Duration::from_millis(8)];

/// The largest number of threads.
const MOST_THREADS: usize = 256;

/// The entry of the auxiliary vector with the address of the vDSO, in which the clock is read without a system call.
const AT_SYSINFO_EHDR: u64 = 33;
/// The number of an entry that is ignored.
const AT_IGNORE: u64 = 1;

/// The processes that a command consists of. Dropping it kills them all.
pub(super) struct Trace {
    process: Option<becket_process::Standby>,
    leader: libc::pid_t,
    pipes: [u64; 3],
    threads: HashMap<libc::pid_t, Thread>,
    /// The threads that have stopped, or even ended, before their start was reported.
    early: HashSet<libc::pid_t>,
    /// The facts about the program of each process.
    facts: HashMap<libc::pid_t, ProgramFacts>,
    observations: Observations,
}

/// A traced thread.
struct Thread {
    process: libc::pid_t,
    state: ThreadState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThreadState {
    /// It was reported as a child, and has not stopped yet.
    New,
    Runs,
    /// It is stopped before a system call.
    Held,
}

fn refused(error: std::io::Error) -> StandbyEnd {
    StandbyEnd::NotStarted(error.to_string())
}

impl Trace {
    /// Begins the trace of a process that is stopped before its first instruction. The calling thread has started it.
    pub(super) fn begin(
        process: becket_process::Standby,
        observations: Observations,
    ) -> Result<Self, StandbyEnd> {
        let leader = process.id();
        let mut trace = Self {
            leader,
            pipes: process.pipes(),
            process: Some(process),
            threads: HashMap::from([(leader, Thread { process: leader, state: ThreadState::Runs })]),
            early: HashSet::new(),
            facts: HashMap::new(),
            observations,
        };
        match ptrace::wait_for_tracee(leader, true).map_err(refused)? {
            WaitOutcome::Report(_, Report::Signal(libc::SIGTRAP)) => (),
            WaitOutcome::Report(..) | WaitOutcome::Nothing | WaitOutcome::NoChildren => {
                return Err(StandbyEnd::Exited);
            }
        }
        ptrace::set_options(leader).map_err(refused)?;
        trace.begin_program(leader)?;
        let directory = fs::read_link(format!("/proc/{leader}/cwd")).map_err(refused)?;
        trace.observations.observe_place(&directory).ok_or(StandbyEnd::Exited)?;
        ptrace::go_on_to_call(leader, 0);
        Ok(trace)
    }

    /// Traces until every thread is held, or waits for another one.
    pub(super) fn until_it_waits(
        &mut self,
        mut pause: impl FnMut(Duration) -> Result<(), StandbyEnd>,
        until: Instant,
    ) -> Result<(), StandbyEnd> {
        let mut next = PAUSES[0];
        loop {
            match ptrace::wait_for_tracee(-1, false).map_err(refused)? {
                WaitOutcome::Report(thread, report) => {
                    self.follow(thread, report)?;
                    next = PAUSES[0];
                }
                WaitOutcome::NoChildren => return Err(StandbyEnd::Exited),
                WaitOutcome::Nothing if next > PAUSES[0] && self.waits() => return Ok(()),
                WaitOutcome::Nothing if Instant::now() >= until => return Err(StandbyEnd::TooSlow),
                WaitOutcome::Nothing => {
                    pause(next)?;
                    next = PAUSES[1].min(next * 2);
                }
            }
        }
    }

    fn follow(&mut self, thread: libc::pid_t, report: Report) -> Result<(), StandbyEnd> {
        match report {
            Report::Ended(_) if thread == self.leader => return Err(StandbyEnd::Exited),
            Report::Ended(_) => {
                self.threads.remove(&thread);
                self.facts.remove(&thread);
            }
            Report::Executed(former) => {
                if former != thread {
                    self.threads.remove(&former);
                }
                self.begin_program(thread)?;
                ptrace::go_on_to_call(thread, 0);
            }
            Report::Started(child) => {
                self.add(thread, child)?;
                ptrace::go_on_to_call(thread, 0);
            }
            Report::Signal(libc::SIGSTOP) if self.is_new(thread) => {
                let known =
                    self.threads.insert(thread, Thread { process: group(thread), state: ThreadState::Runs });
                if known.is_none() {
                    self.early.insert(thread);
                }
                ptrace::go_on_to_call(thread, 0);
            }
            Report::Signal(signal) => ptrace::go_on_to_call(thread, signal),
            Report::Returned => self.at_call(thread)?,
            Report::Calling | Report::GroupStop | Report::Trap => ptrace::go_on_to_call(thread, 0),
        }
        Ok(())
    }

    /// Returns true for a thread that has not run yet: a stop of it may be reported before its start.
    fn is_new(&self, thread: libc::pid_t) -> bool {
        self.threads.get(&thread).is_none_or(|thread| thread.state == ThreadState::New)
    }

    fn add(&mut self, parent: libc::pid_t, child: libc::pid_t) -> Result<(), StandbyEnd> {
        if self.threads.len() >= MOST_THREADS {
            return Err(StandbyEnd::NotStarted(format!("it has more than {MOST_THREADS} threads")));
        }
        if self.early.remove(&child) && !self.threads.contains_key(&child) {
            return Ok(());
        }
        let process = group(child);
        if process == child {
            let parent = self.threads.get(&parent).map_or(parent, |thread| thread.process);
            let facts = self.facts.get(&parent).cloned().unwrap_or_default();
            self.facts.insert(child, facts);
        }
        let state = self.threads.get(&child).map_or(ThreadState::New, |thread| thread.state);
        self.threads.insert(child, Thread { process, state });
        Ok(())
    }

    /// Prepares a new program: it reads the clock by system calls.
    fn begin_program(&mut self, thread: libc::pid_t) -> Result<(), StandbyEnd> {
        self.threads.insert(thread, Thread { process: thread, state: ThreadState::Runs });
        self.facts.insert(thread, ProgramFacts::of(thread));
        hide_vdso(thread).map_err(refused)
    }

    fn at_call(&mut self, thread: libc::pid_t) -> Result<(), StandbyEnd> {
        // A tracee that was killed meanwhile is reported next.
        let (number, arguments) = match ptrace::call_stop(thread) {
            Ok(Some(CallStop::Entry { number, arguments })) => (number, arguments),
            Ok(Some(CallStop::ForeignEntry)) | Err(_) => {
                self.hold(thread);
                return Ok(());
            }
            Ok(Some(CallStop::Exit) | None) => {
                ptrace::go_on_to_call(thread, 0);
                return Ok(());
            }
        };
        let process = self.threads.get(&thread).map_or(thread, |thread| thread.process);
        let mut call = Call {
            thread,
            process,
            is_of_leader: process == self.leader,
            number,
            arguments,
            pipes: self.pipes,
            facts: self.facts.entry(process).or_default(),
            observations: &mut self.observations,
        };
        match call.judge() {
            Judgement::Make => ptrace::go_on_to_call(thread, 0),
            Judgement::Hold => self.hold(thread),
            Judgement::Unsuited(why) => return Err(why),
        }
        Ok(())
    }

    fn hold(&mut self, thread: libc::pid_t) {
        if let Some(thread) = self.threads.get_mut(&thread) {
            thread.state = ThreadState::Held;
        }
    }

    /// Returns true if each thread is held, or sleeps in a call that another one of them ends.
    fn waits(&self) -> bool {
        self.threads.iter().all(|(id, thread)| match thread.state {
            ThreadState::Held => true,
            ThreadState::Runs => sleeps(*id),
            ThreadState::New => false,
        })
    }

    /// Returns the memory of all processes, in bytes.
    pub(super) fn memory(&self) -> u64 {
        let mut processes: Vec<_> = self.threads.values().map(|thread| thread.process).collect();
        processes.sort_unstable();
        processes.dedup();
        processes.into_iter().filter_map(resident).sum()
    }

    /// Returns the files that the process has seen.
    pub(super) fn take_observations(&mut self) -> Observations {
        std::mem::take(&mut self.observations)
    }

    /// Stops the threads that sleep, so that all can be detached.
    pub(super) fn stop_all(&mut self) -> Result<(), StandbyEnd> {
        if ptrace::wait_for_tracee(-1, false).map_err(refused)? != WaitOutcome::Nothing {
            return Err(StandbyEnd::Exited);
        }
        let running: Vec<_> = self
            .threads
            .iter()
            .filter(|(_, thread)| thread.state != ThreadState::Held)
            .map(|(id, thread)| (*id, thread.process))
            .collect();
        for (id, process) in running {
            self.stop(id, process)?;
        }
        Ok(())
    }

    /// Gives the process its input, and stops tracing it: all threads continue, those that were held with their call.
    pub(super) fn release(mut self, input: Bytes) -> Result<becket_process::Standby, StandbyEnd> {
        self.process.as_mut().ok_or(StandbyEnd::Exited)?.feed(input).map_err(refused)?;
        for thread in self.threads.keys() {
            ptrace::detach(*thread);
        }
        self.threads.clear();
        self.process.take().ok_or(StandbyEnd::Exited)
    }

    /// Stops a thread that sleeps in a system call; the call continues when it is detached.
    fn stop(&self, thread: libc::pid_t, process: libc::pid_t) -> Result<(), StandbyEnd> {
        ptrace::signal_thread(process, thread, libc::SIGSTOP);
        loop {
            match ptrace::wait_for_tracee(thread, true).map_err(refused)? {
                WaitOutcome::Report(_, Report::Signal(libc::SIGSTOP)) => return Ok(()),
                WaitOutcome::Report(_, Report::Returned) => ptrace::go_on(thread, 0),
                WaitOutcome::Report(
                    ..,
                    Report::Ended(_)
                    | Report::Executed(_)
                    | Report::Calling
                    | Report::Started(_)
                    | Report::GroupStop
                    | Report::Trap
                    | Report::Signal(_),
                )
                | WaitOutcome::Nothing
                | WaitOutcome::NoChildren => return Err(StandbyEnd::Exited),
            }
        }
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        if self.threads.is_empty() {
            return;
        }
        for thread in self.threads.values() {
            ptrace::kill(thread.process);
        }
        ptrace::kill(self.leader);
        // A child that was not reported yet is killed when it is.
        while let Ok(WaitOutcome::Report(thread, report)) = ptrace::wait_for_tracee(-1, true) {
            match report {
                Report::Ended(_) => (),
                Report::Executed(_)
                | Report::Calling
                | Report::Returned
                | Report::Started(_)
                | Report::GroupStop
                | Report::Trap
                | Report::Signal(_) => ptrace::kill(group(thread)),
            }
        }
    }
}

/// Takes the vDSO away from a program that has not run: its C library then makes system calls instead.
fn hide_vdso(process: libc::pid_t) -> std::io::Result<()> {
    let registers = ptrace::registers(process)?.ok_or(std::io::ErrorKind::Unsupported)?;
    let start = registers::stack(&registers);
    let mut stack = Memory::read(process, start)?;
    let mut at = start + 8 * (stack.word(start)? + 2);
    while stack.word(at)? != 0 {
        at += 8;
    }
    at += 8;
    loop {
        match stack.word(at)? {
            0 => return Ok(()),
            AT_SYSINFO_EHDR => return memory::write(process, at, &AT_IGNORE.to_le_bytes()),
            _ => at += 16,
        }
    }
}

/// Returns true if a thread sleeps until something wakes it.
fn sleeps(thread: libc::pid_t) -> bool {
    let stat = fs::read_to_string(format!("/proc/{thread}/stat")).unwrap_or_default();
    // The name, in parentheses, may contain anything.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('S'))
}

/// Returns the memory of a process that is in use, in bytes.
fn resident(process: libc::pid_t) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(kilobytes.trim().trim_end_matches(" kB").parse::<u64>().ok()? << 10)
}
