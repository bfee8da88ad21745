//! Plugins as programs install them: found, named, given their options, and reported if they are gone.

use crate::config::support::{Machine, codes, labels, one};
use becket_engine::config::{Config, FlagSettings, Plugin, PluginOrigin, Trust, load, resolve};
use becket_model::{EventKind, Source};
use serde_json::{Value, json};
use std::path::Path;

/// A machine on which plugins can be installed.
struct Store(Machine);

impl Store {
    fn new() -> Self {
        Store(Machine::new())
    }

    fn path(&self, path: &str) -> String {
        self.0.path(path).to_string_lossy().into_owned()
    }

    /// Writes a plugin whose Stop hook is called `label`.
    fn plugin(&self, directory: &str, name: &str, label: &str) {
        self.0.write(&format!("{directory}/.claude-plugin/plugin.json"), json!({"name": name}).to_string());
        self.0.write(&format!("{directory}/hooks/hooks.json"), one("Stop", label));
    }

    fn records(&self, text: Value) {
        self.0.write("home/.claude/plugins/installed_plugins.json", text.to_string());
    }

    fn marketplaces(&self, text: Value) {
        self.0.write("home/.claude/plugins/known_marketplaces.json", text.to_string());
    }

    fn listing(&self, root: &str, plugins: Value) {
        let text = json!({"name": "m", "owner": {"name": "o"}, "plugins": plugins});
        self.0.write(&format!("{root}/.claude-plugin/marketplace.json"), text.to_string());
    }

    fn config(&self) -> Config {
        resolve(&load(&self.0.request()))
    }

    fn stop(&self) -> Vec<String> {
        labels(&self.config(), EventKind::Stop)
    }
}

fn enabled(ids: &[&str]) -> Value {
    ids.iter().map(|id| ((*id).to_owned(), Value::Bool(true))).collect::<serde_json::Map<_, _>>().into()
}

fn on(ids: &[&str]) -> String {
    json!({"enabledPlugins": enabled(ids)}).to_string()
}

fn directory(path: &str) -> Value {
    json!({"m": {"source": {"source": "directory", "path": path}}})
}

