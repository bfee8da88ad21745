//! The judgement of system calls: whether a process that waits for its input may make one now.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::descriptors::{self, Descriptor};
use super::observations::{Observations, Seen};
use super::program_facts::ProgramFacts;
use super::programs;
use crate::linux::memory::{self, Memory};
use crate::standby::StandbyEnd;

/// Devices that always behave in the same way. A process without a terminal does not find one at `/dev/tty`.
const DEVICES: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Files below `/proc/self` that tell a process about itself.
const OWN_FILES: [&str; 3] = ["exe", "maps", "auxv"];
/// Others, which a runtime reads when it starts.
const START_FILES: [&str; 3] = ["cgroup", "mountinfo", "limits"];

/// Files by whose contents a runtime chooses the sizes of its buffers and thread pools.
const RUNTIME_FILES: [&str; 6] = [
    "/proc/meminfo",
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/version_signature",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/vm/mmap_min_addr",
];

/// Directories with such files.
const RUNTIME_DIRECTORIES: [&str; 2] = ["/sys/devices/system/cpu", "/sys/kernel/mm"];
/// Files of a control group with its limits.
const LIMIT_FILES: [&str; 7] = [
    "memory.max",
    "memory.high",
    "memory.limit_in_bytes",
    "memory.soft_limit_in_bytes",
    "cpu.max",
    "cpu.cfs_quota_us",
    "cpu.cfs_period_us",
];

/// The judgement of a system call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Judgement {
    /// The call is made: it concerns only the process, or what it has seen is remembered.
    Make,
    /// The thread is held before the call.
    Hold,
    /// The process is not suited to be started ahead.
    Unsuited(StandbyEnd),
}

/// A system call that a thread is about to make.
pub(super) struct Call<'a> {
    pub(super) thread: libc::pid_t,
    pub(super) process: libc::pid_t,
    /// True for a thread of the process that was started.
    pub(super) is_of_leader: bool,
    pub(super) number: i64,
    pub(super) arguments: [u64; 6],
    pub(super) pipes: [u64; 3],
    pub(super) facts: &'a mut ProgramFacts,
    pub(super) observations: &'a mut Observations,
}

