//! `server-everything` as a separate program: over streamable HTTP, and over server-sent events.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::sync::{Arc, Mutex};

use crate::common::real::RunningServer;
use crate::common::{LONG, Place, SHORT, call, call_for, nothing, of_it};
use becket_mcp::config::{ConfiguredServer, Remote, ServerConfig, Transport};
use becket_mcp::{
    CallError, CancellationToken, Content, Host, Offers, Pool, Progress, PromptCall, ResourceBody,
};
use serde_json::json;

/// A mode of the server: its argument, the path at which it answers, and the transport.
type RemoteTransport = (&'static str, &'static str, fn(Remote) -> Transport);

const WAYS: [RemoteTransport; 2] =
    [("streamableHttp", "mcp", Transport::Http), ("sse", "sse", Transport::Sse)];

/// A host that records the progress of calls.
#[derive(Default)]
struct ProgressRecorder(Mutex<Vec<f64>>);

impl Host for ProgressRecorder {
    fn offers(&self) -> Offers {
        Offers::default()
    }

    fn progress(&self, _: &str, progress: Progress) {
        self.0.lock().unwrap().push(progress.done);
    }
}

async fn connect(
    server: &RunningServer,
    (_, path, transport): RemoteTransport,
    host: Arc<dyn Host>,
) -> (Pool, Place) {
    let url = format!("http://127.0.0.1:{}/{path}", server.port()).parse().unwrap();
    let remote = Remote::new(url);
    let place = Place::new();
    let pool = Pool::new(place.options.clone(), host);
    pool.configure(vec![ConfiguredServer::of_host(
        "it",
        ServerConfig { transport: transport(remote), timeout: None },
    )]);
    (pool, place)
}

// rules: H6, X1
#[tokio::test]
async fn it_answers_in_every_kind() {
    for way in WAYS {
        let Some(server) = RunningServer::start("BECKET_TEST_MCP_EVERYTHING", &[way.0]) else { return };
        let (pool, _place) = connect(&server, way, Arc::new(())).await;
        let echoed = call(&pool, "echo", json!({"message": "héllo"})).await.unwrap();
        assert_eq!(echoed.text(), "Echo: héllo", "{}", way.0);
        let image = call(&pool, "get-tiny-image", nothing()).await.unwrap();
        let kinds: Vec<&str> = image.content.iter().map(Content::kind).collect();
        assert_eq!(kinds, ["text", "image", "text"], "{}", way.0);
        let place = json!({"location": "New York"});
        let structured = call(&pool, "get-structured-content", place).await.unwrap();
        assert!(structured.structured.is_some_and(|value| value["temperature"].is_number()), "{}", way.0);
        let links = call(&pool, "get-resource-links", json!({"count": 2})).await.unwrap();
        let links = links.content.iter().filter(|block| block.kind() == "resource_link").count();
        assert_eq!(links, 2, "{}", way.0);
        pool.close().await;
    }
}

// rules: X1, X8
#[tokio::test]
async fn its_resources_are_read_and_its_prompts_are_filled_in() {
    for way in WAYS {
        let Some(server) = RunningServer::start("BECKET_TEST_MCP_EVERYTHING", &[way.0]) else { return };
        let (pool, _place) = connect(&server, way, Arc::new(())).await;
        let cancel = CancellationToken::new();
        let resources = pool.resources("it", &cancel).await.unwrap();
        let text = "demo://resource/dynamic/text/{resourceId}";
        assert!(resources.templates.iter().any(|template| template.uri_template == text), "{}", way.0);
        assert!(!resources.resources.is_empty(), "{}", way.0);
        let uri = text.replace("{resourceId}", "7");
        let contents = pool.read_resource("it", &uri, LONG, &cancel).await.unwrap();
        let [contents] = contents.as_slice() else { panic!("{contents:?}") };
        assert_eq!(contents.uri, uri);
        let ResourceBody::Text(text) = &contents.body else { panic!("{contents:?}") };
        assert!(text.starts_with("Resource 7:"), "{}: {text}", way.0);

        let prompts = pool.prompts("it", &cancel).await.unwrap();
        let prompt = prompts.iter().find(|prompt| prompt.name == "args-prompt").unwrap();
        let arguments = prompt.arguments("Canterbury Kent").unwrap();
        let call = PromptCall { name: "args-prompt", arguments, limit: LONG };
        let said = pool.prompt("it", call, &cancel).await.unwrap();
        let texts: Vec<_> = said.messages.iter().filter_map(|message| message.content.text()).collect();
        assert_eq!(texts, ["What's weather in Canterbury, Kent?"], "{}", way.0);
        pool.close().await;
    }
}

