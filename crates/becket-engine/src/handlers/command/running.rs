//! A running command: an owned future, so that it can go to the background halfway (A2), and the parts of its stdout
//! that are read meanwhile: the announcement on its first line, the questions (Q1).
//!
//! INVARIANT: whether a run goes to the background depends on what it printed alone, never on how fast it ended.

use crate::config::handler::Handler;
use crate::handlers::command::PreparedCommand;
use crate::handlers::context::HandlerContext;
use crate::handlers::questions::Interview;
use crate::host::private_files::RunDirectory;
use crate::host::questions::answer::AnsweredQuestion;
use crate::report::run_event::{OutputStream, RunEvent, RunEventKind};
use crate::report::stream::Listeners;
use becket_model::interpret::{Announcement, announcement};
use becket_model::table::DecisionModel;
use becket_process::{
    CancellationToken, Chunk, Control, FinishedRun, Limits, Runner, SpawnError, Standby, Stream,
};
use futures_util::future::BoxFuture;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

/// The longest first line that may be an announcement, in bytes; a longer one is an answer.
const OPENING: usize = 1_024;

/// A running command.
pub(crate) struct RunningCommand {
    future: BoxFuture<'static, Result<FinishedRun, SpawnError>>,
    cancel: CancellationToken,
    control: Control,
    reader: Arc<OutputReader>,
}

/// The result of waiting for a run.
pub(crate) enum WaitResult {
    /// The run has ended.
    Over(Result<FinishedRun, SpawnError>),
    /// The run continues in the background, or has ended after it had announced that.
    GoesOn(Announcement, Option<Result<FinishedRun, SpawnError>>),
}

/// Receives the output of a run.
struct OutputReader {
    number: u64,
    handler: Arc<Handler>,
    /// `None` if nothing is reported (H13).
    listeners: Option<Arc<Listeners>>,
    opening: Mutex<FirstLine>,
    interview: Option<Interview>,
}

/// The first line of stdout.
enum FirstLine {
    /// The line so far, without its end.
    Line(Vec<u8>),
    /// The line announces that the run continues in the background.
    Announces(Announcement),
    /// The line is an answer, or is not examined.
    Answers,
}

impl RunningCommand {
    /// Creates the run; it starts when it is first polled, unless its process was started ahead.
    pub(crate) fn new(
        context: &HandlerContext<'_>,
        handler: &Arc<Handler>,
        prepared: PreparedCommand,
        standby: Option<Standby>,
        limit: Duration,
    ) -> Self {
        let control = if handler.questions { Control::with_open_stdin() } else { Control::new() };
        let interview = handler
            .questions
            .then(|| Interview::new(&*handler.place.label, context.engine.desk.clone(), control.clone()));
        // A worktree's stdout is a path and nothing else (O1).
        let is_path = context.event.kind().spec().decision == DecisionModel::Path;
        let may_announce = !is_path && !context.must_answer(handler);
        let opening = if may_announce { FirstLine::Line(Vec::new()) } else { FirstLine::Answers };
        let reader = Arc::new(OutputReader {
            number: context.number,
            handler: handler.clone(),
            listeners: context.is_told.then(|| context.engine.listeners.clone()),
            opening: Mutex::new(opening),
            interview,
        });
        let cancel = CancellationToken::new();
        let limits = Limits { deadline: Some(limit), ..context.engine.limits.clone() };
        let PreparedCommand { command, temporary } = prepared;
        let runner = context.engine.runner.clone();
        let resources =
            RunResources { runner, command, standby, limits, cancel: cancel.clone(), _temporary: temporary };
        let future = Box::pin(resources.run(control.clone(), reader.clone()));
        RunningCommand { future, cancel, control, reader }
    }

    /// Waits until the run has ended or goes to the background; asks its questions, and ends it with the event.
    pub(crate) async fn wait(&mut self, of_the_event: &CancellationToken) -> WaitResult {
        let RunningCommand { future, cancel, reader, .. } = self;
        let mut cancelled = pin!(of_the_event.cancelled());
        let mut answering = pin!(async {
            match &reader.interview {
                Some(interview) => match interview.answer_all(cancel).await {},
                None => std::future::pending::<()>().await,
            }
        });
        poll_fn(|context| {
            if !cancel.is_cancelled() && cancelled.as_mut().poll(context).is_ready() {
                cancel.cancel();
            }
            let over = future.as_mut().poll(context);
            if let Some(announcement) = reader.announcement() {
                let over = match over {
                    Poll::Ready(over) => Some(over),
                    Poll::Pending => None,
                };
                return Poll::Ready(WaitResult::GoesOn(announcement, over));
            }
            if let Poll::Ready(over) = over {
                return Poll::Ready(WaitResult::Over(over));
            }
            let _ = answering.as_mut().poll(context);
            Poll::Pending
        })
        .await
    }

