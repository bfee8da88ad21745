//! Symbolic links: a link does not evade a rule, in either direction (P8).
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use becket_rules::{Behavior, Call, Links, RuleList, RuleSet, Scope};

use crate::rules::cases::origin;
use crate::rules::path_git::Folder;

/// A resolver that reads the file system.
struct Disk;

impl Links for Disk {
    fn target(&self, path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok().filter(|target| target != path)
    }
}

fn decide(root: &Path, rules: &[(RuleList, &str)], path: &str) -> Behavior {
    let mut set = RuleSet::default();
    for (list, rule) in rules {
        set.add(*list, rule, origin()).unwrap();
    }
    let input = serde_json::json!({ "file_path": path });
    let scope = Scope { cwd: root, home: None, anchor: root, links: &Disk };
    set.decide(&Call::new("Read", input.as_object().unwrap()), &scope).behavior
}

// rule: P8
#[test]
fn an_allow_needs_the_link_and_its_target_and_a_deny_either() {
    let folder = Folder::new("links");
    let root = folder.0.join("app");
    for path in ["app/src/real", "app/secret/key", "outside/key"] {
        folder.file(path);
    }
    symlink(root.join("secret/key"), root.join("src/key")).unwrap();
    symlink(root.join("src/real"), root.join("secret/open")).unwrap();
    symlink(folder.0.join("outside"), root.join("src/out")).unwrap();
    let allow = [(RuleList::Allow, "Read(src/**)")];
    for (path, expected) in [
        ("src/real", Behavior::Allow),
        ("src/key", Behavior::Undecided),
        ("src/out/key", Behavior::Undecided),
        ("secret/open", Behavior::Undecided),
    ] {
        assert_eq!(decide(&root, &allow, path), expected, "{path}");
    }
    let both = [(RuleList::Allow, "Read(src/**)"), (RuleList::Allow, "Read(secret/**)")];
    assert_eq!(decide(&root, &both, "src/key"), Behavior::Undecided, "one rule must cover both names");
    let deny = [(RuleList::Deny, "Read(/secret/**)")];
    let mut set = RuleSet::default();
    set.add(deny[0].0, deny[0].1, becket_rules::RuleOrigin { label: String::new(), anchor: root.clone() })
        .unwrap();
    let scope = Scope { cwd: &root, home: None, anchor: &root, links: &Disk };
    for (path, expected) in [
        ("src/key", Behavior::Deny),
        ("secret/open", Behavior::Deny),
        ("src/real", Behavior::Undecided),
        // The system follows the link before it goes up: this is `outside/../app/secret/key`.
        ("src/out/../app/secret/key", Behavior::Deny),
    ] {
        let input = serde_json::json!({ "file_path": path });
        let call = Call::new("Read", input.as_object().unwrap());
        assert_eq!(set.decide(&call, &scope).behavior, expected, "{path}");
    }
}

// rule: P8
#[test]
fn a_cwd_behind_a_link_is_the_same_cwd() {
    let folder = Folder::new("linked-cwd");
    folder.file("real/src/a");
    symlink(folder.0.join("real"), folder.0.join("link")).unwrap();
    let rules = [(RuleList::Allow, "Read(src/**)")];
    assert_eq!(decide(&folder.0.join("link"), &rules, "src/a"), Behavior::Allow);
}
