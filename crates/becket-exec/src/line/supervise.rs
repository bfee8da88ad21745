//! The supervisor's side of a line.

#![expect(unsafe_code, reason = "a descriptor that is known by its number has no safe interface")]

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::FileType;
use rustix::io::FdFlags;
use rustix::process::{Signal, getpid, kill_process};
use serde::Serialize;

use super::messages::{Answer, DeniedProgram, HeldProgram, LineRules, LineStreams, Refusal, Report};
use crate::denial::Denial;
use crate::error::StartError;
use crate::exit_status::ExitStatus;
use crate::host::{Host, PendingApproval, Weakness};
use crate::network_host::{NetworkHost, RefusedConnection};
use crate::refused_access::{RefusalList, RefusedAccess};
use crate::supervisor::{Program, Supervisor};
use crate::sys::linger::{self, FirstProcess};

/// The exit code if nothing was run.
const NOTHING_RUN: u8 = 125;

/// The reason why a line was not run, for which there is no channel to report it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// The descriptor is not the socket of a host.
    #[error("descriptor {number} is not the socket of a host: only `becket run` starts this")]
    NoChannel {
        /// The number of the descriptor.
        number: RawFd,
    },
    /// The socket failed.
    #[error("the socket of the host failed: {0}")]
    Channel(#[from] io::Error),
}

/// Takes over the socket that the host has left at this descriptor. Programs that are executed later don't get it.
///
/// # Errors
/// Errors if there is no socket.
pub fn channel(number: RawFd) -> Result<UnixStream, LineError> {
    // SAFETY: the descriptor is only looked at until it is known to be the host's socket, which belongs to nothing else
    // in this process; one that is closed makes the first call fail.
    let descriptor = unsafe { std::mem::ManuallyDrop::new(OwnedFd::from_raw_fd(number)) };
    let is_socket = rustix::fs::fstat(&*descriptor)
        .is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Socket);
    if !is_socket {
        return Err(LineError::NoChannel { number });
    }
    let descriptor = std::mem::ManuallyDrop::into_inner(descriptor);
    rustix::io::fcntl_setfd(&descriptor, FdFlags::CLOEXEC).map_err(io::Error::from)?;
    Ok(descriptor.into())
}

