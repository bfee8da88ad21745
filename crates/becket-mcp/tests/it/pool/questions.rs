//! Questions of servers to the host during calls, and their effect on the time of calls.

use becket_testkit::wait::until;
use std::sync::Arc;
use std::time::Duration;

use becket_mcp::{CallError, CancellationToken, Elicitation, Offers, Options, Pool};
use becket_testkit::mcp_http::Plan;
use serde_json::{Value, json};

use crate::common::{LONG, SHORT, call, call_for, nothing, of_it, remote};
use crate::pool::host::{ALL, Answers, Broken, RecordingHost};
use crate::pool::scripted::{ReceivedMessage, ScriptedServer, Then, options, said, send};

/// Returns a server that sends a request before it answers a call of `other`, and returns the result.
fn asks(method: &'static str, params: Value) -> Arc<ScriptedServer> {
    let waiting = std::sync::Mutex::new(Value::Null);
    ScriptedServer::new(move |seen| {
        let message = &seen.message;
        if message["method"] == "tools/call" && message["params"]["name"] == "other" {
            *waiting.lock().unwrap() = message["id"].clone();
            send(
                &seen.sender,
                json!({"jsonrpc": "2.0", "id": "q", "method": method, "params": params.clone()}),
            );
            return Then::Silence;
        }
        if message["id"] == "q" {
            let heard = message.get("result").or(message.get("error")).unwrap();
            let id = waiting.lock().unwrap().clone();
            send(&seen.sender, json!({"jsonrpc": "2.0", "id": id, "result": said(&heard.to_string())}));
        }
        Then::Usual
    })
}

fn form() -> Value {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    json!({"mode": "form", "message": "who are you?", "requestedSchema": schema})
}

fn forms() -> Arc<ScriptedServer> {
    asks("elicitation/create", form())
}

async fn heard(pool: &Pool) -> Value {
    serde_json::from_str(&call(pool, "other", nothing()).await.unwrap().text()).unwrap()
}

/// A sampling request, with its answer.
fn sampling() -> (Value, Value) {
    let message = json!({"role": "user", "content": {"type": "text", "text": "say this"}});
    (
        json!({"messages": [message], "maxTokens": 10}),
        json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "say this"}}),
    )
}

// rule: X6
#[tokio::test]
async fn what_a_host_offers_is_announced_and_answered() {
    let roots = json!({"roots": [{"uri": "file:///work", "name": "work"}]});
    let url = json!({"mode": "url", "message": "go", "url": "https://example.org/a", "elicitationId": "e"});
    // The library knows no such field; the question reaches the host anyway.
    let odd = json!({"message": "odd", "requestedSchema": {"type": "object", "properties": {"x": {"type": "map"}}}});
    let yes = json!({"action": "accept", "content": {"name": "Ada"}});
    for (method, params, expected) in [
        ("elicitation/create", form(), yes.clone()),
        ("elicitation/create", url, yes.clone()),
        ("elicitation/create", odd, yes),
        ("sampling/createMessage", sampling().0, sampling().1),
        ("roots/list", json!({}), roots),
    ] {
        let (server, host) = (asks(method, params), RecordingHost::yes());
        let pool = server.pool(options(), host.clone());
        assert_eq!(heard(&pool).await, expected, "{method}");
        let capabilities = &server.wait_for_method("initialize").await["params"]["capabilities"];
        let all = json!({"roots": {}, "sampling": {}, "elicitation": {"form": {}, "url": {}}});
        assert_eq!(*capabilities, all);
        assert_eq!(host.questions(), usize::from(method == "elicitation/create"));
        pool.close().await;
    }
}

// rule: X6
#[tokio::test]
async fn a_question_reaches_the_host_as_it_was_asked() {
    let host = RecordingHost::yes();
    let pool = forms().pool(options(), host.clone());
    heard(&pool).await;
    let asked = host.asked.lock().unwrap().remove(0);
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let Elicitation::Form { message, schema: got } = asked else { panic!("{asked:?}") };
    assert_eq!((message.as_str(), Value::Object(got)), ("who are you?", schema));
    pool.close().await;
}

