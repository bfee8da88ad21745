//! Registrations on the disk.

use becket_install::{
    AGENTS, EntryDifference, HookCommand, InstallError, Installation, Location, OffSwitch, Places, Records,
    Scope, SwitchKind, agent, install, status, uninstall,
};
use becket_model::EventKind;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// A home, a project, and the directory of the records.
struct Machine {
    root: TempDir,
    places: Places,
}

const WANTED: Installation<'static> =
    Installation { program: "/opt/becket", longest: None, more: &[], repair: false, exec_rewrite: false };

impl Machine {
    fn new() -> Self {
        let root = tempfile::tempdir().expect("a directory");
        let places = Places {
            home: Some(root.path().join("home")),
            project: Some(root.path().join("project")),
            variables: Vec::new(),
        };
        for directory in ["home", "project"] {
            fs::create_dir(root.path().join(directory)).expect("a directory");
        }
        Machine { root, places }
    }

    fn records(&self) -> Records {
        Records::open(&self.root.path().join("state")).expect("records")
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.root.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(&path, text).expect("a file");
        path
    }

    fn install(&self, name: &str, scope: Scope) -> Result<bool, InstallError> {
        self.install_as(name, scope, &WANTED)
    }

    fn install_as(&self, name: &str, scope: Scope, wanted: &Installation<'_>) -> Result<bool, InstallError> {
        let mut records = self.records();
        let plan = install(agent(name).expect("an agent"), scope, &self.places, &records, wanted)?;
        plan.apply(&mut records)?;
        Ok(!plan.is_nothing())
    }

    fn uninstall(&self, name: &str, scope: Scope) -> Result<bool, InstallError> {
        let mut records = self.records();
        let plan = uninstall(agent(name).expect("an agent"), scope, &self.places, &records)?;
        plan.apply(&mut records)?;
        Ok(!plan.is_nothing())
    }

    /// Returns everything below home and project: directories, links, and files with their content.
    fn tree(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        for directory in ["home", "project"] {
            walk(&self.root.path().join(directory), &mut found);
        }
        found
    }
}

fn walk(path: &Path, found: &mut BTreeMap<PathBuf, String>) {
    let metadata = path.symlink_metadata().expect("it is there");
    let content = if metadata.is_symlink() {
        format!("-> {}", path.read_link().expect("a link").display())
    } else if metadata.is_dir() {
        "directory".to_owned()
    } else {
        format!("{:?} {:?}", metadata.permissions(), fs::read(path).expect("a file"))
    };
    found.insert(path.to_owned(), content);
    if metadata.is_dir() {
        for entry in fs::read_dir(path).expect("a directory") {
            walk(&entry.expect("an entry").path(), found);
        }
    }
}

/// Returns every agent in every scope that it has.
fn all() -> impl Iterator<Item = (&'static str, Scope)> {
    AGENTS.iter().flat_map(|agent| {
        let user = agent.user.is_some().then_some((agent.name, Scope::User));
        user.into_iter().chain(agent.project.is_some().then_some((agent.name, Scope::Project)))
    })
}

#[test]
fn nothing_is_left_of_what_was_installed() {
    let machine = Machine::new();
    machine.write("home/.gemini/settings.json", "\u{feff}{\r\n  // mine\r\n  \"ui\": {}\r\n}");
    machine.write("home/.hermes/config.yaml", "model: x\n");
    machine.write("project/.github/workflow.yml", "x");
    let before = machine.tree();
    for (name, scope) in all() {
        assert!(machine.install(name, scope).expect(name), "{name}");
        assert!(!machine.install(name, scope).expect(name), "{name}: the second time changes nothing");
    }
    let names: Vec<_> = machine.records().files().iter().map(|record| record.agent.clone()).collect();
    assert!(AGENTS.iter().all(|agent| names.iter().any(|name| name == agent.name)));
    for agent in &AGENTS {
        let found = status(agent, &machine.places, &machine.records());
        let scopes = usize::from(agent.user.is_some()) + usize::from(agent.project.is_some());
        assert_eq!(found.files.len(), scopes, "{}", agent.name);
        for file in &found.files {
            assert!(file.missing(agent, &[]).is_empty() && file.problem.is_none(), "{found:?}");
            assert_eq!(file.programs, ["/opt/becket"], "{}", agent.name);
        }
    }
    for (name, scope) in all() {
        assert!(machine.uninstall(name, scope).expect(name), "{name}");
        assert!(!machine.uninstall(name, scope).expect(name), "{name}");
    }
    assert_eq!(machine.tree(), before);
    assert!(machine.records().files().is_empty());
    assert!(!machine.root.path().join("state").exists(), "neither a record nor a lock is left");
}

