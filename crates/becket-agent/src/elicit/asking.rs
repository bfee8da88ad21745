//! The handling of one question.

use super::form::{describe_errors, fitting};
use super::hook_answer::{self, EmptyAcceptance};
use super::report::{AnsweredBy, ElicitationRecord};
use super::user::{ElicitUser, ElicitationRequest, UserQuestion};
use becket_engine::{CancellationToken, Engine, catch_panic};
use becket_mcp::elicitation::{Address, Form};
use becket_mcp::{Elicitation, ElicitationAnswer};
use becket_model::event::mcp;
use becket_model::{Event, Session};
use serde_json::Map;
use tokio::sync::Mutex;

/// The maximum number of times that a user is asked again because the answer does not fit.
const MOST_TIMES: usize = 5;

/// A question, and the parties that can answer it.
pub(super) struct QuestionContext<'a> {
    pub(super) server: &'a str,
    pub(super) asked: &'a Elicitation,
    pub(super) cancel: &'a CancellationToken,
    /// The hooks; `None` before the host is ready.
    pub(super) hooks: Option<(Engine, Session)>,
    pub(super) user: Option<&'a dyn ElicitUser>,
    /// The lock that lets one question at a time be shown to the user.
    pub(super) turn: &'a Mutex<()>,
}

impl QuestionContext<'_> {
    /// Answers the question. Errors on the way are recorded in the result.
    pub(super) async fn answered(&self) -> ElicitationRecord {
        let mut elicited = ElicitationRecord::open(self.server, self.asked);
        match wanted(self.asked) {
            Err(why) => {
                elicited
                    .failures
                    .push(format!("a question of the server `{}` was declined: {why}", self.server));
                (elicited.answer, elicited.by) = (ElicitationAnswer::Decline, AnsweredBy::Refused);
            }
            Ok(wanted) => (elicited.answer, elicited.by) = self.asked_in_turn(&wanted, &mut elicited).await,
        }
        if self.cancel.is_cancelled() {
            (elicited.answer, elicited.by) = (ElicitationAnswer::Cancel, AnsweredBy::Nobody);
        }
        elicited
    }

    async fn asked_in_turn(
        &self,
        wanted: &ElicitationRequest,
        elicited: &mut ElicitationRecord,
    ) -> (ElicitationAnswer, AnsweredBy) {
        if let Some(answer) = self.hooks_before(wanted, elicited).await {
            return (answer, AnsweredBy::Hook);
        }
        let user_answer = self.user_says(wanted, elicited).await;
        if self.cancel.is_cancelled() {
            return (ElicitationAnswer::Cancel, AnsweredBy::Nobody);
        }
        elicited.has_heard_user = user_answer.is_some();
        let by = if user_answer.is_some() { AnsweredBy::User } else { AnsweredBy::Nobody };
        let answer = user_answer.unwrap_or(ElicitationAnswer::Cancel);
        match self.hooks_after(wanted, &answer, elicited).await {
            Some(changed) if changed != answer => (changed, AnsweredBy::Hook),
            Some(_) | None => (answer, by),
        }
    }

    /// Fires Elicitation, and returns the answer of its hooks, if any.
    async fn hooks_before(
        &self,
        wanted: &ElicitationRequest,
        elicited: &mut ElicitationRecord,
    ) -> Option<ElicitationAnswer> {
        let mut event = mcp::Elicitation::new(self.server.to_owned(), message(self.asked).to_owned())
            .mode(mode(self.asked).to_owned())
            .elicitation_id(id(self.asked));
        match (self.asked, wanted) {
            (Elicitation::Form { schema, .. }, _) => event.requested_schema = Some(schema.clone()),
            (Elicitation::Url { url, .. }, ElicitationRequest::Visit(address)) => {
                event.url = Some(as_opened(url, address).to_owned());
            }
            (Elicitation::Url { url, .. }, ElicitationRequest::Form(_)) => event.url = Some(url.clone()),
        }
        let (engine, session) = self.hooks.as_ref()?;
        let outcome = engine.fire_until(&Event::new(session.clone(), event), self.cancel).await;
        let combined = hook_answer::read(&outcome, wanted, EmptyAcceptance::Content(&Map::new()));
        elicited.outcomes.push(outcome);
        elicited.failures.extend(combined.failures);
        combined.answer
    }

    /// Fires ElicitationResult for the user's answer, or for the cancel that replaces it; returns the result of its
    /// hooks.
    async fn hooks_after(
        &self,
        wanted: &ElicitationRequest,
        answer: &ElicitationAnswer,
        elicited: &mut ElicitationRecord,
    ) -> Option<ElicitationAnswer> {
        let (engine, session) = self.hooks.as_ref()?;
        let content = match (answer, wanted) {
            (ElicitationAnswer::Accept(content), ElicitationRequest::Form(_)) => Some(content.clone()),
            (ElicitationAnswer::Accept(_), ElicitationRequest::Visit(_)) => None,
            (ElicitationAnswer::Decline | ElicitationAnswer::Cancel, _) => None,
        };
        let event = mcp::ElicitationResult::new(self.server.to_owned(), answer.action().to_owned())
            .mode(mode(self.asked).to_owned())
            .elicitation_id(id(self.asked))
            .content(content);
        let outcome = engine.fire_until(&Event::new(session.clone(), event), self.cancel).await;
        let unfilled = match answer {
            ElicitationAnswer::Accept(content) => EmptyAcceptance::Content(content),
            ElicitationAnswer::Decline | ElicitationAnswer::Cancel => EmptyAcceptance::MakesNoYes,
        };
        let combined = hook_answer::read(&outcome, wanted, unfilled);
        elicited.outcomes.push(outcome);
        elicited.failures.extend(combined.failures);
        combined.answer
    }

    /// Returns the user's answer; `None` if there is no user, or the code that asks fails.
    async fn user_says(
        &self,
        wanted: &ElicitationRequest,
        elicited: &mut ElicitationRecord,
    ) -> Option<ElicitationAnswer> {
        let user = self.user?;
        let cancel = self.cancel.child_token();
        let _cancel_on_drop = cancel.clone().drop_guard();
        let asking = async {
            let _turn = self.turn.lock().await;
            catch_panic(self.until_it_fits(user, wanted, &cancel)).await
        };
        let answer = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return None,
            answer = asking => answer,
        };
        match answer {
            Ok(Ok(answer)) => Some(answer),
            Ok(Err(why)) => {
                elicited.failures.push(why);
                None
            }
            Err(panic) => {
                elicited.failures.push(format!("the host's code for asking panicked: {panic}"));
                None
            }
        }
    }

    async fn until_it_fits(
        &self,
        user: &dyn ElicitUser,
        wanted: &ElicitationRequest,
        cancel: &CancellationToken,
    ) -> Result<ElicitationAnswer, String> {
        let (server, message) = (self.server.to_owned(), message(self.asked).to_owned());
        let (wanted, asked) = (wanted.clone(), self.asked.clone());
        let mut question = UserQuestion { server, message, wanted, asked, wrong: Vec::new() };
        for _ in 0..MOST_TIMES {
            let answer = user.answer(&question, cancel).await;
            let ElicitationAnswer::Accept(content) = answer else { return Ok(answer) };
            match fitting(&question.wanted, content) {
                Ok(content) => return Ok(ElicitationAnswer::Accept(content)),
                Err(wrong) => question.wrong = wrong,
            }
        }
        Err(format!("no answer of the user fitted the form: {}", describe_errors(&question.wrong)))
    }
}

