//! `becket mcp login` with tokens in the system's keyring: GNOME Keyring on a separate bus. If it is not installed, the
//! test reports that it is skipped.

use crate::env;
use becket_testkit::env::{ProgramOutput, TestEnv};
use becket_testkit::mcp_auth::{AuthPlan, AuthServer, log_in};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

/// A bus with a keyring, and its address.
struct Keyring {
    children: Vec<Child>,
    address: String,
}

impl Keyring {
    /// Starts both. Returns `None`, with a message, if one of the programs can't be run.
    fn start(env: &TestEnv) -> Option<Self> {
        let mut bus = Command::new("dbus-daemon");
        bus.args(["--session", "--nofork", "--print-address"]);
        let mut keyring = Self { children: Vec::new(), address: String::new() };
        keyring.address = keyring.add(bus, env)?;
        let mut daemon = Command::new("gnome-keyring-daemon");
        daemon.args(["--foreground", "--components=secrets", "--unlock"]);
        keyring.add(daemon, env)?;
        Some(keyring)
    }

    /// Starts one of the programs; returns the first line of its output.
    #[expect(clippy::print_stderr, reason = "who runs the tests is told that one is skipped")]
    fn add(&mut self, mut command: Command, env: &TestEnv) -> Option<String> {
        command.env_clear().env("PATH", "/usr/bin:/bin").env("DBUS_SESSION_BUS_ADDRESS", &self.address);
        for name in ["HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"] {
            command.env(name, env.root().join("home"));
        }
        let mut child = match command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() {
            Ok(child) => child,
            Err(error) => {
                eprintln!("SKIPPED: `{}` can't be run: {error}", command.get_program().display());
                return None;
            }
        };
        child.stdin.take().expect("piped").write_all(b"pa55").expect("it reads");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("text");
        self.children.push(child);
        Some(line.trim().to_owned())
    }
}

impl Drop for Keyring {
    fn drop(&mut self) {
        for child in self.children.iter_mut().rev() {
            // A program that has already ended need not be killed.
            drop(child.kill());
            drop(child.wait());
        }
    }
}

fn becket(env: &TestEnv, server: &AuthServer, bus: &str, arguments: &[&str]) -> Command {
    let config = json!({"mcpServers": {"s": {"type": "http", "url": server.url()}}}).to_string();
    let all = ["mcp", "--mcp-config", &config].into_iter().chain(arguments.iter().copied());
    env.becket(all).env("DBUS_SESSION_BUS_ADDRESS", bus).into_command()
}

fn ended(mut command: Command) -> ProgramOutput {
    let ended = command.stdin(Stdio::null()).output().expect("becket starts");
    let [stdout, stderr] =
        [ended.stdout, ended.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    ProgramOutput { code: ended.status.code(), stdout, stderr }
}

/// Logs in, and returns the output.
fn logged_in(env: &TestEnv, server: &AuthServer, bus: &str, more: &[&str]) -> String {
    let arguments: Vec<&str> = ["login", "s"].into_iter().chain(more.iter().copied()).collect();
    let mut command = becket(env, server, bus, &arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("becket starts");
    let (mut lines, mut line) = (BufReader::new(child.stderr.take().expect("piped")), String::new());
    while !line.trim().starts_with("http") {
        line.clear();
        assert!(lines.read_line(&mut line).expect("text") > 0, "it ends without an address");
    }
    assert!(log_in(line.trim()).status < 400);
    let mut said = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut said).expect("text");
    assert!(child.wait().expect("it ends").success(), "{said}");
    said
}

fn file(env: &TestEnv) -> String {
    std::fs::read_to_string(env.root().join("home/.claude/becket/mcp-tokens.json")).unwrap_or_default()
}

// rule: X3
#[test]
fn tokens_live_in_the_keyring_those_of_the_file_go_on_to_be_read_and_a_logout_clears_both() {
    let (env, server) = (env(), AuthPlan::new().start());
    let Some(keyring) = Keyring::start(&env) else { return };
    let listed = |bus: &str, word: &str| {
        let ended = ended(becket(&env, &server, bus, &["list"]));
        assert!(ended.stdout.contains(word), "{ended:?}");
        ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let is_in_file = |env: &TestEnv| file(env).contains("access_token");
    // A login by a program without the feature.
    assert!(logged_in(&env, &server, &keyring.address, &["--in-file"]).contains("mcp-tokens.json"));
    assert!(is_in_file(&env));
    listed(&keyring.address, "connected");
    let out = ended(becket(&env, &server, &keyring.address, &["logout", "s"]));
    assert!(out.code == Some(0) && !is_in_file(&env), "{out:?}");

    let said: Value =
        serde_json::from_str(&logged_in(&env, &server, &keyring.address, &["--json"])).expect("JSON");
    assert_eq!(said["kept"], json!({"in": "keyring"}), "{said}");
    assert!(!is_in_file(&env));
    listed(&keyring.address, "connected");
    // Without a keyring, the error is different from "not logged in".
    let lost = listed("unix:path=/nowhere/at/all", "failed");
    assert!(lost.contains("this system's keyring can't be reached: "), "{lost}");
    let out = ended(becket(&env, &server, "unix:path=/nowhere/at/all", &["logout", "s"]));
    assert!(out.code == Some(1) && out.stderr.contains("keyring can't be reached"), "{out:?}");
    let out = ended(becket(&env, &server, &keyring.address, &["logout", "s"]));
    assert!(out.code == Some(0) && out.stdout.contains("logged out: s"), "{out:?}");
    assert!(!server.has_good_tokens());
    listed(&keyring.address, "needs a login");
    // A server without a login does not cause a request to the keyring.
    listed("unix:path=/nowhere/at/all", "needs a login");
}

// rule: X3
#[test]
fn without_a_keyring_a_login_says_so_before_anybody_is_asked_and_names_the_file() {
    let (env, server) = (env(), AuthPlan::new().start());
    let ended = ended(becket(&env, &server, "unix:path=/nowhere/at/all", &["login", "s"]));
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("this system's keyring can't be reached: "), "{ended:?}");
    assert!(ended.stderr.contains("`becket mcp login --in-file s`"), "{ended:?}");
    assert!(!ended.stderr.contains("open this address"), "{ended:?}");
}
