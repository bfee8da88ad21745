//! Compares the results of a run with the expectations of a case.

use crate::case::{Run, Want};
use crate::pattern::{fits, text_fits};
use crate::seen::RunRecord;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Returns the differences from the expectation; empty if there are none.
pub(crate) fn complaints(run: &Run, want: &Want, seen: &RunRecord, root: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    if seen.ended.code != Some(want.code) {
        wrong.push(format!("exit code: wanted {}, got {:?}", want.code, seen.ended.code));
    }
    if !want.result.is_null() {
        wrong.extend(fits(&want.result, seen.result()).err().map(|why| format!("result{why}")));
    }
    wrong.extend(printed(want, seen));
    wrong.extend(hooks(want, seen));
    wrong.extend(model(run, want, seen));
    wrong.extend(in_order("transcript", &want.transcript, &seen.transcript));
    wrong.extend(files(want, root));
    wrong
}

fn printed(want: &Want, seen: &RunRecord) -> Vec<String> {
    let mut wrong = in_order("lines", &want.lines, &seen.lines);
    for unwanted in &want.no_lines {
        let found = seen.lines.iter().find(|line| fits(unwanted, line).is_ok());
        wrong.extend(found.map(|line| format!("lines: {line} fits {unwanted}, which must not come")));
    }
    wrong.extend(texts("notices", &want.notices, &seen.notices()));
    let stderr = seen.ended.stderr.as_str();
    let pattern = format!("…{}…", want.stderr.join("…"));
    if want.stderr.is_empty() && !stderr.is_empty() {
        wrong.push(format!("stderr: wanted nothing, got {stderr}"));
    } else if !want.stderr.is_empty() && !text_fits(&pattern, stderr) {
        wrong.push(format!("stderr: wanted {:?}, got {stderr}", want.stderr));
    }
    let stdout = want.stdout.as_ref().filter(|stdout| !text_fits(stdout, &seen.ended.stdout));
    wrong.extend(stdout.map(|stdout| format!("stdout: wanted {stdout}, got {}", seen.ended.stdout)));
    wrong
}

fn hooks(want: &Want, seen: &RunRecord) -> Vec<String> {
    let mut wrong = Vec::new();
    let events = seen.events();
    if let Some(wanted) = want.events.as_ref().filter(|wanted| **wanted != events) {
        wrong.push(format!("events: wanted {wanted:?}, got {events:?}"));
    }
    if let Some(wanted) = want.ran.as_ref().filter(|wanted| sorted(wanted) != sorted(&events)) {
        wrong.push(format!("events in any order: wanted {wanted:?}, got {events:?}"));
    }
    let broken = seen.hooks.iter().filter(|record| !record["input"].is_object());
    wrong.extend(broken.map(|record| format!("a hook received something else than a JSON object: {record}")));
    let mut records: Vec<&Value> = seen.hooks.iter().collect();
    for wanted in &want.inputs {
        // A record may be identified by its hook, in addition to its input.
        let as_one = |record: &Value| -> Value {
            let mut input = record["input"].clone();
            if wanted["$hook"].is_string() {
                input["$hook"] = record["hook"].clone();
            }
            input
        };
        match records.iter().position(|record| fits(wanted, &as_one(record)).is_ok()) {
            Some(found) => drop(records.remove(found)),
            None => wrong.push(nothing_fits("inputs", wanted, records.iter().map(|record| &record["input"]))),
        }
    }
    wrong
}

fn sorted<S: AsRef<str>>(names: &[S]) -> Vec<&str> {
    let mut names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    names.sort_unstable();
    names
}

