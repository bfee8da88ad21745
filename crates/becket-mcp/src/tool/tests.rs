use super::*;
use serde_json::json;

fn read(wire: &Value) -> [Option<Tool>; 2] {
    [serde_json::from_value(wire.clone()).ok().map(Tool::from_wire), Tool::from_json(wire)]
}

// rule: X5
#[test]
fn what_a_server_does_not_say_is_the_protocols_default() {
    for (annotations, expected) in [
        (json!(null), [false, true, false, true]),
        (json!({"readOnlyHint": true, "destructiveHint": false}), [true, false, false, true]),
        (json!({"idempotentHint": true, "openWorldHint": false}), [false, true, true, false]),
    ] {
        let wire = json!({"name": "n", "inputSchema": {"type": "object"}, "annotations": annotations});
        for tool in read(&wire) {
            let Hints { read_only, destructive, idempotent, open_world } = tool.unwrap().hints;
            assert_eq!([read_only, destructive, idempotent, open_world], expected, "{annotations}");
        }
    }
}

// rule: X5
#[test]
fn a_tool_is_kept_as_it_came() {
    let schema =
        json!({"z": 1.0, "type": "object", "a": {"type": ["string", "null"], "x-y": [1, {"b": 2, "a": 1}]}});
    let wire = json!({
        "name": "a b", "title": "T", "description": "d".repeat(3_000), "inputSchema": schema,
        "outputSchema": {"type": "object", "q": 1, "b": 2}, "_meta": {"z": 1, "a": 2}
    });
    let [typed, by_hand] = read(&wire).map(Option::unwrap);
    assert_eq!(typed, by_hand);
    assert_eq!(Value::Object((*typed.input_schema).clone()).to_string(), schema.to_string());
    assert_eq!(json!(*typed.output_schema.clone().unwrap()).to_string(), wire["outputSchema"].to_string());
    assert_eq!(json!(typed.meta.clone().unwrap()).to_string(), wire["_meta"].to_string());
    assert_eq!((typed.name.as_str(), typed.title.as_deref()), ("a b", Some("T")));
    assert_eq!(typed.description.as_deref().map(str::len), Some(3_000));
    assert_eq!(typed.summary().map(|text| text.chars().count()), Some(2_049));
    assert_eq!(typed.problem, None);
    let titled = json!({"name": "n", "inputSchema": {}, "annotations": {"title": "A"}});
    assert!(read(&titled).iter().all(|tool| tool.as_ref().unwrap().title.as_deref() == Some("A")));
}

// rule: X5
#[test]
fn calls_of_a_tool_that_reads_only_run_side_by_side() {
    for annotations in [json!({"readOnlyHint": true}), json!({"readOnlyHint": false}), json!({})] {
        let together = annotations["readOnlyHint"] == json!(true);
        let wire = json!({"name": "n", "inputSchema": {}, "annotations": annotations});
        let tool = Tool::from_json(&wire).unwrap();
        assert_eq!(tool.may_run_together(), together, "{wire}");
    }
}

// rule: X5
#[test]
fn a_page_with_a_tool_that_is_none_keeps_the_others() {
    let tools = json!([{"name": "good", "inputSchema": {"type": "object"}}, {"name": "bad", "inputSchema": []}, {"no": 1}, 7]);
    let result = json!({"tools": tools, "nextCursor": "c"});
    // Such a page arrives like this: the protocol's own types can't represent it.
    let answer = serde_json::from_value(result).unwrap();
    let rmcp::model::ServerResult::CustomResult(answer) = answer else { panic!("{answer:?}") };
    let read = page(&answer.0).unwrap();
    let problems: Vec<Option<&str>> = read.tools.iter().map(|tool| tool.problem.as_deref()).collect();
    assert_eq!(problems, [None, Some("its input schema is a list")]);
    assert_eq!((read.nameless, read.next_cursor.as_deref()), (2, Some("c")));
    assert_eq!(page(&json!({"tools": 1})), None);
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(rename = "rule")]
    _rule: String,
    schema: Value,
    #[serde(default)]
    problem: Option<String>,
    #[serde(default)]
    good: Vec<Value>,
    #[serde(default)]
    bad: Vec<(Value, Vec<String>)>,
}

#[test]
fn schemas_and_inputs_as_the_cases_say() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../../tests/cases/schemas.json")).unwrap();
    for case in cases {
        let tool = Tool::from_json(&json!({"name": "n", "inputSchema": case.schema})).unwrap();
        assert_eq!(tool.problem, case.problem, "{}", case.name);
        let judge = |input: &Value| tool.validate(input.as_object().unwrap());
        for input in case.good {
            assert_eq!(judge(&input), Ok(()), "{}: {input}", case.name);
        }
        for (input, expected) in case.bad {
            let errors = judge(&input).expect_err(&case.name);
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            assert_eq!(errors, expected, "{}: {input}", case.name);
        }
    }
}

// rule: X5
#[test]
fn deep_and_many_errors_end() {
    let mut schema = json!({"type": "string"});
    let mut input = json!(1);
    for _ in 0..100 {
        schema = json!({"type": "object", "properties": {"a": schema}});
        input = json!({"a": input});
    }
    let tool = Tool::from_json(&json!({"name": "n", "inputSchema": schema})).unwrap();
    assert_eq!(tool.validate(input.as_object().unwrap()), Ok(()));
    let names: Vec<String> = (0..100).map(|n| n.to_string()).collect();
    let tool = Tool::from_json(&json!({"name": "n", "inputSchema": {"required": names}})).unwrap();
    assert_eq!(tool.validate(&Map::new()).unwrap_err().len(), 20);
}
