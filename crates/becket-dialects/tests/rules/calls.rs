//! Laws of every row of every table of tools: nothing of a call is lost on the way to the guards.

use crate::fixtures::payload;
use becket_dialects::{
    ALL, Asks, CallShape, Dialect, Effect, Facts, Payload, ReadError, Resolution, ToolClass, ToolRow, answer,
    read,
};
use becket_model::wire::input;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A patch with a file and two lines.
const PATCH: &str = "*** Begin Patch\n*** Update File: patched\n@@\n-old line\n+new line\n*** End Patch";

fn rows() -> Vec<(&'static Dialect, &'static ToolRow)> {
    ALL.into_iter().flat_map(|dialect| dialect.tools.iter().map(move |row| (dialect, row))).collect()
}

/// Returns the payload before a call.
fn before(dialect: &Dialect, row: &ToolRow, input: &Value) -> Value {
    let mut payload = payload(dialect, if dialect.name == "cursor" { "tool" } else { "shell" });
    match dialect.name {
        "cline" => {
            payload["tool_call"]["name"] = json!(row.native);
            payload["tool_call"]["input"] = input.clone();
        }
        "windsurf" => {
            payload["agent_action_name"] = json!(format!("pre_{}", row.native));
            payload["tool_info"] = input.clone();
        }
        _ => {
            payload["tool_name"] = json!(row.native);
            payload["tool_input"] = input.clone();
        }
    }
    payload
}

fn reading(dialect: &Dialect, row: &ToolRow, input: &Value) -> Result<Payload, ReadError> {
    read(dialect, before(dialect, row, input), &Facts::new("/work/p"))
}

/// Returns the inputs and directories that guards see.
fn seen(payload: &Payload) -> String {
    let of = |event| {
        let event = input::to_value(event);
        format!("{} {}", event["tool_input"], event["cwd"])
    };
    payload.events.iter().map(of).collect::<Vec<_>>().join("\n")
}

/// Returns an input that the tool takes.
fn plain(row: &ToolRow) -> Map<String, Value> {
    let native = |ours: &'static str| {
        row.keys.iter().find(|(_, key)| *key == ours).map_or(ours, |(theirs, _)| *theirs).to_owned()
    };
    let (key, value) = match (row.shape, row.class, row.ours) {
        (CallShape::Patch(key) | CallShape::PatchOrOne(key), ..) => (key.to_owned(), json!(PATCH)),
        (CallShape::Commands(keys), ..) => (keys[0].to_owned(), json!(["ls"])),
        (CallShape::Paths(keys) | CallShape::Patterns(keys), ..) => (keys[0].to_owned(), json!(["a"])),
        (CallShape::Urls(key), ..) => (key.to_owned(), json!("see http://one.test")),
        (CallShape::One, ToolClass::Shell | ToolClass::Input, _) => (native("command"), json!("ls")),
        (CallShape::One, ToolClass::Write, "NotebookEdit") => (native("notebook_path"), json!("a")),
        (CallShape::One, ToolClass::Network, _) => (native("url"), json!("http://one.test")),
        (CallShape::Search(_), ..) => ("pattern".to_owned(), json!("a")),
        (CallShape::One, ..) => (native("file_path"), json!("a")),
    };
    Map::from_iter([(key, value)])
}

