//! examples/guarded-repo, as README shows it.

use crate::{env, workspace};
use becket_testkit::env::TestEnv;
use std::process::Command;

/// A copy in a git repository of its own, so that its output does not depend on Becket's.
pub(crate) fn copied() -> (TestEnv, std::path::PathBuf) {
    let env = env();
    let copy = env.copy(&workspace().join("examples/guarded-repo"), "project/examples/guarded-repo");
    let made = Command::new("git").args(["init", "-q", "-b", "topic"]).arg(env.project()).status();
    assert!(made.expect("git is there").success());
    (env, copy)
}

const FORCE_PUSH: [&str; 8] = [
    "-C",
    "examples/guarded-repo",
    "fire",
    "PreToolUse",
    "--tool",
    "Bash",
    "--input",
    r#"{"command":"git push --force origin main"}"#,
];

#[test]
fn three_hooks_of_different_sources_work_and_the_push_is_denied() {
    let (env, _) = copied();
    let ended = env.becket(FORCE_PUSH).run();
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let shown: Vec<&str> = ended.stdout.lines().filter(|line| line.ends_with(" ms")).collect();
    let sources: Vec<&str> = shown.iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(sources, ["project", "plugin:repo-context@guarded-repo", "plugin:secret-guard@guarded-repo"]);
    assert!(ended.stderr.contains("force-push to the protected branch `main`"), "{ended:?}");
}

#[test]
fn its_configuration_has_nothing_wrong() {
    let (env, _) = copied();
    let ended = env.becket(["-C", "examples/guarded-repo", "check", "--deny", "warnings"]).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stdout);
}

#[test]
fn its_own_tests_pass() {
    let (_env, copy) = copied();
    let mut command = Command::new("python3");
    command.args(["-m", "unittest", "discover", "-s", "tests"]).current_dir(copy);
    let output = command.env("PYTHONDONTWRITEBYTECODE", "1").output().expect("python3 is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_output_in_the_readme_is_real() {
    let (env, _) = copied();
    let real = env.redacted(&env.becket(FORCE_PUSH).run().stdout);
    let readme = std::fs::read_to_string(workspace().join("README.md")).expect("README.md is there");
    let shown = readme.split("```console\n").nth(1).and_then(|rest| rest.split("```").next());
    let shown = shown.and_then(|block| block.split_once('\n')).expect("README.md holds a console block").1;
    snapbox::assert_data_eq!(env.redacted(shown), snapbox::Data::text(real).raw());
}
