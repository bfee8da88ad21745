//! Command lines that mode `default` runs without asking, with a proof that they are harmless.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support::{PATH, Tree};
use becket_engine::Environment;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn cases(tree: &Tree) -> Vec<(String, bool)> {
    let table: Value = serde_json::from_str(include_str!("../cases/lines.json")).unwrap();
    let place = |name: &str| tree.base.join(name).display().to_string();
    let case = |case: &Value| {
        let line =
            case["line"].as_str().unwrap().replace("OUT", &place("outside")).replace("MORE", &place("more"));
        (line, case["unasked"].as_bool().unwrap())
    };
    table["cases"].as_array().unwrap().iter().map(case).collect()
}

// rules: P14, H8
#[test]
fn each_line_of_the_table_is_judged_as_it_says() {
    let tree = Tree::new();
    let host = tree.host();
    let wrong: Vec<String> = cases(&tree)
        .into_iter()
        .filter(|(line, unasked)| host.unasked("Bash", json!({"command": line})) != *unasked)
        .map(|(line, unasked)| format!("{line:?} must be {}", if unasked { "unasked" } else { "asked" }))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

// rule: P14
#[tokio::test]
async fn lines_that_run_unasked_change_nothing_and_show_nothing_from_outside() {
    let tree = Tree::new();
    let host = tree.host();
    let before = tree.snapshot();
    let mut ran = 0;
    for (line, _) in
        cases(&tree).into_iter().filter(|(line, _)| host.unasked("Bash", json!({"command": line})))
    {
        let answer = host.call("Bash", json!({"command": line, "timeout": 60_000})).await;
        assert!(!answer.text.contains("SECRET"), "{line}: {}", answer.text);
        assert!(!answer.text.contains("timed out"), "{line}");
        ran += 1;
    }
    assert!(ran > 50, "only {ran} lines ran");
    assert!(tree.snapshot() == before, "something was written");
}

/// The commands that other hosts run without asking (a program of the list may be missing here, so each is created).
const HARMLESS: &str = "echo hi|printf x|true|test -f a.txt|[ -f a.txt ]|date|whoami|id|uname|hostname|sort a.txt|\
    cut -d: -f1 a.txt|tr a b|nl a.txt|rev a.txt|tac a.txt|paste a.txt|comm a.txt sub/b.txt|cmp a.txt sub/b.txt|od a.txt|\
    strings a.txt|file a.txt|df|free|uptime|ps|type ls|basename a|dirname a/b|realpath .|readlink a.txt|md5sum a.txt|\
    sha256sum a.txt|base64 a.txt|seq 3|expr 1 + 1|sleep 0|egrep one a.txt|fgrep one a.txt|rg one|tree|jq . a.txt|\
    sed -n 1p a.txt|node --version|python3 --version|xargs echo|man ls|history|timeout 5 ls|nproc|locale|cal|arch|groups|\
    ls *.txt|echo $HOME";

// rule: P14
#[test]
fn harmless_commands_are_unasked_wherever_their_programs_are_installed() {
    let tree = Tree::new();
    let lines: Vec<&str> = HARMLESS.split('|').map(str::trim).collect();
    for line in &lines {
        let name = line.split(' ').next().unwrap();
        let program = tree.write(&format!("programs/{name}"), "#!/bin/sh\n");
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let path = tree.base.join("programs");
    let asked: Vec<&str> = lines
        .into_iter()
        .filter(|line| !unasked_in(&tree, tree.environment().with_var("PATH", &path), line))
        .collect();
    assert!(asked.is_empty(), "{asked:?}");
}

// rules: O8, P14
#[test]
fn the_session_s_own_files_are_read_unasked_and_not_written() {
    let tree = Tree::new();
    let own = tree.base.join("outside");
    let own_files = own.clone();
    let host = tree.host_of(tree.surroundings().with_readable(move |_| vec![own_files.clone()]));
    let file = own.join("secret").display().to_string();
    assert!(host.unasked("Read", json!({"file_path": file})));
    assert!(host.unasked("Grep", json!({"pattern": "x", "path": own})));
    assert!(!tree.host().unasked("Read", json!({"file_path": file})));
    let beside = tree.base.join("beside").display().to_string();
    assert!(!host.unasked("Read", json!({"file_path": beside})));
    assert!(!host.unasked("Write", json!({"file_path": file, "content": "x"})));
    assert!(!host.unasked("Bash", json!({"command": format!("echo x > {file}")})));
}

// rule: P14
#[test]
fn reads_and_searches_are_unasked_by_where_they_really_are() {
    let tree = Tree::new();
    let host = tree.host();
    let at = |path: &str| tree.base.join(path).display().to_string();
    for (path, unasked) in [
        ("work/a.txt", true),
        ("work/new/file", true),
        ("work/inside-link", true),
        ("more/m.txt", true),
        ("work/.git/config", true),
        ("work/link", false),
        ("work/dirlink/secret", false),
        ("work/dangling", false),
        ("work/../outside/secret", false),
        ("work/deep/../out", false),
        ("outside/secret", false),
        ("workshop", false),
    ] {
        assert_eq!(host.unasked("Read", json!({"file_path": at(path)})), unasked, "Read {path}");
    }
    assert!(!host.unasked("Read", json!({"file_path": "a.txt"})), "a relative path is nobody's");
    for (path, unasked) in
        [("work", true), ("more", true), ("work/dirlink", false), ("outside", false), ("", false)]
    {
        let (grep, glob) =
            (json!({"pattern": "x", "path": at(path)}), json!({"pattern": "*", "path": at(path)}));
        assert_eq!(host.unasked("Grep", grep), unasked, "Grep {path}");
        assert_eq!(host.unasked("Glob", glob), unasked, "Glob {path}");
    }
    assert!(host.unasked("Grep", json!({"pattern": "x"})) && host.unasked("Glob", json!({"pattern": "*"})));
    assert!(host.unasked("Grep", json!({"pattern": "x", "path": "sub"})));
    assert!(!host.unasked("Grep", json!({"pattern": "x", "path": "../outside"})));
    assert!(!host.unasked("Write", json!({"file_path": at("work/a.txt")})), "an unknown tool");
    assert!(!host.unasked("Bash", json!({"command": "ls", "more": 1})), "an input that does not fit");
    assert!(!host.unasked("Bash", json!({"command": "ls", "run_in_background": true})));
}

fn unasked_in(tree: &Tree, environment: Environment, line: &str) -> bool {
    let surroundings = becket_tools::Surroundings::new(environment);
    tree.host_of(surroundings).unasked("Bash", json!({"command": line}))
}

// rule: P14
#[test]
fn an_environment_that_leads_into_the_tree_is_asked() {
    let tree = Tree::new();
    let own = tree.write("work/bin/ls", "#!/bin/sh\ntouch planted\n");
    std::fs::set_permissions(&own, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    tree.link("work/bin", "bin");
    let at = |path: &str| tree.base.join(path).display().to_string();
    for (name, value, unasked) in [
        ("PATH", PATH.to_owned(), true),
        ("PATH", format!("{}:{PATH}", at("work/bin")), false),
        ("PATH", format!("{}:{PATH}", at("bin")), false),
        ("PATH", format!("{PATH}:{}", at("work/bin")), true),
        ("PATH", format!("{}:{PATH}", at("work/sub")), true),
        ("PATH", format!(".:{PATH}"), false),
        ("PATH", format!(":{PATH}"), false),
        ("PATH", format!("bin:{PATH}"), false),
        ("PATH", String::new(), false),
        ("LD_PRELOAD", at("work/x.so"), false),
        ("LD_PRELOAD", "x.so".to_owned(), false),
        ("LD_LIBRARY_PATH", "/usr/lib:".to_owned(), false),
        ("LD_LIBRARY_PATH", "/usr/lib".to_owned(), true),
        ("BASH_ENV", at("work/a.txt"), false),
        ("BASH_ENV", "/etc/profile".to_owned(), true),
        ("BASH_FUNC_ls%%", "() { touch planted; }".to_owned(), false),
        ("BASH_FUNC_module%%", "() { :; }".to_owned(), true),
        ("BASH_FUNC_cd%%", "() { touch planted; }".to_owned(), true),
        ("POSIXLY_CORRECT", "1".to_owned(), false),
        ("GREP_OPTIONS", "-R".to_owned(), false),
        ("CDPATH", "/".to_owned(), false),
        ("SHELLOPTS", "xtrace".to_owned(), false),
        ("LANG", "C".to_owned(), true),
    ] {
        let environment = tree.environment().with_var(name, &value);
        assert_eq!(unasked_in(&tree, environment, "ls"), unasked, "{name}={value}");
    }
    assert!(!unasked_in(&tree, Environment::empty(), "ls"), "no PATH at all");
    for name in ["cd", "pwd"] {
        let environment = tree.environment().with_var(format!("BASH_FUNC_{name}%%"), "() { :; }");
        assert!(!unasked_in(&tree, environment, &format!("{name} sub").replace("pwd sub", "pwd")), "{name}");
    }
}

// rule: P14
#[test]
fn text_beyond_ascii_is_certain_in_encodings_that_can_t_hide_a_quote() {
    let tree = Tree::new();
    for (name, value, unasked) in [
        ("LANG", "de_DE.UTF-8", true),
        ("LC_ALL", "C", true),
        ("LC_ALL", "C.utf8", true),
        ("LC_CTYPE", "ca_ES.UTF-8@valencia", true),
        ("LANG", "ja_JP.SJIS", false),
        ("LC_ALL", "zh_CN.GBK", false),
        ("LC_CTYPE", "de_DE", false),
    ] {
        let environment = tree.environment().with_var(name, value);
        assert_eq!(unasked_in(&tree, environment.clone(), "cat 'ä.txt'"), unasked, "{name}={value}");
        assert!(unasked_in(&tree, environment, "cat a.txt"), "{name}={value}");
    }
    assert!(unasked_in(&tree, tree.environment(), "cat 'ä.txt'"));
}

// rules: H12, P14
#[test]
fn variables_of_hooks_make_a_line_uncertain() {
    let tree = Tree::new();
    for (text, unasked) in [("", true), ("export PATH=.:$PATH\n", false)] {
        let file = tree.write("env.sh", text);
        let host = tree.host_of(tree.surroundings().with_env_files(move |_| vec![file.clone()]));
        assert_eq!(host.unasked("Bash", json!({"command": "ls"})), unasked, "{text:?}");
    }
}

// rules: P7, P14
#[test]
fn what_a_rule_denies_is_read_by_no_command_unasked() {
    let tree = Tree::new();
    tree.link("work/sub/b.txt", "work/other-name");
    let deny = |tree: &Tree| {
        let denied = tree.work().join("sub/b.txt");
        tree.surroundings().with_denied_reads(move |_, path| path == denied)
    };
    let (free, bound) = (tree.host(), tree.host_of(deny(&tree)));
    for (line, unasked) in [
        ("cat a.txt", true),
        ("grep one a.txt", true),
        ("ls -R .", true),
        ("find . -name b.txt", true),
        ("wc sub/b.txt", false),
        ("diff a.txt sub/b.txt", false),
        ("diff a.txt other-name", false),
        ("head sub/../sub/b.txt", false),
        ("grep -r one .", false),
        ("grep one --recursive sub", false),
        ("cat < sub/b.txt", false),
        ("cat sub/*.txt", false),
        ("wc -l s*/*", false),
        ("cat *.txt", true),
        ("echo sub/*", false),
    ] {
        assert!(free.unasked("Bash", json!({"command": line})), "{line}");
        assert_eq!(bound.unasked("Bash", json!({"command": line})), unasked, "{line}");
    }
}

#[test]
fn no_line_stands_twice_in_the_table() {
    let tree = Tree::new();
    let mut seen = BTreeMap::new();
    for (line, unasked) in cases(&tree) {
        assert_eq!(seen.insert(line.clone(), unasked), None, "{line:?}");
    }
    assert!(seen.len() > 300);
}
