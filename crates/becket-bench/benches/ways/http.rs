//! A reqwest client: of becket, and of a server that only answers.

use reqwest::{Client, RequestBuilder};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Child;
use std::rc::Rc;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

/// A persistent TCP connection and its address.
pub(crate) struct Http {
    runtime: Rc<Runtime>,
    client: Client,
    url: String,
    token: String,
    /// The id of the protocol's connection, once there is one.
    connection: Option<String>,
}

impl Http {
    /// Connects to a becket once it reports its address.
    pub(crate) fn connected(child: &mut Child) -> Self {
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("it says where");
        let ready: Value = serde_json::from_str(&line).expect("a line of JSON");
        let text = |name: &str| ready[name].as_str().expect("text").to_owned();
        let token = std::fs::read_to_string(text("token_file")).expect("its token");
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let token = token.trim().to_owned();
        Http { runtime: Rc::new(runtime), client: client(), url: text("url"), token, connection: None }
    }

    /// Returns the same client, connected to a server that sends becket's answer to this request.
    pub(crate) fn bare(&mut self, request: &str) -> Http {
        let answer = self.sends(request);
        let (runtime, token, connection) =
            (self.runtime.clone(), self.token.clone(), self.connection.clone());
        Http { runtime, client: client(), url: serves(answer), token, connection }
    }

    /// Posts a line; returns its answer.
    pub(crate) fn sends(&mut self, line: &str) -> String {
        let post = self.client.post(&self.url).bearer_auth(&self.token).body(line.to_owned());
        let post = match &self.connection {
            Some(name) => post.header("Becket-Connection", name),
            None => post,
        };
        let (connection, answer) = self.runtime.block_on(answered(post));
        self.connection = self.connection.take().or(connection);
        assert!(answer.contains("\"result\""), "{answer}");
        answer
    }
}

async fn answered(post: RequestBuilder) -> (Option<String>, String) {
    let answer = post.send().await.expect("it is answered");
    let name = answer.headers().get("becket-connection");
    let name = name.and_then(|name| name.to_str().ok()).map(str::to_owned);
    (name, answer.text().await.expect("it is whole"))
}

/// Returns an ordinary client, without TLS, which is not used here.
fn client() -> Client {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring has them")
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    Client::builder().tls_backend_preconfigured(tls).no_proxy().build().expect("it can be made")
}

/// Starts a server that gives this answer to every request of one connection; returns its URL.
fn serves(answer: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("it is bound"));
    std::thread::spawn(move || listener.accept().map(|(stream, _)| answers_all(stream, &answer)));
    url
}

fn answers_all(mut stream: TcpStream, answer: &str) {
    let text = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{answer}", answer.len());
    stream.set_nodelay(true).expect("it can be set");
    let mut from = BufReader::new(stream.try_clone().expect("it can be cloned"));
    let (mut line, mut length) = (String::new(), 0);
    while from.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        if line == "\r\n" {
            from.read_exact(&mut vec![0; length]).expect("a body");
            stream.write_all(text.as_bytes()).expect("it is read");
        }
        line.clear();
    }
}
