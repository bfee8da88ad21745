use crate::bench::{Bench, guarded_by, results};

#[test]
fn hooks_write_into_a_copy_that_is_gone_afterwards() {
    let bench = Bench::new(&guarded_by("pwd > made; echo x > .claude/settings.json"))
        .cases("[[case]]\nname = \"a\"\ntool = { name = \"Bash\" }\nwant = { decision = \"pass\" }\n");
    let records = bench.run();
    assert_eq!(results(&records), ["passed"]);
    let copy = records[0].steps[0].event.session.cwd.clone();
    assert!(copy.join("made").exists(), "the copy is there while its record is");
    assert!(!bench.root().join("made").exists(), "the project is as it was");
    drop(records);
    assert!(!copy.exists(), "the copy goes with its record");
}

#[test]
fn ignored_files_stay_behind_but_for_the_settings() {
    let bench = Bench::new(&guarded_by(
        "test ! -e secret && test -e kept && test -e .claude/settings.local.json",
    ))
    .cases("[[case]]\nname = \"a\"\ntool = { name = \"Bash\" }\nwant = { decision = \"pass\", exit = 0 }\n");
    bench.write(".gitignore", "secret\n.claude/settings.local.json\n");
    bench.write("secret", "x");
    bench.write("kept", "x");
    bench.write(".claude/settings.local.json", "{}");
    assert_eq!(results(&bench.run()), ["passed"]);
}

#[test]
fn the_state_of_git_is_the_one_of_the_case() {
    let command = "git symbolic-ref --short HEAD; git rev-list --count '@{upstream}..HEAD'";
    let settings = serde_json::json!({"hooks": {"SessionStart": [{"hooks": [
        {"type": "command", "command": command},
    ]}]}});
    let bench = Bench::new(&settings.to_string()).cases(
        "[[case]]\nname = \"a\"\nevent = \"SessionStart\"\ngit = { branch = \"topic\", unpushed = 2 }\n\
         want = { context = \"topic\\n2\" }\n",
    );
    assert_eq!(results(&bench.run()), ["passed"]);
}
