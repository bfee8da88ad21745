//! Git, run so that nothing of the repository runs with it.
//!
//! A repository's own configuration names programs: hooks, a file system monitor, filters, a pager, transports, credential
//! helpers. Two things keep them from running. What this module runs in the repository itself neither looks into files nor
//! reaches a server, and has what such commands could start switched off on its command line. What looks into files (a
//! checkout, a comparison) runs in a `shadow`, which never reads that configuration.
//!
//! What the user's own configuration says (`~/.gitconfig`, that of the system) is theirs, and counts; their hooks do not run.

use super::error::WorktreeError;
use super::repository::Repository;
use becket_base::is_executable;
use becket_engine::{CancellationToken, Environment};
use becket_process::{ByteCap, Command, End, Limits, Program, Runner};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest that one command may take: a checkout of a large tree.
const LONGEST: Duration = Duration::from_mins(10);
/// The most that is read of its output: paths of a large tree.
const MOST: ByteCap = ByteCap::bytes(64 << 20);

/// Settings that override every configuration. A path that does not exist disables hooks.
const SETTINGS: [&str; 12] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.sshCommand=false",
    "core.alternateRefsCommand=",
    "credential.helper=",
    "protocol.allow=never",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "checkout.workers=1",
    "advice.detachedHead=false",
];

/// Variables of git that only say whose configuration counts, and where git's own programs are.
const KEPT: [&str; 4] = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH"];

/// Environment variables of every run.
const VARIABLES: [(&str, &str); 8] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_LFS_SKIP_SMUDGE", "1"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "false"),
    ("LC_ALL", "C"),
];

/// Git, for one repository.
#[derive(Debug, Clone)]
pub(super) struct Git {
    program: PathBuf,
    env: Vec<(OsString, OsString)>,
    runner: Runner,
}

/// Directories for a run of git.
#[derive(Debug, Clone)]
pub(super) struct At {
    pub(super) cwd: PathBuf,
    /// Variables that lead it to a repository other than that which it finds there.
    pub(super) env: Vec<(OsString, OsString)>,
}

impl At {
    /// In the repository that git finds there.
    pub(super) fn found(cwd: &Path) -> Self {
        Self { cwd: cwd.to_owned(), env: Vec::new() }
    }
}

impl Git {
    /// The git on `PATH`, unless it is in a working tree of the repository: one that brings its own must not have it
    /// run.
    pub(super) fn find(
        environment: &Environment,
        repository: &Repository,
        runner: Runner,
    ) -> Result<Self, WorktreeError> {
        let path = environment.var("PATH").unwrap_or_default();
        let trees = [&repository.root, &repository.top];
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let is_own = |file: &Path| {
            trees.iter().any(|tree| file.starts_with(tree) || real(file).starts_with(real(tree)))
        };
        let foreign = |file: &Path| file.is_absolute() && !is_own(file) && is_executable(file);
        let name = format!("git{}", std::env::consts::EXE_SUFFIX);
        let program = std::env::split_paths(path).map(|entry| entry.join(&name)).find(|file| foreign(file));
        let is_kept = |name: &OsStr| {
            let name = name.to_string_lossy();
            !name.starts_with("GIT_") || KEPT.contains(&&*name)
        };
        let own = environment.vars().filter(|(name, _)| is_kept(name) && *name != "LC_ALL");
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let env = own.chain(VARIABLES.map(|(name, value)| (name.into(), value.into()))).collect();
        Ok(Self { program: program.ok_or(WorktreeError::NoGit)?, env, runner })
    }

    #[cfg(all(test, unix))]
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// The same with every hook switched off that the configuration itself names (`hook.NAME.command`), in a git that knows
    /// such hooks.
    ///
    /// # Errors
    /// It can't be told which those are: nothing is run then.
    pub(super) async fn without_hooks(
        mut self,
        top: &Path,
        cancel: &CancellationToken,
    ) -> Result<Self, WorktreeError> {
        let list = words(["config", "--includes", "--name-only", "-z", "--get-regexp", r"^hook\."]);
        let said = self.find_out(&At::found(top), "read the configuration", list, cancel).await?;
        let said = said.unwrap_or_default();
        let said = String::from_utf8_lossy(&said).into_owned();
        let names: BTreeSet<&str> = said
            .split('\0')
            .filter_map(|key| key.strip_prefix("hook.")?.rsplit_once('.'))
            .map(|(name, _)| name)
            .collect();
        let off = |name: &&str| {
            [("enabled", "false"), ("event", ""), ("command", "true")]
                .map(|(key, value)| (format!("hook.{name}.{key}"), value))
        };
        let settings: Vec<(String, &str)> = names.iter().flat_map(off).collect();
        self.env.push(("GIT_CONFIG_COUNT".into(), settings.len().to_string().into()));
        for (n, (key, value)) in settings.into_iter().enumerate() {
            self.env.push((format!("GIT_CONFIG_KEY_{n}").into(), key.into()));
            self.env.push((format!("GIT_CONFIG_VALUE_{n}").into(), value.into()));
        }
        Ok(self)
    }