// rule: X6
#[tokio::test]
async fn what_a_host_does_not_offer_is_neither_announced_nor_given() {
    for (method, params) in
        [("elicitation/create", form()), ("sampling/createMessage", sampling().0), ("roots/list", json!({}))]
    {
        let hosts: [Arc<dyn becket_mcp::Host>; 3] =
            [Arc::new(()), RecordingHost::new(Offers::default(), Answers::No), Arc::new(Broken)];
        for host in hosts {
            let server = asks(method, params.clone());
            let pool = server.pool(options(), host);
            assert_eq!(heard(&pool).await["code"], -32601, "{method}");
            let initialize = server.wait_for_method("initialize").await;
            assert_eq!(initialize["params"]["capabilities"], json!({}));
            pool.close().await;
        }
    }
    let urls_only = Offers { form: false, ..ALL };
    let pool = forms().pool(options(), RecordingHost::new(urls_only, Answers::No));
    assert_eq!(heard(&pool).await["code"], -32601);
    pool.close().await;
}

// rule: X6
#[tokio::test]
async fn a_host_that_fails_is_a_refusal_and_the_connection_goes_on() {
    let cancelled = json!({"action": "cancel"});
    for (answers, method, params, expected) in [
        (Answers::No, "elicitation/create", form(), json!({"action": "decline"})),
        (Answers::Never, "elicitation/create", form(), cancelled.clone()),
        (Answers::Panics { at_once: true }, "elicitation/create", form(), cancelled.clone()),
        (Answers::Panics { at_once: false }, "elicitation/create", form(), cancelled),
        (
            Answers::Never,
            "roots/list",
            json!({}),
            json!({"code": -32603, "message": "this client gave no answer in time"}),
        ),
        (
            Answers::Panics { at_once: false },
            "sampling/createMessage",
            sampling().0,
            json!({"code": -32603, "message": "this client failed"}),
        ),
        (
            Answers::No,
            "sampling/createMessage",
            sampling().0,
            json!({"code": -32600, "message": "no model today"}),
        ),
    ] {
        let (server, host) = (asks(method, params), RecordingHost::new(ALL, answers));
        let mut options = options();
        options.question_limit = SHORT;
        let pool = server.pool(options, host.clone());
        assert_eq!(heard(&pool).await, expected, "{method}");
        assert!(host.tokens.lock().unwrap().iter().all(CancellationToken::is_cancelled));
        assert_eq!(call(&pool, "echo", nothing()).await.unwrap().text(), "{}");
        assert_eq!(server.connections(), 1);
        pool.close().await;
    }
}

// rule: X6
#[tokio::test]
async fn the_time_of_a_call_stands_still_while_the_user_thinks() {
    let host = RecordingHost::new(ALL, Answers::Yes(4 * SHORT, json!({"name": "Ada"})));
    let pool = forms().pool(options(), host);
    let said = call_for(&pool, "other", nothing(), 2 * SHORT).await.unwrap();
    assert!(said.text().contains("Ada"));
    pool.close().await;
}

// rule: X6
#[tokio::test]
async fn the_time_stands_still_for_so_long_and_no_longer() {
    let (server, host) = (forms(), RecordingHost::new(ALL, Answers::Never));
    let mut options = options();
    options.longest_pause = SHORT;
    let pool = server.pool(options, host.clone());
    let error = call_for(&pool, "other", nothing(), SHORT).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { limit: SHORT, .. }), "{error}");
    // The answer of the user is no longer awaited.
    let token = host.tokens.lock().unwrap().remove(0);
    tokio::time::timeout(LONG, token.cancelled()).await.unwrap();
    server.wait_for_method("notifications/cancelled").await;
    pool.close().await;
}

// rule: X6
#[tokio::test]
async fn where_nobody_knows_whose_question_it_is_all_calls_stand_still() {
    let waits = Arc::new(std::sync::Mutex::new(Value::Null));
    let hanging = Arc::clone(&waits);
    let asking = forms();
    let server = ScriptedServer::new(move |seen: &ReceivedMessage| {
        // `echo` hangs until the question is answered.
        if seen.message["params"]["name"] == "echo" {
            *hanging.lock().unwrap() = seen.message["id"].clone();
            return Then::Silence;
        }
        if seen.message["id"] == "q" {
            let id = hanging.lock().unwrap().clone();
            send(&seen.sender, json!({"jsonrpc": "2.0", "id": id, "result": said("at last")}));
        }
        asking.act(seen)
    });
    let host = RecordingHost::new(ALL, Answers::Yes(4 * SHORT, json!({})));
    let pool = server.pool(options(), host);
    let (echo, other) = tokio::join!(
        call_for(&pool, "echo", nothing(), 2 * SHORT),
        call_for(&pool, "other", nothing(), 2 * SHORT)
    );
    assert_eq!(echo.unwrap().text(), "at last");
    other.unwrap();
    pool.close().await;
}

