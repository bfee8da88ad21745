//! A scripted client.

use becket_testkit::env::TestEnv;
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// A time that is longer than anything here takes.
const LONG: Duration = Duration::from_secs(60);

/// One end of a connection.
pub(crate) struct Client {
    to: Option<Box<dyn Write + Send>>,
    lines: Receiver<Value>,
    seen: Vec<Value>,
    next: u64,
    /// The socket, if the client uses one.
    stream: Option<UnixStream>,
}

/// A client with its own becket.
pub(crate) struct OnStdio {
    pub(crate) child: Child,
    pub(crate) client: Client,
}

/// A becket that listens on a socket.
pub(crate) struct OnSocket {
    pub(crate) child: Child,
    pub(crate) path: PathBuf,
}

/// Starts a becket and communicates with it over stdio.
pub(crate) fn on_stdio(env: &TestEnv, arguments: &[&str], variables: &[(String, String)]) -> OnStdio {
    let run = env.becket([&["serve"], arguments].concat());
    let mut command = run.into_command();
    command.envs(variables.iter().cloned());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("becket starts");
    let to = child.stdin.take().expect("piped");
    let from = child.stdout.take().expect("piped");
    OnStdio { child, client: Client::new(to, from) }
}

/// Starts a becket that listens on a socket.
pub(crate) fn on_socket(env: &TestEnv, arguments: &[&str]) -> OnSocket {
    on_socket_with(env, arguments, &[])
}

/// Starts a becket that listens on a socket, with additional variables.
pub(crate) fn on_socket_with(
    env: &TestEnv,
    arguments: &[&str],
    variables: &[(&'static str, &'static str)],
) -> OnSocket {
    let path = env.root().join("run/becket.sock");
    let start = ["serve", "--socket", path.to_str().expect("text")];
    let mut command = env.becket([&start, arguments].concat()).into_command();
    command.envs(variables.iter().copied());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().expect("becket starts");
    assert!(wait_until(|| UnixStream::connect(&path).is_ok()), "it listens");
    OnSocket { child, path }
}

impl OnSocket {
    /// Opens a connection.
    pub(crate) fn stream(&self) -> UnixStream {
        UnixStream::connect(&self.path).expect("it listens")
    }

    /// Returns an initialized client.
    pub(crate) fn client(&self) -> Client {
        let stream = self.stream();
        let other = || stream.try_clone().expect("it can be cloned");
        let mut client = Client::new(other(), other());
        client.initialize();
        client.stream = Some(stream);
        client
    }
}

impl OnStdio {
    /// Initializes the client.
    pub(crate) fn initialized(mut self) -> Self {
        self.client.initialize();
        self
    }

    /// Closes the input and waits for the end; returns the exit code.
    pub(crate) fn ends(mut self) -> Option<i32> {
        self.client.hangs_up();
        self.child.wait().expect("it ends").code()
    }
}

impl Client {
    pub(crate) fn new(to: impl Write + Send + 'static, from: impl Read + Send + 'static) -> Self {
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(from).lines().map_while(Result::ok) {
                let line = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Client { to: Some(Box::new(to)), lines, seen: Vec::new(), next: 0, stream: None }
    }

    fn initialize(&mut self) {
        assert_eq!(self.asks("initialize", json!({"protocol": 1}))["protocol"], 1);
    }

    /// Writes bytes unchanged; a becket that has ended reads nothing.
    pub(crate) fn writes(&mut self, bytes: &[u8]) {
        let to = self.to.as_mut().expect("it is open");
        drop(to.write_all(bytes).and_then(|()| to.flush()));
    }

    pub(crate) fn line(&mut self, line: &Value) {
        self.writes(format!("{line}\n").as_bytes());
    }

    /// Sends a request; returns its id.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        self.line(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.next
    }

    /// Sends a request and returns its result.
    pub(crate) fn asks(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.result_of(id)
    }

    /// Sends a request and returns the kind and the message of its error.
    pub(crate) fn fails(&mut self, method: &str, params: Value) -> (String, String) {
        let id = self.request(method, params);
        fault(&self.answer_to(id))
    }

    pub(crate) fn result_of(&mut self, id: u64) -> Value {
        let answer = self.answer_to(id);
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    pub(crate) fn answer_to(&mut self, id: u64) -> Value {
        self.until(|line| line.get("method").is_none() && line["id"] == id)
    }

    /// Returns true if a request has been answered by now.
    pub(crate) fn has_come(&mut self, id: u64) -> bool {
        self.seen.extend(self.lines.try_iter());
        self.seen.iter().any(|line| line.get("method").is_none() && line["id"] == id)
    }

    /// Waits for a request or a notification with this method.
    pub(crate) fn asked(&mut self, method: &str) -> Value {
        self.until(|line| line["method"] == method)
    }

    /// Answers a request.
    pub(crate) fn answers(&mut self, asked: &Value, result: Value) {
        self.line(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}));
    }

    /// Waits for a matching line: the first among those that have arrived and not been waited for.
    pub(crate) fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.seen.iter().position(&is_it) {
            return self.seen.remove(at);
        }
        loop {
            let Ok(line) = self.lines.recv_timeout(LONG) else {
                panic!("that line did not come: {:#?}", self.seen);
            };
            if is_it(&line) {
                return line;
            }
            self.seen.push(line);
        }
    }

    /// Returns all lines until becket closes its end.
    pub(crate) fn rest(&mut self) -> Vec<Value> {
        let mut rest = std::mem::take(&mut self.seen);
        loop {
            match self.lines.recv_timeout(LONG) {
                Ok(line) => rest.push(line),
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return rest,
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("it does not end: {rest:#?}"),
            }
        }
    }

    /// Closes the input.
    pub(crate) fn hangs_up(&mut self) {
        drop(self.to.take());
    }

    /// Closes everything, as the system does for a killed process.
    pub(crate) fn dies(mut self) {
        if let Some(stream) = self.stream.take() {
            drop(stream.shutdown(Shutdown::Both));
        }
    }

    /// Opens a session in a project.
    pub(crate) fn opens(&mut self, start: &Path, id: &str, more: Value) -> Value {
        let mut params = json!({"start": start, "session": id});
        for (name, value) in more.as_object().expect("an object") {
            params[name] = value.clone();
        }
        self.asks("session/open", params)
    }
}

/// Returns the kind and the message of an error.
pub(crate) fn fault(answer: &Value) -> (String, String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    assert!(answer["error"]["code"].is_i64(), "{answer}");
    (text(&answer["error"]["data"]["kind"]), text(&answer["error"]["message"]))
}

impl Drop for OnStdio {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Drop for OnSocket {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
