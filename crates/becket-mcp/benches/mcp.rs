//! Benchmarks of a call and of a connection, next to `rmcp` alone over the pipes of a process of its own and to the
//! TypeScript SDK.
//!
//! The server is this program: started with `--serve` it answers at once, so that all sides have the same floor. With
//! `--idle` it is a client that connects, waits and prints its memory use.

#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

mod support;

use std::process::Command;
use std::time::Duration;

use becket_mcp::CancellationToken;
use becket_testkit::bench::{Bench, BenchTarget};
use support::bare::Bare;
use support::sdk::Sdk;
use support::{cpu, on_one_processor, ours, resident};
use tokio::runtime::Runtime;

/// The text size of a large answer.
const LARGE: usize = 100_000;
/// The number of calls in one sample of the processor time.
const CALLS: u32 = 500;
/// The number of servers of a host that has many.
const MANY: usize = 10;
/// The number of servers that start together, and the time that each needs before it responds.
const STARTED: usize = 12;
const SLOW: Duration = Duration::from_millis(50);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments.as_slice() {
        ["--serve", thinks] => return support::serve::serve(Duration::from_millis(thinks.parse().unwrap())),
        ["--idle", who] => return idle(who),
        _ => (),
    }
    let mut bench = Bench::new("becket-mcp");
    let runtime = runtime();
    on_one_processor(|| calls(&mut bench, &runtime));
    connections(&mut bench, &runtime);
    start(&mut bench, &runtime);
    bench.note("rmcp alone, with as many servers");
    bench.sampled(
        "memory with 10 idle servers",
        BenchTarget::Bytes(16e6),
        || idle_in_child("ours"),
        Some(&mut || idle_in_child("bare")),
    );
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn calls(bench: &mut Bench, runtime: &Runtime) {
    let servers = runtime.block_on(ours::connect(1, Duration::ZERO));
    let bare = runtime.block_on(Bare::connect(Duration::ZERO));
    let ours = |size| runtime.block_on(ours::call(&servers, size));
    for (row, size) in [("a call, answered at once", 10), ("the same with 100 KB of text", LARGE)] {
        bench.note("rmcp alone, over tokio's pipes");
        bench.versus(row, BenchTarget::Ratio(1.3), || ours(size), || runtime.block_on(bare.call(size)));
        let ours = || cpu(CALLS, || ours(size));
        let mut theirs = || cpu(CALLS, || runtime.block_on(bare.call(size)));
        bench.note("the processor's time of the client; rmcp alone");
        bench.sampled(&format!("{row}: processor"), BenchTarget::Ratio(1.3), ours, Some(&mut theirs));
    }
    if let Some(mut sdk) = Sdk::start() {
        // Its compiler needs some time.
        sdk.calls(5000, 10);
        bench.note("the processor's time of the client; TypeScript SDK");
        let mut theirs = || sdk.calls(CALLS as usize, 10).cpu;
        bench.sampled(
            "a call, answered at once: processor",
            BenchTarget::Ratio(1.0),
            || cpu(CALLS, || ours(10)),
            Some(&mut theirs),
        );
        sdk.end();
    }
    bench.note("");
    let cancel = CancellationToken::new();
    let warm = || runtime.block_on(servers.connect("it0", &cancel)).unwrap();
    bench.alone("a connection that is there", BenchTarget::Nanos(5e3), warm);
    let tools = || runtime.block_on(servers.tools("it0", &cancel)).unwrap();
    bench.alone("its tools, as they are known", BenchTarget::Nanos(50e3), tools);
    runtime.block_on(servers.close());
    bare.end(runtime);
}

/// Measures the start with two lanes: the floor is the time that six servers need in sequence.
fn start(bench: &mut Bench, runtime: &Runtime) {
    let ours = || {
        let start = std::time::Instant::now();
        let servers = runtime.block_on(ours::connect(STARTED, SLOW));
        let taken = start.elapsed();
        runtime.block_on(servers.close());
        taken.as_secs_f64() * 1e9
    };
    let mut lane = || {
        let start = std::time::Instant::now();
        let lane: Vec<Bare> = (0..STARTED / 2).map(|_| runtime.block_on(Bare::connect(SLOW))).collect();
        let taken = start.elapsed();
        lane.into_iter().for_each(|bare| bare.end(runtime));
        taken.as_secs_f64() * 1e9
    };
    bench.note("six of them one after the other, with rmcp alone: there are two lanes");
    bench.sampled("start of 12 servers that need 50 ms", BenchTarget::Ratio(1.3), ours, Some(&mut lane));
}

fn connections(bench: &mut Bench, runtime: &Runtime) {
    let ours = || runtime.block_on(async { ours::connect(1, Duration::ZERO).await.close().await });
    bench.note("rmcp alone, over tokio's pipes");
    bench.versus("connecting and closing", BenchTarget::Nothing, ours, || {
        runtime.block_on(Bare::connect(Duration::ZERO)).end(runtime)
    });
    if let Some(mut sdk) = Sdk::start() {
        bench.note("TypeScript SDK");
        let once = || {
            let start = std::time::Instant::now();
            ours();
            start.elapsed().as_secs_f64() * 1e9
        };
        bench.sampled(
            "connecting and closing",
            BenchTarget::Nothing,
            once,
            Some(&mut || sdk.connections(1).wall),
        );
        sdk.end();
    }
}

/// Connects, waits for background work to settle, and prints the memory in use.
#[expect(clippy::print_stdout, reason = "whoever started it reads it")]
fn idle(who: &str) {
    let (runtime, settle) = (runtime(), Duration::from_millis(200));
    let settle = || runtime.block_on(async { tokio::time::sleep(settle).await });
    if who == "bare" {
        let all: Vec<Bare> = (0..MANY).map(|_| runtime.block_on(Bare::connect(Duration::ZERO))).collect();
        settle();
        println!("{}", resident());
        all.into_iter().for_each(|bare| bare.end(&runtime));
    } else {
        let servers = runtime.block_on(ours::connect(MANY, Duration::ZERO));
        settle();
        println!("{}", resident());
        runtime.block_on(servers.close());
    }
}

fn idle_in_child(who: &str) -> f64 {
    let output = Command::new(std::env::current_exe().unwrap()).args(["--idle", who]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}
