//! Ends processes that a server leaves running when it has ended.
//!
//! The process group of a server is ended with it, and so are its visible descendants. A server that exits on its own
//! leaves its group behind, and either way a daemon may remain that shares only its environment with the server. All
//! of them have a variable, by which they are found. Linux only: other systems do not show another process's
//! environment, and a process outside of an ended group stays.
//!
//! A process in the middle of an `exec` shows no environment for a moment: if no other is found, the search is
//! repeated.
//!
//! INVARIANT: only a process that has the mark is signalled: a pidfd refers to it while its mark is read.

use std::ffi::OsString;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, sleep};

/// The variable in the environment of every process of a server.
const VARIABLE: &str = "BECKET_MCP_SERVER";
/// The interval of the search for remaining processes. Each search reads the environment of every process.
const TICK: Duration = Duration::from_millis(25);
/// The time limit on the wait for killed processes. One in an uninterruptible wait of the kernel can outlive this.
const KILL_WAIT: Duration = Duration::from_secs(5);
/// The limit on repeated searches for processes in the middle of an `exec`, and their interval.
const LOOKS: usize = 20;
const SOON: Duration = Duration::from_millis(1);

/// The mark of one server's processes. Dropping it kills the remaining ones.
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

    /// Returns the variable for the environment of the server.
    pub(super) fn variable(&self) -> (OsString, OsString) {
        (VARIABLE.into(), self.mark.clone().into())
    }

    /// Waits for the remaining processes of an ended server, and kills them after `grace`. If its group has not
    /// received a signal yet (`asked`), all get one first; a second one could cut their shutdown short.
    pub(super) async fn end(mut self, asked: bool, grace: Duration) {
        let ask = if asked { sys::Signal::Nothing } else { sys::Signal::Term };
        if self.signal(ask).await > 0 && !self.gone_within(grace).await {
            let start = Instant::now();
            while self.signal(sys::Signal::Kill).await > 0 && start.elapsed() < KILL_WAIT {
                sleep(TICK).await;
            }
        }
        self.may_be = false;
    }

    async fn gone_within(&self, limit: Duration) -> bool {
        let start = Instant::now();
        while start.elapsed() < limit {
            if self.signal(sys::Signal::Nothing).await == 0 {
                return true;
            }
            sleep(TICK).await;
        }
        false
    }

    /// Signals the remaining processes; returns their number.
    async fn signal(&self, signal: sys::Signal) -> usize {
        let mut found = sys::signal(&self.entry(), signal);
        for _ in 0..LOOKS {
            if found.carry > 0 || found.unclear == 0 {
                break;
            }
            sleep(SOON).await;
            found = sys::signal(&self.entry(), signal);
        }
        found.carry
    }

    fn entry(&self) -> String {
        format!("{VARIABLE}={}", self.mark)
    }
}

impl Drop for Leftovers {
    fn drop(&mut self) {
        if !self.may_be {
            return;
        }
        let mut looks = 0..LOOKS;
        while sys::signal(&self.entry(), sys::Signal::Kill).unclear > 0 && looks.next().is_some() {
            std::thread::sleep(SOON);
        }
    }
}

/// The system-specific part.
mod sys {
    /// The signal to send.
    #[derive(Clone, Copy)]
    pub(super) enum Signal {
        Nothing,
        Term,
        Kill,
    }

    /// The result of a search.
    #[derive(Default)]
    pub(super) struct SearchResult {
        /// The number of processes with the mark, which were signalled.
        pub(super) carry: usize,
        /// The number of processes that can't be classified at the moment.
        pub(super) unclear: usize,
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn signal(_: &str, _: Signal) -> SearchResult {
        SearchResult::default()
    }

    /// Signals every process whose environment contains `entry`.
    #[cfg(target_os = "linux")]
    pub(super) fn signal(entry: &str, signal: Signal) -> SearchResult {
        let mut found = SearchResult::default();
        let Ok(processes) = std::fs::read_dir("/proc") else { return found };
        let own = std::process::id();
        let ids = processes.flatten().filter_map(|process| process.file_name().to_str()?.parse::<i32>().ok());
        for pid in ids.filter(|pid| pid.unsigned_abs() != own) {
            match linux::signal(pid, entry, signal) {
                linux::Mark::Carried => found.carry += 1,
                linux::Mark::Unclear => found.unclear += 1,
                linux::Mark::Absent => {}
            }
        }
        found
    }

    #[cfg(target_os = "linux")]
    mod linux {
        use rustix::process::{Pid, PidfdFlags, pidfd_open, pidfd_send_signal};
        use std::io::Read;

