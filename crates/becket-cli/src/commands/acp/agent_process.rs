//! The process of the agent: the leader of its own session, ended together with everything in it.

use super::lines::LIMIT;
use crate::env::Surroundings;
use crate::error::CliError;
use crate::out::Out;
use becket_engine::CancellationToken;
use becket_process::{
    ByteCap, Chunk, Command, Control, End, FinishedRun, Limits, Program, Runner, SinkLimit, SpawnError,
    Stream,
};
use std::ffi::OsString;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// The running agent process.
pub(super) struct AgentProcess {
    control: Control,
    cancel: CancellationToken,
    run: JoinHandle<Result<FinishedRun, SpawnError>>,
}

/// The input of the agent.
#[derive(Clone)]
pub(super) struct AgentInput(Control);

impl AgentInput {
    /// Writes a line, which includes its line end.
    pub(super) fn send(&self, line: Vec<u8>) {
        // An agent that has exited reads nothing; its exit is handled elsewhere.
        let _ = self.0.write(line);
    }
}

impl AgentProcess {
    /// Starts the agent; also returns its output lines, each with its line end.
    ///
    /// # Errors
    /// Errors if the working directory is missing or no command is named.
    pub(super) fn start(
        words: &[OsString],
        around: &Surroundings,
        out: Out,
        cancel: &CancellationToken,
    ) -> Result<(Self, mpsc::UnboundedReceiver<Vec<u8>>), CliError> {
        let cwd = around.process.cwd.clone().ok_or(CliError::NoWorkingDirectory)?;
        let (program, arguments) =
            words.split_first().ok_or_else(|| CliError::Acp { why: "name the agent".to_owned() })?;
        let mut command = Command::new(Program::exec(program, arguments), cwd);
        command.env.clone_from(&around.process.vars);
        let (sender, lines) = mpsc::unbounded_channel();
        let (control, cancel) = (Control::with_open_stdin(), cancel.child_token());
        let run = tokio::spawn(run(command, control.clone(), cancel.clone(), sender, out));
        Ok((AgentProcess { control, cancel, run }, lines))
    }

    pub(super) fn input(&self) -> AgentInput {
        AgentInput(self.control.clone())
    }

    /// Ends the agent: closes its stdin, waits for `grace`, then ends its process group. Without a grace, it has
    /// already exited by itself. Returns its exit code, or `None` if a signal ended it.
    ///
    /// # Errors
    /// Errors if the agent could not be started.
    pub(super) async fn end(&mut self, grace: Option<Duration>) -> Result<Option<u8>, String> {
        self.control.close_stdin();
        let grace = grace.unwrap_or_default();
        let ended = match tokio::time::timeout(grace, &mut self.run).await {
            Ok(ended) => ended,
            Err(_) => {
                self.cancel.cancel();
                (&mut self.run).await
            }
        };
        match ended {
            Ok(Ok(FinishedRun { end: End::Exited(code), .. })) => Ok(Some(u8::try_from(code).unwrap_or(1))),
            Ok(Ok(_)) => Ok(None),
            Ok(Err(error)) => Err(format!("the agent can't be started: {error}")),
            Err(error) => Err(format!("the agent's task failed: {error}")),
        }
    }
}

async fn run(
    command: Command,
    control: Control,
    cancel: CancellationToken,
    lines: mpsc::UnboundedSender<Vec<u8>>,
    out: Out,
) -> Result<FinishedRun, SpawnError> {
    let limits = Limits {
        stdout_cap: ByteCap::bytes(0),
        stderr_cap: ByteCap::bytes(0),
        sink: SinkLimit::Unlimited,
        ..Limits::default()
    };
    let mut splitter = Splitter { line: Vec::new(), lines, cancel: cancel.clone() };
    let runner = Runner::new();
    let mut sink = |chunk: Chunk<'_>| match chunk.stream {
        Stream::Stdout => splitter.push(chunk.bytes),
        // The agent's own log output.
        Stream::Stderr => out.eprint_raw(chunk.bytes),
    };
    let finished = runner.run_with(&command, &limits, &cancel, control, &mut sink).await;
    splitter.finish();
    runner.all_gone().await;
    finished
}

/// Splits the output into lines.
struct Splitter {
    line: Vec<u8>,
    lines: mpsc::UnboundedSender<Vec<u8>>,
    cancel: CancellationToken,
}

impl Splitter {
    fn push(&mut self, mut bytes: &[u8]) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (first, rest) = bytes.split_at(end + 1);
            self.line.extend_from_slice(first);
            self.finish();
            bytes = rest;
        }
        self.line.extend_from_slice(bytes);
        if self.line.len() > LIMIT {
            // No part of the line may be passed on, and nothing after it can be.
            self.line.clear();
            self.cancel.cancel();
        }
    }

    fn finish(&mut self) {
        if !self.line.is_empty() {
            let _ = self.lines.send(std::mem::take(&mut self.line));
        }
    }
}
