//! A folder of fixtures for each agent: `payloads.json` as its hooks receive them, with the events that they are read as,
//! and `answers.json` as the agent receives them, with the answers of the protocol that they are written from.
//!
//! `BECKET_WRITE_FIXTURES=1` (with `-j 1`) fills in the expectations; review the difference before it is committed.

use becket_dialects::{
    ALL, Answer, Asks, Dialect, Effect, Facts, Reply, Resolution, answer, detect, read, refuse,
};
use becket_model::EventKind;
use becket_model::wire::input;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

fn file(dialect: &Dialect, name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(dialect.name).join(name)
}

fn cases(dialect: &Dialect, name: &str) -> Vec<Value> {
    let file = file(dialect, name);
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn text<'c>(case: &'c Value, key: &str) -> &'c str {
    case[key].as_str().unwrap_or_default()
}

/// Returns the payload with this name.
pub(crate) fn payload(dialect: &Dialect, name: &str) -> Value {
    let found = cases(dialect, "payloads.json").into_iter().find(|case| text(case, "name") == name);
    found.unwrap_or_else(|| panic!("{}: no payload `{name}`", dialect.name))["payload"].clone()
}

/// Returns the payload with this name, if the agent has one.
pub(crate) fn payload_if_any(dialect: &Dialect, name: &str) -> Option<Value> {
    let mut cases = cases(dialect, "payloads.json").into_iter();
    cases.find(|case| text(case, "name") == name).map(|case| case["payload"].clone())
}

fn shown(answer: &Answer) -> Value {
    let stdout = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| json!(answer.stdout));
    json!({"stdout": stdout, "stderr": answer.stderr, "exit": answer.exit})
}

/// Returns the events that a payload is read as, or the refusal.
fn reading(dialect: &Dialect, case: &Value) -> Value {
    let payload = &case["payload"];
    let servers = case["mcp_servers"].as_array().into_iter().flatten();
    let servers: Vec<String> = servers.filter_map(Value::as_str).map(str::to_owned).collect();
    let facts = Facts { mcp_servers: &servers, ..Facts::new("/process") };
    match read(dialect, payload.clone(), &facts) {
        Ok(incoming) => {
            let events: Vec<Value> = incoming.events.iter().map(input::to_value).collect();
            json!({"events": events, "unknown_tool": incoming.unknown_tool()})
        }
        Err(error) => {
            json!({"error": error.to_string(), "refused": shown(&refuse(dialect, payload, &error.to_string()))})
        }
    }
}

fn asks(case: &Value) -> Asks {
    match text(case, "asks") {
        "deny" => Asks::Deny,
        "pass" => Asks::Pass,
        _ => Asks::Auto,
    }
}

fn answering(dialect: &Dialect, case: &Value) -> Value {
    let incoming = read(dialect, payload(dialect, text(case, "to")), &Facts::new("/process")).unwrap();
    let kind = incoming.row.unwrap().kind;
    let from =
        case["from"].as_array().unwrap().iter().map(|json| resolution(kind, json.as_object().unwrap()));
    let Reply { answer, refusal, carried, lost } = answer(dialect, &incoming, from.collect(), asks(case));
    let is_held = matches!(dialect.effect_of(&answer), Effect::Held | Effect::Ends);
    assert!(kind != EventKind::PreToolUse || refusal.is_none() || is_held, "{answer:?}");
    let mut shown = shown(&answer);
    if let Some(carried) = carried {
        shown["carried"] = json!({"call": carried.call, "context": carried.context});
    }
    if !lost.is_empty() {
        shown["lost"] = json!(lost);
    }
    shown
}

/// Returns the resolution as the command line forms it: a denial or a block also ends with exit code 2.
pub(crate) fn resolution(kind: EventKind, json: &Map<String, Value>) -> Resolution {
    Resolution::from_protocol(kind, json.clone(), None)
}

#[expect(clippy::disallowed_methods, reason = "a switch of this test alone")]
fn is_written() -> bool {
    std::env::var_os("BECKET_WRITE_FIXTURES").is_some()
}

fn compare(dialect: &Dialect, name: &str, key: &str, found: impl Fn(&Value) -> Value) {
    let mut cases = cases(dialect, name);
    let is_written = is_written();
    for case in &mut cases {
        let found = found(case);
        if is_written {
            case[key] = found;
        } else {
            assert_eq!(case[key], found, "{} {name}: {}", dialect.name, text(case, "name"));
        }
    }
    if is_written {
        std::fs::write(file(dialect, name), format!("{:#}\n", Value::Array(cases))).unwrap();
    }
}

// rules: N1, N3, N5, M7
#[test]
fn payloads_are_read_as_events_of_the_protocol() {
    for dialect in ALL {
        compare(dialect, "payloads.json", "read", |case| reading(dialect, case));
    }
}

// rules: D1, D3, D4, D5, D6, D8, D11, L4
#[test]
fn answers_are_written_in_the_form_of_the_agent() {
    for dialect in ALL {
        compare(dialect, "answers.json", "answer", |case| answering(dialect, case));
    }
}

#[test]
fn every_payload_is_recognised_as_its_own_agents() {
    for dialect in ALL {
        for case in cases(dialect, "payloads.json").iter().filter(|case| case["detected"] != json!(false)) {
            let found = detect(&case["payload"], |_| false);
            let found = found.map(|found| found.name).map_err(|error| error.to_string());
            assert_eq!(found, Ok(dialect.name), "{}", text(case, "name"));
        }
    }
    assert!(detect(&json!({}), |_| true).is_err());
}
