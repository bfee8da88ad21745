//! The calls to the system: job objects, waiting for a process, resuming it.

#![expect(unsafe_code, reason = "the system calls of Windows have no safe interface")]

use std::io;
use std::mem::{size_of, zeroed};
use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::ptr;

use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectBasicAccountingInformation, JobObjectExtendedLimitInformation, QueryInformationJobObject,
    SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{
    INFINITE, OpenThread, ResumeThread, THREAD_SUSPEND_RESUME, WaitForSingleObject,
};

/// The exit code of processes that are terminated.
const TERMINATED: u32 = 1;

/// A process and its descendants. Closing it kills them, unless they were released.
#[derive(Debug)]
pub(super) struct Job(OwnedHandle);

impl Job {
    pub(super) fn new() -> io::Result<Self> {
        // SAFETY: both pointers may be null: default security, no name.
        let raw = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        if raw.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a fresh handle without another owner.
        let job = Self(unsafe { OwnedHandle::from_raw_handle(raw) });
        job.limit(JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE)?;
        Ok(job)
    }

    pub(super) fn assign(&self, process: BorrowedHandle<'_>) -> io::Result<()> {
        // SAFETY: both handles are open.
        check(unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), process.as_raw_handle()) })
    }

    /// Disables killing when the job is closed.
    pub(super) fn let_go(&self) -> io::Result<()> {
        self.limit(0)
    }

    pub(super) fn terminate(&self) -> io::Result<()> {
        // SAFETY: the handle is open.
        check(unsafe { TerminateJobObject(self.0.as_raw_handle(), TERMINATED) })
    }

    /// Returns whether no process of the job is left.
    pub(super) fn is_empty(&self) -> bool {
        // SAFETY: a structure of plain numbers; zero is a value of each.
        let mut info: JOBOBJECT_BASIC_ACCOUNTING_INFORMATION = unsafe { zeroed() };
        // SAFETY: `info` is valid for writing and its own size is given; the returned length may be null.
        let query = check(unsafe {
            QueryInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectBasicAccountingInformation,
                ptr::from_mut(&mut info).cast(),
                size_of::<JOBOBJECT_BASIC_ACCOUNTING_INFORMATION>() as u32,
                ptr::null_mut(),
            )
        });
        query.is_ok() && info.ActiveProcesses == 0
    }

    fn limit(&self, flags: u32) -> io::Result<()> {
        // SAFETY: a structure of plain numbers; zero is a value of each.
        let mut info: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = unsafe { zeroed() };
        info.BasicLimitInformation.LimitFlags = flags;
        // SAFETY: `info` is valid for reading and its own size is given.
        check(unsafe {
            SetInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                ptr::from_ref(&info).cast(),
                size_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>() as u32,
            )
        })
    }
}

/// Blocks until the process has ended.
pub(super) fn wait(process: &OwnedHandle) {
    // SAFETY: the handle is open and allows waiting.
    unsafe { WaitForSingleObject(process.as_raw_handle(), INFINITE) };
}

/// Resumes a process that was started suspended: it had to be in its job before its first instruction.
pub(super) fn resume(process_id: u32) -> io::Result<()> {
    // SAFETY: takes numbers only.
    let raw = unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0) };
    if raw == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a fresh handle without another owner.
    let snapshot = unsafe { OwnedHandle::from_raw_handle(raw) };
    // SAFETY: a structure of plain numbers; zero is a value of each.
    let mut entry: THREADENTRY32 = unsafe { zeroed() };
    entry.dwSize = size_of::<THREADENTRY32>() as u32;
    // SAFETY: the snapshot is open and `entry` knows its size.
    let mut more = unsafe { Thread32First(snapshot.as_raw_handle(), &mut entry) };
    while more != 0 {
        if entry.th32OwnerProcessID == process_id {
            return resume_thread(entry.th32ThreadID);
        }
        // SAFETY: as above.
        more = unsafe { Thread32Next(snapshot.as_raw_handle(), &mut entry) };
    }
    Err(io::Error::other("the new process has no thread"))
}

fn resume_thread(id: u32) -> io::Result<()> {
    // SAFETY: takes numbers only.
    let raw = unsafe { OpenThread(THREAD_SUSPEND_RESUME, 0, id) };
    if raw.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a fresh handle without another owner.
    let thread = unsafe { OwnedHandle::from_raw_handle(raw) };
    // SAFETY: the handle is open and allows resuming.
    match unsafe { ResumeThread(thread.as_raw_handle()) } {
        u32::MAX => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

fn check(result: i32) -> io::Result<()> {
    if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
