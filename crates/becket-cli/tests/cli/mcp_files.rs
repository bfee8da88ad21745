//! `becket mcp add`, `remove` and `approve`: their changes, and the content that they leave unchanged.

use crate::env;
use crate::mcp::server;
use becket_testkit::env::TestEnv;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};

fn read(file: &PathBuf) -> String {
    fs::read_to_string(file).expect("the file is there")
}

fn state(env: &TestEnv, server: &str, arguments: &[&str]) -> String {
    let ended = env.becket(["mcp", "list", "--json"].iter().chain(arguments)).run();
    let report: Value = serde_json::from_str(&ended.stdout).expect("a report");
    let all = report["servers"].as_array().expect("a list");
    let found = all.iter().find(|one| one["name"] == server);
    found.map_or("not there", |one| one["state"].as_str().expect("a state")).to_owned()
}

#[test]
fn what_is_added_can_be_listed_and_what_is_removed_leaves_no_trace() {
    let env = env();
    let own = env.root().join("home/.claude.json");
    let project = env.project().join(".mcp.json");
    // The layout is unusual on purpose: that of existing entries is not changed.
    let before = "{ \"theme\":\"dark\",\n\n   \"mcpServers\" : {\n \"old\": {\"command\":\"a\"}\n} }\n";
    env.write("home/.claude.json", before);
    env.write("project/.mcp.json", before);
    for (scope, file) in [("user", &own), ("local", &own), ("project", &project)] {
        let script =
            ["mcp", "add", "new", "--scope", scope, "--env", "KEY=a=b", "--", "prog", "--flag", "-x"];
        let added = env.becket(script).run();
        assert_eq!(added.code, Some(0), "{added:?}");
        assert!(added.stdout.contains("added new in "), "{added:?}");
        let text = read(file);
        assert!(
            text.starts_with("{ \"theme\":\"dark\",\n\n   \"mcpServers\" : {\n \"old\": {\"command\":\"a\"}"),
            "{text}"
        );
        let listed = env.becket(["mcp", "list", "--no-connect", "--json"]).run().stdout;
        let report: Value = serde_json::from_str(&listed).expect("a report");
        let new = report["servers"].as_array().expect("a list").iter().find(|one| one["name"] == "new");
        assert_eq!(new.expect("it is there")["scope"], scope, "{listed}");
        let twice = env.becket(script).run();
        assert!(twice.code == Some(1) && twice.stderr.contains("`new`"), "{twice:?}");
        let replaced = env.becket(["mcp", "add", "new", "--replace", "--scope", scope, "other"]).run();
        assert!(replaced.code == Some(0) && read(file).contains("\"other\""), "{replaced:?}");
        let removed = env.becket(["mcp", "remove", "new"]).run();
        assert_eq!(removed.code, Some(0), "{removed:?}");
        assert!(!read(file).contains("\"new\""), "{}", read(file));
    }
    assert_eq!(read(&project), before);
    let gone = env.becket(["mcp", "remove", "new"]).run();
    assert!(gone.code == Some(1) && gone.stderr.contains("no server `new`"), "{gone:?}");
}

