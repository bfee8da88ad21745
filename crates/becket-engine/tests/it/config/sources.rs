//! The sources of a configuration, and their precedence if they disagree.

use crate::config::support::{Machine, codes, labels, one};
use becket_engine::config::{
    FlagSettings, NarrowingList, Plugin, RuleList, Severity, Sources, StopsStart, load, resolve,
};
use becket_engine::handler::{Action, Command};
use becket_engine::{Environment, Profile};
use becket_model::event::PermissionMode;
use becket_model::{EventKind, OnFailure, Privileges, Source};
use std::path::Path;
use std::process::Command as Process;
use std::time::Duration;

fn git(directory: &Path, args: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
    let status = Process::new("git").arg("-C").arg(directory).args(identity).args(args).output().unwrap();
    assert!(status.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&status.stderr));
}

// rules: C3, C4, C6
#[test]
fn all_sources_add_up_in_list_order_and_carry_their_source() {
    let machine = Machine::new();
    for source in ["user", "project", "local", "managed", "plugin"] {
        machine.settings(source, one("Stop", source));
    }
    machine.write("managed/managed-settings.d/20-b.json", one("Stop", "drop-in b"));
    machine.write("managed/managed-settings.d/10-a.json", one("Stop", "drop-in a"));
    machine.write("managed/managed-settings.d/notes.txt", "not read");
    let mut request = machine.with_plugin();
    request.flag = Some(FlagSettings::Text(one("Stop", "flag")));
    let config = resolve(&load(&request));
    assert_eq!(
        labels(&config, EventKind::Stop),
        ["managed", "drop-in a", "drop-in b", "user", "project", "local", "plugin", "flag"]
    );
    let sources: Vec<String> = config.hooks.all().map(|handler| handler.place.source.to_string()).collect();
    let expected = ["policy", "policy", "policy", "user", "project", "local", "plugin:kit", "flag"];
    assert_eq!(sources, expected);
    assert!(config.diagnostics.is_empty() && config.stops_start.is_none());
}

// rule: C4
#[test]
fn the_profile_names_the_places() {
    let machine = Machine::new();
    machine.settings("user", one("Stop", "claude"));
    machine.write("home/.agent/settings.json", one("Stop", "agent"));
    machine.write("home/.becket/settings.json", one("Stop", "becket"));
    machine.write("elsewhere/settings.json", one("Stop", "moved"));
    let of = |profile: Profile, environment: Environment| {
        let mut request = machine.request();
        request.environment = environment;
        request.profile = profile;
        labels(&resolve(&load(&request)), EventKind::Stop)
    };
    let home = || Environment::empty().with_home(machine.path("home"));
    assert_eq!(of(Profile::claude(), home()), ["claude"]);
    assert_eq!(of(Profile::agent(), home()), ["agent"]);
    assert_eq!(of(Profile::becket(), home()), ["becket"]);
    let moved = home().with_var("CLAUDE_CONFIG_DIR", machine.path("elsewhere"));
    assert_eq!(of(Profile::claude(), moved.clone()), ["moved"]);
    assert_eq!(of(Profile::agent(), moved), ["agent"]);
    assert_eq!(of(Profile::claude(), Environment::empty()), [""; 0]);
}

// rules: C4, C7
#[test]
fn the_name_of_a_directory_above_makes_no_file_another_agents() {
    let machine = Machine::new();
    machine.write("home/.cursor/claude/settings.json", one("PreToolUse", "user"));
    machine.write("home/.cursor/.claude/settings.json", one("PreToolUse", "project"));
    machine.write("home/.cursor/.claude/settings.local.json", one("PreToolUse", "local"));
    machine.write("home/.gemini/.cursor/managed-settings.json", one("PreToolUse", "managed"));
    let mut request = machine.request();
    request.start = machine.path("home/.cursor");
    request.environment =
        request.environment.with_var("CLAUDE_CONFIG_DIR", machine.path("home/.cursor/claude"));
    request.managed = Some(machine.path("home/.gemini/.cursor"));
    let config = resolve(&load(&request));
    assert_eq!(codes(&config.diagnostics), [""; 0]);
    assert_eq!(labels(&config, EventKind::PreToolUse), ["managed", "user", "project", "local"]);
    // `check` reads a single file as one of the command line.
    request.sources = Sources::none();
    request.managed = Some(machine.path("managed"));
    for (file, runs) in [(".claude/settings.local.json", true), ("hooks.json", false)] {
        let text = one("PreToolUse", "guard");
        request.flag = Some(FlagSettings::File(machine.write(&format!("home/.cursor/{file}"), text)));
        let config = resolve(&load(&request));
        assert_eq!(labels(&config, EventKind::PreToolUse).len(), usize::from(runs), "{file}");
    }
}

