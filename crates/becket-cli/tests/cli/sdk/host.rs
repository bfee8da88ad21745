//! A host with its own implementation of the control protocol.

use becket_testkit::env::TestEnv;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// A time that is longer than anything here takes.
const LONG: Duration = Duration::from_secs(60);

/// A run that a host drives.
pub(crate) struct Host {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    /// All lines that have been read.
    pub(crate) seen: Vec<Value>,
    next: u32,
}

impl Host {
    /// Starts a run as SDKs do, with additional arguments.
    pub(crate) fn start(env: &TestEnv, arguments: &[&str]) -> Self {
        Self::with_env(env, arguments, &[])
    }

    /// Starts a run with variables.
    pub(crate) fn with_env(env: &TestEnv, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let formats = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];
        let own: &[&str] = match arguments.contains(&"--model") {
            true => &["--managed-dir"],
            false => &["--model", "script:script.json", "--managed-dir"],
        };
        let own = own.iter().map(ToString::to_string);
        let managed = env.root().join("managed").display().to_string();
        let all = formats.iter().map(ToString::to_string).chain(own).chain([managed]);
        let mut run = env.bare(all.chain(arguments.iter().map(ToString::to_string)));
        for (name, value) in variables {
            run = run.env(name, value);
        }
        let mut command = run.into_command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("becket starts");
        let (to, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let line = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                if to.send(line).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Host { child, stdin, lines, seen: Vec::new(), next: 0 }
    }

    /// Starts a run and initializes it; returns once it has answered.
    pub(crate) fn initialized(env: &TestEnv, arguments: &[&str], wants: Value) -> Self {
        let mut host = Self::start(env, arguments);
        let answer = host.asks("initialize", wants);
        assert_eq!(answer["subtype"], "success", "{answer}");
        host
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("it is open");
        // A run that has ended reads nothing.
        drop(writeln!(stdin, "{line}"));
    }

    /// Writes a message of the user.
    pub(crate) fn prompt(&mut self, text: &str) {
        self.line(&json!({"type": "user", "message": {"role": "user", "content": text}}).to_string());
    }

    /// Sends a request; returns its id.
    pub(crate) fn request(&mut self, subtype: &str, fields: Value) -> String {
        self.next += 1;
        let id = format!("req_{}", self.next);
        let mut request = fields;
        request["subtype"] = json!(subtype);
        self.line(&json!({"type": "control_request", "request_id": id, "request": request}).to_string());
        id
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn asks(&mut self, subtype: &str, fields: Value) -> Value {
        let id = self.request(subtype, fields);
        self.answer_to(&id)
    }

    /// Waits for the answer to a request.
    pub(crate) fn answer_to(&mut self, id: &str) -> Value {
        let is_it = |line: &Value| line["type"] == "control_response" && line["response"]["request_id"] == id;
        self.until(is_it)["response"].clone()
    }

    /// Waits for a request of this kind.
    pub(crate) fn asked(&mut self, subtype: &str) -> Value {
        self.until(|line| line["type"] == "control_request" && line["request"]["subtype"] == subtype)
    }

    /// Answers a request.
    pub(crate) fn answers(&mut self, asked: &Value, response: Value) {
        let response = json!({"subtype": "success", "request_id": asked["request_id"], "response": response});
        self.line(&json!({"type": "control_response", "response": response}).to_string());
    }

    /// Answers with an error.
    pub(crate) fn fails(&mut self, asked: &Value, why: &str) {
        let response = json!({"subtype": "error", "request_id": asked["request_id"], "error": why});
        self.line(&json!({"type": "control_response", "response": response}).to_string());
    }

    /// Waits for a line.
    pub(crate) fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let Ok(line) = self.lines.recv_timeout(LONG) else {
                panic!("that line did not come: {:#?}", self.seen);
            };
            self.seen.push(line.clone());
            if is_it(&line) {
                return line;
            }
        }
    }

    /// Waits for the result of a prompt.
    pub(crate) fn result(&mut self) -> Value {
        self.until(|line| line["type"] == "result")
    }

    /// Returns the process.
    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Closes stdin.
    pub(crate) fn hangs_up(&mut self) {
        drop(self.stdin.take());
    }

    /// Closes stdin and waits for the end; returns the exit code and stderr.
    pub(crate) fn ends(mut self) -> (Option<i32>, String) {
        self.hangs_up();
        let mut stderr = String::new();
        let from = self.child.stderr.take();
        std::io::Read::read_to_string(&mut from.expect("piped"), &mut stderr).expect("it is text");
        let code = self.child.wait().expect("it ends").code();
        self.seen.extend(self.lines.iter());
        (code, stderr)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Returns a matcher of `initialize` with one callback.
pub(crate) fn matcher(id: &str, more: Value) -> Value {
    let mut matcher = json!({"hookCallbackIds": [id]});
    for (key, value) in more.as_object().expect("an object") {
        matcher[key] = value.clone();
    }
    matcher
}
