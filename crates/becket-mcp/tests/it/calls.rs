//! Calls of a connected server: their results, and the error of each failure.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::time::{Duration, Instant};

use crate::common::{LONG, Place, SHORT, call, call_connected, call_for, nothing, of_it, ours, tools};
use becket_mcp::{CallError, CancellationToken, Content, Fault, ToolCall};
use serde_json::{Value, json};

// rule: H6
#[tokio::test]
async fn an_answer_is_its_text_its_blocks_and_its_value() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    let input = json!({"z": 1, "a": ["é", null], "n": 1e300});
    let echoed = call(&pool, "echo", input.clone()).await.unwrap();
    assert_eq!(serde_json::from_str::<Value>(&echoed.text()).unwrap(), input);
    assert_eq!((echoed.structured, echoed.is_error), (Some(json!({"got": input})), false));

    assert_eq!(call(&pool, "text", nothing()).await.unwrap().text(), "one\ntwo");
    let mixed = call(&pool, "mixed", nothing()).await.unwrap();
    assert_eq!(mixed.text(), "t");
    let kinds: Vec<&str> = mixed.content.iter().map(Content::kind).collect();
    assert_eq!(kinds, ["image", "text", "resource_link", "resource"]);
    assert_eq!(mixed.content[0].value(), &json!({"type": "image", "data": "eA==", "mimeType": "image/png"}));

    let null = call(&pool, "null", nothing()).await.unwrap();
    assert_eq!((null.text().as_str(), null.structured), ("", Some(Value::Null)));
    pool.close().await;
}

// rule: H6
#[tokio::test]
async fn a_tool_that_says_it_failed_has_answered() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    let failed = call(&pool, "fails", nothing()).await.unwrap();
    assert!(failed.is_error);
    assert_eq!(failed.text(), "it did not work");
    let unknown = call(&pool, "unknown_block", nothing()).await.unwrap();
    assert!(unknown.is_error);
    assert_eq!(unknown.text(), "known");
    assert_eq!(unknown.content[1].value(), &json!({"type": "hologram", "depth": 3}));
    pool.close().await;
}

// rule: H6
#[tokio::test]
async fn names_that_do_not_exist_are_answered_with_those_that_do() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    let there_is_no = |server| ToolCall { server, ..of_it("echo", nothing(), LONG) };
    let error = pool.call(there_is_no("If"), &CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "there is no MCP server `If` (did you mean `it`?): configured: `it`");

    let error = call(&pool, "Ecko", nothing()).await.unwrap_err().to_string();
    let start =
        "the MCP server `it` has no tool `Ecko` (did you mean `echo`?): its tools are: `echo`, `text`, ";
    assert!(error.starts_with(start), "{error}");
    assert!(place.got().iter().all(|message| message["method"] != "tools/call"));
    pool.close().await;
}

// rule: X5
#[tokio::test]
async fn a_tool_that_was_announced_later_can_be_called() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    assert!(matches!(call(&pool, "grown", nothing()).await, Err(CallError::NoSuchTool { .. })));
    let before = tools(&pool).len();
    call(&pool, "grow", nothing()).await.unwrap();
    assert_eq!(call(&pool, "grown", nothing()).await.unwrap().text(), "I am new");
    assert_eq!(tools(&pool).len(), before + 1);
    pool.close().await;
}

/// The behaviour of a tool of `server.py`, and the beginning of the resulting error.
const BAD_ANSWERS: [(&str, &str); 7] = [
    ("refuse", "the MCP server `it` refuses the tool `refuse`: no such thing (-32602)"),
    ("no_id", "the MCP server `it` refuses the tool `no_id`: could not read that (-32700)"),
    (
        "bad_answer",
        "the answer of the MCP server `it` to the tool `bad_answer` breaks the protocol: it can't be read: ",
    ),
    ("deep", "the answer of the MCP server `it` to the tool `deep` breaks the protocol: it can't be read: "),
    (
        "empty",
        "the answer of the MCP server `it` to the tool `empty` breaks the protocol: it is not a result of a tool",
    ),
    (
        "strange",
        "the answer of the MCP server `it` to the tool `strange` breaks the protocol: it is not a result of a tool",
    ),
    (
        "input_required",
        "the MCP server `it` has asked 3 times for more before it gives the tool `input_required`: it was",
    ),
];