// rule: X6
#[tokio::test]
async fn where_it_is_known_whose_question_it_is_the_others_do_not_wait() {
    let server = Plan::new()
        .rule(|seen| (seen.tool() == "echo").then_some(becket_testkit::mcp_http::Reply::Hang))
        .start();
    let host = RecordingHost::new(ALL, Answers::Yes(4 * SHORT, json!({"name": "Ada"})));
    let pool = Pool::new(options(), host);
    pool.configure(vec![remote("it", &server.url())]);
    pool.start(&CancellationToken::new()).await;
    let (echo, ask) = tokio::join!(
        call_for(&pool, "echo", nothing(), 2 * SHORT),
        call_for(&pool, "ask", nothing(), 2 * SHORT)
    );
    assert!(matches!(echo, Err(CallError::TimedOut { .. })), "{echo:?}");
    assert!(ask.unwrap().text().contains("Ada"));
    pool.close().await;
}

// rule: X6
#[tokio::test]
async fn a_question_is_withdrawn_with_its_call_and_by_its_server() {
    let (server, host) = (forms(), RecordingHost::new(ALL, Answers::Never));
    let pool = server.pool(options(), host.clone());
    let cancel = CancellationToken::new();
    let calling = pool.call(of_it("other", nothing(), LONG), &cancel);
    let cancelling = async {
        until("a question is open", || host.questions() > 0).await;
        cancel.cancel();
    };
    let (called, ()) = tokio::join!(calling, cancelling);
    assert!(matches!(called, Err(CallError::Cancelled { .. })));
    let token = host.tokens.lock().unwrap().remove(0);
    tokio::time::timeout(LONG, token.cancelled()).await.unwrap();
    pool.close().await;

    let withdraws = forms();
    let server = ScriptedServer::new(move |seen: &ReceivedMessage| {
        if seen.message["params"]["name"] == "echo" {
            let params = json!({"requestId": "q"});
            send(
                &seen.sender,
                json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}),
            );
        }
        withdraws.act(seen)
    });
    let host = RecordingHost::new(ALL, Answers::Never);
    let pool = server.pool(options(), host.clone());
    let asking = call_for(&pool, "other", nothing(), LONG);
    let withdrawing = async {
        until("a question is open", || host.questions() > 0).await;
        call(&pool, "echo", nothing()).await.unwrap();
        let token = host.tokens.lock().unwrap().remove(0);
        tokio::time::timeout(LONG, token.cancelled()).await.unwrap();
    };
    tokio::select! {
        ended = asking => panic!("{ended:?}"),
        () = withdrawing => {}
    }
    pool.close().await;
}

/// Returns a server that requires this many visits to an address before it does the work.
fn wants_visits(times: usize) -> Arc<ScriptedServer> {
    let so_far = std::sync::atomic::AtomicUsize::new(0);
    ScriptedServer::tool(move |_, _| {
        if so_far.fetch_add(1, std::sync::atomic::Ordering::AcqRel) >= times {
            return Then::Usual;
        }
        let visit =
            json!({"mode": "url", "message": "pay", "url": "https://example.org/pay", "elicitationId": "e1"});
        Then::Error(json!({"code": -32042, "message": "visit", "data": {"elicitations": [visit]}}))
    })
}

