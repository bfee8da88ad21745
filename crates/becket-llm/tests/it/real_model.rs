//! A real local model: the protocol is that of a real llama.cpp, not our idea of it.
//!
//! `cargo xtask test` installs the model and passes its address. The model is tiny: only the shape of its answers is
//! checked, never their content.

#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use crate::support::http;
use becket_llm::{
    Anthropic, Credential, Endpoint, Genai, Model, ModelError, Output, Request, Response, StopReason,
    StructuredOutput, Thinking, ToolSpec, judge,
};
use becket_testkit::real_model::ModelServer;
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// The timeout for a tiny model on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(240);

/// The server, and the two ways to talk to it.
struct Small(ModelServer);

impl Small {
    fn start() -> Option<Self> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/serve.py");
        ModelServer::start(Path::new(script)).map(Self)
    }

    fn other(&self) -> Genai {
        Genai::new(http(), "openai", "small", &Endpoint::at(format!("{}/v1", self.0.url()))).expect("a model")
    }

    fn native(&self) -> Anthropic {
        let model = Anthropic::new(http(), "small", &Credential::None).expect("a model");
        model
            .with_base_url(self.0.url())
            .expect("a URL")
            .with_structured_output(StructuredOutput::Unsupported)
    }
}

async fn ask(model: &dyn Model, request: &Request) -> Response {
    let answer = tokio::time::timeout(PATIENCE, model.respond(request)).await.expect("an answer in time");
    answer.unwrap_or_else(|error| panic!("{error}"))
}

fn judgement(max_tokens: u32) -> Request {
    Request {
        system: Some("You judge commands. Answer in JSON: a short reason, then ok.".into()),
        thinking: Thinking::Off,
        temperature: Some(0.0),
        max_tokens,
        output: Output::Json { name: "verdict".into(), schema: judge::verdict_schema(false) },
        ..Request::user("May `ls` run? Be very brief.")
    }
}

// rules: H7, H8
#[tokio::test]
async fn a_real_model_answers_in_the_shape_that_was_asked_for() {
    let Some(serving) = Small::start() else { return };
    let other = serving.other();

    let answer = ask(&other, &judgement(300)).await;
    assert!(answer.usage.input_tokens + answer.usage.cache_read > 10, "{answer:?}");
    assert!((5..=300).contains(&answer.usage.output_tokens), "{answer:?}");
    if answer.stop == StopReason::EndTurn {
        let text = answer.text();
        judge::read_verdict(&text).unwrap_or_else(|error| panic!("{error}"));
        assert!(text.find("\"reason\"") < text.find("\"ok\""), "{text}");
    }

    let cut = ask(&other, &judgement(4)).await;
    assert_eq!((&cut.stop, cut.usage.output_tokens), (&StopReason::MaxTokens, 4));
    judge::read_verdict(&cut.text()).expect_err("half an answer");

    let input_schema = json!({
        "type": "object",
        "properties": {"command": {"type": "string", "maxLength": 30}},
        "required": ["command"],
        "additionalProperties": false,
    });
    let tool = ToolSpec { name: "Bash".into(), description: "runs a command".into(), input_schema };
    let mut request = judgement(300);
    request.output = Output::Json { name: "step".into(), schema: judge::tool_request_schema(&[tool]) };
    let step = ask(&other, &request).await;
    if step.stop == StopReason::EndTurn {
        match judge::read_tool_request(&step.text()).unwrap_or_else(|error| panic!("{error}")) {
            judge::ToolRequest::Call { tool, input } => {
                assert_eq!((tool.as_str(), input["command"].is_string()), ("Bash", true));
            }
            judge::ToolRequest::Verdict(_) => {}
        }
    }
}

// rule: H7
#[tokio::test]
async fn a_real_server_of_the_messages_api_is_understood() {
    let Some(serving) = Small::start() else { return };
    for model in [serving.native(), serving.native().without_streaming()] {
        let request = Request { temperature: Some(0.0), max_tokens: 24, ..Request::user("Say hello.") };
        let answer = ask(&model, &request).await;
        assert!(!answer.text().is_empty() && !answer.id.is_empty(), "{answer:?}");
        assert!(matches!(answer.stop, StopReason::EndTurn | StopReason::MaxTokens), "{answer:?}");
        assert!(answer.usage.input_tokens + answer.usage.cache_read > 5, "{answer:?}");
        assert!((1..=24).contains(&answer.usage.output_tokens), "{answer:?}");

        let cut = ask(&model, &Request { max_tokens: 2, ..request.clone() }).await;
        assert_eq!((&cut.stop, cut.usage.output_tokens), (&StopReason::MaxTokens, 2));
    }

    let wrong = serving.native().with_base_url(&format!("{}/nowhere", serving.0.url())).expect("a URL");
    let error = wrong.respond(&Request::user("?")).await.expect_err("no such path");
    assert!(matches!(error, ModelError::NotFound { .. }), "{error}");
}
