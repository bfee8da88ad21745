//! System calls that the rights of a program may refuse, and the accesses that they request.
//!
//! Landlock and mounts refuse most of them; reading them here is for reports. Landlock has no right for the attributes
//! of a file (mode, owner, times, extended ones): the tracer refuses such a call by the path that it reads. Another
//! thread that swaps the path in between can race this check.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::PathBuf;

use becket_model::{PathRights, Rights};
use seccompiler::{BackendError, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

use super::confinement;
use super::memory::{self, Memory};
use super::process_path::{start_link, without_links};
use super::ptrace;
use super::registers;
#[cfg(target_arch = "x86_64")]
use super::sandbox::X32;
use crate::chain::Chain;
use crate::refused_access::Access;

/// The maximum number of refusals that are reported.
const MOST: usize = 100;

/// A path in the arguments of a system call.
#[derive(Debug, Clone, Copy)]
struct PathArgument {
    /// The argument with the descriptor of the directory in which a relative path starts.
    directory: Option<usize>,
    /// The argument with the path; without it, or if it is null, the call is about the descriptor itself.
    path: Option<usize>,
}

/// An operation on files.
#[derive(Debug, Clone, Copy)]
enum FileOperation {
    /// Opens a file; the flags are in the argument with this number.
    Open(usize),
    /// Opens a file; the address of the flags is in the argument with this number.
    OpenHow(usize),
    /// Creates, renames, truncates or removes a directory entry.
    Change,
    /// Changes attributes of a file: its mode, its owner, its times, extended ones.
    SetAttributes(LinkUse),
    Execute,
}

/// The treatment of a symbolic link at the end of a path.
#[derive(Debug, Clone, Copy)]
enum LinkUse {
    Followed,
    Kept,
    /// The link is not followed if `AT_SYMLINK_NOFOLLOW` is in this argument.
    ByFlags(usize),
}

/// The action for a call that starts.
#[derive(Debug)]
pub(super) enum CallStart {
    /// The call continues, and its result does not matter.
    Plain,
    /// The call continues, and its result shows whether it was refused.
    Watched,
    /// The call is refused, though the kernel would not refuse it; nothing is reported if the access is not known.
    Refused(Option<Access>),
    /// The supervisor traces no such call: a filter of the program does, for which there is no tracer.
    Unknown,
    /// The call can't be read.
    Unread,
}

/// A system call about files.
#[derive(Debug, Clone, Copy)]
struct FileCall {
    number: i64,
    operation: FileOperation,
    paths: &'static [PathArgument],
}

const fn at(directory: usize, path: usize) -> PathArgument {
    PathArgument { directory: Some(directory), path: Some(path) }
}

const fn plain(path: usize) -> PathArgument {
    PathArgument { directory: None, path: Some(path) }
}

const fn descriptor(directory: usize) -> PathArgument {
    PathArgument { directory: Some(directory), path: None }
}

const FILE: FileOperation = FileOperation::SetAttributes(LinkUse::Followed);
const LINK: FileOperation = FileOperation::SetAttributes(LinkUse::Kept);

const fn by_flags(argument: usize) -> FileOperation {
    FileOperation::SetAttributes(LinkUse::ByFlags(argument))
}

const fn call(number: i64, operation: FileOperation, paths: &'static [PathArgument]) -> FileCall {
    FileCall { number, operation, paths }
}

/// Numbers of calls added in Linux 6.6, 6.13 and 6.17, the same on every architecture.
pub(super) const SYS_FCHMODAT2: i64 = 452;
pub(super) const SYS_SETXATTRAT: i64 = 463;
pub(super) const SYS_REMOVEXATTRAT: i64 = 466;
pub(super) const SYS_FILE_SETATTR: i64 = 469;

/// The requests of `ioctl` that change the attributes of a file: `FS_IOC_SETFLAGS` and `FS_IOC_FSSETXATTR`.
pub(super) const SET_ATTRIBUTES: [u64; 2] = [0x4008_6602, 0x401c_5820];

/// The number of `ioctl` in the x32 ABI, which has one of its own.
#[cfg(target_arch = "x86_64")]
pub(super) const OWN_IOCTL_OF_X32: i64 = 514;

/// Calls that exist on every architecture.
const COMMON: [FileCall; 28] = [
    call(libc::SYS_openat, FileOperation::Open(2), &[at(0, 1)]),
    call(libc::SYS_openat2, FileOperation::OpenHow(2), &[at(0, 1)]),
    call(libc::SYS_unlinkat, FileOperation::Change, &[at(0, 1)]),
    call(libc::SYS_mkdirat, FileOperation::Change, &[at(0, 1)]),
    call(libc::SYS_mknodat, FileOperation::Change, &[at(0, 1)]),
    call(libc::SYS_symlinkat, FileOperation::Change, &[at(1, 2)]),
    call(libc::SYS_linkat, FileOperation::Change, &[at(2, 3)]),
    call(libc::SYS_renameat, FileOperation::Change, &[at(0, 1), at(2, 3)]),
    call(libc::SYS_renameat2, FileOperation::Change, &[at(0, 1), at(2, 3)]),
    call(libc::SYS_truncate, FileOperation::Change, &[plain(0)]),
    call(libc::SYS_fchmod, FILE, &[descriptor(0)]),
    call(libc::SYS_fchmodat, FILE, &[at(0, 1)]),
    call(SYS_FCHMODAT2, by_flags(3), &[at(0, 1)]),
    call(libc::SYS_fchown, FILE, &[descriptor(0)]),
    call(libc::SYS_fchownat, by_flags(4), &[at(0, 1)]),
    call(libc::SYS_utimensat, by_flags(3), &[at(0, 1)]),
    call(libc::SYS_setxattr, FILE, &[plain(0)]),
    call(libc::SYS_lsetxattr, LINK, &[plain(0)]),
    call(libc::SYS_fsetxattr, FILE, &[descriptor(0)]),
    call(libc::SYS_removexattr, FILE, &[plain(0)]),
    call(libc::SYS_lremovexattr, LINK, &[plain(0)]),
    call(libc::SYS_fremovexattr, FILE, &[descriptor(0)]),
    call(SYS_SETXATTRAT, by_flags(2), &[at(0, 1)]),
    call(SYS_REMOVEXATTRAT, by_flags(2), &[at(0, 1)]),
    call(SYS_FILE_SETATTR, by_flags(4), &[at(0, 1)]),
    call(libc::SYS_ioctl, FILE, &[descriptor(0)]),
    call(libc::SYS_execve, FileOperation::Execute, &[plain(0)]),
    call(libc::SYS_execveat, FileOperation::Execute, &[at(0, 1)]),
];

/// Older calls, without a directory argument.
#[cfg(target_arch = "x86_64")]
const OLD: [FileCall; 15] = [
    call(libc::SYS_open, FileOperation::Open(1), &[plain(0)]),
    call(libc::SYS_creat, FileOperation::Change, &[plain(0)]),
    call(libc::SYS_unlink, FileOperation::Change, &[plain(0)]),
    call(libc::SYS_mkdir, FileOperation::Change, &[plain(0)]),
    call(libc::SYS_rmdir, FileOperation::Change, &[plain(0)]),
    call(libc::SYS_mknod, FileOperation::Change, &[plain(0)]),
    call(libc::SYS_symlink, FileOperation::Change, &[plain(1)]),
    call(libc::SYS_link, FileOperation::Change, &[plain(1)]),
    call(libc::SYS_rename, FileOperation::Change, &[plain(0), plain(1)]),
    call(libc::SYS_chmod, FILE, &[plain(0)]),
    call(libc::SYS_chown, FILE, &[plain(0)]),
    call(libc::SYS_lchown, LINK, &[plain(0)]),
    call(libc::SYS_utime, FILE, &[plain(0)]),
    call(libc::SYS_utimes, FILE, &[plain(0)]),
    call(libc::SYS_futimesat, FILE, &[at(0, 1)]),
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: [FileCall; 0] = [];

fn calls() -> impl Iterator<Item = &'static FileCall> {
    COMMON.iter().chain(&OLD)
}

/// Returns whether the rights restrict reading.
pub(super) fn restrict_reading(rights: &Rights) -> bool {
    rights.read != PathRights::All || !rights.deny_read.is_empty()
}

/// Returns the calls that have to be traced because the rights may refuse them; calls that execute are traced anyway.
pub(super) fn watched(rights: &Rights) -> Result<BTreeMap<i64, Vec<SeccompRule>>, BackendError> {
    let reads = restrict_reading(rights);
    let writes = reads || rights.write != PathRights::All || !rights.deny_write.is_empty();
    let mut watched = BTreeMap::new();
    for call in calls().filter(|_| writes) {
        match call.operation {
            FileOperation::Open(flags) if !reads => drop(watched.insert(call.number, writing(flags)?)),
            FileOperation::Open(_) | FileOperation::OpenHow(_) | FileOperation::Change => {
                watched.insert(call.number, Vec::new());
            }
            FileOperation::SetAttributes(_) if call.number == libc::SYS_ioctl => {
                watched.extend(confinement::ioctls(&SET_ATTRIBUTES)?);
            }
            FileOperation::SetAttributes(_) => {
                watched.insert(call.number, Vec::new());
                #[cfg(target_arch = "x86_64")]
                watched.insert(X32 | call.number, Vec::new());
            }
            FileOperation::Execute => {}
        }
    }
    Ok(watched)
}

/// Returns the conditions under which an open call writes.
fn writing(flags: usize) -> Result<Vec<SeccompRule>, BackendError> {
    let bits = [libc::O_WRONLY, libc::O_RDWR, libc::O_CREAT, libc::O_TRUNC];
    let argument = u8::try_from(flags).unwrap_or_default();
    let has = |bit: &libc::c_int| {
        let bit = u64::from(bit.unsigned_abs());
        let operator = SeccompCmpOp::MaskedEq(bit);
        SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, bit)?])
    };
    bits.iter().map(has).collect()
}

