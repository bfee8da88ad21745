//! Attributes of files (mode, owner, times), which threads without a tracer change only where they may write.
//!
//! Landlock has no right for them. The kernel hands such a call over to a thread of this process that keeps its rights
//! (a seccomp listener). This thread opens the file, looks where it is, and makes the change itself. So nobody can
//! exchange the path after it was examined. Extended attributes and flags of files can't be changed anywhere, as on a
//! file system without them.

#![expect(unsafe_code, reason = "seccomp listeners have no safe interface")]

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::mem::zeroed;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::path::PathBuf;
use std::sync::mpsc::{self, SyncSender};
use std::thread;

use becket_model::Rights;
use libc::{seccomp_notif, seccomp_notif_resp};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{
    AtFlags, CWD, Gid, Mode, OFlags, ResolveFlags, Timespec, Timestamps, Uid, chmodat, chownat, openat,
    openat2, utimensat,
};
use seccompiler::{BackendError, BpfProgram, SeccompAction, SeccompRule};

use super::accesses::{SET_ATTRIBUTES, SYS_FCHMODAT2, SYS_FILE_SETATTR, SYS_REMOVEXATTRAT, SYS_SETXATTRAT};
use super::confinement;
use super::memory::{self, Memory};
use super::process_path::start_link;
#[cfg(target_arch = "x86_64")]
use super::sandbox::X32;
use super::sandbox::{errno, filter, install, with_listener};
use crate::error::StartError;

/// The instruction of a filter that ends it with a constant: `BPF_RET | BPF_K`.
const RETURN: u16 = 0x06;
/// The requests of a listener: `SECCOMP_IOCTL_NOTIF_RECV`, `SECCOMP_IOCTL_NOTIF_SEND`, `SECCOMP_IOCTL_NOTIF_ID_VALID`.
const RECEIVE: u64 = 0xc050_2100;
const SEND: u64 = 0xc018_2101;
const IS_VALID: u64 = 0x4008_2102;

