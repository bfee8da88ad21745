//! Answers to the questions of hooks from a file: by question, or in the order of asking.
//!
//! A question without an answer, or an answer without a question, is reported; neither stops anything.

use crate::error::CliError;
use becket_base::text_file;
use becket_engine::{AskUser, CancellationToken, Question};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The answers in a file. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Answers(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    left: RemainingAnswers,
    /// The questions without an answer.
    unanswered: Vec<String>,
}

/// The unused answers.
#[derive(Debug, PartialEq, Eq)]
enum RemainingAnswers {
    ById(Vec<(String, Option<String>, bool)>),
    InOrder(VecDeque<Option<String>>),
}

impl Answers {
    /// Reads the answers from a file.
    ///
    /// # Errors
    /// Errors if the file can't be read, or is not an object or a list of keys.
    pub(crate) fn of_file(path: &Path) -> Result<Self, CliError> {
        let wrong = |why: String| CliError::Answers { path: path.to_owned(), why };
        let value: Value =
            serde_json::from_str(&text_file::read(path)?).map_err(|error| wrong(error.to_string()))?;
        let left = left(value).map_err(wrong)?;
        Ok(Answers(Arc::new(Mutex::new(State { left, unanswered: Vec::new() }))))
    }

    fn answer(&self, id: &str) -> Option<String> {
        let mut state = self.state();
        let found = match &mut state.left {
            RemainingAnswers::ById(all) => {
                all.iter_mut().find(|(known, ..)| known == id).map(|(_, answer, used)| {
                    *used = true;
                    answer.clone()
                })
            }
            RemainingAnswers::InOrder(left) => left.pop_front(),
        };
        found.unwrap_or_else(|| {
            state.unanswered.push(id.to_owned());
            None
        })
    }

    /// Returns the mismatches between the file and the hooks, one line each.
    pub(crate) fn notices(&self) -> Vec<String> {
        let state = self.state();
        let without =
            |id: &String| format!("no answer for the question `{id}` is in the file: the hook received none");
        let mut notices: Vec<String> = state.unanswered.iter().map(without).collect();
        match &state.left {
            RemainingAnswers::ById(all) => {
                let unused = all.iter().filter(|(.., used)| !used);
                notices.extend(unused.map(|(id, ..)| format!("the question `{id}` was never asked")));
            }
            RemainingAnswers::InOrder(left) if left.is_empty() => {}
            RemainingAnswers::InOrder(left) if left.len() == 1 => {
                notices.push("the last answer has no question".into())
            }
            RemainingAnswers::InOrder(left) => {
                notices.push(format!("the last {} answers have no question", left.len()))
            }
        }
        notices
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AskUser for Answers {
    fn ask<'a>(
        &'a self,
        question: &'a Question,
        _: &'a CancellationToken,
    ) -> Pin<Box<dyn Future<Output = Option<String>> + Send + 'a>> {
        Box::pin(std::future::ready(self.answer(&question.id)))
    }
}

fn left(value: Value) -> Result<RemainingAnswers, String> {
    match value {
        Value::Object(all) => by_id(all).map(RemainingAnswers::ById),
        Value::Array(all) => {
            let answers = all.into_iter().enumerate();
            let read = answers.map(|(at, answer)| key(answer, &format!("number {}", at + 1)));
            read.collect::<Result<_, _>>().map(RemainingAnswers::InOrder)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            Err("it holds neither an object nor a list".to_owned())
        }
    }
}

fn by_id(all: Map<String, Value>) -> Result<Vec<(String, Option<String>, bool)>, String> {
    let read = all.into_iter().map(|(id, answer)| {
        let key = key(answer, &format!("to `{id}`"))?;
        Ok((id, key, false))
    });
    read.collect()
}

fn key(answer: Value, which: &str) -> Result<Option<String>, String> {
    match answer {
        Value::String(key) => Ok(Some(key)),
        Value::Null => Ok(None),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Err(format!("the answer {which} must be the key of an option as a string, or null"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answers(value: Value) -> Answers {
        let left = left(value).expect("answers");
        Answers(Arc::new(Mutex::new(State { left, unanswered: Vec::new() })))
    }

    #[test]
    fn by_question_as_often_as_it_is_asked() {
        let answers = answers(json!({"a": "y", "b": null, "c": "n"}));
        assert_eq!(
            ["a", "a", "b", "x"].map(|id| answers.answer(id)),
            [Some("y".into()), Some("y".into()), None, None]
        );
        let notices = answers.notices();
        assert!(notices[0].contains("`x`") && notices[1].contains("`c`"), "{notices:?}");
        assert_eq!(notices.len(), 2);
    }

    #[test]
    fn in_order_once_each() {
        let answers = answers(json!(["y", null, "n"]));
        assert_eq!(["a", "b"].map(|id| answers.answer(id)), [Some("y".into()), None]);
        assert_eq!(answers.notices(), ["the last answer has no question"]);
        assert_eq!(["c", "d"].map(|id| answers.answer(id)), [Some("n".into()), None]);
        assert!(answers.notices()[0].contains("`d`"));
    }

    #[test]
    fn what_is_no_answer_is_named() {
        for (value, named) in [
            (json!({"a": 1}), "to `a`"),
            (json!(["y", ["n"]]), "number 2"),
            (json!("y"), "neither an object nor a list"),
        ] {
            assert!(left(value.clone()).expect_err("no answers").contains(named), "{value}");
        }
    }
}