impl Call<'_> {
    /// Judges the call. A call that is not known is held.
    pub(super) fn judge(&mut self) -> Judgement {
        if let Some(judgement) = self.judge_path().or_else(|| self.judge_descriptor()) {
            return judgement;
        }
        match self.number {
            number if is_private(number) => Judgement::Make,
            libc::SYS_clone => self.judge_clone(self.arguments[0]),
            libc::SYS_clone3 => match self.word(self.arguments[0]) {
                Some(flags) => self.judge_clone(flags),
                None => Judgement::Hold,
            },
            libc::SYS_exit_group if !self.is_of_leader => Judgement::Make,
            libc::SYS_clock_gettime if is_own_clock(self.arguments[0]) => Judgement::Make,
            libc::SYS_prlimit64
            | libc::SYS_getpgid
            | libc::SYS_getsid
            | libc::SYS_sched_getaffinity
            | libc::SYS_sched_getparam
            | libc::SYS_sched_getscheduler
            | libc::SYS_get_robust_list => hold_unless(self.is_self(self.arguments[0])),
            libc::SYS_getpriority => hold_unless(self.arguments[0] == 0 && self.is_self(self.arguments[1])),
            libc::SYS_capget => {
                let header = self.word(self.arguments[0]);
                hold_unless(header.is_some_and(|header| self.is_self(header >> 32)))
            }
            libc::SYS_sysinfo | libc::SYS_times => self.judge_clock(true),
            libc::SYS_clock_gettime => self.judge_clock(is_of_day(self.arguments[0])),
            libc::SYS_gettimeofday => self.judge_clock(true),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_time => self.judge_clock(true),
            libc::SYS_futex => self.judge_futex(),
            libc::SYS_socket => hold_unless(self.arguments[0] == libc::AF_UNIX as u64),
            libc::SYS_connect => self.judge_connect(),
            libc::SYS_prctl => hold_unless(is_private_option(self.arguments[0])),
            _ => Judgement::Hold,
        }
    }

    /// Returns true if an id names the process or the thread itself.
    fn is_self(&self, id: u64) -> bool {
        let id = id as u32 as i32;
        id == 0 || id == self.thread || id == self.process
    }

    fn judge_clone(&self, flags: u64) -> Judgement {
        const NAMESPACES: u64 = (libc::CLONE_NEWNS
            | libc::CLONE_NEWCGROUP
            | libc::CLONE_NEWUTS
            | libc::CLONE_NEWIPC
            | libc::CLONE_NEWUSER
            | libc::CLONE_NEWPID
            | libc::CLONE_NEWNET) as u64;
        const INTO_CGROUP: u64 = 1 << 33;
        const FORBIDDEN: u64 =
            NAMESPACES | libc::CLONE_UNTRACED as u64 | libc::CLONE_PARENT as u64 | INTO_CGROUP;
        // The lowest byte of `clone` is a signal, of which only the usual one is accepted.
        let signal = flags & 0xff;
        hold_unless(flags & FORBIDDEN & !0xff == 0 && (signal == 0 || signal == libc::SIGCHLD as u64))
    }

    fn judge_clock(&mut self, is_of_day: bool) -> Judgement {
        hold_unless(self.facts.may_read_clock(is_of_day))
    }

    /// Judges a connection: to a service that is not there, such as the cache of names that C libraries ask, it only looks.
    fn judge_connect(&mut self) -> Judgement {
        const LONGEST: u64 = 108;
        let [_, address, length, ..] = self.arguments;
        let Some(end) = address.checked_add(length.min(LONGEST + 2)) else { return Judgement::Hold };
        let bytes = Memory::read(self.thread, address)
            .and_then(|mut memory| Ok(memory.range(address, end)?.to_owned()))
            .unwrap_or_default();
        let Some((family, path)) = bytes.split_first_chunk::<2>() else { return Judgement::Hold };
        let path = path.split(|byte| *byte == 0).next().unwrap_or_default();
        let path = Path::new(OsStr::from_bytes(path));
        if i32::from(u16::from_ne_bytes(*family)) != libc::AF_UNIX || !path.is_absolute() {
            return Judgement::Hold;
        }
        hold_unless(matches!(self.observations.observe(path, true), Some(Seen::Missing(_))))
    }

    fn judge_futex(&self) -> Judgement {
        const WAITS: [u64; 5] = [0, 6, 9, 11, 13];
        let waits = WAITS.contains(&(self.arguments[1] & 0x7f));
        if waits && self.arguments[3] != 0 { time_limit("futex") } else { Judgement::Make }
    }

    /// Judges a call that names a file; `None` for any other.
    fn judge_path(&mut self) -> Option<Judgement> {
        const NO_FOLLOW: u64 = libc::AT_SYMLINK_NOFOLLOW as u64;
        const HERE: u64 = libc::AT_FDCWD as u32 as u64;
        let [first, second, third, fourth, fifth, _] = self.arguments;
        let (directory, address, follows) = match self.number {
            libc::SYS_openat => return Some(self.judge_open(first, second, third)),
            libc::SYS_execve => return Some(self.judge_exec(HERE, first)),
            libc::SYS_execveat if fifth == 0 => return Some(self.judge_exec(first, second)),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_open => return Some(self.judge_open(HERE, first, second)),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_stat | libc::SYS_access => (HERE, first, true),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_lstat | libc::SYS_readlink => (HERE, first, false),
            libc::SYS_newfstatat => (first, second, fourth & NO_FOLLOW == 0),
            libc::SYS_statx => (first, second, third & NO_FOLLOW == 0),
            libc::SYS_faccessat => (first, second, true),
            libc::SYS_faccessat2 => (first, second, fourth & NO_FOLLOW == 0),
            libc::SYS_readlinkat => (first, second, false),
            libc::SYS_chdir | libc::SYS_getxattr => (HERE, first, true),
            libc::SYS_lgetxattr => (HERE, first, false),
            _ => return None,
        };
        let Some(text) = self.path_at(address) else { return Some(Judgement::Hold) };
        if text.as_os_str().is_empty() {
            // The descriptor itself.
            return Some(match self.number {
                libc::SYS_newfstatat | libc::SYS_statx => Judgement::Make,
                _ => Judgement::Hold,
            });
        }
        Some(self.judge_look(directory, &text, follows))
    }

    fn judge_look(&mut self, directory: u64, text: &Path, follows: bool) -> Judgement {
        let Some(path) = self.absolute(directory, text) else { return Judgement::Hold };
        let is_seen = self.is_fixed(&path) || self.observations.observe(&path, follows).is_some();
        hold_unless(is_seen)
    }

    fn judge_open(&mut self, directory: u64, address: u64, flags: u64) -> Judgement {
        const WRITES: i32 =
            libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC | libc::O_APPEND | libc::O_TMPFILE;
        // `O_TMPFILE` contains `O_DIRECTORY`.
        const WRITE_BITS: i32 = WRITES & !libc::O_DIRECTORY;
        let path = self.path_at(address).and_then(|text| self.absolute(directory, &text));
        let Some(path) = path else { return Judgement::Hold };
        let flags = flags as u32 as i32;
        if self.is_fixed(&path) {
            let is_device = DEVICES.iter().any(|device| path == Path::new(device));
            return hold_unless(is_device || flags & WRITE_BITS == 0);
        }
        if flags & WRITE_BITS != 0 {
            return Judgement::Hold;
        }
        let Some(seen) = self.observations.observe(&path, flags & libc::O_NOFOLLOW == 0) else {
            return Judgement::Hold;
        };
        match seen {
            Seen::File(file) if !self.facts.opens(&path, file.identity) => time_limit("its code"),
            Seen::File(_) | Seen::Missing(_) => Judgement::Make,
        }
    }

    fn judge_exec(&mut self, directory: u64, address: u64) -> Judgement {
        let path = self.path_at(address).and_then(|text| self.absolute(directory, &text));
        let Some(path) = path else { return Judgement::Hold };
        hold_unless(programs::observe(&path, self.observations))
    }

    /// Judges a call on a descriptor whose file matters; `None` for any other.
    fn judge_descriptor(&mut self) -> Option<Judgement> {
        let [first, second, third, fourth, fifth, _] = self.arguments;
        Some(match self.number {
            libc::SYS_read
            | libc::SYS_readv
            | libc::SYS_pread64
            | libc::SYS_preadv
            | libc::SYS_getdents64 => hold_unless(self.is_readable(first)),
            libc::SYS_write | libc::SYS_writev => hold_unless(self.file(first) == Descriptor::Own),
            libc::SYS_fchdir => match self.file(first) {
                Descriptor::File(path) => hold_unless(self.observations.observe(&path, true).is_some()),
                Descriptor::Input | Descriptor::Output | Descriptor::Own | Descriptor::Other => {
                    Judgement::Hold
                }
            },
            libc::SYS_fcntl => hold_unless(is_private_command(second)),
            libc::SYS_ioctl => hold_unless(is_private_request(second)),
            libc::SYS_mmap => hold_unless(
                third & libc::PROT_WRITE as u64 == 0
                    || fourth & libc::MAP_SHARED as u64 == 0
                    || is_none(fifth),
            ),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_poll => self.judge_poll(first, second, Limit::milliseconds(third)),
            libc::SYS_ppoll => {
                let limit = self.limit_at(third);
                self.judge_poll(first, second, limit)
            }
            #[cfg(target_arch = "x86_64")]
            libc::SYS_select => self.judge_select(),
            libc::SYS_pselect6 => self.judge_select(),
            libc::SYS_epoll_ctl => {
                if self.file(third) == Descriptor::Input {
                    self.facts.polls_input = true;
                }
                Judgement::Make
            }
            #[cfg(target_arch = "x86_64")]
            libc::SYS_epoll_wait => self.judge_wait(Limit::milliseconds(fourth)),
            libc::SYS_epoll_pwait => self.judge_wait(Limit::milliseconds(fourth)),
            libc::SYS_epoll_pwait2 => {
                let limit = self.limit_at(fourth);
                self.judge_wait(limit)
            }
            _ => return None,
        })
    }

    fn judge_wait(&self, limit: Limit) -> Judgement {
        match limit {
            Limit::Some => time_limit("epoll"),
            Limit::Zero => hold_unless(!self.facts.polls_input),
            // A stop for the release would end it.
            Limit::None | Limit::Unknown => Judgement::Hold,
        }
    }

    fn judge_poll(&self, address: u64, count: u64, limit: Limit) -> Judgement {
        const MOST: u64 = 64;
        if limit == Limit::Some {
            return time_limit("poll");
        }
        if count > MOST || limit == Limit::Unknown {
            return Judgement::Hold;
        }
        let mut entries = (0..count).map(|at| self.word(address.saturating_add(8 * at)));
        // The descriptor is the lower half.
        hold_unless(entries.all(|entry| entry.is_some_and(|entry| self.is_quiet(entry & 0xffff_ffff))))
    }

    fn judge_select(&self) -> Judgement {
        const MOST: u64 = 1024;
        let [count, read, write, except, limit, _] = self.arguments;
        match self.limit_at(limit) {
            Limit::Some => return time_limit("select"),
            Limit::Unknown => return Judgement::Hold,
            Limit::None | Limit::Zero => (),
        }
        if count > MOST || write != 0 || except != 0 {
            return Judgement::Hold;
        }
        let is_set = |number: u64| {
            let word = self.word(read.saturating_add(number / 64 * 8))?;
            Some(word >> (number % 64) & 1 == 1)
        };
        hold_unless(
            read == 0
                || (0..count).all(|number| is_set(number).is_some_and(|is| !is || self.is_quiet(number))),
        )
    }

    /// Returns true if waiting for the descriptor is a matter between own processes.
    fn is_quiet(&self, number: u64) -> bool {
        self.file(number) == Descriptor::Own
    }

    /// Returns true if the contents of the file have been observed, or come from an own process.
    fn is_readable(&self, number: u64) -> bool {
        match self.file(number) {
            Descriptor::Own | Descriptor::File(_) => true,
            Descriptor::Input | Descriptor::Output | Descriptor::Other => false,
        }
    }

    fn file(&self, number: u64) -> Descriptor {
        descriptors::descriptor(self.thread, number, self.pipes)
    }

    /// Returns true for a file that a process without a terminal always finds in the same way, or whose contents only
    /// tell a runtime how large it may become.
    fn is_fixed(&self, path: &Path) -> bool {
        let is_one_of = |files: &[&str]| files.iter().any(|file| path == Path::new(file));
        let own =
            path.strip_prefix("/proc/self").or_else(|_| path.strip_prefix(format!("/proc/{}", self.thread)));
        let is_own =
            |files: &[&str]| own.as_ref().is_ok_and(|rest| files.iter().any(|file| *rest == Path::new(file)));
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let is_plain = !path.components().any(|component| component == std::path::Component::ParentDir);
        let is_of_runtime = RUNTIME_DIRECTORIES.iter().any(|directory| path.starts_with(directory))
            || (path.starts_with("/sys/fs/cgroup") && LIMIT_FILES.contains(&name));
        let is_start = self.facts.is_starting_interpreter();
        is_one_of(&DEVICES)
            || is_own(&OWN_FILES)
            || (is_start
                && (is_one_of(&RUNTIME_FILES) || is_own(&START_FILES) || (is_of_runtime && is_plain)))
    }

    fn absolute(&self, directory: u64, text: &Path) -> Option<PathBuf> {
        if text.is_absolute() {
            return Some(text.to_owned());
        }
        (!text.as_os_str().is_empty()).then_some(())?;
        Some(descriptors::directory(self.thread, directory)?.join(text))
    }

    fn path_at(&self, address: u64) -> Option<PathBuf> {
        memory::path(self.thread, address).ok()
    }

    fn word(&self, address: u64) -> Option<u64> {
        Memory::read(self.thread, address).and_then(|mut memory| memory.word(address)).ok()
    }

    /// Returns the limit that a pair of words describes: seconds, and a part of a second.
    fn limit_at(&self, address: u64) -> Limit {
        if address == 0 {
            return Limit::None;
        }
        match (self.word(address), self.word(address.saturating_add(8))) {
            (Some(0), Some(0)) => Limit::Zero,
            (Some(_), Some(_)) => Limit::Some,
            (None, _) | (_, None) => Limit::Unknown,
        }
    }
}

