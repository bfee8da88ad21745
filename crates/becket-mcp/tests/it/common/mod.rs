//! Shared by the tests of this crate: a host whose servers are `tests/servers/server.py`, in its own directory.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper fails by panicking")]

pub(crate) mod real;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use becket_mcp::config::{ConfiguredServer, Remote, ServerConfig, Transport};
use becket_mcp::{
    CallError, CallResult, CancellationToken, Connect, ConnectError, Options, Pool, ServerState, ToolCall,
    ToolList,
};
use becket_testkit::proc::{Marker, PATIENCE};
use becket_testkit::wait::{eventually, until};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// A limit for any loaded machine; reached only by a failing test.
pub(crate) const LONG: Duration = PATIENCE;
/// A limit for requests that must not be answered.
pub(crate) const SHORT: Duration = Duration::from_millis(300);

/// A place for servers with a marker.
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

    /// Connects one test server, named `it`.
    pub(crate) async fn connect(&self, flags: &[&str]) -> Pool {
        self.start(vec![ours("it", flags)]).await
    }

    /// Connects servers, for a host without services.
    pub(crate) async fn start(&self, configured: Vec<ConfiguredServer>) -> Pool {
        let pool = self.pool(configured);
        pool.start(&CancellationToken::new()).await;
        pool
    }

    /// Returns a pool of servers that are not connected yet.
    pub(crate) fn pool(&self, configured: Vec<ConfiguredServer>) -> Pool {
        let pool = Pool::new(self.options.clone(), Arc::new(()));
        pool.configure(configured);
        pool
    }

    /// Returns the messages that servers received.
    pub(crate) fn got(&self) -> Vec<Value> {
        let log = std::fs::read_to_string(self.dir.path().join("log")).unwrap_or_default();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Waits until this many processes have the marker, without blocking the runtime.
    pub(crate) async fn alive(&self, count: usize) {
        until(&format!("{count} carry the mark"), || self.marker.alive().len() == count).await;
    }

    /// Waits for a message of this method.
    pub(crate) async fn wait_for(&self, method: &str) -> Value {
        eventually(method, async || self.got().into_iter().find(|message| message["method"] == method)).await
    }
}

/// Returns a test server.
pub(crate) fn ours(name: &str, flags: &[&str]) -> ConfiguredServer {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/server.py");
    let args = [script].into_iter().chain(flags.iter().copied()).map(OsString::from).collect();
    ConfiguredServer::of_host(name, program(python(), args))
}

/// Returns a server that is reached by streamable HTTP.
pub(crate) fn remote(name: &str, url: &str) -> ConfiguredServer {
    let transport = Transport::Http(Remote::new(url.parse().unwrap()));
    ConfiguredServer::of_host(name, ServerConfig { transport, timeout: None })
}

/// Returns a server that is an arbitrary program.
pub(crate) fn program(command: impl Into<OsString>, args: Vec<OsString>) -> ServerConfig {
    ServerConfig::stdio(command, args)
}

/// Calls a tool of `it` with a long limit.
pub(crate) async fn call(pool: &Pool, tool: &str, input: Value) -> Result<CallResult, CallError> {
    call_for(pool, tool, input, LONG).await
}

/// Calls a tool of `it` with another limit.
pub(crate) async fn call_for(
    pool: &Pool,
    tool: &str,
    input: Value,
    limit: Duration,
) -> Result<CallResult, CallError> {
    pool.call(of_it(tool, input, limit), &CancellationToken::new()).await
}

/// Returns a call of a tool of `it`.
pub(crate) fn of_it(tool: &str, input: Value, limit: Duration) -> ToolCall<'_> {
    ToolCall { server: "it", tool, input: object(input), limit, connect: Connect::IfNeeded }
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { panic!("{value} is not an object") };
    map
}

/// Calls a tool of `it`, which must be connected already.
pub(crate) async fn call_connected(pool: &Pool, tool: &str, input: Value) -> Result<CallResult, CallError> {
    let call = ToolCall { connect: Connect::Never, ..of_it(tool, input, LONG) };
    pool.call(call, &CancellationToken::new()).await
}

/// Returns the state of the server of this name.
#[track_caller]
pub(crate) fn state(pool: &Pool, server: &str) -> ServerState {
    let found = pool.servers().into_iter().find(|view| view.name == server);
    found.unwrap_or_else(|| panic!("there is no `{server}`")).state
}

/// Returns the tools of `it`.
#[track_caller]
pub(crate) fn tools(pool: &Pool) -> Arc<ToolList> {
    let it = pool.servers().into_iter().find(|view| view.name == "it").unwrap();
    it.tools.unwrap_or_else(|| panic!("not connected: {:?}", it.state))
}

/// Returns the error of connecting the server of this name.
#[track_caller]
pub(crate) fn why(pool: &Pool, server: &str) -> Arc<ConnectError> {
    let state = state(pool, server);
    let ServerState::Failed { why } = state else { panic!("{state:?}") };
    why
}

pub(crate) fn nothing() -> Value {
    json!({})
}

/// Returns the search path of programs.
#[expect(clippy::disallowed_methods, reason = "where programs lie is the one thing that is the machine's")]
pub(crate) fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

/// Returns the interpreter itself: `python3` may be a script that looks for it, which takes longer than a server's
/// start.
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
