//! Write with real files: files that are kept, calls that are rejected, and the reach of a call.

use crate::support::in_session::{InSession, run_cases};
use crate::support::{Tree, pipe};
use becket_engine::Effect;
use becket_model::event::Agent;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

// rules: N3, D9 (each case names its own)
#[tokio::test]
async fn the_table() {
    run_cases(include_str!("../cases/write.json"), "Write").await;
}

fn write(tree: &Tree, path: &str) -> Value {
    json!({"file_path": tree.base.join(path), "content": "new\n"})
}

#[tokio::test]
async fn a_file_keeps_its_mode_and_its_links_and_others_keep_the_old_one() {
    let tree = Tree::new();
    let file = tree.write("work/run.sh", "old\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();
    fs::hard_link(&file, tree.base.join("outside/other-name")).unwrap();
    let here = InSession::new(&tree);
    here.read(&tree, "work/run.sh").await;
    here.call("Write", write(&tree, "work/run.sh")).await.unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "new\n");
    assert_eq!(file.metadata().unwrap().mode() & 0o7777, 0o750);
    // A file that has another name elsewhere is not changed there.
    assert_eq!(fs::read_to_string(tree.base.join("outside/other-name")).unwrap(), "old\n");
    here.read(&tree, "work/inside-link").await;
    here.call("Write", write(&tree, "work/inside-link")).await.unwrap();
    assert!(tree.base.join("work/inside-link").is_symlink());
}

#[tokio::test]
async fn what_has_changed_since_is_not_written_over() {
    let tree = Tree::new();
    let here = InSession::new(&tree);
    here.read(&tree, "work/a.txt").await;
    let before = tree.base.join("work/a.txt").metadata().unwrap();
    // The same length and modification time as before.
    tree.write("work/a.txt", "one\nTWO\n");
    let file = fs::File::options().write(true).open(tree.base.join("work/a.txt")).unwrap();
    file.set_modified(before.modified().unwrap()).unwrap();
    let failure = here.call("Write", write(&tree, "work/a.txt")).await.unwrap_err();
    assert!(failure.error.contains("has changed since it was read"), "{failure}");
    assert_eq!(fs::read_to_string(tree.base.join("work/a.txt")).unwrap(), "one\nTWO\n");
    // Rewritten with the content that was read: nothing has changed.
    tree.write("work/a.txt", "one\ntwo\n");
    here.call("Write", write(&tree, "work/a.txt")).await.unwrap();
    // The tool knows the content that it has written.
    here.call("Write", write(&tree, "work/a.txt")).await.unwrap();
}

#[tokio::test]
async fn only_what_was_seen_counts_as_read() {
    let tree = Tree::new();
    let here = InSession::new(&tree);
    let path = tree.base.join("work/a.txt");
    for (input, error) in [
        (json!({"file_path": path, "offset": 9}), "read it first"),
        (json!({"file_path": path, "offset": 2, "limit": 1}), ""),
    ] {
        here.call("Read", input).await.unwrap();
        let answer = here.call("Write", write(&tree, "work/a.txt")).await;
        assert_eq!(answer.is_ok(), error.is_empty(), "{answer:?}");
    }
    // A subagent has seen nothing yet, even if the session has.
    let mut sub = InSession { tools: here.tools.clone(), session: here.session.clone() };
    sub.session.agent = Some(Agent::new(becket_model::AgentId::from("a1"), None));
    let failure = sub.call("Write", write(&tree, "work/a.txt")).await.unwrap_err();
    assert!(failure.error.contains("read it first"), "{failure}");
    here.call("Write", write(&tree, "work/a.txt")).await.unwrap();
}

// rule: P7
#[tokio::test]
async fn a_file_that_a_rule_hides_is_not_written_over_though_it_was_read() {
    let tree = Tree::new();
    let is_on = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let rule = is_on.clone();
    let surroundings = tree.surroundings().with_denied_reads(move |_, path| {
        rule.load(std::sync::atomic::Ordering::SeqCst) && path.ends_with("work/a.txt")
    });
    let here = InSession::of(&tree, surroundings);
    here.read(&tree, "work/a.txt").await;
    is_on.store(true, std::sync::atomic::Ordering::SeqCst);
    for name in ["work/a.txt", "work/inside-link"] {
        let failure = here.call("Write", write(&tree, name)).await.unwrap_err();
        assert!(failure.error.contains("a rule denies reading"), "{failure}");
    }
}

