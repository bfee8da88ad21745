//! Worktrees of repositories that would run programs, and of sessions that are interrupted or started twice.

use crate::hard::place::{Place, bash, call, hook, hooks, id, said};
use becket_testkit::messages_api::Turn;
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A script that creates a file named after each trap that runs it, and passes its input on.
const TRAP: &str = "#!/bin/sh\n: >>\"[TRAPS]/$1\"\nshift\ncat 2>/dev/null\n";

/// The settings of an untrusted repository: each runs a program during a checkout, a status, a commit, or a fetch.
const SETTINGS: [(&str, &str); 22] = [
    ("core.fsmonitor", "[TRAP] fsmonitor"),
    ("core.sshCommand", "[TRAP] ssh"),
    ("core.editor", "[TRAP] editor"),
    ("core.pager", "[TRAP] pager"),
    ("core.askPass", "[TRAP] askpass"),
    ("core.alternateRefsCommand", "[TRAP] alternates"),
    ("core.attributesFile", "../attributes"),
    ("credential.helper", "![TRAP] credentials"),
    ("filter.trap.smudge", "[TRAP] smudge"),
    ("filter.trap.clean", "[TRAP] clean"),
    ("filter.trap.required", "true"),
    ("filter.a=b.process", "[TRAP] process"),
    ("diff.external", "[TRAP] diff"),
    ("diff.trap.textconv", "[TRAP] textconv"),
    ("merge.trap.driver", "[TRAP] merge"),
    ("gpg.program", "[TRAP] gpg"),
    ("alias.worktree", "![TRAP] alias"),
    ("alias.rev-parse", "![TRAP] alias"),
    ("hook.evil.command", "[TRAP] hook"),
    ("hook.evil.event", "reference-transaction"),
    ("include.path", "../../included"),
    ("gc.auto", "1"),
];

/// The git hooks that creating and removing a worktree could run.
const HOOKS: [&str; 8] = [
    "post-checkout",
    "post-index-change",
    "reference-transaction",
    "pre-auto-gc",
    "post-merge",
    "post-rewrite",
    "pre-commit",
    "fsmonitor-watchman",
];

fn git(directory: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).current_dir(directory);
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", directory);
    let done = command.output().expect("git is there");
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// Creates a repository with one commit.
fn repository(place: &Place) {
    let project = place.env.project();
    git(&project, &["init", "-q", "-b", "main"]);
    place.env.write("project/a.txt", "one\n");
    place.env.write("project/b.bin", "two\n");
    place.env.write("project/.gitattributes", "*.txt filter=trap diff=trap merge=trap\n*.bin filter=a=b\n");
    git(&project, &["add", "a.txt", "b.bin", ".gitattributes"]);
    git(&project, &["commit", "-qm", "first"]);
}

/// Sets all traps; returns the directory in which they leave their files.
fn traps(place: &Place) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let (root, project) = (place.env.root(), place.env.project());
    let traps = root.join("traps");
    fs::create_dir(&traps).expect("there is room");
    let script = root.join("trap");
    let program = |path: &Path, text: &str| {
        let text = text.replace("[TRAPS]", &traps.to_string_lossy());
        fs::write(path, text.replace("[TRAP]", &script.to_string_lossy())).expect("there is room");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it was just written");
    };
    program(&script, TRAP);
    for name in HOOKS {
        program(
            &project.join(".git/hooks").join(name),
            &format!("#!/bin/sh\nexec [TRAP] {name} </dev/null\n"),
        );
    }
    program(&project.join("git"), "#!/bin/sh\nexec [TRAP] own-git\n");
    place.env.write("included", format!("[core]\n\tfsmonitor = {} included\n", script.display()));
    place.env.write("attributes", "*.txt filter=trap\n");
    for (key, value) in SETTINGS {
        let value = value.replace("[TRAP]", &script.to_string_lossy());
        git(&project, &["config", key, &value]);
    }
    traps
}

