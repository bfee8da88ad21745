//! The restrictions that are always on inside (protocol.md E1): nothing executes without the supervisor, and no
//! process changes the memory of another one.
//!
//! - An `execve` reports to the tracer; without one it fails.
//! - ptrace, process_vm_writev and pidfd_getfd are refused, and so is a clone that hides its child from the tracer.
//!   `clone3`, whose flags a filter can't read, fails as unknown: libraries fall back to `clone`.
//! - No filter that a program installs has a listener: its answer would count before the tracer is asked. Every other
//!   action that counts before the tracer prevents the call.
//! - No program types into a terminal (`TIOCSTI`).
//! - Programs of another architecture are killed at their first system call.
//! - With Landlock, nothing below `/proc` can be written to, which includes `/proc/PID/mem`. Landlock has no rule that
//!   excludes one directory, so every other entry of `/` is allowed by name.

#![expect(unsafe_code, reason = "restricting this process has no safe interface that is usable after a fork")]

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use landlock::{
    AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};

use super::accesses;
use super::confinement;
use super::namespaces::{NamespaceError, Namespaces};
use crate::error::StartError;
use becket_model::Rights;

/// The bit of system calls of the x32 ABI, which this crate refuses.
#[cfg(target_arch = "x86_64")]
pub(super) const X32: i64 = 0x4000_0000;

/// The action for a call that the tracer decides about. Its message tells the tracer nothing: a filter that a program
/// installs later can send another one for the same call.
const TRACED: SeccompAction = SeccompAction::Trace(0);

/// Filters and rules, created before the fork.
pub(crate) struct Sandbox {
    filters: Vec<BpfProgram>,
    landlock: Vec<OwnedFd>,
    namespaces: Option<Namespaces>,
    protects_memory: bool,
}

impl Sandbox {
    /// Creates the restrictions that are always on, and those that take away the rights that the program does not
    /// have.
    pub(super) fn new(rights: &Rights) -> Result<Self, StartError> {
        let filters = || -> Result<_, seccompiler::BackendError> {
            // The tracer refuses sockets, and reports them; without a tracer the call fails as unknown.
            let mut filters = confinement::of_network(&rights.network, TRACED)?;
            filters.push(filter(traced_calls(), TRACED)?);
            let watched = accesses::watched(rights)?;
            let mut missing = missing_calls();
            if !watched.is_empty() {
                // Rings change attributes of files without the system calls that are watched.
                missing.extend(confinement::rings());
                filters.push(filter(watched, TRACED)?);
            }
            filters.push(filter(refused_calls()?, SeccompAction::Errno(errno(libc::EPERM)))?);
            filters.push(filter(missing, SeccompAction::Errno(errno(libc::ENOSYS)))?);
            filters.push(confinement::of_terminals()?);
            Ok(filters)
        };
        let filters = filters().map_err(|error| StartError::NoSeccomp(io::Error::other(error)))?;
        let memory = if has_one_proc() { read_only_proc().unwrap_or_default() } else { None };
        let protects_memory = memory.is_some();
        let files = confinement::of_files_and_signals(rights)
            .map_err(|why| StartError::Rights { why: why.to_string() })?;
        let landlock: Vec<OwnedFd> = memory.into_iter().chain(files).collect();
        let namespaces = Namespaces::of(rights)?;
        if namespaces.as_ref().is_some_and(Namespaces::has_mounts) && landlock.is_empty() {
            return Err(StartError::Rights { why: "mounts could be undone without Landlock".to_owned() });
        }
        Ok(Self { filters, landlock, namespaces, protects_memory })
    }

    /// Creates only the restrictions that take rights away; can be used for a thread, too.
    pub(super) fn of_rights(rights: &Rights) -> Result<Self, StartError> {
        if let Some(namespaces) = Namespaces::of(rights)? {
            let what =
                if namespaces.has_mounts() { "paths can be denied" } else { "single hosts can be allowed" };
            let why = format!("{what} only in a process of its own, and not inside of another `becket exec`");
            return Err(StartError::Rights { why });
        }
        let filters = || -> Result<_, seccompiler::BackendError> {
            let refused = SeccompAction::Errno(errno(libc::EACCES));
            let mut filters = confinement::of_network(&rights.network, refused)?;
            filters.push(confinement::of_terminals()?);
            Ok(filters)
        };
        let filters = filters().map_err(|error| StartError::NoSeccomp(io::Error::other(error)))?;
        let files = confinement::of_files_and_signals(rights)
            .map_err(|why| StartError::Rights { why: why.to_string() })?;
        Ok(Self { filters, landlock: files.into_iter().collect(), namespaces: None, protects_memory: false })
    }

    /// Returns whether Landlock prevents writes to the memory of other processes.
    pub(super) fn protects_memory(&self) -> bool {
        self.protects_memory
    }

    /// Enters new namespaces. Has to be the first step: a directory that was entered before is not affected.
    ///
    /// Safe after a fork: it makes system calls and allocates nothing.
    pub(super) fn enter_namespaces(&self, proxy: Option<BorrowedFd<'_>>) -> Result<(), NamespaceError> {
        self.namespaces.as_ref().map_or(Ok(()), |namespaces| namespaces.enter(proxy))
    }

    /// Restricts this process, and everything that it will start.
    ///
    /// Safe after a fork: it makes system calls and allocates nothing.
    pub(crate) fn enter(&self) -> io::Result<()> {
        // SAFETY: plain system calls on this thread; the descriptor is open and the programs outlive the calls.
        unsafe {
            if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
                return Err(io::Error::last_os_error());
            }
            for rules in &self.landlock {
                if libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0) != 0 {
                    return Err(io::Error::last_os_error());
                }
            }
        }
        self.filters.iter().try_for_each(|filter| install(filter, 0).map(drop))
    }
}