// rule: X6
#[tokio::test]
async fn a_call_that_wants_a_visit_is_made_again_after_it_and_at_most_three_times() {
    for (times, calls, is_done) in [(1, 2, true), (3, 4, true), (4, 4, false), (1000, 4, false)] {
        let (server, host) = (wants_visits(times), RecordingHost::yes());
        let pool = server.pool(options(), host.clone());
        let called = call(&pool, "echo", json!({"a": 1})).await;
        assert_eq!(server.count("tools/call"), calls, "{times}");
        assert_eq!(host.questions(), times.min(3));
        let visit = host.asked.lock().unwrap().remove(0);
        let expected = Elicitation::Url {
            message: "pay".into(),
            url: "https://example.org/pay".into(),
            id: "e1".into(),
        };
        assert_eq!(visit, expected);
        match called {
            Ok(result) => assert_eq!((result.text().as_str(), is_done), (r#"{"a":1}"#, true)),
            Err(CallError::TooManyRounds { rounds: 3, .. }) => assert!(!is_done),
            Err(other) => panic!("{other}"),
        }
        pool.close().await;
    }
}

// rule: X6
#[tokio::test]
async fn a_visit_that_nobody_makes_leaves_the_refusal_as_it_is() {
    let url_less = Offers { url: false, ..ALL };
    for host in [RecordingHost::new(ALL, Answers::No), RecordingHost::new(url_less, Answers::No)] {
        let server = wants_visits(1);
        let pool = server.pool(options(), host);
        let error = call(&pool, "echo", nothing()).await.unwrap_err();
        assert_eq!(error.to_string(), "the MCP server `it` refuses the tool `echo`: visit (-32042)");
        assert_eq!(server.count("tools/call"), 1);
        pool.close().await;
    }
}

// rule: X6
#[tokio::test]
async fn visits_that_can_t_be_read_are_not_asked_for() {
    for data in
        [json!(null), json!({}), json!({"elicitations": []}), json!({"elicitations": [{"mode": "url"}]})]
    {
        let server = ScriptedServer::tool(move |_, _| {
            Then::Error(json!({"code": -32042, "message": "visit", "data": data.clone()}))
        });
        let host = RecordingHost::yes();
        let pool = server.pool(options(), host.clone());
        let error = call(&pool, "echo", nothing()).await.unwrap_err();
        assert!(matches!(error, CallError::Refused { code: -32042, .. }), "{error}");
        assert_eq!((host.questions(), server.count("tools/call")), (0, 1));
        pool.close().await;
    }
}

/// Returns a server that requires input this many times, in the newer way.
fn wants_inputs(times: u64, asked: Value) -> Arc<ScriptedServer> {
    ScriptedServer::tool(move |_, seen| {
        let round = seen.message["params"]["requestState"].as_str().map_or(0, |state| state.parse().unwrap());
        if round >= times {
            return Then::Result(said(&seen.message["params"]["inputResponses"].to_string()));
        }
        let state = (round + 1).to_string();
        Then::Result(json!({"resultType": "input_required", "inputRequests": asked, "requestState": state}))
    })
}

// rule: X6
#[tokio::test]
async fn input_that_a_result_wants_goes_with_the_next_call_and_at_most_three_times() {
    let asked = json!({
        "who": {"method": "elicitation/create", "params": form()},
        "where": {"method": "roots/list", "params": {}},
        "what": {"method": "sampling/createMessage", "params": sampling().0},
    });
    for (times, calls) in [(1, 2), (3, 4), (4, 4)] {
        let (server, host) = (wants_inputs(times, asked.clone()), RecordingHost::yes());
        let pool = server.pool(options(), host.clone());
        let called = call(&pool, "echo", nothing()).await;
        assert_eq!((server.count("tools/call"), host.questions()), (calls, calls - 1));
        if times == 4 {
            assert!(matches!(called, Err(CallError::TooManyRounds { .. })));
        } else {
            let given: Value = serde_json::from_str(&called.unwrap().text()).unwrap();
            assert_eq!(given["who"]["content"]["name"], "Ada");
            assert_eq!(given["where"]["roots"][0]["uri"], "file:///work");
            assert_eq!(given["what"]["content"]["text"], "say this");
        }
        pool.close().await;
    }
}

// rule: X6
#[tokio::test]
async fn input_that_is_not_offered_is_an_error_by_name() {
    let asked = json!({"who": {"method": "elicitation/create", "params": form()}});
    let server = wants_inputs(1, asked);
    let pool = server.pool(options(), Arc::new(()));
    let error = call(&pool, "echo", nothing()).await.unwrap_err().to_string();
    let expected = "the answer of the MCP server `it` to the tool `echo` breaks the protocol: it asks for input that it \
                    can't have: this client does not offer that";
    assert_eq!(error, expected);
    assert_eq!(server.count("tools/call"), 1);
    pool.close().await;
}

/// Returns a server that reports progress every 100 ms before it answers.
fn progresses(times: u64) -> Arc<ScriptedServer> {
    ScriptedServer::tool(move |_, seen| {
        let (token, id) =
            (seen.message["params"]["_meta"]["progressToken"].clone(), seen.message["id"].clone());
        let sender = seen.sender.clone();
        tokio::spawn(async move {
            for done in 1.. {
                tokio::time::sleep(Duration::from_millis(100)).await;
                if done > times {
                    break;
                }
                let params =
                    json!({"progressToken": token, "progress": done, "total": times, "message": "on it"});
                let told = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
                sender.send(told).await.unwrap();
            }
            let _ = sender.send(json!({"jsonrpc": "2.0", "id": id, "result": said("done")})).await;
        });
        Then::Silence
    })
}

#[tokio::test]
async fn progress_is_told_of_the_call_that_makes_it() {
    for answers in [Answers::No, Answers::Panics { at_once: true }] {
        let host = RecordingHost::new(Offers::default(), answers);
        let pool = progresses(3).pool(options(), host.clone());
        assert_eq!(call(&pool, "echo", nothing()).await.unwrap().text(), "done");
        let mut told = host.progress.lock().unwrap().clone();
        told.sort_by(|one, two| one.done.total_cmp(&two.done));
        assert_eq!(told.iter().map(|progress| progress.done).collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
        assert!(told.iter().all(|progress| progress.tool == "echo" && progress.total == Some(3.0)));
        assert_eq!(told[0].message.as_deref(), Some("on it"));
        pool.close().await;
    }
}

#[tokio::test]
async fn progress_gives_a_call_more_time_only_where_the_options_say_so() {
    let limit = Duration::from_millis(500);
    let run = async |longest_call| {
        let pool = progresses(8).pool(Options { longest_call, ..options() }, Arc::new(()));
        let called = call_for(&pool, "echo", nothing(), limit).await;
        pool.close().await;
        called
    };
    assert!(matches!(run(None).await, Err(CallError::TimedOut { .. })));
    assert_eq!(run(Some(LONG)).await.unwrap().text(), "done");
    assert!(matches!(run(Some(Duration::from_millis(600))).await, Err(CallError::TimedOut { .. })));
}

#[tokio::test]
async fn what_a_server_logs_is_told() {
    let server = ScriptedServer::tool(|_, seen| {
        let params = json!({"level": "warning", "logger": "db", "data": {"rows": 3}});
        send(&seen.sender, json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params}));
        Then::Usual
    });
    let host = RecordingHost::new(Offers::default(), Answers::No);
    let pool = server.pool(options(), host.clone());
    call(&pool, "echo", nothing()).await.unwrap();
    until("it is logged", || !host.logged.lock().unwrap().is_empty()).await;
    let logged = host.logged.lock().unwrap().remove(0);
    assert_eq!((logged.level.as_str(), logged.logger.as_deref()), ("warning", Some("db")));
    assert_eq!(logged.data, json!({"rows": 3}));
    pool.close().await;
}

/// Returns a server that reports these visits as completed before it answers a call.
fn completes(ids: &[Value]) -> Arc<ScriptedServer> {
    let ids = ids.to_vec();
    ScriptedServer::tool(move |_, seen| {
        for id in &ids {
            let params = json!({"elicitationId": id});
            send(
                &seen.sender,
                json!({"jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": params}),
            );
        }
        send(
            &seen.sender,
            json!({"jsonrpc": "2.0", "method": "notifications/elicitation/begun",
            "params": {"elicitationId": "another method"}}),
        );
        Then::Usual
    })
}

// rule: X6
#[tokio::test]
async fn a_host_hears_that_a_visit_is_done_and_survives_it() {
    let long = |length| json!("x".repeat(length));
    let ids = [json!(7), json!(""), json!(null), long(1025), long(1024), json!("e1")];
    for answers in [Answers::No, Answers::Panics { at_once: true }] {
        let (server, host) = (completes(&ids), RecordingHost::new(ALL, answers));
        let pool = server.pool(options(), host.clone());
        call(&pool, "echo", json!({"a": 1})).await.unwrap();
        let heard = || {
            let mut heard = host.completed.lock().unwrap().clone();
            heard.sort();
            heard
        };
        until("both have arrived", || heard().len() >= 2).await;
        assert_eq!(heard(), ["e1".to_owned(), "x".repeat(1024)]);
        // The connection continues.
        call(&pool, "echo", json!({"a": 2})).await.unwrap();
        pool.close().await;
    }
}
