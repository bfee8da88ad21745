//! Path patterns compared with `git check-ignore`, whose syntax they use.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use becket_rules::{Behavior, Call, NoLinks, RuleList, RuleSet, Scope};

use crate::rules::cases::origin;

/// A temporary directory that is removed when it is dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(&root).unwrap();
        Self(root.canonicalize().unwrap())
    }

    pub(crate) fn file(&self, path: &str) {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const PATHS: [&str; 26] = [
    "a",
    "b",
    "ab",
    "abc",
    "a.b",
    "d/a",
    "d/b",
    "d/e/a",
    "d/e/ab",
    "d/e/f/a",
    "e/a",
    "e/d/a",
    "x/a/b",
    "x/a/d/b",
    "x/y/b",
    "x/ab/b",
    "-a",
    "[a]",
    "a-",
    "A",
    "q/#a",
    "z/b c",
    "!a",
    "d/]",
    "w/a/w/a/b",
    "w/w/b",
];

const PATTERNS: [&str; 66] = [
    "a",
    "a/",
    "d",
    "d/",
    "d/a",
    "d/e",
    "d/*",
    "d/**",
    "d/**/",
    "*/a",
    "**/a",
    "a/**",
    "**/d/**",
    "**",
    "*",
    "?",
    "??",
    "a*",
    "*b",
    "a*c",
    "[ab]",
    "[!a]",
    "[^a]",
    "[a-c]b",
    "[]]",
    "[]a]",
    "[!]]",
    "[a",
    "[a-]",
    "[-a]",
    "[[:alpha:]]",
    "[[:upper:]]",
    "[[:digit:]a]",
    "[[:nope:]]",
    "\\a",
    "\\[a\\]",
    "\\!a",
    "d/**/a",
    "x/**/b",
    "x/*/b",
    "**/a/**/b",
    "w/**/w/**/b",
    "a**b",
    "**b",
    "d/**e",
    "*/**/a",
    "**/**/b",
    "e/*/a",
    "[d]/a",
    "d[/]a",
    "*.b",
    "a.?",
    "\\*",
    "b ",
    "z/b c",
    "b c",
    "#a",
    "a\\",
    "d/\\",
    "*/*/*",
    "*/*/*/",
    "**/",
    "*/",
    "d/e/",
    "w/a/w",
    "[A-Z]",
];

fn allows(root: &Path, pattern: &str, path: &str) -> bool {
    let mut rules = RuleSet::default();
    rules.add(RuleList::Allow, &format!("Read({pattern})"), origin()).unwrap();
    let input = serde_json::json!({ "file_path": path });
    let scope = Scope { cwd: root, home: None, anchor: root, links: &NoLinks };
    rules.decide(&Call::new("Read", input.as_object().unwrap()), &scope).behavior == Behavior::Allow
}

fn ignored_by_git(root: &Path, pattern: &str) -> Vec<String> {
    std::fs::write(root.join(".git/info/exclude"), format!("{pattern}\n")).unwrap();
    let mut git = Command::new("git")
        .args(["-c", "core.ignorecase=false", "check-ignore", "--no-index", "--stdin", "-z"])
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    git.stdin.take().unwrap().write_all(PATHS.join("\0").as_bytes()).unwrap();
    let output = git.wait_with_output().unwrap();
    assert!(output.status.code().is_some_and(|code| code < 2), "{output:?}");
    String::from_utf8(output.stdout).unwrap().split_terminator('\0').map(str::to_owned).collect()
}

// rule: P7
#[test]
fn patterns_mean_what_git_says() {
    let folder = Folder::new("git-ignore");
    let made = Command::new("git").args(["init", "-q"]).current_dir(&folder.0).status();
    assert!(made.is_ok_and(|status| status.success()), "git is needed to judge the patterns");
    PATHS.iter().for_each(|path| folder_file(&folder, path));
    let mut wrong = Vec::new();
    for pattern in PATTERNS {
        // A `#` and a leading `\!` belong to the file's syntax, not to the pattern's.
        let written = if pattern.starts_with('#') { format!("\\{pattern}") } else { pattern.to_owned() };
        let ignored = ignored_by_git(&folder.0, &written);
        for path in PATHS {
            let expected = ignored.iter().any(|ignored| ignored == path);
            let allowed = allows(&folder.0, pattern, path);
            // P7 restricts an allow for one directory (`src/`) to its starting point.
            let narrowed = expected && pattern.matches('/').count() == 1 && pattern.ends_with('/');
            if allowed != expected && !narrowed {
                wrong.push(format!("`{pattern}` on `{path}`: git says {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Creates a file or a directory. A file `a` and a directory `a/` can't both exist: a name that is taken stays.
fn folder_file(folder: &Folder, path: &str) {
    let taken = PATHS.iter().any(|other| other.starts_with(&format!("{path}/")));
    if !taken {
        folder.file(path);
    }
}
