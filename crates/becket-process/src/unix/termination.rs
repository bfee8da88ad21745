//! Ends a process and everything that belongs to it, then reaps it. Blocks; runs on the reaper's threads.
//!
//! INVARIANT: the leader is reaped last. Until then its id, which is the group's, can't be reused.

use std::os::fd::OwnedFd;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

#[cfg(target_os = "linux")]
use super::continuation::is_copy;
use super::guard::Announcement;
use super::kin::Kin;
use super::leader::{self, Leader};
use super::pipes::{Input, Output};
use crate::command::Descendants;

/// The interval at which the remaining processes are checked; a pipe that closes or is written to is noticed at once.
const TICK: Duration = Duration::from_millis(10);
/// The maximum wait for killed processes. One in an uninterruptible wait of the kernel can outlive this.
const KILL_WAIT: Duration = Duration::from_secs(5);

/// A process group that is being ended. Killed and reaped on drop.
#[derive(Debug)]
pub(crate) struct Termination {
    leader: Pid,
    kin: Kin,
    pipes: Vec<OwnedFd>,
    _stdin: Option<OwnedFd>,
    /// Dropped after the leader was reaped.
    _announced: Announcement,
}

impl Termination {
    /// Takes over the process, and its pipes, which are drained and discarded: a process that prints while it cleans
    /// up must neither be killed by a closed pipe nor block on a full one.
    ///
    /// Closes its stdin now, but not that of a leader that adopts orphans: that could end it, and it has to be the
    /// last.
    pub(crate) fn new(leader: Leader, stdin: Option<Input>, outputs: [Option<Output>; 2]) -> Self {
        let (pid, announced, descendants) = leader.into_parts();
        let pipes = outputs.into_iter().flatten().map(Output::into_fd).collect();
        let kin = match descendants {
            Descendants::Adopted { kept } if cfg!(target_os = "linux") => Kin::adopted(pid, kept),
            // It is the child of a process that has ended.
            Descendants::Seen if is_copy() => Kin::orphaned(pid),
            Descendants::Adopted { .. } | Descendants::Seen => Kin::new(pid),
        };
        let stdin = stdin.filter(|_| kin.are_adopted()).map(Input::into_fd);
        Self { leader: pid, kin, pipes, _stdin: stdin, _announced: announced }
    }

    /// Sends SIGTERM to all processes, and waits up to `grace` until they are gone. The drop kills the rest.
    pub(crate) fn ask_then_kill(&mut self, grace: Duration) {
        self.hold_leader();
        self.kin.look();
        if self.kin.are_adopted() && !self.kin.is_alive() {
            return self.kill_leader();
        }
        self.signal(Signal::TERM);
        // A stopped process handles no signal until it continues.
        self.signal(Signal::CONT);
        self.wait_gone(grace);
    }

    /// Sends SIGKILL to all processes. Does not wait.
    pub(crate) fn kill(&mut self) {
        self.hold_leader();
        self.kin.look();
        self.signal(Signal::KILL);
    }

    /// Stops a leader that adopts orphans: it starts nothing more, and stays their parent until it is killed. It
    /// continues if this process ends before.
    fn hold_leader(&self) {
        if self.kin.are_adopted() && leader::is_ours(self.leader) {
            let _ = kill_process(self.leader, Signal::STOP);
        }
    }

    fn signal(&self, signal: Signal) {
        if self.kin.are_adopted() {
            // The leader goes last: until then every orphan becomes its child, and is seen.
            self.kin.signal_each(signal);
        } else if leader::is_ours(self.leader) {
            let _ = kill_process_group(self.leader, signal);
            self.kin.signal_leavers(signal);
        } else {
            self.kin.signal_each(signal);
        }
    }

    fn wait_gone(&mut self, limit: Duration) {
        let start = Instant::now();
        while !self.is_gone() && start.elapsed() < limit {
            self.drain_for_a_tick();
        }
    }

    fn is_gone(&mut self) -> bool {
        (self.kin.are_adopted() || leader::has_ended(self.leader)) && !self.kin.is_alive()
    }

    /// Kills the remaining processes, and those that they have started meanwhile, until none is left; then their
    /// leader.
    fn kill_adopted(&mut self) {
        let start = Instant::now();
        while self.kin.is_alive() && start.elapsed() < KILL_WAIT {
            self.kin.signal_each(Signal::KILL);
            self.drain_for_a_tick();
        }
        self.kill_leader();
        while !leader::has_ended(self.leader) && start.elapsed() < 2 * KILL_WAIT {
            self.drain_for_a_tick();
        }
    }

    fn kill_leader(&self) {
        if leader::is_ours(self.leader) {
            let _ = kill_process(self.leader, Signal::KILL);
        }
    }

    fn drain_for_a_tick(&mut self) {
        let tick = Timespec { tv_sec: 0, tv_nsec: TICK.as_nanos() as _ };
        let mut polled: Vec<PollFd<'_>> =
            self.pipes.iter().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
        if polled.is_empty() || poll(&mut polled, Some(&tick)).is_err() {
            return thread::sleep(TICK);
        }
        let ready: Vec<bool> = polled.iter().map(|fd| !fd.revents().is_empty()).collect();
        let mut ready = ready.into_iter();
        self.pipes.retain(|fd| !ready.next().unwrap_or(false) || throw_away(fd));
    }
}

/// Returns false: on this system no process continues as a copy.
#[cfg(not(target_os = "linux"))]
fn is_copy() -> bool {
    false
}

/// Leaves no process behind, even after a panic or if no thread could be started.
impl Drop for Termination {
    fn drop(&mut self) {
        // Even if no process is visible: on systems other than Linux the rest of a group is not, and killing an empty
        // group costs nothing.
        self.kill();
        if self.kin.are_adopted() {
            self.kill_adopted();
        } else {
            self.wait_gone(KILL_WAIT);
        }
        leader::reap(self.leader);
    }
}

/// Discards the data in a pipe; returns whether it is still open.
fn throw_away(fd: &OwnedFd) -> bool {
    let mut buffer = [0; 4096];
    match rustix::io::retry_on_intr(|| rustix::io::read(fd, &mut buffer)) {
        Ok(read) => read > 0,
        Err(error) => error == rustix::io::Errno::AGAIN,
    }
}
