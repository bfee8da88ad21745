//! The requirements on every link.

use rmcp::model::RequestId;
use serde_json::{Value, json};

use super::brain::Brain;
use super::client::{Trial, eventually};
use crate::connection::link::Link;

/// Checks concurrent calls, unsolicited messages, and questions of the server.
pub(in crate::connection) async fn calls_are_answered<L: Link>(trial: &Trial<L>, brain: &Brain) {
    let text = format!("a\u{1F680}\r\n\n{}", "long ".repeat(50_000));
    assert_eq!(trial.call("echo", json!({"text": text})).await, Ok(text));

    let texts = (0..100).map(|n| n.to_string());
    let calls = texts.map(async |text| assert_eq!(trial.call("echo", json!({"text": text})).await, Ok(text)));
    futures_util::future::join_all(calls).await;

    assert_eq!(trial.call("progress", json!({})).await, Ok("done".into()));
    assert_eq!(trial.call("change", json!({})).await, Ok("done".into()));
    eventually("it hears all that it is told", || trial.heard().len() == 3).await;
    let mut heard = trial.heard();
    heard.sort_unstable();
    assert_eq!(heard, ["progress 1", "progress 2", "tools changed"]);

    assert_eq!(trial.call("ask", json!({})).await, Ok("done".into()));
    let is_pong = |message: &Value| message["id"] == "q1" && message["result"] == json!({});
    eventually("the server's question is answered", || brain.heard().iter().any(is_pong)).await;

    let handle = trial.ask("hang", json!({})).await;
    let RequestId::Number(id) = handle.id else { panic!("ids are numbers") };
    handle.cancel(Some("enough".into())).await.unwrap();
    eventually("the server hears of the end", || brain.count("notifications/cancelled") == 1).await;
    let heard = brain.heard();
    let at = |is: &dyn Fn(&Value) -> bool| heard.iter().position(is).unwrap();
    let cancelled = at(&|message| message["params"]["requestId"] == id);
    assert!(at(&|message| message["params"]["name"] == "hang" && message["id"] == id) < cancelled);
    assert!(trial.works().await);
}

/// Checks that an invalid answer fails one call only.
pub(in crate::connection) async fn what_breaks_a_call_breaks_no_other<L: Link>(trial: &Trial<L>) {
    assert_eq!(trial.call("noise", json!({})).await, Ok("done".into()));
    let output = trial.link.state().output();
    assert_eq!(output.no_message.as_deref(), Some("listening on port 8"));
    let error = trial.call("unreadable", json!({})).await.unwrap_err();
    assert!(error.starts_with("it can't be read: "), "{error}");
    assert_eq!(trial.call("nameless", json!({})).await, Err("which request was that?".into()));
    assert!(trial.works().await);
}
