//! The description of a process to run: the program, its whole environment, its directory, its input.
//!
//! Nothing is inherited and nothing is guessed: the process gets only what its [`Command`] contains.

use std::ffi::OsString;
use std::fmt;
use std::io;
#[cfg(unix)]
use std::os::fd::{OwnedFd, RawFd};
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;

/// A complete description of the command that [`crate::Runner::run`] starts (`protocol.md` H2, H3).
#[derive(Clone)]
pub struct Command {
    /// The program to execute.
    pub program: Program,
    /// The whole environment; nothing is inherited. If a name occurs twice, the program sees both, in this order.
    pub env: Vec<(OsString, OsString)>,
    /// The directory the process starts in. Relative program names are looked up from here.
    pub cwd: PathBuf,
    /// The bytes of stdin, shared and written unchanged; then stdin is closed.
    pub stdin: Bytes,
    /// The treatment of the processes that the command leaves running.
    pub descendants: Descendants,
    /// The rights that are taken away from the process. On Windows, where this is not supported, the command is not
    /// started.
    pub confinement: Option<Confinement>,
    /// A descriptor of the host that the process receives as [`Command::CHANNEL`], usually a socket. Unix only.
    #[cfg(unix)]
    pub channel: Option<Arc<OwnedFd>>,
}

/// The treatment of the processes that a command leaves running.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Descendants {
    /// The processes of a command that exits on its own are left alone. Those of a command that is killed are killed
    /// with it, as far as they can be found (`protocol.md` H4).
    #[default]
    Seen,
    /// All are killed with a command that is killed; `setsid` and double forks do not escape this (`protocol.md` E7).
    /// On Linux the command becomes the parent of every orphan among its descendants; elsewhere its process group is
    /// killed. If a command exits on its own, only its session is killed, since its orphans have lost their parent by
    /// then: the command has to outlive the processes that it starts.
    Adopted {
        /// The names of programs, such as daemons, that are left alone with everything they have started.
        kept: Arc<[String]>,
    },
}

impl Command {
    /// Creates a command with an empty environment and an empty stdin.
    #[must_use]
    pub fn new(program: Program, cwd: impl Into<PathBuf>) -> Self {
        Self {
            program,
            env: Vec::new(),
            cwd: cwd.into(),
            stdin: Bytes::new(),
            descendants: Descendants::default(),
            confinement: None,
            #[cfg(unix)]
            channel: None,
        }
    }

    /// The file descriptor under which the process finds [`Command::channel`].
    #[cfg(unix)]
    pub const CHANNEL: RawFd = 3;

    /// Passes a descriptor of the host to the process.
    #[cfg(unix)]
    #[must_use]
    pub fn channel(mut self, descriptor: OwnedFd) -> Self {
        self.channel = Some(Arc::new(descriptor));
        self
    }

    /// Adds one environment variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Sets the treatment of the processes that it leaves running.
    #[must_use]
    pub fn descendants(mut self, descendants: Descendants) -> Self {
        self.descendants = descendants;
        self
    }

    /// Sets the bytes of stdin.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Bytes>) -> Self {
        self.stdin = bytes.into();
        self
    }
}

/// Prints only the names of variables and the length of stdin: both may contain secrets.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Command")
            .field("program", &self.program)
            .field("env", &names)
            .field("cwd", &self.cwd)
            .field("stdin", &format_args!("{} bytes", self.stdin.len()))
            .field("descendants", &self.descendants)
            .finish()
    }
}

/// Permanently takes rights away from the thread that calls it, and so from the processes that this thread starts. A
/// [`Command`] with a confinement is started on a thread of its own.
#[derive(Clone)]
pub struct Confinement(Arc<dyn Fn() -> io::Result<()> + Send + Sync>);

impl Confinement {
    /// Creates a confinement from a function that restricts the calling thread. If the function fails, nothing is
    /// started.
    pub fn new(enter: impl Fn() -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self(Arc::new(enter))
    }

    #[cfg_attr(windows, expect(dead_code, reason = "a process with a confinement is not started there"))]
    pub(crate) fn enter(&self) -> io::Result<()> {
        (self.0)()
    }
}

impl fmt::Debug for Confinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Confinement").finish_non_exhaustive()
    }
}

/// The program to execute (`protocol.md` H2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// `<shell> -c <script>`: the shell interprets the text.
    Shell {
        /// The shell, usually `/bin/sh`.
        shell: PathBuf,
        /// The text, passed unchanged as one argument.
        script: OsString,
    },
    /// A program and its arguments; nothing is split or expanded.
    Exec {
        /// A path, or a bare name that is looked up on the `PATH` of [`Command::env`].
        program: OsString,
        /// The arguments after the program's own name.
        args: Vec<OsString>,
    },
}

impl Program {
    /// Returns a script for `/bin/sh`.
    #[must_use]
    pub fn shell(script: impl Into<OsString>) -> Self {
        Self::Shell { shell: PathBuf::from("/bin/sh"), script: script.into() }
    }

    /// Returns a program with its arguments.
    #[must_use]
    pub fn exec<A: Into<OsString>>(program: impl Into<OsString>, args: impl IntoIterator<Item = A>) -> Self {
        Self::Exec { program: program.into(), args: args.into_iter().map(Into::into).collect() }
    }
}
