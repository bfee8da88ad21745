//! A run ends with its limit, its cancellation or its future, wherever it is, and leaves nothing behind.

use crate::common::{Project, bash, block_on, call, fire};
use crate::http::server::{Server, ok};
use crate::http::{failure, guard};
use becket_engine::{CancellationToken, Engine, Resolve, Status};
use becket_model::Event;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::net::{IpAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

struct Never;

impl Resolve for Never {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(std::future::pending())
    }
}

fn timed(url: &str) -> (Project, Engine) {
    let project = Project::with(guard(url, json!({"timeout": 1})));
    let engine = project.builder().resolver(Never).build().unwrap();
    (project, engine)
}

fn runs_out(url: &str, event: impl FnOnce(&Project) -> Event) {
    let (project, engine) = timed(url);
    let started = Instant::now();
    let outcome = fire(&engine, &event(&project));
    assert_eq!(failure(&outcome), "ran out of time after 1 s", "{url}");
    assert_eq!(outcome.runs[0].status, Status::Cancelled);
    assert!(started.elapsed() < Duration::from_secs(20), "{url}");
}

fn plain(project: &Project) -> Event {
    project.event(bash("ls"))
}

// rules: H5, H11
#[test]
fn the_limit_covers_the_lookup_tls_sending_and_every_byte_of_the_answer() {
    runs_out("http://guard.example/", plain);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    runs_out(&format!("https://127.0.0.1:{port}/"), plain);
    // The client does not read: everything beyond the socket buffers is never sent.
    let long = json!({"command": "x".repeat(32 << 20)});
    runs_out(&format!("http://127.0.0.1:{port}/"), |project| project.event(call("Bash", long)));
    let drip = Server::new(|_, stream| {
        let mut bytes = ok("{}").into_bytes().into_iter().chain(std::iter::repeat(b' '));
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").is_ok()
            && bytes.all(|byte| {
                std::thread::sleep(Duration::from_millis(20));
                stream.write_all(&[byte]).is_ok()
            })
    });
    runs_out(&drip.url("/"), plain);
    assert!(drip.all_closed());
}

// rule: H5
#[test]
fn a_cancelled_run_closes_its_connection() {
    let silent = Server::new(|_, _| true);
    let project = Project::with(guard(&silent.url("/"), json!({})));
    let engine = project.engine();
    let cancel = CancellationToken::new();
    let outcome = block_on(async {
        let event = plain(&project);
        let told = async {
            becket_testkit::wait::until("the request arrives", || !silent.seen().is_empty()).await;
            cancel.cancel();
        };
        futures_util::future::join(engine.fire_until(&event, &cancel), told).await.0
    });
    assert_eq!(failure(&outcome), "was cancelled");
    assert!(silent.all_closed());
}

// rule: H5
#[test]
fn a_cancelled_event_posts_nothing_that_is_waited_for() {
    let silent = Server::new(|_, _| true);
    let project = Project::with(guard(&silent.url("/"), json!({})));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let outcome = block_on(project.engine().fire_until(&plain(&project), &cancel));
    assert_eq!(failure(&outcome), "was cancelled");
    assert!(silent.all_closed());
}

// rule: H5
#[test]
fn no_task_and_no_connection_outlives_a_run_that_did_not_end_well() {
    let silent = Server::new(|_, _| true);
    let project = Project::with(guard(&silent.url("/"), json!({"timeout": 1})));
    let engine = project.engine();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let outcome = engine.fire(&plain(&project)).await;
        assert_eq!(failure(&outcome), "ran out of time after 1 s");
        let event = plain(&project);
        let dropped = tokio::time::timeout(Duration::from_millis(300), engine.fire(&event)).await;
        assert!(dropped.is_err());
        let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
        becket_testkit::wait::until("all tasks end", || alive() == 0).await;
    });
    assert!(silent.opened() >= 1 && silent.all_closed());
}

// rule: H5
#[test]
fn an_idle_connection_is_given_up_soon() {
    let server = Server::ok("");
    let project = Project::with(guard(&server.url("/"), json!({})));
    let engine = project.engine();
    block_on(async {
        assert_eq!(failure(&engine.fire(&plain(&project)).await), "");
        let closed = tokio::task::spawn_blocking(move || server.all_closed());
        assert!(closed.await.unwrap());
    });
}

// rules: H5, O10
#[test]
fn of_an_answer_without_end_no_more_than_the_cap_is_taken() {
    let sent = Arc::new(AtomicUsize::new(0));
    let of_server = sent.clone();
    let server = Server::new(move |_, stream| {
        let mut more = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n{}").is_ok();
        while more {
            more = stream.write_all(&[b' '; 1 << 16]).is_ok();
            of_server.fetch_add(1 << 16, Ordering::SeqCst);
        }
        false
    });
    let project = Project::with(guard(&server.url("/"), json!({})));
    let outcome = fire(&project.engine(), &plain(&project));
    assert!(failure(&outcome).contains("longer than 1048576 bytes"), "{}", failure(&outcome));
    assert!(server.all_closed());
    assert!(sent.load(Ordering::SeqCst) < 64 << 20, "the sockets' buffers and little more");
}

// rules: H5, O10
#[test]
fn where_nobody_listens_the_message_says_so() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let blocks = |more: Value| {
        let project = Project::with(guard(&format!("http://127.0.0.1:{port}/"), more));
        let outcome = fire(&project.engine(), &plain(&project));
        let wanted =
            format!("nothing listens at `127.0.0.1:{port}` (connection refused): is the server running?");
        assert_eq!(failure(&outcome), format!("its request failed: {wanted}"));
        outcome.verdict.blocks()
    };
    assert!(!blocks(json!({})));
    assert!(blocks(json!({"onFailure": "block"})));
}

// rules: H5, N2
#[test]
fn the_body_is_the_input_without_the_newline() {
    let server = Server::ok("");
    let project = Project::with(guard(&server.url("/a?b=c#d"), json!({})));
    drop(fire(&project.engine(), &plain(&project)));
    let seen = server.seen();
    assert!(seen[0].head.starts_with("post /a?b=c http/1.1\r\n"), "{}", seen[0].head);
    assert_eq!(seen[0].header("content-type"), [b"application/json"]);
    let input: Value = serde_json::from_slice(&seen[0].body).unwrap();
    assert_eq!(input["tool_input"]["command"], "ls");
    assert_eq!(input["hook_event_name"], "PreToolUse");
    assert!(seen[0].body.ends_with(b"}"));
}
