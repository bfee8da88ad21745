//! Questions of servers to users: the cases of `tests/cases/elicitation.json`, and the law that no input of a server
//! breaks anything.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use becket_mcp::elicitation::{Address, Form};
use becket_mcp::{Elicitation, ElicitationAnswer};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    requests: Vec<Request>,
    required: Vec<Request>,
    addresses: Vec<Visit>,
    forms: Vec<Case>,
}

/// A question, and its result: the parsed form, or the text of its refusal.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    name: String,
    #[serde(rename = "rule")]
    _rule: String,
    asked: Value,
    #[serde(default)]
    read: Option<Value>,
    #[serde(default)]
    error: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Visit {
    name: String,
    #[serde(rename = "rule")]
    _rule: String,
    url: String,
    #[serde(default)]
    shown: Option<(String, String)>,
    #[serde(default)]
    cautions: Vec<String>,
    #[serde(default)]
    error: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(rename = "rule")]
    _rule: String,
    schema: Value,
    #[serde(default)]
    error: Option<String>,
    /// The defaults that fill an empty answer.
    #[serde(default)]
    defaults: Option<Value>,
    #[serde(default)]
    good: Vec<Value>,
    #[serde(default)]
    bad: Vec<(Value, Vec<String>)>,
    /// A field, the text typed into it, and the value or the error.
    #[serde(default)]
    typed: Vec<(String, String, Result<Value, String>)>,
}

fn cases() -> Cases {
    serde_json::from_str(include_str!("../cases/elicitation.json")).unwrap()
}

fn shown(asked: Elicitation) -> Value {
    match asked {
        Elicitation::Form { message, schema } => json!({"message": message, "schema": schema}),
        Elicitation::Url { message, url, id } => json!({"message": message, "url": url, "id": id}),
    }
}

fn expected(case: Request) -> Result<Value, String> {
    match (case.read, case.error) {
        (Some(read), None) => Ok(read),
        (None, Some(error)) => Err(error),
        (Some(_), Some(_)) | (None, None) => panic!("{}: `read` or `error`", case.name),
    }
}

#[test]
fn requests() {
    for case in cases().requests {
        let read = Elicitation::read(&case.asked).map(shown).map_err(|error| error.to_string());
        let name = case.name.clone();
        assert_eq!(read, expected(case), "{name}");
    }
}

#[test]
fn addresses_that_a_refusal_wants_to_be_visited() {
    for case in cases().required {
        let read = Elicitation::required(Some(&case.asked)).map_err(|error| error.to_string());
        let name = case.name.clone();
        assert_eq!(read.map(|all| all.into_iter().map(shown).collect()), expected(case), "{name}");
    }
    assert!(Elicitation::required(None).is_err());
}

#[test]
fn addresses() {
    for case in cases().addresses {
        match (Address::read(&case.url), case.shown) {
            (Ok(address), Some((url, host))) => {
                assert_eq!((address.url(), address.host()), (url.as_str(), host.as_str()), "{}", case.name);
                let cautions: Vec<String> = address.cautions().iter().map(|one| one.to_string()).collect();
                assert_eq!(cautions, case.cautions, "{}", case.name);
            }
            (Err(error), None) => assert_eq!(Some(error.to_string()), case.error, "{}", case.name),
            (read, shown) => panic!("{}: {read:?} {shown:?}", case.name),
        }
    }
}

/// A stub for a matcher: knows two expressions.
fn judge(pattern: &str, text: &str) -> Option<bool> {
    match pattern {
        "^[a-z]+$" => Some(text.bytes().all(|byte| byte.is_ascii_lowercase()) && !text.is_empty()),
        "x" => Some(text.contains('x')),
        _ => None,
    }
}

#[test]
fn forms() {
    for case in cases().forms {
        let form = match (Form::read(case.schema.as_object().unwrap()), case.error) {
            (Ok(form), None) => form,
            (Err(error), Some(expected)) => {
                assert_eq!(error.to_string(), expected, "{}", case.name);
                continue;
            }
            (read, error) => panic!("{}: {read:?} {error:?}", case.name),
        };
        let mut filled = Map::new();
        form.fill_defaults(&mut filled);
        assert_eq!(Value::Object(filled), case.defaults.unwrap_or_else(|| json!({})), "{}", case.name);
        for content in case.good {
            let content = content.as_object().unwrap();
            assert_eq!(form.validate(content, &judge).as_ref(), Ok(content), "{}", case.name);
        }
        for (content, expected) in case.bad {
            let errors = form.validate(content.as_object().unwrap(), &judge).expect_err(&case.name);
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            assert_eq!(errors, expected, "{}: {content}", case.name);
        }
        for (field, text, expected) in case.typed {
            let typed = form.field(&field).unwrap().typed(&text).map_err(|error| error.to_string());
            assert_eq!(typed, expected, "{}: {field} {text}", case.name);
        }
    }
}

