//! Grep and Glob in real trees.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support::{Tree, object, pipe};
use becket_engine::CancellationToken;
use becket_testkit::proc::{threads, wait_until};
use serde_json::json;
use std::fs::File;
use std::time::{Duration, SystemTime};

/// Creates a tree to search in.
fn project() -> Tree {
    let tree = Tree::new();
    std::fs::create_dir(tree.work().join(".git")).unwrap();
    tree.write("work/.gitignore", "target/\n*.log\n");
    tree.write("work/src/main.rs", "fn main() {\n    todo();\n}\n");
    tree.write("work/src/lib.rs", "//! Todo\nfn a() {}\nfn b() {\n}\n");
    tree.write("work/web/app.ts", "todo\n");
    tree.write("work/target/out.rs", "fn main() { todo(); }\n");
    tree.write("work/x.log", "todo\n");
    tree.write("work/.hidden/h.rs", "fn main() { todo(); }\n");
    tree.write("work/blob", b"todo\0todo\n");
    tree
}

// rule: H8
#[tokio::test]
async fn grep_finds_what_ripgrep_would() {
    let tree = project();
    let host = tree.host();
    for (input, text) in [
        (json!({"pattern": "todo"}), "src/main.rs\nweb/app.ts\n[binary files that were not searched: 1]"),
        (json!({"pattern": "todo", "-i": true, "type": "rust"}), "src/lib.rs\nsrc/main.rs"),
        (json!({"pattern": "todo", "glob": "*.ts"}), "web/app.ts"),
        (json!({"pattern": "todo", "glob": "!*.ts", "path": "web"}), "No files found"),
        (json!({"pattern": "todo", "glob": "*.log"}), "No files found"),
        (json!({"pattern": "todo", "glob": ".hidden/**"}), ".hidden/h.rs"),
        (json!({"pattern": "todo", "path": "x.log"}), "x.log"),
        (json!({"pattern": "fn", "path": "src", "output_mode": "count"}), "src/lib.rs:2\nsrc/main.rs:1"),
        (
            json!({"pattern": "fn", "path": "src", "output_mode": "content"}),
            "src/lib.rs:2:fn a() {}\nsrc/lib.rs:3:fn b() {\nsrc/main.rs:1:fn main() {",
        ),
        (
            json!({"pattern": "fn a|fn m", "path": "src", "output_mode": "content", "-n": false, "-A": 1}),
            "src/lib.rs:fn a() {}\nsrc/lib.rs-fn b() {\n--\nsrc/main.rs:fn main() {\nsrc/main.rs-    todo();",
        ),
        (
            json!({"pattern": "todo", "path": "src/main.rs", "output_mode": "content", "-C": 1}),
            "src/main.rs-1-fn main() {\nsrc/main.rs:2:    todo();\nsrc/main.rs-3-}",
        ),
        (
            json!({"pattern": "b\\(\\) \\{\\n\\}", "multiline": true, "path": "src", "output_mode": "content"}),
            "src/lib.rs:3:fn b() {\nsrc/lib.rs:4:}",
        ),
        (
            json!({"pattern": "fn", "path": "src", "output_mode": "content", "head_limit": 1, "offset": 1}),
            "src/lib.rs:3:fn b() {\n[there is more: go on with offset 2, or narrow the search]",
        ),
        (
            json!({"pattern": "fn", "path": "src", "output_mode": "count", "offset": 9}),
            "No matches found\n[offset 9 is past the last of 2 lines]",
        ),
        (json!({"pattern": "nowhere", "output_mode": "content", "path": "src"}), "No matches found"),
        (json!({"pattern": "SECRET", "path": "dirlink"}), "dirlink/secret"),
    ] {
        let answer = host.call("Grep", input.clone()).await;
        assert_eq!((answer.text.as_str(), answer.is_error), (text, false), "{input}");
    }
    let everywhere = host.call("Grep", json!({"pattern": "SECRET"})).await;
    assert!(everywhere.text.starts_with("No files found"), "links are not followed: {}", everywhere.text);
}

