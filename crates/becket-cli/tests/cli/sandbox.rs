//! `sandbox` and `pluginHooks` in settings: the access of lines and of plugins' hooks. `becket-exec` contains the tests
//! of enforcement.

use crate::run::{lines, run, scripted};
use crate::{env, env_with};
use becket_testkit::env::{ProgramOutput, TestEnv};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpListener;

fn user_settings(env: &TestEnv, settings: &Value) {
    env.write("home/.claude/settings.json", settings.to_string());
}

fn exec(env: &TestEnv, line: &str) -> ProgramOutput {
    env.becket(["exec", "--", "sh", "-c", line]).run()
}

/// Tries each command in a shell, and prints those that succeed.
fn attempts(commands: &[&str]) -> String {
    let tries =
        commands.iter().map(|command| format!("(exec >/dev/null 2>&1; {command}) && echo '{command}'; "));
    tries.collect::<String>() + "true"
}

// rule: E5
#[test]
fn a_line_in_a_sandbox_writes_where_it_works_alone() {
    let env = env();
    env.write("project/.claude/settings.json", "{}");
    env.write("project/.git/hooks/pre-commit", "kept");
    env.write("home/secret/key", "hidden");
    env.write("elsewhere/file", "kept");
    user_settings(
        &env,
        &json!({"sandbox": {"enabled": true, "filesystem": {"denyRead": ["~/secret"], "allowWrite": ["~/cache"]}}}),
    );
    env.write("home/cache/.keep", "");
    let line = attempts(&[
        "echo a > inside",
        "echo a > $TMPDIR/temporary",
        "echo a > ~/cache/new",
        "echo a > ../elsewhere/file",
        "echo a > ~/new",
        "echo a > .claude/settings.json",
        "echo a > .git/hooks/pre-commit",
        "mv .git moved",
        "cat ~/secret/key",
        "echo a > .git/index",
    ]);
    let ended = exec(&env, &line);
    let allowed = "echo a > inside\necho a > $TMPDIR/temporary\necho a > ~/cache/new\necho a > .git/index\n";
    assert_eq!(ended.stdout, allowed, "{ended:?}");
}

// rule: E5
#[test]
fn a_line_in_a_sandbox_has_the_network_that_the_user_grants() {
    let env = env();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let port = listener.local_addr().expect("an address").port();
    let connect = format!("python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))'");
    for (network, is_open) in [
        (json!(null), false),
        (json!({"allowedDomains": ["example.com"]}), false),
        (json!({"allowedDomains": ["*"]}), true),
        (json!({"allowedDomains": ["*"], "deniedDomains": ["example.com"]}), false),
        (json!({"allowLocalBinding": true}), false),
    ] {
        user_settings(&env, &json!({"sandbox": {"enabled": true, "network": network}}));
        let ended = exec(&env, &format!("{connect} 2>/dev/null; echo $?"));
        assert_eq!(ended.stdout == "0\n", is_open, "{network}: {ended:?}");
    }
}

/// Starts a server that answers each request with `here`; returns its port.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ =
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhere\n");
        }
    });
    port
}

