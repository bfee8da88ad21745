//! An editor that drives an agent over ACP, through the proxy.

use becket_proof::{Launch, Scratch};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The programs and the limit of one session.
pub(super) struct EditorRun<'a> {
    pub(super) becket: &'a Path,
    pub(super) agent: &'a Path,
    pub(super) search_path: &'a str,
    pub(super) scratch: Scratch<'a>,
    /// The directory for the log of the proxy.
    pub(super) output: &'a Path,
    pub(super) limit: Duration,
    /// The kind of option that the editor's user selects.
    pub(super) choice: &'static str,
}

/// A session with the proxy.
struct Editor {
    proxy: Child,
    to: Option<ChildStdin>,
    from: Receiver<String>,
    deadline: Instant,
    choice: &'static str,
    next: u64,
    /// The questions to the user.
    asked: Vec<Value>,
}

impl EditorRun<'_> {
    /// Gives the agent the prompts, one after the other, and ends the session; returns the questions to the user.
    ///
    /// # Errors
    /// Errors if the proxy can't be started, ends early, or does not answer within the limit.
    pub(super) fn run(&self, launch: &Launch, prompts: &[&str]) -> Result<Vec<Value>, String> {
        let mut editor = self.start(launch)?;
        let capabilities = json!({"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false});
        editor.request("initialize", &json!({"protocolVersion": 1, "clientCapabilities": capabilities}))?;
        let opened =
            editor.request("session/new", &json!({"cwd": self.scratch.project, "mcpServers": []}))?;
        let session = opened["sessionId"].clone();
        for prompt in prompts {
            let content = json!([{"type": "text", "text": prompt}]);
            editor.request("session/prompt", &json!({"sessionId": session, "prompt": content}))?;
        }
        editor.end()
    }

    fn start(&self, launch: &Launch) -> Result<Editor, String> {
        let log = File::create(self.output.join("stderr")).map_err(|error| error.to_string())?;
        let mut command = Command::new(self.becket);
        command.args(["acp", "--"]).arg(self.agent).args(&launch.arguments).current_dir(self.scratch.project);
        command.env_clear().envs(self.scratch.environment(self.search_path));
        command.envs(launch.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        let mut proxy = command.spawn().map_err(|error| format!("can't start the proxy: {error}"))?;
        let (to, stdout) = (proxy.stdin.take(), proxy.stdout.take().ok_or("no stdout")?);
        let (sender, from) = channel();
        thread::spawn(move || {
            BufReader::new(stdout).lines().map_while(Result::ok).all(|line| sender.send(line).is_ok())
        });
        let deadline = Instant::now() + self.limit;
        Ok(Editor { proxy, to, from, deadline, choice: self.choice, next: 0, asked: Vec::new() })
    }
}

impl Editor {
    /// Sends a request and waits for its response; answers requests of the agent meanwhile.
    fn request(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let message = self.receive().map_err(|error| format!("{method}: {error}"))?;
            if message.get("method").is_some() {
                self.answer(&message)?;
            } else if message["id"] == json!(id) {
                return match message.get("error") {
                    Some(error) => Err(format!("{method}: {error}")),
                    None => Ok(message["result"].clone()),
                };
            }
        }
    }

    fn answer(&mut self, request: &Value) -> Result<(), String> {
        let Some(id) = request.get("id") else { return Ok(()) };
        let response = if request["method"] == "session/request_permission" {
            self.asked.push(request["params"].clone());
            let options = request["params"]["options"].as_array();
            let chosen = options.into_iter().flatten().find(|option| option["kind"] == self.choice);
            let option = &chosen.ok_or_else(|| format!("no option {}: {request}", self.choice))?["optionId"];
            json!({"jsonrpc": "2.0", "id": id, "result": {"outcome": {"outcome": "selected", "optionId": option}}})
        } else {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "not offered"}})
        };
        self.send(&response)
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let to = self.to.as_mut().ok_or("the session has ended")?;
        writeln!(to, "{message}").map_err(|error| format!("the proxy reads nothing: {error}"))
    }

    fn receive(&mut self) -> Result<Value, String> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let line = self.from.recv_timeout(left).map_err(|error| format!("no answer: {error}"))?;
        serde_json::from_str(&line).map_err(|error| format!("{error}: {line}"))
    }

    /// Closes the connection and waits for the end of the proxy.
    fn end(mut self) -> Result<Vec<Value>, String> {
        self.to = None;
        while self.receive().is_ok() {}
        self.proxy.wait().map_err(|error| error.to_string())?;
        Ok(std::mem::take(&mut self.asked))
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // It has already ended, unless the session failed.
        let _ = self.proxy.kill();
        drop(self.proxy.wait());
    }
}
