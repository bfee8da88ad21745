//! A loopback server that answers like the Messages API, or as badly as a test wants.

use serde_json::json;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A server of the given answers, one for each connection, the last one forever; it ends with the test.
pub(crate) struct Server {
    pub(crate) url: String,
    /// The requests, headers and body.
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// An empty answer leaves the connection open and silent.
    pub(crate) async fn start(answers: Vec<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = requests.clone();
        let task = tokio::spawn(async move {
            let mut held = Vec::new();
            for number in 0.. {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read_request(&mut stream).await;
                seen.lock().unwrap().push(request);
                let answer = &answers[number.min(answers.len() - 1)];
                if answer.is_empty() {
                    held.push(stream);
                    continue;
                }
                let _ = stream.write_all(answer.as_bytes()).await;
                let _ = stream.shutdown().await;
            }
        });
        Server { url, requests, task }
    }

    pub(crate) fn asked(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).await.unwrap_or(0);
        bytes.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&bytes);
        let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase().strip_prefix("content-length:").map(|n| n.trim().parse::<usize>())
            });
            length.is_some_and(|length| body.len() >= length.unwrap())
        });
        if whole || read == 0 {
            return text.into_owned();
        }
    }
}

/// Returns a refusal with this status, body and further headers.
pub(crate) fn refusal(status: u16, headers: &str, message: &str) -> String {
    let body = json!({"type": "error", "error": {"type": "some_error", "message": message}}).to_string();
    format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

pub(crate) fn overloaded() -> String {
    refusal(529, "", "overloaded")
}

/// Returns an answer of this text, streamed.
pub(crate) fn sse(text: &str) -> String {
    let events = [
        json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant",
            "model": "claude-test", "content": [], "stop_reason": null,
            "usage": {"input_tokens": 11, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}}),
        json!({"type": "message_stop"}),
    ];
    let mut answer =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".to_owned();
    for event in events {
        answer.push_str(&format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()));
    }
    answer
}