// rule: E5
#[test]
fn hosts_are_allowed_by_the_user_and_denied_by_every_file() {
    let env = env_with("{}");
    let port = server();
    // Every request goes to the proxy, which answers with a text.
    let line = format!("curl -s -m 10 --noproxy '' http://localhost:{port}/");
    let network = json!({"allowedDomains": ["example.com", "localhost"]});
    user_settings(&env, &json!({"sandbox": {"enabled": true, "network": network}}));
    let ended = exec(&env, &line);
    assert_eq!(ended.stdout, "here\n", "{ended:?}");
    // A project's files can't allow anything, but can deny.
    for (of_user, of_project, why) in [
        (json!({}), json!({"allowedDomains": ["localhost"]}), ""),
        (
            network.clone(),
            json!({"deniedDomains": ["localhost"]}),
            "denied by `localhost` of `sandbox.network.deniedDomains`",
        ),
        (json!({"allowedDomains": ["*"]}), json!({"deniedDomains": ["x.test"]}), "names that address"),
        (
            json!({"allowedDomains": ["example.com"]}),
            json!({}),
            "no entry of `sandbox.network.allowedDomains`",
        ),
    ] {
        user_settings(&env, &json!({"sandbox": {"enabled": true, "network": of_user}}));
        env.write("project/.claude/settings.json", json!({"sandbox": {"network": of_project}}).to_string());
        let ended = exec(&env, &line);
        assert!(!ended.stdout.contains("here") && ended.stdout.contains(why), "{of_project}: {ended:?}");
        assert!(ended.stderr.contains(why), "{ended:?}");
    }
    env.write("project/.claude/settings.json", "{}");
    let ended = env.becket(["exec", "--allow-domain", "localhost", "--", "sh", "-c", &line]).run();
    assert!(!ended.stdout.contains("here"), "arguments add nothing to the settings: {ended:?}");
    user_settings(&env, &json!({}));
    let ended = env.becket(["exec", "--allow-domain", "localhost", "--", "sh", "-c", &line]).run();
    assert_eq!(ended.stdout, "here\n", "{ended:?}");
}

// rule: E5
#[test]
fn managed_settings_may_be_the_only_ones_that_allow_hosts() {
    let env = env();
    let managed = |network: Value| {
        env.write("managed/managed-settings.json", json!({"sandbox": {"network": network}}).to_string());
    };
    let line = format!("curl -s -m 10 http://localhost:{}/", server());
    let reached = || exec(&env, &line).stdout == "here\n";
    user_settings(&env, &json!({"sandbox": {"enabled": true, "network": {"allowedDomains": ["localhost"]}}}));
    managed(json!({"allowManagedDomainsOnly": true}));
    assert!(!reached());
    managed(json!({"allowManagedDomainsOnly": "yes"}));
    assert!(!reached());
    managed(json!({"allowManagedDomainsOnly": true, "allowedDomains": ["localhost"]}));
    assert!(reached());
    managed(json!({"allowManagedDomainsOnly": false}));
    assert!(reached());
}

// rule: E5
#[test]
fn a_repository_takes_rights_away_and_grants_none() {
    let of_project = json!({"sandbox": {"enabled": true,
        "filesystem": {"allowWrite": ["../elsewhere"], "denyWrite": ["src"]}, "network": {"allowedDomains": ["*"]},
        "plugins": {"a@b": {"filesystem": {"allowWrite": ["../elsewhere"]}}}}});
    let env = env_with(&of_project.to_string());
    env.write("project/src/file", "kept");
    env.write("elsewhere/file", "kept");
    let ended = exec(&env, &attempts(&["echo a > ../elsewhere/file", "echo a > src/file", "echo a > new"]));
    assert_eq!(ended.stdout, "echo a > new\n", "{ended:?}");
    let checked = env.becket(["check"]).run();
    let said = "`allowWrite`, `allowedDomains` can only grant rights in managed settings";
    assert!(checked.stdout.contains(said), "{checked:?}");
    env.write("project/.claude/settings.json", json!({"sandbox": {"enabled": false}}).to_string());
    user_settings(&env, &json!({"sandbox": {"enabled": true}}));
    let ended = exec(&env, &attempts(&["echo a > ../elsewhere/file"]));
    assert_eq!(ended.stdout, "", "{ended:?}");
}

