//! A request: sent, received, and retried if that may help.

use super::agent_loop::AgentLoop;
use super::display::Display;
use super::retry::{After, Attempts, is_refused};
use crate::error_class::ErrorClass;
use crate::update::UpdateKind;
use becket_engine::{CancellationToken, catch_panic};
use becket_llm::{BrokenCall, Collector, Delta, ModelError, PromptCaching, Request, Response};
use futures_util::StreamExt;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;
use tokio::time::Instant;

/// A complete answer.
pub(super) struct Answer {
    pub(super) response: Response,
    /// The calls with invalid input.
    pub(super) broken: Vec<BrokenCall>,
    /// The state of its display.
    pub(super) display: Display,
}

/// The reason why there is no answer.
#[derive(Debug)]
pub(super) enum NoAnswer {
    /// The caller no longer wants it.
    Cancelled,
    /// The conversation is too long for the model.
    TooLong(String),
    /// The request failed, and no retries are left.
    Failed {
        error: ModelError,
        /// The reason why it was not retried, if that is not obvious.
        because: Option<String>,
    },
}

/// The result of sending a request once.
enum AttemptResult {
    Whole(Box<Answer>),
    Cancelled,
    Failed { error: ModelError, had_begun: bool },
}

impl AgentLoop {
    /// Sends the conversation until there is an answer, or no retry may help. A broken answer is dropped.
    pub(super) async fn ask(&mut self, turn: &str, cancel: &CancellationToken) -> Result<Answer, NoAnswer> {
        let request = self.request();
        let mut attempts = Attempts::new(self.shared.options.max_retries);
        loop {
            let started = Instant::now();
            let attempt = self.listen(&request, turn, cancel).await;
            self.meter.waited(started.elapsed());
            let (error, had_begun) = match attempt {
                AttemptResult::Whole(answer) => {
                    self.warn_of_ignored(&request);
                    return Ok(*answer);
                }
                AttemptResult::Cancelled => return Err(NoAnswer::Cancelled),
                AttemptResult::Failed { error, .. } if error.is_too_long() => {
                    return Err(NoAnswer::TooLong(error.to_string()));
                }
                AttemptResult::Failed { error, had_begun } => (error, had_begun),
            };
            let after = attempts.failed(&error, had_begun, chance());
            let enough = attempts.are_enough_for_another() || matches!(after, After::GiveUp { .. });
            if enough && self.may_fall_back(&error) && self.fall_back(&error, cancel).await {
                attempts = Attempts::new(self.shared.options.max_retries);
                continue;
            }
            match after {
                After::GiveUp { because } => return Err(NoAnswer::Failed { error, because }),
                After::Again { wait, attempt } => {
                    // A refused connection within seconds is reported once, at the end.
                    if !is_refused(&error) {
                        let because = error.to_string();
                        let (status, class) = (error.status(), ErrorClass::of(&error));
                        let max_retries = attempts.max_retries(&error, had_begun);
                        self.updates.send(UpdateKind::Retrying {
                            attempt,
                            max_retries,
                            after: wait,
                            status,
                            class,
                            because,
                        });
                    }
                    self.wait(wait, cancel).await?;
                }
            }
        }
    }

    fn request(&mut self) -> Request {
        let request = Request {
            system: (!self.system.is_empty()).then(|| self.system.clone()),
            messages: self.conversation.whole("the call was not run").messages(),
            tools: self.shared.engine.host().offered_tools(&self.toolbox),
            caching: PromptCaching::Conversation,
            ..Request::default()
        };
        self.shared.with_settings(&*self.model, request)
    }

    async fn wait(&self, wait: Duration, cancel: &CancellationToken) -> Result<(), NoAnswer> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(NoAnswer::Cancelled),
            () = tokio::time::sleep(wait) => Ok(()),
        }
    }

    async fn listen(&self, request: &Request, turn: &str, cancel: &CancellationToken) -> AttemptResult {
        let (mut had_begun, mut display) = (false, Display::new(turn));
        let result = tokio::select! {
            biased;
            () = cancel.cancelled() => return AttemptResult::Cancelled,
            result = catch_panic(self.collect(request, &mut had_begun, &mut display, cancel)) => result,
        };
        let panicked = |panic| ModelError::BadAnswer {
            from: self.model.name().to_owned(),
            message: format!("its client panicked: {panic}"),
        };
        match result.map_err(panicked).flatten() {
            Ok((response, broken)) => AttemptResult::Whole(Box::new(Answer { response, broken, display })),
            Err(error) => AttemptResult::Failed { error, had_begun },
        }
    }

    async fn collect(
        &self,
        request: &Request,
        had_begun: &mut bool,
        display: &mut Display,
        cancel: &CancellationToken,
    ) -> Result<(Response, Vec<BrokenCall>), ModelError> {
        let mut deltas = self.model.stream(request);
        let mut collector = Collector::new(self.model.name());
        while let Some(delta) = deltas.next().await {
            let delta = delta?;
            if let Delta::RateLimit(limit) = delta {
                self.updates.send(UpdateKind::RateLimit(limit));
                continue;
            }
            if self.shared.options.tells_pieces {
                self.updates.send(UpdateKind::Piece(delta.clone()));
            }
            match &delta {
                Delta::Start { id, .. } if !id.is_empty() => display.message.clone_from(id),
                Delta::Start { .. } | Delta::Usage(_) | Delta::RateLimit(_) => {}
                Delta::Text { text, .. } => {
                    *had_begun = true;
                    self.handle_piece(display, text, cancel).await;
                }
                Delta::BlockStart { .. }
                | Delta::ToolInput { .. }
                | Delta::Thinking { .. }
                | Delta::Signature { .. }
                | Delta::BlockStop { .. }
                | Delta::Stop(_) => *had_begun = true,
            }
            collector.push(delta)?;
        }
        collector.finish_with_broken_calls()
    }
}

/// Returns a number from 0 to 1 that differs between processes, to spread the requests of many clients.
#[expect(clippy::cast_precision_loss, reason = "a few bits are enough to spread waits")]
fn chance() -> f64 {
    RandomState::new().hash_one(()) as f64 / u64::MAX as f64
}
