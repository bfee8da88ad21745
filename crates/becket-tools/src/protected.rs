//! Files whose edits always need a permission (`protocol.md` P14): they define what other programs run, or what this
//! one may do. The names are the same for all file systems.
//!
//! Names are compared as on the most lenient file system: without case, without characters that HFS+ ignores, without
//! suffixes that Windows removes. On stricter file systems the price is a needless question.
//!
//! INVARIANT: it reports *protected* for more paths than the table names, never for fewer.

use becket_model::PROTECTED_FILES;
use std::ffi::OsStr;
use std::path::{Component, Path};

/// Names that protect an entry and everything below it, in addition to [`PROTECTED_FILES`]; of several names each is
/// inside the one before.
const PROTECTED: &[&[&str]] = &[
    // The user's own record of trust and servers.
    &[".claude.json"],
    // Files that make git run programs.
    &[".git"],
    &[".gitconfig"],
    &[".gitmodules"],
    &[".config", "git"],
    // Startup files of shells.
    &[".profile"],
    &[".bashrc"],
    &[".bash_profile"],
    &[".bash_login"],
    &[".bash_logout"],
    &[".bash_aliases"],
    &[".zshrc"],
    &[".zshenv"],
    &[".zprofile"],
    &[".zlogin"],
    &[".zlogout"],
    &[".kshrc"],
    &[".mkshrc"],
    &[".cshrc"],
    &[".tcshrc"],
    &[".login"],
    &[".logout"],
    &[".inputrc"],
    &[".pam_environment"],
    &[".config", "fish"],
    &["profile.ps1"],
    &["microsoft.powershell_profile.ps1"],
    // Files that start programs with a desktop or a machine.
    &[".xinitrc"],
    &[".xprofile"],
    &[".xsession"],
    &[".xsessionrc"],
    &[".config", "autostart"],
    &[".config", "systemd"],
    &["library", "launchagents"],
    // Keys and hosts of SSH logins.
    &[".ssh"],
];

/// Returns the names of all protected entries.
fn protected() -> impl Iterator<Item = &'static [&'static str]> {
    PROTECTED_FILES.iter().chain(PROTECTED).copied()
}

/// Directories of agents' worktrees: a worktree is not a setting of the directory that it is in.
const WORK_TREES: [[&str; 2]; 3] =
    [[".claude", "worktrees"], [".becket", "worktrees"], [".agent", "worktrees"]];

/// Returns whether the table names an absolute path, as written. Callers have to check its target, too.
pub(crate) fn is_protected(path: &Path) -> bool {
    let names: Vec<String> = path.components().filter_map(name).map(folded).collect();
    let mut tail = names.as_slice();
    while !tail.is_empty() {
        // The worktree's own name, and something in it.
        if tail.len() > 3 && WORK_TREES.iter().any(|names| begins(tail, names)) {
            tail = tail.get(3..).unwrap_or_default();
            continue;
        }
        if protected().any(|names| begins(tail, names)) {
            return true;
        }
        tail = tail.get(1..).unwrap_or_default();
    }
    false
}

/// Returns whether a path with globs may expand to one that the table names. A glob does not match a name with a
/// leading dot, unless it starts with that dot itself.
pub(crate) fn may_become_protected(path: &Path) -> bool {
    let names: Vec<String> = path.components().filter_map(name).map(folded).collect();
    let is_glob = |name: &String| name.contains(['*', '?', '[']);
    // Few of the names that a leading `*` matches are in the table, and it never matches those with a dot.
    let is_open = |tail: &[String]| tail.first().is_some_and(|name| name.starts_with(['*', '?']));
    let may_begin = |tail: &[String], with: &[&str]| {
        tail.len() >= with.len()
            && !is_open(tail)
            && tail.iter().zip(with).all(|(glob, name)| may_match(glob, name))
    };
    names.iter().any(is_glob)
        && (0..names.len()).any(|from| {
            let tail = names.get(from..).unwrap_or_default();
            protected().any(|with| may_begin(tail, with))
        })
}

