//! The user of the host, who answers the questions of hooks (`protocol.md` Q1, Q2).

use crate::hook::CallStarter;
use becket_engine::{AskUser, CallbackAnswer, CancellationToken, Question};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

/// Asks through a Python function. An invalid key selects nothing.
pub(crate) struct Person(pub(crate) CallStarter);

impl AskUser for Person {
    fn ask<'a>(&'a self, question: &'a Question, _: &'a CancellationToken) -> BoxFuture<'a, Option<String>> {
        let options = question.options.iter().map(
            |choice| json!({"key": choice.key, "label": choice.label, "description": choice.description}),
        );
        let question = json!({
            "id": question.id,
            "message": question.message,
            "options": options.collect::<Vec<_>>(),
            "asked_by": question.asked_by,
        });
        Box::pin(async move {
            match self.0.call(question).await {
                CallbackAnswer::Json(answer) => {
                    answer.object().get("selected").and_then(Value::as_str).map(str::to_owned)
                }
                CallbackAnswer::Silent
                | CallbackAnswer::Reply(_)
                | CallbackAnswer::Failed(_)
                | CallbackAnswer::InPart { .. } => None,
            }
        })
    }
}
