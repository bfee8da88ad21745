//! The questions of one run: found in its stdout, asked in order, answered on its stdin.
//!
//! INVARIANT: each question is answered with exactly one line, or the hook has ended. The limit of the run is paused
//! from the moment a question is read until its answer is written (Q2).

use super::desk::Desk;
use crate::host::questions::answer;
use crate::host::questions::answer::{Answer, AnsweredQuestion};
use crate::host::questions::lines::{LineQuestion, Splitter};
use crate::host::questions::parse::{BadQuestion, Wrong};
use crate::host::questions::question::Question;
use becket_process::{CancellationToken, Control, Pause};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The exchange with one hook. The sink of its run feeds it, and [`Interview::answer_all`] drives it concurrently.
pub(crate) struct Interview {
    hook: String,
    desk: Desk,
    /// The control of a run whose stdin stays open.
    control: Control,
    state: Mutex<State>,
    heard: Notify,
}

#[derive(Default)]
struct State {
    splitter: Splitter,
    waiting: VecDeque<(Question, Pause)>,
    /// The question that is being asked.
    current: Option<Question>,
    answered: Vec<AnsweredQuestion>,
    is_flooded: bool,
    is_over: bool,
}

impl Interview {
    /// Creates the interview of a run of the hook with this label, controlled by `control`.
    pub(crate) fn new(hook: impl Into<String>, desk: Desk, control: Control) -> Self {
        Interview { hook: hook.into(), desk, control, state: Mutex::default(), heard: Notify::new() }
    }

    /// Reads output of the hook. Asks no question itself, so it may be called from the sink; invalid questions are
    /// answered at once.
    pub(crate) fn read(&self, stdout: &[u8]) {
        let mut state = self.state();
        if state.is_over {
            return;
        }
        for found in state.splitter.feed(stdout) {
            self.take(&mut state, found);
        }
    }

    fn take(&self, state: &mut State, found: LineQuestion) {
        match found {
            Ok(asked) => {
                state.waiting.push_back((asked.by(&self.hook), self.control.pause()));
                self.heard.notify_one();
            }
            Err(bad) if matches!(bad.why, Wrong::Flood(_)) => {
                // Reported once, and not kept: there may be any number.
                if !std::mem::replace(&mut state.is_flooded, true) {
                    let answer = Answer::Refused(bad.why.to_string());
                    state.answered.push(AnsweredQuestion {
                        id: String::new(),
                        message: String::new(),
                        answer,
                    });
                }
            }
            Err(bad) => {
                self.control.write(answer::line(&bad.id, None));
                state.answered.push(refused(*bad));
            }
        }
    }

    /// Asks and answers as long as it is polled; never completes. Dropping it withdraws the current question.
    pub(crate) async fn answer_all(&self, cancel: &CancellationToken) -> std::convert::Infallible {
        loop {
            let next = self.state().waiting.pop_front();
            match next {
                Some((question, pause)) => self.answer(question, pause, cancel).await,
                None => self.heard.notified().await,
            }
        }
    }

    async fn answer(&self, question: Question, pause: Pause, cancel: &CancellationToken) {
        self.state().current = Some(question.clone());
        let answer = self.desk.ask(&question, cancel).await;
        self.control.write(answer::line(&Value::String(question.id.clone()), answer.selected()));
        drop(pause);
        let mut state = self.state();
        state.current = None;
        state.answered.push(AnsweredQuestion { id: question.id, message: question.message, answer });
    }

    /// Ends the interview, since the hook has ended or its output is no longer read. Returns everything that it asked,
    /// in the order of the answers; open questions are withdrawn. Later output is ignored and pauses no limit.
    pub(crate) fn end(&self) -> Vec<AnsweredQuestion> {
        let mut state = self.state();
        state.is_over = true;
        if let Some(found) = state.splitter.finish() {
            self.take(&mut state, found);
        }
        let open: Vec<Question> = state
            .current
            .take()
            .into_iter()
            .chain(state.waiting.drain(..).map(|(question, _)| question))
            .collect();
        let withdrawn = |question: Question| AnsweredQuestion {
            id: question.id,
            message: question.message,
            answer: Answer::Withdrawn,
        };
        let mut answered = std::mem::take(&mut state.answered);
        answered.extend(open.into_iter().map(withdrawn));
        answered
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refused(bad: BadQuestion) -> AnsweredQuestion {
    let why = bad.why.to_string();
    let id = match bad.id {
        Value::String(id) => id,
        Value::Null => String::new(),
        id @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => id.to_string(),
    };
    AnsweredQuestion { id, message: bad.message, answer: Answer::Refused(why) }
}

impl AnsweredQuestion {
    /// Returns a warning for the hook's author or the host's.
    pub(crate) fn warning(&self) -> Option<String> {
        self.answer.warning(&self.id)
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
