//! Runs one command, from its start to its end, under a deadline.
//!
//! [`Runner::run`] spawns a [`Command`], writes its stdin while it reads its stdout and stderr, waits for it, and
//! returns a [`FinishedRun`]. [`Runner::run_with`] does the same under a [`Control`], which writes more stdin and
//! moves the deadline while the command runs. On every path (deadline, cancellation, a dropped future, a panic) the
//! process group that was started is killed and reaped: by the run itself or by the runner's reaper, which
//! [`Runner::all_gone`] waits for.
//!
//! A host that is killed can't clean up. [`Guard`] has another process do it: on Linux it ends everything that was
//! running or being started at that moment. Windows does this with the job object of each command.
//!
//! A command whose [`Descendants`] are *adopted* ends with everything that it has started, even processes that left
//! its group.
//!
//! A process can be started ahead of its input (`Standby`, Linux): it is traced by the thread that starts it until it is run.
//!
//! A process that must not end without an answer leaves a `LastAnswer` to the handler of its signals (Unix).
//!
//! This crate knows nothing of hooks, events or verdicts. It reads no environment; the caller passes all of it.
//!
//! Laws, each with a test of the same name in `tests/it/laws.rs`, the last in `tests/it/steer.rs` (`protocol.md` H3,
//! H4, Q1, Q2):
//! 1. stdin is fed while stdout and stderr are drained;
//! 2. feeding, draining and waiting share one deadline;
//! 3. draining continues past the cap: the rest is counted, never kept;
//! 4. a process that closes its stdin, or never reads it, is not an error;
//! 5. a process is the leader of its own session, and the group is ended, never the leader alone;
//! 6. after the exit the pipes get a short grace; anything read by then counts;
//! 7. a control moves the deadline and nothing else: an exit, the token and a drop end a run whatever it does, and no
//!    queued byte outlives the run.
//!
//! The runtime must drive I/O and time (`enable_all`), and may be current-thread or multi-thread. Linux and macOS
//! share `unix`; only Linux with glibc has been run. `windows` is written against the documented calls and has neither
//! been compiled nor run.
//!
//! ```
//! use becket_process::{CancellationToken, Command, Limits, Program, Runner};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let command = Command::new(Program::shell("cat; echo done >&2"), "/").stdin("hello");
//! let runner = Runner::new();
//! let finished = runner.run(&command, &Limits::default(), &CancellationToken::new(), &mut |_| ()).await?;
//! assert!(finished.end.is_success());
//! assert_eq!(finished.stdout.bytes, "hello");
//! assert_eq!(finished.stderr.bytes, "done\n");
//! # Ok::<(), becket_process::SpawnError>(())
//! # }).unwrap();
//! ```

mod child;
mod clock;
mod command;
mod control;
mod count;
mod drain;
mod drive;
mod error;
mod feed;
mod finished_run;
mod limits;
#[cfg(not(target_os = "linux"))]
mod no_standby;
mod reaper;
mod runner;
mod steering;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as sys;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as sys;

pub use command::{Command, Confinement, Descendants, Program};
pub use control::{Control, Pause};
pub use error::SpawnError;
pub use finished_run::{CapturedOutput, Chunk, End, FinishedRun, Stream};
pub use limits::{ByteCap, Limits, SinkLimit};
#[cfg(not(target_os = "linux"))]
pub use no_standby::Standby;
pub use runner::Runner;
#[cfg(target_os = "linux")]
pub use sys::Standby;
#[cfg(unix)]
pub use sys::{
    ENDING, Guard, GuardError, LastAnswer, end_is_handled, keep, start_detached, withdraw_last_answer,
};
#[cfg(target_os = "linux")]
pub use sys::{continue_in_child, exit_and_continue, has_one_thread};
pub use tokio_util::sync::CancellationToken;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
