//! `becket mcp`: badly behaved servers, in `list` and in `doctor`.

use crate::{env, workspace};
use becket_testkit::env::{ProgramOutput, TestEnv};
use becket_testkit::mcp_http::tls::Pems;
use becket_testkit::mcp_http::{Plan, Reply};
use becket_testkit::proc::{Marker, wait_until};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// Returns a server that behaves as its flags say.
pub(crate) fn server(flags: &[&str]) -> Value {
    let script = workspace().join("crates/becket-mcp/tests/servers/server.py");
    let script = script.to_string_lossy().into_owned();
    let arguments: Vec<&str> = std::iter::once(script.as_str()).chain(flags.iter().copied()).collect();
    json!({"command": "python3", "args": arguments})
}

/// Runs `becket mcp` with these servers and no others.
pub(crate) fn mcp(env: &TestEnv, servers: &Value, arguments: &[&str]) -> ProgramOutput {
    let config = json!({ "mcpServers": servers }).to_string();
    let all = ["mcp", "--mcp-config", &config].into_iter().chain(arguments.iter().copied());
    env.becket(all).env("MCP_TIMEOUT", "20000").run()
}

fn http(url: &str) -> Value {
    json!({"type": "http", "url": url})
}

/// Returns the lines about a server.
fn about<'t>(text: &'t str, server: &str) -> String {
    let is_head = |line: &&'t str| !line.starts_with(' ') && line.split("  ").next() == Some(server);
    let mut lines = text.lines().skip_while(|line| !is_head(line));
    let head = lines.next().unwrap_or_default();
    let rest: Vec<&str> = lines.take_while(|line| line.starts_with(' ')).map(str::trim).collect();
    format!("{head} {}", rest.join(" "))
}

/// Asserts that both commands report the same about unreachable servers: `list` exits with 0 anyway, `doctor` with 1.
fn both_say(env: &TestEnv, servers: &Value, expected: &[(&str, &str)]) {
    let listed = mcp(env, servers, &["list"]);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    assert_eq!(mcp(env, servers, &["list", "--no-connect"]).code, Some(0));
    let examined = mcp(env, servers, &["doctor"]);
    assert_eq!(examined.code, Some(1), "{examined:?}");
    for (server, words) in expected {
        for ended in [&listed, &examined] {
            let said = about(&ended.stdout, server);
            assert!(said.contains(words), "`{server}`: no `{words}` in: {said}");
            assert!(said.contains("failed"), "{said}");
        }
    }
}

// rule: X1
#[test]
fn an_entry_that_is_none_says_where_and_what_to_write() {
    let servers = json!({
        "pigeon": {"type": "carrier-pigeon"},
        "secret": http("https://ann:hunter2@example.com/mcp"),
        "empty": {"type": "stdio"},
        "number": {"command": 5},
        "unset": {"command": "echo", "args": ["${NO_SUCH_VARIABLE}"]},
        "server": server(&[]),
    });
    let env = env();
    let expected = [
        ("pigeon", "there is no type `carrier-pigeon`: write one of"),
        ("secret", "`url` has a user or a password in it: remove them"),
        ("empty", "`command`"),
        ("number", "`command` is a number"),
        ("unset", "NO_SUCH_VARIABLE"),
    ];
    both_say(&env, &servers, &expected);
    for arguments in [&["list"][..], &["doctor"], &["list", "--json"], &["doctor", "--json"]] {
        let ended = mcp(&env, &servers, arguments);
        assert!(!format!("{ended:?}").contains("hunter2"), "{ended:?}");
    }
    let listed = mcp(&env, &servers, &["list"]);
    assert!(about(&listed.stdout, "server").contains("connected"), "{}", listed.stdout);
    assert_eq!(mcp(&env, &servers, &["list", "--strict"]).code, Some(1));
    assert_eq!(mcp(&env, &json!({"server": server(&[])}), &["list", "--strict"]).code, Some(0));
}

// rules: X1, X7
#[test]
fn a_program_that_does_not_become_a_server_says_why() {
    let servers = json!({
        "gone": {"command": "no-such-program"},
        "dies": server(&["--die"]),
        "speaks": server(&["--refuse-all"]),
        "old": server(&["--old-version"]),
        "loops": server(&["--same-cursor"]),
    });
    let expected = [
        ("gone", "program `no-such-program` was not found"),
        ("dies", "can't find my database"),
        ("speaks", "initialize is not known here"),
        ("old", "1999-01-01"),
        ("loops", "again"),
    ];
    both_say(&env(), &servers, &expected);
}

