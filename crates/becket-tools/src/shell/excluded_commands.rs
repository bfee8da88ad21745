//! Lines that run outside of the sandbox: the settings exclude every one of their commands (`protocol.md` E5).
//!
//! An unclear line stays inside: one with a word that only the shell knows, a variable before a command, a
//! redirection, a wrapper such as `env`, or a program that lines in the sandbox could have written.

use becket_exec::Rights;
use becket_exec::line::LineRules;
use becket_rules::shell::{Command, CommandPattern, Coverage, Line};
use std::fs;
use std::path::{Path, PathBuf};

/// The maximum number of links on the way to a file, as in the kernel.
const MOST_LINKS: usize = 40;

/// The directories in which the shell of a line looks for programs, and the one in which it starts.
#[derive(Debug, Clone, Copy)]
pub struct ProgramPlaces<'p> {
    /// The search path.
    pub search_path: &'p [PathBuf],
    /// The working directory.
    pub directory: &'p Path,
}

/// Grants a line all rights if it runs outside of the sandbox.
pub fn exclude(rules: &mut LineRules, line: &str, places: ProgramPlaces<'_>) {
    let patterns = std::mem::take(&mut rules.excluded);
    if !patterns.is_empty() && is_excluded(line, &patterns, &rules.rights, places) {
        rules.rights = Rights::default();
    }
}

fn is_excluded(line: &str, patterns: &[String], rights: &Rights, places: ProgramPlaces<'_>) -> bool {
    let line = Line::parse(line);
    let patterns: Vec<CommandPattern> = patterns.iter().map(|text| CommandPattern::new(text)).collect();
    let patterns: Vec<&CommandPattern> = patterns.iter().filter(|pattern| !pattern.is_everything()).collect();
    let is_plain = line.unknowns().next().is_none() && line.redirections().is_empty();
    let is_safe = |command: &Command| {
        let name = plain_name(command);
        name.is_some_and(|name| places.find(name).is_some_and(|file| is_out_of_reach(&file, rights)))
    };
    is_plain
        && !line.commands().is_empty()
        && line.uncovered(&patterns) == Coverage::Covered
        && line.commands().iter().all(is_safe)
}

/// Returns the name of a command that is written as it runs: without quotes, preceding variables and wrappers.
fn plain_name(command: &Command) -> Option<&str> {
    let words: Option<Vec<&str>> = command.words().collect();
    let name = words?.first().copied()?;
    let is_first = command.raw().split(' ').next() == Some(name);
    Some(name).filter(|_| is_first && command.via().is_none() && command.is_subcommand())
}

impl ProgramPlaces<'_> {
    /// Finds a program as a shell does.
    fn find(self, name: &str) -> Option<PathBuf> {
        if name.contains('/') {
            return Some(self.directory.join(name));
        }
        let mut files = self.search_path.iter().map(|entry| self.directory.join(entry).join(name));
        files.find(|file| file.is_file())
    }
}

/// Returns whether no process with these rights could have created the file, or any link on the way to it.
fn is_out_of_reach(file: &Path, rights: &Rights) -> bool {
    let mut file = file.to_owned();
    for _ in 0..MOST_LINKS {
        let (Some(directory), Some(name)) = (file.parent(), file.file_name()) else { return false };
        let Ok(directory) = directory.canonicalize() else { return false };
        let real = directory.join(name);
        if rights.can_write(&real) {
            return false;
        }
        match fs::read_link(&real) {
            Ok(target) => file = directory.join(target),
            Err(_) => return real.is_file(),
        }
    }
    false
}

#[cfg(all(test, unix))]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use becket_exec::PathRights;
    use std::os::unix::fs::{PermissionsExt, symlink};

    struct Scene {
        root: tempfile::TempDir,
    }

    impl Scene {
        fn new() -> Self {
            let root = tempfile::tempdir().unwrap();
            for directory in ["system", "work", "linked"] {
                fs::create_dir(root.path().join(directory)).unwrap();
            }
            let scene = Self { root };
            for file in ["system/docker", "system/git", "system/env", "work/tool"] {
                fs::write(scene.path(file), "").unwrap();
                fs::set_permissions(scene.path(file), fs::Permissions::from_mode(0o755)).unwrap();
            }
            symlink(scene.path("work/tool"), scene.path("linked/outer")).unwrap();
            symlink(scene.path("system/docker"), scene.path("work/inner")).unwrap();
            scene
        }

        fn path(&self, name: &str) -> PathBuf {
            self.root.path().canonicalize().unwrap().join(name)
        }

        fn is_excluded(&self, line: &str, patterns: &[&str]) -> bool {
            let work = self.path("work");
            let search_path = [self.path("system"), self.path("linked"), work.clone()];
            let rights = Rights { write: PathRights::below([&work]), ..Rights::default() };
            let mut rules = LineRules {
                rights: rights.clone(),
                excluded: patterns.iter().map(|text| (*text).to_owned()).collect(),
                ..LineRules::default()
            };
            exclude(&mut rules, line, ProgramPlaces { search_path: &search_path, directory: &work });
            assert!(rules.excluded.is_empty() && (rules.rights == rights || rules.rights.are_all()));
            rules.rights.are_all()
        }
    }

    // rule: E5
    #[test]
    fn a_line_of_excluded_commands_alone_runs_outside() {
        let scene = Scene::new();
        let patterns = ["docker *", "git push *", "docker"];
        for line in [
            "docker ps",
            "docker",
            "docker ps -a | docker inspect x",
            "docker ps && git push origin",
            "docker build . &",
        ] {
            assert!(scene.is_excluded(line, &patterns), "{line}");
        }
    }

    // rule: E5
    #[test]
    fn what_is_unclear_stays_inside() {
        let scene = Scene::new();
        let patterns = [
            "docker *",
            "git push *",
            "tool *",
            "outer *",
            "inner *",
            "env *",
            "missing *",
            "PATH=* docker *",
        ];
        for line in [
            "docker ps; touch x",
            "touch x && docker ps",
            "docker ps | sh",
            "docker $X",
            "docker $(touch x)",
            "docker `touch x`",
            "docker <(touch x)",
            "docker *",
            "docker ps > x",
            "docker ps < x",
            "docker ps >> x",
            "docker ps 2> x",
            "PATH=. docker ps",
            "LD_PRELOAD=./x.so docker ps",
            "env docker ps",
            "env PATH=. docker ps",
            "timeout 5 docker ps",
            "sh -c 'docker ps'",
            "'docker' ps",
            "do\\cker ps",
            "./docker ps",
            "docker() { touch x; }; docker ps",
            "alias docker=touch; docker ps",
            "cd /tmp && docker ps",
            "export PATH=.; docker ps",
            "if docker ps; then touch x; fi",
            "docker ps\ntouch x",
            "docker ps & touch x",
            "eval docker ps",
            "git status",
            "git -c core.pager=x push y",
            "tool x",
            "outer x",
            "inner x",
            "missing x",
            "docker 'x",
            "",
            "# docker ps",
        ] {
            assert!(!scene.is_excluded(line, &patterns), "{line}");
        }
        assert!(!scene.is_excluded("docker ps", &["*"]));
        assert!(!scene.is_excluded("docker ps", &[""]));
        assert!(!scene.is_excluded("docker ps", &["docker"]));
        assert!(!scene.is_excluded("docker ps", &[]));
    }
}