// rule: E5
#[test]
fn an_excluded_command_runs_outside_and_takes_nothing_along() {
    let env = env_with("{}");
    let out = env.root().join("out");
    let sandbox = json!({"enabled": true, "excludedCommands": ["touch *"]});
    let deny = json!({"deny": ["Bash(touch *denied*)"]});
    user_settings(&env, &json!({"sandbox": sandbox, "permissions": deny}));
    let touched = |command: &[&str]| {
        let _ = std::fs::remove_file(&out);
        let ended = env.becket([&["exec", "--"], command].concat()).run();
        (out.exists(), ended)
    };
    let path = out.display().to_string();
    assert!(touched(&["touch", &path]).0);
    for line in [format!("touch {path}"), format!("touch inside; touch {path}")] {
        let (was, ended) = touched(&["sh", "-c", &line]);
        assert!(!was, "{line}: {ended:?}");
    }
    assert!(!touched(&["env", "touch", &path]).0);
    let denied = touched(&["touch", &path, "denied"]);
    assert!(!denied.0 && denied.1.code == Some(126), "{denied:?}");
    // Files of a repository can't exclude anything, and neither does a pattern that matches everything.
    user_settings(&env, &json!({"sandbox": {"enabled": true, "excludedCommands": ["*"]}}));
    env.write("project/.claude/settings.json", json!({"sandbox": sandbox}).to_string());
    assert!(!touched(&["touch", &path]).0);
    let checked = env.becket(["check"]).run();
    for said in [
        "`*` in `excludedCommands` would exclude every command",
        "`excludedCommands` can only grant rights in managed",
    ] {
        assert!(checked.stdout.contains(said), "{said}: {checked:?}");
    }
}

// rule: E5
#[test]
fn bash_of_the_agent_leaves_the_sandbox_for_excluded_commands_alone() {
    let calls = ["touch ../out", "touch ../other; true", "touch ../third && echo x"];
    let uses: Vec<Value> = (0..).zip(calls).map(|(id, command)| {
        json!({"tool_uses": [{"id": format!("t{id}"), "name": "Bash", "input": {"command": command}}]})
    }).chain([json!({"text": "Done."})]).collect();
    let env = scripted(&json!({}), &Value::Array(uses));
    let settings = json!({"sandbox": {"enabled": true, "excludedCommands": ["touch *"]}}).to_string();
    let ended = run(&env, &["-p", "go", "--allowed-tools", "Bash", "--settings", &settings]).run();
    let there = |name: &str| env.root().join(name).exists();
    assert_eq!((there("out"), there("other"), there("third")), (true, false, false), "{ended:?}");
}

// rule: E5
#[test]
fn keys_without_effect_are_named() {
    let env = env();
    user_settings(
        &env,
        &json!({"sandbox": {"enabled": true, "allowUnsandboxedCommands": true,
        "plugins": {"tidy@market": {"network": {"allowedDomains": ["example.com"]}}},
        "network": {"allowedDomains": ["https://example.com"], "httpProxyPort": 8080}}}),
    );
    let checked = env.becket(["check"]).run();
    for said in [
        "`allowUnsandboxedCommands` has no effect here: no line leaves the sandbox",
        "`httpProxyPort` has no effect here",
        "`https://example.com` in `allowedDomains` allows nothing: it is not a host",
        "only `\"*\"` opens the network",
    ] {
        assert!(checked.stdout.contains(said), "{said}: {checked:?}");
    }
}

// rules: C7b, E5
#[test]
fn a_sandbox_that_can_not_be_enforced_runs_nothing() {
    let env = env();
    for (filesystem, why) in [
        (json!({"denyRead": "~/.ssh"}), "can't be read"),
        (json!({"denyWrite": [7]}), "can't be read"),
        (json!([]), "can't be read"),
        (json!({"denyWrite": ["new-file"]}), "create it first"),
    ] {
        let settings = json!({"sandbox": {"enabled": true, "filesystem": filesystem}});
        env.write("project/.claude/settings.json", settings.to_string());
        let ended = exec(&env, "echo ran");
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(125), ""), "{filesystem}: {ended:?}");
        assert!(ended.stderr.contains(why), "{filesystem}: {ended:?}");
    }
}