/// Installs a filter for this thread. Returns its listener, if the flags ask for one.
///
/// Safe after a fork: it makes a system call and allocates nothing.
pub(super) fn install(filter: &BpfProgram, flags: libc::c_ulong) -> io::Result<libc::c_int> {
    let program = libc::sock_fprog {
        len: libc::c_ushort::try_from(filter.len()).unwrap_or(0),
        filter: filter.as_ptr().cast::<libc::sock_filter>().cast_mut(),
    };
    // SAFETY: the program outlives the call.
    let result =
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program) };
    match libc::c_int::try_from(result) {
        Ok(listener) if listener >= 0 => Ok(listener),
        Ok(_) | Err(_) => Err(io::Error::last_os_error()),
    }
}

pub(super) fn errno(number: libc::c_int) -> u32 {
    number.unsigned_abs()
}

pub(super) fn filter(
    calls: BTreeMap<i64, Vec<SeccompRule>>,
    action: SeccompAction,
) -> Result<BpfProgram, seccompiler::BackendError> {
    let arch = if cfg!(target_arch = "x86_64") { TargetArch::x86_64 } else { TargetArch::aarch64 };
    SeccompFilter::new(calls, SeccompAction::Allow, action, arch)?.try_into()
}

fn traced_calls() -> BTreeMap<i64, Vec<SeccompRule>> {
    [libc::SYS_execve, libc::SYS_execveat].into_iter().map(|call| (call, Vec::new())).collect()
}

fn missing_calls() -> BTreeMap<i64, Vec<SeccompRule>> {
    BTreeMap::from([(libc::SYS_clone3, Vec::new())])
}

fn refused_calls() -> Result<BTreeMap<i64, Vec<SeccompRule>>, seccompiler::BackendError> {
    let untraced = u64::from(libc::CLONE_UNTRACED.unsigned_abs());
    let operator = SeccompCmpOp::MaskedEq(untraced);
    let hides = SeccompCondition::new(0, SeccompCmpArgLen::Dword, operator, untraced)?;
    let calls = [
        (libc::SYS_ptrace, Vec::new()),
        (libc::SYS_process_vm_writev, Vec::new()),
        (libc::SYS_pidfd_getfd, Vec::new()),
        (libc::SYS_clone, vec![SeccompRule::new(vec![hides])?]),
        (libc::SYS_seccomp, vec![with_listener()?]),
    ];
    Ok(calls.into_iter().chain(refused_calls_of_x32()?).collect())
}

/// Returns the calls that are refused in the x32 ABI: all that start a program or change another one.
#[cfg(target_arch = "x86_64")]
fn refused_calls_of_x32() -> Result<Vec<(i64, Vec<SeccompRule>)>, seccompiler::BackendError> {
    use libc::{SYS_clone, SYS_clone3, SYS_execve, SYS_execveat};
    use libc::{SYS_pidfd_getfd, SYS_process_vm_writev, SYS_ptrace};
    // Numbers of its own: execve, ptrace, process_vm_writev, execveat.
    let own = [520, 521, 540, 545];
    let shared =
        [SYS_clone, SYS_clone3, SYS_execve, SYS_execveat, SYS_pidfd_getfd, SYS_process_vm_writev, SYS_ptrace];
    let refused = own.into_iter().chain(shared).map(|call| (X32 | call, Vec::new()));
    Ok(refused.chain([(X32 | libc::SYS_seccomp, vec![with_listener()?])]).collect())
}

/// Returns no call: other processors have no second ABI.
#[cfg(not(target_arch = "x86_64"))]
fn refused_calls_of_x32() -> Result<Vec<(i64, Vec<SeccompRule>)>, seccompiler::BackendError> {
    Ok(Vec::new())
}

/// Returns the condition under which `seccomp` installs a filter with a listener.
pub(super) fn with_listener() -> Result<SeccompRule, seccompiler::BackendError> {
    let flag = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    // The flags are a number of 32 bits.
    let has = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(flag), flag)?;
    SeccompRule::new(vec![has])
}

/// Returns Landlock rules that allow writing everywhere but below `/proc`; `None` if this kernel has no Landlock.
fn read_only_proc() -> Result<Option<OwnedFd>, RulesetError> {
    // Linux 5.19: before, Landlock forbids moving a file to another directory.
    let write = AccessFs::WriteFile;
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let mut rules = ruleset.handle_access(write | AccessFs::Refer)?.create()?;
    if let Ok(root) = PathFd::new("/") {
        rules = rules.add_rule(PathBeneath::new(root, AccessFs::Refer))?;
    }
    for entry in fs::read_dir("/").into_iter().flatten().flatten() {
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if is_link || entry.file_name() == "proc" {
            continue;
        }
        if let Ok(entry) = PathFd::new(entry.path()) {
            rules = rules.add_rule(PathBeneath::new(entry, write))?;
        }
    }
    Ok(rules.into())
}

/// Returns whether `/proc` is the only mounted process file system: another one would have to be excluded too.
fn has_one_proc() -> bool {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let is_proc = |line: &&str| line.split(" - ").nth(1).is_some_and(|kind| kind.starts_with("proc "));
    let places: Vec<&str> =
        mounts.lines().filter(is_proc).filter_map(|line| line.split(' ').nth(4)).collect();
    !places.is_empty() && places.iter().all(|place| *place == "/proc" || place.starts_with("/proc/"))
}
