//! The results of a run, in a form that a case can name.
//!
//! A request is shown as lines, one for each block:
//!
//! | line | block |
//! |---|---|
//! | `user: …`, `assistant: …` | text |
//! | `reminder: …` | text for the model in addition to the conversation, without its tags |
//! | `call ID NAME INPUT` | a call, its input as compact JSON |
//! | `result ID: …`, `error ID: …` | the answer to a call; one line for each block of text |
//! | `thinking: …`, `block: …` | a thought; anything else, as JSON |

use becket_testkit::env::{ProgramOutput, TestEnv};
use becket_testkit::messages_api::Server;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The results of a run, with `[ROOT]` in place of its path.
#[derive(Debug)]
pub(crate) struct RunRecord {
    pub(crate) ended: ProgramOutput,
    /// The lines of stdout, if it consists of JSON lines.
    pub(crate) lines: Vec<Value>,
    /// The records of hooks: `{"hook", "input"}`, in the order in which they started.
    pub(crate) hooks: Vec<Value>,
    /// The requests as lines.
    pub(crate) told: Vec<Vec<String>>,
    /// The requests as received.
    pub(crate) requests: Vec<Value>,
    /// The requests that the API would have rejected.
    pub(crate) wrongs: Vec<String>,
    /// The number of turns that were not requested.
    pub(crate) left: usize,
    /// The lines of the session's transcript.
    pub(crate) transcript: Vec<Value>,
}

impl RunRecord {
    /// Collects the results.
    pub(crate) fn new(env: &TestEnv, ended: ProgramOutput, server: &Server, told: &Path) -> Self {
        let read =
            |text: &str| -> Vec<Value> { text.lines().map(|line| json(&env.redacted(line))).collect() };
        let recorded = fs::read_to_string(told).unwrap_or_default();
        let requests: Vec<Value> =
            server.requests().iter().map(|body| json(&env.redacted(&body.to_string()))).collect();
        let lines = if ended.stdout.starts_with('{') { read(&ended.stdout) } else { Vec::new() };
        let session = lines.iter().rev().find_map(|line| line["session_id"].as_str());
        let transcript = session.and_then(|session| transcript(env.root(), session)).unwrap_or_default();
        Self {
            hooks: read(&recorded),
            told: requests.iter().map(shown).collect(),
            requests,
            lines,
            wrongs: server.wrongs().iter().map(|wrong| env.redacted(wrong)).collect(),
            left: server.remaining_turns(),
            transcript: read(&transcript),
            ended: ProgramOutput {
                stdout: env.redacted(&ended.stdout),
                stderr: env.redacted(&ended.stderr),
                code: ended.code,
            },
        }
    }

    /// Returns the texts of notices to the user.
    pub(crate) fn notices(&self) -> Vec<&str> {
        let notices = self.lines.iter().filter(|line| line["subtype"] == "informational");
        notices.filter_map(|line| line["content"].as_str()).collect()
    }

    /// Returns the last result.
    pub(crate) fn result(&self) -> &Value {
        self.lines.iter().rev().find(|line| line["type"] == "result").unwrap_or(&Value::Null)
    }

    /// Returns the names of the events of the hooks that ran.
    pub(crate) fn events(&self) -> Vec<&str> {
        self.hooks.iter().filter_map(|record| record["input"]["hook_event_name"].as_str()).collect()
    }
}

/// Parses JSON. Other text is returned as a string.
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// Returns the transcript of a session, in whichever project directory it is.
fn transcript(root: &Path, session: &str) -> Option<String> {
    let projects = fs::read_dir(root.join("home/.claude/projects")).ok()?;
    let mut files = projects.flatten().map(|project| project.path().join(format!("{session}.jsonl")));
    files.find_map(|file| fs::read_to_string(file).ok())
}

fn shown(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let blocks = |message: &Value| -> Vec<String> {
        let role = message["role"].as_str().unwrap_or_default();
        let content = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        content.iter().map(|block| line(role, block)).collect()
    };
    messages.iter().flat_map(blocks).collect()
}

fn line(role: &str, block: &Value) -> String {
    let text = |key: &str| block[key].as_str().unwrap_or_default();
    match text("type") {
        "text" => match untagged(text("text")) {
            Some(reminder) => format!("reminder: {reminder}"),
            None => format!("{role}: {}", text("text")),
        },
        "thinking" => format!("thinking: {}", text("thinking")),
        "tool_use" => format!("call {} {} {}", text("id"), text("name"), block["input"]),
        "tool_result" => {
            let kind = if block["is_error"] == true { "error" } else { "result" };
            let content = block["content"].as_array().map(Vec::as_slice).unwrap_or_default();
            let of = |inner: &Value| inner["text"].as_str().map_or_else(|| inner.to_string(), str::to_owned);
            let texts: Vec<String> = content.iter().map(of).collect();
            format!("{kind} {}: {}", text("tool_use_id"), texts.join("\n"))
        }
        _ => format!("block: {block}"),
    }
}

fn untagged(text: &str) -> Option<&str> {
    text.strip_prefix("<system-reminder>\n")?.strip_suffix("\n</system-reminder>")
}
