//! The third-party servers that `cargo xtask test` has installed.

use std::ffi::OsString;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use becket_mcp::CancellationToken;
use becket_mcp::config::ServerConfig;

/// The command line that a variable holds, with more arguments; none where there is a reason that it is missing.
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

/// The same as a server over stdio.
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
    /// Starts the server that a variable names, which listens on `PORT`; none where there is a reason that it is missing.
    pub(crate) fn start(variable: &str, args: &[&str]) -> Option<Self> {
        let words = command(variable, args)?;
        // Between finding a port that is free and the server's taking it, another may take it.
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

    /// Ends it and starts it on the same port.
    pub(crate) fn restart(&mut self) {
        self.stop();
        self.child = run(&self.words, self.port).unwrap();
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        // It may have been stopped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a server until it listens; none if it exits instead.
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

/// Cancels while a call is under way. A real server does not show when it has a call.
pub(crate) async fn cancel_soon(cancel: &CancellationToken) {
    tokio::time::sleep(Duration::from_millis(100)).await;
    cancel.cancel();
}
