//! `becket init`: from a fresh repository to a force-push that is denied.

use crate::guards::{done, refused};
use crate::tmux::Terminal;
use crate::{env, env_with};
use becket_testkit::env::TestEnv;
use becket_testkit::files::tree;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// Creates a fresh repository of a small program with tests.
fn repository() -> TestEnv {
    let env = env();
    env.write("project/Makefile", "test:\n\t@true\n");
    let git = Command::new("git")
        .args(["init", "--quiet", "-b", "trunk", "."])
        .current_dir(env.project())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .status();
    assert!(git.expect("git is there").success());
    env
}

const PUSH: [&str; 6] =
    ["fire", "PreToolUse", "--tool", "Bash", "--input", r#"{"command": "git push --force origin topic"}"#];

#[test]
fn a_fresh_repository_is_guarded_at_once() {
    let env = repository();
    let shown = env.becket(["init", "--yes"]).env("COLUMNS", "60").run().stdout;
    assert!(
        shown.contains("tests            make test") && shown.contains("shared branches  trunk"),
        "{shown}"
    );
    assert!(shown.contains("try it:\n  becket check\n  becket test\n  becket fire PreToolUse"), "{shown}");
    // A line that is copied is not wrapped.
    assert!(
        shown.contains("PreToolUse --tool Bash --input '{\"command\": \"git push --force origin main\"}'\n"),
        "{shown}"
    );
    assert_eq!(done(&env, &["check", "--deny", "warnings"]), "nothing wrong in 1 file\n");
    let tested = done(&env, &["test"]);
    assert!(!tested.contains("failed") && !tested.contains("not tested"), "{tested}");
    let fired = env.becket(PUSH).run();
    assert_eq!(fired.code, Some(2), "{fired:?}");
    assert!(fired.stdout.contains("A force-push overwrites the commits of others"), "{fired:?}");
    let trunk = env.becket([
        "fire",
        "PreToolUse",
        "--tool",
        "Bash",
        "--set",
        "tool_input.command=git push origin trunk",
    ]);
    assert_eq!(trunk.run().code, Some(2));
    // The second time, there is nothing to do.
    let before = tree(&env.project());
    assert!(done(&env, &["init", "--yes"]).ends_with("nothing to do\n"));
    assert_eq!(tree(&env.project()), before);
}

#[test]
fn the_templates_build_on_each_other() {
    let env = repository();
    let guards = |template: &str| {
        let env = repository();
        done(&env, &["init", "--yes", "--template", template]);
        assert_eq!(done(&env, &["check", "--deny", "warnings"]), "nothing wrong in 1 file\n");
        done(&env, &["add", "--list"]).matches(" added ").count()
    };
    assert_eq!((guards("minimal"), guards("standard"), guards("strict")), (3, 7, 11));
    fs::remove_file(env.project().join("Makefile")).expect("a file");
    let ended = env.becket(["init", "--yes"]).run();
    assert!(ended.stderr.contains("`tests-before-stop` is left out"), "{ended:?}");
    assert_eq!(done(&env, &["add", "--list"]).matches(" added ").count(), 6);
}

#[test]
fn settings_that_are_there_stay() {
    let settings = "{\n    \"model\": \"x\",\n    \"permissions\": {\"deny\": [\"WebFetch\"]}\n}\n";
    let env = env_with(settings);
    done(&env, &["init", "--yes", "--template", "minimal"]);
    let text = fs::read_to_string(env.project().join(".claude/settings.json")).expect("settings");
    assert!(
        text.starts_with("{\n    \"model\": \"x\",\n    \"permissions\": {\"deny\": [\"WebFetch\", "),
        "{text}"
    );
    done(&env, &["remove", "protected-branches", "destructive-commands", "secrets", "--yes"]);
    let left = fs::read_to_string(env.project().join(".claude/settings.json")).expect("settings");
    assert_eq!(left, settings);
}

#[test]
fn where_nothing_can_be_written_nothing_is() {
    let env = repository();
    let unasked = refused(&env, &["init"], 2);
    assert!(unasked.contains("Pass `--yes`") && unasked.contains("--template"), "{unasked}");
    assert!(done(&env, &["init", "--dry-run"]).contains("+++ .claude/settings.json"));
    fs::set_permissions(env.project(), Permissions::from_mode(0o555)).expect("a mode");
    let read_only = refused(&env, &["init", "--yes"], 1);
    fs::set_permissions(env.project(), Permissions::from_mode(0o755)).expect("a mode");
    assert!(read_only.contains("is read-only"), "{read_only}");
    let home = env.becket(["init", "--yes"]).dir(&env.root().join("home")).run();
    assert!(home.code == Some(1) && home.stderr.contains("this is your home directory"), "{home:?}");
    assert!(!env.root().join("home/.claude").exists());
    let wrong = refused(&env, &["init", "--template", "none"], 2);
    assert!(wrong.contains("minimal"), "{wrong}");
}

#[test]
fn a_person_answers_four_questions() {
    let env = repository();
    let terminal = Terminal::new(&env);
    terminal.types(&terminal.becket("init"));
    let template = terminal.screen_with(|screen| screen.contains("Which guards do you want to begin with?"));
    assert!(template.contains("standard: protected-branches"), "{template}");
    terminal.presses(&["Enter"]);
    terminal.screen_with(|screen| screen.contains("Branches that no agent pushes to:"));
    terminal.presses(&["trunk release/*", "Enter"]);
    terminal.screen_with(|screen| screen.contains("runs the tests:") && screen.contains("make test"));
    terminal.presses(&["Enter"]);
    terminal.screen_with(|screen| screen.contains("Make these changes?"));
    assert!(!env.project().join(".claude").exists(), "nothing is written before it is agreed to");
    terminal.presses(&["y", "Enter"]);
    let ended = terminal.screen_with(|screen| screen.contains("try it:") && screen.contains("ended 0"));
    assert!(ended.contains("becket test"), "{ended}");
    let branches = env.project().join(".claude/hooks/protected-branches/branches.txt");
    assert_eq!(fs::read_to_string(branches).expect("a list"), "trunk\nrelease/*\n");
    assert_eq!(done(&env, &["check"]), "nothing wrong in 1 file\n");
}
