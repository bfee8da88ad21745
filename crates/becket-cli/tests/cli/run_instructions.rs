//! Instruction files of a run, depending on the command line.

use crate::run::{run, scripted};
use serde_json::json;

const USER: &str = "WORD OF THE USER";
const PROJECT: &str = "WORD OF THE PROJECT";
const LOCAL: &str = "WORD OF THIS MACHINE";

/// Returns true if the model of a run with these arguments receives a text, or any of its kind.
fn is_told(arguments: &[&str], text: &str) -> bool {
    let env = scripted(&json!({}), &json!([{"text": "told", "expect": [text]}]));
    env.write("home/.claude/CLAUDE.md", USER);
    env.write("project/CLAUDE.md", PROJECT);
    env.write("project/CLAUDE.local.md", LOCAL);
    let ended = run(&env, &[&["-p", "hi"], arguments].concat()).run();
    // The script fails if a text is missing: that is the only other outcome.
    assert!(ended.stdout == "told\n" || ended.stderr.contains(text), "{ended:?}");
    ended.code == Some(0)
}

// rule: C4
#[test]
fn sources_and_a_bare_start_say_which_files_are_told() {
    for (arguments, user, project, local) in [
        (&[][..], true, true, true),
        (&["--setting-sources", "user"], true, false, false),
        (&["--setting-sources", "project,local"], false, true, true),
        (&["--setting-sources", "local"], false, false, true),
        (&["--bare"], false, false, false),
    ] {
        let told = [USER, PROJECT, LOCAL].map(|text| is_told(arguments, text));
        assert_eq!(told, [user, project, local], "{arguments:?}");
    }
}

#[test]
fn what_is_left_out_is_told_on_stderr() {
    let env = scripted(&json!({}), &json!([{"text": "done"}]));
    env.write("secret.md", "SECRET");
    env.write("project/CLAUDE.md", "see @../secret.md");
    let ended = run(&env, &["-p", "hi"]).run();
    assert_eq!(ended.code, Some(0));
    assert!(ended.stderr.contains("secret.md` is left out: it lies outside of the project"), "{ended:?}");
}
