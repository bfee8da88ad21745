//! Nothing remains of connections over HTTP and of processes: no socket, no session, no process, no task, no thread.
//! Checked with the servers, the system and the runtime, never with the pool.

use becket_testkit::wait::until as eventually;
use std::time::Duration;

use crate::common::{LONG, Place, call, nothing, of_it, ours, state};
use becket_mcp::config::{ConfiguredServer, Remote, ServerConfig, Tls, Transport};
use becket_mcp::{CallError, CancellationToken, Connect, Pool, ToolCall};
use becket_testkit::mcp_http::tls::Pems;
use becket_testkit::mcp_http::{Plan, ReceivedRequest, Reply, Server};
use becket_testkit::proc::{open_descriptors, threads, wait_until, zombies};
use futures_util::future::join_all;
use tokio::runtime::{Handle, Runtime};

/// The limit on open connections to an idle server: the stream for unsolicited messages, and the pooled ones.
const FEW: usize = 3;

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn tasks() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

fn over_http(name: &str, server: &Server, tls: Option<Tls>) -> ConfiguredServer {
    let remote = Remote { tls, ..Remote::new(server.url().parse().unwrap()) };
    ConfiguredServer::of_host(name, ServerConfig { transport: Transport::Http(remote), timeout: None })
}

// rules: X2, X7
#[test]
fn nothing_is_left_of_connections_that_were_used() {
    let _alone = crate::alone();
    // Things that the first use opens permanently.
    runtime().block_on(closed_and_dropped());
    let before = (open_descriptors(), threads());
    for (name, scene) in SCENES {
        let one = runtime();
        one.block_on(scene());
        assert_eq!(one.metrics().num_alive_tasks(), 0, "{name}: tasks that nobody waits for");
        drop(one);
        let is_as_before = || no_more_than(before);
        assert!(wait_until(is_as_before), "{name}: {:?}, not {before:?}", (open_descriptors(), threads()));
    }
    ended_by_its_runtime();
    assert!(wait_until(|| no_more_than(before)), "{before:?} before");
    assert!(wait_until(|| zombies().is_empty()), "zombies: {:?}", zombies());
}

/// A thread that existed before may have ended since.
fn no_more_than(before: (usize, usize)) -> bool {
    open_descriptors() <= before.0 && threads() <= before.1
}

type Scene = fn() -> std::pin::Pin<Box<dyn Future<Output = ()>>>;

const SCENES: [(&str, Scene); 5] = [
    ("closed and dropped", || Box::pin(closed_and_dropped())),
    ("failed", || Box::pin(failed())),
    ("restarts over HTTP", || Box::pin(restarts_over_http())),
    ("restarts of a process", || Box::pin(restarts_of_a_process())),
    ("cancelled", || Box::pin(cancelled())),
];

async fn closed_and_dropped() {
    for is_closed in [true, false] {
        for is_encrypted in [true, false] {
            let pems = Pems::new();
            let plan = if is_encrypted { Plan::new().tls(&pems, true) } else { Plan::new() };
            let tls = is_encrypted.then(|| Tls {
                ca: Some(pems.path("ca.pem")),
                cert: Some(pems.path("client.pem")),
                key: Some(pems.path("client.key")),
            });
            let (server, place) = (plan.start(), Place::new());
            let pool = place.start(vec![over_http("it", &server, tls), ours("process", &["--child"])]).await;
            assert_eq!(call(&pool, "destroy", nothing()).await.unwrap().text(), "destroyed");
            if is_closed {
                pool.close().await;
                assert_eq!(server.sessions(), Vec::<String>::new());
                assert!(place.marker.alive().is_empty());
            }
            drop(pool);
            eventually("no connection is left", || server.open() == 0).await;
            eventually("no process is left", || place.marker.alive().is_empty()).await;
            eventually("no task is left", || tasks() == 0).await;
        }
    }
}

/// A server's deviation from correct behaviour.
type Deviation = fn(&ReceivedRequest) -> Option<Reply>;

async fn failed() {
    let ways: [(&str, Deviation); 5] = [
        ("silent", |seen| (seen.rpc() == "initialize").then_some(Reply::Hang)),
        ("silent about tools", |seen| (seen.rpc() == "tools/list").then_some(Reply::Hang)),
        ("closed to us", |_| Some(Reply::unauthorized(None))),
        ("out of order", |_| Some(Reply::status(500))),
        ("talkative", |seen| {
            (seen.rpc() == "tools/list").then_some(Reply::Huge { bytes: 17 << 20, as_event: true })
        }),
    ];
    for (name, way) in ways {
        let (server, mut place) = (Plan::new().rule(way).start(), Place::new());
        place.options.connect_timeout = Duration::from_secs(2);
        let pool = place.start(vec![over_http("it", &server, None)]).await;
        call(&pool, "echo", nothing()).await.unwrap_err();
        // None of them remains before the pool is closed either.
        eventually("no connection is left", || server.open() == 0).await;
        assert!(!matches!(state(&pool, "it"), becket_mcp::ServerState::Connected { .. }), "{name}");
        pool.close().await;
        eventually("no task is left", || tasks() == 0).await;
    }
}