// rule: X6
#[test]
fn a_form_is_read_in_the_servers_order_with_all_it_says() {
    use becket_mcp::elicitation::{Choice, FieldKind, Format};
    let schema = json!({"title": "T", "description": "D", "properties": {
        "z": {"type": "string", "title": "Z", "description": "d", "format": "email", "minLength": 1, "maxLength": 2.0, "pattern": "p"},
        "a": {"oneOf": [{"const": "v", "title": "V"}]}, "m": {"type": "integer", "minimum": 1}
    }, "required": ["a"]});
    let form = Form::read(schema.as_object().unwrap()).unwrap();
    assert_eq!((form.title.as_deref(), form.description.as_deref()), (Some("T"), Some("D")));
    let names: Vec<(&str, bool)> =
        form.fields.iter().map(|field| (field.name.as_str(), field.required)).collect();
    assert_eq!(names, [("z", false), ("a", true), ("m", false)]);
    let text = FieldKind::Text {
        format: Some(Format::Email),
        min: Some(1),
        max: Some(2),
        pattern: Some("p".into()),
    };
    assert_eq!(form.fields[0].kind, text);
    assert_eq!(
        (form.fields[0].title.as_deref(), form.fields[0].description.as_deref()),
        (Some("Z"), Some("d"))
    );
    assert_eq!(form.fields[1].kind, FieldKind::One(vec![Choice { value: "v".into(), title: "V".into() }]));
    assert_eq!(form.fields[2].kind, FieldKind::Number { whole: true, min: Some(1.into()), max: None });
}

// rule: X6
#[test]
fn a_filled_field_keeps_its_value() {
    let schema = json!({"properties": {"a": {"type": "integer", "default": 1}, "b": {"type": "integer", "default": 2}}});
    let form = Form::read(schema.as_object().unwrap()).unwrap();
    let mut content = json!({"b": 0}).as_object().cloned().unwrap();
    form.fill_defaults(&mut content);
    assert_eq!(json!(content), json!({"b": 0, "a": 1}));
    // The answer has the order of the form.
    let answer = form.validate(&content, &judge).unwrap();
    assert_eq!(json!(answer).to_string(), r#"{"a":1,"b":0}"#);
}

// rule: X6
#[test]
fn an_answer_has_one_of_three_names() {
    let content = json!({"a": 1}).as_object().cloned().unwrap();
    for (answer, name) in [
        (ElicitationAnswer::Accept(content.clone()), "accept"),
        (ElicitationAnswer::Decline, "decline"),
        (ElicitationAnswer::Cancel, "cancel"),
    ] {
        assert_eq!(answer.action(), name);
        assert_eq!(ElicitationAnswer::of(name, Some(content.clone())), Some(answer));
    }
    assert_eq!(ElicitationAnswer::of("accept", None), Some(ElicitationAnswer::Accept(Map::new())));
    assert_eq!(ElicitationAnswer::of("Accept", None), None);
}

fn anything() -> impl Strategy<Value = Value> {
    let words = "(type|enum|oneOf|anyOf|items|const|title|string|integer|array|object|boolean|number|default|email|date|date-time|uri|[a-c]|2026-0[0-9]-3[0-9]|2026-01-01T[0-9]{2}:00:00[Z+.]|a@b|http://[a-z:@]{0,6}|.{0,4})";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        words.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((words, inner), 0..5)
                .prop_map(|members| members.into_iter().collect::<Value>()),
        ]
    })
}

fn property() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(vec!["string", "integer", "number", "boolean", "array"]);
    let keys = prop::sample::select(vec![
        "default",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "format",
        "enum",
        "oneOf",
        "items",
        "minItems",
        "pattern",
        "enumNames",
    ]);
    (kind, prop::collection::vec((keys, anything()), 0..4)).prop_map(|(kind, keys)| {
        let mut schema = json!({"type": kind});
        for (key, value) in keys {
            schema[key] = value;
        }
        schema
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, failure_persistence: None, ..ProptestConfig::default() })]

    // rule: X6
    #[test]
    fn nothing_a_server_sends_breaks_anything(params in anything(), data in anything(), url in ".{0,40}") {
        let _ = Elicitation::read(&params);
        let _ = Elicitation::required(Some(&data));
        let _ = Elicitation::required(Some(&json!({"elicitations": data})));
        let _ = Elicitation::read(&json!({"mode": "url", "message": "", "url": params}));
        for url in [url.clone(), format!("https://{url}"), format!("http://a{url}")] {
            if let Ok(address) = Address::read(&url) {
                prop_assert!(address.url().is_ascii() && address.host().is_ascii() && !address.host().is_empty());
                prop_assert!(!address.url().contains(|c: char| c.is_control() || c.is_whitespace()));
            }
        }
    }

    // rule: X6
    #[test]
    fn what_a_form_lets_through_has_its_fields_and_the_required_ones(
        properties in prop::collection::btree_map("[a-c]", property(), 0..4),
        required in prop::collection::vec("[a-c]", 0..3),
        content in prop::collection::btree_map("[a-d]", anything(), 0..4),
    ) {
        let schema = json!({"type": "object", "properties": properties, "required": required});
        if let Ok(form) = Form::read(schema.as_object().unwrap()) {
            let mut content: Map<String, Value> = content.into_iter().collect();
            form.fill_defaults(&mut content);
            for field in &form.fields {
                for text in ["", "1", "yes", "a,b", "2026-02-29"] {
                    let _ = field.typed(text);
                }
            }
            if let Ok(answer) = form.validate(&content, &judge) {
                prop_assert!(answer.keys().all(|name| properties.contains_key(name)));
                prop_assert!(required.iter().all(|name| answer.contains_key(name)));
                prop_assert_eq!(&answer, &content);
            }
        }
    }
}