/// Returns whether a path is a protected one, or may become it by its globs; with `contents` also, whether a protected one
/// is in it.
pub(crate) fn may_change(path: &Path, contents: bool, kept: &Path) -> bool {
    let names = |path: &Path| -> Vec<String> { path.components().filter_map(name).map(folded).collect() };
    let (path, kept) = (names(path), names(kept));
    let reaches = path.len() == kept.len() || (contents && path.len() < kept.len());
    reaches && path.iter().zip(&kept).all(|(glob, name)| glob == name || may_match(glob, name))
}

/// Returns whether the glob may match the name; a bracket expression counts as any letter.
fn may_match(glob: &str, name: &str) -> bool {
    if name.starts_with('.') && glob.starts_with(['*', '?']) {
        return false;
    }
    let glob: Vec<char> = glob.chars().collect();
    let mut ends = vec![0_usize];
    let letters: Vec<char> = name.chars().collect();
    let mut at = 0;
    while let Some(next) = glob.get(at) {
        at += 1;
        ends = match next {
            '*' => (ends.iter().copied().min().unwrap_or(letters.len() + 1)..=letters.len()).collect(),
            '[' => {
                let close = glob.iter().skip(at + 1).position(|c| *c == ']').map(|close| at + 1 + close);
                let Some(close) = close else { return true };
                at = close + 1;
                ends.iter().map(|end| end + 1).collect()
            }
            '?' => ends.iter().map(|end| end + 1).collect(),
            letter => {
                ends.iter().filter(|end| letters.get(**end) == Some(letter)).map(|end| end + 1).collect()
            }
        };
        ends.retain(|end| *end <= letters.len());
    }
    ends.contains(&letters.len())
}

/// Returns whether a real path is in a directory that git treats as a repository, whatever its name: a bare one, or
/// one with its files elsewhere.
pub(crate) fn is_of_a_repository(real: &Path) -> bool {
    let is_repository = |directory: &Path| {
        directory.join("objects").is_dir()
            && directory.join("refs").is_dir()
            && directory.join("HEAD").symlink_metadata().is_ok()
    };
    real.ancestors().skip(1).any(is_repository)
}

fn begins(names: &[String], with: &[&str]) -> bool {
    names.len() >= with.len() && names.iter().zip(with).all(|(name, with)| name == with)
}

fn name(part: Component<'_>) -> Option<&OsStr> {
    match part {
        Component::Normal(name) => Some(name),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
    }
}

/// Returns a name as the most lenient file system reads it.
fn folded(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    // A stream of a file refers to the file (NTFS).
    let name = name.split(':').next().unwrap_or_default();
    let mut folded = String::with_capacity(name.len());
    for c in name.chars().filter(|c| !is_ignored(*c)) {
        match expanded(c) {
            Some(text) => folded.push_str(text),
            None => folded.extend(c.to_lowercase()),
        }
    }
    let end = folded.trim_end_matches(['.', ' ']).len();
    folded.truncate(end);
    folded
}