/// Runs a program to its end under the rules that arrive over the socket; returns its exit code as a shell reports it,
/// or 125 if nothing was run.
///
/// # Errors
/// Errors if the socket fails; nothing was run then.
pub fn supervise(
    channel: UnixStream,
    program: &Program,
    search_path: Vec<std::path::PathBuf>,
) -> Result<u8, LineError> {
    let mut reader = BufReader::new(channel.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let has_ended = Arc::default();
    let mut host = LineHost {
        reports: LineReports { channel: Arc::new(Mutex::new(channel)), has_ended: Arc::clone(&has_ended) },
        refusals: RefusalList::default(),
        reader: Some(reader),
        pending: Arc::default(),
        next_question: 0,
        first: None,
        has_ended,
    };
    let ended = run(&first, program, search_path, &mut host);
    match ended {
        Ok(code) if host.has_ended.load(Ordering::SeqCst) => Ok(code),
        Ok(code) => {
            host.report(&Report::Ended { code });
            Ok(code)
        }
        Err(why) => {
            host.report(&Report::NothingRun { why });
            Ok(NOTHING_RUN)
        }
    }
}

fn run(
    rules: &str,
    program: &Program,
    search_path: Vec<std::path::PathBuf>,
    host: &mut LineHost,
) -> Result<u8, String> {
    let rules: LineRules =
        serde_json::from_str(rules).map_err(|why| format!("its rules can't be read: {why}"))?;
    if let Some(why) = rules.refusal {
        return Err(why);
    }
    let (compiled, conditions) = rules.compile().map_err(|why| why.to_string())?;
    let rights = rules.all_rights();
    if !rules.kept.is_empty() {
        let first = linger::split().map_err(|why| format!("a second process can't be created: {why}"))?;
        host.first = Some(first);
    }
    arrange(rules.streams).map_err(|why| format!("its streams can't be set up: {why}"))?;
    let supervisor = Supervisor::new(compiled, search_path)
        .with_conditions(conditions)
        .with_decided(rules.decided)
        .with_own(rules.own)
        .with_kept(rules.kept)
        .with_rights(&rights)
        .with_network_host(Arc::new(LineNetwork { reports: host.reports.clone() }))
        .on_deny(rules.on_deny);
    let ended = supervisor.run(program, host);
    host.print_refusals();
    let code = ended.map(ExitStatus::code).map_err(|why: StartError| why.to_string())?;
    if let Some(first) = host.first.take() {
        host.report(&Report::Ended { code });
        host.has_ended.store(true, Ordering::SeqCst);
        first.end(code).map_err(|why| why.to_string())?;
    }
    Ok(code)
}

/// Sets up the streams: a line reads nothing, and its stderr may be merged into its stdout.
fn arrange(streams: LineStreams) -> io::Result<()> {
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    if streams == LineStreams::Joined {
        rustix::stdio::dup2_stderr(rustix::stdio::stdout())?;
    }
    Ok(())
}

type PendingPrograms = Arc<Mutex<HashMap<u64, PendingApproval>>>;

/// The reports to the host at the other end, from any thread.
#[derive(Clone)]
struct LineReports {
    channel: Arc<Mutex<UnixStream>>,
    /// True once the end of the line was reported: the host receives nothing more.
    has_ended: Arc<AtomicBool>,
}

impl LineReports {
    /// Sends a report. A host that is gone receives nothing: its end of the socket is closed, which ends this process.
    fn send(&self, report: &Report) {
        let mut channel = self.channel.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = send(&mut channel, report);
    }

    /// Reports a refused access, as long as the line has not ended.
    fn refused(&self, refusal: Refusal) {
        if !self.has_ended.load(Ordering::SeqCst) {
            self.send(&Report::Refused(refusal));
        }
    }
}

/// The host at the other end.
struct LineHost {
    reports: LineReports,
    refusals: RefusalList,
    reader: Option<BufReader<UnixStream>>,
    pending: PendingPrograms,
    next_question: u64,
    /// The process that waits for the end of the line, if this process may outlive it.
    first: Option<FirstProcess>,
    /// True once the end of the line was reported: the host receives nothing more.
    has_ended: Arc<AtomicBool>,
}

impl LineHost {
    fn report(&self, report: &Report) {
        self.reports.send(report);
    }

    /// Writes the refused accesses to the line's own stderr: programs rarely report why they failed.
    fn print_refusals(&mut self) {
        let text = std::mem::take(&mut self.refusals).to_string();
        if !text.is_empty() {
            let _ = rustix::io::write(rustix::stdio::stderr(), text.as_bytes());
        }
    }
}

impl Host for LineHost {
    fn started(&mut self) {
        let (reader, pending) = (self.reader.take(), Arc::clone(&self.pending));
        let has_ended = Arc::clone(&self.has_ended);
        std::thread::spawn(move || {
            reader.into_iter().for_each(|reader| pass_on_answers(reader, &pending, &has_ended));
        });
    }

    fn refused(&mut self, access: &RefusedAccess) {
        self.refusals.add(access);
        self.reports.refused(access.into());
    }

    fn lingers(&mut self, status: ExitStatus) {
        self.print_refusals();
        self.report(&Report::Ended { code: status.code() });
        self.has_ended.store(true, Ordering::SeqCst);
        if let Some(Err(_)) = self.first.take().map(|first| first.end(status.code())) {
            // Unless the first process ends, the host would wait for the programs that are kept.
            end_everything();
        }
    }

    fn ask(&mut self, approval: PendingApproval) {
        if self.has_ended.load(Ordering::SeqCst) {
            return approval.refuse("its line has ended, so there is nobody to ask");
        }
        let question = self.next_question;
        self.next_question += 1;
        let held = HeldProgram {
            question,
            command: approval.command.clone(),
            program: approval.program.clone(),
            rule: approval.rule.clone(),
            is_for_hooks: approval.is_for_hooks,
        };
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).insert(question, approval);
        self.report(&Report::Held(held));
    }

    fn denied(&mut self, denial: &Denial, silent: bool) {
        if silent {
            // Written to the line's own stderr, where the program would have printed it.
            let _ = rustix::io::write(rustix::stdio::stderr(), denial.line().as_bytes());
        }
        self.report(&Report::Denied(DeniedProgram {
            command: denial.command.clone(),
            chain: denial.chain.names().map(str::to_owned).collect(),
            reason: denial.cause.to_string(),
        }));
    }

    fn weakened(&mut self, weakness: Weakness) {
        self.report(&Report::Weakened { what: weakness.to_string() });
    }
}

/// The host of the proxy of a line.
struct LineNetwork {
    reports: LineReports,
}

impl NetworkHost for LineNetwork {
    fn refused(&self, connection: &RefusedConnection) {
        // Written to the line's own stderr: programs show little of what a proxy answers.
        let _ = rustix::io::write(rustix::stdio::stderr(), connection.line().as_bytes());
        self.reports.refused(connection.into());
    }
}

fn send(channel: &mut UnixStream, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    channel.write_all(&line)
}

/// Delivers answers until the host closes its end. Then the host has ended or wants the line to end: the end of this
/// process ends all that it traces.
fn pass_on_answers(reader: BufReader<UnixStream>, pending: &PendingPrograms, has_ended: &AtomicBool) {
    for line in reader.lines() {
        let Some(answer) = line.ok().and_then(|line| serde_json::from_str::<Answer>(&line).ok()) else {
            break;
        };
        let held = pending.lock().unwrap_or_else(PoisonError::into_inner).remove(&answer.question);
        match (held, answer.refusal) {
            (Some(held), None) => held.approve(),
            (Some(held), Some(why)) => held.refuse(&why),
            (None, _) => {}
        }
    }
    if !has_ended.load(Ordering::SeqCst) {
        end_everything();
    }
}

/// Ends this process, and with it everything that it traces.
fn end_everything() {
    let _ = kill_process(getpid(), Signal::KILL);
}