#[test]
fn a_directory_that_the_record_did_not_create_stays() {
    let machine = Machine::new();
    machine.write("state/other", "");
    machine.install("gemini", Scope::User).expect("installed");
    machine.uninstall("gemini", Scope::User).expect("removed");
    let left = fs::read_dir(machine.root.path().join("state")).expect("a directory");
    let names: Vec<_> = left.map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(names, ["other"]);
}

#[test]
fn another_program_replaces_the_entries_and_the_original_comes_back_all_the_same() {
    let machine = Machine::new();
    machine.write("home/.gemini/settings.json", "{\"a\": 1}");
    machine.write("home/.kimi-code/config.toml", "a = 1");
    machine.write("home/.hermes/config.yaml", "a: 1");
    let before = machine.tree();
    for name in ["gemini", "kimi", "hermes", "pi"] {
        assert!(machine.install(name, Scope::User).expect(name));
        let other = Installation {
            program: "/usr/bin/becket",
            longest: Some(std::time::Duration::from_secs(90)),
            ..WANTED
        };
        assert!(machine.install_as(name, Scope::User, &other).expect(name));
        let found = status(agent(name).expect("an agent"), &machine.places, &machine.records());
        assert_eq!(found.files[0].programs, ["/usr/bin/becket"], "{name}");
        assert!(machine.uninstall(name, Scope::User).expect(name));
    }
    assert_eq!(machine.tree(), before);
}

#[test]
fn lines_are_rewritten_where_the_agent_takes_a_rewrite_and_a_repair_keeps_it() {
    let machine = Machine::new();
    let rewriting = Installation { exec_rewrite: true, ..WANTED };
    let flags = |agent: &str| -> Vec<(String, bool)> {
        let agent = becket_install::agent(agent).expect("an agent");
        let path = agent.path(Scope::User, &machine.places).expect("a path");
        let text = fs::read_to_string(path).expect("a file");
        let own = becket_install::ConfigText::new(agent.form, &text).own_entries().expect("entries");
        own.into_iter().map(|entry| (entry.event, entry.command.contains("--exec-rewrite"))).collect()
    };
    for (name, event) in [("gemini", "BeforeTool"), ("codex", "PreToolUse"), ("qwen", ""), ("kimi", "")] {
        machine.install_as(name, Scope::User, &rewriting).expect(name);
        for again in [false, true] {
            if again {
                let repair = Installation { repair: true, program: "/usr/bin/becket", ..WANTED };
                assert!(machine.install_as(name, Scope::User, &repair).expect(name));
            }
            for (of_entry, rewrites) in flags(name) {
                assert_eq!(rewrites, of_entry == event, "{name}: {of_entry}");
            }
        }
        machine.uninstall(name, Scope::User).expect(name);
        machine.install(name, Scope::User).expect(name);
        assert!(flags(name).iter().all(|(_, rewrites)| !rewrites), "{name}");
    }
    // A plugin has one command for all events.
    machine.install_as("pi", Scope::User, &rewriting).expect("installed");
    let plugin = machine.root.path().join("home/.pi/agent/extensions/becket.js");
    assert!(fs::read_to_string(plugin).expect("a plugin").contains("--exec-rewrite"));
}

#[test]
fn a_lost_record_and_edits_since_lose_nothing() {
    let machine = Machine::new();
    let file = machine.write("home/.gemini/settings.json", "{\n  \"a\": 1\n}\n");
    machine.install("gemini", Scope::User).expect("installed");
    let text =
        fs::read_to_string(&file).expect("a file").replace("\"a\": 1,", "\"a\": 1, // mine\n  \"b\": 2,");
    fs::write(&file, text).expect("written");
    fs::remove_file(machine.root.path().join("state/installed.json")).expect("a record");
    assert!(machine.uninstall("gemini", Scope::User).expect("removed"));
    let left = fs::read_to_string(&file).expect("a file");
    assert!(left.starts_with("{\n  \"a\": 1, // mine\n  \"b\": 2"), "{left}");
    assert!(!left.contains("becket"), "{left}");
}

