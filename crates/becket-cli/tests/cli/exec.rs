//! `exec`: the rules in force, and the exit codes. `becket-exec` contains the tests of enforcement.

use crate::{env, env_with};
use becket_testkit::env::{ProgramOutput, TestEnv};
use serde_json::json;

fn rules() -> String {
    json!({"permissions": {"deny": ["Bash(touch *denied*)"], "ask": ["Bash(touch *asked*)"]}}).to_string()
}

fn exec(env: &TestEnv, options: &[&str], line: &str) -> ProgramOutput {
    env.becket([&["exec"], options, &["--", "sh", "-c", line]].concat()).run()
}

// rules: E1, E3
#[test]
fn the_rules_of_the_settings_are_in_force() {
    let env = env_with(&rules());
    let ended = exec(&env, &[], "touch denied-1; echo $?; touch other && echo other");
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "126\nother\n"), "{ended:?}");
    let line = "becket: `touch denied-1` was not run: denied by the rule `Bash(touch *denied*)` of project \
                (.claude/settings.json:1); run by sh → touch\n";
    assert_eq!(ended.stderr, line);
    assert!(!env.project().join("denied-1").exists());
}

// rule: E1
#[test]
fn rules_in_the_arguments_are_used_instead() {
    let env = env_with(&rules());
    let ended = exec(&env, &["--deny", "Bash(ls *)"], "touch denied-1; ls; echo $?");
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "126\n"), "{ended:?}");
    assert!(ended.stderr.contains("denied by the rule `Bash(ls *)` of `--deny`"), "{ended:?}");
    env.write("project/more.json", json!({"permissions": {"deny": ["Bash(ls)"]}}).to_string());
    let ended = exec(&env, &["--rules", "more.json"], "touch denied-2; exec ls");
    assert_eq!(ended.code, Some(126), "{ended:?}");
    assert!(ended.stderr.contains("(more.json:1)") && env.project().join("denied-2").exists(), "{ended:?}");
}

// rule: E1
#[test]
fn managed_rules_always_count() {
    let env = env();
    env.write("managed/managed-settings.json", rules());
    let managed = env.root().join("managed").display().to_string();
    let ended = exec(&env, &["--managed-dir", &managed, "--deny", "Bash(ls *)"], "touch denied-1; echo $?");
    assert_eq!(ended.stdout, "126\n", "{ended:?}");
}

// rule: E4
#[test]
fn without_a_terminal_an_ask_is_a_denial() {
    let env = env_with(&rules());
    let ended = exec(&env, &[], "touch asked-1; echo $?");
    assert_eq!(ended.stdout, "126\n", "{ended:?}");
    assert!(ended.stderr.contains("asks first, and there is nobody to ask"), "{ended:?}");
    assert!(!env.project().join("asked-1").exists());
}

// rule: E2
#[test]
fn where_nothing_is_run_the_exit_code_is_125() {
    let env = env();
    env.write("project/broken.json", r#"{"permissions": {"deny": ["Bash(ls"]}}"#);
    let run = |arguments: &[&str]| env.becket(["exec"].iter().chain(arguments)).run();
    for (arguments, why) in [
        (&["--deny", "Bash(ls", "--", "touch", "x"][..], "`Bash(ls`"),
        (&["--deny", "Bash(rm {a,b})", "--", "touch", "x"], "write one rule for each: `Bash(rm a)`"),
        (&["--ask", "Edit(~root/**)", "--", "touch", "x"], "write `Edit(//root/**)`; nothing was run"),
        (&["--deny", "Bash(cd a && ls)", "--", "touch", "x"], "each command of a line is judged by itself"),
        (&["--rules", "missing.json", "--", "touch", "x"], "missing.json"),
        (&["--rules", "broken.json", "--", "touch", "x"], "nothing was run"),
        (&["--", "no-such-program"], "nothing was run: there is no program `no-such-program`"),
        (&["touch", "x"], "--help"),
        (&["--denny", "Bash(ls)", "--", "touch", "x"], "--deny"),
        (&["-C", "missing", "--", "touch", "x"], "missing"),
    ] {
        let ended = run(arguments);
        assert_eq!(ended.code, Some(125), "{arguments:?}: {ended:?}");
        assert!(ended.stderr.contains(why), "{arguments:?}: {ended:?}");
        assert!(!env.project().join("x").exists(), "{arguments:?}");
    }
    for (line, code) in [("exit 3", 3), ("kill -9 $$", 137), ("true", 0)] {
        assert_eq!(exec(&env, &[], line).code, Some(code), "{line}");
    }
}
