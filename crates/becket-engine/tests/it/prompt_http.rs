//! Prompt handlers against a server on the loopback that answers well, badly, late or never (H7, O10, S3).
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::common::{Project, bash, block_on};
use crate::models::{Server, failure, hook, overloaded, prompt_hook, refusal, sse, with};
use becket_engine::Outcome;
use becket_llm::{Credential, Endpoint, HttpOptions, Models, Providers, Secret};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const KEY: &str = "sk-ant-secret-0123456789";

/// The models of a server on this machine.
fn served(server: &Server) -> impl Models + use<> {
    let key = Credential::ApiKey(Secret::new(KEY));
    let endpoint = Endpoint::at(server.url.clone()).credential(key);
    Providers::new(HttpOptions::default()).with_endpoint("anthropic", endpoint).with_default("claude-test")
}

/// Fires a hook whose model is served with these answers; returns the outcome, the number of requests and all messages.
async fn over_http(answers: Vec<String>, handler: Value) -> (Outcome, usize, String) {
    let server = Server::start(answers).await;
    let project = Project::with(hook("PreToolUse", handler));
    let told = Arc::new(Mutex::new(String::new()));
    let heard = told.clone();
    let observe =
        move |event: &becket_engine::RunEvent| heard.lock().unwrap().push_str(&format!("{event:?}\n"));
    let engine = project.builder().models(served(&server)).observe(observe).build().unwrap();
    let outcome = engine.fire(&project.event(bash("ls"))).await;
    let told = format!(
        "{}{outcome:?}{}",
        told.lock().unwrap(),
        outcome.verdict.failures.iter().map(|said| said.what.to_string()).collect::<String>()
    );
    assert!(server.requests.lock().unwrap()[0].contains(KEY), "the key is sent");
    (outcome, server.asked(), told)
}

#[test]
fn a_real_server_is_asked_and_answers() {
    // rule: H7
    let (outcome, asked, _) =
        block_on(over_http(vec![sse(r#"{"reason":"no","ok":false}"#)], prompt_hook("fine?")));
    assert!(outcome.verdict.blocks(), "{outcome:?}");
    assert_eq!(asked, 1);
    let usage = outcome.runs[0].usage.clone().unwrap();
    assert_eq!((usage.usage.input_tokens, usage.usage.output_tokens, usage.cost_usd), (11, 7, None));
}

#[test]
fn no_error_of_a_server_is_an_answer_and_none_shows_the_key() {
    // rules: O10, S3, H7
    let no = || sse(r#"{"reason":"no","ok":false}"#);
    let echo = refusal(401, "", &format!("invalid x-api-key: {KEY}"));
    let wait = |seconds: &str| refusal(429, &format!("retry-after: {seconds}\r\n"), "slow down");
    let hang = with(prompt_hook("fine?"), json!({"timeout": 2}));
    for (what, answers, handler, says, requests) in [
        ("401", vec![echo, no()], prompt_hook("fine?"), Some("refused the key"), 1),
        ("429, a moment", vec![wait("0"), no()], prompt_hook("fine?"), None, 2),
        ("429, too long", vec![wait("3600"), no()], prompt_hook("fine?"), Some("too long"), 1),
        ("529 once", vec![overloaded(), no()], prompt_hook("fine?"), None, 2),
        ("529 twice", vec![overloaded(), overloaded(), no()], prompt_hook("fine?"), Some("asked twice"), 2),
        ("prose", vec![sse("Fine by me.")], prompt_hook("fine?"), Some("prose"), 1),
        ("nothing", vec![sse("")], prompt_hook("fine?"), Some("answered nothing"), 1),
        ("never", vec![String::new()], hang, Some("ran out of time"), 1),
    ] {
        let started = Instant::now();
        let (outcome, asked, told) = block_on(over_http(answers, handler));
        assert_eq!(asked, requests, "{what}: {outcome:?}");
        assert_eq!(outcome.verdict.blocks(), says.is_none(), "{what}: {outcome:?}");
        if let Some(says) = says {
            assert!(failure(&outcome).contains(says), "{what}: {}", failure(&outcome));
        }
        assert!(!told.contains(KEY) && !told.contains("0123456789"), "{what}: {told}");
        assert!(started.elapsed() < Duration::from_secs(20), "{what}");
    }
}
