//! Installed plugins in the commands: found, named, run, and missing.

use crate::run::{lines, run, scripted};
use crate::{env, env_with};
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

/// Installs and enables the plugin `format-all@m`, which its manifest calls `fmt`, for the user.
fn install(env: &TestEnv, hooks: &Value) {
    let directory = "home/.claude/plugins/cache/m/format-all/1.0.0";
    let manifest = json!({"name": "fmt", "version": "1.0.0", "userConfig": {"api_key": {"type": "string"}}});
    env.write(&format!("{directory}/.claude-plugin/plugin.json"), manifest.to_string());
    env.write(&format!("{directory}/hooks/hooks.json"), hooks.to_string());
    let path = env.root().join(directory);
    let records = json!({"version": 2, "plugins": {"format-all@m": [
        {"scope": "user", "installPath": path, "version": "1.0.0", "lastUpdated": "2026-01-01T00:00:00Z"}]}});
    env.write("home/.claude/plugins/installed_plugins.json", records.to_string());
    let settings = json!({"enabledPlugins": {"format-all@m": true},
        "pluginConfigs": {"format-all@m": {"options": {"api_key": "k 1"}}}});
    env.write("home/.claude/settings.json", settings.to_string());
}

fn before_tools(command: &str, more: &Value) -> Value {
    let mut handler = json!({"type": "command", "command": command});
    handler.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
    json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}})
}

// rules: C9, H2
#[test]
fn the_hooks_of_an_installed_plugin_run_with_its_variables() {
    let env = env_with("{}");
    let says = "echo \"$CLAUDE_PLUGIN_OPTION_API_KEY|$CLAUDE_PLUGIN_ROOT|$CLAUDE_PLUGIN_DATA\" >&2; test -d ${CLAUDE_PLUGIN_DATA} && exit 2";
    install(&env, &before_tools(says, &json!({})));
    let data = env.root().join("home/.claude/plugins/data/format-all-m");
    assert!(!data.exists());
    let fired = env.becket(["fire", "PreToolUse", "--tool", "Bash", "--json"]).run();
    assert_eq!(fired.code, Some(2), "{fired:?}");
    let report: Value = serde_json::from_str(&fired.stdout).expect("JSON");
    let text = report.to_string();
    let root = env.root().join("home/.claude/plugins/cache/m/format-all/1.0.0");
    assert!(text.contains(&format!("k 1|{}|{}", root.display(), data.display())), "{text}");
    assert!(text.contains("(from plugin `fmt`)"), "{text}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&data).expect("a directory").permissions().mode() & 0o777, 0o700);
    }
    let listed = env.becket(["list"]).run();
    assert!(listed.stdout.contains("plugin:fmt "), "{listed:?}");
    assert_eq!(env.becket(["check"]).run().code, Some(0));
}

// rule: H2
#[test]
fn options_are_filled_in_exec_form_alone() {
    let env = env_with("{}");
    let args = json!({"args": ["-c", "echo \"<$0|$1>\" >&2; exit 2", "${user_config.api_key}", "${CLAUDE_PLUGIN_DATA}"]});
    install(&env, &before_tools("sh", &args));
    let fired = env.becket(["fire", "PreToolUse", "--tool", "Bash"]).run();
    let data = env.root().join("home/.claude/plugins/data/format-all-m");
    assert_eq!(fired.code, Some(2), "{fired:?}");
    assert!(fired.stdout.contains(&format!("<k 1|{}>", data.display())), "{fired:?}");
    install(&env, &before_tools("echo ${user_config.api_key}", &json!({})));
    let checked = env.becket(["check"]).run();
    assert_eq!(checked.code, Some(1));
    assert!(checked.stdout.contains("CLAUDE_PLUGIN_OPTION_API_KEY"), "{checked:?}");
}

