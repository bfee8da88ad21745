//! examples/guarded-repo, as the README shows it.

use crate::docs_page::text_of;
use crate::tmux::Terminal;
use crate::{env, workspace};
use becket_testkit::env::TestEnv;
use std::process::Command;

/// Returns a copy in a separate git repository, so that its output does not depend on Becket's; the folder is not
/// trusted.
pub(crate) fn copied() -> (TestEnv, std::path::PathBuf) {
    let env = env();
    env.write("home/.claude.json", "{}");
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
    assert_eq!(sources, ["project", "plugin:repo-context", "plugin:secret-guard"]);
    assert!(ended.stderr.contains("force-push to the protected branch `main`"), "{ended:?}");
}

#[test]
fn its_configuration_has_nothing_wrong() {
    let (env, _) = copied();
    let ended = env.becket(["-C", "examples/guarded-repo", "check", "--deny", "warnings"]).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stdout);
}

// rules: E1, E3, E4
#[cfg(target_os = "linux")]
#[test]
fn a_push_is_refused_from_a_makefile_a_script_and_an_alias() {
    let (env, _) = copied();
    let line = "-C examples/guarded-repo run --trust-project --allowed-tools Bash --model script:release.json -p release";
    // The model's script names the output that each call has to print, with the programs that led to the push.
    let ended = env.becket(line.split(' ')).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("the release is yours to push"), "{ended:?}");
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
    snapbox::assert_data_eq!(env.redacted(&shown_in_the_readme(1)), snapbox::Data::text(real).raw());
}

/// Returns the output in the README's console block with that number.
fn shown_in_the_readme(block: usize) -> String {
    let readme = std::fs::read_to_string(workspace().join("README.md")).expect("README.md is there");
    let shown = readme.split("```console\n").nth(block).and_then(|rest| rest.split("```").next());
    shown.and_then(|block| block.split_once('\n')).expect("README.md holds such a block").1.to_owned()
}

#[test]
fn the_run_in_the_readme_is_real_where_it_is_not_shortened() {
    let (env, _) = copied();
    let terminal = Terminal::new(&env);
    let line = "-C examples/guarded-repo run --trust-project --model script:demo.json -p \"tidy up\"";
    let screen = terminal.screen_after(&terminal.becket(line));
    assert!(screen.contains("ended 0"), "{screen}");
    let real = env.redacted(&text_of(&screen));
    let shown = env.redacted(&shown_in_the_readme(2));
    let mut rest = real.lines();
    let mut may_skip = false;
    for shown in shown.lines() {
        if shown == "…" {
            may_skip = true;
            continue;
        }
        // The end of the last line is left out, since it differs between runs.
        let (begins, ends) = shown.split_once('…').unwrap_or((shown, ""));
        let is_it = |line: &&str| {
            line.starts_with(begins) && (begins != shown || *line == shown) && line.ends_with(ends)
        };
        let found = if may_skip { rest.find(is_it) } else { rest.next().filter(is_it) };
        assert!(found.is_some(), "README shows `{shown}`, which is not seen there: {real}");
        may_skip = false;
    }
}
