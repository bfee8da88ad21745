//! The third-party servers that `cargo xtask test` has installed.

use std::ffi::OsString;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use becket_mcp::CancellationToken;
use becket_mcp::config::ServerConfig;

/// Returns the command line in a variable, with more arguments; `None` if there is a reason why it is missing.
pub(crate) fn command(variable: &str, args: &[&str]) -> Option<Vec<OsString>> {
    let Some(command) = variable_of_test(variable) else {
        let reason = variable_of_test("BECKET_TEST_MCP_SKIP").unwrap_or_else(|| {
            panic!("`{variable}` is not set: run `cargo xtask test`, which installs the servers")
        });
        skipped(&reason);
        return None;
    };
    let words = serde_json::from_str::<Vec<String>>(&command).unwrap();
    Some(words.iter().map(String::as_str).chain(args.iter().copied()).map(OsString::from).collect())
}

/// Returns the same command line as a server over stdio.
pub(crate) fn program(variable: &str, args: &[&str]) -> Option<ServerConfig> {
    let mut words = command(variable, args)?.into_iter();
    Some(super::program(words.next().unwrap(), words.collect()))
}

#[expect(clippy::disallowed_methods, reason = "what was installed is known to who started the tests")]
fn variable_of_test(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[expect(clippy::print_stdout, reason = "who started the tests is told what was skipped")]
fn skipped(reason: &str) {
    println!("SKIPPED: {reason}");
}

/// A third-party server, on a port of this machine. Dropping it ends it.
pub(crate) struct RunningServer {
    words: Vec<OsString>,
    port: u16,
    child: Child,
}

impl RunningServer {
    /// Starts the server that a variable names, which listens on `PORT`; `None` if there is a reason why it is
    /// missing.
    pub(crate) fn start(variable: &str, args: &[&str]) -> Option<Self> {
        let words = command(variable, args)?;
        // Another process may take the free port before the server does.
        for _ in 0..10 {
            let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
            if let Some(child) = run(&words, port) {
                return Some(Self { words, port, child });
            }
        }
        panic!("`{words:?}` does not listen on any port");
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn stop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends the server and restarts it on the same port.
    pub(crate) fn restart(&mut self) {
        self.stop();
        self.child = run(&self.words, self.port).unwrap();
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        // It may already have been stopped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a server until it listens; returns `None` if it exits instead.
fn run(words: &[OsString], port: u16) -> Option<Child> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env("PORT", port.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let listens = becket_testkit::proc::eventually("it listens", || {
        let has_exited = child.try_wait().unwrap().is_some();
        let listens = || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok();
        if has_exited { Some(false) } else { listens().then_some(true) }
    });
    listens.then_some(child)
}

/// Cancels while a call is in progress. A real server does not show when it has a call.
pub(crate) async fn cancel_soon(cancel: &CancellationToken) {
    tokio::time::sleep(Duration::from_millis(100)).await;
    cancel.cancel();
}