#[tokio::test]
async fn pipes_and_large_files_are_refused_without_waiting() {
    let tree = Tree::new();
    pipe(&tree.base.join("work/pipe"));
    let large = fs::File::create(tree.base.join("work/large")).unwrap();
    large.set_len((16 << 20) + 1).unwrap();
    let here = InSession::new(&tree);
    for (name, error) in [("work/pipe", "a pipe"), ("work/large", "larger than 16 MiB")] {
        let failure = here.call("Write", write(&tree, name)).await.unwrap_err();
        assert!(failure.error.contains(error), "{failure}");
    }
    assert_eq!(large.metadata().unwrap().len(), (16 << 20) + 1);
}

/// Returns whether the tests run as root, for whom file modes don't count.
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

#[tokio::test]
async fn a_file_that_may_not_be_written_to_stays() {
    let tree = Tree::new();
    let file = tree.base.join("work/a.txt");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let here = InSession::new(&tree);
    here.read(&tree, "work/a.txt").await;
    let answer = here.call("Write", write(&tree, "work/a.txt")).await;
    assert_eq!(answer.is_ok(), is_root(), "{answer:?}");
    assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o444);
}

#[tokio::test]
async fn many_writers_leave_a_whole_text() {
    let tree = Tree::new();
    let here = InSession::new(&tree);
    let path = tree.base.join("work/new.txt");
    let texts: Vec<String> = (0..8).map(|n| n.to_string().repeat(50_000)).collect();
    let calls = texts.iter().map(|text| here.call("Write", json!({"file_path": path, "content": text})));
    let answers = futures_util::future::join_all(calls).await;
    assert!(answers.iter().any(Result::is_ok), "{answers:?}");
    let left = fs::read_to_string(&path).unwrap();
    assert!(texts.contains(&left), "{} bytes of several", left.len());
}

// rules: P14, P8
#[test]
fn an_edit_reaches_as_far_as_its_path_leads() {
    let tree = Tree::new();
    for dir in ["work/.git/hooks", "work/bare/objects", "work/bare/refs", "work/.claude/worktrees/w", "home"]
    {
        fs::create_dir_all(tree.base.join(dir)).unwrap();
    }
    tree.write("work/bare/HEAD", "ref: refs/heads/main\n");
    tree.write("work/.git/config", "");
    tree.write("home/.bashrc", "");
    tree.link("work/.git/config", "work/innocent");
    tree.link("work/.git", "work/innocent-dir");
    tree.link("home/.bashrc", "work/rc");
    tree.link("work/a.txt", "work/.mcp.json");
    symlink("circle", tree.base.join("work/circle")).unwrap();
    tree.write("work/kept/by-host.json", "");
    tree.link("work/kept/by-host.json", "work/to-kept");
    let surroundings =
        tree.surroundings().with_protected(tree.base.join("work/kept")).with_more_directories({
            let added = tree.base.join("outside");
            move |session| if session.id.as_str() == "s2" { vec![added.clone()] } else { Vec::new() }
        });
    let here = InSession::of(&tree, surroundings);
    for (path, effect) in [
        ("work/a.txt", Effect::Edits),
        ("work/new/deep.txt", Effect::Edits),
        ("more/m.txt", Effect::Edits),
        ("work/deep/x", Effect::Edits),
        ("work/inside-link", Effect::Edits),
        ("outside/secret", Effect::EditsElsewhere),
        ("work/link", Effect::EditsElsewhere),
        ("work/dirlink/new", Effect::EditsElsewhere),
        ("work/dangling", Effect::EditsElsewhere),
        ("work/circle", Effect::EditsElsewhere),
        ("work/../outside/x", Effect::EditsElsewhere),
        ("work/deep/../secret", Effect::Edits),
        ("working/x", Effect::EditsElsewhere),
        ("work/.git/config", Effect::EditsProtected),
        ("work/.GIT/hooks/x", Effect::EditsProtected),
        ("work/sub/.git", Effect::EditsProtected),
        ("work/innocent", Effect::EditsProtected),
        ("work/innocent-dir/hooks/pre-commit", Effect::EditsProtected),
        ("work/rc", Effect::EditsProtected),
        ("work/.mcp.json", Effect::EditsProtected),
        ("work/bare/config", Effect::EditsProtected),
        ("work/bare/hooks/post-update", Effect::EditsProtected),
        ("work/bare", Effect::Edits),
        ("work/.claude/settings.local.json", Effect::EditsProtected),
        ("work/.claude/skills/x/SKILL.md", Effect::EditsProtected),
        ("work/.claude/worktrees/w/src/a.rs", Effect::Edits),
        ("work/.claude/worktrees/w/.claude/settings.json", Effect::EditsProtected),
        ("outside/.ssh/authorized_keys", Effect::EditsProtected),
        ("home/.bashrc", Effect::EditsProtected),
        ("work/kept", Effect::EditsProtected),
        ("work/kept/by-host.json", Effect::EditsProtected),
        ("work/to-kept", Effect::EditsProtected),
        ("work/kept-not", Effect::Edits),
    ] {
        for tool in ["Write", "Edit"] {
            assert_eq!(here.effect(tool, write(&tree, path)), effect, "{path}");
        }
    }
    assert_eq!(here.effect("Write", json!({"file_path": "a.txt"})), Effect::EditsElsewhere);
    assert_eq!(here.effect("Write", json!({})), Effect::EditsElsewhere);
    // A directory that is added to a running session.
    let mut other = here;
    other.session.id = "s2".into();
    assert_eq!(other.effect("Write", write(&tree, "outside/secret")), Effect::Edits);
}