#[test]
fn of_a_file_that_was_edited_every_other_byte_comes_back() {
    for (original, from, to) in [
        ("{\n  // mine\n  \"a\": 1 // one\n}\n", "// mine", "// edited"),
        ("{ \"a\": 1, /* two */ }", "\"a\": 1", "\"a\": 2"),
        ("{\r\n\t\"hooks\": { // x\r\n\t\t\"BeforeTool\": [ /* none */ ],\r\n\t},\r\n}", "// x", "// y"),
        ("{\n}\n", "{\n", "{ // mine\n"),
        ("// a\n{\"b\": [1,\n2], }\n// c\n", "// a", "// b"),
    ] {
        let machine = Machine::new();
        let file = machine.write("home/.gemini/settings.json", original);
        machine.install("gemini", Scope::User).expect("installed");
        let text = fs::read_to_string(&file).expect("a file").replacen(from, to, 1);
        fs::write(&file, text).expect("written");
        // A second installation finds the entries as well.
        machine.install("gemini", Scope::User).expect("installed");
        machine.uninstall("gemini", Scope::User).expect("removed");
        assert_eq!(fs::read_to_string(&file).expect("a file"), original.replacen(from, to, 1));
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_mode_and_owner_stay() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let machine = Machine::new();
    let real = machine.write("dotfiles/gemini.json", "{}");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("a mode");
    let link = machine.root.path().join("home/.gemini/settings.json");
    fs::create_dir(link.parent().expect("a parent")).expect("a directory");
    symlink("../../dotfiles/gemini.json", &link).expect("a link");
    let before = machine.tree();
    let owner =
        |path: &Path| path.metadata().map(|found| (found.mode(), found.uid(), found.gid())).expect("a file");
    let owned = owner(&real);
    machine.install("gemini", Scope::User).expect("installed");
    assert!(fs::read_to_string(&real).expect("a file").contains("fire --dialect gemini"));
    assert_eq!(owner(&real), owned);
    assert_eq!(owned.0 & 0o777, 0o640);
    assert!(link.symlink_metadata().expect("it").is_symlink());
    machine.uninstall("gemini", Scope::User).expect("removed");
    assert_eq!(machine.tree(), before);
    assert_eq!(fs::read(&real).expect("a file"), b"{}");
}

#[cfg(unix)]
#[test]
fn a_file_that_cant_be_used_is_an_error_and_stays() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let machine = Machine::new();
    let place = machine.root.path().join("home/.gemini/settings.json");
    fs::create_dir(place.parent().expect("a parent")).expect("a directory");
    let cases: [(&str, &dyn Fn()); 6] = [
        ("it is not JSON", &|| fs::write(&place, "{broken").expect("written")),
        ("it is not UTF-8 from byte 1 on", &|| fs::write(&place, b"{\xff}").expect("written")),
        ("it is read-only (mode 444)", &|| {
            fs::write(&place, "{}").expect("written");
            fs::set_permissions(&place, fs::Permissions::from_mode(0o444)).expect("a mode");
        }),
        ("which does not exist", &|| symlink("gone", &place).expect("a link")),
        ("it is not a regular file", &|| fs::create_dir(&place).expect("a directory")),
        ("it has 2 names", &|| {
            fs::write(&place, "{}").expect("written");
            fs::hard_link(&place, place.with_extension("other")).expect("a link");
        }),
    ];
    for (part, make) in cases {
        make();
        let before = machine.tree();
        let error = machine.install("gemini", Scope::User).expect_err(part).to_string();
        assert!(error.contains(part) && error.contains("settings.json"), "{error}");
        assert_eq!(machine.tree(), before, "{part}");
        if fs::remove_file(&place).is_err() {
            fs::remove_dir(&place).expect("a directory");
        }
    }
    let homeless = Places::default();
    let planned =
        install(agent("gemini").expect("an agent"), Scope::User, &homeless, &machine.records(), &WANTED);
    assert!(planned.expect_err("no home").to_string().contains("set HOME"));
    for (name, scope, part) in
        [("kimi", Scope::Project, "use `--user`"), ("cline", Scope::User, "use `--project`")]
    {
        let error = machine.install(name, scope).expect_err(name).to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_file_that_changes_between_reading_and_writing_is_left_alone() {
    let machine = Machine::new();
    let file = machine.write("home/.gemini/settings.json", "{}");
    let mut records = machine.records();
    let plan = install(agent("gemini").expect("an agent"), Scope::User, &machine.places, &records, &WANTED)
        .expect("a plan");
    fs::write(&file, "{\"written\": \"by the agent\"}").expect("written");
    let error = plan.apply(&mut records).expect_err("it was changed").to_string();
    assert!(error.contains("changed meanwhile"), "{error}");
    assert_eq!(fs::read_to_string(&file).expect("a file"), "{\"written\": \"by the agent\"}");
    assert!(records.files().is_empty());
    let names: Vec<_> = fs::read_dir(file.parent().expect("a parent")).expect("a directory").collect();
    assert_eq!(names.len(), 1, "no half of a file is left: {names:?}");
}

#[cfg(unix)]
#[test]
fn what_a_killed_installation_left_is_removed_by_the_next_one() {
    let machine = Machine::new();
    // No system has as many processes.
    let left = |path: &str| machine.write(&format!("{path}.becket-2147483647-0.tmp"), "{");
    let before = machine.tree();
    machine.install("gemini", Scope::User).expect("installed");
    let file = machine.root.path().join("home/.gemini/settings.json");
    // The process was killed before the file had its name: the record exists, and half of the file.
    fs::remove_file(&file).expect("it is there");
    let halves = [left("home/.gemini/.settings.json"), left("state/.installed.json")];
    assert!(machine.install("gemini", Scope::User).expect("installed"));
    assert!(halves.iter().all(|half| !half.exists()));
    fs::remove_file(&file).expect("it is there");
    left("home/.gemini/.settings.json");
    machine.uninstall("gemini", Scope::User).expect("removed");
    assert_eq!(machine.tree(), before);
}

#[cfg(unix)]
#[test]
fn if_one_of_several_files_fails_the_others_are_as_before() {
    let machine = Machine::new();
    fs::create_dir_all(machine.root.path().join("project/.clinerules/hooks")).expect("directories");
    let mut records = machine.records();
    let plan = install(agent("cline").expect("an agent"), Scope::Project, &machine.places, &records, &WANTED)
        .expect("a plan");
    let before = machine.tree();
    // The agent, or a person, writes one of them meanwhile.
    let last = plan.changes.last().expect("scripts").file.path().to_owned();
    fs::write(&last, "#!/bin/sh\n").expect("written");
    assert!(plan.apply(&mut records).is_err());
    fs::remove_file(&last).expect("it was written");
    assert_eq!(machine.tree(), before);
    assert!(records.files().is_empty());
}

#[test]
fn files_of_others_and_edited_ones_are_not_replaced() {
    let machine = Machine::new();
    let plugin = machine.write("home/.pi/agent/extensions/becket.js", "// mine");
    let error = machine.install("pi", Scope::User).expect_err("it is foreign").to_string();
    assert!(error.contains("is not a file of becket"), "{error}");
    assert!(!machine.uninstall("pi", Scope::User).expect("nothing to do"));
    fs::remove_file(&plugin).expect("it is there");
    machine.install("pi", Scope::User).expect("installed");
    let text = fs::read_to_string(&plugin).expect("a plugin") + "// edited\n";
    fs::write(&plugin, &text).expect("written");
    for result in [machine.install("pi", Scope::User), machine.uninstall("pi", Scope::User)] {
        let error = result.expect_err("it was edited").to_string();
        assert!(error.contains("was edited since"), "{error}");
        assert_eq!(fs::read_to_string(&plugin).expect("a plugin"), text);
    }
    machine.install_as("pi", Scope::User, &Installation { repair: true, ..WANTED }).expect("repaired");
    assert!(machine.uninstall("pi", Scope::User).expect("removed"));
    assert!(!plugin.exists());
    machine.install("cline", Scope::Project).expect("installed");
    let event = agent("cline").expect("an agent").registered(&[])[0].name;
    let script = machine.root.path().join("project/.clinerules/hooks").join(event);
    let written = fs::read_to_string(&script).expect("a script");
    let text = written.replacen("\nexec ", "\ncd /\nexec ", 1);
    fs::write(&script, &text).expect("written");
    for result in [machine.install("cline", Scope::Project), machine.uninstall("cline", Scope::Project)] {
        let error = result.expect_err("it was edited").to_string();
        assert!(error.contains("was edited since"), "{error}");
        assert_eq!(fs::read_to_string(&script).expect("a script"), text);
    }
    machine.install_as("cline", Scope::Project, &Installation { repair: true, ..WANTED }).expect("repaired");
    assert_eq!(fs::read_to_string(&script).expect("a script"), written);
}

#[test]
fn a_script_or_plugin_that_only_mentions_becket_is_the_users_and_stays() {
    let machine = Machine::new();
    let cline = agent("cline").expect("an agent");
    let command = HookCommand {
        agent: cline,
        scope: Scope::Project,
        program: "becket",
        longest: None,
        exec_rewrite: false,
    };
    let event = cline.registered(&[])[0];
    let texts = [
        (format!("project/.clinerules/hooks/{}", event.name), "# becket --installed\n".to_owned()),
        (
            format!("project/.clinerules/hooks/{}", event.name),
            format!("#!/bin/sh\nexec {}\n", command.text(&event)),
        ),
        (
            "home/.pi/agent/extensions/becket.js".to_owned(),
            "// becket, as `npm ls --installed` says\n".to_owned(),
        ),
        (
            "home/.pi/agent/extensions/becket.js".to_owned(),
            "// mine\nconst COMMAND = [\"becket\",\"fire\",\"--dialect\",\"pi\",\"--installed\",\"0\"]\n"
                .to_owned(),
        ),
    ];
    for (path, text) in texts {
        let file = machine.write(&path, &text);
        let (name, scope) =
            if path.starts_with("home") { ("pi", Scope::User) } else { ("cline", Scope::Project) };
        let found = status(agent(name).expect("an agent"), &machine.places, &machine.records());
        assert!(found.files.is_empty(), "{found:?}");
        let repair = Installation { repair: true, ..WANTED };
        let error = machine.install_as(name, scope, &repair).expect_err("it is foreign").to_string();
        assert!(error.contains("is not a file of becket"), "{error}");
        machine.uninstall(name, scope).expect("nothing to do");
        assert_eq!(fs::read_to_string(&file).expect("a file"), text);
        fs::remove_file(&file).expect("it is there");
    }
}

/// The content of a file with which an agent switches off hooks, and a part of the cause.
const SWITCHES: [(&str, Scope, &str, &str, &str); 15] = [
    (
        "claude",
        Scope::User,
        "project/.claude/settings.local.json",
        r#"{"disableAllHooks": true}"#,
        "`disableAllHooks` is `true`",
    ),
    (
        "codex",
        Scope::User,
        "home/.codex/config.toml",
        "[features]\nhooks = false\n",
        "`features.hooks` is `false`",
    ),
    (
        "codex",
        Scope::Project,
        "project/.codex/config.toml",
        "features = { codex_hooks = false }\n",
        "`features.codex_hooks`",
    ),
    ("codex", Scope::User, "home/.codex/config.toml", "features = [", "it can't be read (it is not TOML"),
    (
        "gemini",
        Scope::User,
        "home/.gemini/settings.json",
        r#"{"hooksConfig": {"enabled": false}} // x"#,
        "`hooksConfig.enabled` is `false`",
    ),
    (
        "gemini",
        Scope::Project,
        "home/.gemini/settings.json",
        r#"{"hooksConfig": {"enabled": "no"}}"#,
        "`hooksConfig.enabled` is `\"no\"`",
    ),
    (
        "gemini",
        Scope::User,
        "project/.gemini/settings.json",
        r#"{"hooksConfig": {"disabled": ["a", "becket"]}}"#,
        "`hooksConfig.disabled` lists becket",
    ),
    (
        "gemini",
        Scope::User,
        "project/.gemini/settings.json",
        r#"{"tools": {"enableHooks": false}}"#,
        "`tools.enableHooks` is `false`",
    ),
    (
        "qwen",
        Scope::User,
        "home/.qwen/settings.json",
        r#"{"disableAllHooks": true}"#,
        "`disableAllHooks` is `true`",
    ),
    (
        "qwen",
        Scope::Project,
        "project/.qwen/settings.json",
        r#"{"hooksConfig": {"disabled": "becket"}}"#,
        "is not a list",
    ),
    (
        "copilot",
        Scope::User,
        "home/.copilot/config.json",
        "// User settings\n{\"disableAllHooks\": true}",
        "`disableAllHooks` is `true`",
    ),
    (
        "copilot",
        Scope::Project,
        "project/.github/hooks/becket.json",
        r#"{"disableAllHooks": true}"#,
        "`disableAllHooks` is `true`",
    ),
    (
        "droid",
        Scope::User,
        "project/.factory/settings.json",
        r#"{"hooksDisabled": true}"#,
        "`hooksDisabled` is `true`",
    ),
    ("droid", Scope::User, "home/.factory/hooks.json", "{}", "the agent reads it instead of"),
    ("droid", Scope::Project, "project/.factory/hooks.json", "{}", "the agent reads it instead of"),
];

#[test]
fn every_setting_that_switches_off_hooks_is_named() {
    for (name, scope, path, text, part) in SWITCHES {
        let machine = Machine::new();
        let off = || status(agent(name).expect("an agent"), &machine.places, &machine.records()).off;
        let file = machine.write(path, text);
        assert_eq!(off(), [], "{name}: there is no entry yet");
        machine.install(name, scope).expect(name);
        let found = off();
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert_eq!(found[0].path, file, "{name}");
        assert!(found[0].why.contains(part), "{name}: {found:?}");
    }
    for (name, scope) in all() {
        let machine = Machine::new();
        machine.write(
            "home/.gemini/settings.json",
            r#"{"hooksConfig": {"enabled": true, "disabled": ["other"]}}"#,
        );
        machine.write("home/.qwen/settings.json", r#"{"disableAllHooks": false, "hooksConfig": null}"#);
        machine.write("home/.codex/config.toml", "[features]\nhooks = true\n");
        machine.install(name, scope).expect(name);
        let found = status(agent(name).expect("an agent"), &machine.places, &machine.records());
        assert_eq!(found.off, [], "{name}");
    }
    // The hooks of a project do not replace those of the user.
    let machine = Machine::new();
    machine.write("project/.factory/hooks.json", "{}");
    machine.install("droid", Scope::User).expect("installed");
    assert_eq!(status(agent("droid").expect("an agent"), &machine.places, &machine.records()).off, []);
}

#[test]
fn every_switch_of_every_agent_is_found_at_its_place() {
    for agent in &AGENTS {
        for switch in agent.off {
            let machine = Machine::new();
            let path = match (switch.scope, agent.user) {
                (Scope::User, Some(user)) => Location { file: switch.file, ..user }.path(&machine.places),
                (Scope::User, None) => None,
                (Scope::Project, _) => machine.places.project.as_ref().map(|root| root.join(switch.file)),
            };
            let path = path.expect("a path");
            fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
            fs::write(&path, switching_off(switch)).expect("a file");
            machine.install(agent.name, switch.scope).expect(agent.name);
            let found = status(agent, &machine.places, &machine.records()).off;
            assert_eq!(found.len(), 1, "{} {switch:?}: {found:?}", agent.name);
            assert_eq!((&found[0].path, found[0].scope), (&path, switch.scope), "{}", agent.name);
        }
    }
}

/// Returns the content of a file with which a setting switches off hooks.
fn switching_off(switch: &OffSwitch) -> String {
    let (keys, value) = match switch.kind {
        SwitchKind::Value { keys, on } => (keys, json!(!on)),
        SwitchKind::Names(keys) => (keys, json!(["becket"])),
        SwitchKind::Instead => (&[][..], json!({})),
    };
    if switch.file.ends_with(".toml") {
        return format!("{} = {value}\n", keys.join("."));
    }
    keys.iter().rev().fold(value, |value, key| json!({ *key: value })).to_string()
}

#[test]
fn variables_name_the_directories_of_agents() {
    let mut machine = Machine::new();
    let elsewhere = machine.root.path().join("elsewhere");
    machine.places.home = None;
    machine.places.variables = [("CODEX_HOME", &elsewhere), ("XDG_CONFIG_HOME", &elsewhere)]
        .map(|(name, path)| (name.to_owned(), path.clone()))
        .into();
    machine.install("codex", Scope::User).expect("installed");
    machine.install("opencode", Scope::User).expect("installed");
    assert!(elsewhere.join("hooks.json").is_file());
    assert!(elsewhere.join("opencode/plugins/becket.js").is_file());
    machine.uninstall("codex", Scope::User).expect("removed");
    machine.uninstall("opencode", Scope::User).expect("removed");
    assert!(!elsewhere.exists());
}

#[test]
fn without_a_record_only_a_file_as_becket_writes_it_is_replaced_or_removed() {
    for (name, path, edit) in [
        ("opencode", ".opencode/plugins/becket.js", "\nexport const mine = 1\n"),
        ("cline", ".clinerules/hooks/PreToolUse", "\nmy-logger\n"),
    ] {
        let machine = Machine::new();
        let file = machine.root.path().join("project").join(path);
        let before = machine.tree();
        let rewriting = Installation { longest: Some(Duration::from_secs(90)), exec_rewrite: true, ..WANTED };
        machine.install_as(name, Scope::Project, &rewriting).expect(name);
        let forgotten = || fs::remove_dir_all(machine.root.path().join("state")).expect("a record");
        forgotten();
        let written = fs::read_to_string(&file).expect("a file");
        fs::write(&file, written.clone() + edit).expect("written");
        for result in [machine.install(name, Scope::Project), machine.uninstall(name, Scope::Project)] {
            let error = result.expect_err("it was edited").to_string();
            assert!(error.contains("was edited, or written by another version of becket"), "{error}");
            assert_eq!(fs::read_to_string(&file).expect("a file"), written.clone() + edit);
        }
        machine.install_as(name, Scope::Project, &Installation { repair: true, ..WANTED }).expect(name);
        forgotten();
        let other = Installation { program: "/usr/bin/becket", ..WANTED };
        assert!(machine.install_as(name, Scope::Project, &other).expect(name));
        forgotten();
        assert!(machine.uninstall(name, Scope::Project).expect(name));
        let left: Vec<_> = machine.tree().into_keys().filter(|path| path.is_file()).collect();
        assert!(left.is_empty() && before.keys().all(|path| path.exists()), "{left:?}");
    }
}

/// A file, a part of it that is written otherwise, and the difference that follows.
const GUTTED: [(&str, &str, &str, &str, EntryDifference); 14] = [
    (
        "gemini",
        ".gemini/settings.json",
        "\"matcher\": \"*\"",
        "\"matcher\": \"write_file\"",
        EntryDifference::Keys,
    ),
    (
        "gemini",
        ".gemini/settings.json",
        "\"type\": \"command\"",
        "\"type\": \"command\", \"async\": true",
        EntryDifference::Keys,
    ),
    ("gemini", ".gemini/settings.json", "\"timeout\": 60000", "\"timeout\": 1", EntryDifference::Limit),
    ("gemini", ".gemini/settings.json", "shift 3;", "exit 0;", EntryDifference::Command),
    (
        "gemini",
        ".gemini/settings.json",
        " --installed",
        " --settings x --installed",
        EntryDifference::Command,
    ),
    (
        "gemini",
        ".gemini/settings.json",
        " fire --dialect",
        " --settings x fire --dialect",
        EntryDifference::Command,
    ),
    ("gemini", ".gemini/settings.json", "--dialect gemini", "--dialect codex", EntryDifference::Command),
    ("gemini", ".gemini/settings.json", "--within 55", "--within 60", EntryDifference::Limit),
    (
        "gemini",
        ".gemini/settings.json",
        "\"SessionStart\": [",
        "\"BeforeTool\": [], \"SessionStart\": [",
        EntryDifference::Keys,
    ),
    ("cursor", ".cursor/hooks.json", "\"failClosed\": true", "\"failClosed\": false", EntryDifference::Keys),
    ("windsurf", ".windsurf/hooks.json", "--within 25", "--within 99", EntryDifference::Limit),
    ("cline", ".clinerules/hooks/PreToolUse", "\nexec ", "\nexit 0\nexec ", EntryDifference::Text),
    (
        "opencode",
        ".opencode/plugins/becket.js",
        "const LIMIT = 60000",
        "const LIMIT = 1",
        EntryDifference::Limit,
    ),
    ("opencode", ".opencode/plugins/becket.js", "if (answer.decision)", "if (false)", EntryDifference::Text),
];

#[test]
fn an_entry_that_would_let_calls_pass_differs_from_the_one_that_becket_writes() {
    for (name, path, from, to, difference) in GUTTED {
        let machine = Machine::new();
        machine.install(name, Scope::Project).expect(name);
        let changed = || {
            let found = status(agent(name).expect("an agent"), &machine.places, &machine.records());
            found.files.into_iter().flat_map(|file| file.changed).collect::<Vec<_>>()
        };
        assert_eq!(changed(), [], "{name}");
        let file = machine.root.path().join("project").join(path);
        let written = fs::read_to_string(&file).expect("a file");
        let edited = written.replacen(from, to, 1);
        assert!(edited != written, "{name}: {from}");
        fs::write(&file, edited).expect("written");
        assert!(changed().iter().any(|entry| entry.difference == difference), "{name} {to}: {:?}", changed());
        // A key that occurs twice is the user's to correct.
        if !to.contains("[], ") {
            machine.install_as(name, Scope::Project, &Installation { repair: true, ..WANTED }).expect(name);
            assert_eq!(changed(), [], "{name}: {to}");
            assert_eq!(fs::read_to_string(&file).expect("a file"), written, "{name}: {to}");
        }
    }
    let machine = Machine::new();
    for (name, scope) in all() {
        let longest = Some(Duration::from_secs(700));
        let wanted = Installation { longest, exec_rewrite: true, more: &EventKind::ALL, ..WANTED };
        machine.install_as(name, scope, &wanted).expect(name);
        let found = status(agent(name).expect("an agent"), &machine.places, &machine.records());
        assert!(found.files.iter().all(|file| file.changed.is_empty()), "{name}: {found:?}");
    }
}

#[test]
fn an_entry_of_toml_or_yaml_with_another_key_differs() {
    for (name, path, key) in [
        ("kimi", "home/.kimi-code/config.toml", "matcher = \"x\"\ntimeout"),
        ("hermes", "home/.hermes/config.yaml", "matcher: x\n      timeout"),
    ] {
        let machine = Machine::new();
        machine.install(name, Scope::User).expect(name);
        let file = machine.root.path().join(path);
        let text = fs::read_to_string(&file).expect("a file").replacen("timeout", key, 1);
        fs::write(&file, text).expect("written");
        let found = status(agent(name).expect("an agent"), &machine.places, &machine.records());
        let differences: Vec<_> = found.files[0].changed.iter().map(|entry| entry.difference).collect();
        assert_eq!(differences, [EntryDifference::Keys], "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_script_that_cant_be_executed_is_named_and_repaired() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new();
    machine.install("cline", Scope::Project).expect("installed");
    let written = machine.tree();
    let script = machine.root.path().join("project/.clinerules/hooks/PreToolUse");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o644)).expect("a mode");
    let found = status(agent("cline").expect("an agent"), &machine.places, &machine.records());
    let changed = &found.files[0].changed;
    assert!(changed.len() == 1 && changed[0].event.name == "PreToolUse", "{changed:?}");
    assert_eq!(changed[0].difference, EntryDifference::Mode);
    assert!(machine.install("cline", Scope::Project).expect("repaired"));
    assert_eq!(machine.tree(), written);
}

#[test]
fn a_group_with_an_edited_matcher_leaves_nothing() {
    let machine = Machine::new();
    let file = machine.write("home/.gemini/settings.json", "{\n  \"a\": 1\n}\n");
    let before = machine.tree();
    machine.install("gemini", Scope::User).expect("installed");
    let text = fs::read_to_string(&file).expect("a file").replace("\"matcher\": \"*\"", "\"matcher\": \"x\"");
    fs::write(&file, text).expect("written");
    machine.uninstall("gemini", Scope::User).expect("removed");
    assert_eq!(machine.tree(), before);
}

#[cfg(unix)]
#[test]
fn a_project_that_moved_and_a_home_behind_a_link_leave_nothing() {
    let mut machine = Machine::new();
    for name in ["gemini", "cline"] {
        machine.install(name, Scope::Project).expect(name);
    }
    let moved = machine.root.path().join("moved");
    fs::rename(machine.root.path().join("project"), &moved).expect("a move");
    let old = machine.places.clone();
    machine.places.project = Some(moved.clone());
    for name in ["gemini", "cline"] {
        machine.uninstall(name, Scope::Project).expect(name);
    }
    assert_eq!(fs::read_dir(&moved).expect("a project").count(), 0);
    machine.places = old;
    for name in ["gemini", "cline"] {
        machine.uninstall(name, Scope::Project).expect(name);
    }
    assert!(machine.records().files().is_empty());
    let home = machine.root.path().join("home");
    machine.install("gemini", Scope::User).expect("installed");
    let link = machine.root.path().join("link");
    std::os::unix::fs::symlink(&home, &link).expect("a link");
    machine.places.home = Some(link);
    let found = status(agent("gemini").expect("an agent"), &machine.places, &machine.records());
    assert!(!found.files[0].is_unrecorded, "{found:?}");
    machine.uninstall("gemini", Scope::User).expect("removed");
    assert_eq!(fs::read_dir(&home).expect("a home").count(), 0);
    assert!(machine.records().files().is_empty());
}

#[test]
fn the_directory_of_the_record_goes_with_it_even_if_a_killed_installation_made_it() {
    let machine = Machine::new();
    machine.write("state/installed.lock", "");
    machine.install("gemini", Scope::User).expect("installed");
    machine.uninstall("gemini", Scope::User).expect("removed");
    assert!(!machine.root.path().join("state").exists());
}
