//! The TypeScript SDK, in a process of its own that measures itself.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::program;

/// A running `sdk.mjs`.
pub(crate) struct Sdk {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

/// The cost of one iteration, in nanoseconds.
pub(crate) struct Cost {
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
}

impl Sdk {
    /// Starts it if `cargo xtask bench` has named the directory of the SDK.
    #[expect(clippy::disallowed_methods, reason = "where the SDK lies is known to who started the bench")]
    #[expect(clippy::print_stderr, reason = "who started the bench is told what is left out")]
    pub(crate) fn start() -> Option<Self> {
        let Ok(modules) = std::env::var("BECKET_BENCH_MCP_SDK") else {
            eprintln!("rows with the TypeScript SDK are left out: `cargo xtask bench` installs it");
            return None;
        };
        let (server, args) = program(Duration::ZERO);
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/support/sdk.mjs");
        let mut node = Command::new("node");
        node.arg(script).arg(modules).arg(server).args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = node.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Some(Self { child, stdin, stdout: BufReader::new(stdout) })
    }

    pub(crate) fn calls(&mut self, calls: usize, size: usize) -> Cost {
        self.ask(&json!({"calls": calls, "size": size}))
    }

    pub(crate) fn connections(&mut self, connections: usize) -> Cost {
        self.ask(&json!({"connections": connections}))
    }

    fn ask(&mut self, what: &Value) -> Cost {
        writeln!(self.stdin, "{what}").unwrap();
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        let measured: Value = serde_json::from_str(&line).unwrap();
        Cost { wall: measured["wall"].as_f64().unwrap(), cpu: measured["cpu"].as_f64().unwrap() }
    }

    pub(crate) fn end(self) {
        let Self { mut child, stdin, stdout } = self;
        drop((stdin, stdout));
        child.wait().unwrap();
    }
}