// rule: C4
#[test]
fn project_settings_are_those_of_the_start_directory_and_local_ones_of_the_git_root() {
    let machine = Machine::new();
    let root = machine.path("project");
    git(&root, &["init", "-q"]);
    machine.settings("project", one("Stop", "project of the root"));
    machine.settings("local", one("Stop", "local of the root"));
    machine.write("project/sub/.claude/settings.json", one("Stop", "project of sub"));
    machine.write("project/sub/.claude/settings.local.json", one("Stop", "local of sub"));
    let at = |start: &Path| {
        let mut request = machine.request();
        request.start = start.to_owned();
        labels(&resolve(&load(&request)), EventKind::Stop)
    };
    assert_eq!(at(&root.join("sub")), ["project of sub", "local of the root"]);
    assert_eq!(at(&root), ["project of the root", "local of the root"]);
    git(&root, &["commit", "-q", "--allow-empty", "-m", "x"]);
    git(&root, &["worktree", "add", "-q", "../tree"]);
    machine.write("tree/.claude/settings.local.json", one("Stop", "local of the worktree"));
    machine.write("tree/deep/x", "");
    assert_eq!(at(&machine.path("tree/deep")), ["local of the worktree"]);
    machine.write("outside/.claude/settings.local.json", one("Stop", "local outside"));
    assert_eq!(at(&machine.path("outside")), ["local outside"]);
}

// rule: C4
#[test]
fn a_session_in_the_home_directory_reads_the_users_file_once() {
    let machine = Machine::new();
    machine.settings("user", one("Stop", "user"));
    let mut request = machine.request();
    request.start = machine.path("home");
    let config = resolve(&load(&request));
    assert_eq!(config.hooks.of(EventKind::Stop).len(), 1);
    assert_eq!(config.hooks.of(EventKind::Stop)[0].place.source, Source::User);
}

// rule: C4
#[test]
fn sources_can_be_left_out_but_not_the_managed_ones() {
    let machine = Machine::new();
    for source in ["user", "project", "local", "managed"] {
        machine.settings(source, one("Stop", source));
    }
    let mut request = machine.request();
    request.sources = Sources::none().project(true);
    assert_eq!(labels(&resolve(&load(&request)), EventKind::Stop), ["managed", "project"]);
}