    /// Runs it, and gives what it prints.
    ///
    /// # Errors
    /// It says no, or is cancelled. `doing` says what it was to do.
    pub(super) async fn ask(
        &self,
        at: &At,
        doing: &'static str,
        args: Vec<&OsStr>,
        cancel: &CancellationToken,
    ) -> Result<Vec<u8>, WorktreeError> {
        match self.ended(at, doing, args, cancel).await? {
            (0, out, _) => Ok(out),
            (code, _, err) => Err(refused(doing, code, &err)),
        }
    }

    /// Asks it for something that there may not be: none if it ends with 1.
    ///
    /// # Errors
    /// It ends otherwise: then it can't be told.
    pub(super) async fn find_out(
        &self,
        at: &At,
        doing: &'static str,
        args: Vec<&OsStr>,
        cancel: &CancellationToken,
    ) -> Result<Option<Vec<u8>>, WorktreeError> {
        match self.ended(at, doing, args, cancel).await? {
            (0, out, _) => Ok(Some(out)),
            (1, _, _) => Ok(None),
            (code, _, err) => Err(refused(doing, code, &err)),
        }
    }

    /// Returns the exit of a process and its output.
    async fn ended(
        &self,
        at: &At,
        doing: &'static str,
        args: Vec<&OsStr>,
        cancel: &CancellationToken,
    ) -> Result<(i32, Vec<u8>, Vec<u8>), WorktreeError> {
        let failed = |said: String| WorktreeError::Git { doing, said };
        let (end, out, err) = self.run(at, args, cancel).await.map_err(failed)?;
        match end {
            End::Exited(code) => Ok((code, out, err)),
            End::Signaled(signal) => Err(failed(format!("signal {signal} ended it"))),
            End::TimedOut => Err(failed(format!("it took longer than {} s", LONGEST.as_secs()))),
            End::Cancelled => Err(failed("it was interrupted".to_owned())),
            End::Lost => Err(failed("its end was not seen".to_owned())),
        }
    }

    /// One line that it prints; none if it says no.
    pub(super) async fn line(
        &self,
        at: &At,
        args: Vec<&OsStr>,
        cancel: &CancellationToken,
    ) -> Option<String> {
        let text = String::from_utf8(self.ask(at, "look", args, cancel).await.ok()?).ok()?;
        Some(text.trim_end_matches(['\n', '\r']).to_owned()).filter(|line| !line.is_empty())
    }

    async fn run(
        &self,
        at: &At,
        args: Vec<&OsStr>,
        cancel: &CancellationToken,
    ) -> Result<(End, Vec<u8>, Vec<u8>), String> {
        let settings = SETTINGS.iter().flat_map(|setting| ["-c", setting]).map(OsString::from);
        let words = ["--no-pager", "--no-optional-locks", "--literal-pathspecs"].map(OsString::from);
        let all = words.into_iter().chain(settings).chain(args.into_iter().map(OsStr::to_owned));
        let mut command = Command::new(Program::exec(&self.program, all.collect::<Vec<_>>()), &at.cwd);
        command.env = self.env.iter().chain(&at.env).cloned().collect();
        let limits = Limits { deadline: Some(LONGEST), stdout_cap: MOST, ..Limits::default() };
        let ended = self.runner.run(&command, &limits, cancel, &mut |_| {}).await;
        let ended = ended.map_err(|error| error.to_string())?;
        if ended.stdout.truncated() {
            return Err("it prints more than can be read".to_owned());
        }
        Ok((ended.end, ended.stdout.bytes.to_vec(), ended.stderr.bytes.to_vec()))
    }
}

fn refused(doing: &'static str, code: i32, err: &[u8]) -> WorktreeError {
    let said = String::from_utf8_lossy(err).trim().to_owned();
    WorktreeError::Git { doing, said: if said.is_empty() { format!("it ended with {code}") } else { said } }
}

/// Words of a command line.
pub(super) fn words<const N: usize>(words: [&str; N]) -> Vec<&OsStr> {
    words.into_iter().map(OsStr::new).collect()
}
