//! `becket test`: its output, the positions that it reports, and the files that it writes.

use crate::{env_with, workspace};
use becket_testkit::env::{ProgramOutput, TestEnv};
use becket_testkit::proc::wait_until;
use serde_json::Value;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

const SETTINGS: &str = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/guard.sh"}
        ]
      }
    ]
  }
}"#;

const CASES: &str = r#"[[case]]
name = "danger is denied"
tool = { name = "Bash", input = { command = "danger" } }
want = { decision = "deny", reason = "no danger", by = "guard.sh" }

[[case]]
name = "the rest passes"
tool = { name = "Bash", input = { command = "ls" } }
want = { decision = "pass" }

[[case]]
name = "files are not judged"
tool = { name = "Read", input = { file_path = "danger" } }
want = { decision = "pass", skipped = "guard.sh" }
"#;

const GUARD: &str = "case $(cat) in *danger*) echo 'no danger' >&2; exit 2;; esac\n";

/// Creates a project with a guard and its cases.
fn guarded(guard: &str) -> TestEnv {
    let env = env_with(SETTINGS);
    env.write("project/guard.sh", guard);
    env.write("project/.claude/tests/guard.toml", CASES);
    env
}

fn tested(env: &TestEnv, arguments: &[&str]) -> ProgramOutput {
    env.becket([&["test"], arguments].concat()).run()
}

#[test]
fn everything_as_expected_ends_with_0_and_a_broken_guard_with_1() {
    let env = guarded(GUARD);
    let ended = tested(&env, &["--mutate"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.stdout.ends_with("3 cases: 3 passed\n12 mutants: 10 killed, 2 not applicable\n"),
        "{ended:?}"
    );
    env.write("project/guard.sh", GUARD.replace("exit 2", "exit 0"));
    let ended = tested(&env, &[]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    // The case with its line, the result, the plan, and the input and output of the hook.
    for shown in [
        "FAIL  danger is denied  .claude/tests/guard.toml:1:1",
        "decision: wanted deny",
        "seen pass",
        ".claude/settings.json:7:11",
        "\"Bash\" matches",
        "\"command\":\"danger\"",
        "stderr:\n          no danger",
        "no case has seen `guard.sh` (.claude/settings.json:7:11) deny or ask",
        "3 cases: 2 passed, 1 failed",
    ] {
        assert!(ended.stdout.contains(shown), "{shown} is missing: {}", ended.stdout);
    }
    assert!(!ended.stdout.contains("becket-case-"), "no path of the copy is shown: {}", ended.stdout);
    assert!(fs::read_dir(env.root().join("tmp")).expect("it is there").next().is_none(), "no copy is left");
}

#[test]
fn what_can_not_be_tested_ends_with_2() {
    let env = guarded(GUARD);
    env.write("project/.claude/tests/slip.toml", "[[case]]\nnmae = \"x\"\n");
    let ended = tested(&env, &[]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let said = "ERROR .claude/tests/slip.toml:2:1: `nmae` is not a key of a case; did you mean `name`?";
    assert!(ended.stdout.starts_with(said), "{ended:?}");
    for (arguments, why) in [
        (&["no such case"][..], "none of the 3 cases has `no such case`"),
        (&["--json", "--format", "junit"], "give one of them"),
        (&["--nonsense"], "unexpected argument"),
    ] {
        let env = guarded(GUARD);
        let ended = tested(&env, arguments);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains(why), "{ended:?}");
    }
    let ended = env_with(SETTINGS).becket(["test"]).run();
    assert!(ended.code == Some(2) && ended.stderr.contains("there are no cases"), "{ended:?}");
}

#[test]
fn reports_for_programs_name_the_line_of_the_settings() {
    let env = guarded(&GUARD.replace("exit 2", "exit 0"));
    let json: Value = serde_json::from_str(&tested(&env, &["--json"]).stdout).expect("it is JSON");
    assert_eq!(json["cases"][0]["result"], "failed");
    assert_eq!(json["cases"][0]["steps"][0]["mismatches"][0]["what"], "decision");
    assert_eq!(json["coverage"][0]["unproven_guard"], true);
    let schema = env.becket(["schema", "test-report"]).run();
    let schema: Value = serde_json::from_str(&schema.stdout).expect("it is JSON");
    for key in json.as_object().expect("it is an object").keys() {
        assert!(schema["properties"][key].is_object(), "the schema has `{key}`");
    }
    let sarif: Value =
        serde_json::from_str(&tested(&env, &["--format", "sarif"]).stdout).expect("it is JSON");
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], ".claude/settings.json");
    assert_eq!(place["region"]["startLine"], 7);
    let junit = tested(&env, &["--format", "junit"]);
    assert_eq!(junit.code, Some(1), "{junit:?}");
    let suite = "<testsuite name=\"cases\" tests=\"3\" skipped=\"0\" errors=\"0\" failures=\"1\">";
    assert!(junit.stdout.contains(suite), "{junit:?}");
}