        /// The size of one read, in bytes: more than most environments have.
        const MOST: usize = 64 << 10;

        /// The mark of a process.
        #[derive(PartialEq)]
        pub(super) enum Mark {
            Carried,
            Absent,
            /// The process is in the middle of an `exec`.
            Unclear,
        }

        /// Signals the process if it has the mark.
        pub(super) fn signal(pid: i32, entry: &str, signal: super::Signal) -> Mark {
            let mark = mark(pid, entry);
            if mark != Mark::Carried {
                return mark;
            }
            let Some(Ok(held)) = Pid::from_raw(pid).map(|pid| pidfd_open(pid, PidfdFlags::empty())) else {
                return Mark::Absent;
            };
            // Checked again while its id can't be reused.
            let mark = self::mark(pid, entry);
            if mark != Mark::Carried {
                return mark;
            }
            let signal = match signal {
                super::Signal::Nothing => return Mark::Carried,
                super::Signal::Term => rustix::process::Signal::TERM,
                super::Signal::Kill => rustix::process::Signal::KILL,
            };
            let _ = pidfd_send_signal(&held, signal);
            Mark::Carried
        }

        /// The limit on reads of an environment that is empty although the arguments are not: either an `exec` has set
        /// them first, or it really is empty.
        const READS: usize = 8;

        /// Reads the mark of a process. The environment of a zombie, of a kernel thread, and of another user's process
        /// reads as empty; in the middle of an `exec` so do the environment and the arguments of a process that has a
        /// program.
        fn mark(pid: i32, entry: &str) -> Mark {
            for _ in 0..READS {
                let environment = whole(pid, "environ");
                if !environment.is_empty() {
                    let mut variables = environment.split(|byte| *byte == 0);
                    let is_carried = variables.any(|variable| variable == entry.as_bytes());
                    return if is_carried { Mark::Carried } else { Mark::Absent };
                }
                if whole(pid, "cmdline").is_empty() {
                    let has_program = std::fs::read_link(format!("/proc/{pid}/exe")).is_ok();
                    return if has_program { Mark::Unclear } else { Mark::Absent };
                }
            }
            Mark::Absent
        }

        /// Reads a `/proc` file of a process in one read: an `exec` between two reads would cut it off.
        fn whole(pid: i32, what: &str) -> Vec<u8> {
            let (mut bytes, mut length) = (vec![0; MOST], 0);
            let Ok(mut file) = std::fs::File::open(format!("/proc/{pid}/{what}")) else { return Vec::new() };
            while let Ok(read @ 1..) = file.read(&mut bytes[length..]) {
                length += read;
                if length < bytes.len() {
                    break;
                }
                bytes.resize(2 * length, 0);
            }
            bytes.truncate(length);
            bytes
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use becket_testkit::proc::wait_until;
    use std::process::{Child, Command, Stdio};

    /// Starts a process that records SIGTERM in a file and continues.
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

    /// Starts an orphaned process that does nothing but `exec`.
    fn restless(leftovers: &Leftovers, notes: &std::path::Path) {
        let script = "echo $$ > \"$1\"; exec sh -c \"$0\" \"$0\" \"$1\"";
        let begins = "setsid sh -c \"$0\" \"$0\" \"$1\" & exit";
        let mut command = Command::new("sh");
        command.args(["-c", begins, script]).arg(notes).envs([leftovers.variable()]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        assert!(command.status().unwrap().success());
        let is_there = || std::fs::read_to_string(notes).is_ok_and(|pid| pid.ends_with('\n'));
        assert!(wait_until(is_there));
    }

    // rule: X7
    #[tokio::test]
    async fn who_is_in_the_middle_of_an_exec_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let is_alive = |entry: &str| {
            let mut looks = 0..LOOKS;
            looks.any(|_| {
                std::thread::sleep(SOON);
                sys::signal(entry, sys::Signal::Nothing).carry > 0
            })
        };
        for round in 0..60 {
            let notes = directory.path().join(round.to_string());
            let leftovers = Leftovers::new();
            restless(&leftovers, &notes);
            let entry = leftovers.entry();
            if round % 2 == 0 {
                leftovers.end(false, Duration::ZERO).await;
            } else {
                drop(leftovers);
            }
            // A process that was killed may be seen for a moment.
            let escaped = (0..50).all(|_| is_alive(&entry));
            while is_alive(&entry) {
                sys::signal(&entry, sys::Signal::Kill);
            }
            assert!(!escaped, "round {round}");
        }
    }
}
