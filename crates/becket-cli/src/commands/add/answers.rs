//! The answers of `--set`, given to the guards that have the question.

use crate::error::CliError;
use becket_install::guard::{Answers, Guard};

/// Returns the answers for each guard.
///
/// # Errors
/// Errors if an argument has no `=`, or if no guard has its question.
pub(crate) fn parse_answers(set: &[String], guards: &[Guard]) -> Result<Vec<Answers>, CliError> {
    let mut answers = vec![Answers::new(); guards.len()];
    for text in set {
        let (id, value) =
            text.split_once('=').ok_or_else(|| CliError::SetWithoutValue { given: text.clone() })?;
        let mut is_known = false;
        for (guard, answers) in guards.iter().zip(&mut answers) {
            if guard.manifest.questions.iter().any(|question| question.id == id) {
                answers.entry(id.to_owned()).or_default().push(value.to_owned());
                is_known = true;
            }
        }
        if !is_known {
            return Err(CliError::usage(unknown(id, guards)));
        }
    }
    Ok(answers)
}

fn unknown(id: &str, guards: &[Guard]) -> String {
    let questions = guards.iter().flat_map(|guard| &guard.manifest.questions);
    let known: Vec<&str> = questions.map(|question| question.id.as_str()).collect();
    match known.as_slice() {
        [] => format!("`--set {id}=…` answers no question: the guards have none"),
        known => {
            let near = becket_base::suggest(id, known).map(|near| format!(" (did you mean `{near}`?)"));
            let (near, known) = (near.unwrap_or_default(), known.join("`, `"));
            format!("`--set {id}=…` answers no question{near}; the questions are `{known}`")
        }
    }
}
