//! Requests to the Messages API, and their adaptation to the settings that a model accepts.

#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use crate::support::{KEY, PATIENCE, Server, http, served, status, variant};
use becket_llm::{
    Anthropic, Block, Credential, Message, Model, ModelError, Output, PromptCaching, Request, Response, Role,
    Secret, StopReason, StructuredOutput, Thinking, ToolChoice, ToolSpec, judge,
};
use serde_json::{Value, json};

fn model_named(server: &Server, name: &str) -> Anthropic {
    let credential = Credential::ApiKey(Secret::new(KEY));
    let model = Anthropic::new(http(), name, &credential).expect("a model");
    model.with_base_url(&server.url()).expect("a URL")
}

async fn ask(model: &Anthropic, request: &Request) -> Result<Response, ModelError> {
    tokio::time::timeout(PATIENCE, model.respond(request)).await.expect("an answer in time")
}

/// Returns the request of a prompt hook.
fn judgement() -> Request {
    Request {
        thinking: Thinking::Off,
        output: Output::Json { name: "verdict".into(), schema: judge::verdict_schema(false) },
        ..Request::user("May it run?")
    }
}

fn refused(message: &str) -> Vec<crate::support::Step> {
    let body = json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}});
    status("400 Bad Request", "", &body.to_string())
}

// rule: H7
#[tokio::test]
async fn a_judgement_is_one_request_without_thinking_and_with_its_schema() {
    let server = Server::start(vec![served("anthropic/structured.sse")]).await;
    let answer = ask(&model_named(&server, "claude-haiku-5-5"), &judgement()).await.expect("an answer");
    assert_eq!(judge::read_verdict(&answer.text()).map(|verdict| verdict.ok), Ok(true));
    assert_eq!(server.requests().len(), 1);
    let body = json!({
        "model": "claude-haiku-5-5",
        "max_tokens": 4096,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "May it run?"}]}],
        "thinking": {"type": "disabled"},
        "output_config": {"format": {"type": "json_schema", "schema": judge::verdict_schema(false)}},
        "stream": true,
    });
    assert_eq!(server.body(0), body);
    // The order matters, and comparing objects does not check it.
    assert!(server.requests()[0].find("\"reason\":") < server.requests()[0].find("\"ok\":"));
}

/// Returns a conversation with every kind of block.
fn conversation() -> Request {
    let input = json!({"command": "ls"}).as_object().cloned().expect("an object");
    let answer = vec![
        Block::Thinking { text: "hm".into(), signature: "sig".into() },
        Block::RedactedThinking { data: "xyz".into() },
        Block::Other(json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}})),
        Block::ToolUse { id: "t1".into(), name: "Bash".into(), input },
    ];
    let result = Block::ToolResult {
        tool_use_id: "t1".into(),
        content: vec![Block::Text("denied".into())],
        is_error: true,
    };
    Request {
        system: Some("Be brief.".into()),
        messages: vec![
            Message::user("Go"),
            Message { role: Role::Assistant, content: answer },
            Message { role: Role::User, content: vec![result, Block::Text("Go on".into())] },
        ],
        tools: vec![ToolSpec {
            name: "Bash".into(),
            description: "Runs".into(),
            input_schema: json!({"type": "object"}),
        }],
        tool_choice: ToolChoice::Any,
        temperature: Some(0.2),
        stop: vec!["END".into()],
        caching: PromptCaching::Conversation,
        max_tokens: 99,
        ..Request::default()
    }
}

/// Returns the same conversation in the API's format.
fn conversation_on_the_wire() -> Value {
    let mark = json!({"type": "ephemeral"});
    json!({
        "model": "claude-sonnet-5-5",
        "max_tokens": 99,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": mark}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Go"}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "sig"},
                {"type": "redacted_thinking", "data": "xyz"},
                {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "denied"}], "is_error": true},
                {"type": "text", "text": "Go on", "cache_control": mark},
            ]},
        ],
        "tools": [{"name": "Bash", "description": "Runs", "input_schema": {"type": "object"}}],
        "tool_choice": {"type": "any"},
        "temperature": 0.2,
        "stop_sequences": ["END"],
        "stream": true,
    })
}

// rule: H8
#[tokio::test]
async fn a_whole_conversation_with_tools_is_sent_as_the_api_writes_it() {
    let server = Server::start(vec![served("anthropic/tool_use.sse")]).await;
    ask(&model_named(&server, "claude-sonnet-5-5"), &conversation()).await.expect("an answer");
    assert_eq!(server.body(0), conversation_on_the_wire());
}

#[tokio::test]
async fn the_address_may_be_written_in_every_usual_way() {
    let server = Server::start(vec![served("anthropic/text.sse")]).await;
    let cases = [
        ("", "/v1/messages"),
        ("/", "/v1/messages"),
        ("/v1", "/v1/messages"),
        ("/v1/", "/v1/messages"),
        ("/v1/messages", "/v1/messages"),
        ("/proxy/anthropic", "/proxy/anthropic/v1/messages"),
        ("/proxy/v1/?team=7", "/proxy/v1/messages?team=7"),
    ];
    for (index, (path, expected)) in cases.into_iter().enumerate() {
        let model =
            model_named(&server, "m").with_base_url(&format!("{}{path}", server.url())).expect("a URL");
        ask(&model, &Request::user("?")).await.expect("an answer");
        let line = server.requests()[index].lines().next().map(str::to_owned);
        assert_eq!(line, Some(format!("POST {expected} HTTP/1.1")), "{path}");
    }
    for wrong in ["", "localhost:80", "ftp://host", "/v1", "https://"] {
        let error = model_named(&server, "m").with_base_url(wrong).expect_err(wrong);
        assert_eq!(variant(&error), "Setup", "{error}");
    }
}