/// Returns whether HFS+ ignores the character in a name.
fn is_ignored(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Returns the letters that equal another one without case (Unicode's full case folding, for letters in the table).
fn expanded(c: char) -> Option<&'static str> {
    match c {
        'ſ' => Some("s"),
        'ß' | 'ẞ' => Some("ss"),
        'ﬀ' => Some("ff"),
        'ﬁ' => Some("fi"),
        'ﬂ' => Some("fl"),
        'ﬃ' => Some("ffi"),
        'ﬄ' => Some("ffl"),
        'ﬅ' | 'ﬆ' => Some("st"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: P14
    #[test]
    fn the_table_is_written_as_names_are_compared() {
        for names in protected().chain(WORK_TREES.iter().map(<[&str; 2]>::as_slice)) {
            for name in names {
                assert_eq!(folded(OsStr::new(name)), *name);
            }
        }
    }

    // rule: P14
    #[test]
    fn a_glob_is_protected_where_it_may_become_a_name_of_the_table() {
        for (path, protected) in [
            ("/w/.cla*", true),
            ("/w/.CLA*", true),
            ("/w/.c*/settings.json", true),
            ("/w/.gi?/config", true),
            ("/w/.[gh]it/config", true),
            ("/w/[.]git/config", true),
            ("/w/.*", true),
            ("/w/.config/*", true),
            ("/w/.config/f[", true),
            ("/w/*.o", false),
            ("/w/*", false),
            ("/w/?git", false),
            ("/w/.c*z", false),
            ("/w/src/a*.rs", false),
            ("/w/.claude", false),
        ] {
            assert_eq!(may_become_protected(Path::new(path)), protected, "{path}");
        }
    }

    // rule: P14
    #[test]
    fn a_directory_is_protected_by_what_is_in_it() {
        for (path, contents, changes) in [
            ("/w/scripts/guard.sh", false, true),
            ("/w/scripts/*.sh", false, true),
            ("/w/s*/guard.sh", false, true),
            ("/w/scripts/*.py", false, false),
            ("/w/scripts", false, false),
            ("/w/scripts", true, true),
            ("/w/S*", true, true),
            ("/", true, true),
            ("/w/script", true, false),
            ("/w/scripts/guard.sh/x", true, false),
        ] {
            let kept = Path::new("/w/scripts/guard.sh");
            assert_eq!(may_change(Path::new(path), contents, kept), changes, "{path} {contents}");
        }
    }

    // rule: P14
    #[test]
    fn a_name_is_protected_however_a_file_system_may_read_it() {
        for (path, protected) in [
            ("/w/.git", true),
            ("/w/.git/hooks/pre-commit", true),
            ("/w/a/.GIT/config", true),
            ("/w/.git./config", true),
            ("/w/.git . /config", true),
            ("/w/.git::$INDEX_ALLOCATION/config", true),
            ("/w/.g\u{200c}it/config", true),
            ("/w/\u{feff}.git/config", true),
            ("/w/.ßh/authorized_keys", true),
            ("/w/.ſſh/config", true),
            ("/w/.proﬁle", true),
            ("/w/.gitconﬁg", true),
            ("/w/.baſhrc", true),
            ("/w/.Claude/settings.json", true),
            ("/w/.claude/commands/x.md", true),
            ("/w/.claude/agents/x.md", true),
            ("/w/.claude/skills/x/SKILL.md", true),
            ("/w/.claude/worktrees", true),
            ("/w/.claude/worktrees/feat", true),
            ("/w/.claude/worktrees/feat/src/a.rs", false),
            ("/w/.claude/worktrees/feat/.git", true),
            ("/w/.claude/worktrees/feat/.claude/settings.json", true),
            ("/w/.claude/worktrees/feat/.claude/worktrees/x/a", false),
            ("/w/.git/worktrees/feat/config", true),
            ("/w/.becket/settings.local.json", true),
            ("/w/.agent/settings.json", true),
            ("/w/.cursor/hooks.json", true),
            ("/w/.gemini/settings.json", true),
            ("/w/.codex/config.toml", true),
            ("/w/.github/hooks/becket.json", true),
            ("/w/.opencode/plugin/x.js", true),
            ("/w/sub/.factory/settings.json", true),
            ("/w/.windsurf/hooks.json", true),
            ("/w/.clinerules/hooks/PreToolUse", true),
            ("/w/.clinerules/style.md", false),
            ("/w/opencode.json", true),
            ("/w/.pre-commit-config.yaml", true),
            ("/w/.cargo/config.toml", true),
            ("/w/.cargo/audit.toml", false),
            ("/home/a/.config/opencode/plugins/x.js", true),
            ("/w/.mcp.json", true),
            ("/w/deep/.MCP.JSON", true),
            ("/home/a/.config/git/config", true),
            ("/home/a/.config/fish/config.fish", true),
            ("/home/a/.config/nvim/init.lua", false),
            ("/home/a/.config", false),
            ("/Users/a/Library/LaunchAgents/x.plist", true),
            ("/home/a/.zshrc", true),
            ("/home/a/.zshrc.d", false),
            ("/w/git", false),
            ("/w/.gitignore", false),
            ("/w/.github/workflows/ci.yml", false),
            ("/w/.git2/x", false),
            ("/w/bashrc", false),
            ("/w/...", false),
            ("/w/a.git/config", false),
            ("/", false),
        ] {
            assert_eq!(is_protected(Path::new(path)), protected, "{path}");
        }
    }
}
