//! Ends what a server leaves running when it has ended.
//!
//! The group of a server that is ended goes with it, and whoever is seen to come from it; one that exits by itself
//! leaves its group behind, and either may leave a daemon that has nothing to do with it any longer but its
//! environment. All of them carry a variable, and by that they are found. Linux only: elsewhere nothing shows another
//! process's environment, and what is not in a group that is ended stays.
//!
//! INVARIANT: only a process that carries the mark is signalled: it is held by a pidfd while its mark is read.

use std::ffi::OsString;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, sleep};

/// The variable that everybody started by one server carries.
const VARIABLE: &str = "BECKET_MCP_SERVER";
/// How often it is looked whether somebody is left. A look reads the environment of every process.
const TICK: Duration = Duration::from_millis(25);
/// How long killed processes are waited for. One in an uninterruptible wait of the kernel can outlive this.
const KILL_WAIT: Duration = Duration::from_secs(5);

/// The mark of one server's processes. Dropped, it kills those that are left.
#[derive(Debug)]
pub(super) struct Leftovers {
    mark: String,
    may_be: bool,
}

impl Leftovers {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mark = format!("{}-{number}-{}", std::process::id(), since.as_nanos());
        Self { mark, may_be: true }
    }

    /// The variable for the environment of the server.
    pub(super) fn variable(&self) -> (OsString, OsString) {
        (VARIABLE.into(), self.mark.clone().into())
    }

    /// The server is gone, or on its way out: waits for those that are left, and kills them after `grace`. Where its
    /// group was not `asked` to end, all are asked first; twice could cut short how they end.
    pub(super) async fn end(mut self, asked: bool, grace: Duration) {
        let ask = if asked { sys::Signal::Nothing } else { sys::Signal::Term };
        if sys::signal(&self.entry(), ask) > 0 && !self.gone_within(grace).await {
            let start = Instant::now();
            while sys::signal(&self.entry(), sys::Signal::Kill) > 0 && start.elapsed() < KILL_WAIT {
                sleep(TICK).await;
            }
        }
        self.may_be = false;
    }

    async fn gone_within(&self, limit: Duration) -> bool {
        let start = Instant::now();
        while start.elapsed() < limit {
            if sys::signal(&self.entry(), sys::Signal::Nothing) == 0 {
                return true;
            }
            sleep(TICK).await;
        }
        false
    }

    fn entry(&self) -> String {
        format!("{VARIABLE}={}", self.mark)
    }
}

impl Drop for Leftovers {
    fn drop(&mut self) {
        if self.may_be {
            sys::signal(&self.entry(), sys::Signal::Kill);
        }
    }
}

/// The system's part.
mod sys {
    /// What is sent.
    #[derive(Clone, Copy)]
    pub(super) enum Signal {
        Nothing,
        Term,
        Kill,
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn signal(_: &str, _: Signal) -> usize {
        0
    }

    /// Sends it to every process whose environment holds `entry`; how many there are.
    #[cfg(target_os = "linux")]
    pub(super) fn signal(entry: &str, signal: Signal) -> usize {
        let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
        let own = std::process::id();
        processes
            .flatten()
            .filter_map(|process| process.file_name().to_str()?.parse::<i32>().ok())
            .filter(|pid| pid.unsigned_abs() != own && linux::signal(*pid, entry, signal))
            .count()
    }

    #[cfg(target_os = "linux")]
    mod linux {
        use rustix::process::{Pid, PidfdFlags, pidfd_open, pidfd_send_signal};

        /// Whether the process carries the mark; then it was signalled.
        pub(super) fn signal(pid: i32, entry: &str, signal: super::Signal) -> bool {
            if !carries(pid, entry) {
                return false;
            }
            let Some(Ok(held)) = Pid::from_raw(pid).map(|pid| pidfd_open(pid, PidfdFlags::empty())) else {
                return false;
            };
            // Looked at again while its id can't go to somebody else.
            if !carries(pid, entry) {
                return false;
            }
            let signal = match signal {
                super::Signal::Nothing => return true,
                super::Signal::Term => rustix::process::Signal::TERM,
                super::Signal::Kill => rustix::process::Signal::KILL,
            };
            let _ = pidfd_send_signal(&held, signal);
            true
        }

        /// The environment of a zombie, and of somebody else's process, reads as empty.
        fn carries(pid: i32, entry: &str) -> bool {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == entry.as_bytes())
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use becket_testkit::proc::wait_until;
    use std::process::{Child, Command};

    /// Notes SIGTERM in a file and goes on.
    fn stubborn(leftovers: &Leftovers, notes: &std::path::Path) -> Child {
        let script = "trap 'echo asked >> \"$0\"' TERM; : > \"$0\"; while :; do sleep 0.02; done";
        let mut command = Command::new("sh");
        command.args(["-c", script]).arg(notes).envs([leftovers.variable()]);
        let child = command.spawn().unwrap();
        assert!(wait_until(|| notes.exists()));
        child
    }

    #[tokio::test]
    async fn those_who_were_asked_already_are_not_asked_again() {
        let directory = tempfile::tempdir().unwrap();
        for (asked, expected) in [(true, ""), (false, "asked\n")] {
            let notes = directory.path().join(asked.to_string());
            let (leftovers, other) = (Leftovers::new(), Leftovers::new());
            let mut child = stubborn(&leftovers, &notes);
            let mut bystander = stubborn(&other, &directory.path().join("bystander"));
            leftovers.end(asked, Duration::from_millis(500)).await;
            assert!(!child.wait().unwrap().success());
            assert_eq!(std::fs::read_to_string(&notes).unwrap(), expected);
            assert!(bystander.try_wait().unwrap().is_none(), "somebody else's process was ended");
            drop(other);
            assert!(!bystander.wait().unwrap().success());
            std::fs::remove_file(directory.path().join("bystander")).unwrap();
        }
    }
}
