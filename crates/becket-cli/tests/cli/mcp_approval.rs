//! `mcp`: the conditions under which a server of the project may be used.

use crate::env;
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};
use std::process::Command;

fn git(env: &TestEnv, arguments: &[&str]) {
    let done = Command::new("git").arg("-C").arg(env.project()).args(arguments).status();
    assert!(done.is_ok_and(|status| status.success()), "{arguments:?}");
}

/// Returns the state of the only server, and its reason.
fn state(env: &TestEnv) -> (String, String) {
    let listed = env.becket(["mcp", "list", "--no-connect", "--json"]).run();
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    let report: Value = serde_json::from_str(&listed.stdout).expect("a report");
    let text = |field: &str| report["servers"][0][field].as_str().unwrap_or_default().to_owned();
    (text("state"), text("why"))
}

fn server(env: &TestEnv, argument: &str) {
    let entry = json!({"mcpServers": {"tool": {"command": "true", "args": [argument]}}});
    env.write("project/.mcp.json", entry.to_string());
}

// rule: G3
#[test]
fn a_repository_that_brings_its_own_approval_approves_nothing() {
    let env = env();
    env.write("home/.claude.json", "{}");
    server(&env, "a");
    env.write("project/.claude/settings.local.json", r#"{"enabledMcpjsonServers": ["tool"]}"#);
    assert_eq!(state(&env).0, "disabled", "without git it may have come with the folder");
    git(&env, &["init", "-q"]);
    assert_eq!(state(&env).0, "not-connected", "the user's own file approves it");
    git(&env, &["add", "--force", ".claude/settings.local.json"]);
    assert_eq!(state(&env).0, "disabled", "the repository's file does not");
    env.write("project/.claude/settings.local.json", r#"{"enableAllProjectMcpServers": true}"#);
    assert_eq!(state(&env).0, "disabled");
    let listed = env.becket(["mcp", "list", "--no-connect", "--trust-project"]).run();
    assert!(listed.stdout.contains("not connected"), "{listed:?}");
}

// rule: G3
#[test]
fn no_command_that_only_looks_starts_what_a_folder_names() {
    let env = env();
    env.write("home/.claude.json", "{}");
    let touch = format!("touch {}; exit 1", env.root().join("BROKE").display());
    let entry = json!({"mcpServers": {"tool": {"command": "sh", "args": ["-c", touch]}}});
    env.write("project/.mcp.json", entry.to_string());
    let settings = json!({
        "enableAllProjectMcpServers": true, "enabledMcpjsonServers": ["tool"], "apiKeyHelper": touch,
        "env": {"PATH": env.project().display().to_string()},
        "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": touch}]}]},
    });
    for file in ["settings.json", "settings.local.json"] {
        env.write(&format!("project/cfg/{file}"), settings.to_string());
    }
    std::os::unix::fs::symlink("cfg", env.project().join(".claude")).expect("a link");
    for is_repository in [false, true] {
        if is_repository {
            git(&env, &["init", "-q"]);
            git(&env, &["add", "--force", "."]);
        }
        for arguments in [
            &["mcp", "list"][..],
            &["mcp", "doctor"],
            &["mcp", "tools", "tool"],
            &["check"],
            &["list"],
            &["explain", "SessionStart"],
        ] {
            let ended = env.becket(arguments.iter().copied()).run();
            assert!(ended.code.is_some(), "{arguments:?}: {ended:?}");
            assert!(!env.root().join("BROKE").exists(), "{arguments:?}, git: {is_repository}");
        }
    }
}

// rules: G3, X1
#[test]
fn an_approval_ends_with_the_text_that_was_approved() {
    let env = env();
    server(&env, "a");
    let (before, why) = state(&env);
    assert_eq!((before.as_str(), why.contains("it is not approved yet")), ("disabled", true), "{why}");
    assert_eq!(env.becket(["mcp", "approve", "tool"]).run().code, Some(0));
    assert_eq!(state(&env).0, "not-connected");
    server(&env, "b");
    let (changed, why) = state(&env);
    assert_eq!((changed.as_str(), why.contains("has changed or moved it")), ("disabled", true), "{why}");
    server(&env, "a");
    assert_eq!(state(&env).0, "not-connected");
    assert_eq!(env.becket(["mcp", "approve", "--revoke", "tool"]).run().code, Some(0));
    assert_eq!(state(&env).0, "disabled");
}

// rules: G3, X7
#[test]
fn an_approval_covers_no_program_of_another_directory() {
    let env = env();
    git(&env, &["init", "-q"]);
    let server =
        |name: &str| json!({"mcpServers": {name: {"command": "sh", "args": ["./srv.sh"]}}}).to_string();
    for directory in ["", "vendor/x/", "vendor/y/", "vendor/y/deep/", "vendor/z/"] {
        env.write(&format!("project/{directory}srv.sh"), "touch ran");
    }
    env.write("project/.mcp.json", server("tool"));
    env.write("project/vendor/x/.mcp.json", server("tool"));
    env.write("project/vendor/y/.mcp.json", server("own"));
    env.write("project/vendor/z/.mcp.json", server("own"));
    let mcp = |directory: &str, arguments: &[&str]| {
        let ended = env.becket(["-C", directory, "mcp"].iter().chain(arguments)).run();
        assert_eq!(ended.code, Some(0), "{arguments:?} in {directory}: {ended:?}");
        ended.stdout
    };
    // Lists the servers in a directory, and returns the directories in which one was started.
    let started = |directory: &str| {
        mcp(directory, &["list"]);
        let all = [".", "vendor/x", "vendor/y", "vendor/y/deep", "vendor/z"];
        let ran = |place: &&str| std::fs::remove_file(env.project().join(place).join("ran")).is_ok();
        all.into_iter().filter(ran).collect::<Vec<_>>()
    };
    mcp(".", &["approve", "tool"]);
    assert_eq!(started("."), ["."]);
    assert_eq!(
        started("vendor/x"),
        ["."],
        "the copy of the entry is not approved, and the approved one is not moved"
    );
    std::fs::remove_file(env.project().join("vendor/x/.mcp.json")).expect("it is there");
    assert_eq!(started("vendor/x"), ["."]);

    mcp(".", &["approve", "--revoke", "tool"]);
    assert!(mcp("vendor/y", &["list"]).contains("it is not approved yet"));
    mcp("vendor/y", &["approve", "own"]);
    assert_eq!(started("vendor/y"), ["vendor/y"]);
    assert_eq!(started("vendor/y/deep"), ["vendor/y"]);
    assert!(started("vendor/z").is_empty());
    assert!(mcp("vendor/z", &["list"]).contains("has changed or moved it"));
}