// rule: C5
#[test]
fn scalars_take_the_value_of_the_highest_source() {
    let switch = |on: bool| format!(r#"{{"disableAllHooks": {on}, "env": {{"A": "{on}"}}}}"#);
    let order = ["user", "project", "local", "flag", "managed"];
    for (at, highest) in order.iter().enumerate() {
        let machine = Machine::new();
        let mut request = machine.request();
        for source in &order[..=at] {
            let text = switch(source == highest);
            match *source {
                "flag" => request.flag = Some(FlagSettings::Text(text)),
                source => drop(machine.settings(source, text)),
            }
        }
        let config = resolve(&load(&request));
        let managed = *highest == "managed";
        assert_eq!(config.policy.disable_all_hooks, managed, "{highest}");
        assert_eq!(config.policy.disabled_by.is_some(), !managed, "{highest}");
        assert_eq!(config.settings_env.all(), [("A".to_owned(), "true".to_owned())], "{highest}");
    }
}

// rules: C4, C5
#[test]
fn managed_lists_join_and_later_managed_scalars_win() {
    let machine = Machine::new();
    machine.settings(
        "managed",
        r#"{"failClosed": true, "allowedHttpHookUrls": ["a"], "permissions": {"deny": ["Bash"]}}"#,
    );
    let late = r#"{"failClosed": false, "allowedHttpHookUrls": ["b"], "permissions": {"deny": ["Edit"]}}"#;
    machine.write("managed/managed-settings.d/z.json", late);
    machine.settings("user", r#"{"allowedHttpHookUrls": ["c"], "httpHookAllowedEnvVars": ["U"]}"#);
    machine.settings("project", r#"{"httpHookAllowedEnvVars": ["P"]}"#);
    let config = machine.config();
    assert!(!config.policy.fail_closed);
    let texts = |list: &NarrowingList<Vec<String>>, source| -> String {
        list.of(source).flatten().cloned().collect()
    };
    for (source, variables) in [(&Source::Policy, ""), (&Source::User, "U"), (&Source::Project, "UP")] {
        assert_eq!(texts(&config.policy.allowed_http_hook_urls, source), "ab", "{source}");
        assert_eq!(texts(&config.policy.http_hook_allowed_env_vars, source), variables, "{source}");
    }
    let rules: Vec<&str> = config.permissions.iter().map(|rule| &*rule.text).collect();
    assert_eq!(rules, ["Bash", "Edit"]);
}

// rules: G1, G2
#[test]
fn only_managed_files_set_the_managed_switches() {
    let text = r#"{"allowManagedHooksOnly": true, "strictPluginOnlyCustomization": ["hooks", "agents"],
        "failClosed": true, "httpHookLoopback": false, "enabledPlugins": {"on@m": true, "off@m": false}}"#;
    for (source, counts) in [("managed", true), ("user", false), ("project", false)] {
        let machine = Machine::new();
        machine.settings(source, text);
        let policy = machine.config().policy;
        assert_eq!(policy.managed_only, counts, "{source}");
        assert_eq!(policy.plugin_only_hooks, counts, "{source}");
        assert_eq!(policy.fail_closed, counts, "{source}");
        assert_eq!(policy.http_hook_loopback, !counts, "{source}");
        assert_eq!(
            policy.forced_plugins.iter().map(|id| &**id).collect::<Vec<_>>(),
            if counts { vec!["on@m"] } else { vec![] }
        );
    }
}

// rules: S1, S2
#[test]
fn networks_and_proxies_come_from_files_that_no_repository_brings() {
    let text = r#"{"httpHookAllowedNetworks": ["10.0.0.0/8"], "httpHookProxy": true}"#;
    for (source, counts) in [("managed", true), ("user", true), ("project", false), ("local", false)] {
        let machine = Machine::new();
        machine.settings(source, text);
        let url = r#"{"hooks": {"Stop": [{"hooks": [{"type": "http", "url": "http://10.1.1.1/"}]}]}}"#;
        machine.settings("plugin", url);
        let config = machine.config();
        assert_eq!(config.policy.http_hook_proxy, counts, "{source}");
        assert_eq!(config.hooks.of(EventKind::Stop).len(), usize::from(counts), "{source}");
        assert_eq!(config.hooks.rejected().len(), usize::from(!counts), "{source}");
    }
}

// rule: E7
#[test]
fn programs_are_exempted_by_managed_and_user_files() {
    let text = r#"{"keepProcesses": ["tmux", "gradle"]}"#;
    for (source, counts) in [("managed", true), ("user", true), ("project", false), ("local", false)] {
        let machine = Machine::new();
        machine.settings(source, text);
        let kept = machine.config().policy.keep_processes.to_vec();
        assert_eq!(kept, if counts { vec!["tmux", "gradle"] } else { vec![] }, "{source}");
    }
}

// rule: S1
#[test]
fn loopback_is_open_unless_a_managed_file_closes_it() {
    for (managed, runs) in [("{}", 2), (r#"{"httpHookLoopback": false}"#, 0)] {
        let machine = Machine::new();
        machine.settings("managed", managed);
        let two = r#"{"hooks": {"Stop": [{"hooks": [{"type": "http", "url": "http://[::1]:1/"},
            {"type": "http", "url": "http://localhost/"}]}]}}"#;
        machine.settings("project", two);
        assert_eq!(machine.config().hooks.of(EventKind::Stop).len(), runs);
    }
}

// rules: O10, A1
#[test]
fn fail_closed_makes_every_failure_that_can_block_block() {
    let machine = Machine::new();
    machine.settings("managed", r#"{"failClosed": true}"#);
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "a", "onFailure": "continue"},
        {"type": "command", "command": "b", "async": true}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "c"}]}]}}"#;
    machine.settings("user", text);
    let config = machine.config();
    let of = |event| config.hooks.of(event).iter().map(|h| h.place.on_failure).collect::<Vec<_>>();
    assert_eq!(of(EventKind::PreToolUse), [OnFailure::Block, OnFailure::Continue]);
    assert_eq!(of(EventKind::Stop), [OnFailure::Continue]);
}