/// Returns the calls that may change the attributes of a file.
#[cfg(test)]
pub(super) fn setting_attributes() -> impl Iterator<Item = i64> {
    let sets = |call: &&FileCall| matches!(call.operation, FileOperation::SetAttributes(_));
    calls().filter(sets).map(|call| call.number)
}

/// Returns whether a call that may change the attributes of a file does so: an `ioctl` by its request.
fn sets_attributes(call: &FileCall, arguments: &[u64; 6]) -> bool {
    call.number != libc::SYS_ioctl || SET_ATTRIBUTES.contains(&(arguments[1] & u64::from(u32::MAX)))
}

/// A call that has not returned yet.
#[derive(Debug, Clone, Copy)]
struct PendingCall {
    call: &'static FileCall,
    arguments: [u64; 6],
}

/// The pending calls of the supervised processes that rights may refuse.
#[derive(Debug)]
pub(super) struct Accesses<'r> {
    rights: &'r Rights,
    pending: HashMap<libc::pid_t, PendingCall>,
    reported: HashSet<(String, Access)>,
}

impl<'r> Accesses<'r> {
    pub(super) fn new(rights: &'r Rights) -> Self {
        Self { rights, pending: HashMap::new(), reported: HashSet::new() }
    }

    /// Records a call of a process that is stopped before it. The call is the one in the registers, which nothing but
    /// this process can change.
    pub(super) fn record_start(&mut self, process: libc::pid_t) -> CallStart {
        let Ok(Some(registers)) = ptrace::registers(process) else { return CallStart::Unread };
        let Some(number) = registers::call_number(&registers) else { return CallStart::Unread };
        #[cfg(target_arch = "x86_64")]
        let number = match number & !X32 {
            OWN_IOCTL_OF_X32 if number & X32 != 0 => libc::SYS_ioctl,
            native => native,
        };
        let arguments = registers::arguments(&registers);
        if number == libc::SYS_socket {
            return self.decide_socket(arguments[0]);
        }
        let Some(call) = calls().find(|call| call.number == number) else { return CallStart::Unknown };
        match call.operation {
            FileOperation::SetAttributes(_) if !sets_attributes(call, &arguments) => {
                return CallStart::Unknown;
            }
            FileOperation::SetAttributes(_) => return self.decide(process, call, &arguments),
            FileOperation::Execute if !restrict_reading(self.rights) => return CallStart::Plain,
            FileOperation::Open(_)
            | FileOperation::OpenHow(_)
            | FileOperation::Change
            | FileOperation::Execute => {}
        }
        if self.reported.len() >= MOST {
            return CallStart::Plain;
        }
        self.pending.insert(process, PendingCall { call, arguments });
        CallStart::Watched
    }

