//! Authentication and trust: headers, certificates, editors.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use becket_testkit::mcp_http::tls::Pems;
use serde_json::json;
use url::Url;

use super::server::{Script, Server};
use super::{CAP, start, target};
use crate::auth::{HeaderAttempt, HeaderSource, Headers, NoHeaders};
use crate::config::Ide;
use crate::connection::sse::SseLink;
use crate::connection::target::Target;
use crate::connection::trial::{Security, Trial};
use crate::host::BoxFuture;
use becket_base::secret::Secret;

/// A source that supplies `token-1` first, and the next one after each 401 until it has no more.
#[derive(Debug)]
struct Tokens {
    given: AtomicUsize,
    most: usize,
}

impl HeaderSource for Tokens {
    fn headers(&self, attempt: HeaderAttempt) -> BoxFuture<'_, Result<Headers, NoHeaders>> {
        let answer = match attempt {
            HeaderAttempt::After401(challenge) if self.given.load(Ordering::SeqCst) >= self.most => {
                Err(NoHeaders::AuthNeeded(challenge))
            }
            HeaderAttempt::First | HeaderAttempt::After401(_) => {
                let number = self.given.fetch_add(1, Ordering::SeqCst) + 1;
                let token = Secret::new(format!("token-{number}"));
                Ok(vec![(reqwest::header::AUTHORIZATION, token)])
            }
        };
        Box::pin(std::future::ready(answer))
    }
}

fn tokens(most: usize) -> Arc<Tokens> {
    Arc::new(Tokens { given: AtomicUsize::default(), most })
}

fn link(server: &Server, headers: Arc<Tokens>) -> SseLink {
    SseLink::new(Target { headers, ..target(&server.address, "/sse", &Security::None) })
}

// rule: X1
#[tokio::test]
async fn a_refused_token_is_replaced_once() {
    let server = start(Script { token: Some("token-2"), ..Script::default() }).await;
    let source = tokens(3);
    let trial = Trial::connect(link(&server, Arc::clone(&source))).await.unwrap();
    assert!(trial.works().await);
    assert_eq!((source.given.load(Ordering::SeqCst), server.heads().len()), (2, 5));

    // In the middle of a session: all requests that are refused concurrently share one renewal.
    server.script().token = Some("token-3");
    let calls = (0..10).map(async |_| assert!(trial.works().await));
    futures_util::future::join_all(calls).await;
    assert_eq!((source.given.load(Ordering::SeqCst), server.brain().count("tools/call")), (3, 11));

    server.script().token = Some("token-4");
    let error = trial.call("echo", json!({"text": "a"})).await.unwrap_err();
    assert_eq!((error.as_str(), server.brain().count("tools/call")), ("it needs authentication", 11));
}

// rules: X1, X3
#[tokio::test]
async fn a_server_that_knows_nobody_is_asked_twice_at_most() {
    for (most, asked) in [(1, 1), (9, 2)] {
        let server = start(Script { token: Some("none"), ..Script::default() }).await;
        let error = Trial::connect(link(&server, tokens(most))).await.err().unwrap();
        assert_eq!((error.as_str(), server.heads().len()), ("it needs authentication", asked));
    }
}

fn ide(url: &str, token: &str) -> Ide {
    Ide { url: Url::parse(url).unwrap(), ide_name: None, auth_token: Some(Secret::new(token)) }
}

// rule: X1
#[tokio::test]
async fn an_editor_gets_its_token_on_this_machine_only() {
    let server = start(Script::default()).await;
    let tls = Security::None.client(None);
    let port = server.address.rsplit(':').next().unwrap();
    for host in ["127.0.0.1", "localhost", "LOCALHOST"] {
        let ide = ide(&format!("http://{host}:{port}/sse"), "hunter2");
        let target = Target::ide(&ide, Arc::clone(&tls), CAP).unwrap();
        assert!(!format!("{target:?}").contains("hunter2"));
        let trial = Trial::connect(SseLink::new(target)).await.unwrap();
        assert!(trial.works().await);
    }
    let knows = |head: &crate::connection::trial::Head| {
        head.header("x-claude-code-ide-authorization") == Some("hunter2")
    };
    assert!(server.heads().iter().all(knows));
    for host in ["example.com", "192.168.1.7", "localhost.example.com", "0.0.0.0", "[2001:db8::1]"] {
        let error = Target::ide(&ide(&format!("http://{host}/sse"), "hunter2"), Arc::clone(&tls), CAP);
        let expected = format!(
            "`{host}` is not this machine: what is sent to an editor goes to loopback addresses only, such as `127.0.0.1`"
        );
        assert_eq!(error.unwrap_err().to_string(), expected);
    }
    let error = Target::ide(&ide("http://127.0.0.1/sse", "a\nb"), tls, CAP).unwrap_err().to_string();
    assert!(error.contains("X-Claude-Code-Ide-Authorization") && !error.contains("a\nb"), "{error}");
}

/// Returns the error of connecting to a server with certificates, for a client that presents those of `own`.
async fn refusal(security: &Security, own: Option<&Pems>) -> String {
    let server = Server::start(Script::default(), security).await;
    let target = Target { tls: security.client(own), ..target(&server.address, "/sse", security) };
    match Trial::connect(SseLink::new(target)).await {
        Ok(trial) if trial.works().await => "it works".into(),
        Ok(_) => "it is connected and does not work".into(),
        Err(error) => error.replace(&server.address, "HERE"),
    }
}

// rule: X1
#[tokio::test]
async fn certificates_are_shown_and_asked_for() {
    assert_eq!(refusal(&Security::Tls(Pems::new()), None).await, "it works");
    let (pems, other) = (Pems::new(), Pems::new());
    let own = Pems::new();
    let security = Security::Mutual(pems);
    let Security::Mutual(pems) = &security else { unreachable!() };
    assert_eq!(refusal(&security, Some(pems)).await, "it works");
    let error = refusal(&security, None).await;
    assert!(error.contains("name one in `tls.cert` and its key in `tls.key`"), "{error}");
    let error = refusal(&security, Some(&own)).await;
    let names = "HERE does not accept the client certificate in `tls.cert`: name one that it trusts";
    assert!(error.contains(names), "{error}");

    // A server with a certificate of another authority.
    let server = Server::start(Script::default(), &security).await;
    let stranger = Security::Tls(other).client(None);
    let target = Target { tls: stranger, ..target(&server.address, "/sse", &security) };
    let error = Trial::connect(SseLink::new(target)).await.err().unwrap();
    assert!(error.contains("can't be trusted") && error.contains("`tls.ca`"), "{error}");
}

// rule: X1
#[tokio::test]
async fn a_server_without_tls_is_told_from_one_that_is_not_there() {
    let server = start(Script::default()).await;
    let security = Security::Tls(Pems::new());
    let error = Trial::connect(SseLink::new(target(&server.address, "/sse", &security))).await.err().unwrap();
    let error = error.replace(&server.address, "HERE");
    assert!(
        error.contains("HERE does not speak TLS: leave the `s`")
            || error.contains("HERE broke off the connection"),
        "{error}"
    );
}
