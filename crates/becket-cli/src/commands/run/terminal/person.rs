//! The user at the terminal, for questions of calls, hooks, models and servers. One question at a time, each with its
//! requester.
//!
//! INVARIANT: only an explicit yes counts as one; no answer, a withdrawn question, and an unreadable terminal count as
//! a no.

use super::handle::{AnswerKind, Terminal, ToPut, UserAnswer};
use super::{form, permission, questions};
use crate::report::style::{HEAD, one_line, plain, styled};
use becket_agent::elicit::{ElicitUser, UserQuestion};
use becket_agent::tool_call::{AskPermission, PermissionAnswer, PermissionPrompt};
use becket_agent::{AskQuestions, ModelQuestion};
use becket_engine::{AskUser, CancellationToken, Question};
use becket_mcp::ElicitationAnswer;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::pin::pin;
use std::time::Duration;

/// The time until hooks are notified of an unanswered question.
const LATE: Duration = Duration::from_secs(6);

/// The time that hooks have to answer before a permission prompt is drawn: a prompt that flashes up briefly is useless.
const PATIENCE: Duration = Duration::from_millis(500);

/// A notification to hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UserNotification {
    /// The `notification_type`.
    pub(crate) kind: &'static str,
    pub(crate) message: String,
}

/// The user at the terminal.
#[derive(Clone)]
pub(in crate::commands::run) struct Person(pub(super) Terminal);

impl Person {
    /// Creates the user at this terminal.
    pub(in crate::commands::run) fn at(terminal: &Terminal) -> Self {
        Person(terminal.clone())
    }

    /// Waits for an answer; after a while, hooks are notified once.
    async fn waited<T>(&self, notification: UserNotification, answer: impl Future<Output = T>) -> T {
        let mut answer = pin!(answer);
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            () = tokio::time::sleep(LATE) => self.0.notify(notification),
        }
        answer.await
    }
}

impl AskPermission for Person {
    fn patience(&self) -> Duration {
        PATIENCE
    }

    fn ask<'a>(
        &'a self,
        prompt: &'a PermissionPrompt,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, PermissionAnswer> {
        Box::pin(async move {
            let _floor = self.0.floor().await;
            let message = format!("Becket needs your permission to use {}", prompt.tool);
            let notification = UserNotification { kind: "permission_prompt", message };
            self.waited(notification, permission::ask(&self.0, prompt)).await
        })
    }
}

impl AskUser for Person {
    fn ask<'a>(
        &'a self,
        question: &'a Question,
        _: &'a CancellationToken,
    ) -> std::pin::Pin<Box<dyn Future<Output = Option<String>> + Send + 'a>> {
        Box::pin(async move {
            let _floor = self.0.floor().await;
            let head = format!(
                "{}\n{}\n",
                styled(HEAD, &format!("the hook `{}` asks", one_line(&question.asked_by, 80))),
                plain(question.message.trim_end())
            );
            let option = |choice: &becket_engine::Choice| match &choice.description {
                Some(more) => format!("{}  ({more})", choice.label),
                None => choice.label.clone(),
            };
            let options = question.options.iter().map(option).collect();
            match self.0.put(ToPut::new(head, AnswerKind::One(options))).await {
                UserAnswer::Chose(places) => {
                    let chosen = places.first().and_then(|at| question.options.get(*at));
                    chosen.map(|choice| choice.key.clone())
                }
                UserAnswer::Text(_) | UserAnswer::Nothing | UserAnswer::Interrupted => None,
            }
        })
    }
}

impl AskQuestions for Person {
    fn ask<'a>(
        &'a self,
        questions: &'a [ModelQuestion],
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Option<Map<String, Value>>> {
        Box::pin(async move {
            let _floor = self.0.floor().await;
            questions::ask(&self.0, questions).await
        })
    }
}

impl ElicitUser for Person {
    fn answer<'a>(
        &'a self,
        question: &'a UserQuestion,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, ElicitationAnswer> {
        Box::pin(async move {
            let _floor = self.0.floor().await;
            let message = format!("The server {} asks something", question.server);
            let notification = UserNotification { kind: form::notified(&question.wanted), message };
            self.waited(notification, form::ask(&self.0, question)).await
        })
    }
}
