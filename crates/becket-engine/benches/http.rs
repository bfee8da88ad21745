//! The cost of an HTTP hook over its request: a whole event against a bare POST, on a warm connection.

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use becket_engine::{Engine, Environment};
use becket_model::event::tool::PreToolUse;
use becket_model::{Event, Session};
use becket_testkit::bench::{Bench, BenchTarget};
use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use serde_json::json;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

const DENIAL: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;

fn main() {
    let mut bench = Bench::new("becket-engine");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // The floor reads no decision from an answer, so the cost of that is shown and not measured against it.
    let rows = [
        ("", "one HTTP hook that says nothing", BenchTarget::Ratio(1.25)),
        (DENIAL, "one HTTP hook that denies", BenchTarget::Nothing),
    ];
    for (answer, name, must) in rows {
        let url = serve(answer);
        let (engine, event) = (engine(&url), event());
        let (client, body) = (client(), body(&event));
        let floor = async || {
            let request =
                client.post(&url).header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            request.body(body.clone()).send().await.unwrap().bytes().await.unwrap()
        };
        assert_eq!(runtime.block_on(floor()).len(), answer.len());
        let outcome = runtime.block_on(engine.fire(&event));
        assert_eq!((outcome.verdict.unchecked().count(), outcome.verdict.blocks()), (0, !answer.is_empty()));
        bench.note("floor: reqwest alone, the same body to the same server, on a kept connection");
        bench.versus(
            &format!("{name}, whole event"),
            must,
            || black_box(runtime.block_on(engine.fire(&event))),
            || black_box(runtime.block_on(floor())),
        );
    }
}

fn engine(url: &str) -> Engine {
    let settings = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": url}]}]}});
    Engine::builder()
        .environment(Environment::empty())
        .start_dir("/tmp")
        .settings_text(settings.to_string())
        .build()
        .unwrap()
}

fn event() -> Event {
    Event::new(
        Session::new("bench", "/tmp/bench.jsonl", "/tmp"),
        PreToolUse::new(
            "Bash".into(),
            json!({"command": "ls -la"}).as_object().cloned().unwrap(),
            "toolu_1".into(),
        ),
    )
}

fn body(event: &Event) -> Bytes {
    becket_model::wire::input::to_bytes(event).into()
}

/// Returns an ordinary client, except for the TLS that neither side uses here.
fn client() -> reqwest::Client {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy().build().unwrap()
}

/// Answers every request with this body; returns its URL.
fn serve(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || answer_all(stream.unwrap(), answer));
        }
    });
    url
}

fn answer_all(mut stream: TcpStream, answer: &str) {
    let text = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{answer}", answer.len());
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line).is_ok_and(|read| read > 0) {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line == "\r\n" {
            reader.read_exact(&mut vec![0; length]).unwrap();
            stream.write_all(text.as_bytes()).unwrap();
        }
        line.clear();
    }
}