    /// Returns its questions, with the answers.
    pub(crate) fn questions(&self) -> Vec<AnsweredQuestion> {
        self.reader.interview.as_ref().map(Interview::end).unwrap_or_default()
    }

    /// Detaches the run into the background: questions are not answered there, so stdin is closed. Dropping it ends the
    /// run.
    pub(crate) fn into_background(self) -> InBackground {
        let RunningCommand { future, cancel, control, reader: _ } = self;
        control.close_stdin();
        InBackground { future, cancel, control }
    }
}

/// A run that no event waits for.
pub(crate) struct InBackground {
    pub(crate) future: BoxFuture<'static, Result<FinishedRun, SpawnError>>,
    pub(crate) cancel: CancellationToken,
    /// The control by which another limit can be set.
    pub(crate) control: Control,
}

/// The resources that a run owns.
struct RunResources {
    runner: Runner,
    command: becket_process::Command,
    /// The process of the command, if it was started ahead.
    standby: Option<Standby>,
    limits: Limits,
    cancel: CancellationToken,
    _temporary: Option<RunDirectory>,
}

impl RunResources {
    async fn run(self, control: Control, reader: Arc<OutputReader>) -> Result<FinishedRun, SpawnError> {
        let mut sink = |chunk: Chunk<'_>| reader.hear(chunk);
        match self.standby {
            Some(standby) => {
                self.runner.run_standby(standby, &self.limits, &self.cancel, control, &mut sink).await
            }
            None => self.runner.run_with(&self.command, &self.limits, &self.cancel, control, &mut sink).await,
        }
    }
}

impl OutputReader {
    fn hear(&self, chunk: Chunk<'_>) {
        if chunk.stream == Stream::Stdout {
            self.opening.lock().unwrap_or_else(PoisonError::into_inner).feed(chunk.bytes);
            if let Some(interview) = &self.interview {
                interview.read(chunk.bytes);
            }
        }
        let Some(listeners) = self.listeners.as_ref().filter(|listeners| listeners.any()) else { return };
        let stream = match chunk.stream {
            Stream::Stdout => OutputStream::Stdout,
            Stream::Stderr => OutputStream::Stderr,
        };
        let what = RunEventKind::Output { handler: self.handler.clone(), stream, bytes: chunk.bytes.into() };
        listeners.emit(&RunEvent { firing: self.number, what });
    }

    fn announcement(&self) -> Option<Announcement> {
        match &*self.opening.lock().unwrap_or_else(PoisonError::into_inner) {
            FirstLine::Announces(announcement) => Some(announcement.clone()),
            FirstLine::Line(_) | FirstLine::Answers => None,
        }
    }
}

impl FirstLine {
    fn feed(&mut self, bytes: &[u8]) {
        let FirstLine::Line(line) = self else { return };
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = &bytes[..end.map_or(bytes.len(), |end| end + 1)];
        if line.len() + part.len() > OPENING {
            *self = FirstLine::Answers;
            return;
        }
        line.extend_from_slice(part);
        if end.is_some() {
            *self = announcement(line).map_or(FirstLine::Answers, FirstLine::Announces);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn announces(chunks: &[&[u8]]) -> bool {
        let mut opening = FirstLine::Line(Vec::new());
        chunks.iter().for_each(|chunk| opening.feed(chunk));
        matches!(opening, FirstLine::Announces(_))
    }

    #[test]
    fn the_first_line_announces_however_it_is_cut() {
        // rule: A2
        let text = b"{\"async\": true, \"asyncTimeout\": 3}\nmore\n";
        for at in 0..text.len() {
            assert!(announces(&[&text[..at], &text[at..]]), "{at}");
        }
        for not in [
            &b"{\"async\": true}"[..],
            b"{\"async\": false}\n",
            b"\n{\"async\": true}\n",
            b"x\n{\"async\": true}\n",
            b"{\"async\": true, \"decision\": \"block\"}\n",
        ] {
            assert!(!announces(&[not]), "{:?}", String::from_utf8_lossy(not));
        }
        let long = [b" ".repeat(OPENING), b"{\"async\": true}\n".to_vec()].concat();
        assert!(!announces(&[&long]), "what is kept of a first line is bounded");
    }
}
