//! A server on the loopback that follows a script, and helpers for comparisons.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use becket_llm::{Block, HttpOptions, ModelError, http_client};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// The timeout: long enough for a loaded machine, short enough to end a test that hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The key that must never be seen.
pub(crate) const KEY: &str = "sk-very-secret-0123456789";

/// A step of the server after it has read a request.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Send(Vec<u8>),
    Wait(Duration),
    /// Sends these bytes until the client is gone.
    Forever(Vec<u8>),
    /// Breaks the connection.
    Reset,
    /// Keeps the connection open without sending anything.
    Hang,
}

/// A server; each request gets the next list of steps, and further ones the last list.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    /// Notified when a connection has ended.
    pub(crate) gone: Arc<Notify>,
}

impl Server {
    pub(crate) async fn start(answers: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let gone = Arc::new(Notify::new());
        let server = Self { address, requests: requests.clone(), gone: gone.clone() };
        let answers = Arc::new(answers);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answers, requests, gone) = (answers.clone(), requests.clone(), gone.clone());
                tokio::spawn(async move {
                    connection(stream, &answers, &requests).await;
                    gone.notify_one();
                });
            }
        });
        server
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the heads and bodies of all requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no panic inside").clone()
    }

    /// Returns once this many requests have arrived.
    pub(crate) async fn asked(&self, times: usize) {
        becket_testkit::wait::until("the requests have come", || self.requests().len() >= times).await;
    }

    /// Returns the body of a request.
    pub(crate) fn body(&self, index: usize) -> Value {
        let requests = self.requests();
        let (_, body) = requests[index].split_once("\r\n\r\n").expect("a body");
        serde_json::from_str(body).expect("JSON")
    }
}

async fn connection(
    mut stream: TcpStream,
    answers: &[Vec<Step>],
    requests: &Mutex<Vec<String>>,
) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    loop {
        let request = read_request(&mut stream).await?;
        let steps = {
            let mut requests = requests.lock().expect("no panic inside");
            requests.push(request);
            answers[(requests.len() - 1).min(answers.len() - 1)].clone()
        };
        for step in steps {
            match step {
                Step::Send(bytes) => stream.write_all(&bytes).await.ok()?,
                Step::Wait(time) => tokio::time::sleep(time).await,
                Step::Forever(bytes) => loop {
                    stream.write_all(&bytes).await.ok()?;
                },
                Step::Reset => {
                    stream.set_zero_linger().ok()?;
                    return None;
                }
                Step::Hang => {
                    // Until the client closes.
                    let mut rest = [0; 64];
                    while stream.read(&mut rest).await.ok()? > 0 {}
                    return None;
                }
            }
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
            });
            if body.len() >= length.unwrap_or_default() {
                return Some(text);
            }
        }
        let read = stream.read(&mut buffer).await.ok()?;
        if read == 0 {
            return None;
        }
        request.extend_from_slice(&buffer[..read]);
    }
}

/// Returns a head with a body that comes in chunks.
pub(crate) fn chunked(content_type: &str, chunks: &[&[u8]]) -> Vec<Step> {
    let head =
        format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\n\r\n");
    let mut bytes = head.into_bytes();
    for chunk in chunks.iter().filter(|chunk| !chunk.is_empty()) {
        bytes.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
        bytes.extend_from_slice(chunk);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\n\r\n");
    vec![Step::Send(bytes)]
}

/// Returns the start of a stream that a test continues.
pub(crate) fn stream_head(content_type: &str) -> Step {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\nconnection: close\r\n\r\n");
    Step::Send(head.into_bytes())
}

/// Returns an answer with this status, additional header lines and a body.
pub(crate) fn status(status: &str, headers: &str, body: &str) -> Vec<Step> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}content-length: {length}\r\n\r\n"
    );
    vec![Step::Send(format!("{head}{body}").into_bytes())]
}

/// Returns the bytes of a file below `tests/fixtures`.
pub(crate) fn fixture(path: &str) -> Vec<u8> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(path);
    std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Returns the steps that serve a stream fixture.
pub(crate) fn served(path: &str) -> Vec<Step> {
    let content_type =
        if path.ends_with(".json") { "application/json" } else { "text/event-stream; charset=utf-8" };
    chunked(content_type, &[&fixture(path)])
}

/// Returns the cases of a file below `tests/cases`.
pub(crate) fn cases(file: &str) -> Vec<Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn http() -> reqwest::Client {
    http_client(&HttpOptions::default()).expect("a client")
}

/// Returns a block in the format of the case files.
pub(crate) fn written(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({"text": text}),
        Block::Image { media_type, data } => json!({"image": media_type, "data": data}),
        Block::ToolUse { id, name, input } => json!({"tool": name, "id": id, "input": input}),
        Block::ToolResult { tool_use_id, is_error, content } => {
            json!({"result": tool_use_id, "error": is_error, "content": content.iter().map(written).collect::<Vec<_>>()})
        }
        Block::Thinking { text, signature } => json!({"thinking": text, "signature": signature}),
        Block::RedactedThinking { data } => json!({"redacted": data}),
        Block::Other(value) => json!({"other": value}),
    }
}

/// Returns the name of an error's variant.
pub(crate) fn variant(error: &ModelError) -> String {
    let debug = format!("{error:?}");
    debug.split([' ', '{', '(']).next().unwrap_or_default().to_owned()
}
