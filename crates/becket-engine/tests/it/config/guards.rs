//! The effects of a broken guard, an untrusted folder and a change on disk; hooks in frontmatter.

use crate::config::support::{Machine, codes, is, labels, one};
use becket_engine::Profile;
use becket_engine::config::frontmatter::{self, Frontmatter, FrontmatterHooks};
use becket_engine::config::{AuditMode, Reload, RuleList, StopsStart, Trust, load, reload, resolve};
use becket_model::{AgentId, Enforcement, EventKind, Privileges, Source};
use becket_rules::Renames;
use std::path::Path;
use std::process::Command as Process;

const GRANTS: &str = r#""permissions": {"allow": ["Bash"], "ask": ["Edit"], "deny": ["Read"],
    "additionalDirectories": ["/x"], "defaultMode": "acceptEdits"}"#;

fn settings(hooks: &str) -> String {
    format!("{{{GRANTS}, \"hooks\": {hooks}}}")
}

fn lists(config: &becket_engine::config::Config) -> Vec<RuleList> {
    config.permissions.iter().map(|rule| rule.list).collect()
}

// rule: C7b
#[test]
fn a_broken_guard_takes_the_privileges_of_its_file_and_of_no_other() {
    let good = r#"{"type": "command", "command": "good"}"#;
    for broken in [
        format!(r#"{{"PreToolUse": [{{"hooks": [{{"type": "command"}}, {good}]}}]}}"#),
        format!(
            r#"{{"PermissionRequest": [{{"matcher": "(", "hooks": []}}], "PreToolUse": [{{"hooks": [{good}]}}]}}"#
        ),
        format!(r#"{{"PreTooluse": [], "PreToolUse": [{{"hooks": [{good}]}}]}}"#),
        format!(r#"{{"beforeShellExecution": [], "PreToolUse": [{{"hooks": [{good}]}}]}}"#),
        format!(
            r#"{{"PreToolUse": [{{"hooks": [{good}, {{"type": "command", "command": "b", "if": "Bash(a) || Bash(b)"}}]}}]}}"#
        ),
        format!(
            r#"{{"PreToolUse": [{{"hooks": [{good}, {{"type": "http", "url": "http://169.254.169.254"}}]}}]}}"#
        ),
    ] {
        let machine = Machine::new();
        machine.settings("user", settings(&broken));
        machine.settings(
            "project",
            settings(r#"{"PreToolUse": [{"hooks": [{"type": "command", "command": "other"}]}]}"#),
        );
        let config = machine.config();
        let guards: Vec<_> = config
            .hooks
            .of(EventKind::PreToolUse)
            .iter()
            .map(|h| (h.place.label.to_string(), h.place.privileges))
            .collect();
        let expected = [("good", Privileges::BrokenGuard), ("other", Privileges::Full)];
        assert_eq!(guards, expected.map(|(label, privileges)| (label.to_owned(), privileges)), "{broken}");
        let of_user: Vec<_> =
            config.permissions.iter().filter(|r| r.source == Source::User).map(|r| r.list).collect();
        assert_eq!(of_user, [RuleList::Deny, RuleList::Ask], "{broken}");
        assert_eq!(lists(&config).len(), 5);
        assert_eq!(config.additional_directories.len(), 1);
        assert_eq!(config.default_mode.unwrap().source, Source::Project);
        let withheld =
            codes(&config.diagnostics).iter().filter(|code| **code == "withheld-broken-guard").count();
        assert_eq!(withheld, 3, "the rule, the directory and the mode: {broken}");
        assert!(config.stops_start.is_none());
        assert!(config.hooks.rejected().iter().all(|rejected| !rejected.why.is_empty()));
    }
}

// rule: C7b
#[test]
fn a_broken_entry_that_is_no_guard_costs_nothing_else() {
    let machine = Machine::new();
    machine.settings("user", settings(r#"{"PostToolUse": [{"hooks": [{"type": "command"}]}], "Stpo": []}"#));
    let config = machine.config();
    assert_eq!(lists(&config), [RuleList::Deny, RuleList::Ask, RuleList::Allow]);
    assert_eq!(config.hooks.rejected().len(), 2);
    assert_eq!(config.additional_directories.len(), 1);
}

// rule: C7b
#[test]
fn a_stricter_mode_than_default_stays_beside_a_broken_guard() {
    for (mode, stays) in
        [("plan", true), ("dontAsk", true), ("default", true), ("auto", false), ("bypassPermissions", false)]
    {
        let machine = Machine::new();
        machine.settings(
            "user",
            format!(r#"{{"permissions": {{"defaultMode": "{mode}"}}, "hooks": {{"PreToolUse": [7]}}}}"#),
        );
        assert_eq!(machine.config().default_mode.is_some(), stays, "{mode}");
    }
}

// rule: C7b
#[test]
fn a_managed_file_that_is_broken_stops_the_start_and_is_named() {
    for (file, text) in [
        ("managed/managed-settings.json", "{"),
        ("managed/managed-settings.json", "[]"),
        ("managed/managed-settings.d/a.json", r#"{"hooks": {"PreToolUse": 5}}"#),
        ("managed/managed-settings.json", r#"{"hooks": 5}"#),
    ] {
        let machine = Machine::new();
        machine.write(file, text);
        machine.settings("user", one("Stop", "a"));
        let config = machine.config();
        let Some(StopsStart::Managed { file: named, why }) = config.stops_start else {
            panic!("{text} does not stop the start");
        };
        assert!(is(&named, &machine, file) && !why.is_empty(), "{text}: {why}");
        assert_eq!(config.hooks.of(EventKind::Stop).len(), 1);
    }
    let machine = Machine::new();
    std::fs::create_dir(machine.path("managed/managed-settings.json")).unwrap();
    assert!(matches!(machine.config().stops_start, Some(StopsStart::Managed { .. })));
}

// rule: C7b
#[test]
fn a_rule_that_restricts_and_can_not_be_read_is_a_broken_guard() {
    for broken in [
        r#"{"permissions": {"allow": ["Bash"], "deny": ["Bash(git push"]}}"#,
        r#"{"permissions": {"allow": ["Bash"], "deny": [5]}}"#,
        r#"{"permissions": {"allow": ["Bash"], "deny": "Read"}}"#,
        r#"{"permissions": {"allow": ["Bash"], "ask": [null]}}"#,
        r#"{"permissions": {"allow": ["Bash"], "ask": ["Read || Edit"]}}"#,
    ] {
        let machine = Machine::new();
        machine.settings("user", broken);
        let config = machine.config();
        assert!(config.stops_start.is_none() && config.permissions.is_empty(), "{broken}");
        assert!(codes(&config.diagnostics).contains(&"withheld-broken-guard"), "{broken}");
        machine.settings("user", "{}");
        machine.settings("managed", broken);
        assert!(matches!(machine.config().stops_start, Some(StopsStart::Managed { .. })), "{broken}");
    }
    let machine = Machine::new();
    machine.settings("managed", r#"{"permissions": ["Bash"]}"#);
    assert!(matches!(machine.config().stops_start, Some(StopsStart::Managed { .. })));
    machine.settings("managed", r#"{"permissions": {"allow": ["Bash("], "deny": ["Read"]}}"#);
    let config = machine.config();
    assert!(config.stops_start.is_none(), "an allow rule guards nothing");
    assert_eq!(lists(&config), [RuleList::Deny]);
}

// rule: C7b
#[test]
fn a_misspelt_key_of_a_managed_file_loses_its_guards() {
    for lost in [
        r#"{"permissions": {"denny": ["Bash"]}}"#,
        r#"{"permissions": {"Ask": ["Bash"]}}"#,
        r#"{"permissions": {"disallowedTools": ["Bash"]}}"#,
        r#"{"permission": {"deny": ["Bash"]}}"#,
        r#"{"Hooks": {}}"#,
        r#"{"deny": ["Bash"]}"#,
        r#"{"failclosed": true}"#,
        r#"{"policyhelper": {"path": "/bin/true"}}"#,
    ] {
        let machine = Machine::new();
        machine.settings("managed", lost);
        let config = machine.config();
        assert!(matches!(config.stops_start, Some(StopsStart::Managed { .. })), "{lost}");
        assert_eq!(config.errors().count(), 1, "{lost}: {:?}", config.diagnostics);
        machine.settings("managed", "{}");
        machine.settings("user", lost);
        let config = machine.config();
        assert!(config.stops_start.is_none() && config.errors().count() == 0, "{lost}");
    }
    let machine = Machine::new();
    machine.settings(
        "managed",
        r#"{"permissions": {"later": ["Bash"]}, "later": {"a": 1}, "outputStile": "x"}"#,
    );
    assert!(machine.config().stops_start.is_none(), "other programs have keys of their own");
}

// rules: C7b, G6
#[test]
fn a_switch_that_occurs_twice_counts_as_strict() {
    let machine = Machine::new();
    let text = r#"{"failClosed": true, "failClosed": false, "audit": "required", "audit": "off",
        "allowManagedHooksOnly": true, "allowManagedHooksOnly": null}"#;
    machine.settings("managed", text);
    let policy = machine.config().policy;
    assert!(policy.fail_closed && policy.managed_only);
    assert_eq!(policy.audit.mode, AuditMode::Required);
    machine.settings("managed", r#"{"audit": {"mode": "required", "mode": "on"}}"#);
    assert_eq!(machine.config().policy.audit.mode, AuditMode::Required);
}

// rule: G5
#[test]
fn a_mode_that_occurs_twice_is_enforced() {
    for twice in [
        r#""mode": "enforce", "mode": "observe""#,
        r#""mode": "observe", "observeUntil": "2020-01-01", "observeUntil": "2999-01-01""#,
    ] {
        let machine = Machine::new();
        let handler = format!(r#"{{"type": "command", "command": "guard", {twice}}}"#);
        machine.settings("user", format!(r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{handler}]}}]}}}}"#));
        let config = machine.config();
        let [guard] = config.hooks.of(EventKind::PreToolUse) else { panic!("{:?}", config.diagnostics) };
        assert_eq!(guard.rollout.written(), Enforcement::Enforce, "{twice}");
        assert!(codes(&config.diagnostics).contains(&"invalid-mode"), "{twice}");
    }
}

// rule: C7b
#[test]
fn a_managed_switch_of_a_wrong_type_counts_as_strict() {
    let machine = Machine::new();
    let text = r#"{"allowManagedHooksOnly": "no", "allowedHttpHookUrls": true, "httpHookAllowedEnvVars": {},
        "failClosed": 0, "strictPluginOnlyCustomization": 1, "httpHookLoopback": "x", "httpHookProxy": 1}"#;
    machine.settings("managed", text);
    machine.settings("user", r#"{"allowedHttpHookUrls": ["*"]}"#);
    let policy = machine.config().policy;
    assert!(policy.managed_only && policy.fail_closed && policy.plugin_only_hooks);
    assert!(!policy.http_hook_loopback && !policy.http_hook_proxy && !policy.disable_all_hooks);
    let empty: [&Vec<String>; 1] = [&vec![]];
    assert!(policy.allowed_http_hook_urls.of(&Source::Policy).eq(empty));
    assert!(policy.http_hook_allowed_env_vars.of(&Source::Policy).eq(empty));
}

// rule: C7b
#[test]
fn a_guard_that_a_second_key_drops_takes_its_files_grants_with_it() {
    let machine = Machine::new();
    machine.settings(
        "user",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "guard"}]}], "PreToolUse": []},
            "permissions": {"allow": ["Bash"], "deny": ["Read"]}}"#,
    );
    let config = resolve(&load(&machine.request()));
    let texts: Vec<&str> = config.permissions.iter().map(|rule| &*rule.text).collect();
    assert_eq!(texts, ["Read"]);
}

