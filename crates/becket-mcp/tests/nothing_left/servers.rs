//! Nothing remains after servers were closed, dropped, or died.

use becket_testkit::wait::until;
use std::time::Duration;

use crate::common::{Place, call, nothing, ours, remote, tools};
use becket_mcp::CancellationToken;
use becket_testkit::mcp_http::Plan;
use becket_testkit::proc::{open_descriptors, threads, wait_until, zombies};

const NOBODY: [u32; 0] = [];

/// A server to close: its flags, the tool that is called first, the number of its processes.
const CLOSED: [(&str, &[&str], Option<&str>, usize); 12] = [
    ("one that is well-behaved", &[], None, 1),
    ("one with a child", &["--child"], None, 2),
    ("one with a child that left its session", &["--leaver"], None, 2),
    ("one that ignores the end of its input", &["--ignore-eof"], None, 1),
    ("one that ignores SIGTERM, too", &["--ignore-eof", "--ignore-term"], None, 1),
    (
        "one that ignores both and has children",
        &["--ignore-eof", "--ignore-term", "--child", "--leaver"],
        None,
        3,
    ),
    ("one that makes a child when called", &[], Some("child"), 2),
    ("one that makes a child that holds its pipes", &[], Some("heir"), 2),
    ("one that makes a child that leaves when called", &[], Some("leaver"), 2),
    ("one that makes a daemon", &[], Some("daemon"), 2),
    ("one that makes a daemon and ignores the end of its input", &["--ignore-eof"], Some("daemon"), 2),
    ("one that does not read", &[], Some("stop_reading"), 1),
];

#[test]
fn nothing_is_left() {
    let _alone = crate::alone();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // Things that the first use opens permanently.
    runtime().block_on(closed(CLOSED[1]));
    let before = (open_descriptors(), threads());

    let one = runtime();
    CLOSED.into_iter().for_each(|case| one.block_on(closed(case)));
    one.block_on(died());
    one.block_on(failed());
    one.block_on(dropped_while_connecting());
    one.block_on(restarted());
    CLOSED.into_iter().for_each(|case| one.block_on(dropped(case)));
    let tasks = one.metrics().num_alive_tasks();
    drop(one);
    assert_eq!(tasks, 0, "tasks that nobody waits for");

    dropped_with_its_runtime();
    dropped_after_its_runtime();
    assert!(wait_until(|| zombies().is_empty()), "zombies: {:?}", zombies());
    assert!(wait_until(|| (open_descriptors(), threads()) == before), "{before:?} before");
}

// rule: X7
async fn closed((name, flags, tool, processes): (&str, &[&str], Option<&str>, usize)) {
    let mut place = Place::new();
    place.options.exit_grace = Duration::from_millis(500);
    place.options.term_grace = Duration::from_millis(500);
    let pool = place.connect(flags).await;
    tools(&pool);
    if let Some(tool) = tool {
        call(&pool, tool, nothing()).await.unwrap();
    }
    assert!(wait_until(|| place.marker.alive().len() == processes), "{name}: {:?}", place.marker.alive());
    pool.close().await;
    assert_eq!(place.marker.alive(), NOBODY, "{name}");
    assert_eq!(zombies(), NOBODY, "{name}");
    pool.close().await;
}

/// Dropped, a server and its group are killed by then; what left the group dies with it.
async fn dropped((name, flags, tool, processes): (&str, &[&str], Option<&str>, usize)) {
    let place = Place::new();
    let pool = place.connect(flags).await;
    if let Some(tool) = tool {
        call(&pool, tool, nothing()).await.unwrap();
    }
    assert!(wait_until(|| place.marker.alive().len() == processes), "{name}: {:?}", place.marker.alive());
    drop(pool);
    // Blocks the only thread of the runtime: nothing that has to be polled can have done it.
    assert!(wait_until(|| place.marker.alive().is_empty()), "{name}: {:?}", place.marker.alive());
    assert!(wait_until(|| zombies().is_empty()), "{name}: {:?}", zombies());
    // The tasks notice that they are no longer wanted.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

/// A server that exits on its own leaves no process behind, even if its host goes on.
async fn died() {
    for tool in ["child", "heir", "leaver", "daemon"] {
        let place = Place::new();
        let pool = place.connect(&[]).await;
        call(&pool, tool, nothing()).await.unwrap();
        place.marker.wait_for(2);
        call(&pool, "die", nothing()).await.unwrap_err();
        until(tool, || place.marker.alive().is_empty()).await;
        pool.close().await;
    }
}

async fn failed() {
    for flag in ["--die", "--hang-initialize", "--hang-list", "--garbage", "--endless-line", "--refuse-all"] {
        let mut place = Place::new();
        place.options.connect_timeout = Duration::from_secs(1);
        place.options.term_grace = Duration::from_millis(300);
        let pool = place.connect(&[flag, "--child", "--ignore-term"]).await;
        pool.close().await;
        assert_eq!(place.marker.alive(), NOBODY, "{flag}");
    }
}

async fn dropped_while_connecting() {
    let place = Place::new();
    let cancel = CancellationToken::new();
    let configured = vec![ours("a", &["--hang-initialize", "--child"]), ours("b", &["--hang-list"])];
    {
        let pool = place.pool(configured);
        let mut connecting = std::pin::pin!(pool.start(&cancel));
        let started = until("both are started", || place.marker.alive().len() >= 3);
        tokio::select! {
            () = &mut connecting => panic!("connected"),
            () = started => {}
        }
    }
    assert!(wait_until(|| place.marker.alive().is_empty()), "{:?}", place.marker.alive());
}

/// However often a server is reconnected, there is one, and none in the end.
async fn restarted() {
    let (place, far) = (Place::new(), Plan::new().start());
    let pool = place.start(vec![ours("it", &[]), remote("far", &far.url())]).await;
    let none = CancellationToken::new();
    call(&pool, "text", nothing()).await.unwrap();
    let before = open_descriptors();
    for turn in 0..50 {
        for server in ["it", "far"] {
            pool.reconnect(server, &none).await.unwrap();
        }
        if turn % 10 == 0 {
            call(&pool, "die", nothing()).await.unwrap_err();
        }
        call(&pool, "text", nothing()).await.unwrap();
    }
    let is_settled = || open_descriptors() <= before && place.marker.alive().len() == 1;
    until("one is left, and its descriptors", is_settled).await;
    pool.close().await;
    assert_eq!((place.marker.alive(), zombies()), (NOBODY.to_vec(), NOBODY.to_vec()));
    assert_eq!(far.sessions(), Vec::<String>::new());
    until("no connection is left", || far.open() == 0).await;
}

fn dropped_with_its_runtime() {
    let place = Place::new();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let pool = runtime.block_on(place.connect(&["--child", "--ignore-term"]));
    place.marker.wait_for(2);
    drop(pool);
    drop(runtime);
    place.marker.wait_for(0);
}

fn dropped_after_its_runtime() {
    let place = Place::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let pool = runtime.block_on(place.connect(&["--child", "--leaver"]));
    place.marker.wait_for(3);
    drop(runtime);
    place.marker.wait_for(0);
    drop(pool);
}
