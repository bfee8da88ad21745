//! System calls that the rights of a program may refuse, and the accesses that they ask for. Landlock and mounts refuse them;
//! what is read here serves reports alone.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use becket_model::{PathRights, Rights};
use seccompiler::{BackendError, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

use super::memory::Memory;
use super::ptrace;
use super::registers;
use crate::chain::Chain;
use crate::refused_access::Access;

/// The most refusals that are reported.
const MOST: usize = 100;

/// A path in the arguments of a system call.
#[derive(Debug, Clone, Copy)]
struct PathArgument {
    /// The argument that holds the descriptor of the directory in which a relative path starts.
    directory: Option<usize>,
    path: usize,
}

/// The meaning of a system call.
#[derive(Debug, Clone, Copy)]
enum Meaning {
    /// It opens a file; the argument with this number says what for.
    Opens(usize),
    Changes,
    Executes,
}

/// A system call about files.
#[derive(Debug, Clone, Copy)]
struct FileCall {
    number: i64,
    meaning: Meaning,
    paths: &'static [PathArgument],
}

const fn at(directory: usize, path: usize) -> PathArgument {
    PathArgument { directory: Some(directory), path }
}

const fn plain(path: usize) -> PathArgument {
    PathArgument { directory: None, path }
}

const fn call(number: i64, meaning: Meaning, paths: &'static [PathArgument]) -> FileCall {
    FileCall { number, meaning, paths }
}

/// The calls of every architecture.
const COMMON: [FileCall; 11] = [
    call(libc::SYS_openat, Meaning::Opens(2), &[at(0, 1)]),
    call(libc::SYS_unlinkat, Meaning::Changes, &[at(0, 1)]),
    call(libc::SYS_mkdirat, Meaning::Changes, &[at(0, 1)]),
    call(libc::SYS_mknodat, Meaning::Changes, &[at(0, 1)]),
    call(libc::SYS_symlinkat, Meaning::Changes, &[at(1, 2)]),
    call(libc::SYS_linkat, Meaning::Changes, &[at(2, 3)]),
    call(libc::SYS_renameat, Meaning::Changes, &[at(0, 1), at(2, 3)]),
    call(libc::SYS_renameat2, Meaning::Changes, &[at(0, 1), at(2, 3)]),
    call(libc::SYS_truncate, Meaning::Changes, &[plain(0)]),
    call(libc::SYS_execve, Meaning::Executes, &[plain(0)]),
    call(libc::SYS_execveat, Meaning::Executes, &[at(0, 1)]),
];

/// Older ones, without a directory.
#[cfg(target_arch = "x86_64")]
const OLD: [FileCall; 9] = [
    call(libc::SYS_open, Meaning::Opens(1), &[plain(0)]),
    call(libc::SYS_creat, Meaning::Changes, &[plain(0)]),
    call(libc::SYS_unlink, Meaning::Changes, &[plain(0)]),
    call(libc::SYS_mkdir, Meaning::Changes, &[plain(0)]),
    call(libc::SYS_rmdir, Meaning::Changes, &[plain(0)]),
    call(libc::SYS_mknod, Meaning::Changes, &[plain(0)]),
    call(libc::SYS_symlink, Meaning::Changes, &[plain(1)]),
    call(libc::SYS_link, Meaning::Changes, &[plain(1)]),
    call(libc::SYS_rename, Meaning::Changes, &[plain(0), plain(1)]),
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: [FileCall; 0] = [];

fn calls() -> impl Iterator<Item = &'static FileCall> {
    COMMON.iter().chain(&OLD)
}

/// Returns whether rights take away reading.
pub(super) fn restrict_reading(rights: &Rights) -> bool {
    rights.read != PathRights::All || !rights.deny_read.is_empty()
}

/// Returns the calls that are to be traced because the rights may refuse them; the calls that execute are traced anyway.
pub(super) fn watched(rights: &Rights) -> Result<BTreeMap<i64, Vec<SeccompRule>>, BackendError> {
    let reads = restrict_reading(rights);
    let writes = reads || rights.write != PathRights::All || !rights.deny_write.is_empty();
    let mut watched = BTreeMap::new();
    for call in calls().filter(|_| writes) {
        match call.meaning {
            Meaning::Opens(flags) if !reads => drop(watched.insert(call.number, writing(flags)?)),
            Meaning::Opens(_) | Meaning::Changes => drop(watched.insert(call.number, Vec::new())),
            Meaning::Executes => {}
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

/// A call that has not returned yet.
#[derive(Debug, Clone, Copy)]
struct PendingCall {
    call: &'static FileCall,
    arguments: [u64; 6],
}

/// The calls of the supervised processes that rights may refuse.
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

    /// Returns whether calls that execute may be refused by rights.
    pub(super) fn watch_execution(&self) -> bool {
        restrict_reading(self.rights)
    }

    /// Takes note of a call of a process that is stopped before it. `false`: its return is of no interest.
    pub(super) fn begins(&mut self, process: libc::pid_t) -> bool {
        if self.reported.len() >= MOST {
            return false;
        }
        let Ok(Some(registers)) = ptrace::registers(process) else { return false };
        let number = registers::call_number(&registers);
        let Some(call) = calls().find(|call| Some(call.number) == number) else { return false };
        self.pending.insert(process, PendingCall { call, arguments: registers::arguments(&registers) });
        true
    }

    /// Forgets the call of a process.
    pub(super) fn forget(&mut self, process: libc::pid_t) {
        self.pending.remove(&process);
    }

    /// Returns the access that rights have refused, if the call of a process returns with that error.
    pub(super) fn returns(&mut self, process: libc::pid_t) -> Option<Access> {
        let PendingCall { call, arguments } = self.pending.remove(&process)?;
        let registers = ptrace::registers(process).ok()??;
        // What lies below a directory that can't be read is missing for the program.
        let refusals = [libc::EACCES, libc::EPERM, libc::EROFS, libc::EBUSY, libc::ENOENT];
        let result = registers::result(&registers);
        let error = refusals.into_iter().find(|error| result == -i64::from(*error))?;
        let mut accesses =
            call.paths.iter().filter_map(|path| self.refused(process, call, *path, &arguments));
        accesses.find(|access| error != libc::ENOENT || access.is_hidden(self.rights))
    }

    /// Takes note of a refusal. `false`: the same was refused to the same programs before, or there are too many.
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
        let path = real_path(process, call.meaning, argument, arguments).ok()?;
        match call.meaning {
            Meaning::Executes => (!self.rights.can_read(&path)).then_some(Access::Execute { path }),
            Meaning::Opens(flags) if !writes(arguments.get(flags)) => {
                (!self.rights.can_read(&path)).then_some(Access::Read { path })
            }
            Meaning::Opens(_) | Meaning::Changes => {
                (!self.rights.can_write(&path)).then_some(Access::Write { path })
            }
        }
    }
}

impl Access {
    /// Returns whether it is about something that is there, and that the rights hide.
    fn is_hidden(&self, rights: &Rights) -> bool {
        let (Access::Read { path } | Access::Execute { path } | Access::Write { path }) = self else {
            return false;
        };
        !rights.can_read(path) && path.symlink_metadata().is_ok()
    }
}

fn writes(flags: Option<&u64>) -> bool {
    let bits = [libc::O_WRONLY, libc::O_RDWR, libc::O_CREAT, libc::O_TRUNC];
    flags.is_some_and(|flags| bits.iter().any(|bit| flags & u64::from(bit.unsigned_abs()) != 0))
}

/// Returns the path that a call means, without links as far as it is there. What changes a name does not follow its link.
fn real_path(
    process: libc::pid_t,
    meaning: Meaning,
    argument: PathArgument,
    arguments: &[u64; 6],
) -> io::Result<PathBuf> {
    let value = |index: usize| arguments.get(index).copied().unwrap_or_default();
    let address = value(argument.path);
    let mut memory = Memory::read(process, address)?;
    let written = Path::new(OsStr::from_bytes(memory.text(address)?)).to_owned();
    // A descriptor is the lower half of the register.
    let directory = argument.directory.map(|index| value(index) as u32 as i32);
    let start = match directory {
        Some(descriptor) if descriptor != libc::AT_FDCWD => format!("/proc/{process}/fd/{descriptor}"),
        Some(_) | None => format!("/proc/{process}/cwd"),
    };
    let path = if written.is_absolute() { written } else { fs::read_link(start)?.join(written) };
    let follows = match meaning {
        Meaning::Opens(_) | Meaning::Executes => true,
        Meaning::Changes => false,
    };
    if let Some(real) = path.canonicalize().ok().filter(|_| follows) {
        return Ok(real);
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(parent.canonicalize()?.join(name)),
        _ => path.canonicalize(),
    }
}
