//! One run of an agent under a limit.

use crate::{Launch, Scratch};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The pause between two checks of a process.
const PAUSE: Duration = Duration::from_millis(20);

/// One run of an agent.
#[derive(Debug)]
pub struct AgentRun<'a> {
    /// The agent's program.
    pub program: &'a Path,
    /// The value of `PATH`.
    pub search_path: &'a str,
    /// The directories and the model.
    pub scratch: Scratch<'a>,
    /// The directory for the files `stdout` and `stderr`.
    pub output: &'a Path,
    /// The limit of the whole run.
    pub limit: Duration,
}

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// The program ended, with this exit code unless a signal ended it.
    Exited(Option<i32>),
    /// The limit passed, and the process group was ended.
    Limit,
}

impl AgentRun<'_> {
    /// Starts the agent and waits for its end. Its process group is ended afterwards.
    ///
    /// # Errors
    /// Errors if the program can't be started.
    pub fn run(&self, launch: &Launch) -> io::Result<RunEnd> {
        let deadline = Instant::now() + self.limit;
        for arguments in &launch.before {
            if self.start(launch, arguments, "before", deadline)? == RunEnd::Limit {
                return Ok(RunEnd::Limit);
            }
        }
        self.start(launch, &launch.arguments, "std", deadline)
    }

    fn start(
        &self,
        launch: &Launch,
        arguments: &[String],
        name: &str,
        deadline: Instant,
    ) -> io::Result<RunEnd> {
        let file = |stream: &str| File::create(self.output.join(format!("{name}{stream}")));
        let mut command = Command::new(self.program);
        command
            .args(arguments)
            .current_dir(self.scratch.project)
            .env_clear()
            .envs(self.scratch.environment(self.search_path))
            .envs(launch.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(file("out")?)
            .stderr(file("err")?)
            .process_group(0);
        Group(command.spawn()?).wait_until(deadline)
    }
}

/// A process group, which ends with its owner. Its leader is reaped last, so that its id is not reused.
struct Group(Child);

impl Group {
    fn wait_until(self, deadline: Instant) -> io::Result<RunEnd> {
        let Some(id) = self.id() else { return Ok(RunEnd::Exited(None)) };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        loop {
            if let Some(status) = waitid(WaitId::Pid(id), options)? {
                return Ok(RunEnd::Exited(status.exit_status()));
            }
            if Instant::now() >= deadline {
                return Ok(RunEnd::Limit);
            }
            thread::sleep(PAUSE);
        }
    }

    fn id(&self) -> Option<Pid> {
        i32::try_from(self.0.id()).ok().and_then(Pid::from_raw)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(id) = self.id() {
            // The group may already be empty.
            let _ = kill_process_group(id, Signal::KILL);
        }
        drop(self.0.wait());
    }
}