// rule: C9
#[test]
fn both_shapes_of_the_record_name_the_directory() {
    for version in [1, 2] {
        let store = Store::new();
        store.plugin("home/.claude/plugins/cache/m/kit/1.2.0", "kit", "a");
        let record = json!({"scope": "user", "version": "1.2.0", "installPath": store.path("home/.claude/plugins/cache/m/kit/1.2.0")});
        let records = if version == 1 { record } else { json!([record]) };
        store.records(json!({"version": version, "plugins": {"kit@m": records}}));
        assert_eq!(store.stop(), [""; 0], "what is installed is not on by that");
        store.0.settings("user", on(&["kit@m"]));
        assert_eq!(store.stop(), ["a"]);
        assert!(store.config().diagnostics.is_empty());
        store.0.settings("local", r#"{"enabledPlugins": {"kit@m": false}}"#);
        assert_eq!(store.stop(), [""; 0]);
    }
}

// rule: C9
#[test]
fn an_installation_counts_for_its_project_and_the_most_particular_one_wins() {
    let store = Store::new();
    for (version, label) in [("1", "user"), ("2", "project"), ("3", "local"), ("4", "other")] {
        store.plugin(&format!("home/.claude/plugins/cache/m/kit/{version}"), "kit", label);
    }
    store.0.settings("user", on(&["kit@m"]));
    let record = |scope: &str, project: Option<&str>, version: &str| {
        let mut record = json!({"scope": scope, "version": version,
            "installPath": store.path(&format!("home/.claude/plugins/cache/m/kit/{version}"))});
        if let Some(project) = project {
            record["projectPath"] = store.path(project).into();
        }
        record
    };
    let user = record("user", None, "1");
    let (project, local) = (record("project", Some("project"), "2"), record("local", Some("project"), "3"));
    let other = record("project", Some("home"), "4");
    for (records, expected) in [
        (vec![other.clone(), user.clone()], "user"),
        (vec![project.clone(), user.clone(), other.clone()], "project"),
        (vec![local, user, project], "local"),
    ] {
        store.records(json!({"version": 2, "plugins": {"kit@m": records}}));
        assert_eq!(store.stop(), [expected]);
    }
    store.records(json!({"version": 2, "plugins": {"kit@m": [other]}}));
    std::fs::remove_dir_all(store.0.path("home/.claude/plugins/cache")).unwrap();
    let config = store.config();
    assert_eq!(codes(&config.diagnostics), ["missing-plugin"]);
    assert!(config.diagnostics[0].message.contains("other projects"), "{:?}", config.diagnostics);
}

// rule: C9
#[test]
fn without_a_record_the_marketplace_and_then_the_cache_count() {
    let store = Store::new();
    store.0.settings("user", on(&["kit@m"]));
    store.plugin("home/.claude/plugins/cache/m/kit/0.9.0", "kit", "cached");
    assert_eq!(store.stop(), ["cached"]);
    store.plugin("home/.claude/plugins/cache/m/kit/0.8.0", "kit", "older");
    assert_eq!(codes(&store.config().diagnostics), ["missing-plugin"], "no record says which counts");
    store.0.write("home/.claude/plugins/cache/m/kit/0.8.0/.orphaned_at", "1");
    assert_eq!(store.stop(), ["cached"]);
    store.plugin("home/.claude/plugins/marketplaces/m/plugins/kit", "kit", "shipped");
    store.listing("home/.claude/plugins/marketplaces/m", json!([{"name": "kit", "source": "./plugins/kit"}]));
    assert_eq!(store.stop(), ["shipped"]);
    store.plugin("clone/kit", "kit", "elsewhere");
    store.0.write(
        "clone/.claude-plugin/marketplace.json",
        r#"{"metadata": {"pluginRoot": "."}, "plugins": [{"name": "kit", "source": "kit"}]}"#,
    );
    store.marketplaces(
        json!({"m": {"source": {"source": "github", "repo": "o/r"}, "installLocation": store.path("clone")}}),
    );
    assert_eq!(store.stop(), ["elsewhere"]);
}

// rule: C9
#[test]
fn the_version_of_a_record_finds_a_cache_that_has_moved() {
    let store = Store::new();
    store.0.settings("user", on(&["kit@m"]));
    for version in ["1.0.0", "2.0.0"] {
        store.plugin(&format!("home/.claude/plugins/cache/m/kit/{version}"), "kit", version);
    }
    let record =
        json!({"scope": "user", "version": "2.0.0", "installPath": "/gone/plugins/cache/m/kit/2.0.0"});
    store.records(json!({"version": 2, "plugins": {"kit@m": [record]}}));
    assert_eq!(store.stop(), ["2.0.0"]);
}

// rule: C9
#[test]
fn a_directory_marketplace_is_used_in_place_whatever_was_copied() {
    let store = Store::new();
    store.plugin("market/kit", "kit", "source");
    store.listing("market", json!([{"name": "kit", "source": "./kit"}]));
    store.plugin("home/.claude/plugins/cache/m/kit/1", "kit", "copy");
    store.records(json!({"version": 2, "plugins": {"kit@m": [{"scope": "user",
        "installPath": store.path("home/.claude/plugins/cache/m/kit/1")}]}}));
    store.0.settings("user", on(&["kit@m"]));
    assert_eq!(store.stop(), ["copy"]);
    let location = json!({"source": {"source": "directory", "path": store.path("market")}, "installLocation": store.path("market")});
    store.marketplaces(json!({"m": location}));
    assert_eq!(store.stop(), ["source"]);
    store.marketplaces(json!({}));
    let settings = json!({"enabledPlugins": enabled(&["kit@m"]),
        "extraKnownMarketplaces": {"m": {"source": {"source": "file", "path": store.path("market/.claude-plugin/marketplace.json")}}}});
    store.0.settings("user", settings.to_string());
    assert_eq!(store.stop(), ["source"]);
}

// rules: C9, C5
#[test]
fn the_highest_file_that_names_a_plugin_decides() {
    let store = Store::new();
    store.plugin("project/market/kit", "kit", "a");
    store.listing("project/market", json!([{"name": "kit", "source": "./kit"}]));
    let project = json!({"enabledPlugins": {"kit@m": true}, "extraKnownMarketplaces": directory("./market")});
    store.0.settings("project", project.to_string());
    assert_eq!(store.stop(), ["a"]);
    let mut request = store.0.request();
    request.flag = Some(FlagSettings::Text(r#"{"enabledPlugins": {"kit@m": false}}"#.to_owned()));
    assert_eq!(labels(&resolve(&load(&request)), EventKind::Stop), [""; 0]);
    store.0.settings("managed", on(&["kit@m"]));
    let config = resolve(&load(&request));
    assert_eq!(labels(&config, EventKind::Stop), [""; 0], "a project's code under a forced id (G2)");
    assert_eq!(codes(&config.diagnostics), ["missing-plugin"]);
}

// rules: C9, G2
#[test]
fn a_repository_does_not_replace_a_plugin_of_the_user() {
    let store = Store::new();
    store.plugin("home/.claude/plugins/cache/m/guard/1", "guard", "the user's");
    store.records(json!({"version": 2, "plugins": {"guard@m": [{"scope": "user",
        "installPath": store.path("home/.claude/plugins/cache/m/guard/1")}]}}));
    store.plugin("project/evil/guard", "guard", "the project's");
    store.listing("project/evil", json!([{"name": "guard", "source": "./guard"}]));
    let project = json!({"enabledPlugins": {"guard@m": true}, "extraKnownMarketplaces": directory("./evil")});
    store.0.settings("project", project.to_string());
    assert_eq!(store.stop(), ["the project's"], "the project's own plugin, of its own marketplace");
    store.0.settings("user", on(&["guard@m"]));
    assert_eq!(store.stop(), ["the user's"], "what the user has installed and turned on");
    // The user's marketplace of that name comes before the project's once the user enables the plugin.
    let users = json!({"enabledPlugins": {"guard@m": true}, "extraKnownMarketplaces": directory(&store.path("users"))});
    store.plugin("users/guard", "guard", "the user's");
    store.listing("users", json!([{"name": "guard", "source": "./guard"}]));
    store.0.settings("user", users.to_string());
    assert_eq!(store.stop(), ["the user's"]);
}

// rules: C9, G3
#[test]
fn a_folder_that_is_not_trusted_neither_turns_plugins_on_nor_off() {
    let store = Store::new();
    store.plugin("home/.claude/plugins/cache/m/guard/1", "guard", "guard");
    store.plugin("project/market/kit", "kit", "kit");
    store.listing("project/market", json!([{"name": "kit", "source": "./kit"}]));
    store.0.settings("user", on(&["guard@m"]));
    let project = json!({"enabledPlugins": {"guard@m": false, "kit@own": true},
        "extraKnownMarketplaces": {"own": {"source": {"source": "directory", "path": "./market"}}}});
    store.0.settings("project", project.to_string());
    assert_eq!(store.stop(), ["kit"]);
    let mut request = store.0.request();
    request.trust = Trust::default().this_folder_trusted(false);
    let config = resolve(&load(&request));
    assert_eq!(labels(&config, EventKind::Stop), ["guard"]);
    assert_eq!(codes(&config.diagnostics), ["withheld-untrusted"; 2]);
    request.plugins.push(Plugin::in_directory(store.0.path("project/market/kit")));
    let config = resolve(&load(&request));
    assert_eq!(labels(&config, EventKind::Stop), ["kit", "guard"], "what the command line names counts");
}

// rule: C9
#[test]
fn a_plugin_is_called_as_its_manifest_says_and_known_by_its_id() {
    let store = Store::new();
    store.plugin("market/formatter", "fmt", "a");
    store.listing("market", json!([{"name": "format-all", "source": "./formatter"}]));
    let settings = json!({"enabledPlugins": enabled(&["format-all@m"]), "extraKnownMarketplaces": directory(&store.path("market"))});
    store.0.settings("user", settings.to_string());
    let config = store.config();
    let plugin = &config.plugins[0];
    assert_eq!((&*plugin.id, &*plugin.name), ("format-all@m", "fmt"));
    assert_eq!(plugin.origin, PluginOrigin::Installed { by_project: false });
    assert_eq!(plugin.data, Some(store.0.path("home/.claude/plugins/data/format-all-m")));
    assert_eq!(config.hooks.all().next().unwrap().place.source.to_string(), "plugin:fmt");
    store.0.settings("managed", r#"{"enabledPlugins": {"fmt@m": true}}"#);
    let forced = &store.config().policy.forced_plugins;
    assert!(forced.contains("fmt@m") && !forced.contains("format-all@m"));
}

// rules: C9, G2
#[test]
fn a_directory_of_the_command_line_takes_no_id_of_an_installed_plugin() {
    let store = Store::new();
    store.plugin("kit@corp", "kit", "a");
    store.0.settings("managed", r#"{"allowManagedHooksOnly": true, "enabledPlugins": {"kit@inline": true}}"#);
    let mut request = store.0.request();
    request.plugins.push(Plugin::in_directory(store.0.path("kit@corp")));
    let config = resolve(&load(&request));
    assert!(config.policy.forced_plugins.is_empty());
    assert_eq!(codes(&config.diagnostics), ["plugin-locked"]);
    store.0.settings("managed", "{}");
    assert_eq!(&*resolve(&load(&request)).plugins[0].id, "kit@inline");
    store.0.settings("user", r#"{"enabledPlugins": {"kit@inline": false}}"#);
    assert_eq!(resolve(&load(&request)).plugins.len(), 1, "it always counts");
    request.flag = Some(FlagSettings::Text(r#"{"enabledPlugins": {"kit@inline": false}}"#.to_owned()));
    assert_eq!(resolve(&load(&request)).plugins.len(), 0);
}

// rule: C9
#[test]
fn one_that_is_on_and_not_there_is_an_error_at_its_entry() {
    let store = Store::new();
    let settings = "{\n  \"enabledPlugins\": {\n    \"gone@m\": true,\n    \"odd\": true,\n    \"x@builtin\": true,\n    \"y@inline\": true,\n    \"w@m\": 1\n  }\n}";
    store.0.settings("user", settings);
    let found: Vec<_> =
        store.config().diagnostics.iter().map(|found| (found.code, found.line, found.is_error())).collect();
    let missing = |line| ("missing-plugin", line, true);
    assert_eq!(found, [("wrong-type", 7, true), missing(3), missing(4), missing(5)]);
}

// rule: C9
#[test]
fn broken_records_are_named_and_take_nothing_down() {
    let store = Store::new();
    store.plugin("home/.claude/plugins/cache/m/kit/1", "kit", "a");
    store.0.settings("user", on(&["kit@m", "gone@m"]));
    store.0.write("home/.claude/plugins/installed_plugins.json", "{broken");
    store.0.write("home/.claude/plugins/known_marketplaces.json", "[]");
    assert_eq!(store.stop(), ["a"]);
    assert_eq!(codes(&store.config().diagnostics), ["not-json", "missing-plugin"]);
    store.records(json!({"version": 2, "plugins": {"kit@m": [null, 1, {"scope": "project"}, {"installPath": 5}], "gone@m": "x"}}));
    assert_eq!(store.stop(), ["a"]);
    assert_eq!(codes(&store.config().diagnostics), ["missing-plugin"]);
}

// rules: C9, H2
#[test]
fn options_are_the_users_and_the_manifests_defaults() {
    let store = Store::new();
    store.plugin("home/.claude/plugins/cache/m/kit/1", "kit", "a");
    let manifest = json!({"name": "kit", "userConfig": {
        "size": {"type": "number", "default": 3}, "mode": {"type": "string", "default": "x"},
        "token": {"type": "string", "sensitive": true}}});
    store.0.write("home/.claude/plugins/cache/m/kit/1/.claude-plugin/plugin.json", manifest.to_string());
    let user = json!({"enabledPlugins": enabled(&["kit@m"]), "pluginConfigs": {"kit@m": {"options":
        {"mode": "fast", "token": "hush", "list": ["a", "b"], "flag": true, "odd": {}, "none": null}}}});
    store.0.settings("user", user.to_string());
    store.0.settings("project", r#"{"pluginConfigs": {"kit@m": {"options": {"mode": "evil"}}}}"#);
    store.0.settings("managed", r#"{"pluginConfigs": {"kit@m": {"options": {"flag": false}}}}"#);
    let config = store.config();
    let options: Vec<_> = config.plugins[0]
        .options
        .iter()
        .map(|option| (option.key.as_str(), option.value.as_str(), option.is_sensitive))
        .collect();
    assert_eq!(
        options,
        [
            ("flag", "false", false),
            ("list", "a,b", false),
            ("mode", "fast", false),
            ("size", "3", false),
            ("token", "hush", true)
        ]
    );
    assert_eq!(codes(&config.diagnostics), ["wrong-type", "setting-without-effect"]);
    assert!(!format!("{config:?}").contains("hush"));
}

// rule: C12
#[test]
fn modules_are_named_as_not_run_and_hooks_beside_them_run() {
    let store = Store::new();
    let text = r#"{"description": "d", "modules": ["./register.js", "../x.ts"], "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}"#;
    store.0.settings("plugin", text);
    let config = store.0.config();
    assert_eq!(labels(&config, EventKind::Stop), ["a"]);
    let modules: Vec<_> =
        config.hooks.modules().iter().map(|module| (&*module.label, &*module.file)).collect();
    assert_eq!(modules[0], ("./register.js", &*store.0.path("plugin/hooks/register.js")));
    assert_eq!(codes(&config.diagnostics), ["module-not-run"; 2]);
    assert_eq!(config.errors().count(), 0);
    store.0.settings("plugin", r#"{"modules": ["./register.js"]}"#);
    let config = store.0.config();
    assert_eq!(codes(&config.diagnostics), ["module-not-run"], "no `hooks` is needed beside it");
    store.0.settings("plugin", r#"{"modules": "./register.js", "Stop": []}"#);
    let found = store.0.config().diagnostics;
    assert_eq!(codes(&found), ["wrong-type", "event-outside-hooks"]);
}

// rule: C9
#[test]
fn an_entry_of_a_marketplace_may_hold_hooks() {
    let store = Store::new();
    store.0.write("market/kit/more.json", one("Stop", "named"));
    let hooks = json!([{"Stop": [{"hooks": [{"type": "command", "command": "inline"}]}]}, "./more.json", "../out.json"]);
    store.listing("market", json!([{"name": "kit", "source": "./kit", "strict": false, "hooks": hooks}]));
    let settings = json!({"enabledPlugins": enabled(&["kit@m"]), "extraKnownMarketplaces": directory(&store.path("market"))});
    store.0.settings("user", settings.to_string());
    let config = store.config();
    assert_eq!(labels(&config, EventKind::Stop), ["inline", "named"]);
    assert_eq!(codes(&config.diagnostics), ["path-outside-plugin"]);
    let root = config.hooks.of(EventKind::Stop)[0].root.clone().unwrap();
    assert_eq!(root.root, store.0.path("market/kit"));
}

// rule: C9
#[cfg(unix)]
#[test]
fn no_link_leads_out_of_a_plugin_or_its_marketplace() {
    let store = Store::new();
    store.0.write("outside/hooks.json", one("Stop", "outside"));
    store.0.write("outside/plugin/hooks/hooks.json", one("Stop", "outside"));
    store.0.write("market/shared.json", one("Stop", "shared"));
    store.0.write(
        "market/kit/.claude-plugin/plugin.json",
        r#"{"name": "kit", "hooks": ["./linked.json", "./shared.json"]}"#,
    );
    std::fs::create_dir_all(store.0.path("market/kit/hooks")).unwrap();
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(store.0.path(to), store.0.path(at)).unwrap();
    link("outside/hooks.json", "market/kit/hooks/hooks.json");
    link("outside/hooks.json", "market/kit/linked.json");
    link("market/shared.json", "market/kit/shared.json");
    link("outside/plugin", "market/away");
    store.listing(
        "market",
        json!([{"name": "kit", "source": "./kit"}, {"name": "away", "source": "./away"},
        {"name": "up", "source": "../outside/plugin"}, {"name": "back", "source": "./kit\\x"}]),
    );
    let settings = json!({"enabledPlugins": enabled(&["kit@m", "away@m", "up@m", "back@m"]),
        "extraKnownMarketplaces": directory(&store.path("market"))});
    store.0.settings("user", settings.to_string());
    let config = store.config();
    assert_eq!(labels(&config, EventKind::Stop), ["shared"]);
    let mut found = codes(&config.diagnostics);
    found.sort_unstable();
    assert_eq!(
        found,
        ["missing-plugin", "missing-plugin", "missing-plugin", "path-outside-plugin", "path-outside-plugin"]
    );
}

// rule: C9
#[test]
fn bad_plugins_are_named_and_their_neighbours_run() {
    let store = Store::new();
    store.plugin("one", "same", "a");
    store.plugin("two", "same", "b");
    store.0.write("broken/.claude-plugin/plugin.json", "{");
    store.0.write("broken/hooks/hooks.json", one("Stop", "c"));
    store.plugin("named", "../x\u{1b}[31m", "d");
    store.0.write("huge/hooks/hooks.json", " ".repeat(17 << 20));
    let mut request = store.0.request();
    for directory in ["one", "two", "broken", "named", "huge", "gone"] {
        request.plugins.push(Plugin::in_directory(store.0.path(directory)));
    }
    let config = resolve(&load(&request));
    assert_eq!(labels(&config, EventKind::Stop), ["a", "b", "c", "d"]);
    let mut found: Vec<_> = config
        .diagnostics
        .iter()
        .map(|found| (found.code, file_name(&found.file), found.is_error()))
        .collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            ("bad-plugin-name", "plugin.json".to_owned(), true),
            ("missing-plugin", "gone".to_owned(), true),
            ("not-json", "plugin.json".to_owned(), true),
            ("plugin-name-twice", "two".to_owned(), false),
            ("unreadable-file", "hooks.json".to_owned(), true),
        ]
    );
    let names: Vec<&str> = config.plugins.iter().map(|plugin| &*plugin.name).collect();
    assert_eq!(names, ["same", "same", "broken", "named", "huge", "gone"]);
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

// rule: C9
#[test]
fn a_variable_moves_the_users_plugins() {
    let store = Store::new();
    store.plugin("store/cache/m/kit/1", "kit", "moved");
    store.0.settings("user", on(&["kit@m"]));
    let mut request = store.0.request();
    request.environment = request.environment.with_var("CLAUDE_CODE_PLUGIN_CACHE_DIR", store.0.path("store"));
    let config = resolve(&load(&request));
    assert_eq!(labels(&config, EventKind::Stop), ["moved"]);
    assert_eq!(config.plugins[0].data, Some(store.0.path("store/data/kit-m")));
}

// rules: C9, G3
#[test]
fn plugins_in_directories_of_skills_count_without_a_record() {
    let store = Store::new();
    store.plugin("home/.claude/skills/kit", "guard", "the user's");
    store.plugin("project/.claude/skills/own", "own", "the project's");
    store.0.write("home/.claude/skills/tidy/SKILL.md", "tidy");
    let config = store.config();
    assert_eq!(labels(&config, EventKind::Stop), ["the user's", "the project's"]);
    let ids: Vec<_> = config.plugins.iter().map(|plugin| (&*plugin.id, &plugin.origin)).collect();
    let of = |by_project| PluginOrigin::SkillsDirectory { by_project };
    assert_eq!(ids, [("guard@skills-dir", &of(false)), ("own@skills-dir", &of(true))]);
    let mut request = store.0.request();
    request.trust = Trust::default().this_folder_trusted(false);
    let config = resolve(&load(&request));
    assert_eq!(labels(&config, EventKind::Stop), ["the user's"]);
    assert_eq!(codes(&config.diagnostics), ["withheld-untrusted"]);
    request = store.0.request();
    request.sources.user = false;
    assert_eq!(labels(&resolve(&load(&request)), EventKind::Stop), ["the project's"]);
    store.0.settings("user", r#"{"enabledPlugins": {"guard@skills-dir": false, "gone@skills-dir": true}}"#);
    let config = store.config();
    assert_eq!(labels(&config, EventKind::Stop), ["the project's"]);
    assert_eq!(codes(&config.diagnostics), ["missing-plugin"]);
}

// rules: C9, G2
#[test]
fn a_plugin_in_a_directory_of_skills_takes_no_place_of_another() {
    let store = Store::new();
    store.plugin("home/.claude/skills/kit", "guard", "the user's");
    store.plugin("project/.claude/skills/x", "guard", "the project's");
    let config = store.config();
    assert_eq!(labels(&config, EventKind::Stop), ["the user's"]);
    assert_eq!(codes(&config.diagnostics), ["plugin-name-twice"]);
    store.0.settings("managed", r#"{"enabledPlugins": {"guard@skills-dir": true}}"#);
    let config = store.config();
    assert!(config.policy.forced_plugins.is_empty(), "no directory gets an id that a policy forces");
    assert_eq!(labels(&config, EventKind::Stop), [""; 0]);
    assert_eq!(codes(&config.diagnostics), ["plugin-name-twice", "plugin-locked"]);
}

// rule: C9
#[test]
fn a_manifest_and_a_listing_name_more_skills_commands_and_agents() {
    let store = Store::new();
    store.plugin("market/kit", "kit", "a");
    for file in ["more/deep/SKILL.md", "one.md", "agents-2/a.md", "extra/SKILL.md"] {
        store.0.write(&format!("market/kit/{file}"), "");
    }
    let manifest =
        json!({"name": "kit", "skills": "./more", "commands": ["./one.md", "./gone.md"], "agents": "../out"});
    store.0.write("market/kit/.claude-plugin/plugin.json", manifest.to_string());
    let entry = json!([{"name": "kit", "source": "./kit", "skills": ["./extra"], "agents": "./agents-2"}]);
    store.listing("market", entry);
    let settings = json!({"enabledPlugins": enabled(&["kit@m"]), "extraKnownMarketplaces": directory(&store.path("market"))});
    store.0.settings("user", settings.to_string());
    let found = store.config().plugins[0].definitions();
    let below = |names: &[&str]| names.iter().map(|n| store.0.path("market/kit").join(n)).collect::<Vec<_>>();
    assert_eq!(found.skills, below(&["skills", "more", "extra"]));
    assert_eq!(found.commands, below(&["commands", "one.md"]));
    assert_eq!(found.agents, below(&["agents", "agents-2"]));
    assert_eq!(codes(&found.diagnostics), ["missing-plugin-file", "path-outside-plugin"]);
}

// rules: C9, G2
#[test]
fn a_directory_that_several_ids_share_counts_for_each_of_them() {
    let store = Store::new();
    store.plugin("market/one", "acme", "guard");
    store.listing(
        "market",
        json!([{"name": "alpha", "source": "./one"}, {"name": "guard", "source": "./one"}]),
    );
    let managed = json!({"allowManagedHooksOnly": true, "enabledPlugins": enabled(&["guard@m"]),
        "extraKnownMarketplaces": directory(&store.path("market"))});
    store.0.settings("managed", managed.to_string());
    let ids = |config: &Config| -> Vec<String> {
        let sources = config.hooks.of(EventKind::Stop).iter().map(|handler| handler.place.source.clone());
        let id = |source: Source| {
            let Source::Plugin(plugin) = source else { return None };
            Some(plugin.id.to_string())
        };
        sources.filter_map(id).collect()
    };
    assert_eq!(ids(&store.config()), ["guard@m"]);
    for source in ["user", "project", "local"] {
        store.0.settings(source, on(&["alpha@m"]));
        assert_eq!(ids(&store.config()), ["guard@m", "alpha@m"], "{source}");
        store.0.settings(source, "{}");
    }
    let mut request = store.0.request();
    request.plugins.push(Plugin::in_directory(store.0.path("market/one")));
    let config = resolve(&load(&request));
    assert_eq!(ids(&config), ["guard@m"], "its name is that of a managed plugin");
    assert_eq!(codes(&config.diagnostics), ["plugin-locked"]);
}

// rules: C4, C9, G2, G3
#[test]
fn a_directory_of_plugins_or_skills_in_the_project_is_the_projects() {
    let store = Store::new();
    store.plugin("project/cfg/plugins/kit", "kit", "installed");
    store.plugin("project/cfg/skills/sly", "sly", "skill");
    let record = json!({"plugins": {"kit@m": [{"scope": "user", "installPath": store.path("project/cfg/plugins/kit")}]}});
    store.0.write("project/cfg/plugins/installed_plugins.json", record.to_string());
    let at = |variable: &str, value: &str, is_trusted: bool| {
        let mut request = store.0.request();
        request.environment = request.environment.with_var(variable, value);
        request.trust = Trust::default().this_folder_trusted(is_trusted);
        request.flag = Some(FlagSettings::Text(on(&["kit@m"])));
        resolve(&load(&request))
    };
    let absolute = store.path("project/cfg");
    for cfg in [absolute.as_str(), "cfg"] {
        let trusted = at("CLAUDE_CONFIG_DIR", cfg, true);
        assert_eq!(labels(&trusted, EventKind::Stop), ["installed", "skill"], "{cfg}");
        assert_eq!(trusted.plugins[1].origin, PluginOrigin::SkillsDirectory { by_project: true });
        let untrusted = at("CLAUDE_CONFIG_DIR", cfg, false);
        assert_eq!(labels(&untrusted, EventKind::Stop), [""; 0], "{cfg}");
        assert_eq!(codes(&untrusted.diagnostics), ["missing-plugin", "withheld-untrusted"], "{cfg}");
        assert!(untrusted.diagnostics[0].message.contains("part of this project"));
        let cache = format!("{cfg}/plugins");
        assert_eq!(labels(&at("CLAUDE_CODE_PLUGIN_CACHE_DIR", &cache, false), EventKind::Stop), [""; 0]);
        assert_eq!(labels(&at("CLAUDE_CODE_PLUGIN_CACHE_DIR", &cache, true), EventKind::Stop), ["installed"]);
        store.0.settings("managed", on(&["kit@m"]));
        assert_eq!(labels(&at("CLAUDE_CODE_PLUGIN_CACHE_DIR", &cache, true), EventKind::Stop), [""; 0]);
        assert_eq!(
            labels(&at("CLAUDE_CONFIG_DIR", cfg, true), EventKind::Stop),
            ["skill"],
            "a forced id (G2)"
        );
        store.0.settings("managed", "{}");
    }
}

// rules: C9, G3
#[test]
fn a_local_file_that_git_tracks_does_not_replace_a_plugin_of_the_user() {
    let store = Store::new();
    store.plugin("home/.claude/plugins/marketplaces/m/guard", "guard", "the user's");
    store.listing("home/.claude/plugins/marketplaces/m", json!([{"name": "guard", "source": "./guard"}]));
    store.0.settings("user", on(&["guard@m"]));
    store.plugin("project/evil/guard", "guard", "the project's");
    store.listing("project/evil", json!([{"name": "guard", "source": "./guard"}]));
    let local =
        json!({"enabledPlugins": enabled(&["guard@m"]), "extraKnownMarketplaces": directory("./evil")});
    store.0.settings("local", local.to_string());
    assert_eq!(store.stop(), ["the user's"], "without git its origin is unknown");
    let git = |args: &[&str]| {
        let done =
            std::process::Command::new("git").arg("-C").arg(store.0.path("project")).args(args).output();
        assert!(done.unwrap().status.success(), "{args:?}");
    };
    git(&["init", "-q"]);
    assert_eq!(store.stop(), ["the project's"], "the user's own file");
    git(&["add", "-A", "-f"]);
    assert_eq!(store.stop(), ["the user's"]);
}

// rule: C9
#[test]
fn a_record_that_leads_nowhere_hides_no_other() {
    let store = Store::new();
    store.0.settings("user", on(&["kit@m"]));
    for version in ["0", "1"] {
        store.plugin(&format!("home/.claude/plugins/cache/m/kit/{version}"), "kit", version);
    }
    let at = |version: &str| store.path(&format!("home/.claude/plugins/cache/m/kit/{version}"));
    let records = |user: &str| {
        json!({"version": 2, "plugins": {"kit@m": [
            {"scope": "local", "projectPath": store.path("project"), "installPath": at("2"), "version": "2"},
            {"scope": "user", "installPath": at(user), "version": user}]}})
    };
    store.records(records("1"));
    assert_eq!(store.stop(), ["1"]);
    store.records(records("3"));
    let found = store.config().diagnostics;
    assert_eq!(codes(&found), ["missing-plugin"]);
    assert!(found[0].message.contains("kit/2` is not there"), "{}", found[0].message);
}

// rules: C7, C9
#[test]
fn hooks_of_a_manifest_are_paths_or_objects_and_anything_else_is_an_error() {
    for (written, wrong) in [
        ("true", 1),
        ("5", 1),
        ("[5, \"./hooks/hooks.json\", null]", 2),
        ("[[\"./hooks/hooks.json\"]]", 1),
        ("null", 0),
        ("{}", 0),
        ("[]", 0),
    ] {
        let store = Store::new();
        store.plugin("kit", "kit", "a");
        store
            .0
            .write("kit/.claude-plugin/plugin.json", format!("{{\"name\": \"kit\", \"hooks\": {written}}}"));
        let mut request = store.0.request();
        request.plugins.push(Plugin::in_directory(store.0.path("kit")));
        let config = resolve(&load(&request));
        assert_eq!(labels(&config, EventKind::Stop), ["a"], "{written}");
        assert_eq!(codes(&config.diagnostics), vec!["wrong-type"; wrong], "{written}");
    }
}

// rules: C7, C9
#[cfg(unix)]
#[test]
fn a_directory_of_skills_or_a_manifest_that_cannot_be_read_is_named() {
    let store = Store::new();
    store.plugin("home/.claude/skills/kit", "kit", "a");
    let manifest = store.0.path("home/.claude/skills/kit/.claude-plugin/plugin.json");
    std::fs::remove_file(&manifest).unwrap();
    std::os::unix::fs::symlink("/nonexistent/there", &manifest).unwrap();
    let config = store.config();
    assert_eq!(labels(&config, EventKind::Stop), ["a"]);
    assert_eq!(codes(&config.diagnostics), ["unreadable-file"]);
    std::fs::remove_dir_all(store.0.path("home/.claude/skills")).unwrap();
    assert!(store.config().diagnostics.is_empty());
    std::os::unix::fs::symlink("/nonexistent/there", store.0.path("home/.claude/skills")).unwrap();
    assert_eq!(codes(&store.config().diagnostics), ["unreadable-file"]);
}

// rules: C9, X5
#[test]
fn of_plugins_with_one_name_that_of_the_more_trusted_file_comes_first() {
    let store = Store::new();
    for id in ["a", "b", "c"] {
        store.plugin(&format!("market/{id}"), "same", id);
    }
    let entries: Vec<Value> =
        ["a", "b", "c"].iter().map(|id| json!({"name": id, "source": format!("./{id}")})).collect();
    store.listing("market", entries.into());
    let settings = json!({"enabledPlugins": enabled(&["c@m"]), "extraKnownMarketplaces": directory(&store.path("market"))});
    store.0.settings("managed", settings.to_string());
    store.0.settings("user", on(&["b@m"]));
    store.0.settings("project", on(&["a@m"]));
    let config = store.config();
    let ids: Vec<&str> = config.plugins.iter().map(|plugin| &*plugin.id).collect();
    assert_eq!(ids, ["c@m", "b@m", "a@m"], "{:?}", config.diagnostics);
}