/// The time for which a call waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    None,
    Zero,
    Some,
    Unknown,
}

impl Limit {
    fn milliseconds(number: u64) -> Self {
        match number as u32 as i32 {
            0 => Self::Zero,
            ..0 => Self::None,
            1.. => Self::Some,
        }
    }
}

fn hold_unless(makes: bool) -> Judgement {
    if makes { Judgement::Make } else { Judgement::Hold }
}

fn time_limit(call: &'static str) -> Judgement {
    Judgement::Unsuited(StandbyEnd::TimeLimit(call))
}

fn is_none(descriptor: u64) -> bool {
    descriptor as u32 as i32 == -1
}

/// Returns true for clocks that tell the time of day.
fn is_of_day(clock: u64) -> bool {
    const UPTIMES: [i32; 4] = [
        libc::CLOCK_MONOTONIC,
        libc::CLOCK_MONOTONIC_RAW,
        libc::CLOCK_MONOTONIC_COARSE,
        libc::CLOCK_BOOTTIME,
    ];
    !UPTIMES.contains(&(clock as u32 as i32))
}

/// Returns true for clocks of the process itself.
fn is_own_clock(clock: u64) -> bool {
    [libc::CLOCK_PROCESS_CPUTIME_ID, libc::CLOCK_THREAD_CPUTIME_ID].contains(&(clock as u32 as i32))
}

