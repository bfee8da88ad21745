//! The files that record what a person has granted.

use super::person_command::has_known_edits;
use super::words::{names_file, unquoted};
use crate::Launch;
use crate::one_time_approval::FILE;
use crate::own_program;
use becket_base::is_same_path;
use becket_engine::config::trust::{USER_FILE, user_file};
use becket_rules::shell::{Argument, Command, Line, Target};
use becket_rules::tools::{self, Access, Primary};
use std::path::{Component, Path, PathBuf};

/// The longest text that may be a path.
const LONGEST_PATH: usize = 4096;

/// The file of approved MCP servers, below the user's directory of settings.
const APPROVALS: &str = "becket/mcp-approvals.json";

/// The directory of Becket's own files.
const OWN: &str = "becket/";

/// The records of other agents about folders, below the home directory (G3).
const OF_AGENTS: [&str; 2] = [".gemini/trustedFolders.json", ".codex/config.toml"];

/// A file that records what a person has granted.
#[derive(Debug)]
pub(super) struct PersonFile {
    path: PathBuf,
    /// The last components, by which any path to it is recognised.
    suffix: &'static str,
    /// True if it contains IDs, which an agent may not even read.
    is_secret: bool,
}

/// The texts of a call in which a file may be named.
#[derive(Debug)]
pub(super) struct CallTexts<'c> {
    pub(super) tool: &'c str,
    pub(super) cwd: &'c Path,
    /// The path that the tool reads or edits.
    pub(super) path: Option<&'c str>,
    /// All texts of the input.
    pub(super) texts: &'c [&'c str],
    /// The command line.
    pub(super) line: Option<&'c Line>,
}

impl PersonFile {
    /// Returns the files of the user of a session.
    pub(super) fn all(launch: &Launch) -> Vec<Self> {
        let request = launch.request();
        let file = |path: PathBuf, suffix, is_secret| Self { path, suffix, is_secret };
        let of_settings = request.user_directory().into_iter().flat_map(|directory| {
            [file(directory.join(FILE), FILE, true), file(directory.join(APPROVALS), APPROVALS, false)]
        });
        let of_user = user_file(&request).map(|path| file(path, USER_FILE, false));
        let home = request.environment.home();
        let of_agents =
            home.into_iter().flat_map(|home| OF_AGENTS.map(|name| file(home.join(name), name, false)));
        of_settings.chain(of_user).chain(of_agents).collect()
    }

    /// Returns the reason for denying a call that uses the file: that edits it, or reads it if it is secret.
    pub(super) fn denial(&self, call: &CallTexts<'_>) -> Option<String> {
        let access = tools::find(call.tool).map(|tool| tool.primary);
        let is_edit = match access {
            Some(Primary::Path(_, Access::Edit)) | None => true,
            Some(Primary::Path(_, Access::Read)) => self.is_secret,
            Some(
                Primary::Bash(_)
                | Primary::PowerShell(_)
                | Primary::Domain(_)
                | Primary::Name(_)
                | Primary::Skill(_)
                | Primary::None,
            ) => false,
        };
        // The input of a tool that is not known has paths anywhere.
        let has_paths = self.is_secret || access.is_none();
        let is_used = is_edit && call.path.is_some_and(|path| self.is_at(call.cwd, path))
            || has_paths
                && call.texts.iter().any(|text| {
                    text.len() <= LONGEST_PATH && self.is_end_of(text) && self.is_at(call.cwd, text)
                })
            || call.line.is_some_and(|line| {
                self.is_in_line(call.cwd, line)
                    && (self.is_secret || line.edits_files() || !has_known_edits(line))
            });
        is_used.then(|| match self.is_secret {
            true => {
                format!("`{}` records which calls a person has allowed; an agent may not use it", self.suffix)
            }
            false => format!("`{}` records what a person trusts; an agent may not change it", self.suffix),
        })
    }

    /// Returns true if a path leads to the file.
    fn is_at(&self, cwd: &Path, path: &str) -> bool {
        is_same_path(&cwd.join(path), &self.path) || self.is_end_of(path) && self.names_place(path)
    }

