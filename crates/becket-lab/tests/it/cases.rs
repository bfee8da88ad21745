use crate::bench::{Bench, GUARD, guarded_by, results};
use std::fs;

#[test]
fn expectations_are_compared_with_what_the_hooks_did() {
    let bench = Bench::new(&guarded_by(GUARD)).cases(
        r#"
[[case]]
name = "denied"
tool = { name = "Bash", input = { command = "danger" } }
want = { decision = "deny", reason = "no danger*", exit = 2, within = "10s" }
[[case]]
name = "not denied"
tool = { name = "Bash", input = { command = "ls" } }
want = { decision = "deny" }
[[case]]
name = "another reason"
tool = { name = "Bash", input = { command = "danger" } }
want = { decision = "block", reason = "*branch*" }
[[case]]
name = "another exit code"
tool = { name = "Bash", input = { command = "danger" } }
want = { exit = 0 }
[[case]]
name = "must not run"
tool = { name = "Bash", input = { command = "ls" } }
want = { skipped = "settings.json:1" }
[[case]]
name = "a file"
tool = { name = "Bash", input = { command = "ls" } }
want = { files = { "made" = "x" } }
[[case]]
name = "nothing below a file"
files = { "a" = "" }
tool = { name = "Bash", input = { command = "ls" } }
want = { files = { "a/b" = false } }
"#,
    );
    assert_eq!(
        results(&bench.run()),
        [
            "passed",
            "decision: deny / pass",
            "reason: *branch* / no danger here",
            "exit: 0 / 2",
            "skipped: settings.json:1 / it ran",
            "files: `made` with \"x\" / no file `made`",
            "passed",
        ]
    );
}

#[test]
fn a_hook_that_fails_fails_the_case_unless_that_is_expected() {
    let bench = Bench::new(&guarded_by("exit 1")).cases(
        r#"
[[case]]
name = "a"
tool = { name = "Bash" }
want = { decision = "pass" }
[[case]]
name = "b"
tool = { name = "Bash" }
want = { decision = "pass", failed = "settings.json:1" }
"#,
    );
    let found = results(&bench.run());
    assert!(found[0].starts_with("failed: no hook / `exit 1` ended with exit code 1"), "{found:?}");
    assert_eq!(found[1], "passed");
}

#[test]
fn what_can_not_be_tested_is_named() {
    let settings = serde_json::json!({"hooks": {"PreToolUse": [
        {"matcher": "Bash", "hooks": [{"type": "http", "url": "http://127.0.0.1:9/x"}]},
        {"matcher": "Write", "hooks": [{"type": "command", "command": "true"}]},
        {"matcher": "Edit", "hooks": [{"type": "command", "command": "true", "if": "Edit(a)"}]},
        {"matcher": "Edit", "hooks": [{"type": "command", "command": "true", "if": "Edit(*)"}]},
    ]}});
    let bench = Bench::new(&settings.to_string()).cases(
        r#"
[[case]]
name = "network"
tool = { name = "Bash", input = { command = "ls" } }
want = { decision = "deny" }
[[case]]
name = "a given reply"
tool = { name = "Bash", input = { command = "ls" } }
reply = [{ handler = "http://127.0.0.1:9/x", stdout = '{"decision": "block", "reason": "no"}' }]
want = { decision = "deny", reason = "no" }
[[case]]
name = "no hook"
tool = { name = "Read", input = { file_path = "x" } }
want = { decision = "pass" }
[[case]]
name = "no such hook"
tool = { name = "Write", input = { file_path = "x" } }
want = { decision = "deny", by = "tru" }
[[case]]
name = "two hooks with one command"
tool = { name = "Edit", input = { file_path = "a" } }
want = { decision = "deny", by = "true" }
"#,
    );
    let found = results(&bench.run());
    assert!(found[0].contains("the http hook `http://127.0.0.1:9/x` needs the network"), "{found:?}");
    assert_eq!(found[1], "passed");
    assert!(found[2].starts_with("error: no hook runs for `PreToolUse` of `Read`:\n"), "{found:?}");
    assert!(found[3].contains("is called `tru`; did you mean `true`?"), "{found:?}");
    assert!(found[4].contains("`true` means 3 hooks of PreToolUse"), "{found:?}");
}