fn is_private_option(option: u64) -> bool {
    const PR_SET_VMA: i32 = 0x5356_4d41;
    [
        libc::PR_SET_NAME,
        libc::PR_GET_NAME,
        libc::PR_GET_DUMPABLE,
        libc::PR_GET_SECCOMP,
        libc::PR_CAPBSET_READ,
        libc::PR_GET_NO_NEW_PRIVS,
        libc::PR_GET_THP_DISABLE,
        PR_SET_VMA,
    ]
    .contains(&(option as u32 as i32))
}

fn is_private_command(command: u64) -> bool {
    [
        libc::F_DUPFD,
        libc::F_DUPFD_CLOEXEC,
        libc::F_GETFD,
        libc::F_SETFD,
        libc::F_GETFL,
        libc::F_SETFL,
        libc::F_GETPIPE_SZ,
    ]
    .contains(&(command as u32 as i32))
}

/// Returns true for questions about a terminal, which a standby does not have, and for flags of descriptors.
fn is_private_request(request: u64) -> bool {
    [
        u64::from(libc::TCGETS as u32),
        u64::from(libc::TIOCGWINSZ as u32),
        u64::from(libc::TIOCGPGRP as u32),
        u64::from(libc::FIONBIO as u32),
        u64::from(libc::FIOCLEX as u32),
        u64::from(libc::FIONCLEX as u32),
    ]
    .contains(&(request & 0xffff_ffff))
}