fn leaf_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| leaf_texts(item, texts)),
        Value::Object(object) => object.values().for_each(|item| leaf_texts(item, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Generates values whose texts occur nowhere else.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => "text-[a-z0-9]{8}".prop_map(Value::from),
        1 => Just(Value::Null),
        1 => Just(json!(7)),
    ];
    let key =
        proptest::sample::select(vec!["command", "args", "cmd", "path", "file_path", "filePath", "url", "x"]);
    leaf.prop_recursive(2, 6, 3, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::hash_map(key.clone(), inner, 0..3).prop_map(|map| {
                Value::Object(map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    })
}

/// Generates a row, and the input of a call with keys of the row, of the protocol and of other tools.
fn calls() -> impl Strategy<Value = (&'static Dialect, &'static ToolRow, Value)> {
    proptest::sample::select(rows()).prop_flat_map(|(dialect, row)| {
        let mut keys = vec![
            "command",
            "args",
            "cmd",
            "path",
            "file_path",
            "url",
            "glob",
            "pattern",
            "cwd",
            "workdir",
            "patch",
            "edits",
            "files",
            "paths",
            "include",
            "old_string",
            "content",
            "x",
        ];
        keys.extend(row.keys.iter().flat_map(|(theirs, ours)| [*theirs, *ours]));
        let more = proptest::collection::hash_map(proptest::sample::select(keys), values(), 0..4);
        (more, any::<bool>()).prop_map(move |(more, is_plain)| {
            let mut input = if is_plain { plain(row) } else { Map::new() };
            for (key, value) in more {
                input.entry(key).or_insert(value);
            }
            (dialect, row, Value::Object(input))
        })
    })
}

proptest! {
    // rules: N3, P7
    #[test]
    fn every_text_of_a_call_is_seen_or_the_call_is_refused((dialect, row, input) in calls()) {
        // The fields of a payload of Windsurf have meanings of their own.
        prop_assume!(dialect.name != "windsurf");
        if let Ok(payload) = reading(dialect, row, &input) {
            let (seen, mut texts) = (seen(&payload), Vec::new());
            leaf_texts(&input, &mut texts);
            for text in texts.iter().filter(|text| *text != PATCH) {
                let text = json!(text).to_string();
                let text = text.trim_matches('"');
                let tool = format!("{} {}", dialect.name, row.native);
                prop_assert!(seen.contains(text), "{tool}: `{text}` of {input} is not in {seen}");
            }
        }
    }
}

// rules: N3, P7
#[test]
fn two_values_for_one_key_of_the_protocol_are_refused_in_any_order() {
    for (dialect, row) in rows() {
        for (theirs, ours) in row.keys {
            let synonyms = row.keys.iter().filter(|(_, other)| other == ours).map(|(other, _)| *other);
            for other in synonyms.chain([*ours]).filter(|other| other != theirs) {
                for (first, second) in [(*theirs, other), (other, *theirs)] {
                    let mut input = plain(row);
                    input.insert(first.to_owned(), json!("one"));
                    input.insert(second.to_owned(), json!("two"));
                    let found = reading(dialect, row, &Value::Object(input));
                    assert!(found.is_err(), "{} {}: {first}, {second}: {found:?}", dialect.name, row.native);
                }
            }
        }
    }
}

// rules: N3, P7
#[test]
fn a_plain_call_of_every_tool_is_read() {
    for (dialect, row) in rows() {
        let input = Value::Object(plain(row));
        let payload =
            reading(dialect, row, &input).unwrap_or_else(|error| panic!("{} {error}", dialect.name));
        assert!(!payload.events.is_empty(), "{} {}", dialect.name, row.native);
        // The same value under both keys is not a contradiction.
        for (theirs, ours) in row.keys {
            let mut both = plain(row);
            if let Some(value) = both.get(*theirs).cloned() {
                both.insert((*ours).to_owned(), value);
                let found = reading(dialect, row, &Value::Object(both));
                assert!(found.is_ok(), "{} {}: {found:?}", dialect.name, row.native);
            }
        }
    }
}

// rules: H4, P7
#[test]
fn a_call_that_stands_for_too_many_is_refused_in_every_form() {
    for (dialect, row) in rows() {
        let many = |count: usize| {
            let texts = |start: &str| (0..count).map(|at| format!("{start}{at}")).collect::<Vec<_>>();
            let (key, value) = match row.shape {
                CallShape::Commands(keys) => (keys[0], json!(texts("ls "))),
                CallShape::Paths(keys) | CallShape::Patterns(keys) => (keys[0], json!(texts("f"))),
                CallShape::Urls(key) => (key, json!(texts("http://a.test/").join(" "))),
                CallShape::Patch(key) | CallShape::PatchOrOne(key) => {
                    (key, json!(texts("*** Delete File: f").join("\n")))
                }
                CallShape::One | CallShape::Search(_) => return None,
            };
            Some(reading(dialect, row, &json!({key: value})))
        };
        let (Some(most), Some(too_many)) = (many(1000), many(1001)) else { continue };
        assert_eq!(most.unwrap().events.len(), 1000, "{} {}", dialect.name, row.native);
        let why = too_many.unwrap_err().to_string();
        assert!(why.contains("it contains 1001 calls"), "{} {}: {why}", dialect.name, row.native);
    }
}

// rules: N3, P7
#[test]
fn a_url_is_found_whatever_the_case_of_its_scheme() {
    let gemini = becket_dialects::dialect("gemini").unwrap();
    let row = gemini.tool("web_fetch").unwrap();
    let text = "see HTTP://one.test, (hTTps://two.test) ://none ftp://no.test é://no";
    let payload = reading(gemini, row, &json!({"prompt": text})).unwrap();
    let urls: Vec<Value> =
        payload.events.iter().map(|event| input::to_value(event)["tool_input"]["url"].clone()).collect();
    assert_eq!(urls, ["HTTP://one.test,", "hTTps://two.test"]);
}

// rules: P7, H3
#[test]
fn a_command_is_judged_in_each_directory_in_which_it_may_run() {
    for (dialect, row) in rows() {
        if row.class != ToolClass::Shell || dialect.name == "windsurf" {
            continue;
        }
        let directories = |key: &str| {
            let mut input = plain(row);
            input.insert(key.to_owned(), json!("secret"));
            let payload = reading(dialect, row, &Value::Object(input)).unwrap();
            assert_eq!(payload.cwd, "/work/p", "{}", dialect.name);
            let of = |event: &becket_model::Event| event.session.cwd.to_string_lossy().into_owned();
            payload.events.iter().map(of).collect::<Vec<_>>()
        };
        for key in row.directory {
            assert_eq!(directories(key), ["/work/p/secret"], "{} {}: {key}", dialect.name, row.native);
        }
        for key in ["cwd", "workdir", "directory", "dir_path"] {
            if !row.directory.contains(&key) {
                let both = ["/work/p", "/work/p/secret"];
                assert_eq!(directories(key), both, "{} {}: {key}", dialect.name, row.native);
            }
        }
    }
}

// rules: D4, D9
#[test]
fn a_rewrite_of_a_call_that_stands_for_several_does_not_run_the_models_own() {
    let rewrite = || Resolution {
        rewrite: json!({"file_path": "other", "url": "http://other.test", "command": "other"})
            .as_object()
            .cloned(),
        ..Resolution::default()
    };
    for (dialect, row) in rows() {
        let Ok(payload) = reading(dialect, row, &Value::Object(plain(row))) else { continue };
        let mut resolutions = vec![rewrite()];
        resolutions.resize_with(payload.events.len(), Resolution::default);
        let answer = answer(dialect, &payload, resolutions, Asks::Auto).answer;
        let is_kept = answer.stdout.contains("other");
        let is_held = dialect.effect_of(&answer) != Effect::Runs;
        assert!(is_kept || is_held, "{} {}: {answer:?}", dialect.name, row.native);
    }
}
