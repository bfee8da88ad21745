//! Ends a process and everybody who belongs to it, then reaps it. Blocks; runs on the reaper's threads.
//!
//! INVARIANT: the leader is reaped last. Until then its id, which is the group's, can't name anybody else.

use std::os::fd::OwnedFd;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use super::guard::Announced;
use super::kin::Kin;
use super::leader::{self, Leader};
use super::pipes::Output;

/// How often it is looked whether somebody is left; a pipe that closes or talks is heard at once.
const TICK: Duration = Duration::from_millis(10);
/// How long killed processes are waited for. One in an uninterruptible wait of the kernel can outlive this.
const KILL_WAIT: Duration = Duration::from_secs(5);

/// A process group on its way out. Dropped, it is killed and reaped.
#[derive(Debug)]
pub(crate) struct Ending {
    leader: Pid,
    kin: Kin,
    pipes: Vec<OwnedFd>,
    /// Dropped after the leader was reaped.
    _announced: Announced,
}

impl Ending {
    /// Takes the process over, and its pipes, which are read and thrown away: a process that prints while it cleans up
    /// must neither die of a closed pipe nor stop at a full one.
    pub(crate) fn new(leader: Leader, stdout: Option<Output>, stderr: Option<Output>) -> Self {
        let (pid, announced) = leader.into_parts();
        let pipes = [stdout, stderr].into_iter().flatten().map(Output::into_fd).collect();
        Self { leader: pid, kin: Kin::new(pid), pipes, _announced: announced }
    }

    /// SIGTERM to all, and waits for at most `grace` until they are gone. What is left is for the drop to kill.
    pub(crate) fn ask_then_kill(&mut self, grace: Duration) {
        self.kin.look();
        self.signal(Signal::TERM);
        // A stopped process hears nothing until it goes on.
        self.signal(Signal::CONT);
        self.wait_gone(grace);
    }

    /// SIGKILL to all. Does not wait.
    pub(crate) fn kill(&mut self) {
        self.kin.look();
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        if leader::is_ours(self.leader) {
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
        leader::has_ended(self.leader) && !self.kin.is_alive()
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

/// Nobody may be left behind, whatever happened before: also after a panic, and where no thread could be had.
impl Drop for Ending {
    fn drop(&mut self) {
        // Also where nobody is seen: elsewhere than on Linux the rest of a group can't be, and a kill of nobody is free.
        self.kill();
        self.wait_gone(KILL_WAIT);
        leader::reap(self.leader);
    }
}

/// Whether the pipe is still open.
fn throw_away(fd: &OwnedFd) -> bool {
    let mut buffer = [0; 4096];
    match rustix::io::retry_on_intr(|| rustix::io::read(fd, &mut buffer)) {
        Ok(read) => read > 0,
        Err(error) => error == rustix::io::Errno::AGAIN,
    }
}
