//! Requests of `server-everything` to a host, over stdio: questions, a model, directories; and its unsolicited
//! messages.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use becket_testkit::wait::eventually;
use std::sync::{Arc, Mutex};

use crate::common::real::program;
use crate::common::{Place, call, nothing, object};
use becket_mcp::config::ConfiguredServer;
use becket_mcp::{
    BoxFuture, CancellationToken, Elicitation, ElicitationAnswer, Host, Offers, Pool, Progress, Root,
};
use serde_json::{Map, Value, json};

/// A host that offers everything, and records the requests.
#[derive(Default)]
struct Generous {
    asked: Mutex<Vec<Elicitation>>,
    progress: Mutex<Vec<Progress>>,
    sampled: Mutex<Vec<Value>>,
}

impl Host for Generous {
    fn offers(&self) -> Offers {
        Offers { form: true, url: true, sampling: true, roots: true }
    }

    fn elicit<'a>(
        &'a self,
        _: &'a str,
        asked: Elicitation,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, ElicitationAnswer> {
        let fields = match &asked {
            Elicitation::Form { .. } => object(json!({"name": "Thomas", "check": true, "integer": 7})),
            Elicitation::Url { .. } => Map::new(),
        };
        self.asked.lock().unwrap().push(asked);
        Box::pin(std::future::ready(ElicitationAnswer::Accept(fields)))
    }

    fn sample<'a>(
        &'a self,
        _: &'a str,
        request: Map<String, Value>,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Map<String, Value>, String>> {
        self.sampled.lock().unwrap().push(Value::Object(request));
        let text = json!({"type": "text", "text": "will no one rid me"});
        let said = json!({"role": "assistant", "content": text, "model": "henry-2"});
        Box::pin(std::future::ready(Ok(object(said))))
    }

    fn roots<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Vec<Root>> {
        let root = Root { uri: "file:///cathedral".into(), name: Some("the cathedral".into()) };
        Box::pin(std::future::ready(vec![root]))
    }

    fn progress(&self, _: &str, progress: Progress) {
        self.progress.lock().unwrap().push(progress);
    }
}

/// Returns the server, connected for a host; `None` if there is a reason why it is missing.
async fn connect(host: Arc<dyn Host>, place: &Place) -> Option<Pool> {
    let pool = Pool::new(place.options.clone(), host);
    pool.configure(vec![ConfiguredServer::of_host("it", program("BECKET_TEST_MCP_EVERYTHING", &["stdio"])?)]);
    pool.start(&CancellationToken::new()).await;
    Some(pool)
}

async fn names(pool: &Pool) -> Vec<String> {
    let tools = pool.tools("it", &CancellationToken::new()).await.unwrap();
    tools.iter().map(|tool| tool.name.clone()).collect()
}

/// The tools that the server adds once it knows the offers of the host; it announces the change.
const LENT: [&str; 4] =
    ["trigger-elicitation-request", "trigger-url-elicitation", "trigger-sampling-request", "get-roots-list"];

// rules: X5, X6
#[tokio::test]
async fn what_a_host_does_not_lend_is_not_offered_to_it() {
    let place = Place::new();
    let Some(pool) = connect(Arc::new(()), &place).await else { return };
    assert_eq!(call(&pool, "echo", json!({"message": "a"})).await.unwrap().text(), "Echo: a");
    let names = names(&pool).await;
    assert!(names.iter().any(|name| name == "echo"), "{names:?}");
    assert!(!names.iter().any(|name| LENT.contains(&name.as_str())), "{names:?}");
    pool.close().await;
    place.marker.wait_for(0);
}

// rules: X5, X6
#[tokio::test]
async fn tools_that_come_later_are_found() {
    let place = Place::new();
    let Some(pool) = connect(Arc::new(Generous::default()), &place).await else { return };
    eventually("all tools are there", async || {
        let names = names(&pool).await;
        LENT.iter().all(|lent| names.contains(&(*lent).to_owned())).then_some(())
    })
    .await;
    pool.close().await;
    place.marker.wait_for(0);
}

