//! ptrace and waitpid behind safe functions.
//!
//! A tracee may be killed at any time, so every request can fail with `ESRCH`: its end is reported next, and callers
//! ignore the error.

#![expect(unsafe_code, reason = "ptrace has no safe interface")]

use std::io;
use std::ptr;

use super::registers::{self, Registers};

const OPTIONS: libc::c_int = libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_TRACESECCOMP
    | libc::PTRACE_O_TRACESYSGOOD
    | libc::PTRACE_O_EXITKILL;

/// A report of the kernel about a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Report {
    /// The process has ended with this wait status.
    Ended(i32),
    /// The process has executed a program but not started it; it was this thread before.
    Executed(libc::pid_t),
    /// The process is about to make a system call that a filter traces. The filter may be one of its own, and so may
    /// the message of the event: only the registers tell which call it is.
    Calling,
    /// The process is stopped at a system call: after the one that [`go_on_to_return`] let it make, or on either side
    /// after [`go_on_to_call`].
    Returned,
    /// The process has started this process or thread.
    Started(libc::pid_t),
    /// The process was stopped by a stop signal (`SIGSTOP`, `SIGTSTP`, …).
    GroupStop,
    /// The process was attached, or continued after a stop.
    Trap,
    /// The process is about to receive a signal.
    Signal(libc::c_int),
}

/// The result of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitOutcome {
    Report(libc::pid_t, Report),
    /// Nothing has happened yet.
    Nothing,
    /// There are no children left.
    NoChildren,
}

/// Attaches to a process, and to everything that it will start. If this process ends, they are killed.
pub(super) fn seize(process: libc::pid_t) -> io::Result<()> {
    request(libc::PTRACE_SEIZE, process, 0, OPTIONS.unsigned_abs() as usize).map(drop)
}

/// Sets the options for a tracee that has asked to be traced, and is stopped.
///
/// # Errors
/// Errors if the system refuses.
pub(super) fn set_options(process: libc::pid_t) -> io::Result<()> {
    request(libc::PTRACE_SETOPTIONS, process, 0, OPTIONS.unsigned_abs() as usize)
}

/// Stops tracing a stopped process, which continues.
pub(super) fn detach(process: libc::pid_t) {
    let _ = request(libc::PTRACE_DETACH, process, 0, 0);
}

/// Sends a signal to one thread of a process.
pub(super) fn signal_thread(process: libc::pid_t, thread: libc::pid_t, signal: libc::c_int) {
    // SAFETY: sends a signal and changes no memory.
    unsafe { libc::syscall(libc::SYS_tgkill, process, thread, signal) };
}

/// The side of a system call on which a tracee is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallStop {
    /// Before a system call of this architecture.
    Entry { number: i64, arguments: [u64; 6] },
    /// Before a system call of another architecture.
    ForeignEntry,
    /// After a system call.
    Exit,
}

/// Returns the system call at which a tracee is stopped; `None` if it is stopped elsewhere.
///
/// # Errors
/// Errors if the kernel is older than 5.3, or the tracee is gone.
pub(super) fn call_stop(process: libc::pid_t) -> io::Result<Option<CallStop>> {
    const GET_SYSCALL_INFO: Request = 0x420e;
    const ENTRY: u8 = 1;
    const EXIT: u8 = 2;
    let mut info = CallInfo::default();
    request(GET_SYSCALL_INFO, process, size_of::<CallInfo>(), (&raw mut info).addr())?;
    Ok(match info.side {
        ENTRY if info.architecture != ARCHITECTURE => Some(CallStop::ForeignEntry),
        ENTRY => Some(CallStop::Entry { number: info.number.cast_signed(), arguments: info.arguments }),
        EXIT => Some(CallStop::Exit),
        _ => None,
    })
}

/// The identifier of this architecture (`AUDIT_ARCH_…`).
#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;

/// `struct ptrace_syscall_info`, as far as it is read before a call.
#[derive(Default)]
#[repr(C)]
struct CallInfo {
    side: u8,
    padding: [u8; 3],
    architecture: u32,
    next: u64,
    stack: u64,
    number: u64,
    arguments: [u64; 6],
    filter: [u64; 2],
}

/// Lets a stopped process continue, with a signal or with 0.
pub(super) fn go_on(process: libc::pid_t, signal: libc::c_int) {
    let _ = request(libc::PTRACE_CONT, process, 0, signal.unsigned_abs() as usize);
}

/// Lets a process that is stopped before a system call make it, and stops it when the call returns.
pub(super) fn go_on_to_return(process: libc::pid_t) {
    go_on_to_call(process, 0);
}

/// Lets a stopped process continue, with a signal or with 0, and stops it before or after its next system call.
pub(super) fn go_on_to_call(process: libc::pid_t, signal: libc::c_int) {
    let _ = request(libc::PTRACE_SYSCALL, process, 0, signal.unsigned_abs() as usize);
}

