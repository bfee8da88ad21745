//! Git without asking: the allowed commands, and the repositories in which they are allowed.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support::{Host, PATH, Tree};
use serde_json::json;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

/// Runs git as a user without a configuration.
fn git(directory: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"])
        .args(args);
    command.current_dir(directory).env_clear().env("PATH", PATH).env("HOME", "/nonexistent");
    let done = command.output().unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Creates a tree whose cwd is a repository with one commit.
fn repository() -> Tree {
    let tree = Tree::new();
    git(&tree.work(), &["init", "-q", "-b", "main"]);
    git(&tree.work(), &["add", "a.txt", "sub"]);
    git(&tree.work(), &["commit", "-qm", "first"]);
    tree.write("work/a.txt", "one\nchanged\n");
    tree
}

fn unasked(host: &Host, line: &str) -> bool {
    host.unasked("Bash", json!({"command": line}))
}

const READS: &[&str] = &[
    "git status",
    "git status --short --branch",
    "git --no-pager log --oneline -5",
    "git log -n 3 --stat -- a.txt",
    "git log --format='%h %s GMT' --since=2.weeks",
    "git diff",
    "git diff --stat HEAD",
    "git diff --cached",
    "git diff HEAD~0 -- a.txt sub/b.txt",
    "git show HEAD",
    "git show HEAD:a.txt",
    "git show --name-only HEAD",
    "git blame -L 1,2 a.txt",
    "git branch",
    "git stash list",
    "git branch -a",
    "git branch --show-current",
    "git tag --list",
    "git remote -v",
    "git rev-parse --abbrev-ref HEAD",
    "git rev-parse --show-toplevel",
    "git ls-files",
    "git ls-files --others --exclude-standard",
    "git diff | head -5 && git status",
    "cd sub && git status",
];

const OTHERS: &[&str] = &[
    "git -c core.pager=./evil log",
    "git -c core.fsmonitor=./evil status",
    "git --config-env=core.pager=X log",
    "git -p log",
    "git --paginate log",
    "git -C /etc status",
    "git -C sub status",
    "git --git-dir=/x log",
    "git --work-tree=/ status",
    "git --exec-path=. status",
    "git diff --ext-diff",
    "git diff --textconv",
    "git diff --output=y",
    "git diff --output y",
    "git diff --outp=y",
    "git log --output=y",
    "git log --textconv -p",
    "git log --ext-diff -p",
    "git log --show-signature",
    "git log --format=%G?",
    "git log --format='%h %GS'",
    "git log --pretty='format:%s%+GK'",
    "git show --format='tformat:%-G?' HEAD",
    "git branch --sort=signature",
    "git branch --sort=-signature:grade",
    "git tag --list --sort='*signature:key'",
    "git status -v",
    "git status -vv",
    "git status --verbose",
    "git log -L1,2:a.txt",
    "git show --output=y HEAD",
    "git diff -O../outside/secret",
    "git diff --no-index a.txt ../outside/secret",
    "git diff a.txt ../outside/secret",
    "git diff /etc/passwd /etc/group",
    "git diff -- /etc/passwd /etc/group",
    "git diff /dev/null ../outside/secret",
    "git diff --pretty ../outside/secret",
    "git log --format ../outside/secret",
    "git log --stdin",
    "git blame --contents ../outside/secret a.txt",
    "git blame -S ../outside/secret a.txt",
    "git blame --ignore-revs-file=/etc/passwd a.txt",
    "git branch new",
    "git branch -D main",
    "git branch -m main other",
    "git branch --edit-description",
    "git branch --format='%(signature)'",
    "git tag v1",
    "git tag -d v1",
    "git tag -v v1",
    "git remote add x y",
    "git remote show origin",
    "git remote update",
    "git commit -m x",
    "git add .",
    "git checkout main",
    "git switch main",
    "git restore a.txt",
    "git reset --hard",
    "git stash",
    "git fetch",
    "git pull",
    "git push",
    "git clone x y",
    "git clean -fd",
    "git gc",
    "git config user.name x",
    "git config --list",
    "git grep -O./evil one",
    "git grep --open-files-in-pager=./evil one",
    "git submodule foreach ls",
    "git bisect run ls",
    "git rebase -x ls",
    "git difftool",
    "git shortlog",
    "git archive HEAD",
    "git st",
    "git help log",
    "git rev-parse --parseopt",
    "git ls-files --recurse-submodules",
    "git ls-files -X/etc/passwd",
    "git status > y",
    "git log $X",
    "git log ~",
];

// rule: P14
#[tokio::test]
async fn git_that_reads_is_unasked_and_changes_nothing() {
    let tree = repository();
    let host = tree.host();
    let before = tree.snapshot();
    for line in READS {
        assert!(unasked(&host, line), "{line}");
        let answer = host.call("Bash", json!({"command": line})).await;
        assert!(!answer.is_error, "{line}: {}", answer.text);
    }
    assert!(tree.snapshot() == before, "something was written");
}

// rule: P14
#[test]
fn git_that_may_do_more_is_asked() {
    let tree = repository();
    let host = tree.host();
    let wrong: Vec<&&str> = OTHERS.iter().filter(|line| unasked(&host, line)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// A way to make git run a program, or read outside the tree, with a proof that git itself does so.
struct Trap {
    name: &'static str,
    set: fn(&Tree),
    /// The line whose run touches `planted`, if the trap itself is enough for that.
    springs: Option<&'static str>,
}

fn config(tree: &Tree, text: &str) {
    let path = tree.work().join(".git/config");
    fs::write(&path, fs::read_to_string(&path).unwrap() + text).unwrap();
}

fn evil(tree: &Tree, path: &str) -> String {
    let planted = tree.base.join("planted");
    let file = tree.write(path, format!("#!/bin/sh\ntouch '{}'\ncat\n", planted.display()));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    file.display().to_string()
}

const TRAPS: &[Trap] = &[
    Trap {
        name: "core.fsmonitor",
        set: |tree| config(tree, &format!("[core]\n\tfsmonitor = {}\n", evil(tree, "work/evil"))),
        springs: Some("git status"),
    },
    Trap {
        name: "diff.external",
        set: |tree| config(tree, &format!("[diff]\n\texternal = {}\n", evil(tree, "work/evil"))),
        springs: Some("git diff"),
    },
    Trap {
        name: "a textconv driver",
        set: |tree| {
            config(tree, &format!("[diff \"x\"]\n\ttextconv = {}\n", evil(tree, "work/evil")));
            tree.write("work/.gitattributes", "*.txt diff=x\n");
        },
        springs: Some("git diff"),
    },
    Trap {
        name: "a clean filter",
        set: |tree| {
            config(tree, &format!("[filter \"x\"]\n\tclean = {}\n", evil(tree, "work/evil")));
            tree.write("work/.gitattributes", "*.txt filter=x\n");
        },
        springs: Some("git diff"),
    },
    Trap {
        name: "a hook for a refreshed index",
        set: |tree| {
            evil(tree, "work/.git/hooks/post-index-change");
            // The same content with another modification time makes git refresh the index.
            tree.write("work/sub/b.txt", "one\nthree\n");
        },
        springs: Some("git status"),
    },
    Trap {
        name: "an included file",
        set: |tree| {
            let program = evil(tree, "work/evil");
            tree.write("work/more.config", format!("[core]\n\tfsmonitor = {program}\n"));
            config(tree, "[include]\n\tpath = ../more.config\n");
        },
        springs: Some("git status"),
    },
    Trap {
        name: "a directory that looks like a repository",
        set: |tree| {
            let program = evil(tree, "work/evil");
            let copied =
                Command::new("cp").args(["-r", ".git/.", "sub/"]).current_dir(tree.work()).status().unwrap();
            assert!(copied.success());
            let work = tree.work().display().to_string();
            let text = format!(
                "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = {work}\n\tfsmonitor = {program}\n"
            );
            tree.write("work/sub/config", text);
        },
        springs: Some("cd sub && git status"),
    },
    Trap {
        name: "a submodule with a configuration of its own",
        set: |tree| {
            let inner = tree.base.join("inner");
            fs::create_dir(&inner).unwrap();
            git(&inner, &["init", "-q", "-b", "main"]);
            git(&inner, &["commit", "-qm", "x", "--allow-empty"]);
            git(&tree.work(), &["submodule", "--quiet", "add", "../inner", "module"]);
            // The outer configuration is as plain as before.
            git(&tree.work(), &["config", "--remove-section", "submodule.module"]);
            let program = evil(tree, "work/evil");
            let own = tree.work().join(".git/modules/module/config");
            fs::write(
                &own,
                fs::read_to_string(&own).unwrap() + &format!("[core]\n\tfsmonitor = {program}\n"),
            )
            .unwrap();
        },
        springs: Some("git status"),
    },
    Trap {
        name: "a repository in another place",
        set: |tree| {
            fs::rename(tree.work().join(".git"), tree.base.join("outside/git")).unwrap();
            tree.write("work/.git", format!("gitdir: {}\n", tree.base.join("outside/git").display()));
        },
        springs: None,
    },
    Trap {
        name: "a link to a repository",
        set: |tree| {
            fs::rename(tree.work().join(".git"), tree.base.join("outside/git")).unwrap();
            tree.link("outside/git", "work/.git");
        },
        springs: None,
    },
    Trap {
        name: "a common directory elsewhere",
        set: |tree| {
            let program = evil(tree, "work/evil");
            let copied =
                Command::new("cp").args(["-r", ".git", "common"]).current_dir(tree.work()).status().unwrap();
            assert!(copied.success());
            let own = tree.work().join("common/config");
            fs::write(
                &own,
                fs::read_to_string(&own).unwrap() + &format!("[core]\n\tfsmonitor = {program}\n"),
            )
            .unwrap();
            tree.write("work/.git/commondir", "../common\n");
        },
        springs: Some("git status"),
    },
    Trap {
        name: "objects of another repository",
        set: |tree| drop(tree.write("work/.git/objects/info/alternates", "/elsewhere/objects\n")),
        springs: None,
    },
    Trap {
        name: "linked objects",
        set: |tree| {
            let objects = tree.work().join(".git/objects");
            fs::rename(&objects, tree.base.join("outside/objects")).unwrap();
            symlink(tree.base.join("outside/objects"), objects).unwrap();
        },
        springs: None,
    },
    Trap {
        name: "linked references",
        set: |tree| tree.link("outside/secret", "work/.git/packed-refs"),
        springs: None,
    },
    Trap {
        name: "a linked state of a rebase",
        set: |tree| {
            tree.write("work/.git/rebase-merge/interactive", "");
            tree.link("outside/secret", "work/.git/rebase-merge/done");
        },
        springs: None,
    },
    Trap {
        name: "linked grafts",
        set: |tree| tree.link("outside/secret", "work/.git/info/grafts"),
        springs: None,
    },
    Trap {
        name: "a work tree elsewhere",
        set: |tree| config(tree, &format!("[core]\n\tworktree = {}\n", tree.base.join("outside").display())),
        springs: None,
    },
    Trap {
        name: "no repository",
        set: |tree| fs::remove_dir_all(tree.work().join(".git")).unwrap(),
        springs: None,
    },
];

// rule: P14
#[tokio::test]
async fn a_repository_that_could_run_something_is_asked_and_really_could() {
    for trap in TRAPS {
        let tree = repository();
        let host = tree.host();
        let line = trap.springs.unwrap_or("git status");
        assert!(unasked(&host, line), "{}: before", trap.name);
        (trap.set)(&tree);
        assert!(!unasked(&host, line), "{}: {line}", trap.name);
        assert!(!unasked(&host, "cd sub && git log -p"), "{}: git log", trap.name);
        if trap.springs.is_some() {
            // Without this the test would prove nothing: git does fall into the trap.
            host.call("Bash", json!({"command": line})).await;
            assert!(tree.base.join("planted").exists(), "{}: the trap does not work", trap.name);
        }
    }
}

/// Adds a commit whose signature git would have `gpgsm` verify, found on a `PATH` that leads into the tree.
fn signed(tree: &Tree) -> Host {
    evil(tree, "work/bin/gpgsm");
    for name in ["git", "sh", "cat", "touch"] {
        let mut found = std::env::split_paths(PATH).map(|dir| dir.join(name));
        let program = found.find(|file| file.exists()).unwrap();
        fs::create_dir_all(tree.base.join("system")).unwrap();
        symlink(program, tree.base.join("system").join(name)).unwrap();
    }
    let signature = "gpgsig -----BEGIN SIGNED MESSAGE-----\n MIIx\n -----END SIGNED MESSAGE-----";
    let text = format!(
        "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\
        {signature}\n\nsigned\n"
    );
    let file = tree.write("commit", text);
    git(&tree.work(), &["hash-object", "-t", "tree", "-w", "/dev/null"]);
    let hash = Command::new("git")
        .args(["hash-object", "-t", "commit", "-w"])
        .arg(file)
        .current_dir(tree.work())
        .output()
        .unwrap();
    git(&tree.work(), &["update-ref", "refs/heads/main", String::from_utf8(hash.stdout).unwrap().trim()]);
    let path = format!("{}:{}", tree.base.join("system").display(), tree.work().join("bin").display());
    tree.host_of(becket_tools::Surroundings::new(tree.environment().with_var("PATH", path)))
}

// rule: P14
#[tokio::test]
async fn a_signature_is_not_verified_by_a_program_of_the_tree() {
    for line in ["git log --format='%h %G?'", "git log --pretty=format:%+GS"] {
        let tree = repository();
        let host = signed(&tree);
        assert!(unasked(&host, "git log --format='%h %s'"), "git itself is the system's");
        assert!(!unasked(&host, line), "{line}");
        host.call("Bash", json!({"command": line})).await;
        assert!(tree.base.join("planted").exists(), "{line}: the trap does not work");
    }
}

// rule: P14
#[test]
fn a_repository_above_the_working_directories_is_asked() {
    let tree = Tree::new();
    git(&tree.base, &["init", "-q"]);
    assert!(!unasked(&tree.host(), "git status"));
}

// rule: P14
#[test]
fn a_directory_that_git_passes_over_vouches_for_nothing() {
    let tree = repository();
    config(&tree, &format!("[core]\n\tfsmonitor = {}\n", evil(&tree, "work/evil")));
    git(&tree.work().join("sub"), &["init", "-q"]);
    let mut host = tree.host();
    host.session.cwd = tree.work().join("sub");
    assert!(unasked(&host, "git status"));
    for head in ["", "nonsense\n", "ref: elsewhere\n", "ref: refs/heads/a\tb\n"] {
        tree.write("work/sub/.git/HEAD", head);
        assert!(!unasked(&host, "git status"), "{head:?}");
    }
    fs::remove_file(tree.work().join("sub/.git/HEAD")).unwrap();
    assert!(!unasked(&host, "git status"));
}

// rules: P7, P14
#[test]
fn git_shows_no_file_unasked_where_a_rule_denies_one() {
    let tree = repository();
    let host = tree.host_of(tree.surroundings().with_denied_reads(|_, path| path.ends_with("secret")));
    for (line, expected) in [
        ("git status", true),
        ("git ls-files", true),
        ("git branch", true),
        ("git diff", false),
        ("git log -p", false),
        ("git show HEAD:a.txt", false),
        ("git blame a.txt", false),
    ] {
        assert_eq!(unasked(&host, line), expected, "{line}");
    }
}

// rule: P14
#[test]
fn variables_that_move_git_are_asked() {
    let tree = repository();
    for (name, unasked) in [
        ("GIT_DIR", false),
        ("GIT_WORK_TREE", false),
        ("GIT_EXTERNAL_DIFF", false),
        ("GIT_CONFIG_COUNT", false),
        ("GIT_EXEC_PATH", false),
        ("GIT_TRACE", false),
        ("GIT_EDITOR", true),
        ("GIT_TERMINAL_PROMPT", true),
    ] {
        let surroundings = becket_tools::Surroundings::new(tree.environment().with_var(name, "x"));
        let found = tree.host_of(surroundings).unasked("Bash", json!({"command": "git status"}));
        assert_eq!(found, unasked, "{name}");
    }
}
