//! The environment that a host provides to its tools: directories, variables, a runner, a shell.

use crate::denied::{DeniedFiles, IsDenied, MayDeny};
use crate::places::Places;
use crate::programs::ProgramSupervision;
use crate::protected::may_change;
use becket_engine::Environment;
use becket_model::{Session, SessionId};
use becket_process::Runner;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// A function that returns the environment files of a session (H12).
type EnvFiles = Arc<dyn Fn(&SessionId) -> Vec<PathBuf> + Send + Sync>;

/// A function that returns the names of programs that outlive the line that started them.
type KeptProcesses = Arc<dyn Fn() -> Arc<[String]> + Send + Sync>;

/// A function that returns the reason why a line can't run without a supervisor.
type Unsupervised = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

/// A function that returns the working directories added to a running session.
type MoreDirectories = Arc<dyn Fn(&Session) -> Vec<PathBuf> + Send + Sync>;

/// The environment of a host's tools.
///
/// ```
/// use becket_tools::{Surroundings, hook_tools};
/// use becket_engine::Environment;
///
/// let environment = Environment::empty().with_var("PATH", "/usr/bin:/bin").with_home("/home/ada");
/// let tools = hook_tools(Surroundings::new(environment).with_directory("/srv/shared"));
/// # drop(tools);
/// ```
#[derive(Clone)]
pub struct Surroundings {
    pub(crate) environment: Environment,
    pub(crate) directories: Vec<PathBuf>,
    more_directories: MoreDirectories,
    protected: Vec<PathBuf>,
    /// The files that are protected since the session runs; shared by all clones.
    protected_later: Arc<RwLock<Vec<PathBuf>>>,
    pub(crate) runner: Runner,
    pub(crate) shell: PathBuf,
    pub(crate) env_files: EnvFiles,
    kept: KeptProcesses,
    readable: MoreDirectories,
    is_denied: Option<IsDenied>,
    may_deny: Option<MayDeny>,
    pub(crate) programs: Option<ProgramSupervision>,
    unsupervised: Unsupervised,
}

impl Surroundings {
    /// Creates surroundings with no working directory but the session's own, a new runner, and `/bin/bash`. Commands
    /// of Bash get only the variables of `environment`.
    #[must_use]
    pub fn new(environment: Environment) -> Self {
        Self {
            environment,
            directories: Vec::new(),
            more_directories: Arc::new(|_| Vec::new()),
            protected: Vec::new(),
            protected_later: Arc::default(),
            runner: Runner::new(),
            shell: PathBuf::from("/bin/bash"),
            env_files: Arc::new(|_| Vec::new()),
            kept: Arc::new(Arc::default),
            readable: Arc::new(|_| Vec::new()),
            is_denied: None,
            may_deny: None,
            programs: None,
            unsupervised: Arc::new(|| Ok(())),
        }
    }

