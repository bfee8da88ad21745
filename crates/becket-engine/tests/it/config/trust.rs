//! The folder's own files and those of its user: local settings files in every form that a clone or an archive can give
//! them, and handlers and variables of a folder that is not trusted.

use crate::config::support::{Machine, one};
use becket_engine::config::{Config, NestedFolder, RuleList, Trust, lint, load, resolve};
use becket_model::{EventKind, Privileges, Source};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command as Process;

const GRANTS: &str =
    r#"{"permissions": {"allow": ["Bash"], "deny": ["Read"], "defaultMode": "acceptEdits"}}"#;
const LOCAL: &str = "project/.claude/settings.local.json";

fn git(directory: &Path, args: &[&str]) {
    let mut git = Process::new("git");
    git.arg("-C").arg(directory).args(["-c", "user.name=a", "-c", "user.email=a@b"]);
    git.args(["-c", "protocol.file.allow=always"]).args(args);
    let output = git.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Creates a repository of all existing files, all of them tracked, and clones it to `project`.
fn cloned(machine: &Machine, from: &str) {
    let from = machine.path(from);
    git(&from, &["init", "-q"]);
    git(&from, &["add", "-A", "-f"]);
    git(&from, &["commit", "-qm", "x"]);
    std::fs::remove_dir_all(machine.path("project")).unwrap();
    let (from, to) = (from.to_str().unwrap().to_owned(), machine.path("project"));
    git(&machine.path(""), &["clone", "-q", "--recurse-submodules", &from, to.to_str().unwrap()]);
}

/// Creates a repository in `project` in which the local file is not tracked.
fn own(machine: &Machine) {
    machine.write("project/readme", "x");
    git(&machine.path("project"), &["init", "-q"]);
    git(&machine.path("project"), &["add", "readme"]);
    git(&machine.path("project"), &["commit", "-qm", "x"]);
    machine.write(LOCAL, GRANTS);
}

fn untrusted_in(machine: &Machine, start: &str) -> Config {
    let mut request = machine.request();
    request.start = machine.path(start);
    request.trust = Trust::default().this_folder_trusted(false);
    resolve(&load(&request))
}

fn grants(config: &Config) -> bool {
    let lists: Vec<RuleList> = config.permissions.iter().map(|rule| rule.list).collect();
    assert!(lists.contains(&RuleList::Deny), "a deny rule always counts");
    let counts = lists.contains(&RuleList::Allow);
    assert_eq!(config.default_mode.is_some(), counts);
    let named = config.diagnostics.iter().filter(|finding| finding.code == "withheld-untrusted").count();
    assert_eq!(named, if counts { 0 } else { 2 }, "each is named once");
    counts
}

/// Creates a folder of a given form.
type Shape = fn(&Machine);

fn hold(shapes: &[(&str, Shape)]) {
    for (name, shape) in shapes {
        let machine = Machine::new();
        shape(&machine);
        assert!(!grants(&untrusted_in(&machine, "project")), "{name}");
        let trusted = resolve(&load(&machine.request()));
        assert_eq!(trusted.permissions.len(), 2, "{name}: all of it counts in a trusted folder");
    }
}

// rule: G3
#[test]
fn a_local_file_that_is_reached_by_a_link_or_a_submodule_is_held_back() {
    hold(&[
        ("its directory is a link", |machine| {
            machine.write("from/cfg/settings.local.json", GRANTS);
            symlink("cfg", machine.path("from/.claude")).unwrap();
            cloned(machine, "from");
        }),
        ("it is a link in its folder", |machine| {
            machine.write("from/cfg.json", GRANTS);
            std::fs::create_dir_all(machine.path("from/.claude")).unwrap();
            symlink("../cfg.json", machine.path("from/.claude/settings.local.json")).unwrap();
            cloned(machine, "from");
        }),
        ("it is a link out of its folder, and not tracked", |machine| {
            own(machine);
            std::fs::remove_file(machine.path(LOCAL)).unwrap();
            symlink(machine.write("elsewhere.json", GRANTS), machine.path(LOCAL)).unwrap();
        }),
        ("its directory is a submodule", |machine| {
            machine.write("sub/settings.local.json", GRANTS);
            git(&machine.path("sub"), &["init", "-q"]);
            git(&machine.path("sub"), &["add", "-A"]);
            git(&machine.path("sub"), &["commit", "-qm", "x"]);
            std::fs::create_dir_all(machine.path("from")).unwrap();
            git(&machine.path("from"), &["init", "-q"]);
            let sub = machine.path("sub");
            git(&machine.path("from"), &["submodule", "--quiet", "add", sub.to_str().unwrap(), ".claude"]);
            cloned(machine, "from");
        }),
        ("its directory is another clone", |machine| {
            own(machine);
            git(&machine.path("project/.claude"), &["init", "-q"]);
        }),
        ("its directory is a submodule in the index alone", |machine| {
            own(machine);
            let id = format!("160000,{},.claude", "1".repeat(40));
            git(&machine.path("project"), &["update-index", "--add", "--cacheinfo", &id]);
        }),
        ("its directory was a link, and was replaced", |machine| {
            machine.write("from/cfg/settings.local.json", GRANTS);
            symlink("cfg", machine.path("from/.claude")).unwrap();
            cloned(machine, "from");
            std::fs::remove_file(machine.path("project/.claude")).unwrap();
            machine.write(LOCAL, GRANTS);
        }),
        ("a tracked file has it as its second name", |machine| {
            own(machine);
            std::fs::hard_link(machine.path(LOCAL), machine.path("project/other")).unwrap();
            git(&machine.path("project"), &["add", "other"]);
        }),
    ]);
}

// rule: G3
#[test]
fn a_local_file_that_the_index_has_in_any_way_is_held_back() {
    fn tracked(machine: &Machine, then: &[&[&str]]) {
        own(machine);
        git(&machine.path("project"), &["add", "-f", ".claude/settings.local.json"]);
        then.iter().for_each(|args| git(&machine.path("project"), args));
    }
    hold(&[
        ("skip-worktree", |machine| {
            tracked(machine, &[&["update-index", "--skip-worktree", ".claude/settings.local.json"]]);
        }),
        ("assume-unchanged", |machine| {
            tracked(machine, &[&["update-index", "--assume-unchanged", ".claude/settings.local.json"]]);
        }),
        ("a split index", |machine| tracked(machine, &[&["update-index", "--split-index"]])),
        ("a split index that does not track it", |machine| {
            own(machine);
            git(&machine.path("project"), &["update-index", "--split-index"]);
        }),
        ("another case, where the file system tells none apart", |machine| {
            own(machine);
            let id = format!("100644,{},.Claude/SETTINGS.local.json", "1".repeat(40));
            git(&machine.path("project"), &["update-index", "--add", "--cacheinfo", &id]);
        }),
        ("characters that file systems skip or fold", |machine| {
            own(machine);
            let id = format!("100644,{},.cl\u{200c}aude/\u{17f}ettings.local.json", "1".repeat(40));
            git(&machine.path("project"), &["update-index", "--add", "--cacheinfo", &id]);
        }),
        ("a worktree of a repository that tracks it", |machine| {
            machine.write("from/.claude/settings.local.json", GRANTS);
            git(&machine.path("from"), &["init", "-q"]);
            git(&machine.path("from"), &["add", "-A", "-f"]);
            git(&machine.path("from"), &["commit", "-qm", "x"]);
            std::fs::remove_dir_all(machine.path("project")).unwrap();
            git(&machine.path("from"), &["worktree", "add", "-q", machine.path("project").to_str().unwrap()]);
        }),
    ]);
}

// rule: G3
#[test]
fn a_local_file_that_no_repository_tells_apart_is_held_back() {
    fn other_repository(machine: &Machine) {
        machine.write("mine/readme", "x");
        git(&machine.path("mine"), &["init", "-q"]);
        git(&machine.path("mine"), &["add", "-A"]);
        machine.write(LOCAL, GRANTS);
    }
    hold(&[
        ("no git", |machine| drop(machine.write(LOCAL, GRANTS))),
        ("an empty .git", |machine| {
            machine.write(LOCAL, GRANTS);
            std::fs::create_dir_all(machine.path("project/.git")).unwrap();
        }),
        ("a .git with nothing but a HEAD", |machine| {
            machine.write(LOCAL, GRANTS);
            machine.write("project/.git/HEAD", "ref: refs/heads/main\n");
        }),
        ("a bare repository that lies about", |machine| {
            machine.write(LOCAL, GRANTS);
            git(&machine.path("project"), &["init", "-q", "--bare", "."]);
        }),
        ("a .git file that borrows another repository", |machine| {
            other_repository(machine);
            machine.write("project/.git", format!("gitdir: {}\n", machine.path("mine/.git").display()));
        }),
        ("a .git file that leads nowhere", |machine| {
            machine.write(LOCAL, GRANTS);
            machine.write("project/.git", "gitdir: /nowhere/.git\n");
        }),
        ("a .git that is a link to another repository", |machine| {
            other_repository(machine);
            symlink(machine.path("mine/.git"), machine.path("project/.git")).unwrap();
        }),
        ("its directory is a link to the user's", |machine| {
            machine.write("home/.claude/settings.local.json", GRANTS);
            std::fs::remove_dir_all(machine.path("project/.claude")).unwrap();
            symlink("../home/.claude", machine.path("project/.claude")).unwrap();
        }),
    ]);
}

// rule: G3
#[test]
fn a_local_file_of_its_users_own_counts() {
    let shapes: &[(&str, &str, Shape)] = &[
        ("in a repository", "project", own),
        ("below its root", "project/below", |machine| {
            own(machine);
            machine.write("project/below/x", "x");
        }),
        ("in a worktree", "tree", |machine| {
            own(machine);
            git(&machine.path("project"), &["worktree", "add", "-q", "../tree"]);
            machine.write("tree/.claude/settings.local.json", GRANTS);
        }),
        ("in a submodule", "project/sub", |machine| {
            own(machine);
            machine.write("other/readme", "x");
            git(&machine.path("other"), &["init", "-q"]);
            git(&machine.path("other"), &["add", "-A"]);
            git(&machine.path("other"), &["commit", "-qm", "x"]);
            let other = machine.path("other");
            git(&machine.path("project"), &["submodule", "--quiet", "add", other.to_str().unwrap(), "sub"]);
            machine.write("project/sub/.claude/settings.local.json", GRANTS);
        }),
        ("in the home directory", "home", |machine| {
            machine.write("home/.claude/settings.local.json", GRANTS);
        }),
    ];
    for (name, start, shape) in shapes {
        let machine = Machine::new();
        shape(&machine);
        assert!(grants(&untrusted_in(&machine, start)), "{name}");
    }
}

// rule: G3
#[test]
fn handlers_of_a_folder_without_trust_may_not_grant_and_others_may() {
    let machine = Machine::new();
    for source in ["user", "project", "local"] {
        machine.settings(source, one("PreToolUse", source));
    }
    let privileges = |config: &Config| -> Vec<Privileges> {
        config.hooks.of(EventKind::PreToolUse).iter().map(|handler| handler.place.privileges).collect()
    };
    let (full, untrusted) = (Privileges::Full, Privileges::Untrusted);
    assert_eq!(privileges(&untrusted_in(&machine, "project")), [full, untrusted, untrusted]);
    assert_eq!(privileges(&machine.config()), [full, full, full]);
    own(&machine);
    machine.settings("local", one("PreToolUse", "local"));
    assert_eq!(privileges(&untrusted_in(&machine, "project")), [full, untrusted, full]);
}

// rule: H3
#[test]
fn a_handler_sees_variables_of_sources_that_are_trusted_as_much_as_its_own() {
    let machine = Machine::new();
    let mut request = machine.request();
    for source in ["managed", "user", "project", "local"] {
        machine.settings(source, format!(r#"{{"env": {{"PATH": "{source}", "{source}": "1"}}}}"#));
    }
    let flag = r#"{"env": {"PATH": "flag", "flag": "1"}}"#;
    request.flag = Some(becket_engine::config::FlagSettings::Text(flag.to_owned()));
    let (plugin, skill) = (|| Source::Plugin("p".into()), || Source::Skill("s".into()));
    let seen = |config: &Config, source: &Source| -> String {
        let seen = config.settings_env.seen_by(source).into_iter();
        seen.map(|(name, value)| if name == "PATH" { format!("={value}") } else { name })
            .collect::<Vec<_>>()
            .join(" ")
    };
    let config = resolve(&load(&request));
    for (source, expected) in [
        (Source::Policy, "=managed managed"),
        (Source::Callback, "=managed managed"),
        (Source::Flag, "=managed flag managed"),
        (Source::User, "=managed flag managed user"),
        (Source::Local, "=managed flag local managed user"),
        (Source::Project, "=managed flag local managed project user"),
        (plugin(), "=managed flag local managed project user"),
        (skill(), "=managed flag local managed project user"),
    ] {
        assert_eq!(seen(&config, &source), expected, "{source}");
    }
    request.trust.this_folder_trusted = false;
    let config = resolve(&load(&request));
    for source in [Source::Local, Source::Project, plugin()] {
        assert_eq!(
            seen(&config, &source),
            "=managed flag managed user",
            "{source} in a folder without trust"
        );
    }
    let named: Vec<&str> = config.diagnostics.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(named, ["`env` (`PATH` and another variable) is held back until this folder is trusted"; 2]);
}

// rules: C4, C5, G3
#[test]
fn folders_inside_of_the_project_add_up_and_grant_only_where_they_are_trusted() {
    let machine = Machine::new();
    machine.write("project/.claude/settings.json", one("PreToolUse", "outer"));
    machine.write("project/in/.claude/settings.json", one("PreToolUse", "inner"));
    machine.write("project/in/.claude/settings.local.json", GRANTS);
    for is_trusted in [false, true] {
        let mut request = machine.request();
        request.nested = vec![NestedFolder::new(machine.path("project/in"), is_trusted)];
        let config = resolve(&load(&request));
        let of: Vec<(String, Privileges)> = (config.hooks.of(EventKind::PreToolUse).iter())
            .map(|handler| (handler.place.label.to_string(), handler.place.privileges))
            .collect();
        let inner = if is_trusted { Privileges::Full } else { Privileges::Untrusted };
        assert_eq!(of, [("outer".to_owned(), Privileges::Full), ("inner".to_owned(), inner)]);
        assert_eq!(grants(&config), is_trusted);
    }
}

// rules: C4, C5, G2, G3
#[test]
fn switches_of_a_folder_inside_of_the_project_count_for_its_own_hooks_unless_it_is_trusted() {
    const SWITCH: &str = r#""disableAllHooks": true, "allowedHttpHookUrls": []"#;
    for file in ["settings.json", "settings.local.json"] {
        let machine = Machine::new();
        machine.write("project/.claude/settings.json", one("PreToolUse", "outer"));
        machine.write("project/in/.claude/settings.json", one("PreToolUse", "inner"));
        // A model can write it, and git does not track it.
        own(&machine);
        let text = match file {
            "settings.json" => one("PreToolUse", "inner").replacen('{', &format!("{{{SWITCH}, "), 1),
            _ => format!("{{{SWITCH}}}"),
        };
        machine.write(&format!("project/in/.claude/{file}"), text);
        for is_trusted in [false, true] {
            let mut request = machine.request();
            request.nested = vec![NestedFolder::new(machine.path("project/in"), is_trusted)];
            let config = resolve(&load(&request));
            let by = config.policy.disabled_by.clone();
            let source = if file == "settings.json" { Source::Project } else { Source::Local };
            assert_eq!(by, is_trusted.then_some(source), "{file} {is_trusted}");
            let folders: Vec<_> = config.policy.disabled_folders.iter().cloned().collect();
            let own = (!is_trusted).then(|| machine.path("project/in"));
            assert_eq!(folders, own.into_iter().collect::<Vec<_>>(), "{file} {is_trusted}");
            let narrows = config.policy.allowed_http_hook_urls.of(&Source::Project).next().is_some();
            assert_eq!(narrows, is_trusted, "{file} {is_trusted}");
        }
    }
}

// rules: C4, G3
#[test]
fn settings_in_the_project_are_the_projects_even_where_a_variable_calls_them_the_users() {
    let machine = Machine::new();
    machine.write("project/.claude/settings.json", one("PreToolUse", "outer"));
    machine.write("project/own/settings.json", one("PreToolUse", "own"));
    machine.write("elsewhere/settings.json", one("PreToolUse", "user"));
    let sources_of = |directory: &str, has_project: bool| -> Vec<Source> {
        let mut request = machine.request();
        request.environment = request.environment.with_var("CLAUDE_CONFIG_DIR", directory);
        request.sources.project = has_project;
        let config = resolve(&load(&request));
        config.hooks.of(EventKind::PreToolUse).iter().map(|handler| handler.place.source.clone()).collect()
    };
    let sources = |directory: &str| sources_of(directory, true);
    let path = |path: &str| machine.path(path).to_str().unwrap().to_owned();
    assert_eq!(sources(&path("elsewhere")), [Source::User, Source::Project]);
    assert_eq!(sources_of(&path("elsewhere"), false), [Source::User]);
    for directory in [path("project/own"), path("project/.claude")] {
        // Its guards are not lost, though they are not the user's.
        assert_eq!(sources_of(&directory, false), [Source::Project], "{directory}");
    }
    for directory in [path("project/own"), "own".to_owned()] {
        assert_eq!(sources(&directory), [Source::Project, Source::Project], "{directory}");
    }
    for directory in [path("project/.claude"), ".claude".to_owned(), path("project/own/../.claude")] {
        assert_eq!(sources(&directory), [Source::Project], "{directory}");
    }
}

// rule: H3
#[test]
fn a_projects_variables_that_more_trusted_commands_do_not_see_are_named() {
    let machine = Machine::new();
    let env = r#"{"env": {"PATH": "./bin", "LD_PRELOAD": "x.so", "GIT_DIR": "x", "COLOUR": "red"}}"#;
    machine.settings("project", env);
    let found = || -> Vec<String> {
        let found = lint(&load(&machine.request()));
        found.iter().filter(|one| one.code == "env-without-effect").map(|one| one.message.clone()).collect()
    };
    assert_eq!(found(), [""; 0], "nobody could expect to see them");
    machine.settings("user", one("PreToolUse", "guard"));
    let named = ["PATH", "LD_PRELOAD", "GIT_DIR"];
    assert_eq!(found(), named.map(|name| format!("`{name}` has no effect on the hooks of `user`")));
}