// rule: H6
#[tokio::test]
async fn a_bad_answer_fails_its_call_at_once_and_no_other() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    for (tool, begins) in BAD_ANSWERS {
        let error = call(&pool, tool, nothing()).await.unwrap_err().to_string();
        assert!(error.starts_with(begins), "{tool}: {error}");
        assert_eq!(call(&pool, "text", nothing()).await.unwrap().text(), "one\ntwo", "after {tool}");
    }
    pool.close().await;
}

#[tokio::test]
async fn a_call_has_a_deadline_and_the_server_hears_of_it() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    let start = Instant::now();
    let error = call_for(&pool, "hang", nothing(), SHORT).await.unwrap_err();
    assert!(start.elapsed() < LONG);
    assert_eq!(error.to_string(), "the tool `hang` of the MCP server `it` did not answer within 0.3 s");
    the_hanging_call_was_cancelled(&place).await;
    assert_eq!(call(&pool, "text", nothing()).await.unwrap().text(), "one\ntwo");
    pool.close().await;
}

#[tokio::test]
async fn a_cancelled_call_ends_and_the_server_hears_of_it() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    let cancel = CancellationToken::new();
    let hanging = pool.call(of_it("hang", nothing(), LONG), &cancel);
    let cancelling = async {
        place.wait_for("tools/call").await;
        cancel.cancel();
    };
    let (ended, ()) = tokio::join!(hanging, cancelling);
    assert!(matches!(ended, Err(CallError::Cancelled { .. })), "{ended:?}");
    the_hanging_call_was_cancelled(&place).await;

    let again = pool.call(of_it("text", nothing(), LONG), &cancel).await;
    assert!(matches!(again, Err(CallError::Cancelled { .. })), "{again:?}");
    assert!(place.got().iter().all(|message| message["params"]["name"] != "text"));
    pool.close().await;
}

#[tokio::test]
async fn a_dropped_call_is_cancelled_at_the_server() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    let hanging = call(&pool, "hang", nothing());
    let sent = place.wait_for("tools/call");
    tokio::select! {
        ended = hanging => panic!("{ended:?}"),
        _ = sent => {}
    }
    the_hanging_call_was_cancelled(&place).await;
    pool.close().await;
}

async fn the_hanging_call_was_cancelled(place: &Place) {
    let called = place.wait_for("tools/call").await;
    let cancelled = place.wait_for("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], called["id"]);
}

#[tokio::test]
async fn the_shorter_of_both_limits_counts() {
    let place = Place::new();
    let mut configured = ours("it", &[]);
    configured.config.as_mut().unwrap().timeout = Some(SHORT);
    let pool = place.start(vec![configured]).await;
    let error = call(&pool, "hang", nothing()).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { limit: SHORT, .. }), "{error}");
    let shorter = Duration::from_millis(100);
    let error = call_for(&pool, "hang", nothing(), shorter).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { limit, .. } if limit == shorter), "{error}");
    pool.close().await;
}

#[tokio::test]
async fn a_late_answer_goes_to_nobody() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    let error = call_for(&pool, "late", json!({"seconds": 1}), SHORT).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { .. }), "{error}");
    assert_eq!(call(&pool, "text", nothing()).await.unwrap().text(), "one\ntwo");
    pool.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_find_their_calls_when_many_are_under_way() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    let calls = (0..200).map(|number| {
        let pool = &pool;
        async move {
            let echoed = call(pool, "echo", json!({"number": number})).await.unwrap();
            assert_eq!(echoed.structured, Some(json!({"got": {"number": number}})));
        }
    });
    futures_util::future::join_all(calls).await;
    pool.close().await;
}

// rule: X7
#[tokio::test]
async fn a_server_that_dies_says_how_and_why_to_all_who_wait() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    let (hanging, killing) = (call(&pool, "hang", nothing()), call(&pool, "die", nothing()));
    for ended in <[_; 2]>::from(tokio::join!(hanging, killing)) {
        let error = ended.unwrap_err();
        let Some((fault, said)) = died(&error) else { panic!("{error}") };
        assert_eq!((fault.to_string().as_str(), said), ("it exited with 3", "dying as told\n"));
    }
    let after = call_connected(&pool, "text", nothing()).await.unwrap_err().to_string();
    assert_eq!(after, "the MCP server `it` is gone: it exited with 3; its stderr ends with: dying as told");
    pool.close().await;
}

fn died(error: &CallError) -> Option<(&Fault, &str)> {
    if let CallError::Died { fault, output, .. } = error {
        Some((fault, output.stderr.as_str()))
    } else {
        None
    }
}

