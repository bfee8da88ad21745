//! The editor: it writes lines to the proxy, and reads the lines that come back.

use crate::workspace;
use agent_client_protocol::v1::schema::{PromptResponse, RequestPermissionRequest, SessionNotification};
use becket_testkit::env::TestEnv;
use becket_testkit::proc::{Marker, eventually};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A time limit that is long enough for any loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// An editor with a proxy and an agent.
pub(super) struct Editor {
    pub(super) proxy: Child,
    to: Option<ChildStdin>,
    from: Receiver<String>,
    pub(super) marker: Marker,
    log: std::path::PathBuf,
    next: u64,
    /// Updates of the session.
    pub(super) updates: Vec<Value>,
    /// Requests of the agent and the proxy, with the lines that they came in.
    pub(super) requests: Vec<(Value, String)>,
    /// The answer to permission requests: the kind of option that is selected; `None` cancels.
    pub(super) answers: Option<&'static str>,
}

impl Editor {
    /// Starts an editor in a project, with a session.
    pub(super) fn start(env: &TestEnv) -> Self {
        let mut editor = Editor::without_session(env, &[]);
        let opened = editor.request("session/new", &json!({"cwd": env.project(), "mcpServers": []}));
        assert_eq!(opened["result"]["sessionId"], "s1", "{opened}");
        editor
    }

    /// Starts an editor in a project, without a session.
    pub(super) fn without_session(env: &TestEnv, arguments: &[&str]) -> Self {
        let agent = workspace().join("crates/becket-cli/tests/cli/acp/agent.py");
        let agent = agent.to_string_lossy().into_owned();
        let log = env.root().join("agent.log");
        let all = ["acp"].into_iter().chain(arguments.iter().copied()).chain(["--", "python3", &agent]);
        let marker = Marker::new();
        let (name, value) = marker.env();
        let mut command = env.becket(all).env_os("LOG", &log).env(&name, &value).into_command();
        let stderr = std::fs::File::create(env.root().join("stderr")).expect("a log");
        let mut proxy =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr).spawn().expect("it starts");
        let stdout = BufReader::new(proxy.stdout.take().expect("piped"));
        let (sender, from) = channel();
        std::thread::spawn(move || {
            stdout.lines().map_while(Result::ok).all(|line| sender.send(line).is_ok())
        });
        let to = proxy.stdin.take();
        let mut editor = Editor {
            proxy,
            to,
            from,
            marker,
            log,
            next: 0,
            updates: Vec::new(),
            requests: Vec::new(),
            answers: None,
        };
        let capabilities = json!({"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": true});
        let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
        let hello = editor.request("initialize", &params);
        assert_eq!(hello["result"]["protocolVersion"], 1, "{hello}");
        editor
    }

    /// Writes a line unchanged.
    pub(super) fn send(&mut self, line: &str) {
        let to = self.to.as_mut().expect("it is open");
        to.write_all(line.as_bytes()).and_then(|()| to.write_all(b"\n")).expect("it is read");
    }

    /// Returns the next line.
    pub(super) fn line(&mut self) -> String {
        self.from.recv_timeout(PATIENCE).expect("a line")
    }

    /// Sends a request, and returns its answer; answers incoming requests meanwhile.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        self.answer_of(&json!(id))
    }

    /// Returns the answer to a request.
    pub(super) fn answer_of(&mut self, id: &Value) -> Value {
        loop {
            let line = self.line();
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
            match (message.get("method"), message.get("id")) {
                (None, Some(answered)) if answered == id => return message,
                (Some(_), None) => self.told(&message),
                (Some(_), Some(_)) => self.asked(message, line),
                (None, _) => panic!("an answer to nothing: {line}"),
            }
        }
    }

    fn told(&mut self, message: &Value) {
        if message["method"] == "session/update" {
            let update: Result<SessionNotification, _> = serde_json::from_value(message["params"].clone());
            assert!(update.is_ok(), "{update:?}: {message}");
        }
        self.updates.push(message["params"]["update"].clone());
    }

    /// Answers a request: an empty result for files and terminals, and `answers` for a permission.
    fn asked(&mut self, message: Value, line: String) {
        let id = message["id"].clone();
        let result = if message["method"] == "session/request_permission" {
            let asked: Result<RequestPermissionRequest, _> =
                serde_json::from_value(message["params"].clone());
            assert!(asked.is_ok(), "{asked:?}: {message}");
            let options = message["params"]["options"].as_array().expect("options");
            let selected = options.iter().find(|option| Some(option["kind"].as_str()) == Some(self.answers));
            match selected {
                Some(option) => json!({"outcome": {"outcome": "selected", "optionId": option["optionId"]}}),
                None => json!({"outcome": {"outcome": "cancelled"}}),
            }
        } else {
            json!({})
        };
        self.requests.push((message, line));
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
    }

    /// Sends a prompt, and returns its result.
    pub(super) fn prompt(&mut self, text: &str) -> Value {
        let blocks = json!([{"type": "text", "text": text}]);
        let answer = self.request("session/prompt", &json!({"sessionId": "s1", "prompt": blocks}));
        let read: Result<PromptResponse, _> = serde_json::from_value(answer["result"].clone());
        assert!(read.is_ok() || answer.get("error").is_some(), "{read:?}: {answer}");
        answer
    }

    /// Makes the agent send a request; returns the answer that the agent received.
    pub(super) fn agent_asks(&mut self, method: &str, params: &Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": "a1", "method": method, "params": params});
        let answer = self.prompt(&format!("ask {request}"));
        assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
        let said = self.said();
        let answer = said.iter().rev().find_map(|text| text.strip_prefix("answer ")).expect("an answer");
        serde_json::from_str(answer).expect("JSON")
    }

    /// Returns the texts of the agent.
    pub(super) fn said(&self) -> Vec<&str> {
        let texts = self.updates.iter().filter(|update| update["sessionUpdate"] == "agent_message_chunk");
        texts.filter_map(|update| update["content"]["text"].as_str()).collect()
    }

    /// Returns the lines that the agent received.
    pub(super) fn heard(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Closes the proxy's stdin; returns its exit code.
    pub(super) fn leave(&mut self) -> Option<i32> {
        drop(self.to.take());
        eventually("the proxy to exit", || self.proxy.try_wait().expect("a status")).code()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // A failed test must not leave the proxy running.
        let _ = self.proxy.kill();
        let _ = self.proxy.wait();
    }
}
