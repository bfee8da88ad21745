//! A prompt hook from the settings to the verdict, with a real model behind it (H7).
//!
//! `cargo xtask test` brings the model and says where it is; without it nothing is tested here. The model is tiny: that
//! an answer came, was counted, and was either read or told of is looked at, never its sense.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;
mod models;

use becket_llm::{Endpoint, HttpOptions, Providers};
use common::{Project, bash, fire};
use models::{hook, prompt_hook, with};
use serde_json::json;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

#[expect(clippy::disallowed_methods, reason = "where the model is, is said from outside")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// A server of the model; it ends when its standard input does, and at the latest with this value.
struct Serving {
    child: Child,
    url: String,
}

impl Serving {
    fn start() -> Option<Self> {
        let python = variable("BECKET_TEST_MODEL_PYTHON")?;
        let gguf = variable("BECKET_TEST_MODEL_GGUF")?;
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../becket-llm/tests/fixtures/serve.py");
        let mut child = Command::new(python)
            .arg("-I")
            .arg(script)
            .arg(gguf)
            .env("OMP_WAIT_POLICY", "passive")
            .env("OMP_NUM_THREADS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        let mut serving = Serving { child, url: String::new() };
        let lines = BufReader::new(stdout).lines().map_while(Result::ok);
        let port = lines.filter_map(|line| line.strip_prefix("PORT ").map(str::to_owned)).next();
        serving.url = format!("http://127.0.0.1:{}/v1", port.unwrap());
        Some(serving)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_real_model_judges_a_tool_call() {
    // rules: H7, O10
    let Some(serving) = Serving::start() else {
        println!("SKIPPED: no hook was judged by a real model; `cargo xtask test` brings one");
        return;
    };
    let endpoint = Endpoint::at(&serving.url);
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
        // A tiny model may find no end; then that is what is told.
        Some(failure) => assert!(failure.to_string().contains("cut off"), "{failure}: {text}"),
        None => {
            let verdict = becket_llm::judge::read_verdict(&text).unwrap();
            assert_eq!(outcome.verdict.blocks(), !verdict.ok, "{outcome:?}");
        }
    }
}
