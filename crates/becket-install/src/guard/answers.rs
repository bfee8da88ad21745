//! The answers to the questions of a guard, which replace placeholders in its texts.
//!
//! `{{ID.first}}` stands for the first value. A line, or an element of a list in the settings, with `{{ID}}` is repeated
//! for each value. So is one with `{{ID.options}}`, for commands of several words with options behind the first word: a rule
//! for `kubectl -* apply` covers `kubectl -n prod apply`.

use crate::guard::error::GuardError;
use crate::guard::facts::RepositoryFacts;
use crate::guard::manifest::GuardManifest;
use serde_json::Value;
use std::collections::BTreeMap;

/// The values of each question, by its id.
pub type Answers = BTreeMap<String, Vec<String>>;

/// Returns the answers to all questions of a guard: given answers, facts of the repository, or defaults.
///
/// # Errors
/// Errors if a question has no answer, or an answer has no question.
pub(super) fn complete(
    manifest: &GuardManifest,
    given: &Answers,
    facts: &RepositoryFacts,
) -> Result<Answers, GuardError> {
    let known: Vec<String> = manifest.questions.iter().map(|question| question.id.clone()).collect();
    if let Some(id) = given.keys().find(|id| !known.contains(id)) {
        return Err(GuardError::NoQuestion { guard: manifest.name.clone(), id: id.clone(), known });
    }
    let mut answers = Answers::new();
    for question in &manifest.questions {
        let found = || question.detect.map(|what| facts.answer(what)).unwrap_or_default();
        let values = given.get(&question.id).cloned().unwrap_or_else(found);
        let values = if values.is_empty() { question.default.clone() } else { values };
        if let Some(value) =
            values.iter().find(|value| value.trim().is_empty() || value.contains(char::is_control))
        {
            return Err(GuardError::BadAnswer { id: question.id.clone(), value: value.clone() });
        }
        if values.is_empty() {
            return Err(GuardError::NoAnswer {
                guard: manifest.name.clone(),
                id: question.id.clone(),
                text: question.text.clone(),
            });
        }
        answers.insert(question.id.clone(), values);
    }
    Ok(answers)
}

/// Returns a text with its placeholders filled; `written` turns a value into the syntax of the text.
pub(super) fn filled(text: &str, answers: &Answers, written: impl Fn(&str) -> String) -> String {
    text.split_inclusive('\n').flat_map(|line| repeated(line, answers, &written)).collect()
}

/// Returns a value of the settings with its placeholders filled.
pub(super) fn filled_value(value: &Value, answers: &Answers) -> Value {
    match value {
        Value::String(text) => {
            Value::String(repeated(text, answers, &str::to_owned).into_iter().next().unwrap_or_default())
        }
        Value::Array(values) => {
            Value::Array(values.iter().flat_map(|value| filled_element(value, answers)).collect())
        }
        Value::Object(members) => Value::Object(
            members.iter().map(|(key, value)| (key.clone(), filled_value(value, answers))).collect(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Returns the elements that an element of a list stands for.
pub(super) fn filled_element(value: &Value, answers: &Answers) -> Vec<Value> {
    match value.as_str() {
        Some(text) => repeated(text, answers, &str::to_owned).into_iter().map(Value::String).collect(),
        None => vec![filled_value(value, answers)],
    }
}

/// Returns a line once, or once for each value of the question in its placeholder.
fn repeated(line: &str, answers: &Answers, written: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut line = line.to_owned();
    for (id, values) in answers {
        if let Some(first) = values.first() {
            line = line.replace(&format!("{{{{{id}.first}}}}"), &written(first));
        }
    }
    for (id, values) in answers {
        let replaced = |placeholder: &str, value: &str| line.replace(placeholder, &written(value));
        let (each, options) = (format!("{{{{{id}}}}}"), format!("{{{{{id}.options}}}}"));
        if line.contains(&each) {
            return values.iter().map(|value| replaced(&each, value)).collect();
        }
        if line.contains(&options) {
            let values = values.iter().filter_map(|value| with_options(value));
            return values.map(|value| replaced(&options, &value)).collect();
        }
    }
    vec![line]
}

/// Returns a command with any options behind its first word; `None` for a single word, and for one with an option there.
fn with_options(command: &str) -> Option<String> {
    let (program, rest) = command.trim().split_once(' ')?;
    let rest = rest.trim_start();
    (!rest.starts_with(['-', '*'])).then(|| format!("{program} -* {rest}"))
}

/// Writes a value inside of a basic string of TOML.
pub(super) fn in_toml(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_is_repeated_for_each_value() {
        let answers = Answers::from([("a".to_owned(), vec!["x".to_owned(), "\"y".to_owned()])]);
        assert_eq!(filled("1\n{{a}}!\n{{a.first}} {{b}}", &answers, in_toml), "1\nx!\n\\\"y!\nx {{b}}");
        let rules = json!({"deny": ["R({{a}})", "S"], "hooks": [{"if": "{{a.first}}"}]});
        let expected = json!({"deny": ["R(x)", "R(\"y)", "S"], "hooks": [{"if": "x"}]});
        assert_eq!(filled_value(&rules, &answers), expected);
    }

    #[test]
    fn options_stand_behind_the_first_word_of_a_command() {
        let commands = ["kubectl apply", "vercel", "aws  s3 sync", "git -C x push"].map(str::to_owned);
        let answers = Answers::from([("c".to_owned(), commands.to_vec())]);
        let rules = json!({"ask": ["Bash({{c.options}} *)", "S"]});
        let expected = json!({"ask": ["Bash(kubectl -* apply *)", "Bash(aws -* s3 sync *)", "S"]});
        assert_eq!(filled_value(&rules, &answers), expected);
    }
}
