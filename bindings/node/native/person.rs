//! The user, to whom the program shows the questions of hooks (`protocol.md` Q1, Q2).

use crate::questions::Questions;
use becket_engine::{AskUser, CancellationToken, Question};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::sync::Arc;

/// Asks through JavaScript. An invalid key selects nothing.
pub(crate) struct Person(pub(crate) Arc<Questions>);

impl AskUser for Person {
    fn ask<'a>(&'a self, question: &'a Question, _: &'a CancellationToken) -> BoxFuture<'a, Option<String>> {
        let pending = self.0.ask(written(question).to_string());
        Box::pin(async move { serde_json::from_str(&pending.await.ok()?).ok() })
    }
}

fn written(question: &Question) -> Value {
    let options = question
        .options
        .iter()
        .map(|choice| json!({"key": choice.key, "label": choice.label, "description": choice.description}));
    json!({
        "id": question.id,
        "message": question.message,
        "options": options.collect::<Vec<_>>(),
        "askedBy": question.asked_by,
    })
}
