//! Writes observed results into case files, for review.

use crate::case::Case;
use crate::check;
use crate::handler_name;
use crate::runner::{CaseError, CaseRecord, CaseResult, StepRecord};
use serde_json::Value;
use std::sync::Arc;
use toml_edit::{Array, DocumentMut, InlineTable, Item, TableLike, value};

/// The reason why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The text is not the file that the cases were read from.
    #[error("the case file is not TOML any more: {0}")]
    NotToml(#[from] toml_edit::TomlError),
    /// The case is no longer where it was.
    #[error("the case `{name}` is not in the file any more")]
    CaseGone {
        /// Its name.
        name: String,
    },
}

/// Returns the text of a case file in which unmet expectations are replaced by the observed results. Cases that passed,
/// could not be tested, or are not in the file stay as they are; a case that expects nothing expects what was observed.
///
/// # Errors
/// Errors if the text is not the file of the cases.
pub fn accepted(text: &str, records: &[&CaseRecord]) -> Result<String, AcceptError> {
    let mut document: DocumentMut = text.parse()?;
    for record in records {
        let Some(index) = record.case.origin.index else { continue };
        let expects_nothing = record.case.steps.iter().any(|step| step.want.is_empty());
        let is_written = match &record.result {
            CaseResult::Passed => expects_nothing,
            CaseResult::Failed(_) | CaseResult::Error(CaseError::ExpectsNothing) => true,
            CaseResult::Error(_) => false,
        };
        if !is_written {
            continue;
        }
        let gone = || AcceptError::CaseGone { name: record.case.name.clone() };
        let case = entry(document.get_mut("case"), index).ok_or_else(gone)?;
        write_case(case, &record.case, &record.steps).ok_or_else(gone)?;
    }
    Ok(document.to_string())
}

/// Returns an entry of a list of tables, in either notation.
fn entry(item: Option<&mut Item>, index: usize) -> Option<&mut dyn TableLike> {
    match item? {
        Item::ArrayOfTables(tables) => tables.get_mut(index).map(|table| table as &mut dyn TableLike),
        item @ (Item::None | Item::Value(_) | Item::Table(_)) => {
            let table = item.as_array_mut()?.get_mut(index)?.as_inline_table_mut()?;
            Some(table)
        }
    }
}

fn write_case(table: &mut dyn TableLike, case: &Case, steps: &[StepRecord]) -> Option<()> {
    let has_steps = table.contains_key("step");
    for (number, (step, seen)) in case.steps.iter().zip(steps).enumerate() {
        let table = if has_steps { entry(table.get_mut("step"), number)? } else { &mut *table };
        if !step.want.is_empty() && seen.mismatches.is_empty() {
            continue;
        }
        if !table.contains_key("want") {
            table.insert("want", value(InlineTable::new()));
        }
        let want = table.get_mut("want")?.as_table_like_mut()?;
        if step.want.is_empty() {
            write_key(want, "decision", seen);
            if check::decided(&seen.outcome) != "pass" {
                write_key(want, "by", seen);
            }
        }
        for mismatch in &seen.mismatches {
            write_key(want, mismatch.what, seen);
        }
    }
    Some(())
}

/// Sets one key of `want` to the observed value, or removes it if there is none.
fn write_key(want: &mut dyn TableLike, key: &str, seen: &StepRecord) {
    let verdict = &seen.outcome.verdict;
    let messages: Vec<&str> = verdict.messages.iter().map(|message| message.what.as_str()).collect();
    let found = match key {
        "decision" => Some(value(check::decided(&seen.outcome))),
        "reason" => seen.outcome.reason().map(value),
        "context" => verdict.joined_context().map(value),
        "message" => (!messages.is_empty()).then(|| value(messages.join("\n"))),
        "rewrite" => {
            check::rewrite(&seen.outcome).and_then(|input| toml_value(&Value::Object(input))).map(Item::Value)
        }
        "by" => only_decider(seen).map(value),
        "exit" => seen.outcome.runs.iter().find_map(|run| run.exit).map(|exit| value(i64::from(exit))),
        "failed" => {
            let failed = seen.outcome.runs.iter().filter(|run| run.failure.is_some());
            let names: Array = failed.map(|run| handler_name::short(&run.handler)).collect();
            (!names.is_empty()).then(|| value(names))
        }
        // A time, files and hooks that must not run are the author's to change.
        _ => return,
    };
    match found {
        Some(item) => drop(want.insert(key, item)),
        None => drop(want.remove(key)),
    }
}

/// Returns the name of the handler that made the decision, if exactly one did.
fn only_decider(seen: &StepRecord) -> Option<String> {
    let mut deciders = seen.outcome.runs.iter().filter(|run| check::decided_by(&run.reply).is_some());
    let first = deciders.next()?;
    let is_alone = deciders.all(|run| Arc::ptr_eq(&run.handler, &first.handler));
    is_alone.then(|| handler_name::short(&first.handler))
}

/// Converts JSON to a value of a case file; `None` for null, which TOML does not have.
pub(crate) fn toml_value(json: &Value) -> Option<toml_edit::Value> {
    Some(match json {
        Value::Null => return None,
        Value::Bool(truth) => (*truth).into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64()?.into(),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(values) => toml_edit::Value::Array(values.iter().filter_map(toml_value).collect()),
        Value::Object(fields) => {
            let mut table = InlineTable::new();
            for (name, json) in fields {
                if let Some(value) = toml_value(json) {
                    table.insert(name.as_str(), value);
                }
            }
            table.into()
        }
    })
}
