//! Sources of headers, and the effect of a 401.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use becket_testkit::mcp_http::{Plan, Reply, Server};
use futures_util::future::join_all;
use reqwest::header::AUTHORIZATION;
use serde_json::json;

use super::meet::{ConnectedClient, headers, nothing_left, target};
use crate::auth::{HeaderAttempt, HeaderSource, Headers, NoHeaders};
use crate::connection::http::{HttpLink, Network};
use crate::fault::Fault;
use crate::host::BoxFuture;
use becket_base::secret::Secret;

/// A source that supplies `token-1`, and a newer one after each 401, up to `last`.
#[derive(Debug)]
struct Tokens {
    asked: AtomicUsize,
    last: usize,
}

impl Tokens {
    fn up_to(last: usize) -> Arc<Self> {
        Arc::new(Self { asked: AtomicUsize::new(0), last })
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl HeaderSource for Tokens {
    fn headers(&self, attempt: HeaderAttempt) -> BoxFuture<'_, Result<Headers, NoHeaders>> {
        let number = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        let given = match attempt {
            HeaderAttempt::After401(challenge) if number > self.last => Err(NoHeaders::AuthNeeded(challenge)),
            HeaderAttempt::First | HeaderAttempt::After401(_) => {
                let number = number.min(self.last);
                Ok(vec![(AUTHORIZATION, Secret::new(format!("Bearer token-{number}")))])
            }
        };
        Box::pin(std::future::ready(given))
    }
}

/// Returns a server that requires `token` from the first call on.
fn wants(token: &'static str) -> Server {
    Plan::new()
        .rule(move |seen| {
            let is_good = seen.header("authorization") == Some(token);
            (seen.rpc() == "tools/call" && !is_good).then(|| Reply::unauthorized(Some("Bearer realm=\"x\"")))
        })
        .start()
}

async fn met(server: &Server, source: Arc<dyn HeaderSource>) -> ConnectedClient {
    let link = HttpLink::new(&target(&server.url(), source, None), &Network::default()).unwrap();
    ConnectedClient::over(link).await.unwrap()
}

// rules: X1, X3
#[tokio::test]
async fn after_a_401_the_source_is_asked_once_and_the_request_is_sent_again_once() {
    let (server, source) = (wants("Bearer token-2"), Tokens::up_to(9));
    let met = met(&server, source.clone()).await;
    assert_eq!(source.asked(), 1, "not at each request");
    assert_eq!(met.echo("hi").await.as_deref(), Ok("hi"));
    assert_eq!((source.asked(), server.count("tools/call")), (2, 2));
    assert_eq!(met.echo("hi").await.as_deref(), Ok("hi"));
    assert_eq!((source.asked(), server.count("tools/call")), (2, 3), "what was learnt is kept");
}

// rule: X3
#[tokio::test]
async fn of_many_that_are_refused_at_once_one_asks() {
    let (server, source) = (wants("Bearer token-2"), Tokens::up_to(9));
    let met = met(&server, source.clone()).await;
    let calls = join_all((0..8).map(|_| met.echo("hi"))).await;
    assert!(calls.iter().all(|call| call.as_deref() == Ok("hi")), "{calls:?}");
    assert_eq!(source.asked(), 2);
}

// rule: X3
#[tokio::test]
async fn where_there_are_no_other_headers_the_user_is_needed() {
    for (last, sent) in [(1, 1), (2, 2)] {
        let (server, source) = (wants("Bearer nobody has it"), Tokens::up_to(last));
        let met = met(&server, source).await;
        assert_eq!(met.echo("hi").await.unwrap_err(), "it needs authentication");
        assert_eq!(server.count("tools/call"), sent);
        drop(met.end(Duration::from_secs(5)).await);
        nothing_left(&server).await;
    }
}

/// A source that receives a 401, and changes nothing.
#[derive(Debug)]
struct Stubborn;

impl HeaderSource for Stubborn {
    fn headers(&self, _: HeaderAttempt) -> BoxFuture<'_, Result<Headers, NoHeaders>> {
        Box::pin(std::future::ready(Ok(vec![(AUTHORIZATION, Secret::new("Bearer the same"))])))
    }
}

// rule: X3
#[tokio::test]
async fn a_request_is_not_sent_again_with_the_headers_that_were_refused() {
    let server = wants("Bearer nobody has it");
    let met = met(&server, Arc::new(Stubborn)).await;
    assert_eq!(met.echo("hi").await.unwrap_err(), "it needs authentication");
    assert_eq!(server.count("tools/call"), 1);
}

// rule: X1
#[tokio::test]
async fn configured_headers_are_sent_and_those_of_the_protocol_are_ours() {
    let server = Plan::new().start();
    let source = headers(&[("X-Team", "blue"), ("Accept", "text/html"), ("Mcp-Session-Id", "other")]);
    let met = met(&server, source).await;
    assert_eq!(met.echo("hi").await.as_deref(), Ok("hi"));
    drop(met.end(Duration::from_secs(5)).await);
    for seen in server.seen() {
        assert_eq!(seen.header("x-team"), Some("blue"), "{}", seen.verb);
        let accepts: Vec<_> = seen.headers.iter().filter(|(name, _)| name == "accept").collect();
        assert!(
            accepts.len() == 1 && (seen.verb == "DELETE" || accepts[0].1.contains("event-stream")),
            "{accepts:?}"
        );
    }
    assert!(server.sessions().is_empty());
    let echo = server.seen().into_iter().find(|seen| seen.rpc() == "tools/call").unwrap();
    assert_eq!(echo.session(), Some("session-1"));
}

// rules: X1, X3
#[tokio::test]
async fn the_challenge_is_carried_and_nothing_secret_is_said() {
    let server = Plan::new()
        .rule(|seen| {
            let reply = Reply::unauthorized(Some("Basic realm=\"x\""));
            (seen.rpc() == "tools/call")
                .then(|| reply.with("WWW-Authenticate", "Bearer resource_metadata=\"y\""))
        })
        .start();
    let link = {
        let target = target(&server.url(), headers(&[("Authorization", "s3cret")]), None);
        assert!(!format!("{target:?}").contains("s3cret"));
        HttpLink::new(&target, &Network::default()).unwrap()
    };
    let met = ConnectedClient::over(link).await.unwrap();
    let request = rmcp::model::CallToolRequestParams::new("echo");
    let error = met.service.peer().call_tool_once(request).await.unwrap_err();
    assert!(!format!("{error:?} {error}").contains("s3cret"));
    let rmcp::service::ServiceError::TransportSend(error) = error else { panic!("{error}") };
    let Some(Fault::AuthNeeded(challenge)) = crate::connection::link::NotSent::within(&error) else {
        panic!("{error}")
    };
    assert_eq!(challenge.header.as_deref(), Some("Bearer resource_metadata=\"y\""));
    assert_eq!(met.call("none", json!({})).await.unwrap_err(), "it needs authentication");
}