// rule: O10
#[test]
fn a_word_that_on_failure_does_not_know_blocks_and_its_handler_runs() {
    let machine = Machine::new();
    for (value, expected, errors) in [
        (r#""block""#, OnFailure::Block, 0),
        (r#""continue""#, OnFailure::Continue, 0),
        (r#""open""#, OnFailure::Continue, 1),
        (r#""Continue""#, OnFailure::Block, 1),
        (r#""deny""#, OnFailure::Block, 1),
        (r#""""#, OnFailure::Block, 1),
        ("true", OnFailure::Block, 1),
        ("false", OnFailure::Block, 1),
        ("null", OnFailure::Block, 1),
        (r#"["continue"]"#, OnFailure::Block, 1),
    ] {
        let text = format!(
            r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{{"type": "command", "command": "a", "onFailure": {value}}}]}}]}},
                "permissions": {{"allow": ["Read"]}}}}"#
        );
        machine.settings("user", &text);
        let config = machine.config();
        let found: Vec<_> =
            config.hooks.of(EventKind::PreToolUse).iter().map(|h| h.place.on_failure).collect();
        assert_eq!(found, [expected], "{value}");
        let told = config.diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
        assert_eq!(told, errors, "{value}: {:?}", config.diagnostics);
        assert!(
            config.hooks.of(EventKind::PreToolUse)[0].place.privileges == Privileges::Full,
            "{value}: the guard is whole (C7b)"
        );
    }
}

// rule: H11
#[test]
fn limits_are_the_handlers_the_profiles_or_the_tables() {
    let machine = Machine::new();
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "a", "timeout": 1.5},
        {"type": "command", "command": "b"}, {"type": "prompt", "prompt": "c"}]}]}}"#;
    machine.settings("user", text);
    machine.write("home/.agent/settings.json", text);
    for (profile, expected) in
        [(Profile::claude(), [1500, 600_000, 30_000]), (Profile::agent(), [1500, 10_000, 30_000])]
    {
        let mut request = machine.request();
        request.profile = profile;
        let config = resolve(&load(&request));
        let limits = config.hooks.of(EventKind::PreToolUse).iter().map(|handler| handler.timeout.limit);
        assert_eq!(limits.collect::<Vec<_>>(), expected.map(Duration::from_millis));
    }
}

// rule: C9
#[test]
fn a_plugins_hooks_see_its_root_and_can_be_turned_off() {
    let machine = Machine::new();
    machine.settings("plugin", one("Stop", "a"));
    machine.settings("manifest", r#"{"name": "kit", "hooks": ["./hooks/hooks.json", "./more.json"]}"#);
    machine.write("plugin/more.json", one("Stop", "b"));
    machine.write("plugin/agents/x.md", "---\nname: x\nhooks:\n  Stop: []\n---\nbody\n");
    let mut request = machine.with_plugin();
    request.plugins[0].data = Some(machine.path("data"));
    let config = resolve(&load(&request));
    assert_eq!(labels(&config, EventKind::Stop), ["a", "b"]);
    let root = config.hooks.of(EventKind::Stop)[1].root.clone().unwrap();
    assert_eq!((root.root.clone(), root.data.clone()), (machine.path("plugin"), Some(machine.path("data"))));
    assert_eq!(codes(&config.diagnostics), ["hooks-in-plugin-agent"]);
    assert_eq!(config.diagnostics[0].line, 3);
    machine.settings("user", r#"{"enabledPlugins": {"kit@market": false}}"#);
    assert_eq!(resolve(&load(&request)).hooks.of(EventKind::Stop).len(), 0);
}

// rules: C6, C9
#[test]
fn order_moves_a_plugins_handlers_among_its_own_only() {
    let machine = Machine::new();
    let ordered =
        |order: i64, label: &str| format!(r#"{{"type": "command", "command": "{label}", "order": {order}}}"#);
    let file =
        |handlers: &[String]| format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{}]}}]}}}}"#, handlers.join(", "));
    machine.settings("plugin", file(&[ordered(5, "p5"), ordered(-1, "p-1")]));
    machine.write("other/hooks/hooks.json", file(&[ordered(-9, "q-9"), ordered(0, "q0")]));
    machine.settings("user", file(&[ordered(1, "u1"), ordered(0, "u0")]));
    let mut request = machine.with_plugin();
    request.plugins.push(Plugin::new("other", machine.path("other")));
    let config = resolve(&load(&request));
    assert_eq!(labels(&config, EventKind::Stop), ["u0", "u1", "p-1", "p5", "q-9", "q0"]);
    request.profile.order_among_all = true;
    let config = resolve(&load(&request));
    assert_eq!(labels(&config, EventKind::Stop), ["q-9", "p-1", "u0", "q0", "u1", "p5"]);
}

