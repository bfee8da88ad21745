//! Checks that a name on `PATH` is the system's program, and that the environment does not influence the shell and the
//! loader.
//!
//! A host may well have `node_modules/.bin` on its `PATH`: an `ls` of the tree itself must not run.

use crate::places::Places;
use becket_engine::Environment;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Variables that change how a shell or a tool parses a line; if one is set, nothing is certain.
const STEERING: [&str; 8] = [
    "SHELLOPTS",
    "BASHOPTS",
    "GLOBIGNORE",
    "CDPATH",
    "POSIXLY_CORRECT",
    "GREP_OPTIONS",
    "BASH_COMPAT",
    "ENV",
];
/// Variables that name files or directories with code.
const CODE: [&str; 4] = ["BASH_ENV", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT"];
/// Variables of git that neither make it run anything nor redirect it.
const GIT: [&str; 14] = [
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_PAGER",
    "GIT_TERMINAL_PROMPT",
    "GIT_OPTIONAL_LOCKS",
    "GIT_ASKPASS",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_DATE",
    "GIT_SSH_COMMAND",
];

/// The programs of an environment.
#[derive(Debug)]
pub(super) struct Programs<'a> {
    environment: &'a Environment,
    places: &'a Places,
}

impl<'a> Programs<'a> {
    /// Returns `None` if the environment itself makes every line uncertain.
    pub(super) fn new(environment: &'a Environment, places: &'a Places) -> Option<Self> {
        let steered = STEERING.iter().any(|name| environment.var(name).is_some());
        let codes = CODE.iter().filter_map(|name| environment.var(name));
        let foreign = codes.flat_map(entries).all(|entry| is_foreign(&entry, places));
        (!steered && foreign).then_some(Self { environment, places })
    }

    /// Returns whether the environment leaves `name` its meaning in the shell: no function of that name is exported.
    pub(super) fn leave(&self, name: &str) -> bool {
        self.environment.var(format!("BASH_FUNC_{name}%%")).is_none()
    }

    /// Returns whether `name` is a program outside the working directories, and not a function.
    pub(super) fn has(&self, name: &str) -> bool {
        if !self.leave(name) {
            return false;
        }
        let Some(path) = self.environment.var("PATH") else { return false };
        for entry in std::env::split_paths(path) {
            if !entry.is_absolute() {
                return false;
            }
            let file = entry.join(name);
            if is_program(&file) {
                return is_foreign(&file, self.places);
            }
        }
        false
    }

    /// Returns whether the variable is set.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.environment.var(name).is_some()
    }

    /// Returns whether [`Self::has`] is true even if files are added to the working directories meanwhile.
    pub(super) fn has_out_of_reach(&self, name: &str) -> bool {
        let Some(path) = self.environment.var("PATH") else { return false };
        let mut before = std::env::split_paths(path).take_while(|entry| !is_program(&entry.join(name)));
        self.has(name) && before.all(|entry| is_foreign(&entry, self.places))
    }

    /// Returns whether the shell reads the line as the analysis does, character by character. In some old encodings,
    /// bytes of one character are the codes of others, including quotes and backslashes.
    pub(super) fn spell(&self, line: &str) -> bool {
        let set = |name: &&str| self.environment.var(name).is_some_and(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find(set);
        let locale = locale
            .and_then(|name| self.environment.var(name))
            .map(|value| value.to_string_lossy().to_lowercase());
        let plain = |locale: &str| {
            let (_, encoding) = locale.split_once('.').unwrap_or((locale, locale));
            let encoding = encoding.split('@').next().unwrap_or_default();
            matches!(encoding, "c" | "posix" | "utf-8" | "utf8")
        };
        line.is_ascii() || locale.as_deref().is_none_or(plain)
    }

    /// Returns whether no variable redirects git or makes it run anything.
    pub(super) fn leave_git_alone(&self) -> bool {
        let known = |name: &OsStr| name.to_str().is_some_and(|name| GIT.contains(&name));
        self.environment.vars().all(|(name, _)| !name.as_encoded_bytes().starts_with(b"GIT_") || known(name))
    }
}

/// Returns the entries of a list of paths. An empty entry is the cwd, and `LD_PRELOAD` may be split at blanks.
fn entries(value: &OsStr) -> Vec<PathBuf> {
    let text = value.to_string_lossy();
    text.split([':', ' ', ';']).map(PathBuf::from).collect()
}

/// Returns whether a path is absolute and leads out of the working directories.
fn is_foreign(path: &Path, places: &Places) -> bool {
    path.is_absolute() && crate::places::real(path).is_some_and(|real| !places.hold(&real))
}

/// Returns whether a shell would run this file by its name. On systems other than Unix names are looked up by other
/// rules, and nothing is certain.
fn is_program(path: &Path) -> bool {
    cfg!(unix) && becket_base::is_executable(path)
}