// rule: X6
#[tokio::test]
async fn a_form_is_filled_in() {
    let (place, host) = (Place::new(), Arc::new(Generous::default()));
    let Some(pool) = connect(Arc::<Generous>::clone(&host), &place).await else { return };
    let told = call(&pool, "trigger-elicitation-request", nothing()).await.unwrap().text();
    assert!(told.contains("Name: Thomas") && told.contains("Favorite Integer: 7"), "{told}");
    let asked = host.asked.lock().unwrap().clone();
    let [Elicitation::Form { message, schema }] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!(message, "Please provide inputs for the following fields:");
    assert_eq!(schema["required"], json!(["name"]));
    assert_eq!(schema["properties"]["email"]["format"], "email");
    pool.close().await;
    place.marker.wait_for(0);
}

// rule: X6
#[tokio::test]
async fn an_address_is_shown_whole_whichever_way_it_comes() {
    let (place, host) = (Place::new(), Arc::new(Generous::default()));
    let Some(pool) = connect(Arc::<Generous>::clone(&host), &place).await else { return };
    let url = "https://example.com/canterbury?way=pilgrims&day=29#end";
    let asked = json!({"url": url, "elicitationId": "e-1"});
    let told = call(&pool, "trigger-url-elicitation", asked).await.unwrap().text();
    assert!(told.contains("User completed the URL elicitation flow"), "{told}");
    let first = Elicitation::Url {
        message: "Please open the link to complete this action.".into(),
        url: url.into(),
        id: "e-1".into(),
    };
    assert_eq!(host.asked.lock().unwrap().as_slice(), std::slice::from_ref(&first));

    // The same as an error of the call, -32042, after which the call is repeated.
    let refused = json!({"url": url, "elicitationId": "e-1", "errorPath": true});
    let told = call(&pool, "trigger-url-elicitation", refused).await.unwrap().text();
    assert!(told.contains("User completed the URL elicitation flow"), "{told}");
    let asked = host.asked.lock().unwrap().clone();
    let [_, Elicitation::Url { url, .. }, last] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!(url, "https://modelcontextprotocol.io");
    assert_eq!(*last, first);
    pool.close().await;
    place.marker.wait_for(0);
}

// rule: X6
#[tokio::test]
async fn a_model_and_directories_are_lent() {
    let (place, host) = (Place::new(), Arc::new(Generous::default()));
    let Some(pool) = connect(Arc::<Generous>::clone(&host), &place).await else { return };
    let asked = json!({"prompt": "speak", "maxTokens": 12});
    let told = call(&pool, "trigger-sampling-request", asked).await.unwrap().text();
    assert!(told.contains("will no one rid me") && told.contains("henry-2"), "{told}");
    let sampled = host.sampled.lock().unwrap().clone();
    assert_eq!((sampled.len(), &sampled[0]["maxTokens"]), (1, &json!(12)));
    let told = call(&pool, "get-roots-list", nothing()).await.unwrap().text();
    assert!(told.contains("the cathedral") && told.contains("file:///cathedral"), "{told}");
    pool.close().await;
    place.marker.wait_for(0);
}

// rule: H6
#[tokio::test]
async fn a_long_call_says_how_far_it_is() {
    let (place, host) = (Place::new(), Arc::new(Generous::default()));
    let Some(pool) = connect(Arc::<Generous>::clone(&host), &place).await else { return };
    let long = json!({"duration": 0.2, "steps": 4});
    let told = call(&pool, "trigger-long-running-operation", long).await.unwrap().text();
    assert!(told.contains("completed"), "{told}");
    let progress = host.progress.lock().unwrap().clone();
    let done: Vec<f64> = progress.iter().map(|progress| progress.done).collect();
    assert_eq!(done, [1.0, 2.0, 3.0, 4.0]);
    assert!(progress.iter().all(|progress| progress.total == Some(4.0)), "{progress:?}");
    assert!(progress.iter().all(|progress| progress.tool == "trigger-long-running-operation"));
    pool.close().await;
    place.marker.wait_for(0);
}