/// Prevents a process that is stopped before a system call from making it: the call returns with the error instead.
///
/// # Errors
/// Errors if the call can't be changed. The process must not continue then.
pub(super) fn refuse_call(process: libc::pid_t, error: libc::c_int) -> io::Result<()> {
    let mut registers = registers(process)?.ok_or(io::ErrorKind::Unsupported)?;
    registers::set_result(&mut registers, -i64::from(error));
    #[cfg(target_arch = "x86_64")]
    {
        registers.orig_rax = u64::MAX;
    }
    #[cfg(target_arch = "aarch64")]
    {
        const NT_ARM_SYSTEM_CALL: usize = 0x404;
        let mut none: libc::c_int = -1;
        let mut area = libc::iovec { iov_base: (&raw mut none).cast(), iov_len: size_of::<libc::c_int>() };
        request(libc::PTRACE_SETREGSET, process, NT_ARM_SYSTEM_CALL, (&raw mut area).addr())?;
    }
    set_registers(process, &mut registers)
}

/// Leaves a process stopped until it is continued by a signal.
pub(super) fn stay_stopped(process: libc::pid_t) {
    let _ = request(libc::PTRACE_LISTEN, process, 0, 0);
}

/// Kills a process, even a stopped one.
pub(super) fn kill(process: libc::pid_t) {
    // SAFETY: sends a signal and changes no memory.
    unsafe { libc::kill(process, libc::SIGKILL) };
}

/// Waits for a report; if `block` is set, until there is one.
pub(super) fn wait(block: bool) -> io::Result<WaitOutcome> {
    wait_for(-1, if block { 0 } else { libc::WNOHANG })
}

/// Waits for a report about a tracee of this thread, or about any of them with -1; if `block` is set, until there is
/// one. Reports for other threads of this process are left to them.
pub(super) fn wait_for_tracee(process: libc::pid_t, block: bool) -> io::Result<WaitOutcome> {
    wait_for(process, libc::__WNOTHREAD | if block { 0 } else { libc::WNOHANG })
}

fn wait_for(process: libc::pid_t, flags: libc::c_int) -> io::Result<WaitOutcome> {
    loop {
        let mut status = 0;
        // SAFETY: fills the status.
        let process = unsafe { libc::waitpid(process, &raw mut status, libc::__WALL | flags) };
        return match process {
            0 => Ok(WaitOutcome::Nothing),
            1.. => Ok(WaitOutcome::Report(process, report(process, status))),
            _ => match io::Error::last_os_error() {
                error if error.raw_os_error() == Some(libc::EINTR) => continue,
                error if error.raw_os_error() == Some(libc::ECHILD) => Ok(WaitOutcome::NoChildren),
                error => Err(error),
            },
        };
    }
}

fn report(process: libc::pid_t, status: i32) -> Report {
    if !libc::WIFSTOPPED(status) {
        return Report::Ended(status);
    }
    let signal = libc::WSTOPSIG(status);
    let other = || message(process).and_then(|id| libc::pid_t::try_from(id).ok()).unwrap_or(process);
    match status >> 16 {
        libc::PTRACE_EVENT_EXEC => Report::Executed(other()),
        libc::PTRACE_EVENT_SECCOMP => Report::Calling,
        libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => {
            Report::Started(other())
        }
        libc::PTRACE_EVENT_STOP
            if [libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU].contains(&signal) =>
        {
            Report::GroupStop
        }
        0 if signal == libc::SIGTRAP | 0x80 => Report::Returned,
        0 => Report::Signal(signal),
        _ => Report::Trap,
    }
}

fn message(process: libc::pid_t) -> Option<libc::c_ulong> {
    let mut message: libc::c_ulong = 0;
    request(libc::PTRACE_GETEVENTMSG, process, 0, (&raw mut message).addr()).ok()?;
    Some(message)
}

/// Returns the registers of a stopped process; `None` for a 32-bit process, whose set is smaller.
pub(super) fn registers(process: libc::pid_t) -> io::Result<Option<Registers>> {
    // SAFETY: registers are numbers, for which zero is valid.
    let mut registers: Registers = unsafe { std::mem::zeroed() };
    let mut area = area(&mut registers);
    request(libc::PTRACE_GETREGSET, process, NT_PRSTATUS, (&raw mut area).addr())?;
    Ok((area.iov_len == size_of::<Registers>()).then_some(registers))
}

/// Changes the registers of a stopped process.
pub(super) fn set_registers(process: libc::pid_t, registers: &mut Registers) -> io::Result<()> {
    let mut area = area(registers);
    request(libc::PTRACE_SETREGSET, process, NT_PRSTATUS, (&raw mut area).addr())
}

const NT_PRSTATUS: usize = 1;

fn area(registers: &mut Registers) -> libc::iovec {
    libc::iovec { iov_base: ptr::from_mut(registers).cast(), iov_len: size_of::<Registers>() }
}

/// The type of requests, which differs between the C libraries.
#[cfg(target_env = "musl")]
type Request = libc::c_int;
#[cfg(not(target_env = "musl"))]
type Request = libc::c_uint;

fn request(request: Request, process: libc::pid_t, address: usize, data: usize) -> io::Result<()> {
    // SAFETY: `data` is a number, or the address of a value of the type that the request fills, alive in the caller.
    match unsafe { libc::ptrace(request, process, address, data) } {
        0.. => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