#[test]
fn characters_that_xml_forbids_are_escaped_in_the_report() {
    let env =
        guarded("#!/bin/sh\ncat >/dev/null; printf 'a\\357\\277\\276b\\033[2J\\302\\233c' >&2; exit 2\n");
    let case = "[[case]]\nname = \"n\u{fffe}\u{ffff}\u{9b}\u{202e}\"\n\
                tool = { name = \"Bash\", input = { command = \"ls\" } }\nwant = { decision = \"pass\" }\n";
    env.write("project/.claude/tests/a.toml", case);
    let junit = tested(&env, &["--format", "junit"]);
    assert_eq!(junit.code, Some(1), "{junit:?}");
    let forbidden = |c: char| c.is_control() && c != '\n' || "\u{fffe}\u{ffff}\u{202e}".contains(c);
    assert!(!junit.stdout.contains(forbidden), "{junit:?}");
    for shown in [r"n\u{fffe}\u{ffff}\u{9b}\u{202e}", r"a\u{fffe}b\u{1b}[2J\u{9b}c"] {
        assert!(junit.stdout.contains(shown), "{shown}: {junit:?}");
    }
}

#[test]
fn what_was_seen_is_accepted_and_shown_for_review() {
    let env = guarded(&GUARD.replace("no danger", "never"));
    let ended = tested(&env, &["--accept"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for shown in [
        "-want = { decision = \"deny\", reason = \"no danger\"",
        "+want = { decision = \"deny\", reason = \"never\"",
    ] {
        assert!(ended.stdout.contains(shown), "{ended:?}");
    }
    let text = fs::read_to_string(env.project().join(".claude/tests/guard.toml")).expect("it is there");
    assert_eq!(text, CASES.replace("reason = \"no danger\"", "reason = \"never\""));
    assert_eq!(tested(&env, &[]).code, Some(0));
}

#[test]
fn a_seed_gives_the_same_order_again() {
    let env = guarded(GUARD);
    let order = |ended: &ProgramOutput| -> Vec<String> {
        let named = ended.stdout.lines().filter(|line| line.starts_with("PASS"));
        named.map(|line| line.split("  ").nth(1).unwrap_or_default().to_owned()).collect()
    };
    let first = tested(&env, &["--shuffle"]);
    let seed = first.stdout.lines().find_map(|line| line.strip_prefix("seed ")?.split(':').next());
    let again = tested(&env, &[&format!("--shuffle={}", seed.expect("it is printed"))]);
    assert_eq!(order(&first), order(&again));
    assert_eq!(order(&first).len(), 3);
}

/// Makes a directory a repository, and commits its files.
fn commit_all(directory: &Path) {
    for arguments in [&["init", "-q"][..], &["add", "-A"], &["commit", "-qm", "a"]] {
        let mut git = Command::new("git");
        git.arg("-C").arg(directory).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments);
        assert!(git.status().expect("git is there").success(), "{arguments:?}");
    }
}

#[test]
fn only_what_a_change_concerns_is_tested() {
    let env = guarded(GUARD);
    commit_all(&env.project());
    let ended = tested(&env, &["--changed"]);
    assert!(ended.code == Some(0) && ended.stdout.contains("0 cases: 0 passed"), "{ended:?}");
    env.write("project/guard.sh", format!("# new\n{GUARD}"));
    assert!(tested(&env, &["--changed"]).stdout.contains("3 cases: 3 passed"));
    // A script that is missing concerns its cases, which fail.
    fs::rename(env.project().join("guard.sh"), env.project().join("new.sh")).expect("it is there");
    let ended = tested(&env, &["--changed"]);
    assert!(ended.code == Some(1) && ended.stdout.contains("3 cases"), "{ended:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn changed_files_and_their_repository_may_have_any_name() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let env = guarded(GUARD);
    let project = env.copy(&env.project(), "a project ");
    let trusted =
        serde_json::json!({"projects": {project.to_str().expect("UTF-8"): {"hasTrustDialogAccepted": true}}});
    env.write("home/.claude.json", trusted.to_string());
    let cases = project.join(".claude/tests").join(OsStr::from_bytes(b"a\xff\n.toml"));
    fs::rename(project.join(".claude/tests/guard.toml"), &cases).expect("the file system takes any name");
    commit_all(&project);
    let changed = || env.becket(["test", "--changed"]).dir(&project).run();
    let ended = changed();
    assert!(ended.code == Some(0) && ended.stdout.contains("0 cases: 0 passed"), "{ended:?}");
    fs::write(&cases, format!("# new\n{CASES}")).expect("it can be written");
    let ended = changed();
    assert!(ended.stdout.contains("3 cases: 3 passed"), "{ended:?}");
}

#[test]
fn a_watched_project_is_tested_again_after_a_change() {
    let env = guarded(GUARD);
    let shown = env.root().join("shown");
    let mut command = env.becket(["test", "--watch"]).into_command();
    command.stdin(Stdio::null()).stdout(File::create(&shown).expect("a file can be made"));
    let mut watching = command.spawn().expect("it can be started");
    let text = || fs::read_to_string(&shown).unwrap_or_default();
    assert!(wait_until(|| text().contains("waiting for a change")), "{}", text());
    assert!(text().contains("3 cases: 3 passed"), "{}", text());
    env.write("project/guard.sh", GUARD.replace("exit 2", "exit 0"));
    assert!(wait_until(|| text().contains("3 cases: 2 passed, 1 failed")), "{}", text());
    let ended = Command::new("kill").args(["-INT", &watching.id().to_string()]).status();
    assert!(ended.is_ok_and(|ended| ended.success()));
    assert!(watching.wait().expect("it can be waited for").code().is_some());
}

#[test]
fn no_mutant_of_the_example_survives() {
    let env = crate::env();
    env.copy(&workspace().join("examples/guarded-repo"), "project");
    let ended = tested(&env, &["--mutate", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stdout);
    let json: Value = serde_json::from_str(&ended.stdout).expect("it is JSON");
    let mutants = json["mutants"].as_array().expect("they were tested");
    let with = |result: &str| mutants.iter().filter(|row| row["result"] == result).count();
    assert_eq!(with("survived") + with("vacuous"), 0);
    let applied: std::collections::BTreeSet<&str> = mutants
        .iter()
        .filter(|row| row["result"] == "killed")
        .filter_map(|row| row["mutant"].as_str())
        .collect();
    assert_eq!(applied.len(), 12, "each of the twelve is killed somewhere: {applied:?}");
    assert!(
        mutants
            .iter()
            .all(|row| row["result"] == "killed" || row["why"].as_str().is_some_and(|why| !why.is_empty()))
    );
}

#[test]
fn a_case_without_an_expectation_is_an_error_until_it_is_accepted() {
    let env = guarded(GUARD);
    let open = "[[case]]\nname = \"open\"\ntool = { name = \"Bash\", input = { command = \"danger\" } }\n";
    env.write("project/.claude/tests/open.toml", open);
    let ended = tested(&env, &[]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stdout.contains("it expects nothing, so it tests nothing"), "{ended:?}");
    let ended = tested(&env, &["--accept"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let text = fs::read_to_string(env.project().join(".claude/tests/open.toml")).expect("it is there");
    assert_eq!(text, format!("{open}want = {{ decision = \"deny\", by = \"guard.sh\" }}\n"));
    assert_eq!(tested(&env, &[]).code, Some(0));
}
