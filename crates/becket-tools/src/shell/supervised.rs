//! A line under the supervisor of programs (`protocol.md` E1). The supervisor is the leader of the line: it reports
//! the exit code, and ends everything that the line left running.

use super::leader::{LineError, LineResult};
use super::line_output::{Keep, LineOutput};
use crate::programs::{LineCall, ProgramGuard};
use becket_exec::line::{Answer, DeniedProgram, LineRules, Refusal, Report};
use becket_process::{CancellationToken, Command, End, Limits, Runner, SpawnError};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use std::io;
use std::os::unix::net::UnixStream as Socket;
use std::pin::pin;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// The maximum number of refused accesses that hooks receive.
const MOST_REFUSALS: usize = 100;

/// A line to supervise.
pub(super) struct SupervisedLine<'a> {
    /// The supervisor, with the line's shell among its arguments.
    pub(super) command: Command,
    pub(super) limits: Limits,
    pub(super) runner: &'a Runner,
    pub(super) guard: &'a dyn ProgramGuard,
    pub(super) call: &'a LineCall,
    pub(super) rules: LineRules,
}

impl SupervisedLine<'_> {
    /// Runs the line to its end, its deadline or its cancellation; if dropped, it ends at once.
    pub(super) async fn run<K: Keep>(
        self,
        cancel: &CancellationToken,
        output: &mut LineOutput<K>,
    ) -> Result<LineResult, LineError> {
        let (ours, theirs) = Socket::pair().map_err(LineError::Channel)?;
        ours.set_nonblocking(true).map_err(LineError::Channel)?;
        let ours = UnixStream::from_std(ours).map_err(LineError::Channel)?;
        let command = self.command.channel(theirs.into());
        let mut sink = |chunk: becket_process::Chunk<'_>| output.push(chunk);
        let mut talk = Conversation::new(ours, self.guard, self.call);
        let finished = {
            let running = async {
                let finished = self.runner.run_with(
                    &command,
                    &self.limits,
                    cancel,
                    becket_process::Control::new(),
                    &mut sink,
                );
                finished.await
            };
            let mut running = pin!(running);
            let mut talking = pin!(talk.hold(&self.rules));
            tokio::select! {
                biased;
                finished = running.as_mut() => finished,
                // The supervisor has closed its end: only its exit remains.
                () = talking.as_mut() => running.await,
            }
        };
        // This is the last copy of the supervisor's end, so that reading ends.
        drop(command);
        talk.finish().await;
        output.finish();
        talk.result(finished)
    }
}

/// The exchange of messages with the supervisor of a line.
struct Conversation<'a> {
    reports: Lines<BufReader<OwnedReadHalf>>,
    answers: OwnedWriteHalf,
    guard: &'a dyn ProgramGuard,
    call: &'a LineCall,
    pending: FuturesUnordered<BoxFuture<'static, Answer>>,
    denied: Vec<DeniedProgram>,
    refusals: Vec<Refusal>,
    nothing_run: Option<String>,
    code: Option<i32>,
}

impl<'a> Conversation<'a> {
    fn new(socket: UnixStream, guard: &'a dyn ProgramGuard, call: &'a LineCall) -> Self {
        let (read, answers) = socket.into_split();
        Self {
            reports: BufReader::new(read).lines(),
            answers,
            guard,
            call,
            pending: FuturesUnordered::new(),
            denied: Vec::new(),
            refusals: Vec::new(),
            nothing_run: None,
            code: None,
        }
    }

    /// Sends the rules, and answers until the supervisor closes its end. A program whose answer can't be sent is not
    /// approved.
    async fn hold(&mut self, rules: &LineRules) {
        if self.send(rules).await.is_err() {
            return;
        }
        loop {
            tokio::select! {
                report = self.reports.next_line() => match report {
                    Ok(Some(report)) => self.take(&report),
                    Ok(None) | Err(_) => return,
                },
                Some(answer) = self.pending.next() => {
                    if self.send(&answer).await.is_err() {
                        return;
                    }
                }
            }
        }
    }

    /// Reads the reports that the supervisor sent before its end.
    async fn finish(&mut self) {
        self.pending.clear();
        // The report of the end is the last one, even if the supervisor continues with programs that are kept.
        while self.code.is_none() {
            let Ok(Some(report)) = self.reports.next_line().await else { break };
            self.take(&report);
        }
        self.pending.clear();
    }

    fn take(&mut self, report: &str) {
        match serde_json::from_str(report) {
            Ok(Report::Held(held)) => {
                let question = held.question;
                let answer = self.guard.approve(self.call, held);
                self.pending.push(Box::pin(async move { Answer { question, refusal: answer.await.err() } }));
            }
            Ok(Report::Denied(program)) => {
                self.guard.denied(self.call, &program);
                self.denied.push(program);
            }
            Ok(Report::Refused(refusal)) => {
                self.guard.refused(self.call, &refusal);
                if self.refusals.len() < MOST_REFUSALS {
                    self.refusals.push(refusal);
                }
            }
            Ok(Report::Weakened { what }) => self.guard.weakened(&what),
            Ok(Report::NothingRun { why }) => self.nothing_run = Some(why),
            Ok(Report::Ended { code }) => self.code = Some(code.into()),
            // A program whose message can't be parsed stays paused, and ends with the line.
            Err(_) => {}
        }
    }

    async fn send(&mut self, message: &impl serde::Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.answers.write_all(&line).await
    }

    fn result(
        self,
        finished: Result<becket_process::FinishedRun, SpawnError>,
    ) -> Result<LineResult, LineError> {
        let finished = finished?;
        match self.nothing_run {
            Some(why) => Err(LineError::NothingRun { why }),
            None => {
                let has_exited = matches!(finished.end, End::Exited(_));
                let code = self.code.filter(|_| has_exited);
                Ok(LineResult { code, end: finished.end, denied: self.denied, refusals: self.refusals })
            }
        }
    }
}
