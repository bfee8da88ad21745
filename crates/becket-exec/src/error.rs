//! Reasons why a program was not started.

use std::io;
use std::path::PathBuf;

/// The reason why a supervisor did not start its program. Nothing was run (protocol.md E2).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// This system has no supervisor.
    #[error("programs can be supervised on Linux only, on x86_64 and aarch64")]
    Unsupported,
    /// The program was not found.
    #[error("there is no program `{name}` in the search path")]
    NotFound {
        /// The name as the caller gave it.
        name: String,
    },
    /// An argument or a variable can't be passed to a program.
    #[error("`{text}` contains a NUL character, which can't be passed to a program")]
    Nul {
        /// The argument.
        text: String,
    },
    /// ptrace is not permitted on this system.
    #[error(
        "ptrace is not permitted here ({0}), so the rules could not be enforced: a tracer, a container or another \
         `becket exec` around this one forbids it"
    )]
    NoPtrace(io::Error),
    /// Seccomp filters are not permitted or not supported.
    #[error("seccomp filters are not available here ({0}), so the rules could not be enforced")]
    NoSeccomp(io::Error),
    /// A right can't be taken away on this system (E5).
    #[error(
        "the rights of the program can't be restricted here: {why}; that requires Landlock of Linux 6.2, and of \
         Linux 6.12 for signals"
    )]
    Rights {
        /// The reason.
        why: String,
    },
    /// The rights that have to be enforced are not known (E5).
    #[error("{why}")]
    UnknownRights {
        /// The reason.
        why: String,
    },
    /// Paths can't be denied on this system (E5).
    #[error(
        "paths can't be denied to the program here: {0}; that requires user namespaces, which this system or a container \
         around this process may forbid"
    )]
    Mounts(io::Error),
    /// Single hosts can't be allowed on this system (E5).
    #[error(
        "single hosts can't be allowed to the program here: {0}; that requires user and network namespaces, which this \
         system or a container around this process may forbid"
    )]
    Network(io::Error),
    /// A path of the rights does not exist.
    #[error("`{}` can't be among the rights of a program: {why}", path.display())]
    RightsPath {
        /// The path.
        path: PathBuf,
        /// The error reported by the system.
        why: io::Error,
    },
    /// There is an outer supervisor, which would have to enforce the rules and does not.
    #[error("the rules can't be passed to the outer supervisor: {0}")]
    Nested(io::Error),
    /// There is an outer supervisor, and hooks can't be asked through it.
    #[error("hooks can't be asked about a program through the outer supervisor")]
    NestedHooks,
    /// The kernel did not execute the program.
    #[error("`{}` can't be executed: {why}", file.display())]
    NotExecutable {
        /// The file.
        file: PathBuf,
        /// The error reported by the system.
        why: io::Error,
    },
    /// The directory can't be entered.
    #[error("`{}` can't be entered: {why}", directory.display())]
    Directory {
        /// The directory.
        directory: PathBuf,
        /// The error reported by the system.
        why: io::Error,
    },
    /// A process or a pipe could not be created.
    #[error("the program can't be started: {0}")]
    System(#[from] io::Error),
}
