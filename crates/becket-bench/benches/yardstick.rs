//! The machine alone: rows in which nothing of Becket runs, so that pages of different machines can be compared.

#![expect(clippy::expect_used, reason = "a bench fails by panicking")]

use becket_testkit::bench::{Bench, BenchTarget};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

fn main() {
    let mut bench = Bench::new("becket-bench");
    let entry =
        |number: usize| json!({"name": format!("entry {number}"), "values": [number, -1.5, null, true]});
    let text = Value::Array((0..1_000).map(entry).collect()).to_string();
    bench.note("nothing of Becket: the speed of this machine");
    bench.alone("yardstick: 1,000 objects of JSON, read by serde_json", BenchTarget::Nothing, || {
        serde_json::from_str::<Value>(&text).expect("it is JSON")
    });
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "true"]).stdin(Stdio::null());
    bench.note("nothing of Becket: the speed of this machine");
    bench.alone("yardstick: `sh -c true`, started and awaited", BenchTarget::Nothing, || {
        assert!(shell.status().is_ok_and(|status| status.success()));
    });
}
