//! The keeper's side: receives the running processes, and ends them once the host is gone.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use super::line::Line;
use crate::limits::Limits;
use crate::unix::kin::{self, Kin};

/// The interval at which the remaining processes are checked.
const TICK: Duration = Duration::from_millis(10);
/// The maximum wait for killed processes.
const KILL_WAIT: Duration = Duration::from_secs(5);

/// Receives from a host the processes that it starts, until the host has ended; then ends everything that still runs:
/// SIGTERM, the grace of [`Limits`], SIGKILL (`protocol.md` H4). This is the whole work of a keeper: see
/// [`crate::Guard`].
///
/// Touches only processes that the host has named, and their descendants.
pub fn keep(messages: impl Read) {
    let mut running = ProcessTable::default();
    let lines = BufReader::new(messages).split(b'\n').map_while(Result::ok);
    lines.for_each(|line| running.receive(&line));
    end(running.leaders(), Limits::default().term_grace);
}

/// The running processes, as far as the host has reported them.
#[derive(Debug, Default)]
struct ProcessTable {
    processes: BTreeMap<u64, ProcessLocation>,
    /// The session of the host.
    host: Option<i32>,
}

/// The way to find a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProcessLocation {
    /// The process has this pipe open.
    Behind {
        pipe: u64,
    },
    Known(Pid),
}

impl ProcessTable {
    fn receive(&mut self, line: &[u8]) {
        match std::str::from_utf8(line).ok().and_then(Line::read) {
            Some(Line::Host { session }) => self.host = Some(session),
            Some(Line::Begins { number, pipe }) => {
                self.processes.insert(number, ProcessLocation::Behind { pipe });
            }
            Some(Line::Started { number, pid }) => {
                let known = Pid::from_raw(pid).map(ProcessLocation::Known);
                if let (Some(place), Some(known)) = (self.processes.get_mut(&number), known) {
                    *place = known;
                }
            }
            Some(Line::Ended { number }) => {
                self.processes.remove(&number);
            }
            None => {}
        }
    }

    fn leaders(&self) -> Vec<Pid> {
        let of = |place: &ProcessLocation| match place {
            ProcessLocation::Known(pid) => vec![*pid],
            // The host itself may have the pipe open while it dies: without its session nothing is searched.
            ProcessLocation::Behind { pipe } => {
                self.host.map(|host| kin::sessions_behind(*pipe, host)).unwrap_or_default()
            }
        };
        self.processes.values().flat_map(of).collect()
    }
}

/// True if processes can be listed; otherwise the whole grace passes, and then all groups are killed.
const CAN_SEE: bool = cfg!(target_os = "linux");

fn end(leaders: Vec<Pid>, grace: Duration) {
    let mut families: Vec<Kin> = leaders.into_iter().map(Kin::orphaned).collect();
    if families.is_empty() {
        return;
    }
    for family in &mut families {
        family.look();
        family.signal_orphans(Signal::TERM);
        // A stopped process handles no signal until it continues.
        family.signal_orphans(Signal::CONT);
    }
    let start = Instant::now();
    while (are_alive(&mut families) || !CAN_SEE) && start.elapsed() < grace {
        thread::sleep(TICK);
    }
    kill(&mut families);
    let start = Instant::now();
    while are_alive(&mut families) && start.elapsed() < KILL_WAIT {
        thread::sleep(TICK);
        kill(&mut families);
    }
}

fn kill(families: &mut [Kin]) {
    for family in families {
        family.look();
        family.signal_orphans(Signal::KILL);
    }
}

fn are_alive(families: &mut [Kin]) -> bool {
    families.iter_mut().any(Kin::is_alive)
}