    /// Decides a call that opens a socket of a family, by the half of the register that the kernel reads.
    fn decide_socket(&self, family: u64) -> CallStart {
        let family = family as u32 as i32;
        let allowed = confinement::families(&self.rights.network);
        if allowed.is_none_or(|allowed| allowed.contains(&family)) {
            return CallStart::Plain;
        }
        // Other sockets are those of libraries, which look for services of this machine.
        let is_internet = [libc::AF_INET, libc::AF_INET6].contains(&family);
        CallStart::Refused(is_internet.then_some(Access::Socket))
    }

    /// Decides a call that changes attributes of a file.
    fn decide(&self, process: libc::pid_t, call: &FileCall, arguments: &[u64; 6]) -> CallStart {
        for argument in call.paths {
            let path = match real_path(process, call.operation, *argument, arguments) {
                Ok(path) => path,
                // The call itself finds nothing either.
                Err(why) if is_missing(&why) => continue,
                Err(_) => return CallStart::Refused(None),
            };
            if !self.rights.can_write(&path) {
                return CallStart::Refused(Some(Access::Write { path }));
            }
        }
        CallStart::Plain
    }

    /// Discards the pending call of a process.
    pub(super) fn forget(&mut self, process: libc::pid_t) {
        self.pending.remove(&process);
    }

