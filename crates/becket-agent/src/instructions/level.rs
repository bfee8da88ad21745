//! The instruction files of one directory of a project.

use super::loaded::Memory;
use super::sources::Sources;
use std::path::{Path, PathBuf};

/// The file name that many hosts share.
const SHARED: &str = "AGENTS.md";
/// The name of the rules directory in the profile's directory.
pub(super) const RULES: &str = "rules";

/// The files of a directory, in the order in which they are given.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Level {
    /// The files that apply to everything in the directory.
    pub(super) files: Vec<(PathBuf, Memory)>,
    /// The directory of rules, which are given after the files.
    pub(super) rules: Option<PathBuf>,
    /// The user's own file, which is given last.
    pub(super) local: Option<PathBuf>,
}

impl Level {
    /// Returns the files of `directory`; `is_there` returns whether a path exists.
    pub(super) fn of(directory: &Path, sources: &Sources, is_there: impl Fn(&Path) -> bool) -> Self {
        let names = &sources.names;
        let own = directory.join(&names.directory);
        // A session started in the home directory finds the user's own directory there, which does not belong to a
        // project.
        let own = Some(own).filter(|own| !names.user.as_ref().is_some_and(|user| is_same(user, own)));
        let mut level = Self::default();
        if sources.project {
            let in_own = own.as_ref().map(|own| own.join(&names.file));
            let named = [Some(directory.join(&names.file)), in_own].into_iter().flatten();
            level.files = named.filter(|file| is_there(file)).map(|file| (file, Memory::Project)).collect();
            let shared = directory.join(SHARED);
            if level.files.is_empty() && is_there(&shared) {
                level.files.push((shared, Memory::Project));
            }
            level.rules = own.map(|own| own.join(RULES));
        }
        level.local = sources.local.then(|| directory.join(&names.local)).filter(|file| is_there(file));
        level
    }

    /// Returns whether the directory has no instruction files.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
            && self.local.is_none()
            && !self.rules.as_ref().is_some_and(|directory| directory.is_dir())
    }
}

/// Returns whether anything exists at a path, including a dangling link.
pub(super) fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::Instructions;
    use becket_engine::config::{Request, Trust};
    use becket_engine::{Environment, Profile};

    fn request(profile: Profile) -> Request {
        Request::new(profile, Environment::empty().with_home("/home/ada"), "/home/ada/app")
    }

    fn listed(request: &Request, there: &[&str]) -> Vec<String> {
        let instructions = Instructions::of(request);
        let is_there = |path: &Path| there.iter().any(|name| path == Path::new("/home/ada/app").join(name));
        let level = Level::of(&request.start, instructions.sources().unwrap(), is_there);
        let files = level.files.into_iter().map(|(file, _)| file).chain(level.local);
        let shown = |file: PathBuf| file.strip_prefix("/home/ada/app").unwrap().display().to_string();
        files.map(shown).collect()
    }

    // rules: C4, G3
    #[test]
    fn a_directory_says_what_it_has_to_say_in_one_order() {
        let all =
            [".claude/CLAUDE.md", "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENT.md", ".agent/AGENT.md"];
        let claude = || request(Profile::claude());
        assert_eq!(listed(&claude(), &all), ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"]);
        assert_eq!(listed(&claude(), &["AGENTS.md"]), ["AGENTS.md"]);
        assert_eq!(listed(&claude(), &["AGENTS.md", ".claude/CLAUDE.md"]), [".claude/CLAUDE.md"]);
        assert_eq!(listed(&claude(), &["AGENTS.md", "CLAUDE.local.md"]), ["AGENTS.md", "CLAUDE.local.md"]);
        assert_eq!(listed(&request(Profile::agent()), &all), ["AGENT.md", ".agent/AGENT.md"]);
        let mut local_alone = claude();
        local_alone.sources.project = false;
        assert_eq!(listed(&local_alone, &all), ["CLAUDE.local.md"]);
        let mut shared_alone = claude();
        shared_alone.sources.local = false;
        assert_eq!(listed(&shared_alone, &all), ["CLAUDE.md", ".claude/CLAUDE.md"]);
        let mut untrusted = claude();
        untrusted.trust = Trust::default().interactive(true).trusted(false).this_folder_trusted(false);
        assert!(listed(&untrusted, &all).is_empty());
    }

    #[test]
    fn the_directory_of_the_user_is_no_project_s() {
        let mut at_home = request(Profile::claude());
        at_home.start = "/home/ada".into();
        let instructions = Instructions::of(&at_home);
        let level = Level::of(Path::new("/home/ada"), instructions.sources().unwrap(), |_| true);
        assert_eq!(level.rules, None);
        assert_eq!(level.files, [(PathBuf::from("/home/ada/CLAUDE.md"), Memory::Project)]);
    }
}
