//! The process that was started, and its termination.

use std::io;
use std::os::windows::io::AsHandle;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::job::{self, Job};
use super::pipes::{Input, Output};
use crate::finished_run::End;

const TICK: Duration = Duration::from_millis(10);
/// The maximum wait for terminated processes.
const KILL_WAIT: Duration = Duration::from_secs(5);

/// A process in its job.
#[derive(Debug)]
pub(crate) struct Leader {
    child: Child,
    job: Job,
    /// Closed once the process has ended.
    ended: watch::Receiver<()>,
}

impl Leader {
    pub(super) fn new(child: Child, job: Job) -> io::Result<Self> {
        let handle = child.as_handle().try_clone_to_owned()?;
        let (done, ended) = watch::channel(());
        thread::Builder::new().name("becket-waiter".into()).spawn(move || {
            job::wait(&handle);
            drop(done);
        })?;
        Ok(Self { child, job, ended })
    }

    /// Resolves when the process has ended. Cancel-safe.
    pub(crate) async fn exited(&self) {
        // This channel only reports its end.
        let _ = self.ended.clone().changed().await;
    }

    /// Returns `None`: on Windows the job alone decides about the remaining processes.
    #[expect(clippy::unused_self, reason = "same interface as on Unix")]
    pub(crate) fn end_with_all(&self) -> Option<End> {
        None
    }

    /// Takes the status of a process that has ended; the processes it left behind are released.
    pub(crate) fn reap(mut self) -> End {
        let _ = self.job.let_go();
        match self.child.wait().map(|status| status.code()) {
            Ok(Some(code)) => End::Exited(code),
            Ok(None) | Err(_) => End::Lost,
        }
    }
}

/// A job that is being ended. Terminated and awaited on drop.
#[derive(Debug)]
pub(crate) struct Termination {
    leader: Leader,
}

impl Termination {
    /// Takes over the process. The threads of the pipes continue to read by themselves once the pipes are dropped.
    pub(crate) fn new(leader: Leader, _: Option<Input>, _: [Option<Output>; 2]) -> Self {
        Self { leader }
    }

    /// Does nothing: Windows can't ask a process without a console to exit, so the drop terminates it at once.
    pub(crate) fn ask_then_kill(&mut self, _: Duration) {}

    /// Terminates the job. Does not wait.
    pub(crate) fn kill(&mut self) {
        let _ = self.leader.job.terminate();
    }
}

impl Drop for Termination {
    fn drop(&mut self) {
        self.kill();
        let start = Instant::now();
        while !self.leader.job.is_empty() && start.elapsed() < KILL_WAIT {
            thread::sleep(TICK);
        }
        let _ = self.leader.child.wait();
    }
}