// rule: X2
#[test]
fn a_server_that_hangs_is_given_up_in_time() {
    let servers = json!({
        "mute": server(&["--hang-initialize"]),
        "listless": server(&["--hang-list"]),
        "chatty": server(&["--garbage"]),
    });
    let config = json!({ "mcpServers": servers }).to_string();
    let env = env();
    for command in ["list", "doctor"] {
        let run = env.becket(["mcp", "--mcp-config", &config, command]).env("MCP_TIMEOUT", "3000");
        let ended = run.run();
        for (server, words) in [
            ("mute", "did not answer `initialize` within 3 s"),
            ("listless", "did not answer `tools/list` within"),
            ("chatty", "Welcome to the shell of 1979"),
        ] {
            let said = about(&ended.stdout, server);
            assert!(said.contains(words), "{command}: `{server}`: no `{words}` in: {said}");
        }
    }
    let wrong = env.becket(["mcp", "--mcp-config", &config, "list"]).env("MCP_TIMEOUT", "soon").run();
    assert!(
        wrong.code == Some(1) && wrong.stderr.contains("`MCP_TIMEOUT=soon` is not a valid time"),
        "{wrong:?}"
    );
}

// rules: X1, X3
#[test]
fn what_answers_over_http_and_is_no_server_says_so() {
    let always = |reply: fn() -> Reply| Plan::new().rule(move |_| Some(reply())).start();
    let missing = always(|| Reply::text(404, "text/plain", "nothing here"));
    let broken = always(|| Reply::text(500, "text/plain", "out of order"));
    let page = always(|| Reply::text(200, "text/html", "<html><body>Welcome</body></html>"));
    let closed = always(|| Reply::unauthorized(None));
    let pems = Pems::new();
    let tls = Plan::new().tls(&pems, false).start();
    let servers = json!({
        "missing": http(&missing.url()), "broken": http(&broken.url()), "page": http(&page.url()),
        "nobody": http("http://127.0.0.1:1/mcp"), "nowhere": http("http://no-such-host.invalid/mcp"),
        "selfmade": http(&tls.url()),
    });
    let expected = [
        ("missing", "HTTP 404"),
        ("broken", "out of order"),
        ("page", "its response is not MCP"),
        ("nobody", "refused"),
        ("nowhere", "no-such-host.invalid"),
        ("selfmade", "certificate"),
    ];
    let env = env();
    both_say(&env, &servers, &expected);

    let closed = json!({"closed": http(&closed.url())});
    for command in ["list", "doctor"] {
        let said = about(&mcp(&env, &closed, &[command]).stdout, "closed");
        assert!(said.contains("needs a login") && said.contains("`becket mcp login closed`"), "{said}");
    }
    let ca = pems.path("ca.pem");
    let config = json!({"mcpServers": {"selfmade": http(&tls.url())}}).to_string();
    let run = env.becket(["mcp", "--mcp-config", &config, "list", "--strict"]);
    let known = run.env_os("NODE_EXTRA_CA_CERTS", &ca).run();
    assert!(known.code == Some(0) && known.stdout.contains("connected"), "{known:?}");
}