// rules: H6, X1
#[tokio::test]
async fn calls_at_once_do_not_wait_for_each_other() {
    for way in WAYS {
        let Some(server) = RunningServer::start("BECKET_TEST_MCP_EVERYTHING", &[way.0]) else { return };
        let host = Arc::new(ProgressRecorder::default());
        let (pool, _place) = connect(&server, way, Arc::<ProgressRecorder>::clone(&host)).await;
        let long = json!({"duration": 1, "steps": 4});
        let (slow, quick) = tokio::join!(call(&pool, "trigger-long-running-operation", long), async {
            let sums = (0..20).map(|n| call(&pool, "get-sum", json!({"a": n, "b": 1})));
            futures_util::future::join_all(sums).await
        });
        assert!(slow.unwrap().text().contains("completed"), "{}", way.0);
        for (n, sum) in quick.into_iter().enumerate() {
            let told = sum.unwrap().text();
            assert!(told.ends_with(&format!("is {}.", n + 1)), "{}: {told}", way.0);
        }
        assert_eq!(*host.0.lock().unwrap(), [1.0, 2.0, 3.0, 4.0], "{}", way.0);
        pool.close().await;
    }
}

// rules: H6, X2
#[tokio::test]
async fn a_long_call_is_given_up_and_the_next_one_works() {
    for way in WAYS {
        let Some(server) = RunningServer::start("BECKET_TEST_MCP_EVERYTHING", &[way.0]) else { return };
        let (pool, _place) = connect(&server, way, Arc::new(())).await;
        pool.start(&CancellationToken::new()).await;
        let long = json!({"duration": 1000, "steps": 1000});
        let tool = "trigger-long-running-operation";
        let error = call_for(&pool, tool, long.clone(), SHORT).await.unwrap_err();
        assert!(matches!(error, CallError::TimedOut { .. }), "{}: {error}", way.0);
        let cancel = CancellationToken::new();
        let cancelling = crate::common::real::cancel_soon(&cancel);
        let (ended, ()) = tokio::join!(pool.call(of_it(tool, long, LONG), &cancel), cancelling);
        assert!(matches!(ended, Err(CallError::Cancelled { .. })), "{}: {ended:?}", way.0);
        assert_eq!(
            call(&pool, "echo", json!({"message": "a"})).await.unwrap().text(),
            "Echo: a",
            "{}",
            way.0
        );
        pool.close().await;
    }
}

/// After a restart this server does not know the session, and says so with 400 and an error without an id: a client
/// that waits for the id waits for ever.
// rules: X2, X4
#[tokio::test]
async fn a_server_that_was_started_again_is_heard_again() {
    for way in WAYS {
        let Some(mut server) = RunningServer::start("BECKET_TEST_MCP_EVERYTHING", &[way.0]) else { return };
        let (pool, _place) = connect(&server, way, Arc::new(())).await;
        assert_eq!(call(&pool, "echo", json!({"message": "a"})).await.unwrap().text(), "Echo: a");
        server.restart();
        // The first call may detect this for the others; none may hang.
        let first = call(&pool, "echo", json!({"message": "b"})).await;
        if let Err(error) = first {
            assert!(!matches!(error, CallError::TimedOut { .. }), "{}: {error}", way.0);
        }
        assert_eq!(
            call(&pool, "echo", json!({"message": "c"})).await.unwrap().text(),
            "Echo: c",
            "{}",
            way.0
        );
        pool.close().await;
    }
}

// rule: X2
#[tokio::test]
async fn a_server_that_is_gone_is_an_error_that_says_so() {
    for way in WAYS {
        let Some(mut server) = RunningServer::start("BECKET_TEST_MCP_EVERYTHING", &[way.0]) else { return };
        let (pool, _place) = connect(&server, way, Arc::new(())).await;
        assert_eq!(call(&pool, "echo", json!({"message": "a"})).await.unwrap().text(), "Echo: a");
        server.stop();
        for _ in 0..2 {
            let error = call(&pool, "echo", json!({"message": "b"})).await.unwrap_err();
            assert!(!matches!(error, CallError::TimedOut { .. }), "{}: {error}", way.0);
            assert!(error.to_string().contains("`it`"), "{}: {error}", way.0);
        }
        pool.close().await;
    }
}
