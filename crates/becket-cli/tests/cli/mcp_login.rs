//! `becket mcp login` and `logout`, with a server that requires a login and the test's own browser.

use crate::env;
use becket_testkit::env::{ProgramOutput, TestEnv};
use becket_testkit::mcp_auth::{AuthPlan, AuthServer, browse, log_in};
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, Stdio};

fn becket(env: &TestEnv, server: &AuthServer, arguments: &[&str]) -> becket_testkit::env::Run {
    let config = json!({"mcpServers": {"s": {"type": "http", "url": server.url()}}}).to_string();
    env.write("servers.json", config);
    let config = env.root().join("servers.json").to_string_lossy().into_owned();
    let run = env.becket(["mcp", "--mcp-config", &config].into_iter().chain(arguments.iter().copied()));
    // A build with the feature `keyring` must not find the keyring of the user who runs the tests.
    run.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/at/all")
}

/// Begins a login; also returns the printed address.
fn begun(env: &TestEnv, server: &AuthServer, more: &[&str]) -> (Child, BufReader<ChildStderr>, String) {
    let all: Vec<&str> = ["login", "--in-file", "s"].into_iter().chain(more.iter().copied()).collect();
    let mut command = becket(env, server, &all).into_command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("becket starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped"));
    let (mut line, mut said) = (String::new(), String::new());
    while !line.trim().starts_with("http") {
        line.clear();
        let read = lines.read_line(&mut line).expect("stderr can be read");
        said.push_str(&line);
        assert!(read > 0, "it ends without an address: {said}");
    }
    (child, lines, line.trim().to_owned())
}

fn ended(mut child: Child, mut stderr: BufReader<ChildStderr>) -> ProgramOutput {
    let (mut out, mut err) = (String::new(), String::new());
    child.stdout.take().expect("piped").read_to_string(&mut out).expect("text");
    stderr.read_to_string(&mut err).expect("text");
    ProgramOutput { code: child.wait().expect("it ends").code(), stdout: out, stderr: err }
}

fn tells_nothing(server: &AuthServer, ended: &ProgramOutput) {
    for secret in server.secrets() {
        assert!(!ended.stdout.contains(&secret) && !ended.stderr.contains(&secret), "{ended:?}");
    }
}

// rule: X3
#[test]
fn a_login_lets_the_server_be_used_until_the_logout() {
    let (env, server) = (env(), AuthPlan::new().start());
    let listed = |word: &str| {
        let ended = becket(&env, &server, &["list"]).run();
        assert!(ended.stdout.contains(word), "{ended:?}");
    };
    listed("needs a login");
    let (child, stderr, url) = begun(&env, &server, &[]);
    assert!(log_in(&url).status < 400);
    let done = ended(child, stderr);
    assert!(done.code == Some(0) && done.stdout.contains("logged in: s"), "{done:?}");
    assert!(done.stdout.contains("; the tokens are in ~/.claude/becket/mcp-tokens.json"), "{done:?}");
    tells_nothing(&server, &done);
    listed("connected");
    let again = becket(&env, &server, &["login", "s"]).run();
    assert!(again.code == Some(0) && again.stdout.contains("without a login"), "{again:?}");

    let out = becket(&env, &server, &["logout", "s"]).run();
    assert!(out.code == Some(0) && out.stdout.contains("logged out: s"), "{out:?}");
    assert!(!server.has_good_tokens(), "the authorisation server was told");
    listed("needs a login");
    let nobody = becket(&env, &server, &["logout", "s"]).run();
    assert!(nobody.code == Some(0) && nobody.stdout.contains("not logged in"), "{nobody:?}");
}

// rules: L0, C8
#[test]
fn a_logout_ends_the_session_for_that_reason() {
    let (env, server) = (env(), AuthPlan::new().start());
    let hook = |command: &str| json!({"hooks": [{"type": "command", "command": command}]});
    let mut other = hook("touch other");
    other["matcher"] = json!("prompt_input_exit");
    let mut late = hook("sleep 0.3; touch late");
    late["hooks"][0]["async"] = json!(true);
    let hooks = json!([hook("cat >end.json"), other, late, hook("echo no >&2; exit 1")]);
    env.write("project/.claude/settings.json", json!({"hooks": {"SessionEnd": hooks}}).to_string());
    let (child, stderr, url) = begun(&env, &server, &[]);
    assert!(log_in(&url).status < 400);
    assert_eq!(ended(child, stderr).code, Some(0));
    let at = |name: &str| env.project().join(name);
    assert!(!at("end.json").exists(), "a login ends nothing");
    let out = becket(&env, &server, &["logout", "s"]).run();
    assert!(out.code == Some(0) && out.stdout.contains("logged out: s"), "{out:?}");
    assert!(out.stderr.contains("the SessionEnd hook `echo no >&2; exit 1` failed"), "{out:?}");
    let input = std::fs::read_to_string(at("end.json")).expect("the hook ran");
    assert!(input.contains(r#""hook_event_name":"SessionEnd""#), "{input}");
    assert!(input.contains(r#""reason":"logout""#), "{input}");
    assert!(at("late").exists() && !at("other").exists(), "the background has its time");
    tells_nothing(&server, &out);
    env.write("project/.claude/settings.json", json!({"disableAllHooks": true}).to_string());
    assert_eq!(becket(&env, &server, &["logout", "s"]).run().code, Some(0), "nobody was logged in");
}

// rule: X3
#[test]
fn the_address_of_a_browser_elsewhere_can_be_pasted() {
    let (env, server) = (env(), AuthPlan::new().start());
    for (pasted, code) in [(Some("https://example.com/?code=x&state=y"), 1), (None, 0)] {
        let (mut child, stderr, url) = begun(&env, &server, &["--paste"]);
        let back = browse(&url).location.expect("the login page leads back");
        let line = format!("{}\n", pasted.unwrap_or(&back));
        child.stdin.take().expect("piped").write_all(line.as_bytes()).expect("it reads");
        let done = ended(child, stderr);
        assert_eq!(done.code, Some(code), "{done:?}");
        tells_nothing(&server, &done);
    }
    let listed = becket(&env, &server, &["list"]).run();
    assert!(listed.stdout.contains("connected"), "{listed:?}");
}

#[test]
fn a_server_of_this_machine_has_no_login() {
    let env = env();
    let config = json!({"mcpServers": {"s": crate::mcp::server(&[])}}).to_string();
    let login = env.becket(["mcp", "--mcp-config", &config, "login", "s"]).run();
    assert!(login.code == Some(0) && login.stdout.contains("without a login"), "{login:?}");
    let logout = env.becket(["mcp", "--mcp-config", &config, "logout", "s"]).run();
    assert!(logout.code == Some(1) && logout.stderr.contains("no login is possible"), "{logout:?}");
}
