//! Runs git without running anything of the repository.
//!
//! A repository's own configuration can name programs: hooks, a file system monitor, filters, a pager, transports,
//! credential helpers. Two things keep them from running. Commands that this module runs in the repository itself
//! neither look into files nor reach a server, and everything that such commands could start is disabled on their
//! command line. Commands that look into files (a checkout, a comparison) run in a `shadow`, which never reads that
//! configuration.
//!
//! The user's own configuration (`~/.gitconfig`, that of the system) is trusted and applies, but its hooks do not run.

use super::error::WorktreeError;
use super::repository::Repository;
use becket_base::is_executable;
use becket_engine::{CancellationToken, Environment};
use becket_process::{ByteCap, Command, End, Limits, Program, Runner};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The time limit for one command, such as a checkout of a large tree.
const LONGEST: Duration = Duration::from_mins(10);
/// The maximum output that is read, such as the paths of a large tree.
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

/// Git variables that only select the configuration and the location of git's own programs.
const KEPT: [&str; 4] = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH"];

/// The environment variables of every run.
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

/// The directories for a run of git.
#[derive(Debug, Clone)]
pub(super) struct At {
    pub(super) cwd: PathBuf,
    /// Variables that point git to a repository other than the one it would find.
    pub(super) env: Vec<(OsString, OsString)>,
}

impl At {
    /// Uses the repository that git finds in `cwd`.
    pub(super) fn found(cwd: &Path) -> Self {
        Self { cwd: cwd.to_owned(), env: Vec::new() }
    }
}

impl Git {
    /// Returns the git on `PATH`, unless it is in a working tree of the repository: a repository must not have its own
    /// git run.
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

    /// Returns git with every hook disabled that the configuration names (`hook.NAME.command`), in a git version that
    /// supports such hooks.
    ///
    /// # Errors
    /// Errors if these hooks can't be determined; nothing is run then.
    pub(super) async fn without_hooks(
        mut self,
        top: &Path,
        cancel: &CancellationToken,
    ) -> Result<Self, WorktreeError> {
        let list = words(["config", "--includes", "--name-only", "-z", "--get-regexp", r"^hook\."]);
        let output = self.find_out(&At::found(top), "read the configuration", list, cancel).await?;
        let output = output.unwrap_or_default();
        let output = String::from_utf8_lossy(&output).into_owned();
        let names: BTreeSet<&str> = output
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

    /// Runs git, and returns its output.
    ///
    /// # Errors
    /// Errors if git fails, or is cancelled. `doing` describes the operation.
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

    /// Runs git to look something up; `None` if it exits with 1.
    ///
    /// # Errors
    /// Errors if it exits otherwise: the answer is then unknown.
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

    /// Returns the exit status of a process and its output.
    async fn ended(
        &self,
        at: &At,
        doing: &'static str,
        args: Vec<&OsStr>,
        cancel: &CancellationToken,
    ) -> Result<(i32, Vec<u8>, Vec<u8>), WorktreeError> {
        let failed = |output: String| WorktreeError::Git { doing, output };
        let (end, out, err) = self.run(at, args, cancel).await.map_err(failed)?;
        match end {
            End::Exited(code) => Ok((code, out, err)),
            End::Signaled(signal) => Err(failed(format!("signal {signal} ended it"))),
            End::TimedOut => Err(failed(format!("it took longer than {} s", LONGEST.as_secs()))),
            End::Cancelled => Err(failed("it was interrupted".to_owned())),
            End::Lost => Err(failed("its end was not seen".to_owned())),
        }
    }

    /// Returns one line of output; `None` if git fails.
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
    let output = String::from_utf8_lossy(err).trim().to_owned();
    WorktreeError::Git {
        doing,
        output: if output.is_empty() { format!("it ended with {code}") } else { output },
    }
}

/// Returns the words of a command line.
pub(super) fn words<const N: usize>(words: [&str; N]) -> Vec<&OsStr> {
    words.into_iter().map(OsStr::new).collect()
}