fn model(run: &Run, want: &Want, seen: &RunRecord) -> Vec<String> {
    let mut wrong: Vec<String> = seen.wrongs.iter().map(|why| format!("the API refuses: {why}")).collect();
    let wanted = want.requests.unwrap_or(run.turns.len());
    if seen.requests.len() != wanted {
        wrong.push(format!("requests: wanted {wanted}, got {}", seen.requests.len()));
    }
    if want.requests.is_none() && seen.left > 0 {
        wrong.push(format!("{} turns were not taken", seen.left));
    }
    let last = want.told.as_ref().map(|told| (seen.told.len(), told));
    let others = want.told_at.iter().map(|(nth, told)| (*nth, told));
    for (nth, told) in last.into_iter().chain(others) {
        match nth.checked_sub(1).and_then(|at| seen.told.get(at)) {
            Some(lines) => wrong.extend(texts(&format!("told in request {nth}"), told, lines)),
            None => wrong.push(format!("there was no request {nth}")),
        }
    }
    wrong.extend(offers(want, seen));
    wrong
}

/// Checks the system prompt and the tools of the first request.
fn offers(want: &Want, seen: &RunRecord) -> Vec<String> {
    let mut wrong = Vec::new();
    let first = seen.requests.first().unwrap_or(&Value::Null);
    let system = first["system"].to_string();
    let missing = want.system.iter().filter(|part| !system.contains(part.as_str()));
    wrong.extend(missing.map(|part| format!("the system prompt lacks `{part}`: {system}")));
    let tools = first["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_offered = |name: &String| tools.iter().any(|tool| tool["name"] == **name);
    let missing = want.offered.iter().filter(|name| !is_offered(name));
    wrong.extend(missing.map(|name| format!("the model is not offered {name}")));
    let unwanted = want.not_offered.iter().filter(|name| is_offered(name));
    wrong.extend(unwanted.map(|name| format!("the model is offered {name}")));
    wrong
}

fn files(want: &Want, root: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    for (path, wanted) in &want.files {
        let found = fs::read_to_string(root.join(path)).ok();
        let found = found.map(|text| text.replace(&*root.to_string_lossy(), "[ROOT]"));
        let good = match (wanted.as_str(), &found) {
            (Some(wanted), Some(found)) => text_fits(wanted, found),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        if !good {
            wrong.push(format!("file {path}: wanted {wanted}, got {found:?}"));
        }
    }
    wrong
}

/// Checks that each expected value occurs, in this order, possibly with others in between.
fn in_order(what: &str, want: &[Value], got: &[Value]) -> Vec<String> {
    let mut rest = got;
    for wanted in want {
        match rest.iter().position(|got| fits(wanted, got).is_ok()) {
            Some(found) => rest = &rest[found + 1..],
            None => return vec![nothing_fits(what, wanted, rest.iter())],
        }
    }
    Vec::new()
}

/// Checks that exactly these texts occur, in this order.
fn texts<S: AsRef<str>>(what: &str, want: &[String], got: &[S]) -> Vec<String> {
    let fits =
        want.len() == got.len() && want.iter().zip(got).all(|(want, got)| text_fits(want, got.as_ref()));
    let got = || got.iter().map(|got| format!("  {:?}", got.as_ref())).collect::<Vec<_>>().join(",\n");
    if fits { Vec::new() } else { vec![format!("{what}: wanted\n  {}\ngot\n{}", want.join("\n  "), got())] }
}

/// Describes the value that comes closest.
fn nothing_fits<'a>(what: &str, wanted: &Value, got: impl Iterator<Item = &'a Value>) -> String {
    let named = |value: &Value| ["hook_event_name", "type", "subtype"].map(|key| value[key].clone());
    let all: Vec<&Value> = got.collect();
    let of_kind = |value: &&&Value| {
        named(wanted).iter().zip(named(value)).all(|(want, got)| want.is_null() || *want == got)
    };
    let near: Vec<String> = all
        .iter()
        .filter(of_kind)
        .map(|value| format!("  {value}\n  ({})", fits(wanted, value).err().unwrap_or_default()))
        .collect();
    format!("{what}: nothing fits {wanted} among {} ones; of its kind:\n{}", all.len(), near.join("\n"))
}