async fn restarts_over_http() {
    let (server, place) = (Plan::new().start(), Place::new());
    let pool = place.start(vec![over_http("it", &server, None)]).await;
    for _ in 0..50 {
        pool.reconnect("it", &CancellationToken::new()).await.unwrap();
    }
    assert_eq!(call(&pool, "destroy", nothing()).await.unwrap().text(), "destroyed");
    eventually("one session is left", || server.sessions().len() == 1).await;
    eventually("few connections are left", || server.open() <= FEW).await;
    assert_eq!(server.count("initialize"), 51);
    pool.close().await;
    assert_eq!(server.sessions(), Vec::<String>::new());
    eventually("no connection is left", || server.open() == 0).await;
    eventually("no task is left", || tasks() == 0).await;
}

async fn restarts_of_a_process() {
    let place = Place::new();
    let pool = place.start(vec![ours("it", &["--child"])]).await;
    for _ in 0..50 {
        pool.reconnect("it", &CancellationToken::new()).await.unwrap();
    }
    eventually("one process and its child are left", || place.marker.alive().len() == 2).await;
    pool.close().await;
    assert!(place.marker.alive().is_empty());
    eventually("no task is left", || tasks() == 0).await;
}

/// Starts a hundred calls that hang: half of them are cancelled, half are dropped.
async fn cancelled() {
    let hangs = |seen: &ReceivedRequest| (seen.tool() == "destroy").then_some(Reply::Hang);
    let (server, place) = (Plan::new().rule(hangs).start(), Place::new());
    let pool = place.start(vec![over_http("it", &server, None), ours("process", &[])]).await;
    call(&pool, "echo", nothing()).await.unwrap();
    let (before, cancel) = (tasks(), CancellationToken::new());
    for (name, tool) in [("it", "destroy"), ("process", "hang")] {
        give_up_a_hundred(&pool, &place, (name, tool), &server, &cancel).await;
    }
    eventually("few connections are left", || server.open() <= FEW).await;
    // One task for each HTTP connection that is kept.
    eventually("no task is left of the calls", || tasks() <= before + FEW).await;
    assert_eq!(call(&pool, "echo", nothing()).await.unwrap().text(), "");
    assert_eq!(server.count("initialize"), 1);
    pool.close().await;
    eventually("no connection is left", || server.open() == 0).await;
    eventually("no task is left", || tasks() == 0).await;
}

async fn give_up_a_hundred(
    pool: &Pool,
    place: &Place,
    (name, tool): (&str, &str),
    server: &Server,
    dropped: &CancellationToken,
) {
    let told = CancellationToken::new();
    let hanging = |cancel: CancellationToken| async move {
        let call = ToolCall { server: name, connect: Connect::IfNeeded, ..of_it(tool, nothing(), LONG) };
        pool.call(call, &cancel).await
    };
    let of_process = |method: &str| place.got().iter().filter(|message| message["method"] == method).count();
    let is_over_http = name == "it";
    let seen = |method: &str| if is_over_http { server.count(method) } else { of_process(method) };
    let before = seen("tools/call");
    let mut lost = Box::pin(join_all((0..50).map(|_| hanging(dropped.clone()))));
    let kept = join_all((0..50).map(|_| hanging(told.clone())));
    let ending = async {
        eventually("all calls are under way", || seen("tools/call") == before + 100).await;
        told.cancel();
    };
    tokio::select! {
        _ = &mut lost => panic!("a call that hangs was answered"),
        (ended, ()) = async { tokio::join!(kept, ending) } => {
            assert!(ended.iter().all(|ended| matches!(ended, Err(CallError::Cancelled { .. }))), "{ended:?}");
        }
    }
    drop(lost);
    eventually("the server was told of each", || seen("notifications/cancelled") == 100).await;
}

/// The pool is still there when its runtime goes.
fn ended_by_its_runtime() {
    let hangs = |seen: &ReceivedRequest| (seen.tool() == "destroy").then_some(Reply::Hang);
    let (server, place) = (Plan::new().rule(hangs).start(), Place::new());
    let one = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let pool = one.block_on(place.start(vec![over_http("it", &server, None), ours("process", &["--child"])]));
    let calling = pool.clone();
    one.spawn(async move { call(&calling, "destroy", nothing()).await });
    assert!(wait_until(|| server.count("tools/call") == 1));
    drop(one);
    assert!(wait_until(|| server.open() == 0), "{} connections are left", server.open());
    assert!(wait_until(|| place.marker.alive().is_empty()), "{:?}", place.marker.alive());
    drop(pool);
}
