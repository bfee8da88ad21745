//! The requests of an ordinary HTTP library, over persistent connections.

use super::caller::{OnPort, on_port};
use crate::serve::{bash, command, with_hook};
use reqwest::{Body, Client, Response, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// A time that is longer than anything here takes.
const LONG: Duration = Duration::from_secs(60);

/// Returns an ordinary client, without TLS, which is not used here.
fn client() -> Client {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring has them")
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    Client::builder().timeout(LONG).tls_backend_preconfigured(tls).no_proxy().build().expect("it can be made")
}

/// A becket, and a client with an open connection to it.
struct Library<'a> {
    client: Client,
    port: &'a OnPort,
    url: String,
    connection: String,
}

impl<'a> Library<'a> {
    async fn initialized(port: &'a OnPort) -> Self {
        let url = format!("http://{}/", port.address);
        let mut library = Library { client: client(), port, url, connection: String::new() };
        let line = request(0, "initialize", &json!({"protocol": 1}));
        let sent = library.client.post(&library.url).bearer_auth(&port.token).body(line).send().await;
        let answer = sent.expect("it is answered");
        assert_eq!(answer.headers()["content-type"], "application/x-ndjson");
        let name = answer.headers().get("becket-connection").expect("it is named");
        name.to_str().expect("text").clone_into(&mut library.connection);
        assert_eq!(lines(answer).await[0]["result"]["protocol"], 1);
        library
    }

    async fn posts(&self, body: impl Into<Body>) -> Response {
        let post = self.client.post(&self.url).bearer_auth(&self.port.token);
        let sent = post.header("Becket-Connection", &self.connection).body(body).send().await;
        sent.expect("it is answered")
    }

    async fn asks(&self, id: u64, method: &str, params: &Value) -> Value {
        let answer = self.posts(request(id, method, params)).await;
        assert_eq!(answer.status(), StatusCode::OK);
        let mut lines = lines(answer).await;
        assert_eq!((lines.len(), &lines[0]["id"]), (1, &json!(id)), "{lines:?}");
        lines.remove(0)["result"].take()
    }
}

fn request(id: u64, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

async fn lines(answer: Response) -> Vec<Value> {
    let text = answer.text().await.expect("it is whole");
    text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

fn fire(line: &str) -> Value {
    json!({"session": "s", "event": "PreToolUse", "input": bash(line)})
}

// rule: H9
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_by_a_library_asks_answers_and_ends() {
    let env = with_hook("PreToolUse", command("case $(cat) in *rm*) echo no rm >&2; exit 2;; esac"));
    let port = on_port(&env, &[], &[]);
    let library = Library::initialized(&port).await;
    library.asks(1, "session/open", &json!({"start": env.project(), "session": "s"})).await;
    library.asks(2, "hooks/register", &json!({"session": "s", "id": "mine", "event": "PreToolUse"})).await;
    let get = library.client.get(&library.url).bearer_auth(&port.token);
    let told = get.header("Becket-Connection", &library.connection).send().await;
    let mut told = told.expect("it is answered");
    assert_eq!(told.status(), StatusCode::OK);
    for (id, line, mine, result) in [
        (3, "ls", json!(null), "passed"),
        (4, "rm x", json!(null), "blocked"),
        (5, "ls", json!({"decision": "block"}), "blocked"),
    ] {
        let answering = async {
            let chunk = told.chunk().await.expect("it goes on").expect("it is called");
            let call: Value = serde_json::from_slice(&chunk).expect("a line");
            assert_eq!((&call["method"], &call["params"]["hook"]), (&json!("hook/call"), &json!("mine")));
            let said = json!({"jsonrpc": "2.0", "id": call["id"], "result": mine}).to_string();
            assert_eq!(library.posts(said).await.status(), StatusCode::ACCEPTED);
        };
        let params = fire(line);
        let (fired, ()) = tokio::join!(library.asks(id, "event/fire", &params), answering);
        assert_eq!(fired["result"], result, "{fired}");
    }
    let delete = library.client.delete(&library.url).bearer_auth(&port.token);
    let ended = delete.header("Becket-Connection", &library.connection).send().await;
    assert_eq!(ended.expect("it is answered").status(), StatusCode::NO_CONTENT);
    assert!(told.chunk().await.expect("it ends properly").is_none());
    assert_eq!(library.posts("{}").await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_requests_of_a_library_go_side_by_side() {
    let env = with_hook("PreToolUse", command("case $(cat) in *rm*) exit 2;; esac"));
    let port = on_port(&env, &[], &[]);
    let library = Library::initialized(&port).await;
    library.asks(1, "session/open", &json!({"start": env.project(), "session": "s"})).await;
    let params: Vec<Value> = (0..32).map(|n| fire(if n % 2 == 0 { "ls" } else { "rm x" })).collect();
    let asked = (2..).zip(&params).map(|(id, params)| library.asks(id, "event/fire", params));
    let fired = futures_util::future::join_all(asked).await;
    for (number, fired) in fired.iter().enumerate() {
        assert_eq!(fired["result"], if number % 2 == 0 { "passed" } else { "blocked" }, "{number}: {fired}");
    }
}

// rule: L3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_of_no_told_length_is_read_up_to_the_limit() {
    let env = with_hook("Stop", command("true"));
    let port = on_port(&env, &[], &[]);
    let library = Library::initialized(&port).await;
    let asked = request(1, "session/open", &json!({"start": env.project(), "session": "s"}));
    for (blanks, status) in [(0, 200), (1 << 20, 200), (16 << 20, 413)] {
        let line = format!("{}{}", " ".repeat(blanks), asked.replace("\"s\"", &format!("\"{blanks}\"")));
        let pieces: Vec<_> = line.as_bytes().chunks(100_000).map(<[u8]>::to_vec).collect();
        let pieces = pieces.into_iter().map(Ok::<_, std::io::Error>);
        let body = Body::wrap_stream(futures_util::stream::iter(pieces));
        assert_eq!(library.posts(body).await.status(), status, "{blanks}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_library_without_the_token_is_told_so() {
    let env = with_hook("Stop", command("true"));
    let port = on_port(&env, &[], &[]);
    let url = format!("http://{}/", port.address);
    let answer = client().post(&url).bearer_auth("0".repeat(64)).body("{}").send().await;
    let answer = answer.expect("it is answered");
    assert_eq!(
        (answer.status().as_u16(), answer.headers()["www-authenticate"].as_bytes()),
        (401, &b"Bearer"[..])
    );
    assert_eq!(lines(answer).await[0]["error"]["data"]["kind"], "unauthorized");
    let answer =
        client().post(&url).bearer_auth(&port.token).header("Origin", "http://evil.example").send().await;
    assert_eq!(answer.expect("it is answered").status(), StatusCode::FORBIDDEN);
}
