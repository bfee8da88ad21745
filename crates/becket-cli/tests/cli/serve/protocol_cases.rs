//! The protocol cases that any language can run (`spec/cases`), through the sidecar.
//!
//! The expectation of a case is a part of the answer to `event/fire`: objects may have more fields than expected, but `fields`
//! and lists may not.

use super::BECKET;
use super::client::{Client, on_stdio};
use becket_testkit::env::TestEnv;
use serde_json::{Map, Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The number of cases that run concurrently.
const AT_ONCE: usize = 4;

/// The case files, each with its minimum number of cases.
const FILES: [(&str, usize); 6] = [
    ("verdicts", 110),
    ("replies", 190),
    ("matchers", 150),
    ("conditions", 80),
    ("permissions", 270),
    ("removals", 85),
];

fn cases(file: &str) -> Vec<Value> {
    let path = format!("{}/../../spec/cases/{file}.json", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("`{path}`: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("`{path}`: {error}"))
}

/// Returns the position of a difference; `None` if there is none.
fn unlike(expected: &Value, got: &Value, at: &str) -> Option<String> {
    let differs = || Some(format!("{at}: expected {expected}, got {got}"));
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => {
            if at.ends_with("/fields") && expected.len() != got.len() {
                return differs();
            }
            let null = Value::Null;
            let mut pairs =
                expected.iter().map(|(name, value)| (name, value, got.get(name).unwrap_or(&null)));
            pairs.find_map(|(name, value, got)| unlike(value, got, &format!("{at}/{name}")))
        }
        (Value::Array(expected), Value::Array(got)) if expected.len() == got.len() => {
            let mut pairs = expected.iter().zip(got).enumerate();
            pairs.find_map(|(index, (value, got))| unlike(value, got, &format!("{at}/{index}")))
        }
        _ if expected == got => None,
        _ => differs(),
    }
}

/// Replaces the name of a case's place by its path.
fn placed(value: &Value, root: &Path) -> Value {
    match value {
        Value::String(text) => Value::from(text.replace("[ROOT]", &root.to_string_lossy())),
        Value::Array(list) => list.iter().map(|value| placed(value, root)).collect(),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(name, value)| (name.clone(), placed(value, root))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn written(env: &TestEnv, case: &Value) {
    for (path, content) in case["files"].as_object().into_iter().flatten() {
        env.write(path, content.as_str().map_or_else(|| content.to_string(), str::to_owned));
    }
    for (path, to) in case["links"].as_object().into_iter().flatten() {
        let link = env.root().join(path);
        fs::create_dir_all(link.parent().expect("it has one")).expect("it can be made");
        symlink(to.as_str().expect("a path"), link).expect("it can be made");
    }
}

/// Fires the event of a case, and answers for the hooks of the host.
fn fired(client: &mut Client, case: &Value) -> Value {
    let callbacks: Map<String, Value> = case["callbacks"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|hook| (hook["id"].as_str().expect("an id").to_owned(), hook.clone()))
        .collect();
    for (id, hook) in &callbacks {
        client.asks("hooks/register", json!({"session": "case", "id": id, "event": hook["event"]}));
    }
    let id = client
        .request("event/fire", json!({"session": "case", "event": case["event"], "input": case["input"]}));
    for _ in &callbacks {
        let call = client.until(|line| line["method"] == "hook/call");
        let hook = &callbacks[call["params"]["hook"].as_str().expect("it is named")];
        let answer = match hook.get("fails") {
            None => json!({"jsonrpc": "2.0", "id": call["id"], "result": hook["answers"]}),
            Some(why) => json!({"jsonrpc": "2.0", "id": call["id"], "error": {"code": 1, "message": why}}),
        };
        client.line(&answer);
    }
    client.answer_to(id)
}

fn wrong(case: &Value) -> Option<String> {
    let env = TestEnv::new(BECKET);
    let case = placed(case, env.root());
    written(&env, &case);
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let mut open = case["open"].clone();
    open["start"] = json!(env.project());
    open["session"] = json!("case");
    serving.client.asks("session/open", open);
    let answer = fired(&mut serving.client, &case);
    let differs = match answer.get("result") {
        Some(result) => unlike(&case["expected"], result, ""),
        None => Some(answer.to_string()),
    };
    differs.map(|differs| format!("{} {}: {differs}", case["rules"], case["name"]))
}

#[test]
fn what_is_expected_of_any_language_comes_out_of_the_sidecar() {
    let all: Vec<(&str, Value)> = FILES
        .iter()
        .flat_map(|(file, least)| {
            let cases = cases(file);
            assert!(cases.len() >= *least, "`{file}` is cut short: {}", cases.len());
            cases.into_iter().map(|case| (*file, case))
        })
        .collect();
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some((file, case)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(why) = wrong(case) {
                failed.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{file}: {why}"));
            }
        }
    };
    std::thread::scope(|scope| (0..AT_ONCE).for_each(|_| drop(scope.spawn(work))));
    let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.sort();
    assert!(failed.is_empty(), "{} of {} cases:\n{}", failed.len(), all.len(), failed.join("\n"));
}

#[test]
fn every_case_file_is_run() {
    let place = format!("{}/../../spec/cases", env!("CARGO_MANIFEST_DIR"));
    for entry in fs::read_dir(place).expect("it is there") {
        let path = entry.expect("it is there").path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let is_known = ["left-out", "README"].contains(&name) || FILES.iter().any(|(file, _)| *file == name);
        assert!(is_known, "`{}` is run by nobody", path.display());
    }
}

#[test]
fn what_differs_is_seen() {
    let got = json!({"a": 1, "list": [{"b": 2, "c": 3}], "verdict": {"fields": {"x": 1}}});
    for expected in [
        json!({"a": 1}),
        json!({"gone": null}),
        json!({"list": [{"b": 2}]}),
        json!({"verdict": {"fields": {"x": 1}}}),
    ] {
        assert_eq!(unlike(&expected, &got, ""), None);
    }
    for expected in [
        json!({"a": 2}),
        json!({"a": null}),
        json!({"gone": 1}),
        json!({"list": []}),
        json!({"list": [{"b": 2}, {}]}),
        json!({"list": [{"b": 3}]}),
        json!({"verdict": {"fields": {}}}),
        json!([]),
    ] {
        assert!(unlike(&expected, &got, "").is_some(), "{expected}");
    }
}