// rules: C7b, E5
#[test]
fn a_denied_host_that_can_not_be_read_runs_nothing() {
    let env = env();
    for denied in
        [json!(["https://a.test"]), json!(["b\u{fc}cher.test"]), json!(["a.test:x"]), json!("a.test")]
    {
        let settings = json!({"sandbox": {"enabled": true, "network": {"deniedDomains": denied}}});
        env.write("project/.claude/settings.json", settings.to_string());
        let ended = exec(&env, "echo ran");
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(125), ""), "{denied}: {ended:?}");
        assert!(ended.stderr.contains("can't be read"), "{denied}: {ended:?}");
    }
}

// rule: E5
#[test]
fn a_project_in_another_writable_directory_is_not_closed_for_a_missing_path() {
    let env =
        env_with(&json!({"sandbox": {"enabled": true, "filesystem": {"denyWrite": ["new"]}}}).to_string());
    let around = env.root().display().to_string();
    let ended = env.becket(["exec", "--", "sh", "-c", "echo ran"]).env("TMPDIR", &around).run();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(125), ""), "{ended:?}");
    assert!(ended.stderr.contains("create it first"), "{ended:?}");
}

// rule: E5
#[test]
fn bash_of_the_agent_is_in_the_sandbox_of_the_settings() {
    let turns = json!([
        {"tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": "sh try.sh"}}]},
        {"text": "Done."}
    ]);
    for exec in ["supervised", "text-only"] {
        let env = scripted(&json!({}), &turns);
        env.write("home/secret/key", "hidden");
        env.write("project/try.sh", "echo a > ../out.txt; echo a > in.txt; cat in.txt ~/secret/key; true");
        let settings =
            json!({"sandbox": {"enabled": true, "filesystem": {"denyRead": ["~/secret"]}}, "exec": exec});
        let settings = settings.to_string();
        let arguments =
            ["-p", "go", "--output-format", "stream-json", "--verbose", "--allowed-tools", "Bash"];
        let ended = run(&env, &[&arguments[..], &["--settings", &settings]].concat()).run();
        let results: String =
            lines(&ended).iter().filter(|line| line["type"] == "user").map(Value::to_string).collect();
        assert!(env.project().join("in.txt").exists(), "{ended:?}");
        assert!(
            !env.project().join("../out.txt").exists() && results.contains("ermission denied"),
            "{ended:?}"
        );
        assert!(!results.contains("hidden"), "{ended:?}");
    }
}

/// Installs a plugin by its directory, with one hook.
fn plugin(env: &TestEnv, command: &str) -> String {
    env.write("plugin/.claude-plugin/plugin.json", json!({"name": "tidy", "version": "1.0.0"}).to_string());
    let hooks = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}});
    env.write("plugin/hooks/hooks.json", hooks.to_string());
    env.root().join("plugin").display().to_string()
}

fn fire_with(env: &TestEnv, plugin: &str) -> ProgramOutput {
    env.becket(["fire", "PreToolUse", "--tool", "Bash", "--json", "--plugin-dir", plugin]).run()
}

/// Returns the commands that a reporting hook could run.
fn reported(fired: &ProgramOutput) -> Vec<String> {
    assert_eq!(fired.code, Some(2), "{fired:?}");
    let report: Value = serde_json::from_str(&fired.stdout).expect("JSON");
    report["hooks"][0]["reason"].as_str().expect("a reason").lines().map(str::to_owned).collect()
}

/// Returns a hook that denies, and reports the commands that it could run.
fn reporting(commands: &[&str]) -> String {
    format!("{{ {}; }} >&2; exit 2", attempts(commands))
}