/// Calls that are made for the program.
const MADE: [i64; 6] = [
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
];
/// Older ones.
#[cfg(target_arch = "x86_64")]
const OLD: [i64; 6] = [
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: [i64; 0] = [];
/// Calls about extended attributes.
const EXTENDED: [i64; 6] = [
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];
/// Calls that programs do without, as on an older kernel.
const NEW: [i64; 3] = [SYS_SETXATTRAT, SYS_REMOVEXATTRAT, SYS_FILE_SETATTR];

/// A thread that examines changes of attributes, and the filters that hand them over to it.
pub(crate) struct AttributeSupervisor {
    asks: BpfProgram,
    refuses: Vec<BpfProgram>,
    listener: SyncSender<OwnedFd>,
}

impl AttributeSupervisor {
    /// Starts the thread. It has the rights of the caller, so this comes before rights are taken away.
    pub(crate) fn start(rights: &Rights) -> Result<Self, StartError> {
        let unavailable = |error: BackendError| StartError::NoSeccomp(io::Error::other(error));
        let (asks, refuses) = (asks().map_err(unavailable)?, refusals().map_err(unavailable)?);
        let (listener, arrives) = mpsc::sync_channel::<OwnedFd>(1);
        let rights = rights.clone();
        let work = move || {
            if let Ok(listener) = arrives.recv() {
                serve(&listener, &rights);
            }
        };
        thread::Builder::new().name("becket-attributes".into()).spawn(work).map_err(StartError::NoSeccomp)?;
        Ok(Self { asks, refuses, listener })
    }

    /// Restricts the calling thread, and everything that it starts from now on. It has no new privileges already.
    pub(crate) fn enter(&self) -> io::Result<()> {
        let listener = install(&self.asks, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER).map_err(in_another)?;
        // SAFETY: the system has just returned this descriptor, and nobody else owns it.
        let listener = unsafe { OwnedFd::from_raw_fd(listener) };
        self.listener.send(listener).map_err(io::Error::other)?;
        self.refuses.iter().try_for_each(|filter| install(filter, 0).map(drop))
    }
}

/// Names the cause if a filter forbids another listener.
fn in_another(why: io::Error) -> io::Error {
    match why.raw_os_error() {
        Some(libc::EPERM | libc::EBUSY) => io::Error::other(
            "changes of file attributes are supervised already, as inside of `becket exec`: run it outside",
        ),
        _ => why,
    }
}

/// Returns the filter that hands calls over to the listener.
fn asks() -> Result<BpfProgram, BackendError> {
    /// An action that is replaced: the library has none for listeners.
    const PLACE: SeccompAction = SeccompAction::Trace(0);
    let calls = MADE.iter().chain(&OLD).map(|number| (*number, Vec::new())).collect();
    let mut program = filter(calls, PLACE)?;
    for instruction in &mut program {
        if instruction.code == RETURN && instruction.k == libc::SECCOMP_RET_TRACE {
            instruction.k = libc::SECCOMP_RET_USER_NOTIF;
        }
    }
    Ok(program)
}

/// Returns the filters for calls that nobody makes for the program. One of them forbids another listener, which would
/// be asked instead of this one.
fn refusals() -> Result<Vec<BpfProgram>, BackendError> {
    let every = |numbers: &[i64]| -> BTreeMap<i64, Vec<SeccompRule>> {
        numbers.iter().map(|number| (*number, Vec::new())).collect()
    };
    let mut extended = every(&EXTENDED);
    extended.extend(confinement::ioctls(&SET_ATTRIBUTES)?);
    let mut missing = every(&NEW);
    // Rings change attributes without these system calls.
    missing.extend(confinement::rings());
    let forbidden = BTreeMap::from([(libc::SYS_seccomp, vec![with_listener()?])]);
    #[cfg(target_arch = "x86_64")]
    let forbidden = {
        let mut forbidden = forbidden;
        let numbers = MADE.iter().chain(&OLD).chain(&EXTENDED).chain(&NEW);
        forbidden.extend(numbers.map(|number| (X32 | *number, Vec::new())));
        forbidden.insert(X32 | libc::SYS_seccomp, vec![with_listener()?]);
        forbidden.insert(X32 | libc::SYS_io_uring_setup, Vec::new());
        forbidden
    };
    [(extended, libc::EOPNOTSUPP), (missing, libc::ENOSYS), (forbidden, libc::EPERM)]
        .into_iter()
        .map(|(calls, error)| filter(calls, SeccompAction::Errno(errno(error))))
        .collect()
}

/// Makes the calls that arrive, until no process with the filter is left.
fn serve(listener: &OwnedFd, rights: &Rights) {
    loop {
        let mut ready = [PollFd::new(listener, PollFlags::IN)];
        match poll(&mut ready, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
        let events = ready.first().map_or(PollFlags::empty(), PollFd::revents);
        if events.contains(PollFlags::IN) {
            answer(listener, rights);
        } else if !events.is_empty() {
            return;
        }
    }
}

/// Receives one call, and answers it.
fn answer(listener: &OwnedFd, rights: &Rights) {
    // SAFETY: numbers alone, for which zeros are valid; the kernel asks for zeros, and fills them.
    let mut call: seccomp_notif = unsafe { zeroed() };
    // SAFETY: the structure is as large as the request says, and outlives the call.
    if unsafe { libc::ioctl(listener.as_raw_fd(), RECEIVE as _, &raw mut call) } != 0 {
        // The process has ended, or a signal has ended its call.
        return;
    }
    let is_valid = || {
        // SAFETY: the number outlives the call.
        unsafe { libc::ioctl(listener.as_raw_fd(), IS_VALID as _, &raw const call.id) == 0 }
    };
    let error = match make(&call, rights, is_valid) {
        Ok(()) => 0,
        Err(error) => -error.raw_os_error().unwrap_or(libc::EPERM),
    };
    let answer = seccomp_notif_resp { id: call.id, val: 0, error, flags: 0 };
    // SAFETY: the structure is as large as the request says, and outlives the call. If it fails nobody waits any more.
    unsafe { libc::ioctl(listener.as_raw_fd(), SEND as _, &raw const answer) };
}

/// The file that a call is about.
#[derive(Debug)]
struct Target {
    /// The descriptor of the file itself, or of the directory in which a path starts.
    descriptor: libc::c_int,
    path: Option<PathBuf>,
    follows: bool,
}

/// The change that a call makes.
#[derive(Debug)]
enum Change {
    Mode(u32),
    Owner(u32, u32),
    Times(Timestamps),
}

/// Makes a call for a process, if its file is where the process may write. `is_valid` says whether the process still
/// waits: its id may belong to another one otherwise.
fn make(call: &seccomp_notif, rights: &Rights, is_valid: impl Fn() -> bool) -> io::Result<()> {
    let process = libc::pid_t::try_from(call.pid).map_err(io::Error::other)?;
    let (target, change) = read(process, i64::from(call.data.nr), &call.data.args)?;
    let file = target.open(process)?;
    if !is_valid() {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let name = format!("/proc/self/fd/{}", file.as_raw_fd());
    if !rights.can_write(&fs::read_link(&name)?) {
        return Err(io::Error::from_raw_os_error(libc::EPERM));
    }
    match change {
        Change::Mode(mode) => chmodat(CWD, name, Mode::from_raw_mode(mode & 0o7777), AtFlags::empty())?,
        Change::Owner(user, group) => {
            let user = (user != u32::MAX).then(|| Uid::from_raw(user));
            let group = (group != u32::MAX).then(|| Gid::from_raw(group));
            chownat(&file, "", user, group, AtFlags::EMPTY_PATH)?;
        }
        Change::Times(times) => utimensat(CWD, name, &times, AtFlags::empty())?,
    }
    Ok(())
}

/// Reads the arguments of a call.
fn read(process: libc::pid_t, number: i64, arguments: &[u64; 6]) -> io::Result<(Target, Change)> {
    // The kernel reads the lower halves of numbers.
    let low = |nth: usize| arguments.get(nth).map_or(0, |argument| *argument as u32);
    let address = |nth: usize| arguments.get(nth).copied().unwrap_or_default();
    let descriptor = || Target { descriptor: low(0) as libc::c_int, path: None, follows: true };
    let at = |flags: u32| -> io::Result<Target> {
        let path = Some(address(1)).filter(|address| *address != 0);
        let path = path.map(|address| memory::path(process, address)).transpose()?;
        let is_empty = path.as_ref().is_some_and(|path| path.as_os_str().is_empty());
        if is_empty && flags & libc::AT_EMPTY_PATH.unsigned_abs() == 0 {
            return Err(io::Error::from_raw_os_error(libc::ENOENT));
        }
        let follows = flags & libc::AT_SYMLINK_NOFOLLOW.unsigned_abs() == 0;
        Ok(Target { path: path.filter(|_| !is_empty), follows, ..descriptor() })
    };
    let mode = |nth| Change::Mode(low(nth));
    let owner = |nth| Change::Owner(low(nth), low(nth + 1));
    let times = |nth, unit| times(process, address(nth), unit).map(Change::Times);
    Ok(match number {
        libc::SYS_fchmod => (descriptor(), mode(1)),
        libc::SYS_fchmodat => (at(0)?, mode(2)),
        SYS_FCHMODAT2 => (at(low(3))?, mode(2)),
        libc::SYS_fchown => (descriptor(), owner(1)),
        libc::SYS_fchownat => (at(low(4))?, owner(2)),
        libc::SYS_utimensat => (at(low(3))?, times(2, Unit::Nanoseconds)?),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_futimesat => (at(0)?, times(2, Unit::Microseconds)?),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_chmod | libc::SYS_chown | libc::SYS_lchown | libc::SYS_utime | libc::SYS_utimes => {
            let path = Some(memory::path(process, address(0))?);
            let target = Target { descriptor: libc::AT_FDCWD, path, follows: number != libc::SYS_lchown };
            let change = match number {
                libc::SYS_chmod => mode(1),
                libc::SYS_utime => times(1, Unit::Seconds)?,
                libc::SYS_utimes => times(1, Unit::Microseconds)?,
                _ => owner(1),
            };
            (target, change)
        }
        _ => return Err(io::Error::from_raw_os_error(libc::ENOSYS)),
    })
}

impl Target {
    /// Opens the file without a right to its content. A link of `/proc` to a descriptor is not followed: it would be
    /// one of this process.
    fn open(&self, process: libc::pid_t) -> io::Result<OwnedFd> {
        let start = start_link(process, self.descriptor);
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let Some(path) = &self.path else {
            let opened = openat(CWD, start, flags, Mode::empty());
            // There is no such descriptor.
            return opened.map_err(|_| io::Error::from_raw_os_error(libc::EBADF));
        };
        let directory = if path.is_absolute() {
            None
        } else {
            Some(openat(CWD, start, flags | OFlags::DIRECTORY, Mode::empty())?)
        };
        let directory = directory.as_ref().map_or(CWD, AsFd::as_fd);
        let flags = if self.follows { flags } else { flags | OFlags::NOFOLLOW };
        Ok(openat2(directory, path, flags, Mode::empty(), ResolveFlags::NO_MAGICLINKS)?)
    }
}

/// The unit of the second number of a time.
#[derive(Debug, Clone, Copy)]
enum Unit {
    Nanoseconds,
    #[cfg(target_arch = "x86_64")]
    Microseconds,
    /// There is no second number.
    #[cfg(target_arch = "x86_64")]
    Seconds,
}

/// Returns the times at an address; the present one if it is null.
fn times(process: libc::pid_t, address: u64, unit: Unit) -> io::Result<Timestamps> {
    let now = Timespec { tv_sec: 0, tv_nsec: libc::UTIME_NOW };
    if address == 0 {
        return Ok(Timestamps { last_access: now, last_modification: now });
    }
    let mut memory = Memory::read(process, address)?;
    let mut number = |nth: u64| memory.word(address.saturating_add(8 * nth)).map(u64::cast_signed);
    let mut time = |nth: u64| -> io::Result<Timespec> {
        Ok(match unit {
            Unit::Nanoseconds => Timespec { tv_sec: number(2 * nth)?, tv_nsec: number(2 * nth + 1)? },
            #[cfg(target_arch = "x86_64")]
            Unit::Microseconds => {
                let parts = number(2 * nth + 1)?;
                if !(0..1_000_000).contains(&parts) {
                    return Err(io::Error::from_raw_os_error(libc::EINVAL));
                }
                Timespec { tv_sec: number(2 * nth)?, tv_nsec: parts * 1000 }
            }
            #[cfg(target_arch = "x86_64")]
            Unit::Seconds => Timespec { tv_sec: number(nth)?, tv_nsec: 0 },
        })
    };
    Ok(Timestamps { last_access: time(0)?, last_modification: time(1)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::accesses::setting_attributes;
    use std::collections::BTreeSet;

    // rule: E5
    #[test]
    fn every_call_that_changes_attributes_is_made_or_refused() {
        let known: BTreeSet<i64> = setting_attributes().collect();
        let tables = MADE.iter().chain(&OLD).chain(&EXTENDED).chain(&NEW).copied();
        assert_eq!(tables.chain([libc::SYS_ioctl]).collect::<BTreeSet<i64>>(), known);
    }
}