// rules: C5, P7
#[test]
fn rules_of_all_files_add_up_with_their_anchor_and_the_highest_mode_counts() {
    let machine = Machine::new();
    machine.settings("user", r#"{"permissions": {"allow": ["Read(/a)"], "defaultMode": "plan", "additionalDirectories": ["~/notes"]}}"#);
    machine.settings("project", r#"{"permissions": {"deny": ["Edit(/b)"], "defaultMode": "acceptEdits", "additionalDirectories": ["../lib"]}}"#);
    let config = machine.config();
    let rules: Vec<_> = config.permissions.iter().map(|r| (r.list, &*r.text, r.anchor.clone())).collect();
    assert_eq!(
        rules,
        [
            (RuleList::Allow, "Read(/a)", machine.path("home/.claude")),
            (RuleList::Deny, "Edit(/b)", machine.path("project")),
        ]
    );
    assert_eq!(config.default_mode.unwrap().mode, PermissionMode::AcceptEdits);
    let directories: Vec<_> = config.additional_directories.iter().map(|d| d.path.clone()).collect();
    assert_eq!(directories, [machine.path("home/notes"), machine.path("project/../lib")]);
}

// rule: M8
#[test]
fn file_changed_matchers_are_the_watch_list() {
    let machine = Machine::new();
    let group = |matcher: &str| {
        format!(r#"{{"matcher": "{matcher}", "hooks": [{{"type": "command", "command": "a"}}]}}"#)
    };
    let groups = [group(".env|Cargo.toml"), group(""), group("*"), group(".env")].join(", ");
    machine.settings("user", format!(r#"{{"hooks": {{"FileChanged": [{groups}]}}}}"#));
    assert_eq!(machine.config().watch_names(), [".env", "Cargo.toml", "*"]);
}

// rule: H2
#[test]
fn an_empty_list_of_arguments_is_exec_form() {
    let machine = Machine::new();
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a", "args": []}]}]}}"#;
    machine.settings("user", text);
    let config = machine.config();
    let action = &config.hooks.of(EventKind::Stop)[0].action;
    assert!(matches!(action, Action::Command(Command::Exec { args, .. }) if args.is_empty()));
}

// rule: C4
#[cfg(unix)]
#[test]
fn paths_need_not_be_utf_8() {
    use std::os::unix::ffi::OsStrExt as _;
    let machine = Machine::new();
    let start = machine.path("project").join(std::ffi::OsStr::from_bytes(b"odd-\xff"));
    std::fs::create_dir_all(start.join(".claude")).unwrap();
    std::fs::write(start.join(".claude/settings.json"), one("Stop", "a")).unwrap();
    let mut request = machine.request();
    request.start = start;
    assert_eq!(labels(&resolve(&load(&request)), EventKind::Stop), ["a"]);
}

// rule: C7
#[test]
fn what_the_host_names_is_loaded_or_no_session_starts() {
    let lost = [
        "",
        "{",
        "[]",
        "5",
        r#"{"hooks": 5}"#,
        r#"{"hooks": {"PreToolUse": {}}}"#,
        r#"{"hooks": {"Stop": 5}}"#,
        r#"{"hooks": {}, "hooks": {}}"#,
        r#"{"PreToolUse": []}"#,
        r#"{"permissions": ["Bash"]}"#,
        r#"{"permissions": {"deny": "Bash"}}"#,
        r#"{"permissions": {"allow": {}}}"#,
    ];
    let machine = Machine::new();
    let request = |flag: FlagSettings| {
        let mut request = machine.request();
        request.flag = Some(flag);
        resolve(&load(&request))
    };
    let file = machine.path("flag.json");
    let missing = request(FlagSettings::File(file.clone()));
    assert!(matches!(missing.stops_start, Some(StopsStart::Named { .. })), "{:?}", missing.stops_start);
    for text in lost {
        machine.write("flag.json", text);
        for flag in [FlagSettings::File(file.clone()), FlagSettings::Text(text.to_owned())] {
            let stop = request(flag).stops_start;
            assert!(
                matches!(&stop, Some(StopsStart::Named { why, .. }) if !why.is_empty()),
                "{text}: {stop:?}"
            );
        }
        // What is merely found is skipped.
        machine.settings("user", text);
        assert!(machine.config().stops_start.is_none(), "{text}");
        std::fs::remove_file(machine.path("home/.claude/settings.json")).unwrap();
    }
    for kept in [
        "{}",
        r#"{"hooks": null}"#,
        r#"{"hooks": {"PreToolUse": [5]}, "permissions": {"deny": ["Bash(", "Read"]}}"#,
        r#"{"hooks": {"Stpo": []}, "nobody": 5}"#,
    ] {
        let stop = request(FlagSettings::Text(kept.to_owned())).stops_start;
        assert!(stop.is_none(), "a mistake stays local: {kept}: {stop:?}");
    }
}
