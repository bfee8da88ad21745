//! Shared parts of the benchmarks: the server, the three clients, the instruments.

pub(crate) mod bare;
pub(crate) mod ours;
pub(crate) mod sdk;
pub(crate) mod serve;

use std::path::PathBuf;
use std::time::Duration;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value};

/// Returns the command of the server: this program, which needs that long before it responds.
pub(crate) fn program(thinks: Duration) -> (PathBuf, [String; 2]) {
    (std::env::current_exe().unwrap(), ["--serve".into(), thinks.as_millis().to_string()])
}

/// Returns the input of the server's tool.
pub(crate) fn input(size: usize) -> Map<String, Value> {
    Map::from_iter([("size".to_owned(), Value::from(size))])
}

/// Returns the processor time of one of `times` iterations in nanoseconds, including all threads and the kernel's work
/// for them.
pub(crate) fn cpu<T>(times: u32, mut once: impl FnMut() -> T) -> f64 {
    let now = || Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap();
    let start = now();
    (0..times).for_each(|_| drop(once()));
    (now() - start).as_secs_f64() * 1e9 / f64::from(times)
}

/// Runs the work, and the programs that it starts, on one processor: otherwise the placement of the two ends of a pipe
/// is random, and waking one from the other costs several times what is measured.
pub(crate) fn on_one_processor<T>(work: impl FnOnce() -> T) -> T {
    let all = sched_getaffinity(None).unwrap();
    let mut one = CpuSet::new();
    one.set((0..CpuSet::MAX_CPU).find(|cpu| all.is_set(*cpu)).unwrap());
    sched_setaffinity(None, &one).unwrap();
    let done = work();
    sched_setaffinity(None, &all).unwrap();
    done
}

/// Returns the resident memory of this process, in bytes.
pub(crate) fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() * 1024.0
}
