//! The running programs, for threads other than the tracer's: each connection belongs to one of them.

use std::collections::HashMap;
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::chain::Chain;
use crate::network_host::ConnectingProgram;

/// The supervised processes, and the programs that led to each of them.
#[derive(Debug, Default)]
pub(crate) struct RunningPrograms(Mutex<HashMap<libc::pid_t, Chain>>);

impl RunningPrograms {
    pub(crate) fn insert(&self, process: libc::pid_t, chain: &Chain) {
        self.chains().insert(process, chain.clone());
    }

    pub(crate) fn remove(&self, process: libc::pid_t) {
        self.chains().remove(&process);
    }

    /// Returns the program that has the other end of a connection from this port of their network.
    pub(crate) fn of_connection(&self, port: u16) -> Option<ConnectingProgram> {
        let chains = self.chains().clone();
        let socket = chains.keys().find_map(|process| socket(*process, port))?;
        let (process, chain) = chains.into_iter().find(|(process, _)| holds(*process, &socket))?;
        Some(ConnectingProgram { command: command(process), chain })
    }

    fn chains(&self) -> MutexGuard<'_, HashMap<libc::pid_t, Chain>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the arguments of a process, joined by blanks.
pub(crate) fn command(process: libc::pid_t) -> String {
    let arguments = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let words = arguments.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    words.collect::<Vec<_>>().join(" ").trim_end().to_owned()
}

/// Returns the name of the socket with this port, as shown for descriptors, in the network of a process.
fn socket(process: libc::pid_t, port: u16) -> Option<String> {
    let table = fs::read_to_string(format!("/proc/{process}/net/tcp")).ok()?;
    let found = table.lines().skip(1).find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (_, local) = fields.get(1)?.split_once(':')?;
        (u16::from_str_radix(local, 16) == Ok(port)).then(|| fields.get(9).copied().map(str::to_owned))?
    })?;
    Some(format!("socket:[{found}]"))
}

fn holds(process: libc::pid_t, socket: &str) -> bool {
    let descriptors = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    let mut targets = descriptors.filter_map(|descriptor| fs::read_link(descriptor.path()).ok());
    targets.any(|target| target.as_os_str() == socket)
}
