//! The expected outcome of a step.

use super::CaseFileError;
use super::fields::Fields;
use super::read::check_path;
use crate::case::{DECISIONS, ExpectedOutcome};
use crate::pattern::Pattern;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

const KEYS: [&str; 11] = [
    "decision", "reason", "context", "message", "rewrite", "exit", "files", "within", "by", "skipped",
    "failed",
];

/// Reads a `want`.
pub(super) fn read(fields: &Fields<'_>) -> Result<ExpectedOutcome, CaseFileError> {
    fields.only(&KEYS)?;
    let pattern = |key: &str| Ok(fields.text(key)?.map(Pattern::new));
    let want = ExpectedOutcome {
        decision: decision(fields)?,
        reason: pattern("reason")?,
        context: pattern("context")?,
        message: pattern("message")?,
        rewrite: fields.object("rewrite")?,
        exit: exit(fields)?,
        files: files(fields)?,
        within: within(fields)?,
        by: fields.text("by")?,
        skipped: fields.texts("skipped")?,
        failed: fields.texts("failed")?,
    };
    if want.by.is_some() && matches!(want.decision.as_deref(), None | Some("pass")) && want.exit.is_none() {
        let what = "`by` names the hook that decides: give `decision` too, and not `pass`";
        return Err(fields.error("by", what));
    }
    Ok(want)
}

fn decision(fields: &Fields<'_>) -> Result<Option<String>, CaseFileError> {
    let Some(word) = fields.text("decision")? else { return Ok(None) };
    if DECISIONS.contains(&&*word) {
        return Ok(Some(word));
    }
    let hint = match becket_base::suggest(&word, &DECISIONS) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => format!("; the decisions are {}", DECISIONS.join(", ")),
    };
    Err(fields.error("decision", format!("`{word}` is not a decision{hint}")))
}

fn exit(fields: &Fields<'_>) -> Result<Option<i32>, CaseFileError> {
    let Some(exit) = fields.integer("exit")? else { return Ok(None) };
    let exit = u8::try_from(exit).map_err(|_| fields.error("exit", "`exit` must be from 0 to 255"))?;
    Ok(Some(exit.into()))
}

/// Reads files with their text, or `false` for a file that must not exist.
fn files(fields: &Fields<'_>) -> Result<BTreeMap<String, Option<String>>, CaseFileError> {
    let Some(files) = fields.table("files", "`files`")? else { return Ok(BTreeMap::new()) };
    let mut wanted = BTreeMap::new();
    for path in files.keys().map(str::to_owned).collect::<Vec<_>>() {
        check_path(&files, &path)?;
        let content = match files.json(&path) {
            Some(Value::String(text)) => Some(text),
            Some(Value::Bool(false)) => None,
            Some(_) | None => {
                let what = format!("`{path}` must be a string, or false for a file that is not there");
                return Err(files.error(&path, what));
            }
        };
        wanted.insert(path, content);
    }
    Ok(wanted)
}

/// Reads a duration such as `500ms` or `2s`.
fn within(fields: &Fields<'_>) -> Result<Option<Duration>, CaseFileError> {
    let Some(text) = fields.text("within")? else { return Ok(None) };
    let parsed = match text.strip_suffix("ms") {
        Some(number) => number.trim().parse().ok().map(Duration::from_millis),
        None => {
            let seconds = text.strip_suffix('s').and_then(|number| number.trim().parse::<f64>().ok());
            seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        }
    };
    let wrong = || fields.error("within", format!("`{text}` is not a time; write `500ms` or `2s`"));
    parsed.filter(|time| !time.is_zero()).map(Some).ok_or_else(wrong)
}