/// Returns the request for the user, if it can be shown.
fn wanted(asked: &Elicitation) -> Result<ElicitationRequest, String> {
    let wanted = match asked {
        Elicitation::Form { schema, .. } => Form::read(schema).map(ElicitationRequest::Form),
        Elicitation::Url { url, .. } => Address::read(url).map(ElicitationRequest::Visit),
    };
    wanted.map_err(|error| error.to_string())
}

/// Returns the address that hooks judge, which is the one that is opened: a server may write it so that another parser
/// reads a different host. A slash that only the parser adds is left out.
fn as_opened<'a>(written: &'a str, address: &'a Address) -> &'a str {
    let added = address.url().strip_suffix('/') == Some(written);
    if added { written } else { address.url() }
}

fn message(asked: &Elicitation) -> &str {
    match asked {
        Elicitation::Form { message, .. } | Elicitation::Url { message, .. } => message,
    }
}

fn mode(asked: &Elicitation) -> &'static str {
    match asked {
        Elicitation::Form { .. } => "form",
        Elicitation::Url { .. } => "url",
    }
}

/// Returns the id of a question; newer versions of the protocol have none.
fn id(asked: &Elicitation) -> Option<String> {
    match asked {
        Elicitation::Form { .. } => None,
        Elicitation::Url { id, .. } => Some(id.clone()).filter(|id| !id.is_empty()),
    }
}