fn sprung(traps: &Path) -> Vec<String> {
    let entries = fs::read_dir(traps).expect("it was made").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn is_gone(place: &Place) {
    let project = place.env.project();
    assert!(!project.join(".claude/worktrees").exists(), "{}", git(&project, &["worktree", "list"]));
    assert!(!project.join(".git/worktrees").exists());
    let branches = git(&project, &["branch", "--list", "worktree-*"]);
    assert_eq!(branches, "");
}

// rules: D11, P14
#[test]
fn nothing_of_a_repository_full_of_traps_runs_when_a_worktree_is_made_compared_and_removed() {
    let writes = |body: &Value| {
        let helps = body["messages"][0].to_string().contains("You are the helper");
        match (helps, body["messages"].as_array().map_or(0, Vec::len)) {
            (true, 1) => Turn::calls([call("r1", "Read", json!({"file_path": "a.txt"}))]),
            (true, 3) => {
                Turn::calls([call("w1", "Write", json!({"file_path": "a.txt", "content": "new\n"}))])
            }
            (true, _) => Turn::text("Written."),
            (false, 1) => Turn::calls([call(
                "a1",
                "Agent",
                json!({"description": "writes", "prompt": "You are the helper.", "isolation": "worktree"}),
            )]),
            (false, _) => Turn::text("Done."),
        }
    };
    let place = Place::with(&json!({}), writes);
    repository(&place);
    let (project, traps) = (place.env.project(), traps(&place));
    // The traps work: git alone triggers them.
    let control = place.env.root().join("control");
    let plain = |arguments: &[&str]| {
        Command::new("git").args(arguments).current_dir(&project).output().expect("git is there")
    };
    plain(&["worktree", "add", "-q", "-b", "control", &control.to_string_lossy()]);
    fs::write(project.join("a.txt"), "two\n").expect("there is room");
    plain(&["status"]);
    let live = sprung(&traps);
    for trap in ["fsmonitor", "post-checkout", "reference-transaction", "smudge", "clean"] {
        let found = live.iter().any(|name| name == trap || trap == "fsmonitor" && name == "included");
        assert!(found, "{trap} is not a trap: {live:?}");
    }
    let removed = plain(&["worktree", "remove", "-f", &control.to_string_lossy()]);
    assert!(removed.status.success(), "{removed:?}");
    let live = [live, sprung(&traps)].concat();
    live.iter().for_each(|name| drop(fs::remove_file(traps.join(name))));

    let ended = place.run(&["--worktree", "feat", "Go on."]).path_first(&project).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(sprung(&traps), Vec::<String>::new());
    assert_eq!(place.server.wrongs(), Vec::<String>::new());
    let trees = project.join(".claude/worktrees");
    assert!(trees.exists(), "{:#?}", place.server.requests().last().map(|body| body["messages"].clone()));
    let left: Vec<_> = fs::read_dir(&trees).expect("the helper's is kept").flatten().collect();
    let kept = left.iter().find(|entry| entry.path().is_dir()).expect("the helper's is kept").path();
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(ended.stdout.contains("Done."), "{ended:?}");
    let read = |name: &str| fs::read_to_string(kept.join(name)).expect("it is checked out");
    assert_eq!((read("a.txt"), read("b.bin")), ("new\n".to_owned(), "two\n".to_owned()));
}

/// Returns the next turn of a model that has a helper in a separate worktree, and waits there forever.
fn waits(body: &Value) -> Turn {
    let helps = body["messages"][0].to_string().contains("You are the helper");
    match helps || said(body, "Just wait.") {
        true => Turn::calls([bash("s1", "touch \"$WAITS/waits\"; sleep 300")]),
        false => Turn::calls([call(
            "a1",
            "Agent",
            json!({"description": "waits", "prompt": "You are the helper.", "isolation": "worktree"}),
        )]),
    }
}

fn begun(place: &Place, arguments: &[&str]) -> std::process::Child {
    let root = place.env.root().to_owned();
    let mut command = place.run(arguments).env_os("WAITS", &root).into_command();
    command.stdin(std::process::Stdio::null());
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let child = command.spawn().expect("becket starts");
    assert!(wait_until(|| root.join("waits").exists()), "it never came to wait");
    drop(fs::remove_file(root.join("waits")));
    child
}

fn send(signal: &str, child: &mut std::process::Child) {
    let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
    drop(child.wait());
}

// rules: L2, H4
#[test]
fn an_interrupted_session_leaves_no_worktree_and_what_a_kill_leaves_is_taken_up_or_removed() {
    let settings = hooks(&[("WorktreeRemove", vec![hook("cat >>\"$WAITS/removed\"")])]);
    let place = Place::with(&settings, waits);
    repository(&place);
    for signal in ["INT", "TERM"] {
        let mut child = begun(&place, &["--worktree", "feat", "Work."]);
        assert!(place.env.project().join(".claude/worktrees/feat/a.txt").exists());
        send(signal, &mut child);
        is_gone(&place);
        place.soon_nobody_is_left(signal);
    }
    let removed = fs::read_to_string(place.env.root().join("removed")).unwrap_or_default();
    assert_eq!(removed.lines().count(), 4, "a session's and a helper's, twice: {removed}");

    let mut child = begun(&place, &["--worktree", "feat", "Work."]);
    send("KILL", &mut child);
    place.soon_nobody_is_left("killed");
    let trees = place.env.project().join(".claude/worktrees");
    assert_eq!(fs::read_dir(&trees).expect("they are left").count(), 3);
    // A session with the same name reuses the worktree; that of the helper is removed with the next one that is
    // created.
    let root = place.env.root().to_string_lossy().into_owned();
    let ended = place.run(&["--worktree", "feat", crate::hard::place::GO_ON]).env("WAITS", &root).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    is_gone(&place);
}

// rule: L2
#[test]
fn nobody_enters_a_worktree_that_another_session_works_in() {
    let place = Place::with(&json!({}), waits);
    repository(&place);
    let mut child = begun(&place, &["--worktree", "feat", "Just wait."]);
    let second = place.run(&["--worktree", "feat", "--session-id", &id(3), "Work."]).run();
    assert_eq!(second.code, Some(1), "{second:?}");
    assert!(second.stderr.contains("another session works in the worktree"), "{second:?}");
    assert_eq!(place.transcript(&id(3)), None);
    let other = place.run(&["--worktree", "other", crate::hard::place::GO_ON]).run();
    assert_eq!(other.code, Some(0), "{other:?}");
    assert!(place.env.project().join(".claude/worktrees/feat/a.txt").exists());
    send("INT", &mut child);
    is_gone(&place);
    place.soon_nobody_is_left("interrupted");
}
