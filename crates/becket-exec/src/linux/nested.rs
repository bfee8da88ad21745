//! A supervisor inside of another one: only one tracer is possible, so the inner one hands its rules to the outer one,
//! which adds them to its own for the inner one's processes (protocol.md E6).
//!
//! The outer supervisor listens on a socket without a file, whose name contains its process id. The inner one finds
//! that id as its tracer, connects, and checks that the peer is its tracer: nobody else can receive the rules. Any
//! process inside can send rules, which only add restrictions for itself; other processes are not listened to.

use std::collections::HashMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::net::Shutdown;
use rustix::net::sockopt::socket_peercred;

use super::identity::KnownFiles;
use crate::line::{LineRules, RuleText};
use crate::rule_gate::RuleGate;
use crate::supervisor::Supervisor;

/// The longest message, in bytes.
const LONGEST: u64 = 4 << 20;

/// The time in which a message has to arrive: a process that sends nothing, or little, must not keep others waiting.
const MESSAGE_TIME: Duration = Duration::from_secs(5);

/// The time in which the outer supervisor has to answer, which listens to others first.
const ANSWER_TIME: Duration = Duration::from_secs(60);

/// The answer of an outer supervisor that has taken over the rules.
const TAKEN: &[u8] = b"taken\n";

/// Rules that an inner supervisor has handed over.
pub(super) struct AddedRules {
    pub(super) gate: RuleGate,
    pub(super) known: KnownFiles,
    /// The argument lists of the inner host's own programs.
    pub(super) own: Vec<Vec<String>>,
}

/// Rules by the process that has handed them over, until the tracer takes them.
type Arrived = Arc<Mutex<HashMap<libc::pid_t, Vec<AddedRules>>>>;

/// The outer supervisor's listener for inner ones.
pub(super) struct InnerSupervisors {
    arrived: Arrived,
    listener: UnixListener,
    /// The connection that is being read.
    current: Arc<Mutex<Option<UnixStream>>>,
    thread: Option<JoinHandle<()>>,
}

impl InnerSupervisors {
    /// Listens until it is dropped. The calling thread is the tracer.
    pub(super) fn listen(search_path: Vec<PathBuf>) -> io::Result<Self> {
        let listener = UnixListener::bind_addr(&address(std::process::id())?)?;
        let (arrived, accepting) = (Arrived::default(), listener.try_clone()?);
        let current = Arc::<Mutex<Option<UnixStream>>>::default();
        let own = rustix::thread::gettid().as_raw_pid();
        let thread = std::thread::Builder::new().spawn({
            let (arrived, current) = (Arc::clone(&arrived), Arc::clone(&current));
            move || {
                for connection in accepting.incoming() {
                    let Ok(connection) = connection else { break };
                    *current.lock().unwrap_or_else(PoisonError::into_inner) = connection.try_clone().ok();
                    // A process that sends an invalid message gets no answer, and runs nothing.
                    let _ = receive(&connection, own, &search_path, &arrived);
                    *current.lock().unwrap_or_else(PoisonError::into_inner) = None;
                }
            }
        })?;
        Ok(Self { arrived, listener, current, thread: Some(thread) })
    }

    /// Returns the rules that this process has handed over since the last call.
    pub(super) fn take(&self, process: libc::pid_t) -> Vec<AddedRules> {
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner).remove(&process).unwrap_or_default()
    }
}

impl Drop for InnerSupervisors {
    fn drop(&mut self) {
        let _ = rustix::net::shutdown(&self.listener, Shutdown::Both);
        if let Some(connection) = &*self.current.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = rustix::net::shutdown(connection, Shutdown::Both);
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn receive(
    connection: &UnixStream,
    own: libc::pid_t,
    search_path: &[PathBuf],
    arrived: &Arrived,
) -> io::Result<()> {
    let process = socket_peercred(connection)?.pid.as_raw_pid();
    if tracer(&process.to_string()) != u32::try_from(own).ok() {
        return Err(io::Error::other("it is not one of the supervised processes"));
    }
    connection.set_write_timeout(Some(MESSAGE_TIME))?;
    let mut text = String::new();
    let message = Timed { connection, end: Instant::now() + MESSAGE_TIME };
    BufReader::new(message.take(LONGEST)).read_line(&mut text)?;
    let rules: LineRules = serde_json::from_str(&text)?;
    let (compiled, conditions) = rules.compile().map_err(io::Error::other)?;
    let mut gate = RuleGate::new(compiled);
    gate.conditions = conditions;
    let known = KnownFiles::find(&gate, search_path);
    let added = AddedRules { gate, known, own: rules.own };
    arrived.lock().unwrap_or_else(PoisonError::into_inner).entry(process).or_default().push(added);
    (&*connection).write_all(TAKEN)
}

/// A connection that is read until an instant.
struct Timed<'c> {
    connection: &'c UnixStream,
    end: Instant,
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.connection.set_read_timeout(Some(left))?;
        (&*self.connection).read(buffer)
    }
}

fn address(supervisor: u32) -> io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(format!("becket-exec-{supervisor}"))
}

/// Hands the rules of a supervisor to the outer one. Returns `false` if there is none.
///
/// # Errors
/// Errors if there is an outer supervisor that does not accept them.
pub(super) fn hand_over(supervisor: &Supervisor) -> io::Result<bool> {
    let Some(tracer) = tracer("self") else { return Ok(false) };
    let Ok(mut connection) = UnixStream::connect_addr(&address(tracer)?) else { return Ok(false) };
    let peer = socket_peercred(&connection)?.pid.as_raw_pid();
    if u32::try_from(peer) != Ok(tracer) {
        return Err(io::Error::other("another process answers for the outer supervisor"));
    }
    let mut message = serde_json::to_vec(&rules_of(supervisor))?;
    message.push(b'\n');
    connection.set_write_timeout(Some(ANSWER_TIME))?;
    connection.write_all(&message)?;
    let mut answer = Vec::new();
    let timed = Timed { connection: &connection, end: Instant::now() + ANSWER_TIME };
    BufReader::new(timed.take(TAKEN.len() as u64)).read_until(b'\n', &mut answer)?;
    match answer == TAKEN {
        true => Ok(true),
        false => Err(io::Error::other("the outer supervisor has not accepted the rules")),
    }
}

fn rules_of(supervisor: &Supervisor) -> LineRules {
    let text = |entry: &becket_rules::RuleEntry| RuleText {
        text: entry.rule().to_string(),
        origin: entry.origin().label.clone(),
        anchor: entry.origin().anchor.clone(),
    };
    let of_list = |list| {
        let entries = supervisor.gate.rules.for_programs();
        entries.filter(|entry| entry.list() == list).map(text).collect()
    };
    LineRules {
        deny: of_list(becket_rules::RuleList::Deny),
        ask: of_list(becket_rules::RuleList::Ask),
        own: supervisor.own.clone(),
        ..LineRules::default()
    }
}

/// Returns the thread that traces a process.
fn tracer(process: &str) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"))?.trim().parse().ok()?;
    Some(tracer).filter(|tracer| *tracer != 0)
}
