//! What the tests of this crate share: a host whose servers are `tests/servers/server.py`, in a directory of its own.

#![allow(dead_code, reason = "each test binary uses its own part of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper fails by panicking")]

pub(crate) mod real;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use becket_mcp::config::{Configured, ServerConfig};
use becket_mcp::{
    CallError, CallResult, CancellationToken, ConnectError, Options, Outcome, Servers, Tool, ToolCall,
};
use becket_testkit::proc::{Marker, PATIENCE};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// Long enough for any loaded machine; reached only by a test that fails.
pub(crate) const LONG: Duration = PATIENCE;
/// For what must not be answered.
pub(crate) const SHORT: Duration = Duration::from_millis(300);

/// A place for servers that carry a mark.
pub(crate) struct Place {
    pub(crate) marker: Marker,
    pub(crate) dir: TempDir,
    pub(crate) options: Options,
}

impl Place {
    pub(crate) fn new() -> Self {
        let (marker, dir) = (Marker::new(), tempfile::tempdir().unwrap());
        let (name, value) = marker.env();
        let log = dir.path().join("log");
        let environment = vec![
            ("PATH".into(), search_path()),
            (name.into(), value.into()),
            ("LOG".into(), log.into()),
            ("PYTHONDONTWRITEBYTECODE".into(), "1".into()),
        ];
        let mut options = Options::new(environment, dir.path());
        options.connect_timeout = LONG;
        Self { marker, dir, options }
    }

    /// Connects one server of ours, named `it`.
    pub(crate) async fn connect(&self, flags: &[&str]) -> Servers {
        Servers::connect(vec![ours("it", flags)], &self.options, &CancellationToken::new()).await
    }

    /// The messages that servers got.
    pub(crate) fn got(&self) -> Vec<Value> {
        let log = std::fs::read_to_string(self.dir.path().join("log")).unwrap_or_default();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Waits for a message of this method.
    pub(crate) async fn wait_for(&self, method: &str) -> Value {
        let start = std::time::Instant::now();
        loop {
            if let Some(message) = self.got().into_iter().find(|message| message["method"] == method) {
                return message;
            }
            assert!(start.elapsed() < LONG, "no `{method}` in {:#?}", self.got());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// A server of ours.
pub(crate) fn ours(name: &str, flags: &[&str]) -> Configured {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/server.py");
    let args = [script].into_iter().chain(flags.iter().copied()).map(OsString::from).collect();
    Configured::of_host(name, program(python(), args))
}

/// A server that is some program.
pub(crate) fn program(command: impl Into<OsString>, args: Vec<OsString>) -> ServerConfig {
    ServerConfig::stdio(command, args)
}

/// Calls a tool of `it` with a long limit.
pub(crate) async fn call(servers: &Servers, tool: &str, input: Value) -> Result<CallResult, CallError> {
    call_for(servers, tool, input, LONG).await
}

/// The same with another limit.
pub(crate) async fn call_for(
    servers: &Servers,
    tool: &str,
    input: Value,
    limit: Duration,
) -> Result<CallResult, CallError> {
    servers.call(of_it(tool, input, limit), &CancellationToken::new()).await
}

/// A call of a tool of `it`.
pub(crate) fn of_it(tool: &str, input: Value, limit: Duration) -> ToolCall<'_> {
    ToolCall { server: "it", tool, input: object(input), limit }
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { panic!("{value} is no object") };
    map
}

/// The tools of `it`.
#[track_caller]
pub(crate) fn tools(servers: &Servers) -> Arc<[Tool]> {
    match servers.outcomes().next() {
        Some((_, Outcome::Connected { tools })) => tools,
        Some((_, Outcome::Failed { why })) => panic!("not connected: {why}"),
        None => panic!("no server"),
    }
}

/// Why `it` is not connected.
#[track_caller]
pub(crate) fn why(servers: &Servers) -> Arc<ConnectError> {
    match servers.outcomes().next() {
        Some((_, Outcome::Failed { why })) => why,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn nothing() -> Value {
    json!({})
}

/// Where programs lie.
#[expect(clippy::disallowed_methods, reason = "where programs lie is the one thing that is the machine's")]
pub(crate) fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

/// The interpreter itself: `python3` may be a script that looks for it, which costs more than a server's start.
pub(crate) fn python() -> PathBuf {
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    let find = || {
        let mut command = std::process::Command::new("python3");
        let output = command.args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().into()
    };
    PYTHON.get_or_init(find).clone()
}
