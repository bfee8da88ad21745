//! A client that writes its HTTP requests by hand.

use becket_testkit::env::TestEnv;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A time that is longer than anything here takes.
const LONG: Duration = Duration::from_secs(60);

/// A becket that listens on a port.
pub(crate) struct OnPort {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) token_file: PathBuf,
    pub(crate) token: String,
}

/// Starts a becket that listens on any port.
pub(crate) fn on_port(env: &TestEnv, arguments: &[&str], variables: &[(String, String)]) -> OnPort {
    let start = ["serve", "--http", "127.0.0.1:0"];
    let mut command = env.becket([&start, arguments].concat()).into_command();
    command.envs(variables.iter().cloned());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("becket starts");
    let mut line = String::new();
    let mut from = BufReader::new(child.stdout.take().expect("piped"));
    from.read_line(&mut line).expect("it says where it listens");
    let told: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let url = told["url"].as_str().expect("an address");
    let address = url.trim_start_matches("http://").trim_end_matches('/').parse().expect("an address");
    let token_file = PathBuf::from(told["token_file"].as_str().expect("a file"));
    let token = std::fs::read_to_string(&token_file).expect("it is there").trim().to_owned();
    OnPort { child, address, token_file, token }
}

impl Drop for OnPort {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) connection: Option<String>,
    pub(crate) body: String,
}

impl Answer {
    /// Returns the lines of the body.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.body.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
    }

    /// Returns the stable name of the error.
    pub(crate) fn kind(&self) -> String {
        self.lines()[0]["error"]["data"]["kind"].as_str().unwrap_or_default().to_owned()
    }
}

impl OnPort {
    pub(crate) fn stream(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(LONG)).expect("it can be set");
        stream
    }

    /// Returns the head of a request that is accepted.
    pub(crate) fn head(&self, method: &str, more: &[(&str, &str)]) -> String {
        let more: String = more.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let (address, token) = (self.address, &self.token);
        format!("{method} / HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n{more}")
    }

    /// Sends bytes and reads the response.
    pub(crate) fn sends(&self, request: &[u8]) -> Answer {
        let mut stream = self.stream();
        // A rejected client may be disconnected while it still writes.
        drop(stream.write_all(request));
        answer(&mut BufReader::new(stream))
    }

    /// Sends a request, with a body if it is not empty.
    pub(crate) fn asks(&self, method: &str, connection: Option<&str>, body: &str) -> Answer {
        self.sends(self.written(method, connection, body).as_bytes())
    }

    pub(crate) fn written(&self, method: &str, connection: Option<&str>, body: &str) -> String {
        let length = body.len().to_string();
        let mut more = vec![("Content-Length", length.as_str())];
        more.extend(connection.map(|id| ("Becket-Connection", id)));
        format!("{}\r\n{body}", self.head(method, &more))
    }

    /// Returns an initialized client.
    pub(crate) fn caller(&self) -> Caller<'_> {
        let line = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocol": 1}});
        let answer = self.asks("POST", None, &line.to_string());
        assert_eq!((answer.status, &answer.lines()[0]["result"]["protocol"]), (200, &json!(1)), "{answer:?}");
        Caller { port: self, id: answer.connection.expect("it is named"), next: AtomicU64::new(1) }
    }
}

/// Reads a response to its end.
pub(crate) fn answer(from: &mut impl BufRead) -> Answer {
    let mut answer = head(from);
    let length = answer.body.parse().unwrap_or(0);
    let mut body = vec![0; length];
    from.read_exact(&mut body).expect("it is whole");
    answer.body = String::from_utf8(body).expect("it is text");
    answer
}

/// Reads the head of a response; its body has the given length, if there is one.
fn head(from: &mut impl BufRead) -> Answer {
    let mut line = String::new();
    from.read_line(&mut line).expect("it answers");
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
    let mut answer = Answer { status: status.unwrap_or(0), connection: None, body: String::new() };
    loop {
        line.clear();
        if from.read_line(&mut line).expect("it goes on") == 0 || line == "\r\n" {
            return answer;
        }
        let (name, value) = line.trim().split_once(": ").expect("a header");
        match name.to_ascii_lowercase().as_str() {
            "content-length" => answer.body = value.to_owned(),
            "becket-connection" => answer.connection = Some(value.to_owned()),
            _ => {}
        }
    }
}

/// An initialized client.
pub(crate) struct Caller<'a> {
    pub(crate) port: &'a OnPort,
    pub(crate) id: String,
    next: AtomicU64,
}

impl Caller<'_> {
    /// Returns the text of a request.
    pub(crate) fn request(&self, method: &str, params: &Value) -> String {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    }

    /// Returns the answer to a request.
    pub(crate) fn answers(&self, method: &str, params: &Value) -> Value {
        let answer = self.port.asks("POST", Some(&self.id), &self.request(method, params));
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.lines().remove(0)
    }

    /// Returns the result of a request.
    pub(crate) fn asks(&self, method: &str, params: &Value) -> Value {
        let answer = self.answers(method, params);
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    /// Opens a session in a project.
    pub(crate) fn opens(&self, start: &Path, id: &str, more: Value) -> Value {
        let mut params = json!({"start": start, "session": id});
        for (name, value) in more.as_object().expect("an object") {
            params[name] = value.clone();
        }
        self.asks("session/open", &params)
    }

    /// Sends a request without waiting.
    pub(crate) fn starts(&self, method: &str, params: &Value) -> TcpStream {
        let mut stream = self.port.stream();
        let request = self.port.written("POST", Some(&self.id), &self.request(method, params));
        stream.write_all(request.as_bytes()).expect("it is taken");
        stream
    }

    /// Opens the stream of becket's requests and notifications.
    pub(crate) fn told(&self) -> EventStream {
        let mut stream = self.port.stream();
        let request = format!("{}\r\n", self.port.head("GET", &[("Becket-Connection", &self.id)]));
        stream.write_all(request.as_bytes()).expect("it is taken");
        let mut from = BufReader::new(stream);
        assert_eq!(head(&mut from).status, 200);
        EventStream { from }
    }
}

/// The stream of requests and notifications.
pub(crate) struct EventStream {
    pub(crate) from: BufReader<TcpStream>,
}

impl EventStream {
    /// Returns the next line; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Value> {
        let mut size = String::new();
        self.from.read_line(&mut size).ok()?;
        let size = usize::from_str_radix(size.trim(), 16).ok().filter(|size| *size > 0)?;
        let mut chunk = vec![0; size + 2];
        self.from.read_exact(&mut chunk).ok()?;
        Some(serde_json::from_slice(&chunk).expect("a line a chunk"))
    }
}