// rules: C7, C7b, C9
#[test]
fn plugins_and_hooks_that_a_second_key_drops_are_an_error_in_every_kind_of_file() {
    let machine = Machine::new();
    let twice =
        r#"{"enabledPlugins": {"guard@m": true}, "permissions": {"allow": ["Bash"]}, "enabledPlugins": {}}"#;
    machine.settings("managed", twice);
    let config = machine.config();
    assert!(matches!(config.stops_start, Some(StopsStart::Managed { .. })), "{:?}", config.stops_start);
    assert!(config.permissions.is_empty());
    let guard = one("PreToolUse", "guard");
    let guard = guard.strip_prefix("{").and_then(|text| text.strip_suffix("}")).unwrap();
    machine.settings("managed", "{}");
    machine.settings("manifest", format!(r#"{{"name": "kit", {guard}, "hooks": {{}}}}"#));
    let config = machine.config();
    assert_eq!(codes(&config.diagnostics), ["duplicate-key"]);
    assert_eq!(config.errors().count(), 1);
    let skill = read("---\nhooks: {Stop: []}\nhooks: {}\n---\n", Source::Skill("s".into()), None, true);
    assert!(skill.broken_guard.is_some());
}

// rules: C5, C7b, G2
#[test]
fn a_managed_switch_of_a_plugin_is_true_or_false_or_stops_the_start() {
    let machine = Machine::new();
    machine.settings("managed", r#"{"enabledPlugins": {"kit@market": true}}"#);
    machine.write("managed/managed-settings.d/a.json", r#"{"enabledPlugins": {"kit@market": null}}"#);
    let config = machine.config();
    assert!(config.policy.forced_plugins.contains("kit@market"), "null is not a value");
    assert!(config.stops_start.is_none());
    for wrong in [r#"{"kit@market": "true"}"#, r#"{"kit@market": 0}"#, r#"["kit@market"]"#, "true"] {
        machine.write("managed/managed-settings.d/a.json", format!("{{\"enabledPlugins\": {wrong}}}"));
        let config = machine.config();
        assert!(matches!(config.stops_start, Some(StopsStart::Managed { .. })), "{wrong}");
        assert!(config.policy.forced_plugins.contains("kit@market"), "{wrong}");
        machine.settings("user", format!("{{\"enabledPlugins\": {wrong}}}"));
        machine.write("managed/managed-settings.d/a.json", "{}");
        assert!(machine.config().stops_start.is_none(), "{wrong}: only a managed file stops it");
        machine.settings("user", "{}");
    }
}

// rules: C4, C7b
#[cfg(unix)]
#[test]
fn a_directory_of_managed_files_that_is_a_link_to_nothing_stops_the_start() {
    let machine = Machine::new();
    std::os::unix::fs::symlink("/nonexistent/there", machine.path("managed/managed-settings.d")).unwrap();
    let config = machine.config();
    let Some(StopsStart::Managed { file, .. }) = config.stops_start else { panic!("its files are lost") };
    assert!(is(&file, &machine, "managed/managed-settings.d"), "{}", file.display());
}

// rule: C7
#[test]
fn strictness_on_the_command_line_stops_the_start_on_any_error_but_no_warning() {
    for (text, stops) in [(r#"{"hooks": {"Stpo": []}}"#, true), (r#"{"env": {}, "env": {}}"#, false)] {
        let machine = Machine::new();
        machine.settings("user", text);
        let mut request = machine.request();
        assert!(resolve(&load(&request)).stops_start.is_none());
        request.strict = true;
        let config = resolve(&load(&request));
        assert_eq!(matches!(config.stops_start, Some(StopsStart::Strict { errors: 1, .. })), stops);
    }
}

/// Creates the minimum that git accepts as a repository.
fn git_data(machine: &Machine, directory: &str) {
    machine.write(&format!("{directory}/HEAD"), "ref: refs/heads/main\n");
    for part in ["objects", "refs"] {
        std::fs::create_dir_all(machine.path(&format!("{directory}/{part}"))).unwrap();
    }
}

fn untrusted(machine: &Machine) -> becket_engine::config::Config {
    let mut request = machine.request();
    request.trust = Trust::default().this_folder_trusted(false);
    resolve(&load(&request))
}

// rule: G3
#[test]
fn a_projects_grants_wait_for_trust_and_each_is_named_once() {
    let machine = Machine::new();
    machine.settings("project", settings(r#"{"Stop": []}"#));
    machine.settings("user", r#"{"permissions": {"allow": ["Bash(ls)"], "additionalDirectories": ["/u"]}}"#);
    let config = untrusted(&machine);
    assert_eq!(lists(&config), [RuleList::Allow, RuleList::Deny, RuleList::Ask]);
    assert_eq!(config.permissions[0].source, Source::User);
    assert_eq!(config.additional_directories.len(), 1);
    let held: Vec<_> =
        config.diagnostics.iter().filter(|d| d.code == "withheld-untrusted").map(|d| &d.message).collect();
    assert_eq!(held.len(), 3, "{held:?}");
    for (held, what) in held.iter().zip(["`Bash`", "`/x`", "`acceptEdits`"]) {
        assert!(held.contains(what), "{held}");
    }
    assert!(config.default_mode.is_none());
    assert!(machine.config().diagnostics.is_empty());
}

// rule: G3
#[test]
fn a_local_files_grants_wait_only_where_git_tracks_it() {
    for version in ["2", "3", "4"] {
        let machine = Machine::new();
        let root = machine.path("project");
        machine.settings("local", settings(r#"{"Stop": []}"#));
        machine.write("project/a/b.txt", "x");
        machine.write("project/.claude/zzz", "x");
        let git = |args: &[&str]| {
            let status = Process::new("git").arg("-C").arg(&root).args(args).status().unwrap();
            assert!(status.success(), "git {args:?}");
        };
        git(&["init", "-q"]);
        git(&["update-index", "--index-version", version]);
        git(&["add", "a/b.txt", ".claude/zzz"]);
        if version == "3" {
            machine.write("project/later", "x");
            git(&["add", "--intent-to-add", "later"]);
        }
        assert_eq!(lists(&untrusted(&machine)).len(), 3, "not tracked, version {version}");
        git(&["add", "-f", ".claude/settings.local.json"]);
        assert_eq!(
            lists(&untrusted(&machine)),
            [RuleList::Deny, RuleList::Ask],
            "tracked, version {version}"
        );
        assert_eq!(lists(&machine.config()).len(), 3, "trusted");
    }
}

// rule: G3
#[test]
fn an_index_that_cannot_be_read_counts_as_tracking() {
    let machine = Machine::new();
    machine.settings("local", settings("{}"));
    git_data(&machine, "project/.git");
    assert_eq!(lists(&untrusted(&machine)).len(), 3, "no index tracks nothing");
    for index in [&b"DIRC\0\0\0\x02\0\0\0\x05"[..], b"JUNK", b"DIRC\0\0\0\x09\0\0\0\0"] {
        machine.write("project/.git/index", index);
        assert_eq!(lists(&untrusted(&machine)), [RuleList::Deny, RuleList::Ask]);
    }
}

// rule: C8
#[test]
fn a_change_that_leaves_a_file_unreadable_keeps_the_old_configuration() {
    let machine = Machine::new();
    let file = machine.settings("user", one("Stop", "old"));
    machine.settings("project", "{ broken from the start");
    let old = machine.config();
    let request = machine.with_plugin();
    let Reload::Accepted(same) = reload(&old, &request) else { panic!("nothing changed") };
    assert_eq!(labels(&same, EventKind::Stop), ["old"]);
    std::fs::write(&file, "{").unwrap();
    let Reload::Rejected { why } = reload(&old, &request) else { panic!("the file is broken") };
    assert!(why.contains("settings.json") && why.contains("not JSON"), "{why}");
    std::fs::write(&file, one("Stop", "new")).unwrap();
    let Reload::Accepted(new) = reload(&old, &request) else { panic!("the file is fine") };
    assert_eq!(labels(&new, EventKind::Stop), ["new"]);
    assert_eq!(labels(&old, EventKind::Stop), ["old"], "a snapshot never changes");
    std::fs::remove_file(&file).unwrap();
    assert!(matches!(reload(&old, &request), Reload::Accepted(_)), "a file may go");
}

// rules: C8, C9
#[test]
fn a_plugin_that_is_on_and_gone_keeps_the_old_configuration() {
    let machine = Machine::new();
    machine.write("plugins/kit/hooks/hooks.json", one("Stop", "guard"));
    machine.write("home/.claude/plugins/cache/m/kit/1/hooks/hooks.json", one("Stop", "installed"));
    machine.settings("user", r#"{"enabledPlugins": {"kit@m": true, "gone@m": true}}"#);
    let mut request = machine.request();
    request.plugins.push(becket_engine::config::Plugin::in_directory(machine.path("plugins/kit")));
    let old = resolve(&load(&request));
    assert_eq!(labels(&old, EventKind::Stop), ["guard", "installed"]);
    assert!(matches!(reload(&old, &request), Reload::Accepted(_)), "nothing changed");
    let cache = machine.path("home/.claude/plugins/cache");
    std::fs::rename(&cache, machine.path("away")).unwrap();
    let Reload::Rejected { why } = reload(&old, &request) else { panic!("its guard is lost") };
    assert!(why.contains("kit@m"), "{why}");
    machine.settings("user", "{}");
    assert!(matches!(reload(&old, &request), Reload::Accepted(_)), "it is not on any more");
    std::fs::remove_dir_all(machine.path("plugins/kit")).unwrap();
    assert!(matches!(reload(&old, &request), Reload::Rejected { .. }));
}

fn read(text: &str, source: Source, subagent: Option<&str>, trusted: bool) -> FrontmatterHooks {
    let profile = Profile::claude();
    let tools = Renames::tools();
    frontmatter::parse(
        text,
        &Frontmatter {
            profile: &profile,
            source,
            file: Path::new("/s/SKILL.md"),
            directory: Path::new("/s"),
            subagent: subagent.map(AgentId::from),
            of_project: true,
            trust: Trust::default().this_folder_trusted(trusted),
            fail_closed: false,
            tools: &tools,
            first_sequence: 7,
        },
    )
}

const SKILL: &str = "---
name: careful
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: ./check.sh
          once: true
          timeout: 2.5
        - type: comand
          command: x
  Stop:
    - hooks:
        - type: command
          command: done
---
Body: not yaml { at all
";

// rules: C10, C11
#[test]
fn a_skills_frontmatter_is_read_like_settings_with_its_own_root_and_once() {
    let read = read(SKILL, Source::Skill("careful".into()), None, false);
    let events: Vec<_> = read.handlers.iter().map(|h| (h.event, h.once.is_some(), h.location.line)).collect();
    assert_eq!(events, [(EventKind::PreToolUse, true, 7), (EventKind::Stop, false, 15)]);
    assert_eq!(read.handlers[0].root.as_ref().unwrap().root, Path::new("/s"));
    assert_eq!(read.handlers[0].place.privileges, Privileges::Untrusted);
    let found: Vec<_> = read.diagnostics.iter().map(|d| (d.code, d.line, d.column)).collect();
    assert_eq!(found, [("unknown-type", 11, 17)]);
    assert_eq!(read.rejected.len(), 1);
}

// rule: C10
#[test]
fn in_a_subagents_frontmatter_stop_means_that_subagents_end() {
    let agent = || Source::Agent("careful".into());
    let sub = read(SKILL, agent(), Some("agent-1"), true);
    let stop = sub.handlers.iter().find(|handler| handler.place.label.as_ref() == "done").unwrap();
    assert_eq!(stop.event, EventKind::SubagentStop);
    assert!(sub.handlers.iter().all(|h| h.agent_scope == Some(AgentId::from("agent-1")) && h.root.is_none()));
    assert!(codes(&sub.diagnostics).contains(&"once-without-effect"));
    let main = read(SKILL, agent(), None, true);
    assert!(
        main.handlers.iter().any(|handler| handler.event == EventKind::Stop && handler.agent_scope.is_none())
    );
}

// rule: G3
#[test]
fn a_projects_agents_wait_for_trust_and_skills_do_not() {
    let held = read(SKILL, Source::Agent("a".into()), None, false);
    assert!(held.handlers.is_empty() && codes(&held.diagnostics).contains(&"withheld-untrusted"));
    assert_eq!(read(SKILL, Source::Skill("s".into()), None, false).handlers.len(), 2);
    let trusted = read(SKILL, Source::Skill("s".into()), None, true);
    assert_eq!(trusted.handlers[0].place.privileges, Privileges::BrokenGuard);
}

// rule: C10
#[test]
fn a_frontmatter_that_is_none_or_no_yaml_loads_nothing() {
    for (text, expected) in [
        ("no frontmatter", vec![]),
        ("---\nhooks: never closed", vec![]),
        ("---\nname: x\nhooks:\n  PreToolUse: []\n", vec!["not-yaml"]),
        ("\u{feff}---\r\nhooks: {Stop: []}\r\n", vec!["not-yaml"]),
        ("---\nan example:\n```\nhooks:\n```\n", vec![]),
        ("---\nHooks: {}\n---\n", vec!["unknown-field"]),
        ("---\nhooks: {Stop: []}\nhooks: {}\n---\n", vec!["duplicate-key"]),
        ("---\nname: x\n---\n", vec![]),
        ("---\nhooks: [\n---\n", vec!["not-yaml"]),
        ("---\nhooks: 5\n---\n", vec!["wrong-type"]),
        ("---\r\nhooks:\r\n  Stp: []\r\n---\r\n", vec!["unknown-event"]),
        ("---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\nhooks: {}\n---\n", vec![]),
    ] {
        let read = read(text, Source::Skill("s".into()), None, true);
        assert!(read.handlers.is_empty());
        assert_eq!(codes(&read.diagnostics), expected, "{text:?}");
    }
}