// rule: X5
#[test]
fn odd_tools_are_listed_under_names_that_models_can_say() {
    let tool = |name: &str, schema: Value| json!({"name": name, "inputSchema": schema});
    let object = || json!({"type": "object"});
    let odd = Plan::new().tools(
        vec![
            tool("a__b", object()),
            tool("read.all", object()),
            tool("read_all", object()),
            tool("\u{8bfb}\u{53d6}", object()),
            tool("liar", json!({"type": "array"})),
            tool("colour\u{1b}[31m", object()),
        ],
        2,
    );
    let odd = odd.start();
    let many = (0..10_000).map(|n| tool(&format!("t{n}"), object())).collect();
    let many = Plan::new().tools(many, 1_000).start();
    let servers =
        json!({"odd": http(&odd.url()), "many": http(&many.url()), "\u{670d}\u{52a1}": server(&[])});
    let env = env();
    let listed = mcp(&env, &servers, &["list"]);
    assert!(listed.stdout.contains("10000 tools") && listed.stdout.contains("6 tools"), "{}", listed.stdout);
    assert!(listed.stdout.contains("the tool `liar`"), "{}", listed.stdout);
    let examined = mcp(&env, &servers, &["doctor", "odd"]);
    assert_eq!(examined.code, Some(0), "{examined:?}");
    assert!(about(&examined.stdout, "odd").contains("6 tools, 1 with a wrong schema, 1 with an odd name"));

    let tools = mcp(&env, &servers, &["tools", "odd", "--json"]);
    let tools: Value = serde_json::from_str(&tools.stdout).expect("a report");
    let full = |at: usize| tools["tools"][at]["full"].as_str().expect("a name").to_owned();
    assert_eq!((full(0), full(1)), ("mcp__odd__a__b".to_owned(), "mcp__odd__read_all".to_owned()));
    assert!(full(2).starts_with("mcp__odd__read_all_"), "{}", full(2));
    let text = mcp(&env, &servers, &["tools", "odd"]).stdout;
    assert!(!text.contains('\u{1b}') && text.contains("colour\\u{1b}"), "{text}");
    let chinese = mcp(&env, &servers, &["tools", "\u{670d}\u{52a1}"]);
    assert!(chinese.code == Some(0) && chinese.stdout.contains("echo"), "{chinese:?}");
    let near = mcp(&env, &servers, &["tools", "od"]);
    assert!(near.code == Some(1) && near.stderr.contains("did you mean `odd`?"), "{near:?}");
}

// rule: X5
#[test]
fn names_are_those_of_a_session_with_all_servers() {
    // Models see both: the tools of the second server give way, whichever of the two is examined.
    let servers = json!({"a.b": server(&[]), "a_b": server(&[])});
    let names = |server: &str| {
        let ended = mcp(&env(), &servers, &["tools", server, "--json"]);
        let tools: Value = serde_json::from_str(&ended.stdout).expect("a report");
        tools["tools"][0]["full"].as_str().expect("a name").to_owned()
    };
    assert_ne!(names("a.b"), names("a_b"));
}

// rule: X7
#[cfg(target_os = "linux")]
#[test]
fn a_signal_leaves_no_server_behind() {
    let flags = ["--child", "--leaver", "--ignore-eof", "--ignore-term"];
    let hanging: Vec<&str> = flags.into_iter().chain(["--hang-list"]).collect();
    let calling = ["call", "s", "hang", "--no-hooks"];
    let cases = [
        (&["list"][..], &hanging[..]),
        (&["doctor"], &hanging),
        (&["tools", "s"], &hanging),
        (&calling, &flags),
    ];
    for ((arguments, flags), signal) in cases.into_iter().zip(["INT", "TERM", "INT", "TERM"]) {
        let env = env();
        let (marker, log) = (Marker::new(), env.root().join("log"));
        let (name, value) = marker.env();
        let mut entry = server(flags);
        entry["env"] = json!({ "LOG": log });
        let mut servers = json!({ "s": entry });
        if arguments == ["list"] {
            // A server that is connected by then, beside the one that hangs.
            servers["t"] = server(&["--child", "--leaver", "--ignore-eof", "--ignore-term"]);
        }
        let processes = if arguments == ["list"] { 7 } else { 4 };
        let config = json!({ "mcpServers": servers }).to_string();
        let all = ["mcp", "--mcp-config", &config].into_iter().chain(arguments.iter().copied());
        let mut command = env.becket(all).env(&name, &value).into_command();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut becket = command.spawn().expect("becket starts");
        let got = |method: &str| std::fs::read_to_string(&log).unwrap_or_default().contains(method);
        let last = if arguments[0] == "call" { "tools/call" } else { "tools/list" };
        assert!(
            wait_until(|| got(last) && marker.alive().len() >= processes),
            "{arguments:?}: {:?}",
            marker.alive()
        );
        let id = becket.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().expect("kill is there").success());
        assert_eq!(becket.wait().expect("it ends").code(), Some(1), "{signal} {arguments:?}");
        assert_eq!(marker.alive(), Vec::<u32>::new(), "{signal} {arguments:?}");
        assert!(last != "tools/call" || got("notifications/cancelled"), "the server was told");
    }
}
