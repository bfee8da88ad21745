//! Handles an answer, which is stored, shown and counted, and a missing one.

use super::agent_loop::{AgentLoop, Turn};
use super::ask::NoAnswer;
use super::decide::{AfterAnswer, MOST_CUT_OFF};
use super::display::Display;
use super::end::EndReason;
use crate::error_class::ErrorClass;
use crate::transcript::Log;
use crate::update::{Notice, Origin, UpdateKind};
use becket_engine::CancellationToken;
use becket_llm::{Response, StopReason};
use becket_model::event::context::MessageDisplay;
use becket_model::event::lifecycle::StopFailure;

/// The text for a model whose answer was cut off.
const GO_ON: &str = "Your answer was cut off at its token limit. Go on exactly where it ended, without an apology or a \
                     summary; make calls of tools smaller if one was cut off.";

impl AgentLoop {
    /// Stores an answer, shows it, and counts it. A declined one is only counted: it is not part of the conversation.
    pub(super) async fn take_answer(
        &mut self,
        turn: &mut Turn,
        mut response: Response,
        after: AfterAnswer,
        display: Display,
        cancel: &CancellationToken,
    ) {
        if response.id.is_empty() {
            // Transcript, hooks and watchers identify an answer by one id, so it always has one.
            response.id.clone_from(&display.message);
        }
        self.meter.answered(&*self.model, response.usage);
        turn.text = response.text();
        if let StopReason::Other(novel) = &response.stop {
            let text = format!("the answer ended for a reason that is not known here: `{novel}`");
            self.updates.notice(Notice::warning(text));
        }
        if after != AfterAnswer::Declined {
            self.conversation.answered(response.clone());
            self.store();
        }
        let uuid = self.conversation.log().and_then(Log::last_message).map(str::to_owned);
        let uuid = uuid.filter(|_| after != AfterAnswer::Declined);
        let displayed = match self.shows_batches() {
            true => self.shown(display, &turn.text, cancel).await,
            false => self.display(turn, &response, cancel).await,
        };
        self.updates.send(UpdateKind::Answered {
            message_id: response.id,
            model: response.model,
            content: response.content,
            displayed,
            usage: response.usage,
            uuid,
        });
    }

    /// Fires MessageDisplay for the displayed text of an answer; returns a hook's replacement.
    async fn display(&self, turn: &Turn, response: &Response, cancel: &CancellationToken) -> Option<String> {
        if self.origin != Origin::Main || turn.text.is_empty() {
            return None;
        }
        let body = MessageDisplay::new(turn.id.clone(), response.id.clone(), 0, true, turn.text.clone());
        let fired = self.shared.fire(&self.facts, body, &self.updates, cancel).await;
        fired.outcome.verdict.fields.display_content.as_ref().map(|said| said.what.clone())
    }

    /// Notifies the model that its answer was cut off.
    pub(super) fn go_on_after_a_cut(&mut self) {
        self.conversation.whole("the call was cut off").beside(GO_ON);
    }

    /// Returns the reason to end a turn without an answer.
    pub(super) fn unanswered(&mut self, none: NoAnswer) -> EndReason {
        match none {
            NoAnswer::Cancelled => EndReason::Interrupted,
            NoAnswer::TooLong(message) => self.does_not_fit(message),
            NoAnswer::Failed { error, because } => {
                let message = match because {
                    Some(because) => format!("{error} ({because})"),
                    None => error.to_string(),
                };
                self.failed(ErrorClass::of(&error), message, error.status())
            }
        }
    }

    /// Returns the reason to end a turn whose conversation no longer fits the model.
    pub(super) fn does_not_fit(&mut self, message: String) -> EndReason {
        self.stop_failure(ErrorClass::InvalidRequest, &message);
        EndReason::TooLong { message }
    }

    /// Returns the reason to end a turn that the model declined.
    pub(super) fn declined(&mut self) -> EndReason {
        let message = "the model declined to answer: change the prompt, or start again".to_owned();
        self.failed(ErrorClass::InvalidRequest, message, None)
    }

    /// Returns the reason to end a turn whose answers were cut off too often.
    pub(super) fn cut_off_too_often(&mut self) -> EndReason {
        let times = MOST_CUT_OFF + 1;
        let message = format!("the answer was cut off at its token limit {times} times in a row");
        self.failed(ErrorClass::MaxOutputTokens, message, None)
    }

    fn failed(&mut self, class: ErrorClass, message: String, status: Option<u16>) -> EndReason {
        self.stop_failure(class, &message);
        EndReason::ApiError { class: class.as_str().to_owned(), message, status }
    }

    /// Fires StopFailure without waiting (L3).
    fn stop_failure(&self, class: ErrorClass, message: &str) {
        let body = StopFailure::new(class.as_str().to_owned())
            .error_details(message.to_owned())
            .last_assistant_message(format!("API Error: {message}"));
        self.shared.leave(&self.facts, body, &self.updates);
    }
}
