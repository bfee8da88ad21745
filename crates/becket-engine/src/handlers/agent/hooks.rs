//! The output of the hooks of an agent's own tool calls: for the model, for the user, and for the agent as a whole (H8,
//! L1).
//!
//! Texts for the model wait until the last call of the turn is answered (L2). Texts for the user are passed to the
//! event that the agent judges, so that a failed check in here is visible there.

use super::turns::AgentError;
use crate::handlers::context::HandlerContext;
use crate::report::outcome::Outcome;
use becket_model::Notice;
use becket_model::table::{Audience, Exit2Effect};
use becket_model::{Event, EventBody, Session, Verdict};
use becket_process::CancellationToken;
use futures_util::future::BoxFuture;

/// The largest number of notices from one agent to the user; a loop of failing hooks must not flood the verdict.
const MOST_NOTICES: usize = 50;

/// Fires the events of one agent.
pub(crate) struct Hooks<'a> {
    pub(crate) context: &'a HandlerContext<'a>,
    pub(crate) cancel: &'a CancellationToken,
    /// The session as the agent's events contain it.
    pub(crate) session: Session,
    /// Texts for the model, after the results of the turn.
    pub(crate) beside: Vec<String>,
    /// Notices for the user.
    pub(crate) notices: &'a mut Vec<Notice>,
}

impl Hooks<'_> {
    /// Fires an event and records its output other than the decision.
    pub(crate) async fn fire(&mut self, body: impl Into<EventBody>) -> Result<Outcome, AgentError> {
        let event = Event::new(self.session.clone(), body);
        let outcome = boxed(self.context, &event, self.cancel).await;
        if self.cancel.is_cancelled() {
            return Err(AgentError::Cancelled);
        }
        self.tell_user(&event, &outcome.verdict);
        let hook = name(&event.body);
        let context = outcome.verdict.context.iter();
        self.beside
            .extend(context.map(|context| format!("{hook} hook additional context: {}", context.what.text)));
        Ok(outcome)
    }

    /// Fires an event after the work: it may stop the agent, or tell its model what was wrong.
    pub(crate) async fn fire_after(&mut self, body: impl Into<EventBody>) -> Result<Outcome, AgentError> {
        let body = body.into();
        let hook = name(&body);
        let ends_the_loop = body.kind().spec().exit_2.effect == Exit2Effect::StopLoop;
        let at = self.beside.len();
        let outcome = self.fire(body).await?;
        if let Some(stop) = &outcome.verdict.stop {
            let because = stop.what.reason.clone().unwrap_or_else(|| format!("a hook ({})", stop.source));
            return Err(AgentError::Stopped { because });
        }
        if outcome.verdict.blocks() {
            let because = outcome.verdict.joined_reason().unwrap_or_default();
            if ends_the_loop {
                return Err(AgentError::Stopped { because });
            }
            self.beside.insert(at, format!("{hook} hook blocking error: {because}"));
        }
        Ok(outcome)
    }

    fn tell_user(&mut self, event: &Event, verdict: &Verdict) {
        let hook = name(&event.body);
        let unchecked = verdict.unchecked().map(|failure| {
            format!(
                "{hook} of this hook's agent went unchecked: `{}` ({}) {}",
                failure.label, failure.source, failure.what
            )
        });
        let messages =
            verdict.messages.iter().map(|message| format!("{hook} of this hook's agent: {}", message.what));
        let notices = verdict.notices.iter().filter(|notice| notice.what.to == Audience::User);
        let notices = notices.map(|notice| match notice.what.unchecked {
            true => format!(
                "{hook} of this hook's agent went unchecked: `{}` ({}): {}",
                notice.label, notice.source, notice.what.text
            ),
            false => format!("{hook} of this hook's agent: {}", notice.what.text),
        });
        let texts = unchecked.chain(messages).chain(notices);
        let room = MOST_NOTICES.saturating_sub(self.notices.len());
        self.notices.extend(texts.take(room).map(|text| Notice::new(Audience::User, text)));
    }
}

/// Returns the name of a hook in texts for the model: `PreToolUse:Bash`.
fn name(body: &EventBody) -> String {
    match body.subject() {
        Some(subject) => format!("{}:{subject}", body.kind()),
        None => body.kind().to_string(),
    }
}

/// Fires an event; boxed, since firing an event may run an agent and an agent fires events.
fn boxed<'a>(
    context: &'a HandlerContext<'_>,
    event: &'a Event,
    cancel: &'a CancellationToken,
) -> BoxFuture<'a, Outcome> {
    (context.fire_nested)(context.engine, context.snapshot, event, cancel)
}
