//! The check that the configuration of a repository has only keys that can't run anything and lead nowhere else.
//!
//! Accepts much less than git's own grammar, so that nothing can be parsed in two ways: one section or one `key =
//! value` on a line, no backslash, no control character. Anything else is not harmless.

/// Sections, each with its keys; `*` is any key.
const HARMLESS: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "repositoryformatversion",
            "filemode",
            "bare",
            "logallrefupdates",
            "ignorecase",
            "precomposeunicode",
            "symlinks",
            "autocrlf",
            "eol",
            "safecrlf",
            "abbrev",
            "quotepath",
            "longpaths",
            "protecthfs",
            "protectntfs",
        ],
    ),
    ("remote", &["url", "pushurl", "fetch", "push", "tagopt", "prune", "gh-resolved"]),
    (
        "branch",
        &["remote", "merge", "rebase", "pushremote", "description", "autosetuprebase", "vscode-merge-base"],
    ),
    ("user", &["name", "email"]),
    ("pull", &["rebase", "ff"]),
    ("push", &["default", "autosetupremote", "followtags"]),
    ("init", &["defaultbranch"]),
    ("gc", &["auto"]),
    ("color", &["*"]),
    ("advice", &["*"]),
];

/// Returns whether the text is a configuration of harmless keys only.
pub(super) fn is_harmless(text: &str) -> bool {
    let mut keys: &[&str] = &[];
    let odd = |c: char| c == '\\' || (c.is_control() && c != '\t');
    for line in text.lines() {
        if line.contains(odd) {
            return false;
        }
        let line = line.trim_matches([' ', '\t']);
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with('[') {
            match section(line) {
                Some(found) => keys = found,
                None => return false,
            }
        } else if !is_entry(line, keys) {
            return false;
        }
    }
    true
}

/// Returns the harmless keys of `[name]` or `[name "other"]`.
fn section(line: &str) -> Option<&'static [&'static str]> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let (name, other) = match inner.split_once(' ') {
        Some((name, quoted)) => (name, quoted.strip_prefix('"')?.strip_suffix('"')?),
        None => (inner, ""),
    };
    if other.contains(['"', ']', '[']) {
        return None;
    }
    HARMLESS.iter().find(|(harmless, _)| name.eq_ignore_ascii_case(harmless)).map(|(_, keys)| *keys)
}

fn is_entry(line: &str, keys: &[&str]) -> bool {
    let name = line.split_once('=').map_or(line, |(name, _)| name).trim_end_matches([' ', '\t']);
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    plain && !name.is_empty() && keys.iter().any(|key| *key == "*" || name.eq_ignore_ascii_case(key))
}

#[cfg(test)]
mod tests {
    use super::is_harmless;

    // rule: P14
    #[test]
    fn only_what_is_known_to_run_nothing_is_harmless() {
        let plain = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates\n\
            [remote \"origin\"]\n\turl = git@example.com:a/b.git ; c\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\
            # why\n\n[branch \"feat/x.y\"]\n\tmerge = refs/heads/main\r\n[COLOR]\n\tui = auto\n";
        assert!(is_harmless(plain) && is_harmless(""));
        for text in [
            "[core]\n\tfsmonitor = ./evil\n",
            "[core] fsmonitor = ./evil\n",
            "[core]\n\tFsMonitor=./evil",
            "[core]\n\tpager = ./evil\n",
            "[core]\n\thooksPath = hooks\n",
            "[core]\n\tworktree = /\n",
            "[core]\n\tattributesFile = x\n",
            "[core]\n\tfilemode = true \\\n\tx\n",
            "[core]\n\tfilemode = \u{c} true\n",
            "[core]\rfsmonitor = x\n",
            "\u{feff}[core]\n\tbare = false\n",
            "[core \"x\"] fsmonitor = y\n",
            "[core]\n\tfile mode = true\n",
            "bare = false\n",
            "[include]\n\tpath = ../evil\n",
            "[includeIf \"gitdir:/\"]\n\tpath = x\n",
            "[diff]\n\texternal = ./evil\n",
            "[diff \"x\"]\n\ttextconv = ./evil\n",
            "[filter \"x\"]\n\tclean = ./evil\n",
            "[alias]\n\tst = !./evil\n",
            "[log]\n\tshowSignature = true\n",
            "[gpg]\n\tprogram = ./evil\n",
            "[extensions]\n\tworktreeConfig = true\n",
            "[remote \"x\"]\n\tpromisor = true\n",
            "[remote \"x\"]\n\tuploadpack = ./evil\n",
            "[remote.x]\n\turl = y\n",
            "[remote \"x]\n\turl = y\n",
            "[submodule \"x\"]\n\tupdate = !./evil\n",
        ] {
            assert!(!is_harmless(text), "{text:?}");
        }
    }
}