#[tokio::test]
async fn keys_and_versions_are_sent_as_headers() {
    let server = Server::start(vec![served("anthropic/text.sse")]).await;
    let secret = || Secret::new(KEY);
    let expected = [
        (Credential::ApiKey(secret()), vec![format!("x-api-key: {KEY}")]),
        (Credential::Bearer(secret()), vec![format!("authorization: Bearer {KEY}")]),
        (Credential::None, vec![]),
    ];
    for (index, (credential, lines)) in expected.into_iter().enumerate() {
        let model = Anthropic::new(http(), "m", &credential).expect("a model");
        let model = model.with_base_url(&server.url()).expect("a URL");
        let model = model.with_header("anthropic-beta", "context-1m").expect("a header");
        ask(&model, &Request::user("?")).await.expect("an answer");
        let request = &server.requests()[index];
        for line in lines
            .iter()
            .map(String::as_str)
            .chain(["anthropic-version: 2023-06-01", "anthropic-beta: context-1m"])
        {
            assert!(request.contains(line), "{line} is not in {request}");
        }
        assert_eq!(request.matches(KEY).count(), lines.len(), "{request}");
    }
    let broken = Credential::ApiKey(Secret::new("two\nlines"));
    let error = Anthropic::new(http(), "m", &broken).expect_err("no header");
    assert!(!format!("{error:?} {error}").contains("two"), "{error}");
}

// rule: H7
#[tokio::test]
async fn a_refused_setting_is_given_up_once_and_remembered() {
    let server = Server::start(vec![
        refused("\"thinking.type.disabled\" is not supported for this model"),
        refused("output_config: Extra inputs are not permitted"),
        served("anthropic/forced_tool.sse"),
    ])
    .await;
    let model = model_named(&server, "claude-of-the-future");
    for _ in 0..2 {
        let answer = ask(&model, &judgement()).await.expect("an answer");
        assert_eq!(answer.text(), r#"{"reason":"it deletes","ok":false}"#);
        assert_eq!(answer.stop, StopReason::EndTurn);
        assert_eq!(answer.tool_uses().count(), 0);
    }
    assert_eq!(server.requests().len(), 4);
    assert_eq!(server.body(0)["thinking"], json!({"type": "disabled"}));
    assert_eq!(server.body(1)["thinking"], Value::Null);
    for index in [2, 3] {
        let body = server.body(index);
        assert_eq!(body["output_config"], json!({"effort": "low"}));
        assert_eq!(body["tool_choice"], json!({"type": "tool", "name": "verdict"}));
        assert_eq!(body["tools"][0]["input_schema"], judge::verdict_schema(false));
    }
}

// rule: O10
#[tokio::test]
async fn a_refusal_about_anything_else_stands() {
    let server = Server::start(vec![refused("messages: roles must alternate")]).await;
    let error = ask(&model_named(&server, "claude-haiku-5-5"), &judgement()).await.expect_err("an error");
    assert_eq!((variant(&error).as_str(), server.requests().len()), ("BadRequest", 1));
    let server = Server::start(vec![refused("thinking, output_config and tool_choice are all wrong")]).await;
    let error = ask(&model_named(&server, "claude-haiku-5-5"), &judgement()).await.expect_err("an error");
    assert_eq!((variant(&error).as_str(), server.requests().len()), ("BadRequest", 4));
}

#[tokio::test]
async fn the_host_may_say_how_structured_output_is_asked_for() {
    let server = Server::start(vec![served("anthropic/forced_tool.sse")]).await;
    let model = |way| model_named(&server, "m").with_structured_output(way);
    let forced = ask(&model(StructuredOutput::ForcedTool), &judgement()).await.expect("an answer");
    assert_eq!(forced.text(), r#"{"reason":"it deletes","ok":false}"#);
    assert_eq!(server.body(0)["tool_choice"]["name"], "verdict");

    let unsupported = model(StructuredOutput::Unsupported);
    assert!(!unsupported.capabilities().json_schema);
    ask(&unsupported, &judgement()).await.expect("an answer");
    assert_eq!((&server.body(1)["output_config"], &server.body(1)["tools"]), (&Value::Null, &Value::Null));

    let server = Server::start(vec![refused("output_config: unknown")]).await;
    let native = model_named(&server, "m").with_structured_output(StructuredOutput::Native);
    ask(&native, &judgement()).await.expect_err("an error");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_answer_may_be_asked_for_in_one_piece() {
    let server = Server::start(vec![served("anthropic/whole.json")]).await;
    let model = model_named(&server, "m").without_streaming();
    let answer = ask(&model, &Request::user("?")).await.expect("an answer");
    assert_eq!((answer.text().as_str(), answer.id.as_str()), ("Whole.", "msg_02"));
    assert_eq!(server.body(0)["stream"], Value::Null);
}