// rule: H8
#[tokio::test]
async fn a_search_that_can_t_be_is_refused_by_its_field() {
    let tree = project();
    let host = tree.host();
    for (tool, input, said) in [
        (
            "Grep",
            json!({"pattern": "a(b"}),
            "`pattern` can't be read: regex parse error:\n    a(b\n     ^\nerror: unclosed group",
        ),
        ("Grep", json!({"pattern": "a\\nb"}), "set `multiline`"),
        ("Grep", json!({"pattern": "(?=x)"}), "look-around"),
        ("Grep", json!({"pattern": "(?:x{1000}){1000}"}), "`pattern` can't be read"),
        ("Grep", json!({"pattern": "x", "type": "rst2"}), "`type` has no `rst2`: did you mean `rst`?"),
        ("Grep", json!({"pattern": "x", "glob": "../*"}), "`glob` must stay below"),
        ("Grep", json!({"pattern": "x", "output_mode": "lines"}), "`output_mode`"),
        ("Glob", json!({"pattern": "/etc/*"}), "give the directory as `path`"),
        ("Glob", json!({"pattern": "a/../../*"}), "`pattern` must stay below"),
        ("Glob", json!({"pattern": "[a"}), "`pattern` can't be read"),
        ("Glob", json!({"path": "."}), "`pattern`"),
    ] {
        let answer = host.call(tool, input.clone()).await;
        assert!(answer.is_error && answer.text.contains(said), "{input}: {}", answer.text);
        assert!(host.tools.check(tool, &object(input)).unwrap_err().contains(said));
    }
    for (tool, input, said) in [
        ("Grep", json!({"pattern": "x", "path": "gone"}), "there is no `path`"),
        ("Glob", json!({"pattern": "x", "path": "a.txt"}), "`path` is not a directory"),
    ] {
        let answer = host.call(tool, input).await;
        assert!(answer.is_error && answer.text.contains(said), "{}", answer.text);
    }
}

// rule: H8
#[tokio::test]
async fn glob_names_files_newest_first() {
    let tree = project();
    let host = tree.host();
    let now = SystemTime::now();
    for (path, age) in [("src/main.rs", 10), ("src/lib.rs", 5), ("web/app.ts", 20), ("a.txt", 1)] {
        let file = File::options().append(true).open(tree.work().join(path)).unwrap();
        file.set_modified(now - Duration::from_secs(age)).unwrap();
    }
    for (input, text) in [
        (json!({"pattern": "**/*.rs"}), "src/lib.rs\nsrc/main.rs"),
        (json!({"pattern": "*.rs"}), "src/lib.rs\nsrc/main.rs"),
        (json!({"pattern": "*.{rs,ts}"}), "src/lib.rs\nsrc/main.rs\nweb/app.ts"),
        (json!({"pattern": "*.ts", "path": "web"}), "web/app.ts"),
        (json!({"pattern": "*.log"}), "No files found"),
        (json!({"pattern": ".hidden/*"}), ".hidden/h.rs"),
        (json!({"pattern": "dirlink/*"}), "No files found"),
    ] {
        let answer = host.call("Glob", input.clone()).await;
        assert_eq!((answer.text.as_str(), answer.is_error), (text, false), "{input}");
    }
    let answer = host.call("Glob", json!({"pattern": "*.ts"})).await;
    let keys: Vec<&String> = answer.response.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["durationMs", "numFiles", "filenames", "truncated"]);
}

