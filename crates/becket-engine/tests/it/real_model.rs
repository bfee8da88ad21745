//! A prompt hook from the settings to the verdict, with a real model behind it (H7).
//!
//! `cargo xtask test` provides the model and its path; without it nothing is tested here. The model is tiny: the test
//! checks that an answer came, was counted, and was either read or reported, never its content.

use crate::common::{Project, bash, fire};
use crate::models::{hook, prompt_hook, with};
use becket_llm::{Endpoint, HttpOptions, Providers};
use becket_testkit::real_model::ModelServer;
use serde_json::json;
use std::path::Path;

#[test]
fn a_real_model_judges_a_tool_call() {
    // rules: H7, O10
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../becket-llm/tests/fixtures/serve.py");
    let Some(serving) = ModelServer::start(Path::new(script)) else { return };
    let endpoint = Endpoint::at(format!("{}/v1", serving.url()));
    let models = Providers::new(HttpOptions::default())
        .with_endpoint("openai", endpoint)
        .with_default("openai::small");
    let hooked = with(prompt_hook("Does this call only list files? $ARGUMENTS"), json!({"timeout": 240}));
    let project = Project::with(hook("PreToolUse", hooked));
    let engine = project.builder().models(models).build().unwrap();
    let outcome = fire(&engine, &project.event(bash("ls")));
    let run = &outcome.runs[0];
    let usage = run.usage.as_ref().unwrap();
    assert!(usage.usage.output_tokens > 4 && usage.requests == 1, "{outcome:?}");
    let text = String::from_utf8_lossy(&run.stdout);
    match &run.failure {
        // A tiny model may not finish; then that is reported.
        Some(failure) => assert!(failure.to_string().contains("cut off"), "{failure}: {text}"),
        None => {
            let verdict = becket_llm::judge::read_verdict(&text).unwrap();
            assert_eq!(outcome.verdict.blocks(), !verdict.ok, "{outcome:?}");
        }
    }
}
