//! Rights, enforced by Landlock (files, signals) and seccomp (sockets). What the kernel can't enforce is an error.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule,
};

#[cfg(target_arch = "x86_64")]
use super::accesses::OWN_IOCTL_OF_X32;
#[cfg(target_arch = "x86_64")]
use super::sandbox::X32;
use super::sandbox::{errno, filter};
use becket_model::{NetworkRights, PathRights, Rights, SignalRights};

/// The Landlock version that is required: with `Truncate` (Linux 6.2), without which a file that can't be written can
/// still be emptied.
const REQUIRED: ABI = ABI::V3;

/// Devices that every program may write to: they store nothing.
const HARMLESS: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts"];

/// Returns the Landlock rules; `None` if the rights restrict neither files nor signals.
pub(super) fn of_files_and_signals(rights: &Rights) -> Result<Option<OwnedFd>, RulesetError> {
    let (read, write) = (AccessFs::from_read(REQUIRED), AccessFs::from_write(REQUIRED));
    let restricted = [(&rights.read, read), (&rights.write, write)];
    let handled = restricted.iter().filter(|(paths, _)| **paths != PathRights::All);
    let handled = handled.fold(BitFlags::empty(), |all, (_, access)| all | *access);
    let keeps_signals = rights.signals == SignalRights::Own;
    if handled.is_empty() && !keeps_signals {
        return Ok(None);
    }
    let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    if !handled.is_empty() {
        ruleset = ruleset.handle_access(handled)?;
    }
    if keeps_signals {
        ruleset = ruleset.scope(Scope::Signal)?;
    }
    let mut rules = ruleset.create()?;
    for (paths, access) in restricted {
        let PathRights::Below(paths) = paths else { continue };
        for path in paths {
            rules = allow(rules, path, access)?;
        }
    }
    if rights.write != PathRights::All {
        for device in HARMLESS {
            rules = allow(rules, Path::new(device), AccessFs::WriteFile | AccessFs::Truncate)?;
        }
    }
    Ok(rules.into())
}

/// Allows an access at a path and below. A path that does not exist grants nothing.
fn allow(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let Ok(opened) = PathFd::new(path) else { return Ok(rules) };
    let is_directory = path.is_dir();
    let access = if is_directory { access } else { access & AccessFs::from_file(REQUIRED) };
    rules.add_rule(PathBeneath::new(opened, access))
}

/// Returns the address families of which sockets may be opened; `None` if the network is not restricted.
pub(super) fn families(rights: &NetworkRights) -> Option<Vec<libc::c_int>> {
    let mut families = match rights {
        NetworkRights::All => return None,
        // The address families of a network of its own. Others, such as AF_VSOCK, belong to no network.
        NetworkRights::Domains(_) => vec![libc::AF_INET, libc::AF_INET6],
        NetworkRights::Local | NetworkRights::Nothing => Vec::new(),
    };
    families.extend(rights.has_unix_sockets().then_some(libc::AF_UNIX));
    Some(families)
}

/// Returns the seccomp filters; none if the rights don't restrict the network. `refusal` is the action for a socket
/// that may not be opened.
pub(super) fn of_network(
    rights: &NetworkRights,
    refusal: SeccompAction,
) -> Result<Vec<BpfProgram>, BackendError> {
    let Some(families) = families(rights) else { return Ok(Vec::new()) };
    let other = |family: &libc::c_int| {
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, u64::from(family.unsigned_abs()))
    };
    let denied = match families.iter().map(other).collect::<Result<Vec<_>, _>>()? {
        none if none.is_empty() => Vec::new(),
        others => vec![SeccompRule::new(others)?],
    };
    let sockets = BTreeMap::from([(libc::SYS_socket, denied)]);
    // Rings open sockets without the system call.
    let filters = [
        filter(sockets, refusal),
        filter(rings(), SeccompAction::Errno(errno(libc::ENOSYS))),
        #[cfg(target_arch = "x86_64")]
        filter(x32_calls(), SeccompAction::Errno(errno(libc::EPERM))),
    ];
    filters.into_iter().collect()
}

/// The requests of `ioctl` that type into a terminal: `TIOCSTI`, and `TIOCLINUX`, which pastes a selection.
const TYPING: [u64; 2] = [0x5412, 0x541c];

/// Returns the filter that keeps a program from typing: into the shell of the user, or an answer to its own question.
pub(super) fn of_terminals() -> Result<BpfProgram, BackendError> {
    filter(ioctls(&TYPING)?, SeccompAction::Errno(errno(libc::EPERM)))
}

/// Returns the calls of `ioctl` with one of these requests, those of the x32 ABI included.
pub(super) fn ioctls(requests: &[u64]) -> Result<BTreeMap<i64, Vec<SeccompRule>>, BackendError> {
    // The kernel reads the lower half of the request.
    let is = |request: &u64| {
        let condition = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, *request)?;
        SeccompRule::new(vec![condition])
    };
    let numbers = [
        libc::SYS_ioctl,
        #[cfg(target_arch = "x86_64")]
        (X32 | libc::SYS_ioctl),
        #[cfg(target_arch = "x86_64")]
        (X32 | OWN_IOCTL_OF_X32),
    ];
    numbers
        .into_iter()
        .map(|number| Ok((number, requests.iter().map(is).collect::<Result<_, _>>()?)))
        .collect()
}

/// Returns the call that sets up rings of system calls, which filters don't see.
pub(super) fn rings() -> BTreeMap<i64, Vec<SeccompRule>> {
    BTreeMap::from([(libc::SYS_io_uring_setup, Vec::new())])
}

/// Returns the numbers of the same calls in the x32 ABI, which the other filters don't see.
#[cfg(target_arch = "x86_64")]
fn x32_calls() -> BTreeMap<i64, Vec<SeccompRule>> {
    [libc::SYS_socket, libc::SYS_io_uring_setup].map(|call| (X32 | call, Vec::new())).into()
}

/// Returns the first path that can't be opened, and the error: an allowed path that is missing would be a silent loss
/// of a right.
pub(super) fn missing(rights: &Rights) -> Option<(&Path, io::Error)> {
    let paths = [&rights.read, &rights.write].into_iter().filter_map(|paths| match paths {
        PathRights::All => None,
        PathRights::Below(paths) => Some(paths),
    });
    let denied = rights.deny_read.iter().chain(&rights.deny_write);
    paths.flatten().chain(denied).find_map(|path| {
        let opened = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path);
        opened.err().map(|why| (path.as_path(), why))
    })
}