#[test]
fn events_follow_each_other_in_one_project() {
    let settings = serde_json::json!({"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "grep -q '\"stop_hook_active\":true' && exit 0; test -e good || { echo bad >&2; exit 2; }"},
    ]}]}});
    let bench = Bench::new(&settings.to_string()).cases(
        r#"
[[case]]
name = "steps"
[[case.step]]
event = "Stop"
want = { decision = "block", reason = "bad" }
[[case.step]]
event = "Stop"
input = { stop_hook_active = true }
want = { decision = "pass" }
[[case.step]]
event = "Stop"
files = { "good" = "" }
want = { decision = "pass" }
"#,
    );
    assert_eq!(results(&bench.run()), ["passed"]);
}

#[test]
fn comments_in_hooks_are_cases_and_their_hook_takes_the_credit() {
    let bench = Bench::new(&guarded_by("sh \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh"));
    let script = format!(
        "#!/bin/sh\n# becket: deny Bash danger ahead\n# becket: pass Bash ls\n\
         # becket: deny Bash {{\"command\": \"danger\"}}\n{GUARD}\n"
    );
    bench.write(".claude/hooks/guard.sh", &script);
    assert_eq!(results(&bench.run()), ["passed", "passed", "passed"]);
    bench.write(".claude/hooks/guard.sh", "# becket: denny Bash x\n# becket: deny Wurst x\n");
    let errors: Vec<String> = bench.suite().errors.iter().map(|error| error.what.clone()).collect();
    assert_eq!(errors.len(), 2);
    assert_eq!(errors[0], "`denny` is not a decision; did you mean `deny`?");
    assert!(errors[1].contains("`Wurst` is not known"), "{errors:?}");
}

#[test]
fn a_hook_that_changes_a_case_file_is_noticed() {
    let bench = Bench::new("{}");
    let file = bench.root().join(".claude/tests/t.toml");
    bench.write(".claude/settings.json", &guarded_by(&format!("echo '#' >> {}", file.display())));
    let bench =
        bench.cases("[[case]]\nname = \"a\"\ntool = { name = \"Bash\" }\nwant = { decision = \"pass\" }\n");
    let suite = bench.suite();
    assert_eq!(suite.changed_files(), Vec::<&std::path::Path>::new());
    bench.run();
    assert_eq!(suite.changed_files(), [file.as_path()]);
    assert!(fs::read_to_string(file).expect("it is there").ends_with("#\n"));
}

#[test]
fn a_case_that_expects_nothing_is_an_error() {
    let call = "tool = { name = \"Bash\", input = { command = \"ls\" } }";
    let bench = Bench::new(&guarded_by(GUARD)).cases(&format!(
        "[[case]]\nname = \"open\"\n{call}\n\n[[case]]\nname = \"empty\"\n{call}\nwant = {{}}\n\n\
         [[case]]\nname = \"a step\"\n[[case.step]]\n{call}\n[[case.step]]\n{call}\nwant = {{ decision = \"pass\" }}\n"
    ));
    let found = results(&bench.run());
    let said = "it expects nothing, so it tests nothing: give it `want`; `--accept` writes what was seen";
    assert!(found[0].contains(said) && found[1].contains(said), "{found:?}");
    assert_eq!(found[2], "passed");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_file_is_an_error_instead_of_a_wait() {
    let pipe = |path: &std::path::Path| {
        let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo is there");
        assert!(made.success());
    };
    let hook = "mkfifo \"$CLAUDE_PROJECT_DIR\"/made; exit 0";
    let bench = Bench::new(&guarded_by(hook)).cases(
        r#"
[[case]]
name = "a hook makes a pipe"
tool = { name = "Bash", input = { command = "ls" } }
want = { files = { "made" = false } }
"#,
    );
    let found = results(&bench.run());
    assert!(found[0].contains("files"), "{found:?}");
    pipe(&bench.root().join(".claude/tests/f.toml"));
    // A link to a pipe is not copied.
    pipe(&bench.root().join("pipe"));
    std::os::unix::fs::symlink(bench.root().join("pipe"), bench.root().join("link")).expect("a link");
    let errors = bench.suite().errors;
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].what.contains("is a pipe, a socket or a device, not a file"), "{errors:?}");
    std::fs::remove_file(bench.root().join(".claude/tests/f.toml")).expect("the pipe");
    assert!(results(&bench.run())[0].contains("files"));
}
