use super::*;

const FILE: &str = "t.toml";

fn errors(text: &str) -> Vec<String> {
    match read(Path::new(FILE), text) {
        Ok(read) => panic!("must not be read: {read:?}"),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn a_case_is_read_whole() {
    let text = r#"
[[case]]
name = "push to main"
tool = { name = "Bash", input = { command = "git push origin main" } }
mode = "acceptEdits"
files = { "a/b.txt" = "x\n" }
git = { branch = "topic", unpushed = 2 }
env = { LEVEL = "3" }
want = { decision = "deny", reason = "*protected*", by = "guard.sh", within = "500ms", files = { "c" = false } }

[[case]]
name = "stop twice"
[[case.step]]
event = "Stop"
want = { decision = "block" }
[[case.step]]
event = "Stop"
input = { stop_hook_active = true }
files = { "t.py" = "" }
want = { decision = "pass" }

[[equivalent]]
handler = "guard.sh"
mutant = "empty-stdin"
reason = "it reads no input"
"#;
    let read = read(Path::new(FILE), text).expect("it is right");
    assert_eq!(read.cases.len(), 2);
    let first = &read.cases[0];
    assert_eq!(first.origin.to_string(), "t.toml:2:1");
    assert_eq!(first.steps[0].input["tool_input"]["command"], "git push origin main");
    assert_eq!(first.steps[0].input["permission_mode"], "acceptEdits");
    assert_eq!(first.files["a/b.txt"], "x\n");
    assert_eq!(first.git.as_ref().map(|git| (git.commit, git.unpushed)), Some((true, Some(2))));
    assert_eq!(first.steps[0].want.files["c"], None);
    assert_eq!(read.cases[1].steps.len(), 2);
    assert_eq!(read.cases[1].steps[1].input["stop_hook_active"], true);
    assert_eq!(read.equivalents[0].mutant, "empty-stdin");
}

#[test]
fn every_slip_is_named_with_its_place() {
    let tool = "tool = { name = \"Bash\" }";
    for (text, expected) in [
        (
            format!("[[case]]\nname = \"a\"\n{tool}\nmode = \"acceptEdit\"\n"),
            "t.toml:4:1: `acceptEdit` is not a permission mode; did you mean `acceptEdits`?",
        ),
        (
            format!("[[case]]\nname = \"a\"\n{tool}\nwnat = {{}}\n"),
            "t.toml:4:1: `wnat` is not a key of a case; did you mean `want`?",
        ),
        (
            format!("[[case]]\nname = \"a\"\n{tool}\nwant = {{ decison = \"deny\" }}\n"),
            "t.toml:4:10: `decison` is not a key of `want`; did you mean `decision`?",
        ),
        (
            format!("[[case]]\nname = \"a\"\n{tool}\nwant = {{ decision = \"denny\" }}\n"),
            "t.toml:4:10: `denny` is not a decision; did you mean `deny`?",
        ),
        (format!("[[case]]\n{tool}\n"), "t.toml:1:1: a case needs `name`"),
        (
            "[[case]]\nname = \"a\"\nevent = \"PreTolUse\"\n".to_owned(),
            "t.toml:3:1: `PreTolUse` is not an event; did you mean `PreToolUse`?",
        ),
        (
            "[[case]]\nname = \"a\"\nevent = \"Stop\"\ninput = { stop_hook_actve = true }\n".to_owned(),
            "t.toml:4:11: `stop_hook_actve` is not a key of the input; did you mean `stop_hook_active`?",
        ),
        (
            format!("[[case]]\nname = \"a\"\n{tool}\nfiles = {{ \"../x\" = \"\" }}\n"),
            "t.toml:4:11: `../x` must be a path inside of the project, without `..`",
        ),
        (
            format!("[[case]]\nname = \"a\"\n{tool}\nwant = {{ within = \"soon\" }}\n"),
            "t.toml:4:10: `soon` is not a time; write `500ms` or `2s`",
        ),
        (format!("[[case]]\nname = 3\n{tool}\n"), "t.toml:2:1: `name` must be a string, but is integer"),
        (
            "[[equivalent]]\nhandler = \"a\"\nmutant = \"empty-stdn\"\nreason = \"x\"\n".to_owned(),
            "t.toml:3:1: there is no mutant `empty-stdn`; did you mean `empty-stdin`?",
        ),
        ("[[csae]]\n".to_owned(), "t.toml:1:3: `csae` is not a key of a case file; did you mean `case`?"),
    ] {
        assert_eq!(errors(&text), [expected], "{text}");
    }
    assert!(errors("[[case]]\nname = \"a\n")[0].starts_with("t.toml:2:"));
    let twice = format!("[[case]]\nname = \"a\"\n{tool}\n[[case]]\nname = \"a\"\n{tool}\n");
    assert!(errors(&twice)[0].starts_with("t.toml:4:1: a case before is called `a` too"));
}
