use super::*;
use serde_json::json;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(rename = "rule")]
    _rule: String,
    /// The arguments: `name`, or `name!` if it is required.
    wants: Vec<String>,
    typed: String,
    arguments: Option<Value>,
    error: Option<String>,
}

#[test]
fn typed_words_become_arguments_as_the_cases_say() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../../tests/cases/prompts.json")).unwrap();
    for case in cases {
        let arguments: Vec<Value> = case.wants.iter().map(|name| argument(name)).collect();
        let described = json!({"name": "p", "arguments": arguments});
        let prompt = Prompt::from(serde_json::from_value::<wire::Prompt>(described).unwrap());
        let got = prompt.arguments(&case.typed).map(Value::Object).map_err(|error| error.to_string());
        let expected = case.arguments.ok_or_else(|| case.error.expect("`arguments` or `error`"));
        assert_eq!(got, expected, "{}", case.name);
    }
}

fn argument(name: &str) -> Value {
    match name.strip_suffix('!') {
        Some(name) => json!({"name": name, "required": true}),
        None => json!({"name": name}),
    }
}

// rule: X8
#[test]
fn what_a_server_says_of_a_prompt_is_kept() {
    let described = json!({
        "name": "p", "title": "P", "description": "d", "_meta": {"k": 1},
        "arguments": [{"name": "a", "title": "A", "description": "what", "required": true}]
    });
    let prompt = Prompt::from(serde_json::from_value::<wire::Prompt>(described).unwrap());
    assert_eq!((prompt.title.as_deref(), prompt.description.as_deref()), (Some("P"), Some("d")));
    assert_eq!(prompt.meta, json!({"k": 1}).as_object().cloned());
    let words = (prompt.arguments[0].title.as_deref(), prompt.arguments[0].description.as_deref());
    assert_eq!(words, (Some("A"), Some("what")));
    assert_eq!(prompt.usage(), "<a>");

    let block = json!({"type": "resource", "resource": {"uri": "a:b", "text": "t"}});
    let messages = json!([{"role": "user", "content": {"type": "text", "text": "x"}}, {"role": "assistant", "content": block}]);
    let wire: wire::GetPromptResult =
        serde_json::from_value(json!({"description": "d", "messages": messages})).unwrap();
    let result = PromptResult::try_from(wire).unwrap();
    assert_eq!(result.messages[0].role, PromptRole::User);
    assert_eq!(
        (result.messages[1].role, result.messages[1].content.value()),
        (PromptRole::Assistant, &block)
    );
}