    /// Adds a working directory besides the session's cwd; absolute.
    #[must_use]
    pub fn with_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directories.push(directory.into());
        self
    }

    /// Sets the function that returns the working directories added since the session began, as by `addDirectories`
    /// (P13); it is called for every tool call. The session's current cwd is always one; the directory in which it
    /// began is one only if this function returns it.
    #[must_use]
    pub fn with_more_directories(
        mut self,
        directories: impl Fn(&Session) -> Vec<PathBuf> + Send + Sync + 'static,
    ) -> Self {
        self.more_directories = Arc::new(directories);
        self
    }

    /// Protects a file, or everything in a directory, in addition to the files that always are (P14), such as settings
    /// that were named on the command line. Absolute; no edit of it runs unasked.
    #[must_use]
    pub fn with_protected(mut self, path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        self.protected.extend(crate::places::real(&path).filter(|real| *real != path));
        self.protected.push(path);
        self
    }

    /// Protects more files and directories from now on, as [`Surroundings::with_protected`] does, in all clones.
    pub fn protect(&self, paths: impl IntoIterator<Item = PathBuf>) {
        let mut later = self.protected_later.write().unwrap_or_else(PoisonError::into_inner);
        for path in paths {
            let real = crate::places::real(&path);
            for path in std::iter::once(path).chain(real) {
                if !later.contains(&path) && !self.protected.contains(&path) {
                    later.push(path);
                }
            }
        }
    }

    /// Shares the host's runner, whose [`Runner::all_gone`] then also waits for processes that Bash left.
    #[must_use]
    pub fn with_runner(mut self, runner: Runner) -> Self {
        self.runner = runner;
        self
    }

    /// Replaces the shell of Bash; absolute. It must be compatible with bash.
    #[must_use]
    pub fn with_shell(mut self, shell: impl Into<PathBuf>) -> Self {
        self.shell = shell.into();
        self
    }

    /// Sets the function that returns a session's environment files, in the order in which they apply, as
    /// [`becket_engine::HostOperations::env_files`] does: a shell evaluates them before each command of Bash (H12).
    #[must_use]
    pub fn with_env_files(
        mut self,
        files: impl Fn(&SessionId) -> Vec<PathBuf> + Send + Sync + 'static,
    ) -> Self {
        self.env_files = Arc::new(files);
        self
    }

    /// Allows the files of these directories to be read unasked, but not written: the session's own long texts,
    /// outputs of tasks and results of tools, which the model is told to read (O8). Absolute; called for every call.
    #[must_use]
    pub fn with_readable(
        mut self,
        directories: impl Fn(&Session) -> Vec<PathBuf> + Send + Sync + 'static,
    ) -> Self {
        self.readable = Arc::new(directories);
        self
    }

    /// Returns whether lines run with the rights that hooks leave to their calls, or not at all (E5).
    pub(crate) fn enforces_rights(&self) -> bool {
        cfg!(target_os = "linux") && self.programs.is_some()
    }

    /// Exempts programs with these names, such as a build server's daemon, from ending with the line that started them
    /// (E7). Called for every line, since settings change.
    #[must_use]
    pub fn with_kept_processes(mut self, names: impl Fn() -> Arc<[String]> + Send + Sync + 'static) -> Self {
        self.kept = Arc::new(names);
        self
    }

    /// Sets the files that a deny rule for `Read` matches, as [`becket_rules::RuleSet::path_denied`] does; the path is
    /// absolute. The engine denies a call that names one; with this function, Grep and Glob skip such files in
    /// directories too, and no command that reads whole trees runs unasked. A host whose rules name no path for `Read`
    /// does not need it.
    #[must_use]
    pub fn with_denied_reads(
        mut self,
        is_denied: impl Fn(&Session, &Path) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.is_denied = Some(Arc::new(is_denied));
        self
    }

    /// Sets the function that returns whether such a rule exists now, for rules that change during a session; it is
    /// called for every tool call. Without it, [`Surroundings::with_denied_reads`] decides.
    #[must_use]
    pub fn while_reads_are_denied(mut self, may_deny: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.may_deny = Some(Arc::new(may_deny));
        self
    }

    /// Runs the lines of Bash under a supervisor that decides about each program which they execute (E1). Linux only;
    /// if the system lacks what is needed, lines are refused.
    #[must_use]
    pub fn with_programs(mut self, supervision: ProgramSupervision) -> Self {
        self.programs = Some(supervision);
        self
    }

    /// Sets the function that returns the reason why a line can't run without a supervisor. It is called for each line
    /// if there is no [`ProgramSupervision`].
    #[must_use]
    pub fn with_unsupervised(
        mut self,
        check: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.unsupervised = Arc::new(check);
        self
    }

    /// Returns the reason why a line can't run without a supervisor.
    pub(crate) fn unsupervised(&self) -> Result<(), String> {
        (self.unsupervised)()
    }

    /// Returns the names of programs that outlive the line that started them.
    pub(crate) fn kept(&self) -> Arc<[String]> {
        (self.kept)()
    }

    /// Returns the files of a session that must not be read.
    pub(crate) fn denied(&self, session: &Session) -> DeniedFiles {
        let may_deny = self.may_deny.as_ref().is_none_or(|may_deny| may_deny());
        DeniedFiles::new(session, self.is_denied.clone().filter(|_| may_deny))
    }

    /// Returns the working directories of a session.
    pub(crate) fn places(&self, session: &Session) -> Places {
        let more = (self.more_directories)(session);
        Places::new(&session.cwd, self.directories.iter().chain(&more))
    }

    /// Returns whether a path may be read unasked: in a working directory, or among the session's own files.
    pub(crate) fn may_read(&self, session: &Session, path: &Path) -> bool {
        self.places(session).contain(path) || Places::of(&(self.readable)(session)).contain(path)
    }

    /// Returns whether the host protects a path.
    pub(crate) fn protects(&self, path: &Path) -> bool {
        self.any_protected(|kept| path.starts_with(kept))
    }

    fn any_protected(&self, is_meant: impl Fn(&Path) -> bool) -> bool {
        let later = self.protected_later.read().unwrap_or_else(PoisonError::into_inner);
        self.protected.iter().chain(later.iter()).any(|kept| is_meant(kept))
    }

    /// Returns whether an edit of a path, which may have globs, may change one that the host protects. With `contents`
    /// everything in a directory changes: also, the settings of a session in it.
    pub(crate) fn protects_in(&self, session: &Session, path: &Path, contents: bool) -> bool {
        let real = crate::places::real(path);
        let spellings = || std::iter::once(path).chain(real.as_deref());
        let may_change = |kept: &Path| spellings().any(|path| may_change(path, contents, kept));
        self.any_protected(may_change) || (contents && spellings().any(|path| session.cwd.starts_with(path)))
    }
}

/// Leaves out the environment: it may contain secrets.
impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings")
            .field("directories", &self.directories)
            .field("shell", &self.shell)
            .finish_non_exhaustive()
    }
}