#[test]
fn an_entry_says_how_the_server_is_reached() {
    let cases: [(&[&str], Value); 5] = [
        (
            &["--", "uvx", "time", "--utc"],
            json!({"type": "stdio", "command": "uvx", "args": ["time", "--utc"]}),
        ),
        (&["https://a.example/mcp"], json!({"type": "http", "url": "https://a.example/mcp"})),
        (
            &["--transport", "sse", "https://a.example/s"],
            json!({"type": "sse", "url": "https://a.example/s"}),
        ),
        (&["wss://a.example/mcp"], json!({"type": "ws", "url": "wss://a.example/mcp"})),
        (
            &["--header", "X-Key: ${KEY}", "https://a.example/mcp"],
            json!({"type": "http", "url": "https://a.example/mcp", "headers": {"X-Key": "${KEY}"}}),
        ),
    ];
    for (arguments, expected) in cases {
        let env = env();
        let all = ["mcp", "add", "--scope", "project", "new"].iter().chain(arguments);
        let added = env.becket(all).run();
        assert_eq!(added.code, Some(0), "{added:?}");
        let file: Value = serde_json::from_str(&read(&env.project().join(".mcp.json"))).expect("JSON");
        assert_eq!(file["mcpServers"]["new"], expected);
    }
    let env = env();
    let json = r#"{"type": "http", "url": "https://a.example/mcp", "timeout": 5}"#;
    assert_eq!(env.becket(["mcp", "add-json", "--scope", "project", "new", json]).run().code, Some(0));
    assert!(read(&env.project().join(".mcp.json")).contains("\"timeout\": 5"));
    for (arguments, words) in [
        (&["https://a.example/mcp", "--header", "A: b"][..], "`--header` follows the URL"),
        (&["--header", "sk-secret-of-mine-0123456789", "https://a.example/"], "write `NAME: VALUE`"),
        (&["--env", "=x", "prog"], "write `NAME=VALUE`"),
    ] {
        let all = ["mcp", "add", "bad"].iter().chain(arguments);
        let refused = env.becket(all).run();
        assert!(refused.code == Some(1) && refused.stderr.contains(words), "{refused:?}");
        assert!(!refused.stderr.contains("0123456789"), "{refused:?}");
    }
    for entry in ["[]", "{", "5"] {
        assert_eq!(env.becket(["mcp", "add-json", "bad", entry]).run().code, Some(1));
    }
}

#[cfg(unix)]
#[test]
fn a_file_of_the_users_own_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let env = env();
    fs::remove_file(env.root().join("home/.claude.json")).expect("the folder is trusted there");
    let mode = |file: &str| {
        let metadata = fs::metadata(env.root().join(file)).expect("the file is there");
        metadata.permissions().mode() & 0o777
    };
    assert_eq!(env.becket(["mcp", "add", "--env", "KEY=secret", "new", "prog"]).run().code, Some(0));
    assert_eq!(mode("home/.claude.json"), 0o600);
    assert_eq!(env.becket(["mcp", "add", "--scope", "project", "shared", "prog"]).run().code, Some(0));
    assert_eq!(env.becket(["mcp", "approve", "shared"]).run().code, Some(0));
    assert_eq!(mode("home/.claude/becket/mcp-approvals.json"), 0o600);
}

// rule: X1
#[test]
fn a_server_of_the_project_waits_for_an_approval_of_what_it_is() {
    let env = env();
    let write =
        |entry: &Value| env.write("project/.mcp.json", json!({"mcpServers": {"s": entry}}).to_string());
    write(&server(&[]));
    let call = |env: &TestEnv| env.becket(["mcp", "call", "s", "text", "--no-hooks"]).run();
    assert_eq!(state(&env, "s", &[]), "disabled");
    assert_eq!(state(&env, "s", &["--approve-all"]), "connected");
    let refused = call(&env);
    assert!(refused.code == Some(1) && refused.stderr.contains("it is not approved yet"), "{refused:?}");
    assert_eq!(env.becket(["mcp", "approve", "s"]).run().code, Some(0));
    assert_eq!(state(&env, "s", &[]), "connected");
    assert_eq!(call(&env).code, Some(0));

    write(&server(&["--another"]));
    assert_eq!(state(&env, "s", &[]), "disabled", "it is not what was approved");
    assert_eq!(env.becket(["mcp", "approve", "s"]).run().code, Some(0));
    assert_eq!(env.becket(["mcp", "approve", "--revoke", "s"]).run().code, Some(0));
    assert_eq!(state(&env, "s", &[]), "disabled");
    assert_eq!(env.becket(["mcp", "approve", "--revoke", "s"]).run().code, Some(1));
    let own = json!({"mcpServers": {"mine": server(&[])}}).to_string();
    env.write("home/.claude.json", own);
    let needless = env.becket(["mcp", "approve", "mine"]).run();
    assert!(needless.code == Some(1) && needless.stderr.contains("needs no approval"), "{needless:?}");
}