// rule: C9
#[test]
fn a_plugin_that_is_gone_is_an_error_and_a_warning() {
    let env = env_with(r#"{"enabledPlugins": {"guard@team": true}}"#);
    let checked = env.becket(["check"]).run();
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert!(
        checked.stdout.contains("missing-plugin") && checked.stdout.contains("guard@team"),
        "{checked:?}"
    );
    let fired = env.becket(["fire", "PreToolUse", "--tool", "Bash"]).run();
    assert_eq!(fired.code, Some(0), "{fired:?}");
    assert!(fired.stderr.contains("`guard@team` is on and can't be found"), "{fired:?}");
    assert_eq!(env.becket(["--strict", "list"]).run().code, Some(1));
}

// rule: C9
#[test]
fn a_file_that_is_checked_alone_says_nothing_of_what_is_installed() {
    let env = env_with(
        r#"{"enabledPlugins": {"guard@team": true, "lint@here": true},
        "extraKnownMarketplaces": {"here": {"source": {"source": "directory", "path": "./plugins"}}}}"#,
    );
    env.write("project/plugins/.claude-plugin/marketplace.json", r#"{"name": "here", "plugins": []}"#);
    let checked = env.becket(["check"]).run();
    assert!(checked.stdout.contains("guard@team") && checked.stdout.contains("lint@here"), "{checked:?}");
    for path in [".", ".claude/settings.json"] {
        let alone = env.becket(["check", path]).run();
        // The repository's own settings for the plugin are still wrong.
        assert!(!alone.stdout.contains("the plugin `guard@team`"), "{path}: {alone:?}");
        assert!(alone.stdout.contains("lint@here"), "{path}: {alone:?}");
        assert_eq!(alone.code, Some(1), "{path}: {alone:?}");
    }
}

// rule: C12
#[test]
fn modules_are_not_run_and_every_command_says_so() {
    let env = env_with("{}");
    let mut hooks = before_tools("true", &json!({}));
    hooks["modules"] = json!(["./register.ts"]);
    install(&env, &hooks);
    let module = "register.ts";
    let checked = env.becket(["check"]).run();
    assert_eq!(checked.code, Some(0), "{checked:?}");
    assert!(checked.stdout.contains("module-not-run"), "{checked:?}");
    for command in [&["list"][..], &["explain", "PreToolUse", "--tool", "Bash"], &["explain", "Stop"]] {
        let shown = env.becket(command).run();
        assert!(shown.stdout.contains("not run here") && shown.stdout.contains(module), "{shown:?}");
        let json: Value =
            serde_json::from_str(&env.becket(["--json"].iter().chain(command)).run().stdout).expect("JSON");
        assert_eq!(json["modules"][0]["stage"], "module", "{json}");
    }
    let fired = env.becket(["fire", "PreToolUse", "--tool", "Bash"]).run();
    assert_eq!(fired.code, Some(0));
    assert_eq!(fired.stderr.matches(module).count(), 1, "{fired:?}");
}

// rule: C9
#[test]
fn a_bad_plugin_dir_is_an_error_of_usage() {
    let env = env();
    env.write("file", "x");
    env.write("project/empty/readme.md", "x");
    for (given, why) in
        [("gone", "no such directory"), ("../file", "not a directory"), ("empty", "holds neither")]
    {
        for command in ["list", "check"] {
            let ended = env.becket([command, "--plugin-dir", given]).run();
            assert_eq!(ended.code, Some(2), "{given} {ended:?}");
            assert!(ended.stderr.contains(why) && ended.stderr.contains("--plugin-dir"), "{ended:?}");
        }
    }
}

// rules: C9, X5
#[test]
fn a_session_has_what_an_installed_plugin_brings_under_the_plugins_name() {
    let turns = json!([{"expect": ["hello Ada"], "text": "Hi."}]);
    let env = scripted(&json!({}), &turns);
    install(&env, &json!({"modules": ["./m.js"]}));
    let root = "home/.claude/plugins/cache/m/format-all/1.0.0";
    env.write(&format!("{root}/commands/greet.md"), "hello $0, ${user_config.api_key}\n");
    env.write(&format!("{root}/skills/tidy/SKILL.md"), "---\nname: tidy\ndescription: d\n---\nx\n");
    env.write(&format!("{root}/agents/helper.md"), "---\nname: helper\ndescription: d\n---\nx\n");
    env.write(&format!("{root}/.mcp.json"), r#"{"mcpServers": {"srv": {"command": "/bin/false"}}}"#);
    let ended = run(&env, &["--output-format", "stream-json", "/fmt:greet Ada"]).run();
    let lines = lines(&ended);
    let init = lines.iter().find(|line| line["subtype"] == "init").expect("an init line");
    let has = |list: &str, name: &str| {
        init[list].as_array().expect("a list").iter().any(|one| *one == name || one["name"] == name)
    };
    for (list, name) in [
        ("slash_commands", "fmt:greet"),
        ("skills", "fmt:tidy"),
        ("agents", "fmt:helper"),
        ("plugins", "fmt"),
        ("mcp_servers", "plugin:fmt:srv"),
    ] {
        assert!(has(list, name), "{list} {name} {init}");
    }
    assert_eq!(init["plugins"][0]["source"], "format-all@m");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.stderr.matches("m.js").count(), 1, "{ended:?}");
}
