//! The client's user, to answer the questions of hooks (`protocol.md` Q1, Q2).

use super::answers::{Choice, Question as Wire};
use super::calls::{Calls, RequestMethods};
use becket_engine::{AskUser, CancellationToken, Question};
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::sync::Arc;

const ASK: RequestMethods = RequestMethods { request: "question/ask", cancel: "question/cancel" };

/// Asks through the client. An answer that is not a key selects nothing.
pub(super) struct ClientUser {
    pub(super) calls: Calls,
    pub(super) session: Arc<str>,
}

impl AskUser for ClientUser {
    fn ask<'a>(&'a self, question: &'a Question, _: &'a CancellationToken) -> BoxFuture<'a, Option<String>> {
        let options = question.options.iter().map(|choice| Choice {
            key: &choice.key,
            label: &choice.label,
            description: choice.description.as_deref(),
        });
        let pending = self.calls.ask(
            ASK,
            &Wire {
                session: &self.session,
                question: &question.id,
                message: &question.message,
                options: options.collect(),
                asked_by: &question.asked_by,
            },
        );
        Box::pin(async move {
            let answer = pending.await.ok()?;
            answer.get("selected").and_then(Value::as_str).map(str::to_owned)
        })
    }
}