// rule: P14
#[test]
fn a_call_that_reads_elsewhere_is_not_one_that_runs_unasked() {
    let tree = Tree::new();
    let here = InSession::new(&tree);
    for (tool, field, path, effect) in [
        ("Read", "file_path", "work/a.txt", Effect::Reads),
        ("Read", "file_path", "work/link", Effect::Acts),
        ("Grep", "path", "outside", Effect::Acts),
        ("Grep", "path", "work/sub", Effect::Reads),
        ("Glob", "path", "work/dirlink", Effect::Acts),
    ] {
        let input = json!({"pattern": "x", field: tree.base.join(path)});
        assert_eq!(here.effect(tool, input), effect, "{tool} {path}");
    }
}

// rule: P13
#[test]
fn nothing_is_suggested_that_is_wider_than_it_need_be() {
    let tree = Tree::new();
    for dir in ["home/.config/x", "outside/deep", "outside/odd*name", "work/.git"] {
        fs::create_dir_all(tree.base.join(dir)).unwrap();
    }
    let environment = tree.environment().with_home(tree.base.join("home"));
    let surroundings = becket_tools::Surroundings::new(environment).with_directory(tree.base.join("more"));
    let here = InSession::of(&tree, surroundings);
    let base = tree.base.display().to_string();
    let mode = json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]);
    let directory = |path: &str| json!([{"type": "addDirectories", "directories": [format!("{base}/{path}")], "destination": "session"}]);
    let rules = |paths: &[&str]| {
        let rules: Vec<Value> = paths
            .iter()
            .map(|path| json!({"toolName": "Read", "ruleContent": format!("/{base}/{path}/**")}))
            .collect();
        json!([{"type": "addRules", "rules": rules, "behavior": "allow", "destination": "session"}])
    };
    for (tool, field, path, suggested) in [
        ("Write", "file_path", "work/a.txt", mode.clone()),
        ("Edit", "file_path", "work/new/x", mode),
        ("Write", "file_path", "outside/x", directory("outside")),
        ("Write", "file_path", "work/link", directory("outside")),
        ("Write", "file_path", "home/.config/x/y", directory("home/.config/x")),
        ("Write", "file_path", "home/x", json!([])),
        ("Write", "file_path", "x", json!([])),
        ("Write", "file_path", "outside/odd*name/x", json!([])),
        ("Write", "file_path", "work/.git/config", json!([])),
        ("Write", "file_path", "home/.bashrc", json!([])),
        ("Write", "file_path", "work/dangling", json!([])),
        ("Read", "file_path", "outside/secret", rules(&["outside"])),
        ("Read", "file_path", "work/dirlink/secret", rules(&["outside", "work/dirlink"])),
        ("Read", "file_path", "home/x", json!([])),
        ("Read", "file_path", "work/a.txt", json!([])),
        ("Grep", "path", "outside/deep", rules(&["outside/deep"])),
        ("Grep", "path", "outside/secret", rules(&["outside"])),
        ("Glob", "path", "outside/odd*name", json!([])),
    ] {
        let input = json!({field: tree.base.join(path)});
        assert_eq!(here.suggestions(tool, input), suggested, "{tool} {path}");
    }
    assert_eq!(here.suggestions("Read", json!({"file_path": "/etc"})), json!([]), "all files");
    let here = here.in_mode("acceptEdits");
    assert_eq!(here.suggestions("Write", write(&tree, "work/a.txt")), json!([]));
}