#[tokio::test]
async fn a_message_of_16_mib_passes_and_one_of_17_breaks_the_connection_by_name() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    let size = (16 << 20) - 1000;
    assert_eq!(call(&pool, "line", json!({"size": size})).await.unwrap().text().len(), size);
    let error = call(&pool, "line", json!({"size": 17 << 20})).await.unwrap_err();
    let Some((Fault::LineTooLong(cap), _)) = died(&error) else { panic!("{error}") };
    assert_eq!(*cap, 16 << 20);
    pool.close().await;
}

#[tokio::test]
async fn what_is_no_message_is_passed_over_and_remembered() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    assert_eq!(call(&pool, "banner", nothing()).await.unwrap().text(), "after the banner");
    let burst = json!({"lines": 2000, "size": 1000});
    assert_eq!(call(&pool, "burst", burst).await.unwrap().text(), "after the burst");
    let error = call(&pool, "die", nothing()).await.unwrap_err().to_string();
    assert!(error.contains("its stdout has `Server ready`, which is not a message"), "{error}");
    pool.close().await;
}

// rule: X7
#[tokio::test]
async fn stderr_is_drained_and_its_end_is_kept() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    let noise = json!({"chunks": 2000});
    assert_eq!(call(&pool, "noise", noise).await.unwrap().text(), "made noise");
    let error = call(&pool, "die", nothing()).await.unwrap_err();
    let Some((_, said)) = died(&error) else { panic!("{error}") };
    assert!(said.ends_with("the end of the noise\ndying as told\n"), "{said}");
    assert_eq!(said.len(), 8 << 10);
    pool.close().await;
}

#[tokio::test]
async fn a_server_that_closes_its_stdout_can_only_time_out() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    let error = call_for(&pool, "close_stdout", nothing(), SHORT).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { .. }), "{error}");
    pool.close().await;
    place.marker.wait_for(0);
}

#[tokio::test]
async fn a_server_that_closes_its_stdin_is_gone_by_name() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    call(&pool, "close_stdin", nothing()).await.unwrap();
    // The first message finds the pipe closed; it is the second that is refused.
    let first = call_for(&pool, "text", nothing(), SHORT).await.unwrap_err();
    assert!(matches!(first, CallError::TimedOut { .. } | CallError::Died { .. }), "{first}");
    let second = call_connected(&pool, "text", nothing()).await.unwrap_err();
    assert_eq!(second.to_string(), "the MCP server `it` is gone: it has closed its stdin");
    pool.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_reading_is_given_up_before_it_fills_the_memory() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    call(&pool, "stop_reading", nothing()).await.unwrap();
    let big = json!({"text": "x".repeat(8 << 20)});
    let calls = (0..12).map(|_| call(&pool, "echo", big.clone()));
    for ended in futures_util::future::join_all(calls).await {
        let error = ended.unwrap_err();
        assert!(matches!(died(&error), Some((Fault::NotReading(_), _))), "{error}");
    }
    pool.close().await;
}

#[tokio::test]
async fn a_closed_connection_says_so() {
    let place = Place::new();
    let pool = place.connect(&[]).await;
    let hanging = call(&pool, "hang", nothing());
    let closing = async {
        place.wait_for("tools/call").await;
        pool.close().await;
    };
    let (ended, ()) = tokio::join!(hanging, closing);
    let error = ended.unwrap_err().to_string();
    assert_eq!(error, "the MCP server `it` is gone: the connection was closed");
    let error = call(&pool, "text", nothing()).await.unwrap_err().to_string();
    assert_eq!(error, "the MCP server `it` is gone: the connection was closed");
    pool.close().await;
}

// rule: X7
#[tokio::test]
async fn a_server_is_asked_to_go_before_it_is_told_to() {
    for (flags, expected) in [
        (["--note-end", "--note-end"], vec!["test/eof"]),
        (["--note-end", "--ignore-eof"], vec!["test/eof", "test/term"]),
    ] {
        let mut place = Place::new();
        place.options.exit_grace = if expected.len() == 1 { LONG } else { Duration::from_secs(2) };
        place.options.term_grace = LONG;
        let pool = place.connect(&flags).await;
        pool.close().await;
        let got = place.got();
        let ends = got.iter().filter_map(|message| message["method"].as_str());
        let ends: Vec<&str> = ends.filter(|method| method.starts_with("test/")).collect();
        assert_eq!(ends, expected);
    }
}