// rule: H8
#[tokio::test]
async fn results_are_bounded() {
    let tree = Tree::new();
    for number in 0..400 {
        tree.write(&format!("work/many/f{number:03}.txt"), "needle\n".repeat(3));
    }
    tree.write("work/wide.txt", format!("needle{}\n", "€".repeat(100_000)));
    tree.write("work/long.txt", format!("needle{}\n", "x".repeat(400)).repeat(1_000));
    let host = tree.host();
    let glob = host.call("Glob", json!({"pattern": "many/*"})).await;
    assert!(glob.text.ends_with("[the newest 100 of 400 files: narrow the pattern or the path]"));
    assert_eq!((&glob.response["numFiles"], &glob.response["truncated"]), (&json!(100), &json!(true)));
    let grep = host.call("Grep", json!({"pattern": "needle", "path": "many"})).await;
    assert!(
        grep.text.ends_with("many/f249.txt\n[there is more: go on with offset 250, or narrow the search]")
    );
    assert_eq!(grep.response["appliedLimit"], 250);
    let all = host.call("Grep", json!({"pattern": "needle", "path": "many", "head_limit": 0})).await;
    assert_eq!(all.response["numFiles"], 400);
    let wide = json!({"pattern": "needle", "path": "wide.txt", "output_mode": "content"});
    assert_eq!(host.call("Grep", wide).await.text.chars().count(), "wide.txt:1:".len() + 500 + 1);
    let long = json!({"pattern": "needle", "path": "long.txt", "output_mode": "content", "head_limit": 0});
    let long = host.call("Grep", long).await;
    assert!(long.text.len() < (64 << 10) + 100 && long.text.contains("there is more"), "{}", long.text.len());
}

// rules: P7, H8
#[tokio::test]
async fn searches_pass_over_what_a_rule_denies_and_say_so() {
    let tree = project();
    let host = tree.host_of(tree.surroundings().with_denied_reads(|session, path| {
        assert_eq!(session.id.as_str(), "s");
        path.ends_with("src/main.rs")
    }));
    let notice = "[files that a rule keeps from being read: 1]";
    for (tool, input, text) in [
        ("Grep", json!({"pattern": "fn", "path": "src"}), "src/lib.rs"),
        ("Grep", json!({"pattern": "main", "output_mode": "content", "path": "src"}), "No matches found"),
        ("Grep", json!({"pattern": "main", "path": "src/main.rs"}), "No files found"),
        ("Glob", json!({"pattern": "*.rs"}), "src/lib.rs"),
    ] {
        assert_eq!(host.call(tool, input.clone()).await.text, format!("{text}\n{notice}"), "{input}");
    }
}

// rules: P7, P8, H8
#[tokio::test]
async fn a_search_behind_a_link_passes_over_what_a_rule_denies_too() {
    let tree = project();
    let denied = [tree.work().join("src"), tree.base.join("more")];
    tree.link("work/src", "work/alias");
    let host = tree.host_of(
        tree.surroundings().with_denied_reads(move |_, path| denied.iter().any(|dir| path.starts_with(dir))),
    );
    // `deep` is a link to `more/deep`, so its parent is not the one in its name.
    for path in ["alias", "alias/lib.rs", "deep/../m.txt", "deep/.."] {
        let answer = host.call("Grep", json!({"pattern": "fn|more", "path": path})).await;
        assert!(answer.text.starts_with("No files found"), "{path}: {}", answer.text);
    }
}

// rule: H8
#[test]
fn ignore_files_that_are_no_files_hold_no_search_up() {
    for (device, at) in [(None, ""), (None, "src/"), (Some("/dev/zero"), ""), (Some("/dev/zero"), "src/")] {
        for name in [".ignore", ".gitignore"] {
            let tree = project();
            let path = tree.work().join(at).join(name);
            drop(std::fs::remove_file(&path));
            match device {
                None => pipe(&path),
                Some(device) => std::os::unix::fs::symlink(device, &path).unwrap(),
            }
            let (told, ended) = std::sync::mpsc::channel();
            // Dropping the runtime of a search that hangs would block forever.
            std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                for (tool, path) in [("Grep", "."), ("Glob", "."), ("Grep", "src"), ("Glob", "src")] {
                    let input = json!({"pattern": "*", "path": path});
                    let input = if tool == "Grep" { json!({"pattern": "fn", "path": path}) } else { input };
                    told.send(runtime.block_on(tree.host().call(tool, input)).is_error).unwrap();
                }
            });
            for _ in 0..4 {
                assert_eq!(ended.recv_timeout(Duration::from_secs(60)), Ok(false), "{device:?} {at}{name}");
            }
        }
    }
}