/// Returns true for a call that only concerns the process itself, or answers with what is the same for a later start.
fn is_private(number: i64) -> bool {
    PRIVATE.contains(&number) || PRIVATE_LEGACY.contains(&number)
}

const PRIVATE: [i64; 58] = [
    libc::SYS_brk,
    libc::SYS_clock_getres,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_epoll_create1,
    libc::SYS_eventfd2,
    libc::SYS_exit,
    libc::SYS_fadvise64,
    libc::SYS_fstat,
    libc::SYS_getcwd,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getgroups,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getrandom,
    libc::SYS_getresgid,
    libc::SYS_getresuid,
    libc::SYS_getrusage,
    libc::SYS_gettid,
    libc::SYS_getuid,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    libc::SYS_mlock,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munlock,
    libc::SYS_munmap,
    libc::SYS_pipe2,
    libc::SYS_pkey_alloc,
    libc::SYS_pkey_free,
    libc::SYS_pkey_mprotect,
    libc::SYS_readahead,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_sched_yield,
    libc::SYS_getrlimit,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_sigaltstack,
    libc::SYS_umask,
    libc::SYS_uname,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_getcpu,
    libc::SYS_mincore,
    libc::SYS_signalfd4,
];

/// Calls that newer architectures do not have.
#[cfg(target_arch = "x86_64")]
const PRIVATE_LEGACY: [i64; 8] = [
    libc::SYS_arch_prctl,
    libc::SYS_dup2,
    libc::SYS_epoll_create,
    libc::SYS_eventfd,
    libc::SYS_fork,
    libc::SYS_getpgrp,
    libc::SYS_pipe,
    libc::SYS_vfork,
];
#[cfg(not(target_arch = "x86_64"))]
const PRIVATE_LEGACY: [i64; 0] = [];