// rule: E5
#[test]
fn a_contained_hook_of_a_plugin_reaches_its_own_files_alone() {
    let env = env_with("{}");
    env.write("home/secret", "hidden");
    env.write("project/file", "kept");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let port = listener.local_addr().expect("an address").port();
    let connect =
        format!("python3 -c \"import socket; socket.create_connection((\\\"127.0.0.1\\\", {port}))\"");
    let commands = [
        "cat file",
        "test -r $CLAUDE_PLUGIN_ROOT/hooks/hooks.json",
        "echo a > $CLAUDE_PLUGIN_DATA/state",
        "echo a > $TMPDIR/scratch",
        "cat ~/secret",
        "echo a > file",
        "echo a > $CLAUDE_PLUGIN_ROOT/new",
        "echo a > ~/new",
        "kill -0 $PPID",
        &connect,
    ];
    let directory = plugin(&env, &reporting(&commands));
    let observed = reported(&fire_with(&env, &directory));
    assert_eq!(observed, commands, "without containment it has all rights");
    env.write("project/file", "kept");
    std::fs::remove_file(env.root().join("home/new")).expect("a file");
    std::fs::remove_file(env.root().join("plugin/new")).expect("a file");
    user_settings(&env, &json!({"pluginHooks": "contained"}));
    assert_eq!(reported(&fire_with(&env, &directory)), commands[..4]);
    assert_eq!(std::fs::read_to_string(env.project().join("file")).expect("a file"), "kept");
    let left = std::fs::read_dir(env.root().join("tmp")).expect("a directory");
    let left: Vec<_> = left.flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["scratch"], "what the hook wrote while it had all rights");
}

// rule: E5
#[test]
fn a_plugin_is_granted_more_by_the_user_and_not_by_the_project() {
    let env = env_with("{}");
    env.write("home/notes/a", "text");
    let directory = plugin(&env, &reporting(&["cat ~/notes/a", "echo a > ~/notes/b"]));
    let grant = json!({"filesystem": {"allowRead": ["~/notes"], "allowWrite": ["~/notes"]}});
    let sandbox = json!({"plugins": {"tidy@inline": grant}});
    env.write("project/.claude/settings.json", json!({"sandbox": sandbox}).to_string());
    user_settings(&env, &json!({"pluginHooks": "contained"}));
    assert_eq!(reported(&fire_with(&env, &directory)), ["no stderr output"]);
    user_settings(&env, &json!({"pluginHooks": "contained", "sandbox": sandbox}));
    assert_eq!(reported(&fire_with(&env, &directory)), ["cat ~/notes/a", "echo a > ~/notes/b"]);
}

// rule: E5
#[test]
fn a_contained_hook_that_fails_is_told_to_be_contained() {
    let env = env_with("{}");
    env.write("home/secret", "hidden");
    let warnings = |fired: &ProgramOutput| {
        let report: Value = serde_json::from_str(&fired.stdout).unwrap_or_else(|_| panic!("{fired:?}"));
        report["hooks"][0]["warnings"].to_string()
    };
    for (command, fails) in [("cat ~/secret", true), ("true", false), ("echo no >&2; exit 2", false)] {
        let directory = plugin(&env, command);
        user_settings(&env, &json!({"pluginHooks": "contained"}));
        let said = warnings(&fire_with(&env, &directory));
        assert_eq!(said.contains("`sandbox.plugins.tidy@inline` grants more"), fails, "{command}: {said}");
        user_settings(&env, &json!({}));
        let said = warnings(&fire_with(&env, &directory));
        assert!(!said.contains("sandbox.plugins"), "{command}: {said}");
    }
}

// rule: E5
#[test]
fn a_plugin_that_can_not_be_contained_blocks() {
    let env = env_with("{}");
    let directory = plugin(&env, "exit 0");
    let broken = json!({"plugins": {"tidy@inline": {"filesystem": {"denyRead": 7}}}});
    user_settings(&env, &json!({"pluginHooks": "contained", "sandbox": broken}));
    let fired = fire_with(&env, &directory);
    assert_eq!(fired.code, Some(2), "{fired:?}");
    assert!(fired.stdout.contains("was not run, since it can't be contained"), "{fired:?}");
}
