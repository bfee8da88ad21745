//! The process of one worker, and the exchange of lines with it.

use crate::handlers::command::PreparedCommand;
use becket_process::{
    ByteCap, CancellationToken, Chunk, Control, FinishedRun, Limits, Runner, SinkLimit, SpawnError, Stream,
};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::runtime::{Handle, Id};

/// The time without an event after which a worker receives no more.
const IDLE: Duration = Duration::from_secs(300);
/// The age at which a worker receives no more events.
const MAX_AGE: Duration = Duration::from_secs(1_800);
/// The number of events after which a worker receives no more.
const MAX_REQUESTS: u64 = 1_000;

/// The end of a worker's process.
pub(super) type Ended = Result<FinishedRun, SpawnError>;

/// A message from a worker.
pub(super) enum Line {
    /// A line, without its end.
    Printed(Bytes),
    /// A line of more than this many bytes.
    TooLong(usize),
    /// The process has ended.
    Ended(Ended),
}

/// A worker. It runs as long as this value exists, and is polled while an event asks it. Dropping it kills it at once.
pub(super) struct WorkerProcess {
    run: BoxFuture<'static, Ended>,
    has_ended: bool,
    control: Control,
    output: Arc<Mutex<Output>>,
    requests: u64,
    started: Instant,
    last_asked: Instant,
    /// The runtime that its pipes belong to.
    runtime: Id,
}

/// The output that has not been taken yet.
#[derive(Default)]
struct Output {
    lines: VecDeque<Line>,
    /// The beginning of the next line.
    line: Vec<u8>,
    stderr: Vec<u8>,
}

impl WorkerProcess {
    /// Creates the worker; it starts with the first request.
    pub(super) fn new(runner: Runner, limits: &Limits, prepared: PreparedCommand) -> Self {
        let (control, output) = (Control::with_open_stdin(), Arc::<Mutex<Output>>::default());
        let caps = (limits.stdout_cap.get(), limits.stderr_cap.get());
        let limits = Limits {
            deadline: None,
            stdout_cap: ByteCap::bytes(0),
            stderr_cap: ByteCap::bytes(0),
            sink: SinkLimit::Unlimited,
            ..limits.clone()
        };
        let (own, shared_output) = (control.clone(), Arc::clone(&output));
        let run = Box::pin(async move {
            let PreparedCommand { command, temporary } = prepared;
            let command = becket_process::Command { stdin: Bytes::new(), ..command };
            let mut sink = |chunk: Chunk<'_>| {
                let mut output = shared_output.lock().unwrap_or_else(PoisonError::into_inner);
                match chunk.stream {
                    Stream::Stdout => output.read(chunk.bytes, caps.0),
                    Stream::Stderr => output.read_stderr(chunk.bytes, caps.1),
                }
            };
            let ended = runner.run_with(&command, &limits, &CancellationToken::new(), own, &mut sink).await;
            drop(temporary);
            ended
        });
        let now = Instant::now();
        let runtime = Handle::current().id();
        Self { run, has_ended: false, control, output, requests: 0, started: now, last_asked: now, runtime }
    }

    /// Returns the number and the line of the next request.
    pub(super) fn request(&mut self, input: &[u8]) -> (u64, Bytes) {
        self.requests += 1;
        let members = input.trim_ascii().strip_prefix(b"{").unwrap_or(b"}");
        let comma = if members.trim_ascii_start().starts_with(b"}") { "" } else { "," };
        let mut line = format!("{{\"{}\":{}{comma}", super::REQUEST_ID, self.requests).into_bytes();
        line.extend(members);
        line.push(b'\n');
        (self.requests, line.into())
    }

    /// Sends a request, and returns the next line.
    ///
    /// Not cancel-safe: the answer to a cancelled request would come later. The worker has to be dropped then.
    pub(super) async fn ask(&mut self, request: Bytes) -> Line {
        self.last_asked = Instant::now();
        self.output().stderr.clear();
        self.control.write(request);
        poll_fn(|context| self.poll_line(context)).await
    }

    fn poll_line(&mut self, context: &mut Context<'_>) -> Poll<Line> {
        let ended = if self.has_ended { Poll::Pending } else { self.run.as_mut().poll(context) };
        if let Poll::Ready(ended) = ended {
            self.has_ended = true;
            self.output().lines.push_back(Line::Ended(ended));
        }
        let line = self.output().lines.pop_front();
        line.map_or(Poll::Pending, Poll::Ready)
    }

    /// Returns its output on stderr since the request.
    pub(super) fn take_stderr(&self) -> Bytes {
        std::mem::take(&mut self.output().stderr).into()
    }

    /// Returns whether it can handle another event.
    pub(super) fn is_usable(&self) -> bool {
        !self.has_ended
            && self.requests < MAX_REQUESTS
            && self.started.elapsed() < MAX_AGE
            && self.last_asked.elapsed() < IDLE
            && self.runtime == Handle::current().id()
            && self.output().is_silent()
    }

    fn output(&self) -> std::sync::MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Output {
    fn read(&mut self, bytes: &[u8], cap: usize) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend(part);
            if self.line.len() > cap {
                self.line.clear();
                self.lines.push_back(Line::TooLong(cap));
            } else if self.line.ends_with(b"\n") {
                self.line.pop();
                let line = std::mem::take(&mut self.line);
                self.lines.push_back(Line::Printed(line.into()));
            }
        }
    }

    fn read_stderr(&mut self, bytes: &[u8], cap: usize) {
        let room = cap.saturating_sub(self.stderr.len()).min(bytes.len());
        self.stderr.extend(&bytes[..room]);
    }

    fn is_silent(&self) -> bool {
        self.lines.is_empty() && self.line.is_empty()
    }
}