    /// Returns the access that was refused for lack of rights, if the call of a process returns with that error.
    pub(super) fn returns(&mut self, process: libc::pid_t) -> Option<Access> {
        let PendingCall { call, arguments } = self.pending.remove(&process)?;
        let registers = ptrace::registers(process).ok()??;
        // For the program, everything below a directory that can't be read is missing.
        let refusals = [libc::EACCES, libc::EPERM, libc::EROFS, libc::EBUSY, libc::ENOENT];
        let result = registers::result(&registers);
        let error = refusals.into_iter().find(|error| result == -i64::from(*error))?;
        let mut accesses =
            call.paths.iter().filter_map(|path| self.refused(process, call, *path, &arguments));
        accesses.find(|access| error != libc::ENOENT || access.is_hidden(self.rights))
    }

    /// Records a refusal. Returns `false` if the same programs were refused the same before, or there are too many.
    pub(super) fn is_new(&mut self, chain: &Chain, access: &Access) -> bool {
        self.reported.len() < MOST && self.reported.insert((chain.to_string(), access.clone()))
    }

    fn refused(
        &self,
        process: libc::pid_t,
        call: &FileCall,
        argument: PathArgument,
        arguments: &[u64; 6],
    ) -> Option<Access> {
        let path = real_path(process, call.operation, argument, arguments).ok()?;
        match call.operation {
            FileOperation::Execute => (!self.rights.can_read(&path)).then_some(Access::Execute { path }),
            FileOperation::Open(_) | FileOperation::OpenHow(_)
                if !writes(flags(process, call.operation, arguments)) =>
            {
                (!self.rights.can_read(&path)).then_some(Access::Read { path })
            }
            FileOperation::Open(_)
            | FileOperation::OpenHow(_)
            | FileOperation::Change
            | FileOperation::SetAttributes(_) => {
                (!self.rights.can_write(&path)).then_some(Access::Write { path })
            }
        }
    }
}

impl Access {
    /// Returns whether the access is to something that exists and that the rights hide.
    fn is_hidden(&self, rights: &Rights) -> bool {
        let (Access::Read { path } | Access::Execute { path } | Access::Write { path }) = self else {
            return false;
        };
        !rights.can_read(path) && path.symlink_metadata().is_ok()
    }
}

/// Returns the flags of a call that opens a file.
fn flags(process: libc::pid_t, operation: FileOperation, arguments: &[u64; 6]) -> Option<u64> {
    match operation {
        FileOperation::Open(flags) => arguments.get(flags).copied(),
        FileOperation::OpenHow(how) => {
            let address = arguments.get(how).copied()?;
            Memory::read(process, address).ok()?.word(address).ok()
        }
        FileOperation::Change | FileOperation::SetAttributes(_) | FileOperation::Execute => None,
    }
}

fn is_missing(why: &io::Error) -> bool {
    matches!(why.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn writes(flags: Option<u64>) -> bool {
    let bits = [libc::O_WRONLY, libc::O_RDWR, libc::O_CREAT, libc::O_TRUNC];
    flags.is_some_and(|flags| bits.iter().any(|bit| flags & u64::from(bit.unsigned_abs()) != 0))
}

/// Returns the path that a call refers to, with its links resolved as far as it exists. A call that changes a name
/// does not follow its link.
fn real_path(
    process: libc::pid_t,
    operation: FileOperation,
    argument: PathArgument,
    arguments: &[u64; 6],
) -> io::Result<PathBuf> {
    let value = |index: usize| arguments.get(index).copied().unwrap_or_default();
    let written = match argument.path.map(value) {
        None | Some(0) => PathBuf::new(),
        Some(address) => memory::path(process, address)?,
    };
    // A descriptor is in the lower half of the register.
    let directory = argument.directory.map_or(libc::AT_FDCWD, |index| value(index) as u32 as i32);
    let start = start_link(process, directory);
    if written.as_os_str().is_empty() {
        let path = fs::read_link(start)?;
        // Pipes and files without a name have no path.
        path.symlink_metadata()?;
        return Ok(path);
    }
    let start = if written.is_absolute() { PathBuf::from("/") } else { fs::read_link(start)? };
    let follows = match operation {
        FileOperation::Open(_)
        | FileOperation::OpenHow(_)
        | FileOperation::Execute
        | FileOperation::SetAttributes(LinkUse::Followed) => true,
        FileOperation::SetAttributes(LinkUse::ByFlags(flags)) => {
            value(flags) & u64::from(libc::AT_SYMLINK_NOFOLLOW.unsigned_abs()) == 0
        }
        FileOperation::Change | FileOperation::SetAttributes(LinkUse::Kept) => false,
    };
    without_links(process, &start, &written, follows)
}