// rule: X1
#[test]
fn policy_and_stronger_scopes_decide_who_counts() {
    let env = env();
    let both = json!({"mcpServers": {"s": server(&[]), "t": server(&[])}}).to_string();
    env.write("home/.claude.json", &both);
    let denied = json!({"deniedMcpServers": [{"serverName": "t"}]}).to_string();
    env.write("managed/managed-settings.json", denied);
    assert_eq!((state(&env, "s", &[]).as_str(), state(&env, "t", &[]).as_str()), ("connected", "disabled"));
    let examined = env.becket(["mcp", "doctor", "t"]).run();
    assert!(examined.stdout.contains("`deniedMcpServers` denies it"), "{examined:?}");
    let other = json!({"mcpServers": {"s": server(&["--die"])}}).to_string();
    assert_eq!(state(&env, "s", &["--mcp-config", &other]), "failed", "the command line is stronger");
    let strict = ["--mcp-config", &other, "--strict-mcp-config"];
    assert_eq!(state(&env, "t", &strict), "not there");
    env.write("managed/managed-settings.json", "{ \"deniedMcpServers\": ");
    let unread = env.becket(["mcp", "list"]).run();
    assert_eq!(unread.code, Some(1), "what may deny anything has to be read: {unread:?}");
    env.write("managed/managed-settings.json", "{}");
    env.write("managed/managed-mcp.json", json!({"mcpServers": {"m": server(&[])}}).to_string());
    assert_eq!((state(&env, "m", &[]).as_str(), state(&env, "s", &[]).as_str()), ("connected", "disabled"));
}

/// Runs commands at the same time; each must succeed.
fn run_at_once(env: &TestEnv, commands: &[Vec<String>]) {
    let start = |command: &Vec<String>| {
        env.becket(command).into_command().stdout(Stdio::null()).spawn().expect("it starts")
    };
    let processes: Vec<Child> = commands.iter().map(start).collect();
    for mut process in processes {
        assert!(process.wait().expect("it ends").success());
    }
}

#[test]
fn changes_that_several_processes_make_at_once_are_all_made() {
    let env = env();
    let words = |text: String| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    for (scope, file) in [("user", "home/.claude.json"), ("project", "project/.mcp.json")] {
        let added = |number| words(format!("mcp add --scope {scope} s{number} -- x"));
        run_at_once(&env, &(0..8).map(added).collect::<Vec<_>>());
        let file: Value = serde_json::from_str(&read(&env.root().join(file))).expect("JSON");
        assert_eq!(file["mcpServers"].as_object().expect("servers").len(), 8, "{file}");
    }
    let approved: Map<String, Value> =
        (0..9).map(|number| (format!("s{number}"), json!(format!("sha256:{}", "0".repeat(64))))).collect();
    let project = env.project().display().to_string();
    let text = json!({"version": 1, "projects": {&project: approved}}).to_string();
    let file = env.write("home/.claude/becket/mcp-approvals.json", text);
    let revoked = |number| words(format!("mcp approve --revoke s{number}"));
    run_at_once(&env, &(0..8).map(revoked).collect::<Vec<_>>());
    let left: Value = serde_json::from_str(&read(&file)).expect("JSON");
    assert_eq!(left["projects"][&project].as_object().expect("approvals").len(), 1, "{left}");
}

#[cfg(unix)]
#[test]
fn a_file_that_is_read_only_or_has_several_names_is_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let env = env();
    let file = env.write("project/.mcp.json", "{}");
    let add = || env.becket(["mcp", "add", "--scope", "project", "new", "x"]).run();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).expect("a mode");
    let refused = add();
    assert!(refused.code == Some(1) && refused.stderr.contains("it is read-only"), "{refused:?}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("a mode");
    fs::hard_link(&file, env.root().join("hard")).expect("a link");
    let refused = add();
    assert!(refused.code == Some(1) && refused.stderr.contains("it has 2 names"), "{refused:?}");
    assert_eq!(read(&file), "{}");
}