    /// Returns true if a text may name the directory in which the suffix starts. Files of other agents count only there,
    /// since a project may have a file with the same suffix.
    fn names_place(&self, text: &str) -> bool {
        let place = self.path.ancestors().nth(Path::new(self.suffix).components().count());
        self.suffix.starts_with(OWN)
            || text.contains('~')
            || text.contains("HOME")
            || place.is_some_and(|place| text.contains(&*place.to_string_lossy()))
    }

    /// Returns true if a text ends with the path of the file, without `.` and `..`.
    fn is_end_of(&self, path: &str) -> bool {
        let mut normal = PathBuf::new();
        for part in Path::new(path).components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir => {
                    normal.pop();
                }
                Component::Prefix(_) | Component::RootDir | Component::Normal(_) => normal.push(part),
            }
        }
        normal.ends_with(self.suffix)
    }

    /// Returns true if a line names the file, or may name it.
    fn is_in_line(&self, cwd: &Path, line: &Line) -> bool {
        let words = line.commands().iter().flat_map(Command::arguments).filter_map(|word| match word {
            Argument::Literal(text) | Argument::Glob(text) => Some(text),
            Argument::Variable(_) | Argument::Unknown => None,
        });
        let targets = line.redirections().iter().map(|redirection| match &redirection.target {
            Target::Literal(text) | Target::Dynamic(text) => text.as_str(),
        });
        let words: Vec<&str> = words.chain(targets).collect();
        let is_written = line
            .commands()
            .iter()
            .flat_map(Command::arguments)
            .all(|word| matches!(word, Argument::Literal(_) | Argument::Glob(_)));
        // A word with blanks is a text, such as a message: only code may use a file that it names.
        let has_code = !has_known_edits(line);
        let is_text = |word: &str| !has_code && word.contains(char::is_whitespace);
        let text = match is_written && !has_code {
            true => words.iter().filter(|word| !is_text(word)).copied().collect::<Vec<&str>>().join(" "),
            false => line.text().to_owned(),
        };
        let (directory, file) = self.suffix.rsplit_once('/').unwrap_or(("", self.suffix));
        let is_linked = |word: &str| match is_text(word) {
            true => is_same_path(&cwd.join(word), &self.path),
            false => Path::new(word).ends_with(file) && self.is_at(cwd, word),
        };
        let names_directory =
            || unquoted(&text).contains(directory) || words.iter().any(|word| self.is_directory(cwd, word));
        names_file(&text, file) && names_directory() && self.names_place(&text)
            || words.iter().any(|word| self.may_be_at(cwd, word) || is_linked(word))
    }

    /// Returns true if a path leads to the directory of the file.
    fn is_directory(&self, cwd: &Path, path: &str) -> bool {
        self.path.parent().is_some_and(|directory| is_same_path(&cwd.join(path), directory))
    }

    /// Returns true if a path with wildcards may become that of the file: one of its last parts is written out, and the
    /// others match.
    fn may_be_at(&self, cwd: &Path, glob: &str) -> bool {
        // A wildcard of a shell matches no dot at the beginning of a name.
        let may_match = |glob: &str, name: &str| {
            own_program::may_match(glob, name) && (glob.starts_with('.') || !name.starts_with('.'))
        };
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        if !may_match(glob.rsplit('/').next().unwrap_or_default(), &name) {
            return false;
        }
        let glob = cwd.join(glob);
        let last = |path: &Path| -> Vec<String> {
            let parts = path.components().rev().take(3);
            parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
        };
        let pairs: Vec<(String, String)> = last(&glob).into_iter().zip(last(&self.path)).collect();
        pairs.iter().any(|(one, other)| one == other)
            && pairs.iter().all(|(one, other)| may_match(one, other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: PathBuf, suffix: &'static str, is_secret: bool) -> PersonFile {
        PersonFile { path, suffix, is_secret }
    }

    // rule: O10
    #[test]
    fn the_file_of_allowed_calls_is_recognised_by_every_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(".claude").join(FILE);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "{}").unwrap();
        let asked = file(path.clone(), FILE, true);
        let cwd = directory.path();
        let is_in_line = |line: &str| asked.is_in_line(cwd, &Line::parse(line));
        for path in ["/x/becket/asked.json", ".claude/becket/./asked.json", "becket/x/../asked.json"] {
            assert!(asked.is_at(cwd, path), "{path}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(path.parent().unwrap(), cwd.join("notes")).unwrap();
            assert!(asked.is_at(cwd, "notes/asked.json"));
            assert!(is_in_line("cp x notes/asked.json"));
            assert!(is_in_line("echo {} > notes/asked.json"));
            assert!(is_in_line("cd notes && tee asked.json"));
            assert!(!is_in_line("cd notes && tee masked.json"));
        }
        assert!(!asked.is_at(cwd, "asked.json") && !asked.is_at(cwd, "becket/notes.md"));
        for line in [
            "cat ~/.claude/becket/asked.json",
            "cat ~/.claude/becket/as*d.json",
            "echo {} > ~/.claude/becket/a?ked.json",
            "echo {} > ~/.cl*/becket/asked.json",
            "cd ~/.claude/becket && tee asked.json",
            "cd ~/.claude/becket && sort -oasked.json x",
            "cat ~/.claude/bec''ket/as\\ked.json",
        ] {
            assert!(is_in_line(line), "{line}");
        }
        for line in [
            "ls crates/becket/*",
            "cat */*/*",
            "cat asked.json",
            "ls ~/.claude",
            "cat ~/becket-demo/masked.json",
            "cat x/asked.json",
        ] {
            assert!(!is_in_line(line), "{line}");
        }
    }

    // rules: G3, O10
    #[test]
    fn a_record_of_trust_is_read_and_not_edited() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().canonicalize().unwrap();
        let cwd = home.join("project");
        std::fs::create_dir_all(cwd.join(".codex")).unwrap();
        std::fs::write(home.join(USER_FILE), "{}").unwrap();
        let files = [
            file(home.join(USER_FILE), USER_FILE, false),
            file(home.join(".claude").join(APPROVALS), APPROVALS, false),
            file(home.join(OF_AGENTS[1]), OF_AGENTS[1], false),
        ];
        let is_denied = |tool: &str, text: &str| {
            let line = (tool == "Bash").then(|| Line::parse(text));
            let path = tools::path_field(tool).map(|_| text);
            let call = CallTexts { tool, cwd: &cwd, path, texts: &[text], line: line.as_ref() };
            files.iter().any(|file| file.denial(&call).is_some())
        };
        let own = home.join(USER_FILE).display().to_string();
        for (tool, text) in [
            ("Write", own.as_str()),
            ("Edit", "../.claude.json"),
            ("Write", "~/.claude/becket/mcp-approvals.json"),
            ("mcp__fs__write_file", own.as_str()),
            ("Bash", "echo {} > ~/.claude.json"),
            ("Bash", "cp x ../.claude.json"),
            ("Bash", "cd ~ && tee .claude.json"),
            ("Bash", "sed -i s/a/b/ $HOME/.codex/config.toml"),
            ("Bash", "python3 -c 'import os; open(os.path.expanduser(\"~/.claude.json\"), \"w\")'"),
        ] {
            assert!(is_denied(tool, text), "{tool}: {text}");
        }
        for (tool, text) in [
            ("Read", own.as_str()),
            ("Write", ".codex/config.toml"),
            ("Edit", "notes.md"),
            ("Bash", "cat ~/.claude.json"),
            ("Bash", "jq .projects ~/.claude.json"),
            ("Bash", "git add .codex/config.toml"),
            ("Bash", "grep -rn .claude.json docs"),
            ("Bash", "echo ~/.claude.json"),
            ("Bash", "sed -n 1,200p ~/.codex/config.toml"),
            ("Bash", "rg model ~/.codex/config.toml | sort"),
            ("Bash", "find ~ -name .claude.json"),
            ("Bash", "git commit -m 'docs: mention ~/.claude.json'"),
            ("Bash", "cd ~/p && git commit -m \"read .claude.json\""),
            ("mcp__fs__write_file", ".codex/config.toml"),
        ] {
            assert!(!is_denied(tool, text), "{tool}: {text}");
        }
        let at_home = |line: &str| files.iter().any(|file| file.is_in_line(&home, &Line::parse(line)));
        assert!(!at_home("mv *.json data/") && !at_home("sed -i s/a/b/ */config.toml"));
        assert!(at_home("rm .*.json"));
    }
}