// rule: H8
#[tokio::test]
async fn pipes_in_a_tree_hold_no_search_up() {
    let tree = project();
    pipe(&tree.work().join("pipe.rs"));
    for (tool, input) in [
        ("Grep", json!({"pattern": "todo"})),
        ("Grep", json!({"pattern": "todo", "path": "pipe.rs"})),
        ("Glob", json!({"pattern": "*"})),
    ] {
        let call = tree.host();
        let answer = tokio::time::timeout(Duration::from_secs(60), call.call(tool, input)).await.unwrap();
        assert!(!answer.is_error && !answer.text.contains("pipe.rs"), "{}", answer.text);
    }
}

// rules: H8, H4
#[test]
fn a_dropped_or_cancelled_search_ends_its_thread() {
    let tree = Tree::new();
    // Three gigabytes to search, of which little is on disk: links to one file.
    let large = tree.write("work/large", "x".repeat(8 << 20));
    for number in 0..400 {
        std::fs::hard_link(&large, tree.work().join(format!("large{number}"))).unwrap();
    }
    let host = tree.host();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_keep_alive(Duration::from_millis(1))
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let before = threads();
        let input = json!({"pattern": "(a|b|c)+y", "output_mode": "count"});
        let cancel = CancellationToken::new();
        let call = host.call_until("Grep", input.clone(), &cancel);
        assert!(
            tokio::time::timeout(Duration::from_millis(50), call).await.is_err(),
            "it was too fast to be dropped"
        );
        assert!(wait_until(|| threads() <= before), "{} threads, {before} before", threads());
        let call = host.call_until("Grep", input.clone(), &cancel);
        let (answer, ()) = tokio::join!(call, async {
            becket_testkit::wait::until("the search has its thread", || threads() > before).await;
            cancel.cancel();
        });
        assert!(answer.is_error && answer.text.contains("cancelled"), "{}", answer.text);
        assert!(wait_until(|| threads() <= before), "{} threads, {before} before", threads());
    });
}

// rule: D11
#[test]
fn a_response_that_a_hook_rewrote_is_shown_if_it_has_the_shape() {
    let host = Tree::new().host();
    for (tool, response, text) in [
        ("Glob", json!({"filenames": ["a", "b"]}), Some("a\nb")),
        ("Glob", json!({"filenames": []}), Some("No files found")),
        ("Glob", json!({"filenames": [1]}), None),
        ("Grep", json!({"mode": "files_with_matches", "filenames": ["a"]}), Some("a")),
        ("Grep", json!({"mode": "content", "filenames": ["a"], "content": "a:1:x"}), Some("a:1:x")),
        ("Grep", json!({"mode": "content", "filenames": ["a"]}), None),
        ("Grep", json!({"mode": "other", "filenames": []}), None),
        ("Grep", json!("text"), None),
    ] {
        assert_eq!(host.text_of(tool, &response).as_deref(), text, "{tool} {response}");
    }
}

// rule: H8
#[tokio::test]
async fn ignore_files_without_measure_are_not_read() {
    let tree = project();
    let large = "x[!c]?*yz\n".repeat(40_000);
    tree.write("work/web/.ignore", &large);
    for depth in ["far", "far/far", "far/far/far"] {
        tree.write(&format!("work/{depth}/.ignore"), &large[..large.len() / 4]);
        tree.write(&format!("work/{depth}/found.ts"), "todo\n");
    }
    let found = tree.host().call("Grep", json!({"pattern": "todo", "type": "ts"})).await;
    assert_eq!(found.text, "far/far/found.ts\nfar/found.ts", "what counts for one file is bounded");
}
